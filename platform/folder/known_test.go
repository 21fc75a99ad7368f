package folder_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/platform/folder"
)

// After any changes to the folder, a platform with a cache reports the same as a new one without.
func TestCachedListingsMatchTheDisk(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := newChanging(t, seed)
			for range 40 {
				c.change()
				if c.random.IntN(3) == 0 {
					continue // several changes between two looks
				}
				c.compare()
				if c.random.IntN(2) == 0 {
					c.timePasses()
					c.compare()
				}
			}
		})
	}
}

// changing is a folder that is changed at random.
type changing struct {
	*testing.T
	random  *rand.Rand
	root    string
	now     time.Time
	p       *folder.Platform
	ids     []uuid.UUID
	history []string
}

func newChanging(t *testing.T, seed uint64) *changing {
	c := &changing{T: t, random: rand.New(rand.NewPCG(seed, 0)), root: files(t, nil), ids: []uuid.UUID{uuid.New(), uuid.New(), uuid.New(), uuid.New()}}
	t.Cleanup(c.permit)
	c.p = c.open()
	for range 12 {
		c.change()
	}
	return c
}

func (c *changing) open() *folder.Platform {
	p := open(c.T, c.root)
	folder.SetNow(p, func() time.Time { return c.now })
	return p
}

// permit makes everything readable again, so that it can be removed.
func (c *changing) permit() {
	_ = filepath.WalkDir(filepath.Dir(c.root), func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o755) // before its contents are listed
		}
		return nil
	})
}

// timePasses makes all changes so far settled and all later ones not: the platform's clock does not advance until the next
// call.
func (c *changing) timePasses() { c.now = later(c.T, c.root) }

// later returns a time at which all changes in the folder so far are settled and later ones are not.
func later(t testing.TB, root string) time.Time {
	t.Helper()
	clock := func() time.Time {
		file := filepath.Join(root, "..", "clock")
		check(t, os.WriteFile(file, []byte("tick"), 0o644))
		info, err := os.Stat(file)
		check(t, err)
		return info.ModTime()
	}
	now := clock()
	for !clock().After(now) {
	}
	return now.Add(folder.Settled)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// compare compares what the cached platform reports with what a new one does.
func (c *changing) compare() {
	c.Helper()
	want := c.report(c.open())
	if diff := cmp.Diff(want, c.report(c.p)); diff != "" {
		c.Fatalf("after\n%s\ngot (-new +cached):\n%s", strings.Join(c.history, "\n"), diff)
	}
}

// report returns everything that the platform reports to two people.
func (c *changing) report(p *folder.Platform) (said []string) {
	tell := func(what string, is any, err error) { said = append(said, fmt.Sprintf("%s: %+v %v", what, is, err)) }
	ctx := c.Context()
	for _, as := range []item.Caller{anna, {Account: "contoso", Person: item.Person{ID: "ben"}}} {
		all, err := p.Workspaces(ctx, as)
		tell(as.Person.ID, all, err)
		for _, w := range append(all, item.Workspace{ID: c.ids[0]}) {
			one, err := p.Workspace(ctx, as, w.ID)
			tell("workspace", one, err)
			capacity, err := p.Capacity(ctx, as, w.ID)
			tell("capacity", capacity, err)
			for _, kind := range []item.Type{item.SemanticModel, item.Report} {
				listed, err := p.Items(ctx, as, w.ID, kind)
				tell("items", listed, err)
				for _, it := range append(listed, item.Item{WorkspaceID: w.ID, Type: kind, ID: c.ids[1]}) {
					one, err := p.Item(ctx, as, w.ID, kind, it.ID)
					tell("item", one, err)
					d, err := p.Definition(ctx, as, it)
					tell("definition", d.Hash(), err)
					model, ok, err := p.ModelOf(ctx, as, it)
					tell("model", model, err)
					tell("named", ok, nil)
				}
			}
			reports, err := p.Reports(ctx, as, w.ID)
			var built []string
			for _, r := range reports {
				built = append(built, fmt.Sprintf("%+v on %+v (%t)", r.Item, r.Model, r.Paginated))
			}
			tell("reports", built, err)
		}
	}
	return said
}

func (c *changing) one(of ...string) string { return of[c.random.IntN(len(of))] }

// some returns a random path in the folder that matches.
func (c *changing) some(such func(path string, d fs.DirEntry) bool) string {
	found := []string{}
	_ = filepath.WalkDir(c.root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != c.root && such(path, d) {
			found = append(found, path)
		}
		return nil
	})
	if len(found) == 0 {
		return filepath.Join(c.root, "nothing")
	}
	return c.one(found...)
}

func isItem(path string, d fs.DirEntry) bool {
	return d.IsDir() && strings.Contains(filepath.Base(path), ".")
}
func isReport(path string, d fs.DirEntry) bool { return d.IsDir() && filepath.Ext(path) == ".Report" }
func isDir(_ string, d fs.DirEntry) bool       { return d.IsDir() }
func isAny(string, fs.DirEntry) bool           { return true }

// container returns a folder that may hold items; it may not exist yet.
func (c *changing) container() string {
	return filepath.Join(c.root, c.one("a", "b", "c"), c.one("", "", "x", "x/y", ".hidden", "N.Notebook"))
}

func (c *changing) itemDir() string {
	return filepath.Join(c.container(), c.one("A", "B", "C")+c.one(".SemanticModel", ".SemanticModel", ".Report", ".Report", ".Dataset"))
}

func (c *changing) platformText() string {
	return platformFile(c.one(c.ids[0].String(), c.ids[1].String(), c.ids[2].String(), c.ids[3].String(), "none"), c.one("one", "two", "six", ""))
}

// change changes the folder at random. Errors are ignored.
func (c *changing) change() {
	var done string
	try := func(err error, format string, args ...any) {
		done = strings.ReplaceAll(fmt.Sprintf(format, args...), c.root, "")
		if err != nil {
			done += " (not done)"
		}
	}
	write := func(path, text string) error {
		if c.random.IntN(2) == 0 {
			file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NONBLOCK, 0o644) // also of a pipe
			if err != nil {
				return err
			}
			_, err = file.WriteString(text)
			return errors.Join(err, file.Close())
		}
		temp := filepath.Join(c.root, "..", "temp")
		check(c.T, os.WriteFile(temp, []byte(text), 0o644))
		return os.Rename(temp, path)
	}
	switch n := c.random.IntN(100); {
	case n < 20:
		dir := c.itemDir()
		if n == 0 {
			dir = filepath.Join(c.root, filepath.Base(dir)) // the root becomes a workspace
		}
		err := os.MkdirAll(dir, 0o755)
		if c.random.IntN(4) > 0 {
			_ = write(dir+"/.platform", c.platformText())
		}
		try(err, "item %s", dir)
	case n < 30:
		item := c.some(isItem)
		try(write(filepath.Join(item, ".platform"), c.platformText()), "edit %s", item)
	case n < 36:
		report := c.some(isReport)
		text := fmt.Sprintf(`{"datasetReference":{"byConnection":{"connectionString":"semanticmodelid=%s"}}}`, c.ids[c.random.IntN(len(c.ids))])
		if n == 35 {
			text = c.one(`{"datasetReference":{"byPath":{"path":"../A.SemanticModel"}}}`, `{"datasetReference":{"byPath":{"path":"../B.SemanticModel"}}}`, `{"x":`)
		}
		try(write(filepath.Join(report, "definition.pbir"), text), "build %s on %s", report, text)
	case n < 42:
		item := c.some(isItem)
		try(write(filepath.Join(item, c.one("model.bim", "x.rdl", "sub")), c.one("{}", "[]")), "part of %s", item)
	case n < 50:
		path := c.some(isAny)
		try(os.RemoveAll(path), "remove %s", path)
	case n < 60:
		from, to := c.some(isDir), c.itemDir()
		if c.random.IntN(2) == 0 {
			to = c.container()
		}
		try(os.Rename(from, to), "rename %s to %s", from, to)
	case n < 65:
		a, b, between := c.some(isItem), c.some(isItem), filepath.Join(c.root, "..", "between")
		if a != b && os.Rename(filepath.Join(a, ".platform"), between) == nil {
			_ = os.Rename(filepath.Join(b, ".platform"), filepath.Join(a, ".platform"))
			_ = os.Rename(between, filepath.Join(b, ".platform"))
		}
		try(nil, "swap %s and %s", a, b)
	case n < 70:
		at, to := c.one(c.some(isAny), c.itemDir(), c.container()), c.one(c.some(isAny), c.root, "nowhere")
		_ = os.RemoveAll(at)
		try(os.Symlink(to, at), "link %s to %s", at, to)
	case n < 80:
		path := c.some(isAny)
		if c.random.IntN(4) == 0 {
			path = c.root
		}
		mode := []fs.FileMode{0, 0o111, 0o444, 0o555, 0o644, 0o755, 0o755, 0o755}[c.random.IntN(8)]
		try(os.Chmod(path, mode), "permit %s %o", path, mode)
	case n < 90:
		dir := filepath.Join(c.root, c.one("a", "b", "c", ""))
		try(write(dir+"/workspace.json", c.one(
			`{}`, `{"members":["anna"]}`, `{"members":["ben"]}`, `{"displayName":"one"}`, `{"displayName":"two"}`, `{"capacity":{"state":"Paused"}}`, `{"oops":1}`,
			fmt.Sprintf(`{"id":%q}`, c.ids[0]), fmt.Sprintf(`{"id":%q,"members":["anna","ben"]}`, c.ids[0]))), "settings of %s", dir)
	case n < 93:
		path, at := c.some(isAny), c.now.Add(time.Duration(c.random.IntN(2)*2-1)*time.Hour)
		try(os.Chtimes(path, at, at), "times of %s", path)
	case n < 95:
		path := filepath.Join(c.one(c.some(isItem), c.container()), c.one(".platform", "workspace.json", "definition.pbir"))
		_ = os.RemoveAll(path)
		try(syscall.Mkfifo(path, 0o644), "pipe %s", path)
	case n < 97:
		path := filepath.Join(c.container(), c.one("README.md", "Z.Report"))
		try(os.WriteFile(path, nil, 0o644), "file %s", path)
	case n < 98:
		c.permit()
		done = "everything is permitted"
	case n < 99:
		check(c.T, os.Rename(c.root, c.root+fmt.Sprint(len(c.history))))
		check(c.T, os.Mkdir(c.root, 0o755))
		done = "another root"
	default:
		d, err := c.p.Workspaces(c.Context(), anna)
		try(err, "looked at %d workspaces", len(d))
	}
	c.history = append(c.history, done)
}

// Nothing is read again unless it changed.
func TestUnchangedFilesAreNotReadAgain(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	root := files(t, map[string]string{"good/A.Report/.platform": platformFile(uuid.NewString(), "A"), "bad/workspace.json": `{"oops":1}`, "none/x": ""})
	p, err := folder.Open(root, folder.Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	check(t, err)
	began := time.Now()
	folder.SetNow(p, func() time.Time { return began })
	read := func() int { // how often the invalid workspace.json was read since the last call
		defer logged.Reset()
		return strings.Count(logged.String(), "\n")
	}
	look := func() string {
		t.Helper()
		all, err := p.Workspaces(t.Context(), anna)
		check(t, err)
		return items(t, p, all[0].ID, item.Report)[0].DisplayName
	}
	look()
	look()
	if n := read(); n != 4 {
		t.Errorf("what had just been changed was read %d times in two looks of each kind, want 4", n)
	}
	settle := func() {
		now := later(t, root)
		folder.SetNow(p, func() time.Time { return now })
		look()
	}
	settle()
	kept := folder.Kept(p)
	read()
	look()
	if n := read(); n != 0 || folder.Kept(p) != kept || kept == nil {
		t.Errorf("%d files were read again", n)
	}
	put(t, root, map[string]string{"good/A.Report/.platform": platformFile(uuid.NewString(), "B")})
	name := look()
	if n := read(); name != "B" || n != 0 || folder.Kept(p) == kept {
		t.Errorf("got %q, and %d other files were read again", name, n)
	}
	settle()
	// A change that sets the file's modification time back is seen.
	file := filepath.Join(root, "good/A.Report/.platform")
	info, err := os.Lstat(file)
	check(t, err)
	put(t, root, map[string]string{"good/A.Report/.platform": platformFile(uuid.NewString(), "C")})
	check(t, os.Chtimes(file, info.ModTime(), info.ModTime()))
	if name := look(); name != "C" {
		t.Errorf("got %q after a change that hides its time", name)
	}
	for range 2 {
		id := uuid.New()
		put(t, root, map[string]string{"good/A.Report/definition.pbir": `{"datasetReference":{"byConnection":{"connectionString":"semanticmodelid=` + id.String() + `"}}}`})
		settle()
		for range 2 {
			all, err := p.Workspaces(t.Context(), anna)
			check(t, err)
			reports, err := p.Reports(t.Context(), anna, all[0].ID)
			check(t, err)
			if reports[0].Model == nil || reports[0].Model.ID != id {
				t.Errorf("got %+v, want the model %s", reports[0], id)
			}
		}
	}
	// A scan larger than the cache's bound is not cached.
	folder.SetRemembered(p, 1)
	look()
	look()
	if n := read(); n == 0 || folder.Kept(p) != nil {
		t.Error("a large root is cached")
	}
}

// Concurrent calls share a scan, and yet each sees the changes that it made before it called.
func TestConcurrentCallersSeeTheirOwnChanges(t *testing.T) {
	t.Parallel()
	tree := map[string]string{}
	ids := make([]uuid.UUID, 8)
	for i := range ids {
		ids[i] = uuid.New()
		tree[fmt.Sprintf("ws/%d.Report/.platform", i)] = platformFile(ids[i].String(), "new")
	}
	root := files(t, tree)
	p := open(t, root)
	ws := only(t, p)
	var all sync.WaitGroup
	for i, id := range ids {
		all.Go(func() {
			for n := range 20 {
				name := fmt.Sprint(n)
				if err := os.WriteFile(filepath.Join(root, "ws", fmt.Sprint(i)+".Report", ".platform"), []byte(platformFile(id.String(), name)), 0o644); err != nil {
					t.Error(err)
				}
				if it, err := p.Item(t.Context(), anna, ws.ID, item.Report, id); err != nil || it.DisplayName != name {
					t.Errorf("item %d: got %q, %v, want %q", i, it.DisplayName, err, name)
				}
				dir := filepath.Join(root, "ws", "deep", fmt.Sprintf("%d-%d.SemanticModel", i, n))
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Error(err)
				}
				listed, err := p.Items(t.Context(), anna, ws.ID, item.SemanticModel)
				if !slices.ContainsFunc(listed, func(it item.Item) bool { return it.DisplayName == fmt.Sprintf("%d-%d", i, n) }) {
					t.Errorf("item %d-%d is not listed (%v)", i, n, err)
				}
				if err := os.Remove(dir); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
