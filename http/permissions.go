package http

import (
	"context"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/http/api"
	"readiness/internal/optional"
)

// ListPermissions handles GET /v1/account/permissions. While the platform does not respond, no permission is
// available.
func (s *Server) ListPermissions(ctx context.Context, _ api.ListPermissionsRequestObject) (*api.PermissionList, error) {
	access, err := s.commands.Accounts.Permissions.Access(ctx, callerOf(ctx).Caller)
	if err != nil && !domain.IsRefused(err, domain.PlatformUnavailable) {
		return nil, err
	}
	all := account.Permissions(access, *s.portal)
	list := api.PermissionList{Value: make([]api.Permission, len(all))}
	for i, p := range all {
		list.Value[i] = api.Permission{
			Name: api.PermissionName(p.Name), Permission: p.Permission, Access: api.PermissionAccess(p.Access), Required: p.Required,
			NeededFor: p.NeededFor, Message: optional.Of(p.Message), ConsentURL: optional.Of(p.ConsentURL),
		}
	}
	return &list, nil
}
