package readiness

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
)

// Violation identifies a rule that faults an object.
type Violation struct {
	Rule string
	Type ObjectType
	Key
}

// Violations returns by how much the objects of a model violate some rules of the regime,
// above 0 and at most 1. A rule that does not apply is violated by nothing. It costs less
// than an assessment, as it judges by these rules only.
func (r *Regime) Violations(m *semanticmodel.Model, o Options, ids ...string) map[Violation]float64 {
	all := map[Violation]float64{}
	v := r.modelView(m, o)
	for _, d := range r.modelWeights() {
		for i := range d.rules {
			rule := &d.rules[i]
			if !slices.Contains(ids, rule.id) || !d.judges(rule, v) {
				continue
			}
			rule.check(v.scope, func(j judged, found verdict) {
				if found.violation == 0 {
					return
				}
				f := v.judged(j, found)
				if f.object == nil {
					f.object = modelItself(rule.id)
				}
				if (&judgement{rule: rule}).ignores(&f, o) {
					return
				}
				k := Violation{rule.id, f.objectType, f.key()}
				all[k] = max(all[k], found.violation)
			})
		}
	}
	return all
}

// Named returns the measures and columns that the AI instructions and verified answers of
// a model name, each once (docs/regime.md H.2 (2)).
func Named(m *semanticmodel.Model) []Subject {
	s := newSnapshot(m, inferredReading)
	var all []Subject
	seen := make([]bool, len(s.objects))
	for _, objects := range s.namedObjects() {
		for _, o := range objects {
			if !seen[o.index] {
				seen[o.index] = true
				all = append(all, subjectOf(o))
			}
		}
	}
	return all
}

// Meaning is a term that a line of AI instructions maps to a measure (rule INS-11).
type Meaning struct {
	// Term is as written, Words are its words under norm, joined by blanks.
	Term, Words string
	Measure     Subject
}

// Meanings reads the terms of AI instructions of a model.
type Meanings struct{ s *snapshot }

// MeaningsOf returns the reader of instructions for a model. It does not read those that
// the model has.
func MeaningsOf(m *semanticmodel.Model) Meanings { return Meanings{newSnapshot(m, inferredReading)} }

// In returns the terms that a text maps to measures of the model, in its order.
func (r Meanings) In(text string) []Meaning {
	var all []Meaning
	for line := range strings.SplitSeq(recommended(text), "\n") {
		for _, one := range r.s.meanings(line) {
			all = append(all, Meaning{one.term, strings.TrimSpace(strings.ReplaceAll(one.words, wordBreak, " ")), subjectOf(one.measure)})
		}
	}
	return all
}
