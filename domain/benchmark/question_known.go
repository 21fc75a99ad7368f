package benchmark

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/verdict"
	"readiness/domain/verdict/normalform"
)

// Known returns what answers are compared with: the value, and the query in normal form. Without a query, one is made of the fields. A
// query that cannot be read decides nothing.
func (q Question) Known(m *semanticmodel.Model, read *normalform.Model, today time.Time) verdict.Expected {
	e := q.Expected
	known := verdict.Expected{Value: e.Value, Sentence: e.Answer, Question: q.Text, Ordered: q.Ordered}
	query := e.DAX
	if query == "" && m != nil {
		query = queryOf(e.Fields, m).DAX()
	}
	if query == "" || read == nil {
		return known
	}
	if q, err := read.Read(query, today); err == nil {
		known.Query = q
	}
	return known
}

// queryOf returns the query that has the fields. Values have the types of their columns.
func queryOf(fields []verdict.Field, m *semanticmodel.Model) modelquery.Query {
	types := map[[2]string]modelquery.ValueType{}
	for _, t := range m.Tables {
		for _, c := range t.Columns {
			types[spelling.Field(t.Name, c.Name)] = modelquery.ValueTypeOf(string(c.DataType))
		}
	}
	var q modelquery.Query
	for _, f := range fields {
		field := modelquery.Field{Table: f.Table, Name: f.Name}
		switch f.Role {
		case verdict.MeasureField:
			q.Measures = append(q.Measures, field)
		case verdict.GroupingField:
			q.Groupings = append(q.Groupings, field)
		case verdict.FilterField:
			t, isColumn := types[spelling.Field(f.Table, f.Name)]
			if !isColumn {
				t = modelquery.NumberValue // a filter by the value of a measure
			}
			q.Filters = append(q.Filters, modelquery.Filter{Field: field, Operator: f.Operator, Values: f.Values, Type: t})
		}
	}
	for i, f := range q.Filters { // a measure is the same in every table
		for _, x := range q.Measures {
			if f.Type == modelquery.NumberValue && spelling.Fold(f.Name) == spelling.Fold(x.Name) &&
				types[spelling.Field(f.Table, f.Name)] == "" {
				q.Filters[i].Field = x
			}
		}
	}
	return q
}

// unread says why the question's own query decides about no answer, and where; "" if it may.
func (q Question) unread(m *normalform.Model, today time.Time) string {
	if q.Expected.DAX == "" {
		return ""
	}
	_, err := m.Read(q.Expected.DAX, today)
	u, ok := errors.AsType[*normalform.Unread](err)
	if !ok {
		return ""
	}
	before := q.Expected.DAX[:min(u.At, len(q.Expected.DAX))]
	line := strings.Count(before, "\n") + 1
	column := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
	return fmt.Sprintf("The expected query is not read in full, so that only its rows, a judge or a person can decide about answers: "+
		"line %d, column %d: %s.", line, column, u.Message)
}
