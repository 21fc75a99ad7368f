package folder

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
)

// Tree is a directory with items anywhere in it, for who works on files and not
// as a person: it knows no workspaces, members and capacities, and no bound on
// how many files lie beside the items. Items are told apart by their folders.
// What a Platform says of links, bounds of definitions, locks and writes holds.
type Tree struct{ platform *Platform }

// TreeItem is an item of a Tree.
type TreeItem struct {
	Type item.Type
	// Path is its folder below the tree, with forward slashes.
	Path string
	// Name is what .platform calls it, else its folder without the type.
	Name string
	// LogicalID is what .platform says, uuid.Nil when it says nothing usable.
	LogicalID uuid.UUID
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

// TypeOf tells the folder of an item by its name.
func TypeOf(name string) (item.Type, bool) { return typeOf(name) }

// Items lists the items of the types, by path. Items inside items are not looked
// for.
func (t *Tree) Items(ctx context.Context, types ...item.Type) ([]TreeItem, error) {
	s, err := t.platform.openScan(ctx)
	if err != nil {
		return nil, err
	}
	defer s.close()
	items, err := s.itemsIn(&known{path: "."})
	if err != nil {
		return nil, t.platform.unavailable(ctx, err, "%s cannot be listed", t.platform.path)
	}
	found := []TreeItem{}
	for _, it := range items {
		if e := it.says; slices.Contains(types, e.Type) {
			found = append(found, TreeItem{e.Type, e.dir, e.DisplayName, e.logicalID})
		}
	}
	slices.SortFunc(found, func(a, b TreeItem) int { return strings.Compare(a.Path, b.Path) })
	return found, nil
}

// Item returns the item in the folder at a path below the tree. ItemNotFound when
// there is none, or a link leads out of the tree.
func (t *Tree) Item(ctx context.Context, dir string) (TreeItem, error) {
	root, err := t.platform.open(ctx)
	if err != nil {
		return TreeItem{}, err
	}
	defer root.Close()
	kind, isItem := typeOf(path.Base(dir))
	if !fs.ValidPath(dir) || !isItem {
		return TreeItem{}, domain.Refuse(domain.ItemNotFound, "%q is no path of an item", dir)
	}
	if info, err := root.Lstat(dir); err != nil || !info.IsDir() {
		return TreeItem{}, notFound(item.Item{Type: kind, DisplayName: dir})
	}
	file, _, err := readPlatformFile(root, dir)
	if err != nil {
		return TreeItem{}, t.platform.unavailable(ctx, err, "%s cannot be read", dir)
	}
	return TreeItem{kind, dir, newEntry(kind, dir, file).DisplayName, file.logicalID}, nil
}

// WriteDefinition makes d the item's definition if the one on disk still has the
// hash ifHash, as Platform.WriteDefinition does.
func (t *Tree) WriteDefinition(ctx context.Context, it TreeItem, d definition.Definition, ifHash string) error {
	if err := t.platform.bounds.check(it.entry().Item, d); err != nil {
		return err
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
	return entry{Item: item.Item{Type: i.Type, DisplayName: i.Path}, dir: i.Path, logicalID: i.LogicalID}
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
	return do(f)
}
