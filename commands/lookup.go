package commands

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// Workspaces lists what the caller can see on the platform, by name.
func (s *Service) Workspaces(ctx context.Context, who Caller) ([]item.Workspace, error) {
	all, err := s.Platform.Workspaces(ctx, who.Caller)
	slices.SortFunc(all, func(a, b item.Workspace) int {
		return cmp.Or(cmp.Compare(a.DisplayName, b.DisplayName), slices.Compare(a.ID[:], b.ID[:]))
	})
	return all, err
}

// Items lists the items of a type in a workspace the caller can see, by name. It
// notices what became of tracked items there (decisions 8.8).
func (s *Service) Items(ctx context.Context, who Caller, workspaceID uuid.UUID, t item.Type) ([]item.Item, error) {
	all, err := s.Platform.Items(ctx, who.Caller, workspaceID, t)
	if err != nil {
		return nil, err
	}
	seen, err := s.notice(ctx, who, workspaceID, t, all)
	if err != nil {
		return nil, err
	}
	if err := s.recordNoticed(ctx, who, seen); err != nil {
		return nil, err
	}
	slices.SortFunc(all, byName)
	return all, nil
}

// byName is the order in which items are listed.
func byName(a, b item.Item) int {
	return cmp.Or(cmp.Compare(a.DisplayName, b.DisplayName), slices.Compare(a.ID[:], b.ID[:]))
}

// Item looks one item up as the caller.
func (s *Service) Item(ctx context.Context, who Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error) {
	return s.Platform.Item(ctx, who.Caller, workspaceID, t, id)
}

// named picks the named items out of a complete listing of the workspace. Ids
// that are not in it are all named in the refusal.
func named(listed []item.Item, workspaceID uuid.UUID, t item.Type, ids []uuid.UUID) ([]item.Item, error) {
	byID := make(map[uuid.UUID]item.Item, len(listed))
	for _, it := range listed {
		byID[it.ID] = it
	}
	found := make([]item.Item, 0, len(ids))
	missing := domain.Refuse(domain.ItemNotFound, "not every id names a %s of workspace %s that you can see; parameters lists those that do not", t, workspaceID)
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

// idName is what the interface calls the id of an item of type t.
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
