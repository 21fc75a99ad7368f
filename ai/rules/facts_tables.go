package rules

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
	"readiness/domain/readiness/model"
)

// series is GENERATESERIES(from, to, step).
type series struct{ from, to, step string }

// text returns the numbers of a series, as in "numbers from 0 to 1 in steps of 0.1".
func (s *series) text() string {
	if s.step == "" || s.step == "1" {
		return "numbers from " + s.from + " to " + s.to
	}
	return "numbers from " + s.from + " to " + s.to + " in steps of " + s.step
}

// made reads the expression of a calculated table, as far as it says what the rows are.
func (t *table) made() {
	for _, p := range t.src.Partitions {
		if p.SourceType != "calculated" {
			continue
		}
		t.isSeries = t.isSeries || slices.ContainsFunc(dax.Read(p.Expression).Calls, func(c dax.Call) bool {
			return strings.EqualFold(c.Name, "GENERATESERIES")
		})
		n, ok := dax.Parse(p.Expression)
		if !ok || n.Kind != dax.CallNode || n.Variables != nil {
			continue
		}
		switch n.Text {
		case "GENERATESERIES":
			t.series = seriesOf(n)
		case "DATATABLE":
			t.dataTable(n)
		}
	}
}

func seriesOf(n *dax.Node) *series {
	var numbers []string
	for _, p := range n.Parts {
		sign := ""
		if p.Kind == dax.SignNode && p.Text == "-" {
			sign, p = "-", p.Parts[0]
		}
		if p.Kind != dax.NumberNode {
			return nil
		}
		numbers = append(numbers, sign+p.Text)
	}
	if len(numbers) < 2 || len(numbers) > 3 {
		return nil
	}
	s := &series{numbers[0], numbers[1], strings.Join(numbers[2:], "")}
	s.to = s.last()
	return s
}

// last returns the last number of a series. Its end is often a little more than that, against errors of rounding.
func (s *series) last() string {
	from, ok := new(big.Rat).SetString(s.from)
	to, also := new(big.Rat).SetString(s.to)
	step, too := new(big.Rat).SetString(cmp.Or(s.step, "1"))
	if !ok || !also || !too || step.Sign() <= 0 || to.Cmp(from) < 0 {
		return s.to
	}
	steps := new(big.Rat).Quo(new(big.Rat).Sub(to, from), step)
	n := new(big.Int).Quo(steps.Num(), steps.Denom())
	last := from.Add(from, step.Mul(step, new(big.Rat).SetInt(n)))
	digits := 0
	for _, number := range []string{s.from, s.step} {
		if _, after, fraction := strings.Cut(number, "."); fraction {
			digits = max(digits, len(after))
		}
	}
	text := last.FloatString(digits)
	if digits > 0 {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// dataTable reads DATATABLE("Name", TYPE, …, {{…}, …}).
func (t *table) dataTable(n *dax.Node) {
	last := len(n.Parts) - 1
	if last < 2 || last%2 != 0 || n.Parts[last].Kind != dax.ListNode {
		return
	}
	for i := 0; i < last; i += 2 {
		if n.Parts[i].Kind != dax.TextNode {
			return
		}
		t.fixedNames = append(t.fixedNames, n.Parts[i].Text)
	}
	t.fixed = n.Parts[last]
}

// values returns the different values that DATATABLE gives a column, in their order; nil for other columns, and for
// values that cannot be shown.
func (t *table) values(x *field) []string {
	if t.fixed == nil {
		return nil
	}
	at := slices.IndexFunc(t.fixedNames, func(name string) bool { return "["+name+"]" == x.column.SourceColumn })
	if at < 0 {
		return nil
	}
	var all []string
	for _, row := range t.fixed.Parts {
		if row.Kind != dax.ListNode || at >= len(row.Parts) {
			return nil
		}
		value := row.Parts[at].Text
		if row.Parts[at].Kind == dax.TextNode {
			value = quote(value)
		} else if row.Parts[at].Kind != dax.NumberNode {
			return nil
		}
		if value == "" {
			return nil
		}
		if !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	return all
}

// fixedValues says which values DATATABLE gives a column.
func (t *table) fixedValues(x *field) string {
	values := t.values(x)
	if len(values) < 2 || x.key {
		return ""
	}
	n := len(values)
	return prose.First(proposal.MaxDescription, "One of "+strings.Join(values[:n-1], ", ")+" or "+values[n-1]+".")
}

// timeTableWords are words in the names of date tables that other tables have, too.
var timeTableWords = prose.SetOf("time period periods day days datum zeit temps tempo tiempo")

var dateWords = prose.Set(model.DateWords)

func (f *facts) assign() {
	for _, t := range f.tables {
		t.made()
		calculated := slices.ContainsFunc(t.src.Partitions, func(p semanticmodel.Partition) bool { return p.SourceType == "calculated" })
		parameter := slices.ContainsFunc(t.columns, func(x *field) bool {
			_, ok := x.column.ExtendedProperties["ParameterMetadata"]
			return ok
		})
		rows := slices.ContainsFunc(t.columns, func(x *field) bool {
			return x.end || !x.hidden && (len(t.columns) > 1 || len(x.usedBy) > 0) // a table of measures needs a column
		})
		named := prose.Words(t.src.Name)
		years := slices.ContainsFunc(t.columns, func(x *field) bool { return periods[0].words.Meets(x.words) })
		byName := t.one && (dateWords.Meets(named) || timeTableWords.Meets(named) && years) && slices.ContainsFunc(t.columns, (*field).isDate)
		switch {
		case t.src.CalculationGroup != nil:
			t.role = calculationGroup
		case calculated && parameter && !t.isSeries:
			t.role = fieldParameter
		case len(t.measures) > 0 && !rows:
			t.role = measureTable
		case byName || strings.EqualFold(t.src.DataCategory, "Time") || len(t.src.Calendars) > 0 || t.consistsOfDates():
			t.role = dateTable
		case t.one:
			t.role = dimension
		case t.many:
			t.role = fact
		}
	}
	for _, r := range f.relations {
		r.from.dateEnd = r.from.dateEnd || r.to.table.role == dateTable
		r.to.dateEnd = r.to.dateEnd || r.from.table.role == dateTable
		r.from.relations = append(r.from.relations, r)
		if r.to != r.from {
			r.to.relations = append(r.to.relations, r)
		}
	}
}

// consistsOfDates reports whether CALENDAR or CALENDARAUTO makes the table.
func (t *table) consistsOfDates() bool {
	return slices.ContainsFunc(t.columns, (*field).isDay) && slices.ContainsFunc(t.src.Partitions, func(p semanticmodel.Partition) bool {
		return p.SourceType == "calculated" && slices.ContainsFunc(dax.Read(p.Expression).Calls, func(c dax.Call) bool {
			return strings.EqualFold(c.Name, "CALENDAR") || strings.EqualFold(c.Name, "CALENDARAUTO")
		})
	})
}
