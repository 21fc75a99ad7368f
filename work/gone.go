package work

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"readiness/domain/item"
)

// lacks reports whether the workspace, complete, lacks the item: only then was it
// deleted (decisions 8.8). Where the workspace cannot be listed nothing is known.
func lacks(ctx context.Context, p Platform, as item.Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) bool {
	listed, err := p.Items(ctx, as, workspaceID, t)
	return err == nil && !slices.ContainsFunc(listed, func(it item.Item) bool { return it.ID == id })
}
