package offline

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/report"
	"readiness/domain/item"
	"readiness/domain/proposal"
	"readiness/platform/folder"
)

// captions returns what reports call the model's fields. A report that cannot be read is left out with a warning, because its texts are
// only suggestions.
func (i Item) captions(ctx context.Context, n *note) []proposal.Caption {
	var all []proposal.Caption
	for one := range i.Reports(ctx, proposal.MaxReports) {
		var r report.Report
		err := one.Error
		if err == nil {
			r, err = report.Read(one.Definition)
		}
		if err != nil {
			n.warnings = append(n.warnings, unreadReport(one.Shown, err, "what this report calls the model's fields is not considered: "))
			continue
		}
		all = append(all, proposal.Captions(one.Name, r)...)
	}
	return all
}

// Report is a report that is built on a model.
type Report struct {
	Item
	Dir        string // its folder, absolute
	Definition definition.Definition
	// Error is why it cannot be read; then it may be built on another model.
	Error error
}

// Reports returns the reports next to the model, by name, that refer to it by path, and those that cannot be read; at most so many are
// looked at.
func (i Item) Reports(ctx context.Context, most int) iter.Seq[Report] {
	return func(yield func(Report) bool) { i.reports(ctx, most, yield) }
}

func (i Item) reports(ctx context.Context, most int, yield func(Report) bool) {
	beside := filepath.Dir(i.at)
	tree, err := folder.OpenTree(beside)
	if err != nil {
		return
	}
	for n, name := range i.reportsBeside() {
		if n == most || ctx.Err() != nil {
			break
		}
		it, err := tree.Item(ctx, name)
		if err != nil {
			continue
		}
		dir := filepath.Join(beside, name)
		one := Report{Item: Item{TreeItem: it, Shown: path.Join(i.Shown, "..", name), tree: tree, at: dir}, Dir: dir}
		var at string
		if at, one.Error = modelOfReport(one.Dir); one.Error == nil && at != i.at {
			continue
		}
		if errors.Is(one.Error, fs.ErrNotExist) { // it has no definition.pbir, or another model
			continue
		}
		if one.Error == nil {
			one.Definition, _, one.Error = tree.Definition(ctx, it)
		}
		if !yield(one) {
			return
		}
	}
}

// reportsBeside returns the folders of reports next to the model, whatever model they are built on.
func (i Item) reportsBeside() (names []string) {
	entries, _ := os.ReadDir(filepath.Dir(i.at))
	for _, e := range entries {
		if kind, _ := folder.TypeOf(e.Name()); kind == item.Report {
			names = append(names, e.Name())
		}
	}
	return names
}

// unreadReport returns the warning about a report that cannot be read; what says what is missed.
func unreadReport(at string, err error, what string) Warning {
	w := Warning{at, 1, 0, what + readable(err).Error()}
	if in, ok := errors.AsType[*jsonpart.Error](err); ok {
		w = Warning{path.Join(at, in.File), max(in.Line, 1), in.Column, what + in.Message}
	}
	return w
}

// modelOfReport returns the folder of the semantic model that the report in a folder names by its path; "" if it names none.
func modelOfReport(dir string) (string, error) {
	file, err := spelled(dir, "definition.pbir")
	if err != nil {
		return "", err
	}
	data, err := readFile(file, maxProject)
	if err != nil {
		return "", err
	}
	named, err := report.ReadModel(data)
	if err != nil || named.Path == "" {
		return "", err
	}
	return spelled(dir, named.Path)
}
