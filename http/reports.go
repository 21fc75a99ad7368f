package http

import (
	"context"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/pixies"
	"readiness/http/api"
	"readiness/http/paging"
	"readiness/internal/lists"
	"readiness/internal/optional"
)

// ListReports handles GET …/reports.
func (s *Server) ListReports(ctx context.Context, r api.ListReportsRequestObject) (*api.WorkspaceReportList, error) {
	who := callerOf(ctx)
	filters := url.Values{}
	if r.Params.SemanticModelID != nil {
		filters.Set("semanticModelId", r.Params.SemanticModelID.String())
	}
	p, err := paging.Open[byName](s.lists, who.Account, "/v1/workspaces/"+r.WorkspaceID.String()+"/reports", filters, r.Params.MaxResults,
		r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	all, err := s.commands.Workspaces.Reports(ctx, who, r.WorkspaceID)
	if err != nil {
		return nil, err
	}
	if on := r.Params.SemanticModelID; on != nil {
		all = slices.DeleteFunc(all, func(r item.WorkspaceReport) bool { return r.Model == nil || r.Model.ID != *on })
	}
	found, token, uri, err := named(p, all, func(r item.WorkspaceReport) byName { return byName{r.DisplayName, r.ID} })
	if err != nil {
		return nil, err
	}
	ids := lists.Map(found, func(r item.WorkspaceReport) uuid.UUID { return r.ID })
	known, tracked, err := s.records(ctx, ids)
	if err != nil {
		return nil, err
	}
	list := api.WorkspaceReportList{Value: make([]api.WorkspaceReport, len(found)), ContinuationToken: token, ContinuationURI: uri}
	for i, r := range found {
		record := known[r.ID]
		out := api.WorkspaceReport{
			ReportID: r.ID, ReportName: optional.Of(r.DisplayName),
			HasPixies: record.Status == pixies.StatusHasPixies, PixiesStatus: record.Status,
			LastChangedUtc: record.ChangedAt, TrackedItem: tracked[r.ID],
		}
		if r.Unseen != "" {
			out.UnavailableReasons = map[string]string{"semanticModelId": r.Unseen}
		}
		if r.Model != nil {
			out.SemanticModelID = &r.Model.ID
			if r.Model.WorkspaceID != uuid.Nil {
				out.SemanticModelWorkspaceID = &r.Model.WorkspaceID
			}
		}
		list.Value[i] = out
	}
	return &list, nil
}

// records returns what the caller's account knows about reports, and which of them are tracked items. A report
// without a record has the status NeverAdded.
func (s *Server) records(ctx context.Context, ids []uuid.UUID) (known map[uuid.UUID]pixies.Report, tracked map[uuid.UUID]bool, err error) {
	account := callerOf(ctx).Account
	if known, err = s.views.Pixies(ctx, account, ids); err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		if _, recorded := known[id]; !recorded {
			known[id] = pixies.Report{Status: pixies.StatusNeverAdded}
		}
	}
	tracked, err = s.views.Tracked(ctx, account, ids)
	return known, tracked, err
}

// GetReportPixies handles GET …/reports/{reportId}/pixies.
func (s *Server) GetReportPixies(ctx context.Context, r api.GetReportPixiesRequestObject) (*api.ReportPixies, error) {
	known, tracked, err := s.records(ctx, []uuid.UUID{r.ReportID})
	if err != nil {
		return nil, err
	}
	record, reasons := known[r.ReportID], map[string]string{}
	if record.WorkspaceID != r.WorkspaceID { // no record, or one from another workspace
		name, found, err := s.reportName(ctx, r.WorkspaceID, r.ReportID, reasons)
		if err != nil {
			return nil, err
		}
		if !found {
			record, tracked = pixies.Report{Status: pixies.StatusNeverAdded}, nil
		}
		record.ReportName = name
	}
	if record.Status == pixies.StatusHasPixies {
		reasons["pixieVersion"] = "The version of Pixies is not recorded."
	}
	out := api.ReportPixies{
		ReportID: r.ReportID, WorkspaceID: r.WorkspaceID, ReportName: optional.Of(record.ReportName),
		HasPixies:    record.Status == pixies.StatusHasPixies,
		Status:       record.Status,
		PagesTracked: record.Pages, VisualsTracked: record.Visuals, LastChangedUtc: record.ChangedAt, TrackedItem: tracked[r.ReportID],
		UnavailableReasons: reasons,
	}
	if record.LastOperation != nil {
		if out.LastOperation, err = s.pixiesOperation(ctx, *record.LastOperation); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// reportName looks up a report's name on the platform as the caller. A report that the caller cannot see is refused
// as not found. When the look-up fails for another reason, found is false and reasons explains why.
func (s *Server) reportName(ctx context.Context, workspaceID, reportID uuid.UUID, reasons map[string]string) (name string, found bool,
	err error) {
	report, err := s.commands.Workspaces.Item(ctx, callerOf(ctx), workspaceID, item.Report, reportID)
	if err == nil {
		return report.DisplayName, true, nil
	}
	refusal, refused := domain.Refused(err)
	switch {
	case !refused:
		return "", false, err
	case refusal.Code == domain.WorkspaceNotFound || refusal.Code == domain.ItemNotFound:
		return "", false, domain.Refuse(domain.ItemNotFound, "there is no report %s in workspace %s that you can see", reportID,
			workspaceID).About("reportId", reportID)
	}
	why := refusal.Message
	if refusal.Code == domain.PlatformConsentRequired {
		why = "you have not granted the service the permission to act on the platform for you; grant it on " +
			s.consentURL(account.VendorName(item.PermissionPlatform))
	}
	reasons["reportName"] = "The account has no record of the report in this workspace, and the platform did not return its name: " + why +
		"."
	return "", false, nil
}

// pixiesOperation returns an operation that worked on a report, in the form that a report shows.
func (s *Server) pixiesOperation(ctx context.Context, id uuid.UUID) (*api.PixiesOperation, error) {
	o, found, err := s.views.Operation(ctx, callerOf(ctx).Account, id)
	if err != nil || !found {
		return nil, err
	}
	shown := state(o)
	return &api.PixiesOperation{
		ID: o.ID, OperationType: api.PixiesOperationOperationType(o.Type), Status: shown.Status,
		CreatedTimeUtc: shown.CreatedTimeUtc, LastUpdatedTimeUtc: shown.LastUpdatedTimeUtc, Error: shown.Error,
	}, nil
}
