package readiness

import "slices"

// PublishedRule is what a regime tells of one of its rules.
type PublishedRule struct {
	ID            string
	Dimension     string
	DimensionName string
	// Severity is that of a whole violation (regime C.9 (18)).
	Severity Severity
	// FixKinds are the optimization kinds that can clear what it finds.
	FixKinds []FixKind
}

// Rules are the rules of the regime by dimension and id, those about data agents
// last.
func (r *Regime) Rules() []PublishedRule {
	var all []PublishedRule
	add := func(d dimension, one *rule) {
		all = append(all, PublishedRule{one.id, d.id, d.name, one.severity, slices.Clone(one.fixes)})
	}
	for _, d := range r.dimensions {
		for i := range d.rules {
			add(d, &d.rules[i])
		}
		if len(d.rules) == 0 {
			for i := range r.agent {
				add(d, &r.agent[i].rule)
			}
		}
	}
	return all
}
