package http

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/account"
	"readiness/domain/trackeditem"
	"readiness/http/api"
	"readiness/projections"
)

// ListTrackedItems answers GET /v1/trackedItems (spec 2.6).
func (s *Server) ListTrackedItems(ctx context.Context, r api.ListTrackedItemsRequestObject) (api.ListTrackedItemsResponseObject, error) {
	who := of(ctx).who
	p, err := openPage[projections.TrackedItemCursor](s, who.Account, "/v1/trackedItems", nil, r.Params.MaxResults, r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	limits, err := s.limits(ctx)
	if err != nil {
		return nil, err
	}
	q := projections.TrackedItemsQuery{AccountID: who.Account, ActiveOnly: limits.TrackedItems.Limit == nil, After: p.After, Limit: p.Limit + 1}
	if who.Role != account.Admin {
		licensing, err := s.views.Licensing(ctx, who.Account)
		if err != nil {
			return nil, err
		}
		own, ok := licensing.Of(who.License)
		if !ok && len(licensing.Licenses) > 0 { // the items are others', whose licenses the caller has no part in
			return api.ListTrackedItems200JSONResponse{Value: []api.TrackedItem{}}, nil
		}
		q.LicenseID = own
	}
	found, err := s.views.TrackedItems(ctx, q)
	if err != nil {
		return nil, err
	}
	found, token, uri, err := cut(p, found, func(i trackeditem.Item) projections.TrackedItemCursor {
		return projections.TrackedItemCursor{TrackedSince: i.TrackedSince, ItemID: i.ItemID}
	})
	if err != nil {
		return nil, err
	}
	list := api.TrackedItemList{Value: make([]api.TrackedItem, len(found)), ContinuationToken: token, ContinuationURI: uri}
	for i, it := range found {
		list.Value[i] = tracked(it)
	}
	return api.ListTrackedItems200JSONResponse(list), nil
}

// tracked is a tracked item as callers see it.
func tracked(i trackeditem.Item) api.TrackedItem {
	out := api.TrackedItem{
		ID: new(i.ItemID.String()), ItemType: new(api.TrackedItemItemType(i.ItemType)), Status: api.TrackedItemStatus(i.Status),
		DisplayName: text(i.DisplayName), WorkspaceName: text(i.WorkspaceName), TrackedSinceUtc: new(i.TrackedSince.UTC()), LicenseID: text(i.LicenseID),
	}
	if i.WorkspaceID != uuid.Nil {
		out.WorkspaceID = new(i.WorkspaceID.String())
	}
	if i.DeletedAt != nil {
		out.DeletedAtUtc = new(i.DeletedAt.UTC())
	}
	if i.ClaimedVia != "" {
		out.ClaimedVia = new(api.TrackedItemClaimedVia(i.ClaimedVia))
	}
	return out
}
