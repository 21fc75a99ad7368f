package folder

import (
	"context"
	"maps"

	"readiness/domain/item"
)

// fullAccess grants every permission; it applies when Options.Access is nil.
var fullAccess = map[item.Permission]item.Access{
	item.PermissionPlatform: item.Granted, item.PermissionUsage: item.Granted,
	item.PermissionStorage: item.Granted, item.PermissionAgent: item.Granted,
}

// Access returns the caller's current state for each permission, as Options.Access reports it. Without Options.Access,
// fullAccess is granted.
func (p *Platform) Access(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error) {
	if p.access == nil {
		return maps.Clone(fullAccess), nil
	}
	return p.access(ctx, as)
}

// permitted refuses a caller for whom the platform may not be read.
func (p *Platform) permitted(ctx context.Context, as item.Caller) error {
	access, err := p.Access(ctx, as)
	if err != nil {
		return err
	}
	return item.Permitted(access)
}
