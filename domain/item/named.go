package item

import (
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/internal/lists"
)

// FindNamed returns the named items from a complete listing of the workspace, in the
// order of the ids. It refuses with ItemNotFound, listing all ids that are not in it.
func FindNamed(listed []Item, workspaceID uuid.UUID, t Type, ids []uuid.UUID) ([]Item, error) {
	byID := lists.Index(listed, func(it Item) uuid.UUID { return it.ID })
	found := make([]Item, 0, len(ids))
	missing := domain.Refuse(domain.ItemNotFound, "not every id names a %s of workspace %s that you can see; parameters lists those "+
		"that do not", t, workspaceID)
	for _, id := range ids {
		if it, ok := byID[id]; ok {
			found = append(found, it)
		} else {
			missing.About(t.IDName(), id)
		}
	}
	if len(missing.Params) > 0 {
		return nil, missing
	}
	return found, nil
}

// IDName returns the interface's name for the id of an item of the type.
func (t Type) IDName() string {
	switch t {
	case Report:
		return "reportId"
	case DataAgent:
		return "dataAgentId"
	case SemanticModel:
	}
	return "semanticModelId"
}

// CheckStart refuses to start work in the workspace while its capacity is paused
// (docs/decisions.md 8.6).
func (c CapacityState) CheckStart(workspaceID uuid.UUID) error {
	if c != CapacityPaused {
		return nil
	}
	return domain.Refuse(domain.CapacityPaused, "the capacity of workspace %s is paused; resume it and call again",
		workspaceID).About("workspaceId", workspaceID)
}
