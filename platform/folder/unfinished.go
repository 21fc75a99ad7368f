package folder

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"readiness/definition"
	"readiness/domain"
	"readiness/internal/filelock"
	"readiness/internal/lists"
)

// Unfinished is a write of an item that was interrupted because its process or machine stopped. Its journal stays in
// the item's folder until the next write or Finish.
type Unfinished struct {
	// In is the journal's folder, relative to the item's folder.
	In string
	// Parts is how many parts the write changes; Left is how many of them are still to be written. Left is 0 if the
	// write was interrupted before its journal was complete, or if it is dropped because its parts were changed since.
	Parts, Left int
	// Changed is how many of its parts another program has changed since.
	Changed int
}

// String describes what is pending.
func (u Unfinished) String() string {
	switch {
	case u.Parts == 0:
		return fmt.Sprintf("a write was interrupted before it changed any file; its remains in %s are useless", u.In)
	case u.Left == 0 && u.Changed > 0:
		return fmt.Sprintf("a write of %d files was interrupted, and %d of them have been changed since; it will not be finished", u.Parts,
			u.Changed)
	case u.Left == 0:
		return fmt.Sprintf("a write of %d files was interrupted after all of them were written", u.Parts)
	case u.Changed > 0:
		return fmt.Sprintf("a write of %d files was interrupted: %d are still to be written, and %d stay because they have been "+
			"changed since", u.Parts, u.Left, u.Changed)
	}
	return fmt.Sprintf("a write of %d files was interrupted: %d are still to be written", u.Parts, u.Left)
}

// Definition reads every part of an item, as Platform.Definition does, but writes nothing. If a write of the item was
// interrupted, it returns the definition that finishing the write will produce, and the Unfinished; otherwise the
// second result is nil.
func (t *Tree) Definition(ctx context.Context, it TreeItem) (d definition.Definition, u *Unfinished, err error) {
	err = t.within(ctx, it, filelock.Shared, func(f *itemFolder) error {
		if d, err = f.definition(ctx); err != nil {
			return err
		}
		if _, err := f.Lstat(f.journal); gone(err) {
			return nil
		}
		d, u, err = f.finished(d)
		return err
	})
	return d, u, err
}

// Finish finishes an interrupted write of an item.
func (t *Tree) Finish(ctx context.Context, it TreeItem) error {
	return t.within(ctx, it, filelock.Exclusive, func(f *itemFolder) error { return f.finishWrite(ctx, filelock.Exclusive) })
}

// finished returns the definition that finishing the interrupted write will produce.
func (f *itemFolder) finished(d definition.Definition) (definition.Definition, *Unfinished, error) {
	if f.uncommitted() {
		return d, &Unfinished{In: f.journal}, nil
	}
	changes, err := f.committed()
	if err != nil {
		return d, nil, domain.Refuse(domain.PlatformUnavailable, "a write of %s was interrupted, and its journal cannot be read: %s",
			named(f.item), f.platform.cause(err))
	}
	left := f.left(changes)
	u := &Unfinished{In: f.journal, Parts: len(changes), Changed: left.foreign}
	if left.dropped() {
		return d, u, nil
	}
	parts := lists.Index(d.Parts, func(p definition.Part) string { return p.Path })
	for _, c := range left.todo {
		if c.New == "" {
			if _, there := parts[c.Path]; there {
				u.Left++
			}
			delete(parts, c.Path)
			continue
		}
		data, err := readFile(f.Root, f.journal+"/"+c.Staged, f.platform.bounds.partBytes)
		if err == nil && hash(data) != c.New {
			err = errChanged
		}
		if err != nil {
			return d, nil, domain.Refuse(domain.PlatformUnavailable,
				"a write of %s was interrupted, and its new content of %s cannot be read: %s; remove %s/%s to abandon the write",
				named(f.item), c.Path, f.platform.cause(err), f.dir, f.journal)
		}
		u.Left++
		parts[c.Path] = definition.Part{Path: c.Path, Data: data}
	}
	all := definition.New(slices.Collect(maps.Values(parts))...)
	all.Loose = d.Loose
	return all, u, nil
}
