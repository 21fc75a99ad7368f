package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/domain/readiness"
)

// View reads a semantic model as the caller and returns what an AI sees of it. Nothing of it is stored.
func (s *Assessments) View(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID) (item.Item, readiness.Exposure, error) {
	it, err := s.Platform.Item(ctx, caller.Caller, workspaceID, item.SemanticModel, modelID)
	if err != nil {
		return it, readiness.Exposure{}, err
	}
	if err := s.Platform.Usable(ctx, caller.Caller, false, it); err != nil {
		return it, readiness.Exposure{}, err
	}
	m, unreadable, err := s.readDefinition(ctx, caller, it)
	if err != nil {
		return it, readiness.Exposure{}, err
	}
	if unreadable != nil {
		return it, readiness.Exposure{}, item.RefuseUnreadable(it, unreadable)
	}
	var seen readiness.Exposure
	err = s.processors.Compute(func() error { seen = readiness.Expose(m); return nil })
	return it, seen, err
}
