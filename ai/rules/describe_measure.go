package rules

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"readiness/ai/rules/prose"
	"readiness/definition/spelling"
	"readiness/domain/proposal"
	"readiness/internal/lists"
)

// describeMeasure says what a measure computes, with its period, conditions and unit, and which measure is without the
// conditions. It returns "" for an expression that is not understood, and if names and expression say all of it.
func (f *facts) describeMeasure(x *field) string {
	if lead := f.computes(x); lead != "" {
		return lead + "."
	}
	return ""
}

// computes returns what describeMeasure does, without the full stop.
func (f *facts) computes(x *field) string {
	if other := f.alias(x); other != nil {
		return "The same value as " + prose.MeasureRef(other.name)
	}
	s := f.explain(x)
	in := f.unit(x.measure.FormatString)
	if s.relative() && in != ", as a percentage" { // the currency is a slip
		in = ""
	}
	switch {
	case s.text == "" || !f.tells(x, s) || strings.Contains(s.text, "sum of sum of"),
		s.constant && (s.text == "0" || s.text == "1" || strings.HasPrefix(s.text, `"`)),
		!s.constant && len(x.dax.References)+len(x.dax.Calls) == 0: // a sum of numbers, whose sense only a person knows
		return ""
	case s.constant:
		return "Always " + s.shown(x.measure.FormatString, in) + ", whatever is selected"
	default:
		if in == ", as a percentage" { // what is rounded is the fraction
			s.tail = slices.DeleteFunc(lists.Map(s.tail, ofPercent), func(t string) bool { return t == "" })
		}
		lead := prose.Capital(s.full())
		if all := f.counterCase(x, s); all != "" {
			return prose.First(proposal.MaxDescription-1, lead+in+"; in all: "+all, lead+"; in all: "+all, lead)
		}
		return prose.First(proposal.MaxDescription-1, lead+in, lead)
	}
}

// ofPercent returns what follows a fraction as it is said of a percentage, "" for a rounding that does not matter.
func ofPercent(tail string) string {
	switch {
	case tail == "rounded to 2 decimals":
		return "rounded to full percents"
	case strings.HasPrefix(tail, "rounded to "):
		return ""
	}
	return tail
}

// shown returns a constant in its unit.
func (s explanation) shown(format, in string) string {
	if n, err := strconv.ParseFloat(s.text, 64); err == nil && strings.Contains(format, "%") {
		return strconv.FormatFloat(100*n, 'f', -1, 64) + " %"
	}
	return s.text + strings.TrimPrefix(in, ", in")
}

// alias returns the measure that a measure only repeats, nil for none.
func (f *facts) alias(x *field) *field {
	if len(x.refs) != 1 || len(x.dax.Calls) > 0 || len(x.dax.References) != 1 {
		return nil
	}
	name := strings.TrimSpace(x.measure.Expression)
	if to := x.refs[0]; to.measure != nil && to != x && prose.Mentionable(to.name) && strings.EqualFold(name, prose.MeasureRef(to.name)) {
		return to
	}
	return nil
}

// sameMeaning has words of names and texts with one meaning: "sum" adds nothing to a name with "total".
var sameMeaning = classes("sum total totals overall", "number count counts num no nr cnt", "average avg mean averages",
	"highest max maximum peak top latest last newest",
	"lowest min minimum earliest first oldest", "different distinct unique", "percentage percent pct ratio share rate",
	"selected select chosen current",
	"euro euros eur", "year years yr", "month months", "day days", "headcount employee employees", "quarter quarters", "hour hours", "minute minutes",
	"dated date dates", "median med")

// idle are words that carry no information by themselves.
var idle = prose.SetOf("the a an of in by for to and or per each is are its it that with as from row rows value values table column " +
	"measure field if else " +
	"when where than one at on up name names record records data true false")

func classes(lists ...string) map[string]string {
	all := map[string]string{}
	for _, list := range lists {
		fields := strings.Fields(list)
		for _, w := range fields {
			all[w] = fields[0]
		}
	}
	return all
}

// meaningOf returns a word in the form in which words are compared.
func meaningOf(w string) string {
	w = spelling.FoldSpace(w)
	if c := sameMeaning[w]; c != "" {
		return c
	}
	return prose.Singular(w)
}

// informs reports whether a text has a word that neither the name of a field nor that of its table
// implies.
func informs(name string, home *table, text string) bool {
	known := prose.Set{}
	for _, w := range append(prose.Words(name), prose.Words(home.src.Name)...) {
		known[meaningOf(w)] = true
	}
	for _, r := range name {
		switch {
		case r == '#':
			known["number"] = true
		case r == '%':
			known["percentage"] = true
		case unicode.Is(unicode.Sc, r):
			known["in"] = true
		}
	}
	for _, w := range prose.Words(text) {
		if m := meaningOf(w); !idle[w] && !known[m] {
			return true
		}
	}
	return false
}

// currencies are the signs of currencies in format strings, the longest first.
var currencies = []struct{ sign, name string }{
	{"US$", "US dollars"}, {"CA$", "Canadian dollars"}, {"HK$", "Hong Kong dollars"}, {"NZ$", "New Zealand dollars"},
	{"A$", "Australian dollars"},
	{"C$", "Canadian dollars"}, {"R$", "Brazilian reals"}, {"CHF", "Swiss francs"}, {"€", "euro"}, {"£", "pounds"}, {"¥", "yen or yuan"},
	{"₹", "rupees"}, {"₩", "won"}, {"₺", "lira"}, {"zł", "zloty"}, {"$", "dollars"},
}

// unit returns the unit that a format string implies for a number.
func unit(format string) string {
	if strings.Contains(format, "%") {
		return ", as a percentage"
	}
	for _, c := range currencies {
		if strings.Contains(format, c.sign) {
			return ", in " + c.name
		}
	}
	return ""
}

// unit returns the unit that a format string implies in the model, no currency in a model of several.
func (f *facts) unit(format string) string {
	in := unit(format)
	if in == "" || in == ", as a percentage" {
		return in
	}
	if f.currencies == nil {
		n := f.countCurrencies()
		f.currencies = &n
	}
	if *f.currencies > 1 {
		return ""
	}
	return in
}

// countCurrencies returns how many currencies the formats of a model name; two if a column holds the currency of each row.
func (f *facts) countCurrencies() int {
	named := map[string]bool{}
	for _, x := range f.allFields() {
		var format string
		if x.measure != nil {
			format = x.measure.FormatString
		} else {
			format = x.column.FormatString
			if len(x.words) > 0 && x.words[0] == "currency" && x.table.role == fact && !x.isNumber() {
				return 2
			}
		}
		if in := unit(format); in != "" && in != ", as a percentage" {
			named[in] = true
		}
	}
	return len(named)
}

// currency returns the unit that a format string implies if it is one currency: dollars are several.
func (f *facts) currency(format string) string {
	if in := f.unit(format); in != ", as a percentage" && in != ", in dollars" {
		return in
	}
	return ""
}

// sources returns the fact tables that a measure is computed from, each once.
func (f *facts) sources(x *field) []*table {
	if all, known := f.computed[x]; known {
		return all
	}
	var all []*table
	seen := map[*table]bool{}
	note := func(t *table) {
		if t.role == fact && !seen[t] {
			seen[t] = true
			all = append(all, t)
		}
	}
	for _, c := range f.columns(x) {
		note(c.table)
	}
	for _, m := range f.reached(x) {
		for _, t := range m.counts {
			note(t)
		}
	}
	f.computed[x] = all
	return all
}

// reached returns a measure and the measures that it is computed from.
func (f *facts) reached(x *field) []*field {
	seen := map[*field]bool{x: true}
	all := []*field{x}
	for at := 0; at < len(all); at++ {
		for _, to := range all[at].refs {
			if to.measure != nil && !seen[to] {
				seen[to] = true
				all = append(all, to)
			}
		}
	}
	return all
}

// columns returns the columns that a measure is computed from, directly or through measures.
func (f *facts) columns(x *field) []*field {
	seen := map[*field]bool{}
	var out []*field
	for _, m := range f.reached(x) {
		for _, to := range m.refs {
			if to.column != nil && !seen[to] {
				seen[to] = true
				out = append(out, to)
			}
		}
	}
	return out
}

// Functions by what they reveal about a measure.
var (
	activations = prose.SetOf("USERELATIONSHIP")
	divisions   = prose.SetOf("DIVIDE")
)
