package rules

import (
	"regexp"
	"strings"

	"readiness/definition/dax"
	"readiness/domain/proposal"
)

// describeMeasure says what a measure computes, in words, with its unit and what
// it can be split by.
func (f *facts) describeMeasure(x *field) string {
	lead := f.measureLead(x)
	if lead == "" {
		return ""
	}
	var more []string
	if x.helper() {
		more = append(more, "A helper for report visuals rather than an answer.")
	}
	if d := f.otherDate(x); d != "" {
		more = append(more, "Goes by "+d+" rather than by the default date.")
	}
	if by := tableNames(f.groupedBy(x)); len(by) > 0 && !x.helper() {
		more = append(more, "Can be split by "+list(by, 4)+".")
	}
	return compose(proposal.MaxDescription, lead, more...)
}

var (
	rowCount = regexp.MustCompile(`(?is)^COUNTROWS\s*\(\s*('(?:[^']|'')+'|[\pL_][\pL\pN_.]*)\s*\)$`)
	constant = regexp.MustCompile(`^[-+]?[0-9][0-9.,eE]*$|^(?s)"[^"]*"$`)
	binary   = regexp.MustCompile(`^\[[^\[\]]+\]\s*([-+*/])\s*\[[^\[\]]+\]$`)
	shifted  = regexp.MustCompile(`(?is)\b(?:DATEADD|PARALLELPERIOD)\s*\([^()]*,\s*-\s*(\d+)\s*,\s*(YEAR|QUARTER|MONTH|DAY)`)
	rolling  = regexp.MustCompile(`(?is)\bDATESINPERIOD\s*\(.*,\s*-\s*(\d+)\s*,\s*(YEAR|QUARTER|MONTH|DAY)`)
)

// aggregates are the functions that take one column to one value.
var aggregates = map[string]string{
	"SUM": "Sum of", "AVERAGE": "Average of", "MIN": "Lowest", "MAX": "Highest", "COUNT": "Number of values of", "COUNTA": "Number of filled-in values of",
	"DISTINCTCOUNT": "Number of different values of", "DISTINCTCOUNTNOBLANK": "Number of different values of", "MEDIAN": "Median of",
	"STDEV.P": "Standard deviation of", "STDEV.S": "Standard deviation of", "COUNTBLANK": "Number of missing values of",
}

// iterators are the functions that compute on each row first.
var iterators = map[string]string{
	"SUMX": "Sum", "AVERAGEX": "Average", "MINX": "Lowest value", "MAXX": "Highest value", "COUNTX": "Count", "MEDIANX": "Median", "RANKX": "Rank",
}

// periods are what time-intelligence functions do to a measure.
var periods = map[string]string{
	"TOTALYTD": "from the start of the year to date", "DATESYTD": "from the start of the year to date",
	"TOTALQTD": "from the start of the quarter to date", "DATESQTD": "from the start of the quarter to date",
	"TOTALMTD": "from the start of the month to date", "DATESMTD": "from the start of the month to date",
	"SAMEPERIODLASTYEAR": "in the same period of the year before",
	"PREVIOUSYEAR":       "in the year before", "PREVIOUSQUARTER": "in the quarter before", "PREVIOUSMONTH": "in the month before", "PREVIOUSDAY": "on the day before",
}

// Functions by what they tell of a measure.
var (
	activations = setOf("USERELATIONSHIP")
	divisions   = setOf("DIVIDE")
	selections  = setOf("SELECTEDVALUE VALUES HASONEVALUE ISFILTERED")
	clearings   = setOf("ALL ALLEXCEPT ALLSELECTED REMOVEFILTERS ALLNOBLANKROW")
)

func (f *facts) measureLead(x *field) string {
	text := strings.TrimSpace(x.measure.Expression)
	if name, ok := dax.BareReference(text); ok && f.measures[strings.ToLower(name)] != nil && mentionable(name) {
		return "The same value as " + measureRef(name) + ", under another name."
	}
	share := unit(x.measure.FormatString)
	operands := f.operands(x)
	calls := x.dax.Calls
	switch {
	case text == "":
		return ""
	case constant.MatchString(text):
		return "A fixed value that is the same whatever is grouped or filtered" + share + "."
	case rowCount.MatchString(text):
		if t := f.tableNamed(rowCount.FindStringSubmatch(text)[1]); t != nil && mentionable(t.src.Name) {
			return "Number of rows of " + t.src.Name + "."
		}
	case len(calls) == 1 && len(x.refs) == 1 && len(operands) == 1 && x.refs[0].column != nil && wholeCall(text, calls[0].Name) && aggregates[strings.ToUpper(calls[0].Name)] != "":
		return aggregates[strings.ToUpper(calls[0].Name)] + " " + operands[0] + f.rowsOf(x.refs[0]) + share + "."
	case binary.MatchString(text) && len(operands) == 2:
		return first(proposal.MaxDescription, operands[0]+map[string]string{
			"-": " minus ", "+": " plus ", "*": " times ", "/": " divided by ",
		}[binary.FindStringSubmatch(text)[1]]+operands[1]+share+".")
	case len(calls) == 1 && strings.EqualFold(calls[0].Name, "DIVIDE") && wholeCall(text, "DIVIDE") && len(operands) == 2 && len(x.dax.References) == 2:
		return first(proposal.MaxDescription, capital(operands[0])+" divided by "+operands[1]+share+".")
	}
	if period := periodOf(text, calls); period != "" {
		if base := f.base(x); base != nil && mentionable(base.name) {
			if x.calls(divisions) {
				return "Compares " + measureRef(base.name) + " with its value " + period + share + "."
			}
			return measureRef(base.name) + " " + period + share + "."
		}
	}
	return f.complexLead(x, operands, share)
}

// complexLead says what an expression of no simple shape is made of, after what
// its name says in words.
func (f *facts) complexLead(x *field, operands []string, share string) string {
	said := phrase(x.name)
	named := telling(said) && !generic(x.name)
	how := ""
	for _, c := range x.dax.Calls {
		if how = iterators[strings.ToUpper(c.Name)]; how != "" {
			break
		}
	}
	switch {
	case how != "" && len(operands) > 0:
		how += " over rows, calculated from " + list(operands, 3)
	case len(operands) > 0:
		how = "calculated from " + list(operands, 3)
	case x.calls(selections):
		how = "depends on what is selected in the report"
	case !named:
		return ""
	default:
		how = "calculated by an expression of its own"
	}
	filtered := ""
	if x.calls(clearings) {
		filtered = ", setting some filters aside"
	}
	if !named {
		return capital(how) + filtered + share + "."
	}
	return first(proposal.MaxDescription, capital(said)+": "+lowerStart(how)+filtered+share+".", capital(said)+": "+lowerStart(how)+".", capital(how)+".")
}

// operands are the fields that an expression names, as a text names them.
func (f *facts) operands(x *field) []string {
	var names []string
	for _, to := range x.refs {
		switch {
		case !mentionable(to.name):
		case to.measure != nil:
			names = append(names, measureRef(to.name))
		default:
			names = append(names, to.name)
		}
	}
	return mentions(names)
}

func (f *facts) rowsOf(x *field) string {
	if !mentionable(x.table.src.Name) {
		return ""
	}
	return " over the rows of " + x.table.src.Name
}

func (f *facts) tableNamed(written string) *table {
	if strings.HasPrefix(written, "'") {
		written = strings.ReplaceAll(written[1:len(written)-1], "''", "'")
	}
	for _, t := range f.tables {
		if strings.EqualFold(t.src.Name, written) {
			return t
		}
	}
	return nil
}

// wholeCall tells whether an expression is one call and nothing around it: with
// one call in it no other parenthesis can follow.
func wholeCall(text, name string) bool {
	rest, ok := strings.CutPrefix(strings.ToUpper(text), strings.ToUpper(name))
	return ok && strings.HasPrefix(strings.TrimSpace(rest), "(") && strings.HasSuffix(rest, ")") && strings.Count(rest, ")") == strings.Count(rest, "(")
}

func periodOf(text string, calls []dax.Call) string {
	for _, back := range []struct {
		pattern     *regexp.Regexp
		before, end string
	}{{shifted, "", " earlier"}, {rolling, "over the last ", ""}} {
		if m := back.pattern.FindStringSubmatch(text); m != nil && len(m[1]) < 4 {
			what := strings.ToLower(m[2])
			if m[1] == "1" {
				return back.before + "1 " + what + back.end
			}
			return back.before + m[1] + " " + what + "s" + back.end
		}
	}
	for _, c := range calls {
		if p := periods[strings.ToUpper(c.Name)]; p != "" {
			return p
		}
	}
	return ""
}

// base is the measure that an expression is about: the first it names.
func (f *facts) base(x *field) *field {
	for _, to := range x.refs {
		if to.measure != nil && to != x {
			return to
		}
	}
	return nil
}

// otherDate is the date that a measure goes by with USERELATIONSHIP, "" for none.
func (f *facts) otherDate(x *field) string {
	for _, c := range x.dax.Calls {
		if !strings.EqualFold(c.Name, "USERELATIONSHIP") {
			continue
		}
		for _, r := range c.References {
			if to := f.resolve(r, x.table); to != nil && to.column != nil && to.table.role != dateTable && mentionable(to.name) {
				return to.name
			}
		}
	}
	return ""
}

// columns are those that a measure is computed from, through measures too.
func (f *facts) columns(x *field) []*field {
	seen := map[*field]bool{x: true}
	queue := []*field{x}
	var out []*field
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, to := range at.refs {
			if seen[to] {
				continue
			}
			seen[to] = true
			if to.column != nil {
				out = append(out, to)
			} else {
				queue = append(queue, to)
			}
		}
	}
	return out
}

// groupedBy are the tables that filter everything a measure is computed from.
func (f *facts) groupedBy(x *field) []*table {
	var common []*table
	started := false
	seen := map[*table]bool{}
	for _, c := range f.columns(x) {
		if c.table.role != fact || seen[c.table] {
			continue
		}
		seen[c.table] = true
		if !started {
			common, started = c.table.around, true
			continue
		}
		var both []*table
		for _, t := range common {
			for _, u := range c.table.around {
				if t == u {
					both = append(both, t)
				}
			}
		}
		common = both
	}
	return common
}
