package offline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"time"

	"readiness/definition"
	"readiness/definition/mention"
	"readiness/definition/semanticmodel"
	"readiness/domain/item"
	"readiness/internal/indentedjson"
	"readiness/internal/lists"
)

// MaxReports bounds the reports next to a model in which a name is looked for.
const MaxReports = 200

// Renaming is another name of a field in a semantic model and in the reports on it.
type Renaming struct {
	Field mention.Field
	Name  string
	// Changed are the model, and the reports that name the field.
	Changed []Renamed
}

// Renamed is a semantic model or a report in which a field has another name.
type Renamed struct {
	Item
	Before, After definition.Definition
}

// Rename reads a semantic model and gives one of its fields, written as Table[Name], [Name] or Name, another name. It writes nothing.
func Rename(ctx context.Context, i Item, field, name string) (Renaming, []Warning, error) {
	d, warnings, err := i.Definition(ctx)
	if err != nil {
		return Renaming{}, nil, readable(err)
	}
	m, err := semanticmodel.Read(d)
	if err != nil {
		return Renaming{}, warnings, fmt.Errorf("%s: %w", i.Shown, err)
	}
	x := mention.Of(d, m)
	f, err := x.Written(field)
	if err != nil {
		return Renaming{}, warnings, err
	}
	r, err := i.Rename(ctx, d, m, x, f, name, nil)
	return r, warnings, err
}

// Rename gives a field another name in the model's definition, which is m and has the index x, and in the reports on it, or says why that
// is not safe. put puts unsaved texts into the definition of a report, which is in a folder; it may be nil.
func (i Item) Rename(ctx context.Context, d definition.Definition, m *semanticmodel.Model, x *mention.Index, f mention.Field, name string,
	put func(definition.Definition, string) definition.Definition,
) (Renaming, error) {
	if len(m.Unread) > 0 {
		return Renaming{}, fmt.Errorf("%s cannot be understood, so it is not known what it names", m.Unread[0].File)
	}
	if n := len(i.reportsBeside()); n > MaxReports {
		return Renaming{}, fmt.Errorf("%d reports are next to the model, and a name is looked for in at most %d", n, MaxReports)
	}
	after, err := x.Rename(d, f, name)
	if err != nil {
		return Renaming{}, err
	}
	r := Renaming{f, name, []Renamed{{i, d, after}}}
	for one := range i.Reports(ctx, MaxReports) {
		before, err := one.Definition, one.Error
		if err == nil && put != nil {
			before = put(before, one.Dir)
		}
		if err == nil {
			after, err = x.InReport(before, f, name)
		}
		if err != nil {
			return Renaming{}, fmt.Errorf("the report %s: %w", one.Name, readable(err))
		}
		if len(differing(before, after)) > 0 {
			r.Changed = append(r.Changed, Renamed{one.Item, before, after})
		}
	}
	return r, ctx.Err()
}

// Items returns the model and the reports that change.
func (r Renaming) Items() []Item {
	return lists.Map(r.Changed, func(c Renamed) Item { return c.Item })
}

// Files returns the changed files, relative to the root.
func (r Renaming) Files() (all []string) {
	for _, c := range r.Changed {
		all = append(all, c.Files()...)
	}
	return all
}

// Files returns the changed files, relative to the root.
func (r Renamed) Files() []string {
	return lists.Map(r.Parts(), func(part string) string { return path.Join(r.Folder(), part) })
}

// Parts returns the paths of the changed parts.
func (r Renamed) Parts() []string {
	return lists.Map(differing(r.Before, r.After), func(p RecordedPart) string { return p.Path })
}

// IsReport reports whether it is a report, and no semantic model.
func (r Renamed) IsReport() bool { return r.Type == item.Report }

// Write writes the renaming, and before it a record for Reverse, as Write does. It stops at the first item that cannot be written.
func (r Renaming) Write(ctx context.Context, file string, now time.Time) (applied []Applied, record string, err error) {
	if record, err = r.record(now).write("", file); err != nil {
		return nil, "", err
	}
	var begun bool
	for failed, n := false, 0; n < len(r.Changed) && !failed; n++ {
		if ctx.Err() != nil {
			return applied, record, ctx.Err()
		}
		one := r.Changed[n].write(ctx, r.Changed[n].After, r.Changed[n].Before.Hash(), &begun)
		applied, failed = append(applied, one), one.Error != nil
	}
	return applied, needed(record, begun), nil
}

// Record writes a record of a renaming that an editor made, to a new file in the root, and returns the file's name.
func (r Renaming) Record(root string, now time.Time) (string, error) {
	if err := Inside(r.Items()); err != nil {
		return "", err
	}
	file, err := r.record(now).write(root, "")
	return filepath.Base(file), err
}

func (r Renaming) record(now time.Time) Record {
	all := Record{Format: recordFormat, AppliedAt: now.UTC(), Together: true}
	for _, c := range r.Changed {
		all.Models = append(all.Models, recorded(c.Item, c.Before, c.After))
	}
	return all
}

// recorded returns the record of the parts of an item that are written.
func recorded(i Item, before, after definition.Definition) RecordedModel {
	return RecordedModel{Path: i.Shown, Form: formOf(i.TreeItem), DefinitionHash: before.Hash(), WrittenHash: after.Hash(), Applies: []Apply{},
		Parts: differing(before, after)}
}

// differing returns the parts of a definition that are not as before.
func differing(before, after definition.Definition) (parts []RecordedPart) {
	for _, p := range after.Parts {
		if was, ok := before.Part(p.Path); !ok || !bytes.Equal(was, p.Data) {
			parts = append(parts, RecordedPart{p.Path, was, partHash(p.Data)})
		}
	}
	return parts
}

// WriteRenaming writes as JSON what a renaming changes, and what was written of it, with the record.
func WriteRenaming(w io.Writer, r Renaming, applied []Applied, record string) error {
	return indentedjson.Write(w, struct {
		Format  string         `json:"format"`
		Table   string         `json:"table"`
		Field   string         `json:"field"`
		Name    string         `json:"name"`
		Items   []string       `json:"items"`
		Files   []string       `json:"files"`
		Record  string         `json:"record,omitempty"`
		Written []writtenModel `json:"written,omitempty"`
	}{"readiness-rename/1", r.Field.Table, r.Field.Name, r.Name, lists.Map(r.Items(), func(i Item) string { return i.Shown }), r.Files(),
		filepath.ToSlash(record), writtenModels(applied)})
}

// errTogether is why an item is not reverted that others belong to.
var errTogether = errors.New("it was renamed in together with an item that cannot be reverted, so it stays, too")
