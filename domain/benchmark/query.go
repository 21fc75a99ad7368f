package benchmark

import "readiness/domain/comparison"

// Query is a question in the terms of a model: the measures asked for, what they
// are grouped by, and what they are filtered by. A question has one normal form,
// for answers are compared by exactly these fields (regime D.2): what generates
// questions and what answers them both keep to the forms that are told here, at
// Filter and at Calendar.
//
// "Which five products sold most in 2024?" is the measure [Sales], the grouping
// 'Product'[Product], and the filters {[Sales], "top", "5"} and {'Date'[Year],
// "=", "2024"}. In what order fields and values stand means nothing. Neither does
// the order of the rows that are asked for, unless it decides which rows there
// are: "by sales, highest first" adds no field.
type Query struct {
	Measures  []Field
	Groupings []Field
	Filters   []Filter
}

// Field names a column or a measure of a table.
type Field struct{ Table, Name string }

// Filter keeps the rows whose column stands in Operator to Values; filters all
// hold at once. Of several forms that say the same, this one is written:
//
//   - One value is "=", several of which any will do are "in"; what is not meant
//     is one "<>" for each value.
//   - Two bounds that both count are one "between", the lower first. A single bound
//     is "<", "<=", ">" or ">=": "over" and "more than" are ">", "at least" and
//     "since" are ">=", "under" and "before" are "<", "at most" and "until" are "<=".
//   - A filter by the value of a measure names one of the query's Measures: "cities
//     with sales over 1000" is {[Sales], ">", "1000"}. So do "top" and "bottom".
//   - What is meant by time, Calendar says.
type Filter struct {
	Field
	Operator Operator
	// Values are written as Type says. A text stands as in the question, without
	// quotation marks.
	Values []string
	// Type is what Values are; answers are not compared by it.
	Type ValueType
}

// Operator is how a filter's field stands to its values.
type Operator = string

// The operators. Between has two values, Top and Bottom have a count, Period has a
// named period (see ParsePeriod), In has any number, the others have one.
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

// ValueType is what the values of a filter are.
type ValueType string

// The types of values: any text; digits with at most one point, without groups,
// a percentage as its share of 1; a day as 2024-01-31; true or false.
const (
	TextValue    ValueType = ""
	NumberValue  ValueType = "number"
	DateValue    ValueType = "date"
	BooleanValue ValueType = "boolean"
)

// ValueTypeOf is what the values of a column are whose data type in the definition
// is this one.
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
