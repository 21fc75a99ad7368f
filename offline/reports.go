package offline

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"

	"readiness/definition/jsonpart"
	"readiness/definition/report"
	"readiness/domain/item"
	"readiness/domain/proposal"
	"readiness/platform/folder"
)

// captions returns what reports call the model's fields: the reports next to the model, by name, that refer to it by
// path. A report that cannot be read is left out with a warning, because its texts are only suggestions.
func (i Item) captions(ctx context.Context, n *note) []proposal.Caption {
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
		var r report.Report
		if err == nil {
			r, err = report.Read(d)
		}
		if err != nil {
			n.warnings = append(n.warnings, unreadReport(path.Join(path.Dir(i.Shown), e.Name()), err))
			continue
		}
		if r.Model.Path == "" {
			continue
		}
		if of, err := spelled(filepath.Join(beside, e.Name()), r.Model.Path); err == nil && of == i.at {
			all = append(all, proposal.Captions(it.Name, r)...)
		}
	}
	return all
}

// unreadReport returns the warning about a report whose texts are not suggested, because it cannot be read.
func unreadReport(at string, err error) Warning {
	w := Warning{at, 1, 0, "what this report calls the model's fields is not considered: " + readable(err).Error()}
	if in, ok := errors.AsType[*jsonpart.Error](err); ok {
		w = Warning{path.Join(at, in.File), max(in.Line, 1), in.Column,
			"what this report calls the model's fields is not considered: " + in.Message}
	}
	return w
}
