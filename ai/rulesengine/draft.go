package rulesengine

import (
	"slices"
	"strings"

	"readiness/domain"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/verdict"
)

// draft is an answer under construction.
type draft struct {
	engine  *Engine
	query   modelquery.Query
	reasons []Reason
	defined []defined
	// filters are the query's filters in words.
	filters []string
	note    string // a sentence about the answer
}

// reason is the origin of a field.
type reason struct {
	words   string
	matched Source
	score   float64
}

func (f *field) named() modelquery.Field { return modelquery.Field(f.ref) }

// use adds a field in its role: as a measure, or as a column to group by.
func (d *draft) use(f *field, r reason) {
	list, role := &d.query.Groupings, verdict.GroupingField
	if f.measure {
		list, role = &d.query.Measures, verdict.MeasureField
	}
	if slices.Contains(*list, f.named()) {
		return
	}
	*list = append(*list, f.named())
	if f.expression != "" {
		d.defined = append(d.defined, defined{f.named(), f.expression})
	}
	d.because(verdict.Field{Role: role, Table: f.ref.Table, Name: f.ref.Name}, r)
}

// filter adds a filter; words is its text for people.
func (d *draft) filter(f modelquery.Filter, words string, r reason) {
	d.query.Filters = append(d.query.Filters, f)
	d.filters = append(d.filters, words)
	d.because(verdict.Field{Role: verdict.FilterField, Table: f.Table, Name: f.Name, Operator: f.Operator, Values: f.Values}, r)
}

func (d *draft) because(f verdict.Field, r reason) {
	d.reasons = append(d.reasons, Reason{f, r.words, r.matched, min(1, r.score)})
}

// explain returns the finished answer.
func (d *draft) explain() Explained {
	return Explained{verdict.Answer{Text: d.text() + d.note, Query: d.dax(), Fields: d.query.Fields()}, d.reasons}
}

// text returns a sentence about what the query shows.
func (d *draft) text() string {
	var b strings.Builder
	b.WriteString("This shows ")
	var rank *modelquery.Filter
	for i, f := range d.query.Filters {
		if f.Operator == modelquery.Top || f.Operator == modelquery.Bottom {
			rank = &d.query.Filters[i]
		}
	}
	var measures, groupings []string
	for _, m := range d.query.Measures {
		measures = append(measures, "["+shorten(m.Name)+"]")
	}
	for _, g := range d.query.Groupings {
		groupings = append(groupings, "'"+shorten(g.Table)+"'["+shorten(g.Name)+"]")
	}
	switch {
	case len(measures) == 0:
		b.WriteString("the values of " + listed(groupings))
	case len(groupings) == 0:
		b.WriteString(listed(measures))
	default:
		b.WriteString(listed(measures) + " by " + listed(groupings))
	}
	if len(d.filters) > 0 {
		b.WriteString(", where " + strings.Join(d.filters, " and "))
	}
	if rank != nil {
		which := "highest"
		if rank.Operator == modelquery.Bottom {
			which = "lowest"
		}
		b.WriteString(", the " + strings.Join(rank.Values, "") + " " + which + " by [" + shorten(rank.Name) + "]")
	}
	return b.String() + "."
}

// shorten returns a name on one line, cut to 80 characters.
func shorten(name string) string {
	return domain.Shortened(strings.Join(strings.Fields(strings.ToValidUTF8(name, "?")), " "), 80)
}

func listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
