package folder

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/internal/coalesce"
)

// workspace is a folder that holds items.
type workspace struct {
	item.Workspace
	settings
	dir     string // relative to the root; "." if the root is the workspace
	name    string // of its folder
	entries []entry
	failed  error // why entries is incomplete
}

// entry is an item and its folder, relative to the root.
type entry struct {
	item.Item
	dir string
	// logicalID is the id in .platform; uuid.Nil if there is none or it is invalid.
	logicalID uuid.UUID
}

// suffixes maps the ending of an item's folder to its type; .Dataset is the older name.
var suffixes = map[string]item.Type{
	".SemanticModel": item.SemanticModel,
	".Dataset":       item.SemanticModel,
	".Report":        item.Report,
	".DataAgent":     item.DataAgent,
}

// typeOf returns the type of item that a folder's name stands for.
func typeOf(name string) (item.Type, bool) {
	suffix := path.Ext(name)
	t, ok := suffixes[suffix]
	return t, ok && len(name) > len(suffix)
}

// pathSpace is the namespace of ids derived from paths (UUID v5).
var pathSpace = uuid.MustParse("0d8c2c5b-6f0e-4b43-9a0f-2a7f6f1f6f0e")

func pathID(path string) uuid.UUID { return uuid.NewSHA1(pathSpace, []byte(path)) }

// looks coalesces concurrent requests into one scan, which begins after they arrived, and caches what it saw for the
// next scan.
type looks struct {
	inside bool // scan the workspaces' items too
	scans  coalesce.Batcher[struct{}, []workspace]
	// The scan in flight owns the fields below.
	root *known
	last []workspace // the last result, nil if it cannot be reused; read-only
}

// scanPatience limits how long a scan may take.
const scanPatience = time.Minute

// workspaces returns the workspaces without their items.
func (p *Platform) workspaces(ctx context.Context, as item.Caller) ([]workspace, error) {
	return p.look(ctx, as, &p.outside)
}

// scan returns all workspaces with their items. Ids are unique over the entire root, because recorded data is keyed by
// the item's id alone: an item that shares its logical id with another gets an id derived from its path.
func (p *Platform) scan(ctx context.Context, as item.Caller) ([]workspace, error) {
	return p.look(ctx, as, &p.inside)
}

func (p *Platform) look(ctx context.Context, as item.Caller, l *looks) ([]workspace, error) {
	if err := p.permitted(ctx, as); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	all, err := l.scans.Do(ctx, struct{}{}, func(ctx context.Context, asks []struct{}) ([][]workspace, error) {
		ctx, cancel := context.WithTimeout(ctx, scanPatience)
		defer cancel()
		all, err := p.scanFor(ctx, l)
		return slices.Repeat([][]workspace{all}, len(asks)), err
	})
	if err != nil {
		return nil, p.unavailable(ctx, err, "the folder of workspaces cannot be read")
	}
	return all, nil
}

func (p *Platform) scanFor(ctx context.Context, l *looks) ([]workspace, error) {
	before := l.last
	l.last = nil // restored below if nothing fails
	s, err := newScan(ctx, p)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if l.root == nil {
		l.root = &known{path: "."}
	}
	places, err := s.places(l.root)
	if err != nil {
		return nil, err
	}
	failed := false
	for i := range places {
		if w := &places[i]; l.inside {
			w.items, w.failed = s.itemsIn(w.known)
			failed = failed || w.failed != nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	all := before
	if s.changed || failed || before == nil {
		all = assemble(places)
	}
	switch {
	case s.size > p.bounds.remembered:
		l.root = nil
	case !failed && !s.missed:
		l.last = all
	}
	return all, nil
}

// assemble turns what a scan found into workspaces and gives them and their items unique ids.
func assemble(places []place) []workspace {
	all := make([]workspace, len(places))
	ids := map[uuid.UUID]int{}
	for i, from := range places {
		w := &all[i]
		*w = workspace{settings: from.settings.says, dir: from.path, name: from.name, failed: from.failed}
		w.DisplayName = cmp.Or(w.displayName, strings.ToValidUTF8(w.name, "\ufffd"))
		w.Capacity = w.capacityID
		ids[w.id]++
		ids[pathID(w.name)]++
	}
	for i := range all {
		w := &all[i]
		w.ID = pathID(w.name)
		if w.id != uuid.Nil && ids[w.id] == 1 {
			w.ID = w.id
		}
	}
	clear(ids)
	for i, from := range places {
		w := &all[i]
		w.entries = make([]entry, len(from.items))
		for j, known := range from.items {
			e := &w.entries[j]
			*e = known.says
			e.WorkspaceID = w.ID
			e.ID = pathID(path.Join(w.name, strings.TrimPrefix(e.dir, w.dir+"/")))
			ids[e.ID]++
			ids[e.logicalID]++
		}
	}
	all = slices.DeleteFunc(all, func(w workspace) bool { return gone(w.failed) })
	for _, w := range all {
		for j := range w.entries {
			e := &w.entries[j]
			if e.logicalID != uuid.Nil && ids[e.logicalID] == 1 {
				e.ID = e.logicalID
			}
		}
	}
	return all
}

// gone reports whether err means that something was removed or replaced since it was listed.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, errReplaced)
}

// folders lists the folders in at, sorted by name, without links and names that begin with a dot. It adds the number of
// all entries to count and fails if count exceeds the bound.
func (p *Platform) folders(ctx context.Context, at *os.Root, count *int) ([]string, error) {
	f, err := at.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var names []string
	for {
		entries, err := f.ReadDir(1000)
		if *count += len(entries); *count > p.bounds.entries {
			return nil, p.bounds.exceeded()
		}
		for _, e := range entries {
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
				names = append(names, e.Name())
			}
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == io.EOF || gone(err):
			slices.Sort(names)
			return names, nil
		case err != nil:
			return nil, err
		}
	}
}
