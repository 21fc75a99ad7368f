package http

import (
	"context"
	"encoding/hex"
	"net/url"
	"time"

	"readiness/http/api"
	"readiness/http/paging"
	"readiness/internal/optional"
	"readiness/projections"
)

// ListAuditEvents handles GET /v1/audit/events.
func (s *Server) ListAuditEvents(ctx context.Context, r api.ListAuditEventsRequestObject) (api.Response, error) {
	q := projections.AuditQuery{AccountID: callerOf(ctx).Account, OperationID: r.Params.OperationID, Item: r.Params.ItemID,
		Since: r.Params.Since, Until: r.Params.Until}
	filters := url.Values{}
	for name, given := range map[string]struct{ from, to *string }{
		"stream": {r.Params.Stream, &q.Stream}, "type": {r.Params.Type, &q.Type}, "person": {r.Params.Person, &q.Person},
	} {
		if given.from != nil {
			*given.to = *given.from
			filters.Set(name, *given.from)
		}
	}
	if q.OperationID != nil {
		filters.Set("operationId", q.OperationID.String())
	}
	if q.Item != nil {
		filters.Set("itemId", q.Item.String())
	}
	if s := r.Params.Sort; s != nil && *s == api.ListAuditEventsParamsSortLatest {
		q.Newest = true
		filters.Set("sort", string(*s))
	}
	for name, at := range map[string]*time.Time{"since": q.Since, "until": q.Until} {
		if at != nil {
			filters.Set(name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	p, err := paging.Open[projections.AuditCursor](s.lists, q.AccountID, "/v1/audit/events", filters, r.Params.MaxResults,
		r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	q.After, q.Limit = p.After, p.Limit+1
	found, err := s.views.AuditEvents(ctx, q)
	if err != nil {
		return nil, err
	}
	found, token, uri, err := paging.Of(p, found, func(e projections.AuditEvent) projections.AuditCursor {
		return projections.AuditCursor{Position: e.Position}
	})
	if err != nil {
		return nil, err
	}
	if callOf(ctx).lines {
		return auditLines{}.of(q.AccountID, found, uri)
	}
	list := api.AuditEventList{Value: make([]api.AuditEvent, len(found)), ContinuationToken: token, ContinuationURI: uri}
	for i, e := range found {
		data, err := withoutTexts(e.Type, e.Opened)
		if err != nil {
			return nil, err
		}
		list.Value[i] = api.AuditEvent{
			Position: e.Position, EventID: e.ID, Stream: e.Stream, Version: e.Version, Type: e.Type, SchemaVersion: e.SchemaVersion,
			RecordedAtUtc: e.RecordedAt,
			Person:        optional.Of(e.Person), PersonID: optional.Of(string(e.PersonID)), RequestID: optional.Of(e.RequestID),
			OperationID: optional.Of(e.OperationID), Data: data,
			Hash: hex.EncodeToString(e.Hash),
		}
	}
	return api.ListAuditEvents200JSONResponse{Body: list}, nil
}
