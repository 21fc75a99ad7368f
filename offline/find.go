package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"readiness/domain/item"
	"readiness/offline/show"
	"readiness/platform/folder"
)

// Find returns the semantic models and data agents at the paths, each once, ordered by shown path. A path selects the
// items in a folder at any depth, the item that it is or is in, or the models of the reports of a .pbip file. Find
// fails if a path does not exist, or if none selects anything. The warnings list folders that were not searched, and those
// of several that hold nothing.
func Find(ctx context.Context, root string, paths []string) ([]Item, []Warning, error) {
	base, err := filepath.Abs(root)
	if err != nil {
		return nil, nil, err
	}
	all := &scan{ctx: ctx, items: map[string]Item{}, passed: map[string]string{}}
	var empty []Warning // folders without an item
	for _, p := range paths {
		full, err := filepath.Abs(p)
		if err != nil {
			return nil, nil, err
		}
		before := len(all.items)
		found, err := all.at(full)
		if err == nil && found == 0 && len(all.items) == before {
			if none := all.none(full); len(paths) > 1 {
				empty = append(empty, Warning{filepath.ToSlash(p), 1, 0, none.Error()})
			} else {
				err = none
			}
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", p, readable(err))
		}
	}
	if len(all.items) == 0 && len(empty) > 0 {
		return nil, nil, fmt.Errorf("%s: %s", empty[0].File, empty[0].Message)
	}
	items := make([]Item, 0, len(all.items))
	for at, i := range all.items {
		i.at = at
		if i.Shown, err = relative(base, at); err != nil {
			return nil, nil, err
		}
		items = append(items, i)
	}
	slices.SortFunc(items, func(a, b Item) int { return strings.Compare(a.Shown, b.Shown) })
	warnings, err := all.warnings(base)
	return items, append(empty, warnings...), err
}

// relative returns an absolute path relative to base, with forward slashes.
func relative(base, at string) (string, error) {
	below, err := filepath.Rel(base, at)
	return filepath.ToSlash(below), err
}

// scan is the state of Find, keyed by absolute paths.
type scan struct {
	ctx   context.Context
	items map[string]Item
	// passed maps folders that were not searched to the reason.
	passed map[string]string
}

// at finds the items at an absolute path and returns their number.
func (f *scan) at(full string) (int, error) {
	info, err := os.Stat(full)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, errors.New(missing(full))
	}
	if err != nil {
		return 0, err
	}
	if dir := enclosing(full); dir != "" {
		if kind, _ := folder.TypeOf(filepath.Base(dir)); kind == item.Report {
			return 0, errors.New("it is a report; name the semantic model that it is built on")
		}
		return f.one(dir)
	}
	if dir := project(full); dir != "" {
		return f.one(dir)
	}
	switch extension := strings.ToLower(filepath.Ext(full)); {
	case info.IsDir():
		return f.search(full)
	case extension == ".pbip":
		n, err := f.pbip(full)
		if at, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s does not exist; get the folders of the project, too, which its .pbip file only names", filepath.ToSlash(at.Path))
		}
		return n, err
	case extension == ".bim":
		return f.one(full)
	case extension == ".tmdl":
		if dir := declared(filepath.Dir(full)); dir != "" {
			return f.one(dir)
		}
		return 0, errors.New("it is a TMDL file that belongs to no model: neither its folder nor a parent holds model.tmdl or " +
			"database.tmdl")
	}
	if why := other(full); why != "" {
		return 0, errors.New(why)
	}
	return 0, errors.New("it does not belong to a semantic model; name a folder, a .pbip or .bim file, or a file of a model")
}

// missing says what to do about a path where nothing is.
func missing(full string) string {
	switch {
	case strings.HasSuffix(full, `"`):
		return "it does not exist; leave out the backslash before the closing quotation mark, which Windows takes for a part of the name"
	case strings.ContainsAny(full, "*?"):
		return "it does not exist, and wildcards are not expanded; name the folder that holds the models"
	}
	return "it does not exist; check its spelling, and that it is relative to the current folder"
}

// search finds the items in a folder at any depth, or the loose model that the folder is part of.
func (f *scan) search(full string) (int, error) {
	tree, err := folder.OpenTree(full)
	if err != nil {
		return 0, err
	}
	found, err := tree.Search(f.ctx, item.SemanticModel, item.DataAgent)
	if err != nil {
		return 0, err
	}
	for _, h := range found.Hidden {
		f.passed[filepath.Join(full, filepath.FromSlash(h.Path))] = fmt.Sprintf(
			"it was not searched because its name begins with a dot, but %s in it; name the folder to search it", are(h.Items, "item"))
	}
	for _, dir := range found.TooDeep {
		f.passed[filepath.Join(full, filepath.FromSlash(dir))] = fmt.Sprintf("it was not searched because it is nested more than %d "+
			"folders deep; name a folder closer to it", folder.MaxDepth)
	}
	for _, i := range found.Items {
		at := filepath.Join(full, filepath.FromSlash(i.Path))
		if i.Path == "." && filepath.Dir(full) != full {
			if _, err := f.one(full); err != nil { // so that its name comes from its own folder
				return 0, err
			}
			continue
		}
		f.items[at] = Item{TreeItem: i, tree: tree}
	}
	if len(found.Items) == 0 && hasTMDL(full) {
		if dir := declared(filepath.Dir(full)); dir != "" {
			return f.one(dir)
		}
	}
	return len(found.Items), nil
}

// none returns the error for a folder without items.
func (f *scan) none(full string) error {
	for dir := range f.passed {
		if strings.HasPrefix(dir, full+string(filepath.Separator)) {
			return fmt.Errorf("its only semantic models are in folders that are not searched, such as %s; name that folder",
				filepath.Base(dir))
		}
	}
	if at, why := foreign(full); why != "" {
		return fmt.Errorf("it contains no semantic model that can be read: %s: %s", at, why)
	}
	if hasTMDL(full) {
		return errors.New("it holds .tmdl files but no model: a folder of TMDL files is a model only if it has model.tmdl or database.tmdl")
	}
	return errors.New("it contains no semantic model; name a folder with folders that end in .SemanticModel, .bim files or TMDL files " +
		"with model.tmdl")
}

// other says how to save a model whose form cannot be read, by the name of a file that has it or stands in its folder; "" for any other.
func other(file string) string {
	const project = "in Power BI Desktop, save it as a project (File, Save as, Power BI project files), and name the folder that this makes"
	switch name := strings.ToLower(filepath.Base(file)); {
	case filepath.Ext(name) == ".pbix":
		return "a .pbix file cannot be read; open it " + project
	case filepath.Ext(name) == ".pbit":
		return "a .pbit template cannot be read; open it " + project
	case name == ".pbixproj.json":
		return "pbi-tools extracted this model; write it as one file with pbi-tools export-bim, and name the .bim file"
	case name == "database.json":
		return "Tabular Editor saved this model as a folder of JSON; save it there as TMDL or as a .bim file (File, Save as), and name that"
	}
	return ""
}

// foreign returns the first file below a folder whose model cannot be read in its form, and how to save it.
func foreign(dir string) (at, why string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || e.IsDir() && path != dir && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case e.IsDir():
			return nil
		}
		if why = other(path); why == "" {
			return nil
		}
		at, _ = relative(dir, path)
		return fs.SkipAll
	})
	return at, why
}

// warnings lists the folders that were not searched, except those with items that were found anyway.
func (f *scan) warnings(base string) ([]Warning, error) {
	var all []Warning
	for dir, why := range f.passed {
		named := false
		for at := range f.items {
			named = named || strings.HasPrefix(at+string(filepath.Separator), dir+string(filepath.Separator))
		}
		if named {
			continue
		}
		below, err := relative(base, dir)
		if err != nil {
			return nil, err
		}
		all = append(all, Warning{below, 1, 0, why})
	}
	slices.SortFunc(all, func(a, b Warning) int { return strings.Compare(a.File, b.File) })
	return all, nil
}

// are formats a number of things as the subject of a sentence.
func are(n int, noun string) string {
	if n == 1 {
		return show.Count(n, noun) + " is"
	}
	return show.Count(n, noun) + " are"
}

// enclosing returns the item folder that an absolute path is or is in; "" if there is none.
func enclosing(full string) string {
	for dir := full; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, isItem := folder.TypeOf(filepath.Base(dir)); isItem {
			return dir
		}
	}
	return ""
}

// project returns the folder that an absolute path is or is in and whose contents make it a semantic model, whatever
// its name; "" if there is none.
func project(full string) string {
	for dir := full; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(dir, "definition.pbism")); err == nil && info.Mode().IsRegular() &&
			isModel(dir, folder.InFolder) {
			return dir
		}
	}
	return ""
}

// declared returns the folder that an absolute path is or is in and that holds the TMDL files of a model; "" if there
// is none.
func declared(full string) string {
	for dir := full; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if isModel(dir, folder.AsTMDL) {
			return dir
		}
	}
	return ""
}

// isModel reports whether a folder is a semantic model of the form.
func isModel(dir string, form folder.Form) bool {
	tree, err := folder.OpenTree(filepath.Dir(dir))
	if err != nil {
		return false
	}
	i, err := tree.Item(context.Background(), filepath.Base(dir))
	return err == nil && i.Form == form
}

// hasTMDL reports whether a folder contains TMDL files.
func hasTMDL(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return e.Type().IsRegular() && strings.EqualFold(filepath.Ext(e.Name()), ".tmdl")
	})
}

// one adds the item at an absolute path.
func (f *scan) one(full string) (int, error) {
	if info, err := os.Lstat(full); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return 0, errors.New("it is a link, and links are not followed; name its target")
	}
	tree, err := folder.OpenTree(filepath.Dir(full))
	if err != nil {
		return 0, err
	}
	i, err := tree.Item(f.ctx, filepath.Base(full))
	if err != nil {
		return 0, err
	}
	f.items[full] = Item{TreeItem: i, tree: tree}
	return 1, nil
}

// ItemOf returns the semantic model that a file belongs to, or the report that it is a part of; nil if there is none.
func ItemOf(ctx context.Context, root, file string) (*Item, error) {
	if dir := enclosing(file); dir != "" {
		if kind, _ := folder.TypeOf(filepath.Base(dir)); kind == item.Report {
			var err error
			if file, err = modelOfReport(dir); err != nil || file == "" {
				return nil, err
			}
		}
	}
	if info, err := os.Stat(file); err != nil || info.IsDir() { // a new file, not saved yet, or a folder, which is not searched
		if file = cmp.Or(enclosing(file), project(file), declared(file)); file == "" {
			return nil, nil
		}
	}
	found, _, err := Find(ctx, root, []string{file})
	if err != nil || len(found) != 1 || found[0].Type != item.SemanticModel {
		return nil, nil //nolint:nilerr // the file belongs to no model
	}
	return &found[0], nil
}
