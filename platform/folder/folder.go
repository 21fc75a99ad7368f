// Package folder is the analytics platform as a directory on disk: workspaces
// laid out as Fabric's Git integration lays them out, items at any depth in
// folders that end in their type (Sales.SemanticModel, Sales.Report, …).
//
// A root that holds items itself is one workspace; else every folder in it is
// one. What is changed on disk is seen at the next call. Links are never
// followed, nothing outside the root is ever read, and nothing outside an
// item's own folder is ever written. Names that begin with a dot (.platform,
// .git, .pbi) are no folders of items and no parts of a definition.
//
// Errors are *domain.Refusal; what a person cannot see answers as what is not
// there. Whoever writes and whoever reads an item exclude each other across
// processes by a lock on the item's folder.
package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// Bounds on what is read. Past them an item answers ItemNotReadable and a root
// PlatformUnavailable; folders below MaxDepth are not looked into.
const (
	// MaxDepth is how deep folders may nest, in a workspace and in an item.
	MaxDepth = 32
	// MaxEntries is how many files and folders a workspace may hold, those
	// inside items aside.
	MaxEntries = 200_000
	// MaxParts is how many parts a definition may have.
	MaxParts = 20_000
	// MaxPartBytes is how large a part may be.
	MaxPartBytes = 64 << 20
	// MaxDefinitionBytes is how large all parts of a definition may be together.
	MaxDefinitionBytes = 256 << 20
	// MaxSettingsBytes is how large a workspace.json or .platform may be.
	MaxSettingsBytes = 1 << 20
	// MaxRemembered is how many bytes are remembered of what was read, or so: of
	// about a hundred thousand items. A larger root is read anew at every look.
	MaxRemembered = 128 << 20
)

// Platform is a directory of workspaces. Its methods may be called at once from
// any number of goroutines and processes.
type Platform struct {
	path   string
	name   string // of the folder, for a root that is one workspace
	logger *slog.Logger
	access func(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error)
	bounds bounds
	now    func() time.Time
	// Which workspaces there are is asked more often than what is in them.
	outside, inside looks
	models          seenModels
}

// bounds are the constants above; tests make them small.
type bounds struct{ entries, parts, partBytes, definitionBytes, remembered int }

func (b bounds) exceeded() error {
	return fmt.Errorf("it holds more than %d files and folders", b.entries)
}

// Options are what Open may be told; the zero value is fine.
type Options struct {
	// Logger is told what operators should repair: a workspace.json that
	// cannot be read, a root that is gone. None when nil.
	Logger *slog.Logger
	// Access says how a person stands to each permission now. Where it does not
	// say that the platform permission is granted, every call for the person is
	// refused: PlatformConsentRequired when consent lacks, else
	// PlatformUnavailable. Everything is granted to everyone when nil.
	Access func(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error)
}

// Open returns the platform in the directory root. Workspaces are not read yet,
// so one that is broken does not keep the others from being served.
func Open(root string, o Options) (*Platform, error) {
	path, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("the folder of workspaces %q: %w", root, err)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the folder of workspaces cannot be read: %w; name a folder that is there", err)
	case !info.IsDir():
		return nil, fmt.Errorf("%q is a file; name the folder that holds the workspaces", root)
	}
	name := filepath.Base(path)
	if _, isItem := typeOf(name); isItem {
		return nil, fmt.Errorf("%q is an item; name the folder that holds it", root)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Platform{
		path: path, name: name, logger: o.Logger, access: o.Access, now: time.Now, inside: looks{inside: true},
		bounds: bounds{entries: MaxEntries, parts: MaxParts, partBytes: MaxPartBytes, definitionBytes: MaxDefinitionBytes, remembered: MaxRemembered},
	}, nil
}

// Workspaces lists the workspaces that the caller can see, by name and id.
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

// Workspace returns one workspace; WorkspaceNotFound when the caller sees none
// with the id.
func (p *Platform) Workspace(ctx context.Context, as item.Caller, id uuid.UUID) (item.Workspace, error) {
	w, err := p.workspace(ctx, as, id)
	if err != nil {
		return item.Workspace{}, err
	}
	return w.Workspace, nil
}

// Capacity says whether the workspace's capacity is running. A workspace
// without one is on a shared capacity, which is never paused.
func (p *Platform) Capacity(ctx context.Context, as item.Caller, workspaceID uuid.UUID) (item.CapacityState, error) {
	w, err := p.workspace(ctx, as, workspaceID)
	if err != nil {
		return "", err
	}
	return w.capacity, nil
}

// Items lists the items of a type in a workspace, by name and id. The list is
// complete: where a folder of the workspace cannot be read the answer is
// PlatformUnavailable, so that what is not listed is not there.
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
	slices.SortFunc(listed, byName)
	return listed, nil
}

// byName is the order in which items are listed.
func byName(a, b item.Item) int {
	return cmp.Or(cmp.Compare(a.DisplayName, b.DisplayName), slices.Compare(a.ID[:], b.ID[:]))
}

// Item returns one item; ItemNotFound when the workspace has none of the type
// with the id.
func (p *Platform) Item(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error) {
	_, e, err := p.find(ctx, as, item.Item{WorkspaceID: workspaceID, Type: t, ID: id})
	if err != nil {
		return item.Item{}, err
	}
	return e.Item, nil
}

// workspace finds a workspace without looking into it.
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
		return workspace{}, domain.Refuse(domain.WorkspaceNotFound, "workspace %s is not there, or you cannot see it", id).About("workspaceId", id)
	}
	return all[i], nil
}

// contents picks a workspace whose items are all known.
func (p *Platform) contents(ctx context.Context, all []workspace, as item.Caller, id uuid.UUID) (workspace, error) {
	w, err := pick(all, as, id)
	if err == nil && w.failed != nil {
		err = p.unavailable(ctx, w.failed, "workspace %s cannot be listed", w.DisplayName)
	}
	return w, err
}

// find returns the workspace and the folder of an item.
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
		return domain.Refuse(domain.ItemNotFound, "%s is not there any more", named(it))
	}
	return domain.Refuse(domain.ItemNotFound, "%s %s is not in workspace %s", it.Type, it.ID, it.WorkspaceID).About(idName(it.Type), it.ID)
}

// named is an item as messages call it: by its id; one of a Tree, which has none,
// by its path.
func named(it item.Item) string {
	if it.ID == uuid.Nil && it.DisplayName != "" {
		return it.DisplayName
	}
	return string(it.Type) + " " + it.ID.String()
}

// idName is what the interface calls the id of an item of type t.
func idName(t item.Type) string {
	switch t {
	case item.Report:
		return "reportId"
	case item.DataAgent:
		return "dataAgentId"
	default:
		return "semanticModelId"
	}
}

// open opens the root for one call: a root that was replaced is the new one.
func (p *Platform) open(ctx context.Context) (*os.Root, error) {
	root, err := os.OpenRoot(p.path)
	if err != nil {
		return nil, p.unavailable(ctx, err, "the folder of workspaces cannot be read")
	}
	return root, nil
}

// Check says whether the root is there and can be read; of what is in it, nothing.
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

// openScan opens the root to look at it.
func (p *Platform) openScan(ctx context.Context) (*scan, error) {
	s, err := newScan(ctx, p)
	if err != nil {
		return nil, p.unavailable(ctx, err, "the folder of workspaces cannot be read")
	}
	return s, nil
}

// unavailable is the refusal for a failure of the disk. A caller who gave up
// gets that error; the path goes to the log alone.
func (p *Platform) unavailable(ctx context.Context, err error, format string, args ...any) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	what := fmt.Sprintf(format, args...)
	p.logger.Error("the platform's folder failed", "what", what, "root", p.path, "error", err)
	return domain.Refuse(domain.PlatformUnavailable, "%s (%s); try again, or ask the operator of the service to repair it", what, cause(err)).After(5 * time.Second)
}

// cause is what went wrong without the path it went wrong at.
func cause(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		err = link.Err
	}
	return err.Error()
}
