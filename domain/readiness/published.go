package readiness

import (
	"slices"

	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/rule"
)

// CapLimit returns the highest score that a cap permits, or false when there is no such cap. Caps were the same in earlier
// regimes.
func CapLimit(id string) (most float64, ok bool) {
	for _, c := range january2027.caps {
		if c.id == id {
			return c.most, true
		}
	}
	return 0, false
}

// CapRules returns the rules whose findings cause a cap.
func CapRules(id string) []string {
	for _, c := range january2027.caps {
		if c.id == id {
			return c.rules
		}
	}
	return nil
}

// PublishedRule is the public description of a rule of a regime.
type PublishedRule struct {
	ID            string
	Dimension     string
	DimensionName string
	// Severity is the severity of a violation of 1.
	Severity finding.Severity
	// Weight is the weight inside the dimension. ModelWeight and AgentWeight are the
	// weights of the dimension in the score of a semantic model, 0 if it has none there,
	// and of a data agent.
	Weight, ModelWeight, AgentWeight float64
	// FixKinds are the optimization kinds that can resolve the rule's findings.
	FixKinds []finding.FixKind
	// Own is the rule of a team; nil for one of ours.
	Own *OwnRule
}

// Rules returns the rules of the regime by dimension and id, with the rules about data
// agents after them and a team's own outside of the score last.
func (r *Regime) Rules() []PublishedRule {
	var all []PublishedRule
	add := func(d dimension, one *rule.Rule) {
		all = append(all, PublishedRule{
			ID: one.ID, Dimension: d.id, DimensionName: d.name, Severity: one.Severity,
			Weight: one.Weight, ModelWeight: d.modelWeight, AgentWeight: d.agentWeight, FixKinds: slices.Clone(one.Fixes),
			Own: r.own.rule(one.ID),
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
	for i := range r.own.all {
		if one := &r.own.all[i]; one.Dimension == "" {
			all = append(all, PublishedRule{ID: one.ID, Dimension: one.outside(), DimensionName: "Own rules", Severity: one.Severity, Own: one})
		}
	}
	return all
}

// Rule returns a rule of the regime, or false when it has none with the id.
func (r *Regime) Rule(id string) (PublishedRule, bool) {
	rules := r.Rules()
	i := slices.IndexFunc(rules, func(one PublishedRule) bool { return one.ID == id })
	if i < 0 {
		return PublishedRule{}, false
	}
	return rules[i], true
}
