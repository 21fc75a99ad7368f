package offline

import (
	"context"
	"os"
	"path/filepath"

	"readiness/definition/report"
	"readiness/domain/item"
	"readiness/domain/proposal"
	"readiness/platform/folder"
)

// captions returns what reports call the model's fields: the reports next to the model, by name, that refer to it by
// path. A report that cannot be read is left out, because its texts are only suggestions.
func (i Item) captions(ctx context.Context) []proposal.Caption {
	beside := filepath.Dir(i.at)
	entries, err := os.ReadDir(beside)
	if err != nil {
		return nil
	}
	tree, err := folder.OpenTree(beside)
	if err != nil {
		return nil
	}
	var all []proposal.Caption
	read := 0
	for _, e := range entries {
		if kind, _ := folder.TypeOf(e.Name()); kind != item.Report {
			continue
		}
		if read++; read > proposal.MaxReports || ctx.Err() != nil {
			break
		}
		it, err := tree.Item(ctx, e.Name())
		if err != nil {
			continue
		}
		d, _, err := tree.Definition(ctx, it)
		if err != nil {
			continue
		}
		r, err := report.Read(d)
		if err != nil || r.Model.Path == "" {
			continue
		}
		if of, err := spelled(filepath.Join(beside, e.Name()), r.Model.Path); err == nil && of == i.at {
			all = append(all, proposal.Captions(it.Name, r)...)
		}
	}
	return all
}
