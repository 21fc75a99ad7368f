package http

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"readiness/domain/item"
	"readiness/domain/pixies"
	"readiness/domain/usage"
	"readiness/http/api"
	"readiness/internal/lists"
	"readiness/internal/optional"
	"readiness/projections"
)

// AddPixies handles POST …/reports/{reportId}/addPixies.
func (s *Server) AddPixies(ctx context.Context, r api.AddPixiesRequestObject) (*api.AcceptedJSONResponse, error) {
	return s.accepted(s.commands.Pixies.Start(ctx, callerOf(ctx), pixies.Adds, r.WorkspaceID, r.ReportID))
}

// RemovePixies handles POST …/reports/{reportId}/removePixies.
func (s *Server) RemovePixies(ctx context.Context, r api.RemovePixiesRequestObject) (*api.AcceptedJSONResponse, error) {
	return s.accepted(s.commands.Pixies.Start(ctx, callerOf(ctx), pixies.Removes, r.WorkspaceID, r.ReportID))
}

// AddPixiesToReports handles POST …/reports/addPixies.
func (s *Server) AddPixiesToReports(ctx context.Context, r api.AddPixiesToReportsRequestObject) (*api.AcceptedJSONResponse, error) {
	return s.accepted(s.commands.Pixies.StartBulk(ctx, callerOf(ctx), pixies.Adds, r.WorkspaceID, r.Body.ReportIds))
}

// RemovePixiesFromReports handles POST …/reports/removePixies.
func (s *Server) RemovePixiesFromReports(ctx context.Context,
	r api.RemovePixiesFromReportsRequestObject) (*api.AcceptedJSONResponse, error) {
	return s.accepted(s.commands.Pixies.StartBulk(ctx, callerOf(ctx), pixies.Removes, r.WorkspaceID, r.Body.ReportIds))
}

// pixies returns the result of a run that added or removed Pixies: of its one report, or of each report in the order
// of the request.
func (s *Server) pixies(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	if err := s.checkExpiry(o, o.UpdatedAt.Add(retention)); err != nil {
		return nil, err
	}
	run, err := s.views.PixiesRun(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	ids := lists.Map(run.Reports, func(r pixies.Named) uuid.UUID { return r.ReportID })
	tracked, err := s.views.Tracked(ctx, o.AccountID, ids)
	if err != nil {
		return nil, err
	}
	out := api.BulkPixiesResult{WorkspaceID: run.WorkspaceID.String(), Value: make([]api.PixiesResultRow, len(run.Reports))}
	for i, r := range run.Reports {
		ended, ok := run.Result(r.ReportID)
		if !ok {
			return nil, fmt.Errorf("http: operation %s succeeded and report %s has no outcome", o.ID, r.ReportID)
		}
		row := api.PixiesResultRow{
			ReportID: r.ReportID.String(), WorkspaceID: out.WorkspaceID, ReportName: optional.Of(r.ReportName), Outcome: ended.Outcome,
			PagesTracked: ended.Pages, VisualsTracked: ended.Visuals, TrackedItem: tracked[r.ReportID], Error: ended.Error,
		}
		if run.Verb == pixies.Removes {
			row.TrackedItemReleased = new(bool)
		}
		if ended.Error == nil {
			out.Succeeded++
		} else {
			out.Failed++
		}
		out.Value[i] = row
	}
	if !run.Single {
		return out, nil
	}
	r := out.Value[0]
	return api.PixiesResult{
		ReportID: r.ReportID, WorkspaceID: r.WorkspaceID, ReportName: r.ReportName, Outcome: r.Outcome, PagesTracked: r.PagesTracked,
		VisualsTracked: r.VisualsTracked, TrackedItem: r.TrackedItem, TrackedItemReleased: r.TrackedItemReleased,
	}, nil
}

// maxPages is how many pages of a report are listed with their views.
const maxPages = 100

// GetPageViews handles GET …/reports/{reportId}/pixies/views.
func (s *Server) GetPageViews(ctx context.Context, r api.GetPageViewsRequestObject) (*api.PageViews, error) {
	who := callerOf(ctx)
	if _, err := s.commands.Workspaces.Item(ctx, who, r.WorkspaceID, item.Report, r.ReportID); err != nil {
		return nil, err
	}
	from, to := usage.Window(s.now())
	pages, err := s.views.PageDays(ctx, who.Account, r.ReportID, from, to)
	if err != nil {
		return nil, err
	}
	out := api.PageViews{ReportID: r.ReportID, WorkspaceID: r.WorkspaceID, FromUtc: openapi_types.Date{Time: from},
		ToUtc: openapi_types.Date{Time: to}, Value: []api.ViewedPage{}}
	for i, p := range pages {
		out.Views += p.Total()
		if i < maxPages {
			out.Value = append(out.Value, api.ViewedPage{Page: p.Page, Views: p.Total(), Days: p.Views})
		}
	}
	return &out, nil
}
