// Package offline assesses semantic models and data agents in files, and previews, applies and reverts optimizations.
// It uses the service's rules, without server or database. All paths in its results are relative to one root, with
// forward slashes, and the same files always give the same order.
package offline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"readiness/definition"
	"readiness/definition/dax/evaluate"
	"readiness/definition/jsonpart"
	"readiness/definition/semanticmodel"
	"readiness/definition/textfile"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/folder"
)

// Item is a semantic model or a data agent in a tree of files.
type Item struct {
	folder.TreeItem
	// Shown is the item's path relative to the root.
	Shown string

	tree *folder.Tree
	at   string // the absolute path
	held *held
}

// held is what stands in place of an item's files.
type held struct {
	d definition.Definition
	m *semanticmodel.Model
}

// Holding returns the semantic model with a definition in place of the one on disk, such as one with unsaved texts, and with what is read
// of it.
func (i Item) Holding(d definition.Definition, m *semanticmodel.Model) Item {
	i.held = &held{d, m}
	return i
}

// read reads the semantic model of the item's definition.
func (i Item) read(d definition.Definition) (*semanticmodel.Model, error) {
	if i.held != nil {
		return i.held.m, nil
	}
	return semanticmodel.Read(d)
}

// Dir returns the folder on disk that the paths of the item's parts start from.
func (i Item) Dir() string {
	if i.Form == folder.AsBIM {
		return filepath.Dir(i.at)
	}
	return i.at
}

// Folder returns the folder, relative to the root, that the paths of the item's parts start from.
func (i Item) Folder() string {
	if i.Form == folder.AsBIM {
		return path.Dir(i.Shown)
	}
	return i.Shown
}

// Definition reads the item's parts and writes nothing. An interrupted write is reported as a warning.
func (i Item) Definition(ctx context.Context) (definition.Definition, []Warning, error) {
	if i.held != nil {
		return i.held.d, nil, nil
	}
	d, pending, err := i.tree.Definition(ctx, i.TreeItem)
	if err != nil {
		return d, nil, err
	}
	var all []Warning
	if pending != nil {
		all = append(all, Warning{i.Shown, 1, 0, pendingMessage(*pending)})
	}
	return d, append(all, i.platformFile()...), nil
}

// SampleData reads the data beside the item's definition; it refuses with OperationNotSupportedForItem if there is none.
func (i Item) SampleData(ctx context.Context, m *semanticmodel.Model) ([]evaluate.Data, error) {
	return i.tree.SampleData(ctx, i.TreeItem, m)
}

// maxPlatformFile bounds a .platform, in bytes.
const maxPlatformFile = 1 << 20

// platformFile returns a warning if the .platform of the item's folder cannot be understood; then the item's name is that
// of its folder, and no data agent finds it by its id.
func (i Item) platformFile() []Warning {
	if i.Form != folder.InFolder {
		return nil
	}
	data, err := readFile(filepath.Join(i.at, ".platform"), maxPlatformFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil:
		err = semanticmodel.CheckPlatformFile(data)
	}
	if err == nil {
		return nil
	}
	w := Warning{path.Join(i.Shown, ".platform"), 1, 0, err.Error()}
	if in, ok := errors.AsType[*jsonpart.Error](err); ok {
		w.Line, w.Column, w.Message = max(in.Line, 1), in.Column, in.Message
	}
	w.Message += "; the item is named by its folder, and its id is unknown"
	return []Warning{w}
}

// pendingMessage describes an interrupted write of an item, what was read, and how to resolve it.
func pendingMessage(u folder.Unfinished) string {
	remedy := "readiness apply --write of this model removes it"
	switch {
	case u.Left > 0:
		remedy = "it is read as if that write were finished; readiness apply --write of this model finishes it, " +
			"readiness revert --write of its record undoes it"
	case u.Parts > 0 && u.Changed == 0:
		remedy = "readiness apply --write of this model finishes it, readiness revert --write of its record undoes it"
	}
	return u.String() + "; " + remedy
}

// readFile reads a file of at most limit bytes.
func readFile(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", filepath.ToSlash(name))
	case info.Size() > limit:
		return nil, fmt.Errorf("%s has %d bytes; at most %d are read", filepath.ToSlash(name), info.Size(), limit)
	}
	return os.ReadFile(name) //nolint:gosec // the user names the file
}

// ReadText reads a file of JSON or YAML of at most limit bytes, with a byte order mark or without it.
// What stands in the place of its text is an error with a cure.
func ReadText(name string, limit int64) ([]byte, error) {
	data, err := readFile(name, limit)
	if err != nil {
		return nil, err
	}
	if damage := textfile.Check(data); damage != nil {
		return nil, damage.In(filepath.ToSlash(name))
	}
	return textfile.Trim(data), nil
}

// readable returns err for people: a refusal without its code.
func readable(err error) error {
	if refusal, refused := domain.Refused(err); refused {
		return errors.New(refusal.Message)
	}
	return err
}

// models returns the semantic models among the items; data agents are not optimized.
func models(items []Item) []Item {
	return slices.DeleteFunc(slices.Clone(items), func(i Item) bool { return i.Type != item.SemanticModel })
}
