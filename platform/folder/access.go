package folder

import (
	"context"
	"maps"
	"time"

	"readiness/domain"
	"readiness/domain/item"
)

// everything is how everyone stands where nobody keeps permissions.
var everything = map[item.Permission]item.Access{
	item.PermissionPlatform: item.Granted, item.PermissionUsage: item.Granted,
	item.PermissionStorage: item.Granted, item.PermissionAgent: item.Granted,
}

// Access is how the caller stands to each permission now, as Options.Access
// says; without it everything is granted.
func (p *Platform) Access(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error) {
	if p.access == nil {
		return maps.Clone(everything), nil
	}
	return p.access(ctx, as)
}

// permitted refuses whom the platform may not be read for.
func (p *Platform) permitted(ctx context.Context, as item.Caller) error {
	access, err := p.Access(ctx, as)
	if err != nil {
		return err
	}
	switch access[item.PermissionPlatform] {
	case item.Granted:
		return nil
	case item.ConsentRequired:
		return domain.Refuse(domain.PlatformConsentRequired, "you have not granted the service the permission to act on the platform for you; grant it on the page of the parameter consentUrl, then call again")
	}
	return domain.Refuse(domain.PlatformUnavailable, "the platform could not be reached for you just now, or your organization's sign-in policy did not allow it; try again later").After(5 * time.Second)
}
