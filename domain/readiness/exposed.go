package readiness

import (
	"slices"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/model"
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
	// IsDate is true for a date table.
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
// data schema shows or, without a schema, what is not hidden.
func Expose(m *semanticmodel.Model) Exposure {
	s := model.NewSnapshot(m)
	return show(s, s.Exposed)
}

// ExposeToAgent returns what a data agent that selected the tables sees of a model, with the model's preparation for AI.
func ExposeToAgent(m *semanticmodel.Model, tables []string) Exposure {
	s := model.NewSnapshot(m)
	exposed, _ := s.Selection(model.SelectedBy(tables))
	return show(s, exposed)
}

// VisibleFields returns what is not hidden, for an AI that does not know the
// preparation for AI: neither the AI data schema, nor instructions, verified answers or
// synonyms.
func VisibleFields(m *semanticmodel.Model) Exposure {
	s := model.NewSnapshot(m)
	s.Instructions, s.Answers = "", nil
	exposed := make([]bool, len(s.Objects))
	for _, o := range s.Objects {
		exposed[o.Index], o.Terms = !o.Hidden, nil
	}
	return show(s, exposed)
}

// show returns the exposed objects.
func show(s *model.Snapshot, exposed []bool) Exposure {
	e := Exposure{Instructions: s.Instructions}
	for _, t := range s.Tables {
		if !exposed[t.Index] {
			continue
		}
		shown := ExposedTable{Table: t.Src, Terms: t.Terms, IsDate: t.Date}
		for _, c := range t.Columns {
			if exposed[c.Index] {
				shown.Columns = append(shown.Columns, ExposedColumn{c.Src, c.Terms, c.Key})
			}
		}
		for _, m := range t.Measures {
			if exposed[m.Index] {
				shown.Measures = append(shown.Measures, ExposedMeasure{m.Src, m.Terms})
			}
		}
		e.Tables = append(e.Tables, shown)
	}
	for _, r := range s.Relationships {
		if exposed[r.From.Table.Index] && exposed[r.To.Table.Index] {
			e.Relationships = append(e.Relationships, r.Src)
		}
	}
	for _, a := range s.Answers {
		var fields []semanticmodel.FieldRef
		for _, f := range a.Src.Fields {
			if o := s.LookUp(f.Table, f.Name); o != nil && exposed[o.Index] {
				fields = append(fields, semanticmodel.FieldRef{Table: o.Table.Src.Name, Name: o.Name})
			}
		}
		if len(fields) == len(a.Src.Fields) && len(fields) > 0 {
			e.Answers = append(e.Answers, ExposedAnswer{slices.Clone(a.Src.TriggerPhrases), fields})
		}
	}
	return e
}
