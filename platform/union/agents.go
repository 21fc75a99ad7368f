package union

import (
	"context"
	"time"

	"readiness/domain/item"
)

// AsksAgents reports whether the agent can be asked: if it is Fabric's.
func (p *Platform) AsksAgents(ctx context.Context, as item.Caller, agent item.Item) (bool, error) {
	here, err := p.InFolder(ctx, as, agent.WorkspaceID)
	return !here && err == nil, err
}

// AskAgent asks an agent of Fabric's.
func (p *Platform) AskAgent(ctx context.Context, as item.Caller, agent item.Item, question string) (string, time.Duration, error) {
	return p.Fabric.AskAgent(ctx, as, agent, question)
}
