package http

import (
	"context"
	"net/url"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/trackeditem"
	"readiness/http/api"
	"readiness/http/paging"
	"readiness/http/validate"
	"readiness/internal/optional"
	"readiness/projections"
)

// ListTrackedItems handles GET /v1/trackedItems.
func (s *Server) ListTrackedItems(ctx context.Context, r api.ListTrackedItemsRequestObject) (*api.TrackedItemList, error) {
	who := callerOf(ctx)
	filters, license := url.Values{}, ""
	if r.Params.LicenseID != nil {
		license = *r.Params.LicenseID
		filters.Set("licenseId", license)
	}
	p, err := paging.Open[projections.TrackedItemCursor](s.lists, who.Account, "/v1/trackedItems", filters, r.Params.MaxResults,
		r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	limits, err := s.limits(ctx)
	if err != nil {
		return nil, err
	}
	q := projections.TrackedItemsQuery{AccountID: who.Account, LicenseID: license, ActiveOnly: limits.TrackedItems.Limit == nil,
		After: p.After, Limit: p.Limit + 1}
	if who.Role != account.Admin {
		licensing, err := s.views.Licensing(ctx, who.Account)
		if err != nil {
			return nil, err
		}
		own, ok := licensing.Of(who.License)
		if license != "" && license != own {
			return nil, domain.Refuse(domain.LicenseNotYours,
				"license %s is not yours; leave licenseId out to list what is tracked under your own",
				validate.Truncated(license)).About("licenseId", validate.Truncated(license))
		}
		if !ok && len(licensing.Licenses) > 0 { // all items belong to licenses that the caller does not have
			return &api.TrackedItemList{Value: []api.TrackedItem{}}, nil
		}
		q.LicenseID = own
	}
	found, err := s.views.TrackedItems(ctx, q)
	if err != nil {
		return nil, err
	}
	found, token, uri, err := paging.Of(p, found, func(i trackeditem.Item) projections.TrackedItemCursor {
		return projections.TrackedItemCursor{TrackedSince: i.TrackedSince, ItemID: i.ItemID}
	})
	if err != nil {
		return nil, err
	}
	list := api.TrackedItemList{Value: make([]api.TrackedItem, len(found)), ContinuationToken: token, ContinuationURI: uri}
	for i, it := range found {
		list.Value[i] = tracked(it)
	}
	return &list, nil
}

// tracked converts a tracked item to its API form.
func tracked(i trackeditem.Item) api.TrackedItem {
	out := api.TrackedItem{
		ID: new(i.ItemID.String()), ItemType: new(api.TrackedItemItemType(i.ItemType)), Status: api.TrackedItemStatus(i.Status),
		DisplayName: optional.Of(i.DisplayName), WorkspaceName: optional.Of(i.WorkspaceName), TrackedSinceUtc: new(i.TrackedSince.UTC()),
		LicenseID: optional.Of(i.LicenseID),
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
