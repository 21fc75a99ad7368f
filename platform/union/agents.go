package union

import (
	"context"
	"time"

	"readiness/domain/item"
)

// CanAskAgents reports whether the agent can be asked: if it is Fabric's.
func (p *Platform) CanAskAgents(ctx context.Context, as item.Caller, agent item.Item) (bool, error) {
	here, err := p.InFolder(ctx, as, agent.WorkspaceID)
	return !here && err == nil, err
}

// AskAgent asks an agent of Fabric's.
func (p *Platform) AskAgent(ctx context.Context, as item.Caller, agent item.Item, question string) (string, time.Duration, error) {
	return p.Fabric.AskAgent(ctx, as, agent, question)
}

// SupportsGenerateQuery reports whether Generate Query may be asked about the model: if it is Fabric's.
func (p *Platform) SupportsGenerateQuery(ctx context.Context, as item.Caller, model item.Item) (bool, error) {
	here, err := p.InFolder(ctx, as, model.WorkspaceID)
	if here || err != nil {
		return false, err
	}
	return p.Fabric.SupportsGenerateQuery(ctx, as, model)
}

// GenerateQuery asks Generate Query about a model of Fabric's.
func (p *Platform) GenerateQuery(ctx context.Context, as item.Caller, model item.Item, question string, tables []item.SelectedTable) (string,
	time.Duration, error) {
	return p.Fabric.GenerateQuery(ctx, as, model, question, tables)
}
