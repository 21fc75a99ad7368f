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
	"readiness/domain"
	"readiness/domain/item"
)

// Tree is a directory with items anywhere in it, for who works on files and not
// as a person: it knows no workspaces, members and capacities, and no bound on
// how many files lie beside the items. Items are told apart by their paths. A
// semantic model need not have the folder of an item in it: one in a .bim file, or in
// TMDL files alone, is loose, and can have no other parts.
// What a Platform says of links, bounds of definitions, locks and writes holds.
type Tree struct{ platform *Platform }

// TreeItem is an item of a Tree.
type TreeItem struct {
	Type item.Type
	// Path is its folder below the tree, with forward slashes; of a .bim file it is
	// the file.
	Path string
	// Name is what .platform calls it, else its folder without the type; of a loose
	// model the file without .bim, or the folder, and the one above where that says
	// no more than what it is (model.bim, definition).
	Name string
	// LogicalID is what .platform says, uuid.Nil when it says nothing usable.
	LogicalID uuid.UUID
	Form      Form
}

// Form is how an item lies in a tree.
type Form int

// The forms.
const (
	// InFolder is an item in a folder that is its own: one that ends in the type, or
	// that has a definition.pbism beside a definition or model.bim.
	InFolder Form = iota
	// AsTMDL is a model of TMDL files alone, in a folder that has model.tmdl or
	// database.tmdl, and below.
	AsTMDL
	// AsBIM is a model in a .bim file alone.
	AsBIM
)

// Folder is the folder below the tree that the paths of the item's parts are
// relative to.
func (i TreeItem) Folder() string {
	if i.Form == AsBIM {
		return path.Dir(i.Path)
	}
	return i.Path
}

// OpenTree returns the tree below the directory at root.
func OpenTree(root string) (*Tree, error) {
	whole, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("the folder %q: %w", root, err)
	}
	switch info, err := os.Stat(whole); {
	case err != nil:
		return nil, fmt.Errorf("the folder cannot be read: %w; name one that is there", err)
	case !info.IsDir():
		return nil, fmt.Errorf("%q is a file; name the folder that holds it", root)
	}
	return &Tree{&Platform{
		path: whole, name: filepath.Base(whole), logger: slog.New(slog.DiscardHandler), now: time.Now,
		bounds: bounds{entries: math.MaxInt, parts: MaxParts, partBytes: MaxPartBytes, definitionBytes: MaxDefinitionBytes},
	}}, nil
}

// TypeOf tells the folder of an item by its name. Types that are no words of their own
// are told in any letter case.
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

// Item returns the item at a path below the tree. ItemNotFound when there is none,
// or a link leads out of the tree.
func (t *Tree) Item(ctx context.Context, at string) (TreeItem, error) {
	root, err := t.platform.open(ctx)
	if err != nil {
		return TreeItem{}, err
	}
	defer root.Close()
	none := domain.Refuse(domain.ItemNotFound, "%q is no path of an item", at)
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

// inFolder is the item in a folder of its own.
func (t *Tree) inFolder(ctx context.Context, root *os.Root, kind item.Type, dir string) (TreeItem, error) {
	file, _, err := readPlatformFile(root, dir)
	if err != nil {
		return TreeItem{}, t.platform.unavailable(ctx, err, "%s cannot be read", dir)
	}
	return TreeItem{Type: kind, Path: dir, Name: cmp.Or(file.displayName, t.nameOf(dir)), LogicalID: file.logicalID}, nil
}

// loose is the model without a folder of its own at a path.
func (t *Tree) loose(at string, form Form) TreeItem {
	return TreeItem{Type: item.SemanticModel, Path: at, Name: t.nameOf(at), Form: form}
}

// nameOf is what an item is called by its path.
func (t *Tree) nameOf(at string) string {
	whole := filepath.Join(t.platform.path, filepath.FromSlash(at))
	name := filepath.Base(whole)
	if strings.EqualFold(name, "model.bim") || strings.EqualFold(name, "definition") {
		name = filepath.Base(filepath.Dir(whole))
	}
	if _, isItem := TypeOf(name); isItem || isBIM(name) {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	return strings.ToValidUTF8(name, "\ufffd")
}

// WriteDefinition makes d the item's definition if the one on disk still has the
// hash ifHash, as Platform.WriteDefinition does.
func (t *Tree) WriteDefinition(ctx context.Context, it TreeItem, d definition.Definition, ifHash string) error {
	if err := t.platform.bounds.check(it.entry().Item, d); err != nil {
		return err
	}
	if d.Loose != (it.Form != InFolder) {
		return domain.Refuse(domain.InvalidRequest, "the definition for %s cannot be written: it is of another form", it.Path)
	}
	return t.within(ctx, it, exclusive, func(f *itemFolder) error {
		if err := f.order(ctx, exclusive); err != nil {
			return err
		}
		return f.replace(ctx, d, ifHash)
	})
}

// entry is the item as the platform knows those of workspaces.
func (i TreeItem) entry() entry {
	return entry{Item: item.Item{Type: i.Type, DisplayName: i.Path}, dir: i.Folder(), logicalID: i.LogicalID}
}

// within calls do with the item's folder, locked, and leaves a write that was cut off
// as it is.
func (t *Tree) within(ctx context.Context, it TreeItem, how lockKind, do func(*itemFolder) error) error {
	if !fs.ValidPath(it.Path) {
		return domain.Refuse(domain.ItemNotFound, "%q is no path of an item", it.Path)
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
