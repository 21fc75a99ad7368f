package readiness

import (
	"slices"

	"readiness/definition/semanticmodel"
)

// Exposure is the part of a semantic model that an AI is given, sorted by name, so that
// it does not depend on the order of the definition. It refers to the model and copies
// nothing.
type Exposure struct {
	Tables []ExposedTable
	// Relationships connect two tables of Tables. Their columns need not be exposed,
	// because an AI also joins by columns that it must not show.
	Relationships []*semanticmodel.Relationship
	// Instructions are the AI instructions in use; "" when there are none.
	Instructions string
	// Answers are the verified answers whose fields are all exposed.
	Answers []ExposedAnswer
}

// ExposedTable is an exposed table with its exposed columns and measures.
type ExposedTable struct {
	*semanticmodel.Table
	// Terms are its authored synonyms under norm, without its name.
	Terms []string
	// IsDate is true for a date table (docs/regime.md C.9 (8)).
	IsDate   bool
	Columns  []ExposedColumn
	Measures []ExposedMeasure
}

// ExposedColumn is an exposed column.
type ExposedColumn struct {
	*semanticmodel.Column
	Terms []string
	// IsEnd is true for the table's key and for an end of a relationship.
	IsEnd bool
}

// ExposedMeasure is an exposed measure.
type ExposedMeasure struct {
	*semanticmodel.Measure
	Terms []string
}

// ExposedAnswer is a verified answer. Fields have the model's spelling.
type ExposedAnswer struct {
	Phrases []string
	Fields  []semanticmodel.FieldRef
}

// Expose returns the exposed set X of a model with its preparation for AI: what the AI
// data schema shows or, without a schema, what is not hidden (docs/regime.md C.1).
func Expose(m *semanticmodel.Model) Exposure {
	s := newSnapshot(m, Current().reading)
	return s.show(s.exposed)
}

// ExposeToAgent returns what a data agent that selected the tables sees of a model
// (docs/regime.md C.6 (2)), with the model's preparation for AI.
func ExposeToAgent(m *semanticmodel.Model, tables []string) Exposure {
	s := newSnapshot(m, Current().reading)
	exposed, _ := s.selection(selectedBy(tables))
	return s.show(exposed)
}

// ExposeUnprepared returns what is not hidden, for an AI that does not know the
// preparation for AI: neither the AI data schema, nor instructions, verified answers or
// synonyms.
func ExposeUnprepared(m *semanticmodel.Model) Exposure {
	s := newSnapshot(m, Current().reading)
	s.instructions, s.answers = "", nil
	exposed := make([]bool, len(s.objects))
	for _, o := range s.objects {
		exposed[o.index], o.terms = !o.hidden, nil
	}
	return s.show(exposed)
}

// show returns the exposed objects.
func (s *snapshot) show(exposed []bool) Exposure {
	e := Exposure{Instructions: s.instructions}
	for _, t := range s.tables {
		if !exposed[t.index] {
			continue
		}
		shown := ExposedTable{Table: t.src, Terms: t.terms, IsDate: t.date}
		for _, c := range t.columns {
			if exposed[c.index] {
				shown.Columns = append(shown.Columns, ExposedColumn{c.src, c.terms, c.key})
			}
		}
		for _, m := range t.measures {
			if exposed[m.index] {
				shown.Measures = append(shown.Measures, ExposedMeasure{m.src, m.terms})
			}
		}
		e.Tables = append(e.Tables, shown)
	}
	for _, r := range s.relationships {
		if exposed[r.from.table.index] && exposed[r.to.table.index] {
			e.Relationships = append(e.Relationships, r.src)
		}
	}
	for _, a := range s.answers {
		var fields []semanticmodel.FieldRef
		for _, f := range a.src.Fields {
			if o := s.lookUp(f.Table, f.Name); o != nil && exposed[o.index] {
				fields = append(fields, semanticmodel.FieldRef{Table: o.table.src.Name, Name: o.name})
			}
		}
		if len(fields) == len(a.src.Fields) && len(fields) > 0 {
			e.Answers = append(e.Answers, ExposedAnswer{slices.Clone(a.src.TriggerPhrases), fields})
		}
	}
	return e
}
