package offline

import (
	"context"
	"fmt"
	"time"
)

// crashPoint is called before and after every model that is written; tests end the
// process in it.
var crashPoint = func() {}

// Applied is what became of a model.
type Applied struct {
	Path string // shown
	// Error is why it was not written; nil when it was.
	Error error
}

// Write writes the proposals that have changes, in their order, each whole or not
// at all, after a record that Revert takes has been written to a new file. Writes
// that were cut off before are finished, also where nothing is written. A model
// that was changed since it was read is left as it is, and the others are written.
// Nothing to write makes no record. The error is the record's, or the context's.
func Write(ctx context.Context, all []Proposal, file string, now time.Time) (applied []Applied, record string, err error) {
	r := newRecord(all, now)
	if len(r.Models) == 0 {
		return nil, "", finish(ctx, all)
	}
	if record, err = r.write(file); err != nil {
		return nil, "", err
	}
	for _, p := range all {
		if p.Error != nil || p.Changes() == 0 {
			continue
		}
		if ctx.Err() != nil {
			return applied, record, ctx.Err()
		}
		crashPoint()
		err := p.tree.WriteDefinition(ctx, p.TreeItem, p.after, p.before.Hash())
		if err != nil {
			err = told(err)
		}
		applied = append(applied, Applied{p.Shown, err})
		crashPoint()
	}
	return applied, record, finish(ctx, all)
}

// finish brings writes that were cut off to their ends in models that nothing is
// written to.
func finish(ctx context.Context, all []Proposal) error {
	for _, p := range all {
		if p.Error != nil || p.Changes() > 0 {
			continue
		}
		if err := p.tree.Finish(ctx, p.TreeItem); err != nil {
			return told(err)
		}
	}
	return nil
}

// Inside refuses items whose folder is not below the root: a record could not say
// where they are.
func Inside(items []Item) error {
	for _, i := range items {
		if !insideRoot(i.Shown) {
			return fmt.Errorf("%s is not below the root that records are relative to; name in --root a folder that holds it", i.Shown)
		}
	}
	return nil
}
