package commands

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
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
	slices.SortFunc(all, byName)
	return all, nil
}

// byName orders items by name, then by id.
func byName(a, b item.Item) int {
	return cmp.Or(cmp.Compare(a.DisplayName, b.DisplayName), slices.Compare(a.ID[:], b.ID[:]))
}

// Item looks up one item as the caller.
func (s *Workspaces) Item(ctx context.Context, caller Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error) {
	return s.Platform.Item(ctx, caller.Caller, workspaceID, t, id)
}

// findNamed returns the named items from a complete listing of the workspace. The
// refusal lists all ids that are not in it.
func findNamed(listed []item.Item, workspaceID uuid.UUID, t item.Type, ids []uuid.UUID) ([]item.Item, error) {
	byID := make(map[uuid.UUID]item.Item, len(listed))
	for _, it := range listed {
		byID[it.ID] = it
	}
	found := make([]item.Item, 0, len(ids))
	missing := domain.Refuse(domain.ItemNotFound, "not every id names a %s of workspace %s that you can see; parameters lists those "+
		"that do not", t, workspaceID)
	for _, id := range ids {
		if it, ok := byID[id]; ok {
			found = append(found, it)
		} else {
			missing.About(idName(t), id)
		}
	}
	if len(missing.Params) > 0 {
		return nil, missing
	}
	return found, nil
}

// idName returns the interface's name for the id of an item of type t.
func idName(t item.Type) string {
	switch t {
	case item.Report:
		return "reportId"
	case item.DataAgent:
		return "dataAgentId"
	default:
		return "semanticModelId"
	}
}
