package readiness

import (
	"slices"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/agents"
)

// maxRefused bounds the places of one model that a result lists.
const maxRefused = 20

// report scores the views and, if there is one, the agent's configuration.
func (r *Regime) report(dimensions []weighted, views []view, config *agents.Configuration, o Options) Result {
	result := Result{Regime: r.ID, Weighting: Unweighted, Caps: []string{}, Dimensions: []Dimension{}}
	all := r.judge(dimensions, views, config, o)
	result.NotAssessable, result.ScoreComplete = r.notAssessable(views, config != nil)
	if left := r.own.leftOut(views); left != nil {
		result.NotAssessable, result.ScoreComplete = append(result.NotAssessable, left...), new(false)
	}
	holding := r.limits(views, all)
	for _, v := range views {
		if v.Views != nil {
			result.Weighting = WeightedByUsage
		}
		result.Model.add(v)
		result.Refused = append(result.Refused, v.Src.RefusedPlaces(maxRefused)...)
	}
	exposed := result.Model.ExposedTables > 0
	for _, c := range holding {
		result.Caps = append(result.Caps, c.id)
	}
	if s, _, ok := overall(all, byUsage); ok {
		result.Scores = scores(s, holding)
	}
	if s, _, ok := overall(all, evenly); ok {
		result.Unweighted = scores(s, holding)
	}
	if !exposed { // only these two are null then
		for _, s := range []*Scores{&result.Scores, &result.Unweighted} {
			s.Score, s.Raw = nil, nil
		}
	}
	for _, d := range all {
		out := Dimension{ID: d.id, Name: d.name, Weight: d.weight, Rules: d.results()}
		if score, ok := d.score(byUsage); ok {
			out.Score, out.Raw = new(integer(score)), new(round4(score))
		}
		result.Dimensions = append(result.Dimensions, out)
	}
	if !o.WithoutFindings {
		result.Findings = findings(all)
	}
	return result
}

func (c *Counts) add(x view) {
	c.Tables += len(x.Tables)
	c.Columns += len(x.Columns)
	c.Measures += len(x.Measures)
	c.Relationships += len(x.Relationships)
	c.ExposedTables += len(slices.DeleteFunc(slices.Clone(x.T), func(t *model.Table) bool { return x.withholds(&t.Object) }))
	c.ExposedColumns += len(slices.DeleteFunc(slices.Clone(x.C), func(c *model.Column) bool { return x.withholds(&c.Object) }))
	c.ExposedMeasures += len(slices.DeleteFunc(slices.Clone(x.M), func(m *model.Measure) bool { return x.withholds(&m.Object) }))
	c.VerifiedAnswers += len(x.Answers)
}

// judge applies the rules to the views and, if there is one, to the agent's
// configuration.
func (r *Regime) judge(dimensions []weighted, views []view, config *agents.Configuration, o Options) []scored {
	var all []scored
	for _, d := range dimensions {
		s := scored{weighted: d}
		switch {
		case len(d.rules) > 0:
			for _, v := range views {
				s.parts = append(s.parts, v.judge(d.dimension, o))
			}
		case config != nil:
			s.parts = []part{judgeAgent(config, r.agent, o)}
		default: // without an agent's configuration
			continue
		}
		all = append(all, s)
	}
	return all
}

const notShown = "the platform does not show the parts that prepare the model for AI, so it is unknown whether there are any"

// notAssessable returns the rules about what is unknown of the views, each with the first reason, and whether there are
// none. Both are nil for a regime without such rules.
func (r *Regime) notAssessable(views []view, configured bool) ([]NotAssessable, *bool) {
	reading := r.readers(configured)
	if reading == nil {
		return nil, nil
	}
	var all []NotAssessable
	for _, v := range views {
		named := map[string]bool{}
		add := func(hidden semanticmodel.Aspect, why string) {
			var ids []string
			for _, one := range reading {
				if one.Reads&hidden != 0 && !named[one.ID] {
					named[one.ID] = true
					ids = append(ids, one.ID)
				}
			}
			if ids != nil {
				all = append(all, NotAssessable{v.id, ids, why})
			}
		}
		if v.Src.Copilot.NotVisible {
			add(semanticmodel.NotShown, notShown)
		}
		for _, u := range v.Src.Unread {
			add(u.Hides, u.String())
		}
	}
	return all, new(all == nil)
}

// readers returns the rules that read more than the model's objects; configured includes those about data agents.
func (r *Regime) readers(configured bool) []*rule.Rule {
	var all []*rule.Rule
	for _, d := range r.dimensions {
		for i := range d.rules {
			if d.rules[i].Reads != 0 {
				all = append(all, &d.rules[i])
			}
		}
	}
	for i := range r.agent {
		if configured && r.agent[i].Reads != 0 {
			all = append(all, &r.agent[i].Rule)
		}
	}
	return all
}
