// Package folder implements the analytics platform as a directory on disk. Workspaces are laid out as Fabric's Git
// integration lays them out: items lie at any depth, in folders that end in their type (Sales.SemanticModel,
// Sales.Report, …).
//
// A root that holds items is itself one workspace; otherwise every folder in it is one. Every call sees the current
// state of the disk. The package never follows links, never reads outside the root and never writes outside an item's
// own folder. It ignores names that begin with a dot (.platform, .git, .pbi) when it looks for items and parts; the file
// of a table, such as .Measures.tmdl, is a part.
//
// Errors are *domain.Refusal. What a person may not see is reported as not found. Readers and writers of an item
// exclude each other, across processes, by a lock on the item's folder.
package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/internal/filefault"
)

// Bounds on what is read. An item beyond them is refused with ItemNotReadable, and a root with PlatformUnavailable.
// Folders below MaxDepth are not searched.
const (
	// MaxDepth is how deep folders may nest, in a workspace and in an item.
	MaxDepth = 32
	// MaxEntries is how many files and folders a workspace may hold, not counting those inside items.
	MaxEntries = 200_000
	// MaxParts is how many parts a definition may have.
	MaxParts = 20_000
	// MaxPartBytes is the largest size of a part, in bytes.
	MaxPartBytes = 64 << 20
	// MaxDefinitionBytes is the largest total size of a definition's parts, in bytes.
	MaxDefinitionBytes = 256 << 20
	// MaxSettingsBytes is the largest size of a workspace.json or .platform, in bytes.
	MaxSettingsBytes = 1 << 20
	// MaxRemembered is the approximate size of the scan cache in bytes, enough for about a hundred thousand items. A
	// larger root is read again on every call.
	MaxRemembered = 128 << 20
)

// Platform is a directory of workspaces. Its methods are safe for concurrent use, within and across processes.
type Platform struct {
	path   string
	name   string // the folder's name, for a root that is one workspace
	logger *slog.Logger
	access func(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error)
	bounds bounds
	now    func() time.Time
	own    bool // whether the caller is the person at this machine, and not one of a service
	// Workspaces are listed more often than their contents, so each kind of scan has its own cache.
	outside, inside looks
	models          seenModels
}

// bounds holds the limits above; tests lower them.
type bounds struct {
	entries, parts, partBytes, definitionBytes, remembered int
	query                                                  time.Duration
}

func (b bounds) exceeded() error {
	return fmt.Errorf("it holds more than %d files and folders", b.entries)
}

// Options configures Open; the zero value is valid.
type Options struct {
	// Logger receives problems that operators should repair: a workspace.json that cannot be read, a missing root. Nil
	// discards them.
	Logger *slog.Logger
	// Access returns a person's current state for each permission. Unless it grants the platform permission, every call
	// for the person is refused: with PlatformConsentRequired if consent is missing, else with PlatformUnavailable. Nil
	// grants everything to everyone.
	Access func(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error)
}

// Open returns the platform in the directory root. It does not read the workspaces, so a broken one does not keep the
// others from being served.
func Open(root string, o Options) (*Platform, error) {
	path, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("the folder of workspaces %q: %w", root, err)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the folder of workspaces cannot be read: %w; name an existing folder", err)
	case !info.IsDir():
		return nil, fmt.Errorf("%q is a file; name the folder that holds the workspaces", root)
	}
	name := filepath.Base(path)
	if _, isItem := typeOf(name); isItem {
		return nil, fmt.Errorf("%q is an item; name the folder that holds it", root)
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return &Platform{
		path: path, name: name, logger: o.Logger, access: o.Access, now: time.Now, inside: looks{inside: true},
		bounds: bounds{entries: MaxEntries, parts: MaxParts, partBytes: MaxPartBytes, definitionBytes: MaxDefinitionBytes,
			remembered: MaxRemembered, query: QueryTimeout},
	}, nil
}

// Workspaces lists the workspaces that the caller can see, ordered by name and id.
func (p *Platform) Workspaces(ctx context.Context, as item.Caller) ([]item.Workspace, error) {
	all, err := p.workspaces(ctx, as)
	if err != nil {
		return nil, err
	}
	visible := []item.Workspace{}
	for _, w := range all {
		if w.visibleTo(as) {
			visible = append(visible, w.Workspace)
		}
	}
	slices.SortFunc(visible, func(a, b item.Workspace) int {
		return cmp.Or(cmp.Compare(a.DisplayName, b.DisplayName), slices.Compare(a.ID[:], b.ID[:]))
	})
	return visible, nil
}

// Workspace returns one workspace; WorkspaceNotFound if the caller can see none with the id.
func (p *Platform) Workspace(ctx context.Context, as item.Caller, id uuid.UUID) (item.Workspace, error) {
	w, err := p.workspace(ctx, as, id)
	if err != nil {
		return item.Workspace{}, err
	}
	return w.Workspace, nil
}

// Capacity returns the state of the workspace's capacity. A workspace without a capacity is on a shared one, which is
// never paused.
func (p *Platform) Capacity(ctx context.Context, as item.Caller, workspaceID uuid.UUID) (item.CapacityState, error) {
	w, err := p.workspace(ctx, as, workspaceID)
	if err != nil {
		return "", err
	}
	return w.capacity, nil
}

// Items lists the items of a type in a workspace, ordered by name and id. The list is complete: if any folder of the
// workspace cannot be read, Items returns PlatformUnavailable.
func (p *Platform) Items(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type) ([]item.Item, error) {
	all, err := p.scan(ctx, as)
	if err != nil {
		return nil, err
	}
	w, err := p.contents(ctx, all, as, workspaceID)
	if err != nil {
		return nil, err
	}
	listed := []item.Item{}
	for _, e := range w.entries {
		if e.Type == t {
			listed = append(listed, e.Item)
		}
	}
	slices.SortFunc(listed, item.ByName)
	return listed, nil
}

// Item returns one item; ItemNotFound if the workspace has no item of that type and id.
func (p *Platform) Item(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error) {
	_, e, err := p.find(ctx, as, item.Item{WorkspaceID: workspaceID, Type: t, ID: id})
	if err != nil {
		return item.Item{}, err
	}
	return e.Item, nil
}

// workspace finds a workspace without reading its items.
func (p *Platform) workspace(ctx context.Context, as item.Caller, id uuid.UUID) (workspace, error) {
	all, err := p.workspaces(ctx, as)
	if err != nil {
		return workspace{}, err
	}
	return pick(all, as, id)
}

func pick(all []workspace, as item.Caller, id uuid.UUID) (workspace, error) {
	i := slices.IndexFunc(all, func(w workspace) bool { return w.ID == id && w.visibleTo(as) })
	if i < 0 {
		return workspace{}, domain.Refuse(domain.WorkspaceNotFound, "workspace %s is not there, or you cannot see it",
			id).About("workspaceId", id)
	}
	return all[i], nil
}

// contents finds a workspace whose items were all read.
func (p *Platform) contents(ctx context.Context, all []workspace, as item.Caller, id uuid.UUID) (workspace, error) {
	w, err := pick(all, as, id)
	if err == nil && w.failed != nil {
		err = p.unavailable(ctx, w.failed, "workspace %s cannot be listed", w.DisplayName)
	}
	return w, err
}

// find returns an item's workspace and folder.
func (p *Platform) find(ctx context.Context, as item.Caller, it item.Item) (workspace, entry, error) {
	all, err := p.scan(ctx, as)
	if err != nil {
		return workspace{}, entry{}, err
	}
	return p.findIn(ctx, all, as, it)
}

func (p *Platform) findIn(ctx context.Context, all []workspace, as item.Caller, it item.Item) (workspace, entry, error) {
	w, err := p.contents(ctx, all, as, it.WorkspaceID)
	if err != nil {
		return workspace{}, entry{}, err
	}
	i := slices.IndexFunc(w.entries, func(e entry) bool { return e.Type == it.Type && e.ID == it.ID })
	if i < 0 {
		return workspace{}, entry{}, notFound(it)
	}
	return w, w.entries[i], nil
}

func notFound(it item.Item) error {
	if it.ID == uuid.Nil {
		return domain.Refuse(domain.ItemNotFound, "%s no longer exists", named(it))
	}
	return domain.Refuse(domain.ItemNotFound, "%s %s is not in workspace %s", it.Type, it.ID, it.WorkspaceID).About(it.Type.IDName(), it.ID)
}

// named returns how messages refer to an item: by its id, or by its path if it is an item of a Tree, which has no id.
func named(it item.Item) string {
	if it.ID == uuid.Nil && it.DisplayName != "" {
		return it.DisplayName
	}
	return string(it.Type) + " " + it.ID.String()
}

// open opens the root for one call, so a replaced root is noticed.
func (p *Platform) open(ctx context.Context) (*os.Root, error) {
	root, err := os.OpenRoot(p.path)
	if err != nil {
		return nil, p.unavailable(ctx, err, "the folder of workspaces cannot be read")
	}
	return root, nil
}

// Check returns an error unless the root exists and can be read. It does not check the root's contents.
func (p *Platform) Check(context.Context) error {
	root, err := os.Open(p.path)
	if err != nil {
		return err
	}
	_, err = root.Readdirnames(1)
	if errors.Is(err, io.EOF) { // no workspace yet
		err = nil
	}
	return errors.Join(err, root.Close())
}

// openScan opens the root for a scan.
func (p *Platform) openScan(ctx context.Context) (*scan, error) {
	s, err := newScan(ctx, p)
	if err != nil {
		return nil, p.unavailable(ctx, err, "the folder of workspaces cannot be read")
	}
	return s, nil
}

// unavailable returns the refusal for a disk failure, or ctx.Err() if the caller gave up. The path is only logged. To the person
// whose disk it is, it says what they can do.
func (p *Platform) unavailable(ctx context.Context, err error, format string, args ...any) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	what := fmt.Sprintf(format, args...)
	p.logger.Error("the platform's folder failed", "what", what, "root", p.path, "error", err)
	cure := "try again, or ask the operator of the service to repair it"
	if p.own {
		cure = cmp.Or(filefault.Cure(err), "try again")
	}
	return domain.Refuse(domain.PlatformUnavailable, "%s (%s); %s", what, filefault.Cause(err), cure).After(5 * time.Second)
}

// cause returns the message of err without the path. To the person whose disk it is, it says what they can do.
func (p *Platform) cause(err error) string {
	if p.own {
		return filefault.With(err)
	}
	return filefault.Cause(err)
}

// Usable implements commands.Platform: nothing in a folder is protected from those who see it.
func (p *Platform) Usable(context.Context, item.Caller, bool, ...item.Item) error { return nil }
