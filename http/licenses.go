package http

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"readiness/domain/account"
	"readiness/http/api"
	"readiness/internal/optional"
	"readiness/projections"
)

// ListLicenses handles GET /v1/licenses.
func (s *Server) ListLicenses(ctx context.Context, _ api.ListLicensesRequestObject) (*api.LicenseList, error) {
	c := callOf(ctx)
	licensing, err := s.views.Licensing(ctx, c.caller.Account)
	if err != nil {
		return nil, err
	}
	if c.caller.Role != account.Admin {
		own, _ := licensing.Of(c.caller.License)
		maps.DeleteFunc(licensing.Licenses, func(id string, _ projections.License) bool { return id != own })
	}
	trackedTotal, unread := s.views.TrackedTotal(ctx, c.caller.Account)
	if unread != nil {
		s.log.ErrorContext(ctx, "the tracked items of the licenses cannot be counted", "requestId", c.id, "err", unread)
	}
	list := api.LicenseList{Value: make([]api.License, 0, len(licensing.Licenses))}
	for _, l := range licensing.Licenses {
		list.Value = append(list.Value, api.License{
			LicenseID: l.ID, Label: optional.Of(l.Label), IsDefault: l.Default,
			Status: optional.Of(l.Status), Region: optional.Of(l.Region),
			ProvisioningStatus: new(l.Provisioning()), Members: new(l.Members), CreatedAtUtc: new(l.CreatedAt),
			TrackedItems:  api.LicenseTrackedItems{Used: read(trackedTotal.ByLicense[l.ID], unread), Allocated: l.Allocated},
			DataResidency: api.DataResidency{Location: api.DataResidencyLocation(l.Location())},
		})
	}
	slices.SortFunc(list.Value, func(a, b api.License) int {
		switch {
		case a.IsDefault:
			return -1
		case b.IsDefault:
			return 1
		}
		return cmp.Compare(a.LicenseID, b.LicenseID)
	})
	return &list, nil
}
