package commands

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/internal/lists"
)

// List returns the workspaces that the caller can see on the platform, by
// name.
func (s *Workspaces) List(ctx context.Context, caller Caller) ([]item.Workspace, error) {
	all, err := s.Platform.Workspaces(ctx, caller.Caller)
	slices.SortFunc(all, func(a, b item.Workspace) int {
		return cmp.Or(cmp.Compare(a.DisplayName, b.DisplayName), slices.Compare(a.ID[:], b.ID[:]))
	})
	return all, err
}

// Items returns the items of a type in a workspace that the caller can see, by
// name. It also records what the listing reveals about tracked items there
// (decisions/8/8).
func (s *Workspaces) Items(ctx context.Context, caller Caller, workspaceID uuid.UUID, t item.Type) ([]item.Item, error) {
	all, err := s.Platform.Items(ctx, caller.Caller, workspaceID, t)
	if err != nil {
		return nil, err
	}
	seen, err := s.notice(ctx, caller, workspaceID, t, all)
	if err != nil {
		return nil, err
	}
	if err := s.recordNoticed(ctx, caller, seen); err != nil {
		return nil, err
	}
	slices.SortFunc(all, item.ByName)
	return all, nil
}

// Visible returns the items of a type in a workspace that the caller can see, in no
// particular order. Unlike Items it records nothing.
func (s *Workspaces) Visible(ctx context.Context, caller Caller, workspaceID uuid.UUID, t item.Type) ([]item.Item, error) {
	return s.Platform.Items(ctx, caller.Caller, workspaceID, t)
}

// idsOf returns the ids of the items, in their order.
func idsOf(items []item.Item) []uuid.UUID {
	return lists.Map(items, func(it item.Item) uuid.UUID { return it.ID })
}

// Item looks up one item as the caller.
func (s *Workspaces) Item(ctx context.Context, caller Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error) {
	return s.Platform.Item(ctx, caller.Caller, workspaceID, t, id)
}
