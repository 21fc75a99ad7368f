package readiness

import (
	"slices"

	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/agents"
)

// RegimeID is the id of the current regime.
const RegimeID = "2026-12"

// Regime is a set of scoring rules under an id.
type Regime struct {
	ID         string
	reading    model.Reading
	dimensions []dimension
	agent      []agents.Rule // rules of the dimension without rules about a model
	caps       []limit
}

// dimension is a group of rules with the weights of docs/regime.md C.3. A dimension without a
// model weight applies to data agents only.
type dimension struct {
	id, name                 string
	modelWeight, agentWeight float64
	applies                  func(*model.Scope) bool // nil: always
	rules                    []rule.Rule             // by id
}

// regimes are all published regimes, oldest first.
var regimes = []*Regime{&november2026, &december2026}

// Regimes returns all regimes, oldest first.
func Regimes() []*Regime { return slices.Clone(regimes) }

// Current returns the regime of new assessments.
func Current() *Regime { return &december2026 }

// Find returns the regime with the id, or false when there is none. It serves to read
// or repeat old assessments, and to try a regime that is not the current one.
func Find(id string) (*Regime, bool) {
	i := slices.IndexFunc(regimes, func(r *Regime) bool { return r.ID == id })
	if i < 0 {
		return nil, false
	}
	return regimes[i], true
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
