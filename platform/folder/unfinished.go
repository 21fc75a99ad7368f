package folder

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"readiness/definition"
	"readiness/domain"
)

// Unfinished is a write of an item that was cut off: its process died, or the
// machine did. It lies in the item's folder until somebody writes the item, or
// finishes it.
type Unfinished struct {
	// In is the folder that it lies in, in that of the item.
	In string
	// Parts is how many the write changes, Left how many of them it has yet to
	// change. Nothing is left of one that was cut off before it was complete in
	// that folder, and of one whose parts somebody has changed since: it is dropped.
	Parts, Left int
	// Changed is how many of its parts somebody else has changed since.
	Changed int
}

// String says what is pending.
func (u Unfinished) String() string {
	switch {
	case u.Parts == 0:
		return fmt.Sprintf("a write was cut off before it changed any file; what it left in %s is of no use", u.In)
	case u.Left == 0 && u.Changed > 0:
		return fmt.Sprintf("a write of %d files was cut off, and somebody has changed %d of them since; nothing more of it will be written", u.Parts, u.Changed)
	case u.Left == 0:
		return fmt.Sprintf("a write of %d files was cut off when all of them were written", u.Parts)
	case u.Changed > 0:
		return fmt.Sprintf("a write of %d files was cut off: %d are still to be written, and %d stay as somebody has changed them since", u.Parts, u.Left, u.Changed)
	}
	return fmt.Sprintf("a write of %d files was cut off: %d are still to be written", u.Parts, u.Left)
}

// Definition reads every part of an item, as Platform.Definition does, and writes
// nothing: an item whose write was cut off is read as finishing it will leave it,
// and it says so. The second result is nil where no write was cut off.
func (t *Tree) Definition(ctx context.Context, it TreeItem) (d definition.Definition, u *Unfinished, err error) {
	err = t.within(ctx, it, shared, func(f *itemFolder) error {
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

// Finish brings a write of an item that was cut off to its end.
func (t *Tree) Finish(ctx context.Context, it TreeItem) error {
	return t.within(ctx, it, exclusive, func(f *itemFolder) error { return f.order(ctx, exclusive) })
}

// finished is the definition as the write that was cut off leaves it, once it is
// finished.
func (f *itemFolder) finished(d definition.Definition) (definition.Definition, *Unfinished, error) {
	if f.uncommitted() {
		return d, &Unfinished{In: f.journal}, nil
	}
	changes, err := f.committed()
	if err != nil {
		return d, nil, domain.Refuse(domain.PlatformUnavailable, "a write of %s was cut off, and what it left cannot be read: %s", named(f.item), cause(err))
	}
	left := f.left(changes)
	u := &Unfinished{In: f.journal, Parts: len(changes), Changed: left.foreign}
	if left.dropped() {
		return d, u, nil
	}
	parts := make(map[string]definition.Part, len(d.Parts))
	for _, p := range d.Parts {
		parts[p.Path] = p
	}
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
			return d, nil, domain.Refuse(domain.PlatformUnavailable, "a write of %s was cut off, and what it was to write to %s cannot be read: %s; remove %s/%s to give it up", named(f.item), c.Path, cause(err), f.dir, f.journal)
		}
		u.Left++
		parts[c.Path] = definition.Part{Path: c.Path, Data: data}
	}
	whole := definition.New(slices.Collect(maps.Values(parts))...)
	whole.Loose = d.Loose
	return whole, u, nil
}
