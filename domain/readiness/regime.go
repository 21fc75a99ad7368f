package readiness

import (
	"slices"
	"strings"
)

// RegimeID is the id of the current regime.
const RegimeID = "2026-12"

// Regime is a set of scoring rules under an id.
type Regime struct {
	ID         string
	reading    reading
	dimensions []dimension
	agent      []agentRule // rules of the dimension without rules about a model
	caps       []limit
}

// dimension is a group of rules with the weights of docs/regime.md C.3. A dimension without a
// model weight applies to data agents only.
type dimension struct {
	id, name                 string
	modelWeight, agentWeight float64
	applies                  func(*scope) bool // nil: always
	rules                    []rule            // by id
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

// amended returns the rules of an older regime with some of them changed, and new ones
// added, by id.
func amended[R interface{ of() *rule }](rules []R, changed ...R) []R {
	out := slices.Clone(rules)
	for _, r := range changed {
		i, known := slices.BinarySearchFunc(out, r.of().id, func(r R, id string) int { return strings.Compare(r.of().id, id) })
		if known {
			out[i] = r
		} else {
			out = slices.Insert(out, i, r)
		}
	}
	return out
}

func (r rule) of() *rule { return &r }
