package benchmark

import (
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/verdict"
)

// WithFields returns the question with the fields of its query, if it has no fields and
// its query can be parsed; else unchanged.
func (q Question) WithFields(m *semanticmodel.Model) Question {
	if len(q.Expected.Fields) > 0 {
		return q
	}
	if fields, ok := FieldsOf(q.Expected.DAX, m); ok {
		q.Expected.Fields = fields
	}
	return q
}

// FieldsOf returns the measures, groupings and filters of a query in the form that
// Query.DAX writes, with the model's spelling of names. It returns false for any other
// query, and for a query that names something the model lacks, because some of an
// answer's fields would describe a different answer.
func FieldsOf(query string, m *semanticmodel.Model) (fields []verdict.Field, ok bool) {
	q, ok := modelquery.Parse(query)
	if !ok {
		return nil, false
	}
	columns, measures := map[[2]string]modelquery.Field{}, map[string]modelquery.Field{}
	for _, t := range m.Tables {
		for _, c := range t.Columns {
			if !c.IsRowNumber {
				columns[spelling.Field(t.Name, c.Name)] = modelquery.Field{Table: t.Name, Name: c.Name}
			}
		}
		for _, x := range t.Measures {
			measures[spelling.Fold(x.Name)] = modelquery.Field{Table: t.Name, Name: x.Name}
		}
	}
	find := func(f modelquery.Field) (modelquery.Field, bool) {
		if f.Table == "" {
			found, ok := measures[spelling.Fold(f.Name)]
			return found, ok
		}
		found, ok := columns[spelling.Field(f.Table, f.Name)]
		return found, ok
	}
	for i, f := range q.Measures {
		if q.Measures[i], ok = find(f); !ok {
			return nil, false
		}
	}
	for i, f := range q.Groupings {
		if q.Groupings[i], ok = find(f); !ok {
			return nil, false
		}
	}
	for i, f := range q.Filters {
		if q.Filters[i].Field, ok = find(f.Field); !ok {
			return nil, false
		}
	}
	return q.Fields(), true
}
