// Package modelquery holds the questions that can be put in terms of a model: measures, groupings and filters, periods of
// its calendar, and their DAX in one normal form.
package modelquery

import "readiness/domain/verdict"

// Query is a question in terms of a model: measures, groupings and filters. Answers are
// compared by exactly these fields, so each question has one normal form, described at
// Filter and Calendar. Both the generator of questions and the engine that answers them
// use it.
//
// "Which five products sold most in 2024?" is the measure [Sales], the grouping
// 'Product'[Product], and the filters {[Sales], "top", "5"} and {'Date'[Year], "=",
// "2024"}. The order of fields and values has no meaning. Neither does a requested
// order of rows, unless it decides which rows there are: "by sales, highest first" adds
// no field.
type Query struct {
	Measures  []Field
	Groupings []Field
	Filters   []Filter
}

// Field names a column or a measure of a table.
type Field struct{ Table, Name string }

// Filter keeps the rows whose field compares to Values by Operator. All filters of a
// query apply together. Where several forms mean the same, the normal form is:
//
//   - A single value uses "=", alternatives use "in", and each excluded value uses a separate
//     "<>".
//   - Two inclusive bounds use one "between", the lower first. A single bound uses "<", "<=", ">"
//     or ">=": "over" and "more than" are ">", "at least" and "since" are ">=", "under" and
//     "before" are "<", "at most" and "until" are "<=".
//   - A filter by a measure's value names one of the query's Measures: "cities with sales over
//     1000" is {[Sales], ">", "1000"}. So do "top" and "bottom".
//   - Filters by time are described at Calendar.
type Filter struct {
	Field
	Operator Operator
	// Values are written as Type requires. A text is written as in the question,
	// without quotation marks.
	Values []string
	// Type is the type of Values. Comparing answers ignores it.
	Type ValueType
}

// Operator says how a filter compares its field to its values.
type Operator = string

// The operators. Between has two values, Top and Bottom a count, InPeriod a named
// period (see ParsePeriod), In any number of values, and the others one.
const (
	Equal          Operator = "="
	NotEqual       Operator = "<>"
	Less           Operator = "<"
	LessOrEqual    Operator = "<="
	Greater        Operator = ">"
	GreaterOrEqual Operator = ">="
	In             Operator = "in"
	Between        Operator = "between"
	Contains       Operator = "contains"
	InPeriod       Operator = "period"
	Top            Operator = "top"
	Bottom         Operator = "bottom"
)

// ValueType is the type of a filter's values.
type ValueType string

// The types of values: any text; digits with at most one decimal point and no digit
// grouping, a percentage as a fraction of 1; a day as 2024-01-31; true or false.
const (
	TextValue    ValueType = ""
	NumberValue  ValueType = "number"
	DateValue    ValueType = "date"
	BooleanValue ValueType = "boolean"
)

// ValueTypeOf returns the type of the values of a column with the data type, as the
// definition names it.
func ValueTypeOf(dataType string) ValueType {
	switch dataType {
	case "int64", "decimal", "double":
		return NumberValue
	case "dateTime":
		return DateValue
	case "boolean":
		return BooleanValue
	}
	return TextValue
}

// Fields returns the query's fields in the form in which answers are compared.
func (q Query) Fields() []verdict.Field {
	all := make([]verdict.Field, 0, len(q.Measures)+len(q.Groupings)+len(q.Filters))
	for _, m := range q.Measures {
		all = append(all, verdict.Field{Role: verdict.MeasureField, Table: m.Table, Name: m.Name})
	}
	for _, g := range q.Groupings {
		all = append(all, verdict.Field{Role: verdict.GroupingField, Table: g.Table, Name: g.Name})
	}
	for _, f := range q.Filters {
		all = append(all, verdict.Field{Role: verdict.FilterField, Table: f.Table, Name: f.Name, Operator: f.Operator,
			Values: f.Values})
	}
	return all
}
