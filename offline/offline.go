// Package offline does in a tree of files what the service does online: it
// assesses semantic models and data agents, previews and applies optimizations,
// and takes them back, with the same rules and without server or database. What
// it says of files is relative to one root, with forward slashes, and in the same
// order for the same files.
package offline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/definition/report"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/internal/jsonerror"
	"readiness/platform/folder"
)

// Item is a semantic model or a data agent in a tree of files.
type Item struct {
	folder.TreeItem
	// Shown is its folder relative to the root.
	Shown string

	tree *folder.Tree
}

// definition reads the item's parts, and writes nothing: what there is of a write that
// was cut off is a warning.
func (i Item) definition(ctx context.Context) (definition.Definition, []Warning, error) {
	d, pending, err := i.tree.Definition(ctx, i.TreeItem)
	if err != nil || pending == nil {
		return d, nil, err
	}
	return d, []Warning{{i.Shown, 1, pendingMessage(*pending)}}, nil
}

// pendingMessage says what is pending in the folder of an item, what was read of it,
// and what becomes of it.
func pendingMessage(u folder.Unfinished) string {
	remedy := "readiness apply --write of this folder clears it away"
	switch {
	case u.Left > 0:
		remedy = "it is read as that write leaves it; readiness apply --write of this folder finishes it, readiness revert --write of its record takes it back"
	case u.Parts > 0 && u.Changed == 0:
		remedy = "readiness apply --write of this folder finishes it, readiness revert --write of its record takes it back"
	}
	return u.String() + "; " + remedy
}

// Find returns the semantic models and data agents at the paths, each once, in
// the order of what is shown of them: those in a folder at any depth, the item
// that a folder or file is or lies in, and those that the reports of a .pbip file
// are built on. It fails when a path is not there or holds none.
func Find(ctx context.Context, root string, paths []string) ([]Item, error) {
	base, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	found := map[string]Item{}
	for _, p := range paths {
		whole, err := filepath.Abs(p)
		if err != nil {
			return nil, err
		}
		items, err := findAt(ctx, whole)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.ToSlash(p), told(err))
		}
		if len(items) == 0 {
			return nil, fmt.Errorf("%s: no semantic model is in it; name a folder that holds folders that end in .SemanticModel", filepath.ToSlash(p))
		}
		for at, i := range items {
			if i.Shown, err = filepath.Rel(base, at); err != nil {
				return nil, err
			}
			i.Shown = filepath.ToSlash(i.Shown)
			found[at] = i
		}
	}
	all := make([]Item, 0, len(found))
	for _, i := range found {
		all = append(all, i)
	}
	slices.SortFunc(all, func(a, b Item) int { return strings.Compare(a.Shown, b.Shown) })
	return all, nil
}

// findAt returns the items at an absolute path by their own.
func findAt(ctx context.Context, whole string) (map[string]Item, error) {
	info, err := os.Stat(whole)
	if err != nil {
		return nil, err
	}
	if dir := enclosing(whole); dir != "" {
		if kind, _ := folder.TypeOf(filepath.Base(dir)); kind == item.Report {
			return nil, errors.New("it is a report; name the semantic model that it is built on")
		}
		return one(ctx, dir)
	}
	if !info.IsDir() {
		if filepath.Ext(whole) == ".pbip" {
			return project(ctx, whole)
		}
		return nil, errors.New("it is a file of no semantic model; name a folder, a .pbip file or a file of a model")
	}
	tree, err := folder.OpenTree(whole)
	if err != nil {
		return nil, err
	}
	items, err := tree.Items(ctx, item.SemanticModel, item.DataAgent)
	if err != nil {
		return nil, err
	}
	found := make(map[string]Item, len(items))
	for _, i := range items {
		found[filepath.Join(whole, filepath.FromSlash(i.Path))] = Item{TreeItem: i, tree: tree}
	}
	return found, nil
}

// enclosing is the folder of the item that an absolute path is or lies in, "" when it
// is in none.
func enclosing(whole string) string {
	for dir := whole; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, isItem := folder.TypeOf(filepath.Base(dir)); isItem {
			return dir
		}
	}
	return ""
}

// one returns the item in a folder.
func one(ctx context.Context, dir string) (map[string]Item, error) {
	tree, err := folder.OpenTree(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	i, err := tree.Item(ctx, filepath.Base(dir))
	if err != nil {
		return nil, err
	}
	return map[string]Item{dir: {TreeItem: i, tree: tree}}, nil
}

// maxProject bounds a .pbip file and a definition.pbir, in bytes.
const maxProject = 1 << 20

// project returns the semantic models that the reports of a .pbip file name by
// their paths.
func project(ctx context.Context, file string) (map[string]Item, error) {
	data, err := readFile(file, maxProject)
	if err != nil {
		return nil, err
	}
	var pbip struct {
		Artifacts []struct{ Report struct{ Path string } }
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\ufeff")), &pbip); err != nil {
		return nil, fmt.Errorf("it is no project file: %w", jsonerror.Explain(err))
	}
	found := map[string]Item{}
	for _, a := range pbip.Artifacts {
		if a.Report.Path == "" {
			continue
		}
		dir := filepath.Join(filepath.Dir(file), filepath.FromSlash(strings.ReplaceAll(a.Report.Path, `\`, "/")))
		data, err := readFile(filepath.Join(dir, "definition.pbir"), maxProject)
		if err != nil {
			return nil, err
		}
		named, err := report.ReadModel(data)
		if err != nil {
			return nil, err
		}
		if named.Path == "" {
			return nil, fmt.Errorf("the report %s is built on a semantic model of the service, not of the project", path.Base(filepath.ToSlash(dir)))
		}
		model, err := one(ctx, filepath.Join(dir, filepath.FromSlash(strings.ReplaceAll(named.Path, `\`, "/"))))
		if err != nil {
			return nil, err
		}
		for at, i := range model {
			found[at] = i
		}
	}
	return found, nil
}

// readFile reads a file of at most limit bytes.
func readFile(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", filepath.ToSlash(name))
	case info.Size() > limit:
		return nil, fmt.Errorf("%s has %d bytes; at most %d are read", filepath.ToSlash(name), info.Size(), limit)
	}
	return os.ReadFile(name) //nolint:gosec // whoever runs the program names the file
}

// told is an error as a person at a terminal is told it, without the code that
// callers of the service go by.
func told(err error) error {
	if refusal, refused := domain.Refused(err); refused {
		return errors.New(refusal.Message)
	}
	return err
}

// models leaves data agents out: only semantic models are optimized.
func models(items []Item) []Item {
	return slices.DeleteFunc(slices.Clone(items), func(i Item) bool { return i.Type != item.SemanticModel })
}
