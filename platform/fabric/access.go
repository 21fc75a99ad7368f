package fabric

import (
	"context"
	"sync"
	"time"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric/iq"
)

// host is what the delegated permissions of both interfaces begin with: they belong to one application of the platform.
const host = DefaultURL + "/"

// Scopes are the delegated permissions at the platform that each of the service's permissions stands for. One token is
// requested for each key, because one scope without consent would fail the entire request.
var Scopes = map[item.Permission][]string{
	item.PermissionPlatform: {host + "Workspace.Read.All", host + "Item.ReadWrite.All", host + "Report.Read.All"},
	item.PermissionUsage:    {host + "Dataset.Read.All"},
	item.PermissionAgent:    {host + "DataAgent.Execute.All", host + "Item.Read.All"},
	item.PermissionStorage:  {"https://storage.azure.com/user_impersonation"},
	PermissionCapacity:      {host + "Capacity.Read.All"},
	PermissionGenerateQuery: {host + "Dataset.Read.All", host + "MLModel.Execute.All", host + "Workspace.Read.All"},
	iq.Permission:           {host + "Item.Read.All", host + "Item.Execute.All", host + "Dataset.Read.All"},
}

// Access asks for a token for each permission: Granted if there is one, ConsentRequired if the person has not agreed,
// else Unavailable.
func (p *Platform) Access(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error) {
	permissions := []item.Permission{item.PermissionPlatform, item.PermissionUsage, item.PermissionStorage, item.PermissionAgent}
	states := make([]item.Access, len(permissions))
	var wg sync.WaitGroup
	for i, permission := range permissions {
		wg.Go(func() {
			_, err := p.tokens(ctx, as, permission)
			switch {
			case err == nil:
				states[i] = item.Granted
			case domain.IsRefused(err, domain.PlatformConsentRequired):
				states[i] = item.ConsentRequired
			default:
				states[i] = item.Unavailable
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	all := make(map[item.Permission]item.Access, len(permissions))
	for i, permission := range permissions {
		all[permission] = states[i]
	}
	return all, nil
}

// Lasting returns a token that acts as the caller after theirs has ended, for life; "" when there is none.
func (p *Platform) Lasting(ctx context.Context, as item.Caller, life time.Duration) (string, time.Time, error) {
	if p.lasting == nil {
		return "", time.Time{}, nil
	}
	return p.lasting(ctx, as, life)
}
