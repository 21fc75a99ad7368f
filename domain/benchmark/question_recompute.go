package benchmark

import (
	"slices"

	"readiness/definition/semanticmodel"
)

// Recomputed returns the set with the correct answers that its queries have in
// the model as it is now (spec 4.6, correctAnswers Update). A question without a
// query that can be read keeps its answer.
func (s Set) Recomputed(m *semanticmodel.Model) Set {
	s.Questions = slices.Clone(s.Questions)
	for i, q := range s.Questions {
		if fields, ok := FieldsOf(q.Expected.DAX, m); ok {
			s.Questions[i].Expected.Fields = fields
		}
	}
	return s
}
