package benchmark

import (
	"slices"

	"readiness/definition/semanticmodel"
)

// Recomputed returns the set with correct answers recomputed from its queries on the
// model as it is now. A question whose query is missing or cannot be parsed keeps its
// answer.
func (s Set) Recomputed(m *semanticmodel.Model) Set {
	s.Questions = slices.Clone(s.Questions)
	for i, q := range s.Questions {
		if fields, ok := FieldsOf(q.Expected.DAX, m); ok {
			s.Questions[i].Expected.Fields = fields
		}
	}
	return s
}
