package benchmark

import "readiness/domain/comparison"

// Query is a question in the terms of a model: the measures asked for, what they
// are grouped by, and what they are filtered by.
type Query struct {
	Measures  []Field
	Groupings []Field
	Filters   []Filter
}

// Field names a column or a measure of a table.
type Field struct{ Table, Name string }

// Filter keeps the rows whose column stands in Operator to Values.
type Filter struct {
	Field
	// Operator is "=", "<>", "<", "<=", ">", ">=", "in", "between", "contains",
	// "period" (Values is one named period: "last month", "this year", …) or "top"
	// (Values is a count; Field is the measure it goes by).
	Operator string
	Values   []string
}

// Fields returns what the query uses, as answers are compared by (regime D.2).
func (q Query) Fields() []comparison.Field {
	all := make([]comparison.Field, 0, len(q.Measures)+len(q.Groupings)+len(q.Filters))
	for _, m := range q.Measures {
		all = append(all, comparison.Field{Role: comparison.MeasureField, Table: m.Table, Name: m.Name})
	}
	for _, g := range q.Groupings {
		all = append(all, comparison.Field{Role: comparison.GroupingField, Table: g.Table, Name: g.Name})
	}
	for _, f := range q.Filters {
		all = append(all, comparison.Field{Role: comparison.FilterField, Table: f.Table, Name: f.Name, Operator: f.Operator, Values: f.Values})
	}
	return all
}
