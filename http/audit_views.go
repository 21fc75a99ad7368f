package http

import (
	"context"
	"fmt"

	"readiness/domain/auditview"
	"readiness/http/api"
	"readiness/projections"
)

// ListViewAsOf handles POST /v1/audit/views/{view}.
func (s *Server) ListViewAsOf(ctx context.Context, r api.ListViewAsOfRequestObject) (*api.AcceptedJSONResponse, error) {
	at := auditview.Moment{Position: r.Body.AsOf.Position, Time: r.Body.AsOf.TimeUtc}
	return s.accepted(s.commands.Accounts.ListView(ctx, callerOf(ctx), r.View, at))
}

// listedView returns the result of ListViewAsOf.
func (s *Server) listedView(ctx context.Context, o projections.Operation) (api.OperationResult, error) {
	if err := s.checkExpiry(o, o.UpdatedAt.Add(auditview.ResultLife)); err != nil {
		return nil, err
	}
	listing, err := s.views.Listing(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	if listing.Listed == nil {
		return nil, fmt.Errorf("http: operation %s succeeded without rows", o.ID)
	}
	return s.views.Document(ctx, listing.Listed.DocumentHash)
}
