package folder

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/dax/evaluate"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/internal/filelock"
)

// Tree is a directory with items anywhere in it, for programs that work on files rather than for a person. It has no
// workspaces, members or capacities, and no bound on how many other files it holds. A path identifies an item. A
// semantic model need not have an item folder: a model in a .bim file, or in TMDL files alone, is loose and can have no
// other parts. The rules of Platform for links, bounds of definitions, locks and writes apply.
type Tree struct{ platform *Platform }

// TreeItem is an item of a Tree.
type TreeItem struct {
	Type item.Type
	// Path is the item's folder relative to the tree, with forward slashes; for a .bim file, the file.
	Path string
	// Name is the display name in .platform, else the folder's name without the type. For a loose model it is the
	// file's name without .bim, or the folder's name. If that name says nothing (model.bim, definition), it is the
	// parent folder's name.
	Name string
	// LogicalID is the id in .platform; uuid.Nil if there is none or it is invalid.
	LogicalID uuid.UUID
	Form      Form
}

// Form is how an item is stored in a tree.
type Form int

// The forms of an item in a tree.
const (
	// InFolder is an item with its own folder: one that ends in the type, or that has a definition.pbism next to a
	// folder definition or a model.bim.
	InFolder Form = iota
	// AsTMDL is a model of TMDL files alone, in a folder with model.tmdl or database.tmdl and its subfolders.
	AsTMDL
	// AsBIM is a model in a single .bim file.
	AsBIM
)

// Folder returns the folder, relative to the tree, that the paths of the item's parts start from.
func (i TreeItem) Folder() string {
	if i.Form == AsBIM {
		return path.Dir(i.Path)
	}
	return i.Path
}

// OpenTree returns the tree in the directory root.
func OpenTree(root string) (*Tree, error) {
	full, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("the folder %q: %w", root, err)
	}
	switch info, err := os.Stat(full); {
	case err != nil:
		return nil, fmt.Errorf("the folder cannot be read: %w; name an existing folder", err)
	case !info.IsDir():
		return nil, fmt.Errorf("%q is a file; name the folder that holds it", root)
	}
	return &Tree{&Platform{
		path: full, name: filepath.Base(full), logger: slog.New(slog.DiscardHandler), now: time.Now, own: true,
		bounds: bounds{entries: math.MaxInt, parts: MaxParts, partBytes: MaxPartBytes, definitionBytes: MaxDefinitionBytes},
	}}, nil
}

// TypeOf returns the type of item that a folder's name stands for. It ignores the letter case of .SemanticModel and
// .DataAgent, which are not ordinary words.
func TypeOf(name string) (item.Type, bool) {
	switch suffix := path.Ext(name); {
	case len(name) == len(suffix):
		return "", false
	case strings.EqualFold(suffix, ".SemanticModel"):
		return item.SemanticModel, true
	case strings.EqualFold(suffix, ".DataAgent"):
		return item.DataAgent, true
	}
	return typeOf(name)
}

// Item returns the item at a path relative to the tree; ItemNotFound if there is none, or if a link leads out of the
// tree.
func (t *Tree) Item(ctx context.Context, at string) (TreeItem, error) {
	root, err := t.platform.open(ctx)
	if err != nil {
		return TreeItem{}, err
	}
	defer root.Close()
	none := domain.Refuse(domain.ItemNotFound, "%q is not the path of an item", at)
	if !fs.ValidPath(at) {
		return TreeItem{}, none
	}
	for above := path.Dir(at); above != "."; above = path.Dir(above) {
		if _, isItem := TypeOf(path.Base(above)); isItem && !isItemName(at) {
			return TreeItem{}, none
		}
	}
	kind, isItem := TypeOf(path.Base(at))
	info, err := root.Lstat(at)
	switch {
	case isItem && (err != nil || !info.IsDir()):
		return TreeItem{}, notFound(item.Item{Type: kind, DisplayName: at})
	case isItem:
		return t.inFolder(ctx, root, kind, at)
	case err != nil:
		return TreeItem{}, none
	case info.Mode().IsRegular() && isBIM(path.Base(at)):
		return t.loose(at, AsBIM), nil
	case !info.IsDir():
		return TreeItem{}, none
	}
	below, err := root.OpenRoot(at)
	if err != nil {
		return TreeItem{}, none
	}
	defer below.Close()
	there, err := t.platform.holds(ctx, below)
	switch {
	case err != nil:
		return TreeItem{}, t.platform.unavailable(ctx, err, "%s cannot be listed", at)
	case there.project():
		return t.inFolder(ctx, root, item.SemanticModel, at)
	case there.tmdl:
		return t.loose(at, AsTMDL), nil
	}
	return TreeItem{}, none
}

func isItemName(at string) bool { _, is := TypeOf(path.Base(at)); return is }

// inFolder returns the item that has its own folder dir.
func (t *Tree) inFolder(ctx context.Context, root *os.Root, kind item.Type, dir string) (TreeItem, error) {
	file, _, err := readPlatformFile(root, dir)
	if err != nil {
		return TreeItem{}, t.platform.unavailable(ctx, err, "%s cannot be read", dir)
	}
	return TreeItem{Type: kind, Path: dir, Name: cmp.Or(file.displayName, t.nameOf(dir)), LogicalID: file.logicalID}, nil
}

// loose returns the model at a path without its own folder.
func (t *Tree) loose(at string, form Form) TreeItem {
	return TreeItem{Type: item.SemanticModel, Path: at, Name: t.nameOf(at), Form: form}
}

// nameOf derives an item's name from its path.
func (t *Tree) nameOf(at string) string {
	full := filepath.Join(t.platform.path, filepath.FromSlash(at))
	name := filepath.Base(full)
	if strings.EqualFold(name, "model.bim") || strings.EqualFold(name, "definition") {
		name = filepath.Base(filepath.Dir(full))
	}
	if _, isItem := TypeOf(name); isItem || isBIM(name) {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	return strings.ToValidUTF8(name, "\ufffd")
}

// WriteDefinition makes d the item's definition if the one on disk still has the hash ifHash. The guarantees are those
// of Platform.WriteDefinition.
func (t *Tree) WriteDefinition(ctx context.Context, it TreeItem, d definition.Definition, ifHash string) error {
	if err := t.platform.bounds.check(it.entry().Item, d); err != nil {
		return err
	}
	if d.Loose != (it.Form != InFolder) {
		return domain.Refuse(domain.InvalidRequest, "the definition for %s cannot be written: it has another form", it.Path)
	}
	return t.within(ctx, it, filelock.Exclusive, func(f *itemFolder) error {
		if err := f.finishWrite(ctx, filelock.Exclusive); err != nil {
			return err
		}
		return f.replace(ctx, d, ifHash)
	})
}

// SampleData reads the sample data of a semantic model, over which Platform.Query runs queries. It refuses as Query does.
func (t *Tree) SampleData(ctx context.Context, it TreeItem, m *semanticmodel.Model) (all []evaluate.Data, err error) {
	err = t.within(ctx, it, filelock.Shared, func(f *itemFolder) error {
		all, err = f.data(ctx, m)
		return err
	})
	return all, err
}

// entry returns the item in the form that Platform uses.
func (i TreeItem) entry() entry {
	return entry{Item: item.Item{Type: i.Type, DisplayName: i.Path}, dir: i.Folder(), logicalID: i.LogicalID}
}

// within locks the item's folder and calls do with it. It does not finish an interrupted write.
func (t *Tree) within(ctx context.Context, it TreeItem, how filelock.Kind, do func(*itemFolder) error) error {
	if !fs.ValidPath(it.Path) {
		return domain.Refuse(domain.ItemNotFound, "%q is not the path of an item", it.Path)
	}
	root, err := t.platform.open(ctx)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := t.platform.openEntry(ctx, root, it.entry(), how)
	if err != nil {
		return err
	}
	defer f.Close()
	f.form, f.journal = it.Form, it.journal()
	if it.Form == AsBIM {
		f.file = path.Base(it.Path)
	}
	return do(f)
}
