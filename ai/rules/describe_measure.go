package rules

import (
	"regexp"
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/domain/proposal"
)

// describeMeasure describes what a measure computes, its unit and the tables by which it can be split.
func (f *facts) describeMeasure(x *field) string {
	lead := f.measureLead(x)
	if lead == "" {
		return ""
	}
	var more []string
	if x.helper() {
		more = append(more, "A helper for report visuals rather than an answer.")
	}
	if d := f.otherDate(x); d != "" && !strings.Contains(lead, "rather than by the default date") {
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
	change   = regexp.MustCompile(`(?is)^DIVIDE\s*\(\s*\(?\s*(\[[^\[\]]+\])\s*-\s*(\[[^\[\]]+\])\s*\)?\s*,\s*(\[[^\[\]]+\])\s*(?:,\s*[^,()]*)?\)$`)
	equality = regexp.MustCompile(`(?i)\[([^\[\]]+)\]\s*=\s*("[^"]{1,40}"|TRUE\(\)|FALSE\(\)|TRUE|FALSE|[0-9]+)`)
	shifted  = regexp.MustCompile(`(?is)\b(?:DATEADD|PARALLELPERIOD)\s*\([^()]*,\s*-\s*(\d+)\s*,\s*(YEAR|QUARTER|MONTH|DAY)`)
	rolling  = regexp.MustCompile(`(?is)\bDATESINPERIOD\s*\(.*,\s*-\s*(\d+)\s*,\s*(YEAR|QUARTER|MONTH|DAY)`)
)

// aggregates are the functions that reduce one column to one value.
var aggregates = map[string]string{
	"SUM": "Sum of", "AVERAGE": "Average of", "MIN": "Lowest", "MAX": "Highest", "COUNT": "Number of values of",
	"COUNTA":        "Number of filled-in values of",
	"DISTINCTCOUNT": "Number of different values of", "DISTINCTCOUNTNOBLANK": "Number of different values of", "MEDIAN": "Median of",
	"STDEV.P": "Standard deviation of", "STDEV.S": "Standard deviation of", "COUNTBLANK": "Number of missing values of",
}

// iterators are the functions that compute an expression for each row.
var iterators = map[string]string{
	"SUMX": "Sum", "AVERAGEX": "Average", "MINX": "Lowest value", "MAXX": "Highest value", "COUNTX": "Count", "MEDIANX": "Median",
	"RANKX": "Rank",
}

// periods are the periods that time-intelligence functions select.
var periods = map[string]string{
	"TOTALYTD": "from the start of the year to date", "DATESYTD": "from the start of the year to date",
	"TOTALQTD": "from the start of the quarter to date", "DATESQTD": "from the start of the quarter to date",
	"TOTALMTD": "from the start of the month to date", "DATESMTD": "from the start of the month to date",
	"SAMEPERIODLASTYEAR": "in the same period of the year before",
	"PREVIOUSYEAR":       "in the year before", "PREVIOUSQUARTER": "in the quarter before", "PREVIOUSMONTH": "in the month before",
	"PREVIOUSDAY": "on the day before",
}

// Functions by what they reveal about a measure.
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
	case len(calls) == 1 && len(x.refs) == 1 && len(operands) == 1 && x.refs[0].column != nil && isCall(text, calls[0].Name) &&
		aggregates[strings.ToUpper(calls[0].Name)] != "":
		return aggregates[strings.ToUpper(calls[0].Name)] + " " + operands[0] + f.rowsOf(x.refs[0]) + share + "."
	case binary.MatchString(text) && len(operands) == 2:
		return first(proposal.MaxDescription, operands[0]+map[string]string{
			"-": " minus ", "+": " plus ", "*": " times ", "/": " divided by ",
		}[binary.FindStringSubmatch(text)[1]]+operands[1]+share+".")
	case len(calls) == 1 && strings.EqualFold(calls[0].Name, "DIVIDE") && isCall(text, "DIVIDE") && len(operands) == 2 &&
		len(x.dax.References) == 2:
		return first(proposal.MaxDescription, capital(operands[0])+" divided by "+operands[1]+share+".")
	}
	if m := change.FindStringSubmatch(text); m != nil && strings.EqualFold(m[2], m[3]) && len(operands) == 2 {
		return "Change of " + operands[0] + " against " + operands[1] + share + "."
	}
	if b := f.base(x); b != nil && len(x.refs) == 1 && len(operands) == 1 && x.calls(divisions) && x.calls(clearings) {
		return "Share of " + operands[0] + " in its total without some of the filters" + share + "."
	}
	if d := f.otherDate(x); d != "" && f.base(x) == x.refs[0] && mentionable(x.refs[0].name) && isCall(text, "CALCULATE") {
		return operands[0] + " by " + d + " rather than by the default date" + share + "."
	}
	if what, limits := f.limited(x, text); what != "" {
		return first(proposal.MaxDescription, what+conditions(text, limits)+share+".",
			what+" limited by a condition on "+list(limits, 3)+share+".")
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

// limited returns what CALCULATE filters and the columns it filters by, if the expression does nothing
// else: a measure or one aggregation.
func (f *facts) limited(x *field, text string) (what string, by []string) {
	if !isCall(text, "CALCULATE") || len(x.refs) < 2 || !mentionable(x.refs[0].name) || x.calls(clearings) || x.calls(periodFunctions) ||
		x.calls(activations) {
		return "", nil
	}
	for _, to := range x.refs[1:] {
		if to.measure != nil {
			return "", nil
		}
	}
	by = fieldNames(x.refs[1:])
	first := x.refs[0]
	switch {
	case len(by) == 0:
	case first.measure != nil:
		return measureRef(first.name), by
	case len(x.dax.Calls) > 1 && len(x.dax.Calls[1].References) == 1 && aggregates[strings.ToUpper(x.dax.Calls[1].Name)] != "":
		return aggregates[strings.ToUpper(x.dax.Calls[1].Name)] + " " + first.name + f.rowsOf(first), by
	}
	return "", nil
}

// conditions returns the value required of each of the columns, where it can be read; otherwise only
// that there is a condition.
func conditions(text string, columns []string) string {
	found := equality.FindAllStringSubmatch(text, -1)
	var each []string
	for _, m := range found {
		value := strings.TrimSpace(strings.Trim(strings.TrimSuffix(m[2], "()"), `"`))
		if slices.Contains(columns, m[1]) && mentionable(value) {
			each = append(each, m[1]+" is "+value)
		}
	}
	if len(each) != len(columns) || len(found) != len(columns) || strings.Count(text, "=") != len(columns) ||
		strings.Contains(text, "||") || strings.Contains(strings.ToUpper(text), "NOT") {
		return " limited by a condition on " + list(columns, 3)
	}
	return " where " + list(each, 0)
}

// complexLead describes an expression that has no simple shape by its parts, after the words of its
// name.
func (f *facts) complexLead(x *field, operands []string, share string) string {
	phrased := phrase(x.name)
	named := informative(phrased) && !generic(x.name)
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
	return first(proposal.MaxDescription, capital(phrased)+": "+lowerStart(how)+filtered+share+".",
		capital(phrased)+": "+lowerStart(how)+".", capital(how)+".")
}

// operands returns the names of the fields in an expression, as a text names them.
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
	return names
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

// isCall reports whether an expression is a call of the function and nothing after it. It ignores
// parentheses in names and strings.
func isCall(text, name string) bool {
	if len(text) < len(name) || !strings.EqualFold(text[:len(name)], name) {
		return false
	}
	rest := strings.TrimSpace(text[len(name):])
	depth, until := 0, rune(0)
	for i, r := range rest {
		switch {
		case until != 0:
			if r == until {
				until = 0
			}
		case r == '[':
			until = ']'
		case r == '\'', r == '"':
			until = r
		case r == '(':
			depth++
		case r == ')':
			depth--
		}
		if depth == 0 && until == 0 {
			return r == ')' && i == len(rest)-1
		}
	}
	return false
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

// base returns the main measure of an expression: the first that it names.
func (f *facts) base(x *field) *field {
	for _, to := range x.refs {
		if to.measure != nil && to != x {
			return to
		}
	}
	return nil
}

// otherDate returns the date column that a measure uses with USERELATIONSHIP, "" for none.
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

// columns returns the columns that a measure is computed from, directly or through measures.
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

// groupedBy returns the tables that filter every fact that a measure is computed from.
func (f *facts) groupedBy(x *field) []*table {
	if m := rowCount.FindStringSubmatch(strings.TrimSpace(x.measure.Expression)); m != nil {
		if t := f.tableNamed(m[1]); t != nil {
			return t.around
		}
	}
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
