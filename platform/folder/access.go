package folder

import (
	"context"
	"maps"

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
	return item.Permitted(access)
}
