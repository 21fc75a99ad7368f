package readiness

import "slices"

// RegimeID is the id of the current regime.
const RegimeID = "2026-11"

// Regime is a set of scoring rules under an id.
type Regime struct {
	ID         string
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

// limit caps the score while it holds (docs/regime.md C.2).
type limit struct {
	id    string
	most  float64
	holds func(*scope) bool
}

// regimes are all published regimes, oldest first.
var regimes = []*Regime{&november2026}

// Regimes returns all regimes, oldest first.
func Regimes() []*Regime { return slices.Clone(regimes) }

// Current returns the newest regime.
func Current() *Regime { return regimes[len(regimes)-1] }

// Find returns the regime with the id, or false when there is none. It serves to read
// or repeat old assessments.
func Find(id string) (*Regime, bool) {
	i := slices.IndexFunc(regimes, func(r *Regime) bool { return r.ID == id })
	if i < 0 {
		return nil, false
	}
	return regimes[i], true
}

var november2026 = Regime{
	ID: RegimeID,
	dimensions: []dimension{
		{id: "descriptions", name: "Descriptions", modelWeight: 20, agentWeight: 20, rules: descriptionRules},
		{id: "naming", name: "Naming", modelWeight: 14, agentWeight: 12, rules: namingRules},
		{id: "measures", name: "Measures", modelWeight: 14, agentWeight: 13, rules: measureRules},
		{id: "types", name: "Types & summarization", modelWeight: 8, agentWeight: 6, rules: typeRules},
		{id: "relationships", name: "Relationships / star schema", modelWeight: 14, agentWeight: 12, rules: relationshipRules},
		{id: "visibility", name: "Visibility (AI data schema)", modelWeight: 10, agentWeight: 13, rules: visibilityRules},
		{id: "instructions", name: "AI instructions & verified answers", modelWeight: 10, agentWeight: 12, rules: instructionRules},
		{id: "synonyms", name: "Synonyms", modelWeight: 4, agentWeight: 2, rules: synonymRules},
		{id: "time", name: "Time / date table", modelWeight: 6, agentWeight: 4, rules: timeRules, applies: hasTime},
		{id: "agent", name: "Agent configuration", agentWeight: 6},
	},
	agent: agentRules,
	caps: []limit{
		{"CAP-NOMEASURE", 60, func(x *scope) bool { return len(x.m) == 0 }},
		{"CAP-NOREL", 60, func(x *scope) bool { return x.disconnected() }},
	},
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
