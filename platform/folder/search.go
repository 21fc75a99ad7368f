package folder

import (
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"strings"

	"readiness/domain/item"
)

// Found is the result of a search of a tree.
type Found struct {
	// Items is sorted by path. Items inside items are not searched for.
	Items []TreeItem
	// Hidden lists the folders that hold items and whose names begin with a dot, sorted by path. They are searched only
	// if they are the tree's root.
	Hidden []Hidden
	// TooDeep lists the first ten folders below MaxDepth, which are not searched.
	TooDeep []string
}

// Hidden is a folder that was not searched, and how many items it holds.
type Hidden struct {
	Path  string
	Items int
}

// maxHidden bounds how many folders are read to count the items in hidden folders. .git is skipped: it holds copies of
// what is elsewhere.
const maxHidden = 20_000

// Search finds the items of the given types.
func (t *Tree) Search(ctx context.Context, types ...item.Type) (Found, error) {
	root, err := t.platform.open(ctx)
	if err != nil {
		return Found{}, err
	}
	defer root.Close()
	s := &search{tree: t, ctx: ctx, root: root, types: types, left: -1}
	if err := s.walk(root, ".", 1); err != nil {
		return Found{}, t.platform.unavailable(ctx, err, "%s cannot be searched", t.platform.path)
	}
	for _, dir := range s.hidden {
		h := &search{tree: t, ctx: ctx, root: root, types: types, left: maxHidden, everything: true}
		// Errors do not matter: these folders are not searched anyway.
		_ = h.enter(root, dir, dir, 1)
		if ctx.Err() != nil {
			return Found{}, ctx.Err()
		}
		if n := len(h.found.Items); n > 0 {
			s.found.Hidden = append(s.found.Hidden, Hidden{dir, n})
		}
	}
	slices.SortFunc(s.found.Items, func(a, b TreeItem) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(s.found.Hidden, func(a, b Hidden) int { return strings.Compare(a.Path, b.Path) })
	return s.found, nil
}

// search is the state of one search of a tree.
type search struct {
	tree  *Tree
	ctx   context.Context
	root  *os.Root
	types []item.Type
	// everything searches folders whose names begin with a dot too; otherwise they are collected in hidden.
	everything bool
	hidden     []string
	left       int // how many more folders may be read; negative for no limit
	found      Found
}

var errEnough = errors.New("the limit of folders is reached")

// walk searches a folder and its subfolders. It ignores a subfolder that vanished since it was listed; only for the
// outermost folder it returns that error.
func (s *search) walk(at *os.Root, dir string, depth int) error {
	if s.left == 0 {
		return errEnough
	}
	s.left--
	there, err := s.tree.platform.holds(s.ctx, at)
	if err != nil {
		return err
	}
	if there.project() {
		return s.add(item.SemanticModel, dir)
	}
	if there.tmdl {
		s.keep(s.tree.loose(dir, AsTMDL))
	}
	for _, name := range there.bims {
		s.keep(s.tree.loose(path.Join(dir, name), AsBIM))
	}
	for _, name := range there.hidden {
		if sub := path.Join(dir, name); s.everything {
			there.folders = append(there.folders, name)
		} else if name != ".git" {
			s.hidden = append(s.hidden, sub)
		}
	}
	for _, name := range there.folders {
		sub := path.Join(dir, name)
		before := len(s.found.Items)
		if err := s.enter(at, name, sub, depth+1); gone(err) {
			s.found.Items = s.found.Items[:before]
		} else if err != nil {
			return err
		}
	}
	return nil
}

// enter searches a folder that may be an item itself.
func (s *search) enter(at *os.Root, name, dir string, depth int) error {
	if t, isItem := TypeOf(path.Base(name)); isItem {
		return s.add(t, dir)
	}
	if depth > MaxDepth+1 {
		if len(s.found.TooDeep) < 10 {
			s.found.TooDeep = append(s.found.TooDeep, dir)
		}
		return nil
	}
	below, err := at.OpenRoot(name)
	if err != nil {
		return err
	}
	defer below.Close()
	return s.walk(below, dir, depth)
}

// add adds the item that has its own folder.
func (s *search) add(t item.Type, dir string) error {
	i, err := s.tree.inFolder(s.ctx, s.root, t, dir)
	if err == nil {
		s.keep(i)
	}
	return err
}

func (s *search) keep(i TreeItem) {
	if slices.Contains(s.types, i.Type) {
		s.found.Items = append(s.found.Items, i)
	}
}
