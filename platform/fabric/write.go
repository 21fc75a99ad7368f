package fabric

import (
	"context"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
)

// WriteDefinition refuses: this package only reads.
func (p *Platform) WriteDefinition(_ context.Context, _ item.Caller, it item.Item, _ definition.Definition, _ string) error {
	return domain.Refuse(domain.OperationNotSupportedForItem, "the service only reads from Fabric; download the changed files and publish "+
		"them, or apply to a folder of the workspace's Git repository").About(it.Type.IDName(), it.ID)
}
