package readiness

import (
	"cmp"
	"slices"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/agents"
)

// Judged is the result of one rule for one object.
type Judged struct {
	finding.Key
	Violation         float64
	Severity          finding.Severity // "" if it passes
	Message, Evidence string
}

// Judge applies one rule to a model, or to what an agent that
// selected every exposed table sees of it. It returns nil for a rule that does not
// apply.
func Judge(m *semanticmodel.Model, o Options, asAgent bool, ruleID string) []Judged {
	return january2027.Judge(m, o, asAgent, ruleID)
}

// Judge applies one rule of the regime, as the function Judge.
func (r *Regime) Judge(m *semanticmodel.Model, o Options, asAgent bool, ruleID string) []Judged {
	v := r.modelView(m, o)
	if asAgent {
		v = r.exposedView(m, o)
	}
	for _, d := range r.dimensions {
		for _, r := range d.rules {
			if r.ID != ruleID {
				continue
			}
			var out []Judged
			if !d.judges(&r, v) {
				return nil
			}
			r.Check(v.Scope, func(o model.Judged, found rule.Verdict) {
				key := rule.ModelItself(ruleID).Key()
				if o != nil {
					key = o.Base().Key()
				}
				j := Judged{Key: key, Violation: found.Violation, Message: found.Message, Evidence: found.Evidence}
				if found.Violation > 0 {
					j.Severity = cmp.Or(found.Severity, r.SeverityOf(found.Violation))
				}
				out = append(out, j)
			})
			return out
		}
	}
	panic("no rule " + ruleID)
}

// Exact returns S before rounding and caps, or false when it is null.
func Exact(m *semanticmodel.Model, o Options) (float64, bool) { return january2027.Exact(m, o) }

// Exact returns S under the regime, as the function Exact.
func (r *Regime) Exact(m *semanticmodel.Model, o Options) (float64, bool) {
	score, _, ok := overall(r.judge(r.modelWeights(), []view{r.modelView(m, o)}, nil, o), byUsage)
	return score, ok
}

// ExactScores are scores without rounding; nil is null.
type ExactScores struct {
	Score, Capped, Unweighted *float64
	Dimensions                map[string]*float64
	Rules                     map[string]*float64
}

// ExactModel returns the scores of a model, or of what an agent that selected every
// exposed table sees of it.
func (r *Regime) ExactModel(m *semanticmodel.Model, o Options, asAgent bool) ExactScores {
	if asAgent {
		return r.exact(r.agentWeights(), []view{r.exposedView(m, o)}, nil, o)
	}
	return r.exact(r.modelWeights(), []view{r.modelView(m, o)}, nil, o)
}

// ExactAgent returns the scores of a data agent.
func (r *Regime) ExactAgent(a Agent, sources []Source, o Options) ExactScores {
	config, views := r.agentViews(a, sources)
	return r.exact(r.agentWeights(), views, config, o)
}

func (r *Regime) exact(dimensions []weighted, views []view, config *agents.Configuration, o Options) ExactScores {
	all := r.judge(dimensions, views, config, o)
	e := ExactScores{Dimensions: map[string]*float64{}, Rules: map[string]*float64{}}
	if s, _, ok := overall(all, byUsage); ok {
		e.Score, e.Capped = &s, new(s)
		for _, c := range r.limits(views, all) {
			*e.Capped = min(*e.Capped, c.most)
		}
	}
	if !slices.ContainsFunc(views, func(v view) bool { return len(v.T) > 0 }) {
		e.Capped = nil
	}
	if s, _, ok := overall(all, evenly); ok {
		e.Unweighted = &s
	}
	for _, d := range all {
		if s, ok := d.score(byUsage); ok {
			e.Dimensions[d.id] = &s
		}
		if len(d.parts) == 0 {
			continue
		}
		for i, first := range d.parts[0].judgements {
			n, sum := 0.0, 0.0
			for _, p := range d.parts {
				if j := &p.judgements[i]; j.weighted.weight > 0 {
					n, sum = n+p.n, sum+p.n*j.weighted.score()
				}
			}
			if n > 0 {
				e.Rules[first.Rule.ID] = new(sum / n)
			}
		}
	}
	return e
}

// RuleIDs returns the rules of 2026-11 about models.
func RuleIDs() []string { return january2027.RuleIDs() }

// RuleIDs returns the rules of the regime about models.
func (r *Regime) RuleIDs() []string {
	var ids []string
	for _, d := range r.dimensions {
		for _, r := range d.rules {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// Weights returns the weights w of the exposed objects.
func Weights(m *semanticmodel.Model, usage map[string]map[string]int64) map[finding.Key]float64 {
	s := model.NewSnapshot(m)
	x := model.NewScope(s, s.Exposed, usage)
	out := map[finding.Key]float64{}
	for _, o := range x.All {
		out[o.Key()] = x.Weight(o)
	}
	for _, r := range x.Relationships {
		out[r.Key()] = x.Weight(r)
	}
	return out
}

// Exposed returns the exposed set X and, by table name, the structure.
func Exposed(m *semanticmodel.Model) (x []finding.Key, structure map[string]string) {
	return january2027.Exposed(m)
}

// Exposed returns the exposed set X and the structure under the regime.
func (r *Regime) Exposed(m *semanticmodel.Model) (x []finding.Key, structure map[string]string) {
	s := model.NewSnapshot(m)
	for _, o := range s.Objects {
		if s.Exposed[o.Index] {
			x = append(x, o.Key())
		}
	}
	structure = map[string]string{}
	for _, t := range s.Tables {
		text := "utility"
		if t.Starred {
			text = ""
		}
		if t.Fact() {
			text += "fact"
		}
		if t.Dimension() {
			text += "dimension"
		}
		if t.Date {
			text += "+date"
		}
		structure[t.Src.Name] = text
	}
	return x, structure
}

var (
	Integer = integer
	Round4  = round4
)

func newTableNamed(name string) *model.Table {
	return model.NewTable(&semanticmodel.Table{Name: name})
}
