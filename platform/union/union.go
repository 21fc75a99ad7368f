// Package union is a folder of workspaces and Microsoft Fabric as one platform. A workspace that the folder holds is the
// folder's, any other is Fabric's. Only people of Fabric's tenants see Fabric; everyone else sees only the folder.
package union

import (
	"context"
	"time"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric"
	"readiness/platform/folder"
)

// Platform is both. It is safe for concurrent use.
type Platform struct {
	Folder *folder.Platform
	Fabric *fabric.Platform
	// Serves reports whether Fabric may be asked on behalf of the person.
	Serves func(item.Person) bool
}

// Access returns what the person granted: at Fabric, for a person of one of its tenants, else as the accounts declare.
func (p *Platform) Access(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error) {
	if p.Serves(as.Person) {
		return p.Fabric.Access(ctx, as)
	}
	return p.Folder.Access(ctx, as)
}

// Lasting returns a token that acts as the caller at Fabric after theirs has ended; "" for a person whom Fabric does not serve.
func (p *Platform) Lasting(ctx context.Context, as item.Caller, life time.Duration) (string, time.Time, error) {
	if !p.Serves(as.Person) {
		return "", time.Time{}, nil
	}
	return p.Fabric.Lasting(ctx, as, life)
}

// Check returns an error while the folder cannot be read.
func (p *Platform) Check(ctx context.Context) error { return p.Folder.Check(ctx) }

// Workspaces returns the folder's, then Fabric's.
func (p *Platform) Workspaces(ctx context.Context, as item.Caller) ([]item.Workspace, error) {
	all, err := p.Folder.Workspaces(ctx, as)
	if err != nil || !p.Serves(as.Person) {
		return all, err
	}
	more, err := p.Fabric.Workspaces(ctx, as)
	return append(all, more...), err
}

// InFolder reports whether a workspace is the folder's for this person.
func (p *Platform) InFolder(ctx context.Context, as item.Caller, id uuid.UUID) (bool, error) {
	if !p.Serves(as.Person) {
		return true, nil
	}
	_, err := p.Folder.Workspace(ctx, as, id)
	if refusal, refused := domain.Refused(err); refused && refusal.Code == domain.WorkspaceNotFound {
		return false, nil
	}
	return err == nil, err
}

// on calls one of two functions: that of the platform that has the workspace.
func on[T any](ctx context.Context, p *Platform, as item.Caller, workspaceID uuid.UUID, inFolder, inFabric func() (T, error)) (T, error) {
	here, err := p.InFolder(ctx, as, workspaceID)
	if err != nil {
		var none T
		return none, err
	}
	if here {
		return inFolder()
	}
	return inFabric()
}

// Workspace returns a workspace.
func (p *Platform) Workspace(ctx context.Context, as item.Caller, id uuid.UUID) (item.Workspace, error) {
	return on(ctx, p, as, id,
		func() (item.Workspace, error) { return p.Folder.Workspace(ctx, as, id) },
		func() (item.Workspace, error) { return p.Fabric.Workspace(ctx, as, id) })
}

// Items returns a workspace's items of a type.
func (p *Platform) Items(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type) ([]item.Item, error) {
	return on(ctx, p, as, workspaceID,
		func() ([]item.Item, error) { return p.Folder.Items(ctx, as, workspaceID, t) },
		func() ([]item.Item, error) { return p.Fabric.Items(ctx, as, workspaceID, t) })
}

// Item returns an item.
func (p *Platform) Item(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error) {
	return on(ctx, p, as, workspaceID,
		func() (item.Item, error) { return p.Folder.Item(ctx, as, workspaceID, t, id) },
		func() (item.Item, error) { return p.Fabric.Item(ctx, as, workspaceID, t, id) })
}

// Reports returns a workspace's reports with their models.
func (p *Platform) Reports(ctx context.Context, as item.Caller, workspaceID uuid.UUID) ([]item.WorkspaceReport, error) {
	return on(ctx, p, as, workspaceID,
		func() ([]item.WorkspaceReport, error) { return p.Folder.Reports(ctx, as, workspaceID) },
		func() ([]item.WorkspaceReport, error) { return p.Fabric.Reports(ctx, as, workspaceID) })
}

// Capacity returns the state of a workspace's capacity.
func (p *Platform) Capacity(ctx context.Context, as item.Caller, workspaceID uuid.UUID) (item.CapacityState, error) {
	return on(ctx, p, as, workspaceID,
		func() (item.CapacityState, error) { return p.Folder.Capacity(ctx, as, workspaceID) },
		func() (item.CapacityState, error) { return p.Fabric.Capacity(ctx, as, workspaceID) })
}

// Definition reads an item's definition.
func (p *Platform) Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
	return on(ctx, p, as, it.WorkspaceID,
		func() (definition.Definition, error) { return p.Folder.Definition(ctx, as, it) },
		func() (definition.Definition, error) { return p.Fabric.Definition(ctx, as, it) })
}

// Announce implements work.Platform.
func (p *Platform) Announce(ctx context.Context, as item.Caller, workspaceID uuid.UUID, models []uuid.UUID) error {
	here, err := p.InFolder(ctx, as, workspaceID)
	if err != nil || here {
		return err
	}
	return p.Fabric.Announce(ctx, as, workspaceID, models)
}

// Release implements work.Platform. Only Fabric keeps anything of a read.
func (p *Platform) Release(ctx context.Context, as item.Caller, it item.Item) error {
	return p.Fabric.Release(ctx, as, it)
}

// ModelOf returns the model that a report shows.
func (p *Platform) ModelOf(ctx context.Context, as item.Caller, report item.Item) (model item.Item, ok bool, err error) {
	type found struct {
		model item.Item
		ok    bool
	}
	f, err := on(ctx, p, as, report.WorkspaceID,
		func() (f found, err error) { f.model, f.ok, err = p.Folder.ModelOf(ctx, as, report); return f, err },
		func() (f found, err error) { f.model, f.ok, err = p.Fabric.ModelOf(ctx, as, report); return f, err })
	return f.model, f.ok, err
}

// Usable refuses items that the service cannot work on.
func (p *Platform) Usable(ctx context.Context, as item.Caller, writes bool, items ...item.Item) error {
	if len(items) == 0 {
		return nil
	}
	here, err := p.InFolder(ctx, as, items[0].WorkspaceID)
	if err != nil || here {
		return err
	}
	return p.Fabric.Usable(ctx, as, writes, items...)
}

// FinishWrite returns how a write that was sent has ended.
func (p *Platform) FinishWrite(ctx context.Context, as item.Caller, it item.Item, operation string) (item.Ending, error) {
	return on(ctx, p, as, it.WorkspaceID,
		func() (item.Ending, error) { return p.Folder.FinishWrite(ctx, as, it, operation) },
		func() (item.Ending, error) { return p.Fabric.FinishWrite(ctx, as, it, operation) })
}

// WriteDefinition replaces an item's definition if the current one has the hash.
func (p *Platform) WriteDefinition(ctx context.Context, as item.Caller, it item.Item, d definition.Definition, ifHash string) error {
	_, err := on(ctx, p, as, it.WorkspaceID,
		func() (struct{}, error) { return struct{}{}, p.Folder.WriteDefinition(ctx, as, it, d, ifHash) },
		func() (struct{}, error) { return struct{}{}, p.Fabric.WriteDefinition(ctx, as, it, d, ifHash) })
	return err
}
