package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/google/uuid"

	"readiness/domain/item"
)

// workspace is a folder that holds items.
type workspace struct {
	item.Workspace
	settings
	dir     string // below the root; "." when the root is the workspace
	name    string // of its folder
	entries []entry
	failed  error // why entries are not all that is there
}

// entry is an item and the folder it is in, below the root.
type entry struct {
	item.Item
	dir string
	// logicalID is what .platform says, uuid.Nil when it says nothing usable.
	logicalID uuid.UUID
}

// suffixes are how the folder of an item ends; .Dataset is the older name.
var suffixes = map[string]item.Type{
	".SemanticModel": item.SemanticModel,
	".Dataset":       item.SemanticModel,
	".Report":        item.Report,
	".DataAgent":     item.DataAgent,
}

// typeOf tells the folder of an item by its name.
func typeOf(name string) (item.Type, bool) {
	suffix := path.Ext(name)
	t, ok := suffixes[suffix]
	return t, ok && len(name) > len(suffix)
}

// pathSpace is the name space of the ids that are made of paths (UUID v5).
var pathSpace = uuid.MustParse("0d8c2c5b-6f0e-4b43-9a0f-2a7f6f1f6f0e")

func pathID(path string) uuid.UUID { return uuid.NewSHA1(pathSpace, []byte(path)) }

// workspaces reads which workspaces there are, not what is in them.
func (p *Platform) workspaces(ctx context.Context, root *os.Root) ([]workspace, error) {
	top, err := p.folders(ctx, root, new(int))
	if err != nil {
		return nil, p.unavailable(ctx, err, "the folder of workspaces cannot be read")
	}
	all := []workspace{}
	if slices.ContainsFunc(top, func(name string) bool { _, isItem := typeOf(name); return isItem }) {
		all = append(all, workspace{dir: ".", name: p.name})
	} else {
		for _, name := range top {
			all = append(all, workspace{dir: name, name: name})
		}
	}
	ids := map[uuid.UUID]int{}
	for i := range all {
		w := &all[i]
		w.settings = p.readSettings(root, w.dir)
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
	return all, nil
}

// scan reads all workspaces with their items. Ids are made distinct over the
// whole root, for what is recorded of an item is kept by its id alone: every
// item that shares its logical id with another has the id of its path.
func (p *Platform) scan(ctx context.Context, root *os.Root) ([]workspace, error) {
	all, err := p.workspaces(ctx, root)
	if err != nil {
		return nil, err
	}
	ids := map[uuid.UUID]int{}
	for i := range all {
		w := &all[i]
		w.entries, w.failed = p.entries(ctx, root, w.dir)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for j := range w.entries {
			e := &w.entries[j]
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
	return all, nil
}

// entries finds the items below dir, which is a workspace.
func (p *Platform) entries(ctx context.Context, root *os.Root, dir string) ([]entry, error) {
	var found []entry
	count := 0
	before, seen := p.seen.of(dir), map[string]seenFile{}
	var walk func(at *os.Root, dir string, depth int) error
	walk = func(at *os.Root, dir string, depth int) error {
		names, err := p.folders(ctx, at, &count)
		if err != nil {
			return err
		}
		for _, name := range names {
			below := path.Join(dir, name)
			if t, isItem := typeOf(name); isItem {
				file, err := before[below].read(at, name)
				if err != nil {
					return err
				}
				seen[below] = file
				e := newEntry(t, name, file.platformFile)
				e.dir = below
				found = append(found, e)
				continue
			}
			if depth == MaxDepth {
				continue
			}
			sub, err := at.OpenRoot(name)
			if gone(err) {
				continue
			}
			if err == nil {
				err = walk(sub, below, depth+1)
				sub.Close()
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	at, err := root.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	err = walk(at, dir, 1)
	p.seen.keep(dir, seen)
	return found, err
}

// gone reports an error of what was removed or replaced since it was listed.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, errReplaced)
}

// folders lists the folders in at by name, without links and without those
// whose name begins with a dot. Everything that is there adds to count, which
// is bounded.
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
			return nil, fmt.Errorf("it holds more than %d files and folders", p.bounds.entries)
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
