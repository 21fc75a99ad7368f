package files

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"readiness/domain/optimization"
	"readiness/internal/lists"
	"readiness/mcp"
	"readiness/offline"
)

// Apply implements mcp.Models. It writes a record before it changes the model.
func (f *Files) Apply(ctx context.Context, in mcp.ApplyInput) (mcp.Written, *mcp.Pending, error) {
	f.writing.Lock()
	defer f.writing.Unlock()
	w, err := f.apply(ctx, in)
	return w, nil, err
}

func (f *Files) apply(ctx context.Context, in mcp.ApplyInput) (mcp.Written, error) {
	shown, err := f.previewOf(in.PreviewID)
	if err != nil {
		return mcp.Written{}, err
	}
	keys, err := shown.selected(in)
	if err != nil {
		return mcp.Written{}, err
	}
	p, _, err := f.propose(ctx, shown.Model, optimization.Kind(shown.Kind), shown.words, keys)
	if len(p.Previews) > 0 && !shown.same(p) { // also where a key is gone
		return mcp.Written{}, problem("The model changed since the preview, so nothing was written. Call preview again and show it to " +
			"the person.")
	}
	if err != nil {
		return mcp.Written{}, err
	}
	if p.Changes() == 0 {
		return mcp.Written{}, problem("The chosen changes change nothing, so nothing was written. Call preview again.")
	}
	name := "readiness-apply-" + shown.ID + ".json"
	applied, record, err := offline.Write(ctx, []offline.Proposal{p}, filepath.Join(f.root, name), f.Now())
	if err != nil {
		return mcp.Written{}, err
	}
	if failed := applied[0].Error; failed != nil {
		if record != "" {
			failed = fmt.Errorf("%w; the record %s was kept, so that the write can be reverted", failed, name)
		}
		return mcp.Written{}, failed
	}
	f.previews.Remove(shown.ID)
	w := mcp.Written{Record: name, Models: []string{p.Shown}, ScoreNow: p.ScoreNow, After: p.ScoreAfter}
	for _, a := range p.Applies {
		w.Changes = append(w.Changes, rowsOf(a, func(o optimization.Object) (now, then *string) { return o.Previous, o.Written })...)
	}
	return w, nil
}

// selected returns the keys that an apply chooses.
func (p previewed) selected(in mcp.ApplyInput) ([]string, error) {
	if len(p.made.Changes) == 0 {
		return nil, problem("The preview has no changes, so there is nothing to write.")
	}
	known := lists.SetOf(p.Changes, func(c mcp.Change) string { return c.Key })
	if unknown := lists.Where(in.Keys, func(key string) bool { return !known[key] }); len(unknown) > 0 {
		return nil, mcp.Unknown(strconv.Itoa(len(unknown))+" of the keys are not in the preview, so nothing was written. list_changes lists the "+
			"keys.", unknown[0], lists.Map(p.Changes, func(c mcp.Change) string { return c.Key }))
	}
	return in.Keys, nil
}

// rowsOf returns the objects of an apply, with the texts that texts returns.
func rowsOf(a offline.Apply, texts func(optimization.Object) (now, then *string)) (rows []mcp.Change) {
	for n, w := range a.Writes {
		left := lists.SetOf(a.Intended[n].Skipped, func(s optimization.Skip) string { return s.Key })
		for _, o := range w.Objects {
			if !left[o.Key] {
				now, then := texts(o)
				rows = append(rows, mcp.NewWritten(o.Key, string(o.Type), string(o.ObjectType), now, then))
			}
		}
	}
	return rows
}
