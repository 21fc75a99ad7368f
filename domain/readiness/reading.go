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

// Reading is a model that was read once, to apply some rules of a regime. That costs less than an assessment.
type Reading struct {
	regime *Regime
	view   view
	o      Options
}

// Read reads a model for some rules.
func (r *Regime) Read(m *semanticmodel.Model, o Options) Reading {
	return Reading{r, r.modelView(m, o), o}
}

// Violations returns by how much the objects of a model violate some rules of the regime,
// above 0 and at most 1. A rule that does not apply has no violations.
func (m Reading) Violations(ids ...string) map[Violation]float64 {
	all := map[Violation]float64{}
	v, o := m.view, m.o
	for _, d := range m.regime.modelWeights() {
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

// DimensionScore returns the exact score of one of the dimensions of Assess, nil if none of its rules applies.
func (m Reading) DimensionScore(id string) *float64 {
	only := slices.DeleteFunc(m.regime.modelWeights(), func(d weighted) bool { return d.id != id })
	for _, d := range m.regime.judge(only, []view{m.view}, nil, m.o) {
		if score, ok := d.score(byUsage); ok {
			return new(round4(score))
		}
	}
	return nil
}
