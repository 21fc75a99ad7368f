package readiness

import (
	"slices"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
)

// Violation identifies a rule and the object that violates it.
type Violation struct {
	Rule string
	Type finding.ObjectType
	finding.Key
}

// Violations returns by how much the objects of a model violate some rules of the regime,
// above 0 and at most 1. A rule that does not apply has no violations. The call costs less
// than an assessment, because it applies only these rules.
func (r *Regime) Violations(m *semanticmodel.Model, o Options, ids ...string) map[Violation]float64 {
	all := map[Violation]float64{}
	v := r.modelView(m, o)
	for _, d := range r.modelWeights() {
		for i := range d.rules {
			one := &d.rules[i]
			if !slices.Contains(ids, one.ID) || !d.judges(one, v) {
				continue
			}
			one.Check(v.Scope, func(j model.Judged, found rule.Verdict) {
				if found.Violation == 0 {
					return
				}
				f := v.judged(j, found)
				if f.Object == nil {
					f.Object = rule.ModelItself(one.ID)
				}
				if (&judgement{Rule: one}).ignores(&f, o) {
					return
				}
				k := Violation{one.ID, f.ObjectType, f.key()}
				all[k] = max(all[k], found.Violation)
			})
		}
	}
	return all
}
