// Package readiness scores how ready a semantic model is for AI. It applies a scoring
// regime to a definition and, if available, its usage, and returns a score, the score
// of each dimension and findings. The same input gives the same Result, whatever the
// order of tables, columns and measures in it. The definition is only read, as data.
//
// A regime is a set of rules under an id (docs/regime.md). A published regime never
// changes: new rules are a new Regime in addition to the old ones. Scores are compared
// only between assessments with the same regime and weighting.
package readiness

import (
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rules/agents"
)

// Options are the inputs of an assessment other than the definition.
type Options struct {
	// Usage is the number of views in reports by table and field. Nil means no usage
	// data; an empty map means that nothing was viewed. It applies to
	// the one model assessed; each source of a data agent has separate usage.
	Usage map[string]map[string]int64
	// Ignore reports whether a rule must not judge an object; nil ignores none.
	Ignore func(ruleID string, key finding.Key) bool
	// Done ends own rules early when it is closed; nil never does.
	Done <-chan struct{}
	// Memory makes further assessments of a semantic model that is being edited faster; nil keeps nothing.
	Memory *model.Memory
	// WithoutFindings leaves the findings nil, which saves much of the work. Everything
	// else is the same.
	WithoutFindings bool
}

// Agent is a data agent's own configuration, of the assessed stage.
type Agent struct {
	Instructions string
	// Description is the published description.
	Description string
}

// Source is a data source of a data agent.
type Source struct {
	ID   string
	Name string
	// Tables are the names of the selected tables.
	Tables []string
	// Model is nil for a source that is not a semantic model; it is not scored.
	Model *semanticmodel.Model
	// Usage is the usage of the model, as in Options.
	Usage map[string]map[string]int64
}

// Assess scores a semantic model by the current regime.
func Assess(m *semanticmodel.Model, o Options) Result { return Current().Assess(m, o) }

// AssessAsAgent scores a semantic model for a data agent that selected every exposed
// table, by the current regime.
func AssessAsAgent(m *semanticmodel.Model, o Options) Result { return Current().AssessAsAgent(m, o) }

// AssessAgent scores a data agent with its sources by the current regime.
func AssessAgent(a Agent, sources []Source, o Options) Result {
	return Current().AssessAgent(a, sources, o)
}

// Assess scores a semantic model.
func (r *Regime) Assess(m *semanticmodel.Model, o Options) Result {
	v := r.modelView(m, o)
	result := r.report(r.modelWeights(), []view{v}, nil, o)
	result.AIFormat = m.AIFormat()
	r.own.judge(v, o, &result)
	return result
}

// AssessAsAgent scores a semantic model as Regime.AssessAgent does for an agent that
// selected every exposed table and has no configuration.
func (r *Regime) AssessAsAgent(m *semanticmodel.Model, o Options) Result {
	return r.report(r.agentWeights(), []view{r.exposedView(m, o)}, nil, o)
}

// AssessAgent scores what a data agent sees of its semantic models, and its own
// configuration.
func (r *Regime) AssessAgent(a Agent, sources []Source, o Options) Result {
	config, views := r.agentViews(a, sources)
	result := r.report(r.agentWeights(), views, config, o)
	for _, source := range sources {
		if source.Model == nil {
			result.UnscoredSources = append(result.UnscoredSources, source.ID)
		}
	}
	for _, v := range views {
		result.Sources = append(result.Sources, ScoredSource{
			SourceModelID: v.id, Name: sources[v.source].Name,
			Tables: len(v.T), Columns: len(v.C), Measures: len(v.M), HiddenExposed: v.hidden,
		})
	}
	return result
}

// modelView is a model on its own.
func (r *Regime) modelView(m *semanticmodel.Model, o Options) view {
	s := model.NewSnapshot(m)
	judged, offer := s.Judged(s.Exposed)
	x := model.NewScope(s, judged, o.Usage)
	x.Offer, x.Done, x.Memory = offer, o.Done, o.Memory
	return view{Scope: x, n: 1}
}

// exposedView is a model as the source of an agent that selected every exposed table.
func (r *Regime) exposedView(m *semanticmodel.Model, o Options) view {
	s := model.NewSnapshot(m)
	exposed, _ := s.Selection(func(t *model.Table) bool { return s.Exposed[t.Index] })
	x := model.NewScope(s, exposed, o.Usage)
	x.Memory = o.Memory
	return view{Scope: x, n: float64(len(x.F)), agent: true}
}

// agentViews are the semantic models among an agent's sources.
func (r *Regime) agentViews(a Agent, sources []Source) (*agents.Configuration, []view) {
	config := &agents.Configuration{Instructions: a.Instructions, Description: a.Description}
	var views []view
	for i, source := range sources {
		config.Sources = append(config.Sources, agents.Source{ID: source.ID, Name: source.Name, Tables: source.Tables})
		if source.Model == nil {
			continue
		}
		s := model.NewSnapshot(source.Model)
		config.Sources[i].Snapshot = s
		exposed, hidden := s.Selection(model.SelectedBy(source.Tables))
		x := model.NewScope(s, exposed, source.Usage)
		views = append(views, view{Scope: x, n: float64(len(x.F)), agent: true, source: i, id: source.ID, hidden: hidden})
	}
	return config, views
}
