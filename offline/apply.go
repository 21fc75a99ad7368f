package offline

import (
	"context"
	"fmt"
	"os"
	"time"

	"readiness/definition"
)

// crashPoint is called before and after each model is written; tests end the process in it.
var crashPoint = func() {}

// Applied is the outcome of writing one model.
type Applied struct {
	Path string // relative to the root
	// Error is why the model was not written; nil if it was.
	Error error
}

// Write writes the proposals that have changes, in order, each completely or not at all. First it writes a record for
// Reverse to a new file; file "" chooses a name. It skips a model that changed since it was read, and reports that in
// applied. It also finishes interrupted writes of models without changes. If it writes to no model, it leaves no record.
// The error concerns the record or the context.
func Write(ctx context.Context, all []Proposal, file string, now time.Time) (applied []Applied, record string, err error) {
	r := newRecord(all, now)
	if len(r.Models) == 0 {
		return nil, "", finish(ctx, all)
	}
	if record, err = r.write("", file); err != nil {
		return nil, "", err
	}
	var begun bool
	for _, p := range all {
		if p.Error != nil || p.Changes() == 0 {
			continue
		}
		if ctx.Err() != nil {
			return applied, record, ctx.Err()
		}
		applied = append(applied, p.write(ctx, p.After, p.Before.Hash(), &begun))
	}
	return applied, needed(record, begun), finish(ctx, all)
}

// needed returns the record of writes that have begun. If none has, it removes the record and returns "".
func needed(record string, begun bool) string {
	if !begun && os.Remove(record) == nil {
		return ""
	}
	return record
}

// write writes the item's definition, if that still has the hash. It sets begun unless it is sure that the item is as before.
func (i Item) write(ctx context.Context, after definition.Definition, hash string, begun *bool) Applied {
	crashPoint()
	err := i.tree.WriteDefinition(ctx, i.TreeItem, after, hash)
	if err == nil {
		*begun = true
	} else {
		d, unfinished, unread := i.tree.Definition(ctx, i.TreeItem)
		*begun = *begun || unread != nil || unfinished != nil || d.Hash() == after.Hash()
		err = readable(err)
	}
	crashPoint()
	return Applied{i.Shown, err}
}

// finish finishes interrupted writes of models that have no changes to write.
func finish(ctx context.Context, all []Proposal) error {
	for _, p := range all {
		if p.Error != nil || p.Changes() > 0 {
			continue
		}
		if err := p.tree.Finish(ctx, p.TreeItem); err != nil {
			return readable(err)
		}
	}
	return nil
}

// Inside returns an error if an item is neither the root nor below it, because records hold paths relative to the root.
func Inside(items []Item) error {
	for _, i := range items {
		if !insideRoot(i.Shown) {
			return fmt.Errorf("%s is not below the root that records are relative to; name in --root a folder that holds it", i.Shown)
		}
	}
	return nil
}
