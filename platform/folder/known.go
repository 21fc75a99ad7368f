package folder

import (
	"context"
	"os"
	"path"
	"reflect"
	"slices"
	"time"

	"readiness/domain/item"
)

// known is a folder that is not an item, with what the last scan saw of it.
type known struct {
	path     string // relative to the root
	listing  seen[listing]
	settings seen[settings] // if it is a workspace
	folders  map[string]*known
	items    map[string]*knownItem
}

// listing is the contents of a folder.
type listing struct {
	folders []string // sorted by name
	count   int      // of all entries
}

// knownItem is an item, without what depends on other items.
type knownItem struct {
	seen[entry]
	file string // its .platform, relative to the root
}

// below returns the subfolder called name, adding it if necessary.
func (k *known) below(name string) *known {
	sub := k.folders[name]
	if sub == nil {
		sub = &known{path: path.Join(k.path, name)}
		if k.folders == nil {
			k.folders = map[string]*known{}
		}
		k.folders[name] = sub
	}
	return sub
}

// item returns the item called name in the folder, adding it if necessary.
func (k *known) item(t item.Type, name string) *knownItem {
	it := k.items[name]
	if it == nil {
		dir := path.Join(k.path, name)
		it = &knownItem{seen[entry]{says: entry{Item: item.Item{Type: t}, dir: dir}}, dir + "/.platform"}
		if k.items == nil {
			k.items = map[string]*knownItem{}
		}
		k.items[name] = it
	}
	return it
}

// forget drops what no longer exists. there is sorted.
func (k *known) forget(there []string) {
	is := func(name string) bool { _, found := slices.BinarySearch(there, name); return found }
	for name := range k.folders {
		if !is(name) {
			delete(k.folders, name)
		}
	}
	for name := range k.items {
		if !is(name) {
			delete(k.items, name)
		}
	}
}

// place is a workspace that a scan found.
type place struct {
	*known
	name   string // of its folder
	items  []*knownItem
	failed error // why items is incomplete
}

// scan is one pass over the root. It reuses what an earlier scan saw if stamps prove that nothing changed.
type scan struct {
	*Platform
	ctx     context.Context
	root    handle
	dir     *os.File // the root
	fd      int      // of dir
	began   time.Time
	changed bool // the previous result no longer holds
	missed  bool // a folder was missing; no stamp shows whether it came back unchanged
	size    int  // approximate size of what was seen, in bytes
}

func newScan(ctx context.Context, p *Platform) (*scan, error) {
	root, err := os.OpenRoot(p.path)
	if err != nil {
		return nil, err
	}
	dir, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, err
	}
	return &scan{Platform: p, ctx: ctx, root: handle{root: root}, dir: dir, fd: int(dir.Fd()), began: p.now()}, nil
}

func (s *scan) close() {
	s.dir.Close()
	s.root.close()
}

// handle is a folder that is opened on first use, from its parent.
type handle struct {
	above *handle
	name  string
	root  *os.Root
}

func (h *handle) open() (*os.Root, error) {
	if h.root == nil {
		above, err := h.above.open()
		if err != nil {
			return nil, err
		}
		if h.root, err = above.OpenRoot(h.name); err != nil {
			return nil, err
		}
	}
	return h.root, nil
}

func (h *handle) close() {
	if h.root != nil {
		h.root.Close()
	}
}

// places finds the workspaces.
func (s *scan) places(root *known) ([]place, error) {
	top, err := s.list(root, &s.root, new(int))
	if err != nil {
		return nil, err
	}
	var all []place
	if slices.ContainsFunc(top, func(name string) bool { _, isItem := typeOf(name); return isItem }) {
		all = append(all, place{known: root, name: s.name})
	} else {
		for _, name := range top {
			all = append(all, place{known: root.below(name), name: name})
		}
	}
	for _, w := range all {
		s.readSettings(w.known)
	}
	return all, nil
}

// itemsIn finds the items of a workspace.
func (s *scan) itemsIn(w *known) ([]*knownItem, error) {
	var found []*knownItem
	if w.path == "." {
		return found, s.walk(w, &s.root, 1, new(int), &found)
	}
	h := &handle{above: &s.root, name: w.path}
	defer h.close()
	err := s.walk(w, h, 1, new(int), &found)
	return found, err
}

// walk finds the items in a folder and its subfolders. It ignores a subfolder that vanished since it was listed; only
// for the outermost folder it returns that error.
func (s *scan) walk(at *known, h *handle, depth int, count *int, found *[]*knownItem) error {
	names, err := s.list(at, h, count)
	if err != nil {
		return err
	}
	for _, name := range names {
		if t, isItem := typeOf(name); isItem {
			it := at.item(t, name)
			if err := s.readItem(it, h, name); err != nil {
				return err
			}
			*found = append(*found, it)
			continue
		}
		if depth == MaxDepth {
			continue
		}
		before, sub := len(*found), &handle{above: h, name: name}
		err := s.walk(at.below(name), sub, depth+1, count, found)
		sub.close()
		switch {
		case gone(err):
			*found = (*found)[:before]
			s.changed, s.missed = true, true
		case err != nil:
			return err
		}
	}
	return nil
}

// list returns the names of the subfolders of a folder.
func (s *scan) list(at *known, h *handle, count *int) ([]string, error) {
	now, proves := s.proof(at.path, "")
	if proves && now == at.listing.proof {
		*count += at.listing.says.count
		if *count > s.bounds.entries {
			s.changed = true
			return nil, s.bounds.exceeded()
		}
	} else {
		before, counted := at.listing.says.folders, *count
		at.listing = seen[listing]{}
		names, err := s.readList(h, count)
		s.changed = s.changed || err != nil || !slices.Equal(before, names)
		if err != nil {
			return nil, err
		}
		at.forget(names)
		at.listing = withProof(listing{names, *count - counted}, now, proves)
	}
	for _, name := range at.listing.says.folders {
		s.size += 200 + len(at.path) + len(name)
	}
	return at.listing.says.folders, nil
}

func (s *scan) readList(h *handle, count *int) ([]string, error) {
	at, err := h.open()
	if err != nil {
		return nil, err
	}
	return s.folders(s.ctx, at, count)
}

// readItem reads the .platform of the item in a folder.
func (s *scan) readItem(it *knownItem, h *handle, name string) error {
	now, proves := s.proof(it.says.dir, it.file)
	if !proves || now != it.proof {
		it.proof = proof{}
		at, err := h.open()
		if err != nil {
			s.changed = true
			return err
		}
		said, sure, err := readPlatformFile(at, name)
		if err != nil {
			s.changed = true
			return err
		}
		before := it.says
		it.seen = withProof(newEntry(before.Type, before.dir, said), now, proves && (sure || now.file.absent))
		s.changed = s.changed || it.says != before
	}
	s.size += 800 + len(it.file) + len(it.says.DisplayName) + len(it.says.Description)
	return nil
}

// readSettings reads the workspace.json of a workspace.
func (s *scan) readSettings(w *known) {
	file := path.Join(w.path, "workspace.json")
	now, proves := s.proof(w.path, file)
	if proves && now == w.settings.proof {
		return
	}
	before := w.settings.says
	said, read := s.Platform.readSettings(s.root.root, file)
	w.settings = withProof(said, now, proves && (read || now.file.absent))
	s.changed = s.changed || !reflect.DeepEqual(said, before)
}

// proof returns the stamps for a file's content or, without a file, for a folder's contents. proves is false if a later
// change might not alter the stamps.
func (s *scan) proof(folder, file string) (now proof, proves bool) {
	now.folder, proves = stampAt(s.fd, folder, s.began)
	if file != "" && proves {
		now.file, proves = stampAt(s.fd, file, s.began)
	}
	return now, proves
}

// withProof pairs a value with the proof taken before it was read.
func withProof[T any](said T, now proof, proves bool) seen[T] {
	if !proves {
		return seen[T]{says: said}
	}
	return seen[T]{now, said}
}
