package answerer

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"readiness/definition/dataagent"
	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/readiness"
)

// stage is a state of a data agent's configuration.
type stage string

// The stages, with their names in a target.
const (
	publishedStage stage = "published"
	draftStage     stage = "draft"
)

// testAgent returns the view of a data agent's draft that the service runs: with the account's
// language model for agents, or with the embedded engine if there is none.
func (a *Asker) testAgent(ctx context.Context, as item.Caller, side benchmark.Side) (view, error) {
	v, err := a.agent(ctx, as, side, agentOf(side), draftStage)
	if err != nil {
		return v, err
	}
	settings, found, err := a.Providers.ForPurpose(ctx, as.Account, aiprovider.Agent)
	if err != nil {
		return v, err
	}
	if !found {
		settings = aiprovider.Embedded()
	}
	v.by, v.about.ProviderID = settings, settings.ProviderID
	return v, nil
}

// agent returns the view of a stage of a data agent. It sees the tables that the stage selected from
// the side's semantic model and the parts that prepare them for AI. The agent's own instructions are
// not passed on.
func (a *Asker) agent(ctx context.Context, as item.Caller, side benchmark.Side, agent item.Item, of stage) (v view, err error) {
	d, err := a.Definitions(ctx, as, agent)
	if err != nil {
		return v, err
	}
	read, err := dataagent.Read(d)
	if err != nil {
		return v, notAnswering(agent, "its definition cannot be read: %s", err)
	}
	configured := read.Published
	if of == draftStage {
		configured = read.Draft
	}
	switch {
	case configured == nil && of == publishedStage:
		return v, notAnswering(agent, "it is not published; publish it, or ask its draft as a ServiceTestAgent")
	case configured == nil:
		return v, notAnswering(agent, "it has no draft; configure it first")
	}
	at := slices.IndexFunc(configured.Sources, func(s dataagent.Source) bool {
		home := s.WorkspaceID
		if home == uuid.Nil {
			home = agent.WorkspaceID
		}
		return s.Type == dataagent.SemanticModel && s.ItemID == side.SemanticModelID && home == side.WorkspaceID
	})
	if at < 0 {
		return v, notAnswering(agent, "the semantic model %s is none of the sources of its %s stage; add it there, or ask about "+
			"another one", side.SemanticModelID, of).
			About("semanticModelId", side.SemanticModelID)
	}
	m, about, err := a.model(ctx, as, side)
	if err != nil {
		return view{about: about}, err
	}
	about.ItemID, about.Stage = new(agent.ID), string(of)
	v = view{sight: sight{readiness.ExposeToAgent(m, configured.Sources[at].SelectedTables()), seenOfDescriptions}, about: about, model: m}
	if of == publishedStage {
		v.agent, v.configured, v.runtime = &agent, d.Hash(), configured.Runtime
	}
	return v, nil
}

func notAnswering(agent item.Item, format string, args ...any) *domain.Refusal {
	return domain.Refuse(domain.ItemNotReadable, "the data agent cannot answer: "+format, args...).About("dataAgentId", agent.ID)
}
