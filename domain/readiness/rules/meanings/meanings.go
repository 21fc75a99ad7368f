// Package meanings reads which terms AI instructions map to measures, and has the rule about
// terms that they map to two.
package meanings

import (
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/wording"
)

// Named returns the measures and columns that the AI instructions and verified answers of
// a model name, each once.
func Named(m *semanticmodel.Model) []finding.Subject {
	s := model.NewSnapshot(m)
	var all []finding.Subject
	seen := make([]bool, len(s.Objects))
	for _, objects := range s.NamedObjects() {
		for _, o := range objects {
			if !seen[o.Index] {
				seen[o.Index] = true
				all = append(all, model.SubjectOf(o))
			}
		}
	}
	return all
}

// Meaning is a term that a line of AI instructions maps to a measure (rule INS-11).
type Meaning struct {
	// Term is as written, Words are its words under norm, joined by blanks.
	Term, Words string
	Measure     finding.Subject
}

// Meanings reads the terms of AI instructions of a model.
type Meanings struct{ s *model.Snapshot }

// Of returns the reader of instructions for a model. It does not read those that
// the model has.
func Of(m *semanticmodel.Model) Meanings { return Meanings{model.NewSnapshot(m)} }

// In returns the terms that a text maps to measures of the model, in its order.
func (r Meanings) In(text string) []Meaning {
	var all []Meaning
	for line := range strings.SplitSeq(model.Recommended(text), "\n") {
		for _, one := range meanings(r.s, line) {
			all = append(all, Meaning{one.term, strings.TrimSpace(strings.ReplaceAll(one.words, wording.WordBreak, " ")),
				model.SubjectOf(one.measure)})
		}
	}
	return all
}
