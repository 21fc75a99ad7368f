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
	"io/fs"
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
	// Shown is its path relative to the root.
	Shown string

	tree *folder.Tree
}

// folder is the folder, relative to the root, that the paths of its parts are
// relative to.
func (i Item) folder() string {
	if i.Form == folder.AsBIM {
		return path.Dir(i.Shown)
	}
	return i.Shown
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
	remedy := "readiness apply --write of this model clears it away"
	switch {
	case u.Left > 0:
		remedy = "it is read as that write leaves it; readiness apply --write of this model finishes it, readiness revert --write of its record takes it back"
	case u.Parts > 0 && u.Changed == 0:
		remedy = "readiness apply --write of this model finishes it, readiness revert --write of its record takes it back"
	}
	return u.String() + "; " + remedy
}

// Find returns the semantic models and data agents at the paths, each once, in
// the order of what is shown of them: those in a folder at any depth, the item
// that a folder or file is or lies in, and those that the reports of a .pbip file
// are built on. It fails when a path is not there or holds none. The warnings are of
// what was not searched.
func Find(ctx context.Context, root string, paths []string) ([]Item, []Warning, error) {
	base, err := filepath.Abs(root)
	if err != nil {
		return nil, nil, err
	}
	all := &finding{ctx: ctx, items: map[string]Item{}, passed: map[string]string{}}
	for _, p := range paths {
		whole, err := filepath.Abs(p)
		if err != nil {
			return nil, nil, err
		}
		before := len(all.items)
		found, err := all.at(whole)
		if err == nil && found == 0 && len(all.items) == before {
			err = all.none(whole)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", filepath.ToSlash(p), told(err))
		}
	}
	items := make([]Item, 0, len(all.items))
	for at, i := range all.items {
		if i.Shown, err = shown(base, at); err != nil {
			return nil, nil, err
		}
		items = append(items, i)
	}
	slices.SortFunc(items, func(a, b Item) int { return strings.Compare(a.Shown, b.Shown) })
	warnings, err := all.warnings(base)
	return items, warnings, err
}

// shown is an absolute path relative to another, with forward slashes.
func shown(base, at string) (string, error) {
	below, err := filepath.Rel(base, at)
	return filepath.ToSlash(below), err
}

// finding is what was found so far, by absolute paths.
type finding struct {
	ctx   context.Context
	items map[string]Item
	// passed are the folders that were not searched, with why.
	passed map[string]string
}

// at finds the items at an absolute path and returns how many there are.
func (f *finding) at(whole string) (int, error) {
	info, err := os.Stat(whole)
	if err != nil {
		return 0, err
	}
	if dir := enclosing(whole); dir != "" {
		if kind, _ := folder.TypeOf(filepath.Base(dir)); kind == item.Report {
			return 0, errors.New("it is a report; name the semantic model that it is built on")
		}
		return f.one(dir)
	}
	if dir := project(whole); dir != "" {
		return f.one(dir)
	}
	switch extension := strings.ToLower(filepath.Ext(whole)); {
	case info.IsDir():
		return f.search(whole)
	case extension == ".pbip":
		return f.pbip(whole)
	case extension == ".bim":
		return f.one(whole)
	case extension == ".tmdl":
		if dir := declared(filepath.Dir(whole)); dir != "" {
			return f.one(dir)
		}
		return 0, errors.New("it is a TMDL file of no model: neither its folder nor one above it holds model.tmdl or database.tmdl")
	}
	return 0, errors.New("it is a file of no semantic model; name a folder, a .pbip or .bim file, or a file of a model")
}

// search finds the items in a folder at any depth, or the loose model that the folder
// lies in.
func (f *finding) search(whole string) (int, error) {
	tree, err := folder.OpenTree(whole)
	if err != nil {
		return 0, err
	}
	found, err := tree.Search(f.ctx, item.SemanticModel, item.DataAgent)
	if err != nil {
		return 0, err
	}
	for _, h := range found.Hidden {
		f.passed[filepath.Join(whole, filepath.FromSlash(h.Path))] = fmt.Sprintf(
			"it is not searched, as its name begins with a dot, and %s in it; name it to have it searched", are(h.Items, "item"))
	}
	for _, dir := range found.TooDeep {
		f.passed[filepath.Join(whole, filepath.FromSlash(dir))] = fmt.Sprintf("it is not searched, as it lies deeper than %d folders; name a folder nearer to it", folder.MaxDepth)
	}
	for _, i := range found.Items {
		at := filepath.Join(whole, filepath.FromSlash(i.Path))
		if i.Path == "." && filepath.Dir(whole) != whole {
			if _, err := f.one(whole); err != nil { // it is called by its own name
				return 0, err
			}
			continue
		}
		f.items[at] = Item{TreeItem: i, tree: tree}
	}
	if len(found.Items) == 0 && hasTMDL(whole) {
		if dir := declared(filepath.Dir(whole)); dir != "" {
			return f.one(dir)
		}
	}
	return len(found.Items), nil
}

// none is the error of a folder that nothing is found in.
func (f *finding) none(whole string) error {
	for dir := range f.passed {
		if strings.HasPrefix(dir, whole+string(filepath.Separator)) {
			return fmt.Errorf("no semantic model is in it but where it is not searched, as in %s; name that folder", filepath.Base(dir))
		}
	}
	if hasTMDL(whole) {
		return errors.New("it holds .tmdl files and no model: a folder of TMDL files is one when it has model.tmdl or database.tmdl")
	}
	return errors.New("no semantic model is in it; name a folder that holds folders that end in .SemanticModel, .bim files or TMDL files with model.tmdl")
}

// warnings tell what was not searched, but for what was found all the same.
func (f *finding) warnings(base string) ([]Warning, error) {
	var all []Warning
	for dir, why := range f.passed {
		named := false
		for at := range f.items {
			named = named || strings.HasPrefix(at+string(filepath.Separator), dir+string(filepath.Separator))
		}
		if named {
			continue
		}
		below, err := shown(base, dir)
		if err != nil {
			return nil, err
		}
		all = append(all, Warning{below, 1, why})
	}
	slices.SortFunc(all, func(a, b Warning) int { return strings.Compare(a.File, b.File) })
	return all, nil
}

// are says how many of something there are.
func are(n int, noun string) string {
	if n == 1 {
		return count(n, noun) + " is"
	}
	return count(n, noun) + " are"
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

// project is the folder that an absolute path is or lies in and that is a semantic
// model's by what it holds, whatever it is called; "" when there is none.
func project(whole string) string {
	for dir := whole; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(dir, "definition.pbism")); err == nil && info.Mode().IsRegular() && isModel(dir, folder.InFolder) {
			return dir
		}
	}
	return ""
}

// declared is the folder that an absolute path is or lies in and that holds the TMDL
// files of a model; "" when there is none.
func declared(whole string) string {
	for dir := whole; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if isModel(dir, folder.AsTMDL) {
			return dir
		}
	}
	return ""
}

// isModel reports whether a folder is that of a semantic model, in the form.
func isModel(dir string, form folder.Form) bool {
	tree, err := folder.OpenTree(filepath.Dir(dir))
	if err != nil {
		return false
	}
	i, err := tree.Item(context.Background(), filepath.Base(dir))
	return err == nil && i.Form == form
}

// hasTMDL reports whether TMDL files lie in a folder.
func hasTMDL(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return e.Type().IsRegular() && strings.EqualFold(filepath.Ext(e.Name()), ".tmdl")
	})
}

// one finds the item that an absolute path is that of.
func (f *finding) one(whole string) (int, error) {
	if info, err := os.Lstat(whole); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return 0, errors.New("it is a link, and links are not followed; name what it leads to")
	}
	tree, err := folder.OpenTree(filepath.Dir(whole))
	if err != nil {
		return 0, err
	}
	i, err := tree.Item(f.ctx, filepath.Base(whole))
	if err != nil {
		return 0, err
	}
	f.items[whole] = Item{TreeItem: i, tree: tree}
	return 1, nil
}

// maxProject bounds a .pbip file and a definition.pbir, in bytes.
const maxProject = 1 << 20

// pbip finds the semantic models that the reports of a .pbip file name by their
// paths, in whatever letter case: projects are made on Windows.
func (f *finding) pbip(file string) (int, error) {
	data, err := readFile(file, maxProject)
	if err != nil {
		return 0, err
	}
	var pbip struct {
		Artifacts []struct{ Report struct{ Path string } }
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\ufeff")), &pbip); err != nil {
		return 0, fmt.Errorf("it is no project file: %w", jsonerror.Explain(err))
	}
	n := 0
	for _, a := range pbip.Artifacts {
		if a.Report.Path == "" {
			continue
		}
		dir, err := spelled(filepath.Dir(file), a.Report.Path)
		if err != nil {
			return 0, err
		}
		pbir, err := spelled(dir, "definition.pbir")
		if err != nil {
			return 0, err
		}
		data, err := readFile(pbir, maxProject)
		if err != nil {
			return 0, err
		}
		named, err := report.ReadModel(data)
		if err != nil {
			return 0, err
		}
		if named.Path == "" {
			return 0, fmt.Errorf("the report %s is built on a semantic model of the service, not of the project", path.Base(filepath.ToSlash(dir)))
		}
		model, err := spelled(dir, named.Path)
		if err != nil {
			return 0, err
		}
		found, err := f.one(model)
		if err != nil {
			return 0, err
		}
		n += found
	}
	return n, nil
}

// spelled is the path below a folder, with slashes of either kind, as the disk spells
// it: each element exactly so, or else the one that differs by letter case alone.
func spelled(dir, below string) (string, error) {
	for element := range strings.SplitSeq(strings.ReplaceAll(below, `\`, "/"), "/") {
		switch element {
		case "", ".":
			continue
		case "..":
			dir = filepath.Dir(dir)
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, element)); err == nil {
			dir = filepath.Join(dir, element)
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return "", err
		}
		var like []string
		for _, e := range entries {
			if strings.EqualFold(e.Name(), element) {
				like = append(like, e.Name())
			}
		}
		switch len(like) {
		case 0:
			return "", &fs.PathError{Op: "open", Path: filepath.Join(dir, element), Err: fs.ErrNotExist}
		case 1:
			dir = filepath.Join(dir, like[0])
		default:
			return "", fmt.Errorf("%q is %s, and letter case alone tells them apart; correct the letter case where it is named, or rename one", element, strings.Join(like, " or "))
		}
	}
	return dir, nil
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
