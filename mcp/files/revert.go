package files

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"readiness/domain/optimization"
	"readiness/internal/lists"
	"readiness/mcp"
	"readiness/offline"
	"readiness/offline/show"
)

// reversible is a revert that was previewed.
type reversible struct {
	record string
	// hashes are those of the models' definitions when it was previewed.
	hashes []string
}

// recordName is what records in the root are named. A record with another name can be reverted too, but is not listed.
var recordName = regexp.MustCompile(`^readiness-apply-[0-9a-z]+\.json$`)

// Records implements mcp.Models. It reads only the records of the page.
func (f *Files) Records(_ context.Context, cursor string) ([]mcp.RecordRow, string, error) {
	entries, err := f.records()
	if err != nil {
		return nil, "", err
	}
	return paged(entries, cursor, f.recordRow)
}

// records returns the records in the root, by name.
func (f *Files) records() ([]os.DirEntry, error) {
	entries, err := os.ReadDir(f.root)
	return slices.DeleteFunc(entries, func(e os.DirEntry) bool { return !e.Type().IsRegular() || !recordName.MatchString(e.Name()) }), err
}

func (f *Files) recordRow(e os.DirEntry) mcp.RecordRow {
	r, err := offline.ReadRecord(filepath.Join(f.root, e.Name()))
	if err != nil {
		return mcp.RecordRow{Record: e.Name(), Models: []string{}, Status: "cannot be read"}
	}
	row := mcp.RecordRow{Record: e.Name(), At: r.AppliedAt.Format(time.RFC3339), Models: []string{}}
	for i, m := range r.Models {
		if i < listedModels {
			row.Models = append(row.Models, m.Path)
		}
		for _, a := range m.Applies {
			for _, w := range a.Intended {
				row.Objects += len(w.Undo)
			}
		}
	}
	if more := len(r.Models) - listedModels; more > 0 {
		row.Status = "and " + strconv.Itoa(more) + " more models"
	}
	return row
}

// listedModels bounds the models of a record in a list.
const listedModels = 3

// PreviewRevert implements mcp.Models.
func (f *Files) PreviewRevert(ctx context.Context, record string) (mcp.Written, error) {
	w, all, err := f.reverse(ctx, record)
	if err != nil {
		return mcp.Written{}, err
	}
	w.PreviewID = newID()
	f.reverts.Add(w.PreviewID, reversible{record, hashesOf(all)})
	return w, nil
}

// reverse plans a revert and returns what it restores.
func (f *Files) reverse(ctx context.Context, record string) (w mcp.Written, all []offline.Reversal, err error) {
	at, err := f.inside(record)
	if err != nil {
		return w, nil, unknown(err, record, func() ([]string, error) {
			entries, err := f.records()
			return lists.Map(entries, os.DirEntry.Name), err
		})
	}
	r, err := offline.ReadRecord(at)
	if err != nil {
		return w, nil, err
	}
	if all, err = offline.Reverse(ctx, f.root, r, nil); err != nil {
		return w, nil, err
	}
	var notes []string
	for n, v := range all {
		w.Models = append(w.Models, v.Path)
		switch {
		case v.Error != nil:
			notes = append(notes, v.Path+" is not restored: "+v.Error.Error())
			continue
		case v.AsBefore:
			notes = append(notes, v.Path+" is already as before.")
			continue
		}
		if v.Files > 0 { // of a rename, whose files have no changes of objects
			notes = append(notes, v.Path+": "+show.Count(v.Files, "file")+" as before.")
		}
		left := map[string]bool{}
		for _, s := range v.Skipped {
			left[s.Key] = true
			w.Skipped = append(w.Skipped, mcp.NewSkipped(s.Key, s.Message))
		}
		for _, a := range r.Models[n].Applies {
			rows := rowsOf(a, func(o optimization.Object) (now, then *string) { return o.Written, o.Previous })
			w.Changes = append(w.Changes, slices.DeleteFunc(rows, func(c mcp.Change) bool { return left[c.Key] })...)
		}
	}
	if len(w.Models) > kept {
		w.Models = w.Models[:kept]
	}
	w.Note = strings.Join(notes, " ")
	return w, all, nil
}

func hashesOf(all []offline.Reversal) (hashes []string) {
	for _, v := range all {
		hash := ""
		if v.Error == nil {
			hash = v.Now.Hash()
		}
		hashes = append(hashes, hash)
	}
	return hashes
}

// Revert implements mcp.Models.
func (f *Files) Revert(ctx context.Context, previewID, _ string) (mcp.Written, *mcp.Pending, error) {
	f.writing.Lock()
	defer f.writing.Unlock()
	shown, known := f.reverts.Get(previewID)
	if !known {
		return mcp.Written{}, nil, problem("There is no such preview of a revert: it was used, or newer ones replaced it. Call " +
			"preview_revert again.")
	}
	w, all, err := f.reverse(ctx, shown.record)
	if err != nil {
		return mcp.Written{}, nil, err
	}
	if !slices.Equal(shown.hashes, hashesOf(all)) {
		return mcp.Written{}, nil, problem("A model changed since the preview of the revert, so nothing was restored. Call " +
			"preview_revert again.")
	}
	if len(w.Changes) == 0 && !slices.ContainsFunc(all, func(v offline.Reversal) bool { return v.Error == nil && v.Files > 0 }) {
		return mcp.Written{}, nil, problem("The revert restores nothing; preview_revert says why.")
	}
	applied, err := offline.Restore(ctx, all, nil)
	if err != nil {
		return mcp.Written{}, nil, err
	}
	for _, a := range applied {
		if a.Error != nil {
			return mcp.Written{}, nil, a.Error
		}
	}
	f.reverts.Remove(previewID)
	return w, nil, nil
}
