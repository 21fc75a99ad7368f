package commands

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"readiness/domain/item"
)

// Reports returns the Power BI reports of a workspace that the caller can see, by
// name, each with its model. Paginated reports are left out. It also records what
// the listing reveals about tracked reports there (decisions/8/8).
func (s *Workspaces) Reports(ctx context.Context, caller Caller, workspaceID uuid.UUID) ([]item.WorkspaceReport, error) {
	listed, err := s.Platform.Reports(ctx, caller.Caller, workspaceID)
	if err != nil {
		return nil, err
	}
	all := make([]item.Item, len(listed))
	reports := make([]item.WorkspaceReport, 0, len(listed))
	for i, r := range listed {
		all[i] = r.Item
		if !r.Paginated {
			reports = append(reports, r)
		}
	}
	seen, err := s.notice(ctx, caller, workspaceID, item.Report, all)
	if err != nil {
		return nil, err
	}
	if err := s.recordNoticed(ctx, caller, seen); err != nil {
		return nil, err
	}
	slices.SortFunc(reports, func(a, b item.WorkspaceReport) int { return item.ByName(a.Item, b.Item) })
	return reports, nil
}
