package work

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain/item"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
)

// lacks reports whether a complete listing of the workspace lacks the item: only
// then was it deleted (decisions/8/8). If the workspace cannot be listed,
// lacks returns false.
func lacks(ctx context.Context, p Platform, as item.Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) bool {
	listed, err := p.Items(ctx, as, workspaceID, t)
	return err == nil && !slices.ContainsFunc(listed, func(it item.Item) bool { return it.ID == id })
}

// noticeGone records that a tracked model was deleted, if a complete listing of its
// workspace lacks it (decisions/8/8).
func (o Options) noticeGone(ctx context.Context, meta eventstore.Metadata, as item.Caller, workspaceID, modelID uuid.UUID) error {
	if !lacks(ctx, o.Platform, as, workspaceID, item.SemanticModel, modelID) {
		return nil
	}
	tracked := commands.TrackedItem(as.Account, modelID)
	return o.Store.Change(ctx, meta, []eventstore.Loadable{tracked}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, tracked, trackeditem.MarkDeleted{WorkspaceID: workspaceID, At: o.Now()})
	})
}
