package readiness

import (
	"slices"

	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/rule"
)

// CapLimit returns the highest score that a cap permits, or false when no regime has the cap.
func CapLimit(id string) (most float64, ok bool) {
	for _, r := range regimes {
		for _, c := range r.caps {
			if c.id == id {
				return c.most, true
			}
		}
	}
	return 0, false
}

// PublishedRule is the public description of a rule of a regime.
type PublishedRule struct {
	ID            string
	Dimension     string
	DimensionName string
	// Severity is the severity of a violation of 1 (docs/regime.md C.9 (18)).
	Severity finding.Severity
	// Weight is the weight inside the dimension. ModelWeight and AgentWeight are the
	// weights of the dimension in the score of a semantic model, 0 if it has none there,
	// and of a data agent.
	Weight, ModelWeight, AgentWeight float64
	// FixKinds are the optimization kinds that can resolve the rule's findings.
	FixKinds []finding.FixKind
}

// Rules returns the rules of the regime by dimension and id, with the rules about data
// agents last.
func (r *Regime) Rules() []PublishedRule {
	var all []PublishedRule
	add := func(d dimension, one *rule.Rule) {
		all = append(all, PublishedRule{
			ID: one.ID, Dimension: d.id, DimensionName: d.name, Severity: one.Severity,
			Weight: one.Weight, ModelWeight: d.modelWeight, AgentWeight: d.agentWeight, FixKinds: slices.Clone(one.Fixes),
		})
	}
	for _, d := range r.dimensions {
		for i := range d.rules {
			add(d, &d.rules[i])
		}
		if len(d.rules) == 0 {
			for i := range r.agent {
				add(d, &r.agent[i].Rule)
			}
		}
	}
	return all
}
