package readiness

import (
	"strings"

	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/agents"
)

// RegimeID is the id of the published regime.
const RegimeID = "2027-01"

// Regime is a set of scoring rules under an id.
type Regime struct {
	ID         string
	dimensions []dimension
	agent      []agents.Rule // rules of the dimension without rules about a model
	caps       []limit
	own        ownRules
}

// dimension is a group of rules with the weights of docs/regime.md. A dimension without a
// model weight applies to data agents only.
type dimension struct {
	id, name                 string
	modelWeight, agentWeight float64
	applies                  func(*model.Scope) bool // nil: always
	rules                    []rule.Rule             // by id
}

// Current returns the published regime, the one whose rules are code. Results of earlier regimes are documents: they are
// shown as stored, and compared among themselves.
func Current() *Regime { return &january2027 }

// IsEarlier reports whether the id is that of a regime, or of a changed one, whose rules are no longer code.
func IsEarlier(id string) bool {
	published, _, _ := strings.Cut(id, "+")
	return published == "2026-11" || published == "2026-12"
}

// modelWeights returns the dimensions of a semantic model's score with their weights.
func (r *Regime) modelWeights() []weighted {
	var out []weighted
	for _, d := range r.dimensions {
		if d.modelWeight > 0 {
			out = append(out, weighted{d, d.modelWeight})
		}
	}
	return out
}

// agentWeights returns the dimensions of a data agent's score with their weights.
func (r *Regime) agentWeights() []weighted {
	var out []weighted
	for _, d := range r.dimensions {
		out = append(out, weighted{d, d.agentWeight})
	}
	return out
}

type weighted struct {
	dimension
	weight float64
}
