package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/internal/filelock"
)

// Announce implements work.Platform. Reading a folder's models one by one costs nothing more.
func (p *Platform) Announce(context.Context, item.Caller, uuid.UUID, []uuid.UUID) error { return nil }

// Release implements work.Platform. Nothing is kept of a read.
func (p *Platform) Release(context.Context, item.Caller, item.Item) error { return nil }

// Definition reads every part of an item. It returns CapacityPaused if the workspace's capacity is paused
// (docs/decisions.md 8.6). It returns ItemNotReadable if the folder holds no part, exceeds the bounds of this package,
// or holds a part that is a link, pipe or device, has a name that is not UTF-8, or cannot be opened.
func (p *Platform) Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
	var d definition.Definition
	err := p.within(ctx, as, it, filelock.Shared, func(f *itemFolder) (err error) {
		d, err = f.definition(ctx)
		return err
	})
	return d, err
}

// running returns CapacityPaused if the workspace's capacity is paused.
func (w workspace) running() error {
	if w.capacity != item.CapacityPaused {
		return nil
	}
	return domain.Refuse(domain.CapacityPaused, "the capacity of workspace %s is paused; resume it and call again",
		w.ID).About("workspaceId", w.ID)
}

// itemFolder is the opened and locked folder of an item.
type itemFolder struct {
	*os.Root
	platform *Platform
	root     *os.Root // the platform's root, which contains dir
	dir      string
	item     item.Item
	lock     *os.File
	form     Form
	file     string // for AsBIM: the file's name
	journal  string // the folder of the journal
}

// Close unlocks and closes the folder.
func (f *itemFolder) Close() {
	f.lock.Close()
	f.Root.Close()
}

// within locks an item's folder and calls do with it. It refuses a workspace whose capacity is paused, and finishes an
// interrupted write first.
func (p *Platform) within(ctx context.Context, as item.Caller, it item.Item, how filelock.Kind, do func(*itemFolder) error) error {
	w, e, err := p.find(ctx, as, it)
	if err != nil {
		return err
	}
	if err := w.running(); err != nil {
		return err
	}
	return p.withinEntry(ctx, e, how, do)
}

// withinEntry locks the folder of an item that find returned, finishes an interrupted write and calls do.
func (p *Platform) withinEntry(ctx context.Context, e entry, how filelock.Kind, do func(*itemFolder) error) error {
	root, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := p.openEntry(ctx, root, e, how)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.finishWrite(ctx, how); err != nil {
		return err
	}
	return do(f)
}

// interrupted reports whether a write left its journal behind.
func (f *itemFolder) interrupted() bool {
	_, err := f.Lstat(f.journal)
	return err == nil
}

// finishWrite finishes a write that was interrupted.
func (f *itemFolder) finishWrite(ctx context.Context, how filelock.Kind) error {
	if how == filelock.Shared {
		// Under the lock, a journal exists only if its writer died.
		if !f.interrupted() {
			return nil
		}
		if err := lock(ctx, f.lock, filelock.Exclusive); err != nil {
			return f.platform.unavailable(ctx, err, "%s cannot be locked", named(f.item))
		}
	}
	if err := f.recover(); err != nil {
		return f.platform.unavailable(ctx, err, "%s cannot be brought into order", named(f.item))
	}
	return nil
}

// openEntry opens and locks the folder of an item.
func (p *Platform) openEntry(ctx context.Context, root *os.Root, e entry, how filelock.Kind) (*itemFolder, error) {
	it := e.Item
	below, err := root.OpenRoot(e.dir)
	if err != nil {
		if gone(err) {
			return nil, notFound(it)
		}
		return nil, notReadable(it, "its folder cannot be opened: %s", p.cause(err))
	}
	f := &itemFolder{Root: below, platform: p, root: root, dir: e.dir, item: e.Item, journal: journal}
	if f.lock, err = filelock.OpenFolder(below); err == nil {
		err = lock(ctx, f.lock, how)
	}
	if err != nil {
		f.Close()
		return nil, p.unavailable(ctx, err, "%s cannot be locked", named(it))
	}
	return f, nil
}

func notReadable(it item.Item, format string, args ...any) error {
	return domain.Refuse(domain.ItemNotReadable, "the definition of %s cannot be read: %s", named(it),
		fmt.Sprintf(format, args...)).About(it.Type.IDName(), it.ID)
}

// definition reads the parts. If a part vanishes during the read because another program saves the item, it starts
// again, at most 3 times.
func (f *itemFolder) definition(ctx context.Context) (definition.Definition, error) {
	for try := 1; ; try++ {
		r := partReader{ctx: ctx, item: f.item, platform: f.platform}
		err := f.read(&r)
		switch {
		case err == nil && len(r.parts) > 0:
			d := definition.New(r.parts...)
			d.Loose = f.form != InFolder
			return d, nil
		case gone(err) && try < 3:
			continue
		}
		if _, ok := domain.Refused(err); ok {
			return definition.Definition{}, err
		}
		if _, err := f.root.Lstat(path.Join(f.dir, f.file)); gone(err) {
			return definition.Definition{}, notFound(f.item)
		}
		if err == nil {
			return definition.Definition{}, notReadable(f.item, "its folder holds no part")
		}
		return definition.Definition{}, f.platform.unavailable(ctx, err, "%s changes while it is read", named(f.item))
	}
}

// partReader collects parts within the bounds.
type partReader struct {
	ctx      context.Context
	item     item.Item
	platform *Platform
	// skip reports whether to ignore a directory entry; nil ignores none.
	skip  func(at *os.Root, e os.DirEntry) (bool, error)
	parts []definition.Part
	bytes int
}

func (r *partReader) read(at *os.Root, dir string, depth int) error {
	f, err := at.Open(".")
	if err != nil {
		return r.refuse(dir, err)
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(1000)
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			switch {
			case r.ctx.Err() != nil:
				return r.ctx.Err()
			case strings.HasPrefix(e.Name(), ".") && (e.IsDir() || !tableFile(e.Name())):
				continue
			}
			if r.skip != nil {
				switch skipped, err := r.skip(at, e); {
				case err != nil:
					return r.refuse(name, err)
				case skipped:
					continue
				}
			}
			switch {
			case !utf8.ValidString(name):
				return r.misnamed(name)
			case e.IsDir() && depth == MaxDepth:
				return notReadable(r.item, "folders nest deeper than %d", MaxDepth)
			case e.IsDir():
				sub, err := at.OpenRoot(e.Name())
				if err != nil {
					return r.refuse(name, err)
				}
				err = r.read(sub, name, depth+1)
				sub.Close()
				if err != nil {
					return err
				}
			default:
				if err := r.part(at, e.Name(), name); err != nil {
					return err
				}
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return r.refuse(dir, err)
		}
	}
}

// tableFile reports whether a file whose name begins with a dot is a part all the same: Power BI Desktop names the file of a table as the
// table, and people call one .Measures so that it comes first. What macOS puts beside a file begins with a dot and an underscore.
func tableFile(name string) bool {
	return strings.HasSuffix(name, ".tmdl") && len(name) > len("..tmdl") && !strings.HasPrefix(name, "._") && !strings.HasPrefix(name, "..")
}

func (r *partReader) misnamed(name string) error {
	return notReadable(r.item, "the name %q is not UTF-8; rename the file", name)
}

// named reads a single file as the only part.
func (r *partReader) named(at *os.Root, name, path string) error {
	if !utf8.ValidString(path) {
		return r.misnamed(path)
	}
	return r.part(at, name, path)
}

func (r *partReader) part(at *os.Root, name, path string) error {
	if len(r.parts) == r.platform.bounds.parts {
		return notReadable(r.item, "it has more than %d parts", r.platform.bounds.parts)
	}
	f, info, err := openRegular(at, name)
	if err != nil {
		return r.refuse(path, err)
	}
	defer f.Close()
	limit := r.platform.bounds.partBytes
	if r.bytes+int(min(info.Size(), int64(limit))) > r.platform.bounds.definitionBytes {
		return notReadable(r.item, "its parts are together larger than %d bytes", r.platform.bounds.definitionBytes)
	}
	var data bytes.Buffer
	if info.Size() <= int64(limit) {
		data.Grow(int(info.Size()) + bytes.MinRead)
		// A file that grows during the read is read no further than the bound.
		if _, err := data.ReadFrom(io.LimitReader(f, int64(limit)+1)); err != nil {
			return r.refuse(path, err)
		}
	}
	if info.Size() > int64(limit) || data.Len() > limit {
		return notReadable(r.item, "the part %q is larger than %d bytes", path, limit)
	}
	r.bytes += data.Len()
	r.parts = append(r.parts, definition.Part{Path: path, Data: data.Bytes()})
	return nil
}

// refuse returns err unchanged if a retry may help; otherwise it returns ItemNotReadable.
func (r *partReader) refuse(name string, err error) error {
	if gone(err) {
		return err
	}
	if errors.Is(err, errNotRegular) {
		return notReadable(r.item, "the part %q is a link, a pipe or a device; replace it by a file", name)
	}
	return notReadable(r.item, "the part %q: %s", name, r.platform.cause(err))
}
