package folder_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/domain"
	"readiness/platform/folder"
)

// with returns a definition of the given parts.
func with(byPath map[string]string) definition.Definition {
	var all []definition.Part
	for path, text := range byPath {
		all = append(all, definition.Part{Path: path, Data: []byte(text)})
	}
	return definition.New(all...)
}

// tree returns every path below dir: a file's bytes, "/" for a folder.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, name)
		if err != nil || e.IsDir() {
			all[below] = "/"
			return err
		}
		data, err := os.ReadFile(name)
		all[below] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(all, ".")
	return all
}

var sales = map[string]string{
	"M.SemanticModel/.platform":                   `{"config":{"logicalId":"3d3f8a41-6c56-4c52-9c63-9d5a3c1d8f10"}}`,
	"M.SemanticModel/.pbi/cache.abf":              "local",
	"M.SemanticModel/definition/model.tmdl":       "model Model\r\n",
	"M.SemanticModel/definition/tables/A.tmdl":    "table A",
	"M.SemanticModel/definition/tables/B.tmdl":    "table B",
	"M.SemanticModel/definition/tables/.C.tmdl":   "table .C",
	"M.SemanticModel/definition/cultures/en.tmdl": "culture en",
	"M.SemanticModel/old/only.json":               "{}",
	"R.Report/x":                                  "report",
}

func TestWriteDefinition(t *testing.T) {
	t.Parallel()
	root := files(t, sales)
	at := filepath.Join(root, "M.SemanticModel")
	if err := os.Chmod(at+"/definition/tables/A.tmdl", 0o600); err != nil {
		t.Fatal(err)
	}
	untouched, err := os.Stat(at + "/definition/tables/B.tmdl")
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, root)
	it := modelIn(t, p)
	before, err := p.Definition(t.Context(), anna, it)
	if err != nil {
		t.Fatal(err)
	}
	want := with(map[string]string{
		"definition/model.tmdl":             "model Model\n",
		"definition/tables/A.tmdl":          "table A // changed",
		"definition/tables/B.tmdl":          "table B",
		"definition/tables/Ç new.tmdl":      "table New",
		"Copilot/Instructions/version.json": "{}",
	})
	if err := p.WriteDefinition(t.Context(), anna, it, want, before.Hash()); err != nil {
		t.Fatal(err)
	}
	got, err := p.Definition(t.Context(), anna, it)
	if err != nil || got.Hash() != want.Hash() {
		t.Errorf("got %v, %v", parts(got), err)
	}
	diff := cmp.Diff(map[string]string{
		".platform": sales["M.SemanticModel/.platform"], ".pbi": "/", ".pbi/cache.abf": "local",
		"definition": "/", "definition/model.tmdl": "model Model\n", "definition/tables": "/", "definition/tables/A.tmdl": "table A // changed",
		"definition/tables/B.tmdl": "table B", "definition/tables/Ç new.tmdl": "table New",
		"Copilot": "/", "Copilot/Instructions": "/", "Copilot/Instructions/version.json": "{}",
	}, tree(t, at))
	if diff != "" {
		t.Errorf("on disk (-want +got)\n%s", diff)
	}
	if now, err := os.Stat(at + "/definition/tables/B.tmdl"); err != nil || !os.SameFile(untouched, now) || !now.ModTime().Equal(untouched.ModTime()) {
		t.Errorf("an unchanged part was replaced: %v", err)
	}
	if now, err := os.Stat(at + "/definition/tables/A.tmdl"); err != nil || now.Mode().Perm() != 0o600 {
		t.Errorf("a part lost its mode: %v, %v", now.Mode(), err)
	}
	// Writing back removes what the write created, folders too.
	if err := p.WriteDefinition(t.Context(), anna, it, before, want.Hash()); err != nil {
		t.Fatal(err)
	}
	wantTree := map[string]string{}
	for name, text := range tree(t, files(t, sales)) {
		if below, ok := strings.CutPrefix(name, "M.SemanticModel/"); ok {
			wantTree[below] = text
		}
	}
	if diff := cmp.Diff(wantTree, tree(t, at)); diff != "" {
		t.Errorf("written back (-want +got)\n%s", diff)
	}
}

func TestWriteNothing(t *testing.T) {
	t.Parallel()
	root := files(t, sales)
	p := open(t, root)
	it := modelIn(t, p)
	d, err := p.Definition(t.Context(), anna, it)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.Stat(filepath.Join(root, "M.SemanticModel"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.WriteDefinition(t.Context(), anna, it, d, d.Hash()); err != nil {
		t.Error(err)
	}
	if now, err := os.Stat(filepath.Join(root, "M.SemanticModel")); err != nil || !now.ModTime().Equal(dir.ModTime()) {
		t.Errorf("the folder was touched: %v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	part := func(path string) definition.Definition {
		return definition.Definition{Parts: []definition.Part{{Path: path, Data: []byte("x")}}}
	}
	for _, c := range []struct {
		name string
		d    definition.Definition
		code domain.Code
	}{
		{"no part", definition.Definition{}, domain.InvalidRequest},
		{"an empty path", part(""), domain.InvalidRequest},
		{"upwards", part("../R.Report/x"), domain.InvalidRequest},
		{"upwards inside", part("definition/../../R.Report/x"), domain.InvalidRequest},
		{"an absolute path", part("/tmp/x"), domain.InvalidRequest},
		{"a dot", part("definition/./x"), domain.InvalidRequest},
		{"an empty element", part("definition//x"), domain.InvalidRequest},
		{"a trailing slash", part("definition/"), domain.InvalidRequest},
		{"a backslash", part(`..\R.Report\x`), domain.InvalidRequest},
		{"a backslash inside", part(`a\b`), domain.InvalidRequest},
		{"a drive", part("C:/x"), domain.InvalidRequest},
		{"NUL", part("a\x00b"), domain.InvalidRequest},
		{"a line break", part("a\nb"), domain.InvalidRequest},
		{"bytes that are not UTF-8", part("a\xff"), domain.InvalidRequest},
		{"the identity of the item", part(".platform"), domain.InvalidRequest},
		{"the journal", part(folder.Journal + "/commit.json"), domain.InvalidRequest},
		{"a hidden folder", part("definition/.git/config"), domain.InvalidRequest},
		{"a hidden folder, of a table", part("definition/.git.tmdl/x.tmdl"), domain.InvalidRequest},
		{"a table of macOS", part("definition/tables/._A.tmdl"), domain.InvalidRequest},
		{"a table without a name", part("definition/tables/..tmdl"), domain.InvalidRequest},
		{"a long element", part(strings.Repeat("x", 256)), domain.InvalidRequest},
		{"a long path", part(strings.Repeat("xxx/", 256) + "x"), domain.InvalidRequest},
		{"too deep", part(strings.Repeat("d/", folder.MaxDepth) + "x"), domain.InvalidRequest},
		{"a part twice", definition.Definition{Parts: append(part("a").Parts, part("a").Parts...)}, domain.InvalidRequest},
		{"parts out of order", definition.Definition{Parts: append(part("b").Parts, part("a").Parts...)}, domain.InvalidRequest},
		{"a part that is a folder of another", with(map[string]string{"a": "", "a-b": "", "a/b": ""}), domain.InvalidRequest},
		{"a part where a folder is", with(map[string]string{"definition": ""}), domain.InvalidRequest},
		{"a folder where a part is", with(map[string]string{"old/only.json/x": ""}), domain.InvalidRequest},
		{"another definition than the one on disk", with(map[string]string{"x": ""}), domain.ItemChanged},
	} {
		root := files(t, sales)
		before := tree(t, root)
		p := open(t, root)
		it := modelIn(t, p)
		d, err := p.Definition(t.Context(), anna, it)
		if err != nil {
			t.Fatal(err)
		}
		ifHash := d.Hash()
		if c.code == domain.ItemChanged {
			ifHash = c.d.Hash()
		}
		err = p.WriteDefinition(t.Context(), anna, it, c.d, ifHash)
		refused(t, c.name, err, c.code)
		if err != nil && strings.Contains(err.Error(), root) {
			t.Errorf("%s: the path is in the refusal: %v", c.name, err)
		}
		if diff := cmp.Diff(before, tree(t, root)); diff != "" {
			t.Errorf("%s: something was written (-before +after)\n%s", c.name, diff)
		}
	}
}

func TestWriteToAMissingItem(t *testing.T) {
	t.Parallel()
	root := files(t, sales)
	p := open(t, root)
	it := modelIn(t, p)
	d, err := p.Definition(t.Context(), anna, it)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(root, "M.SemanticModel")); err != nil {
		t.Fatal(err)
	}
	refused(t, "an item that is gone", p.WriteDefinition(t.Context(), anna, it, one, d.Hash()), domain.ItemNotFound)
	if diff := cmp.Diff(map[string]string{"R.Report": "/", "R.Report/x": "report"}, tree(t, root)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A folder inside the item that becomes a link before the write does not lead out of the item.
func TestALinkDoesNotLeadAWriteOut(t *testing.T) {
	t.Parallel()
	outside := files(t, map[string]string{"victim": "untouched"})
	root := files(t, sales)
	at := filepath.Join(root, "M.SemanticModel")
	p := open(t, root)
	it := modelIn(t, p)
	d, err := p.Definition(t.Context(), anna, it)
	if err != nil {
		t.Fatal(err)
	}
	// A forged journal that goes through a link, as if it appeared after the parts were read.
	put(t, at, map[string]string{
		folder.Journal + "/commit.json": `[{"Path":"out/victim","Staged":"0","Old":"","New":"x"},{"Path":"definition/model.tmdl","Staged":"1","Old":"x","New":"y"}]`,
		folder.Journal + "/0":           "overwritten",
	})
	if err := os.Symlink(outside, at+"/out"); err != nil {
		t.Fatal(err)
	}
	_, err = p.Definition(t.Context(), anna, it)
	refused(t, "the link", err, domain.ItemNotReadable)
	if diff := cmp.Diff(map[string]string{"victim": "untouched"}, tree(t, outside)); diff != "" {
		t.Errorf("outside (-want +got)\n%s", diff)
	}
	if err := os.Remove(at + "/out"); err != nil {
		t.Fatal(err)
	}
	if now, err := p.Definition(t.Context(), anna, it); err != nil || now.Hash() != d.Hash() {
		t.Errorf("without the link: got %v, %v", parts(now), err)
	}
}

// An entry in the journal's place is never followed blindly.
func TestStrangeJournals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(journal string) error
		code domain.Code
	}{
		{"an empty one", func(j string) error { return os.Mkdir(j, 0o755) }, ""},
		{"one that was not committed", func(j string) error {
			return cmpErr(os.Mkdir(j, 0o755), os.WriteFile(j+"/0", []byte("x"), 0o644), os.WriteFile(j+"/commit.json.new", []byte("["), 0o644))
		}, ""},
		{"a file", func(j string) error { return os.WriteFile(j, nil, 0o644) }, ""},
		{"a link", func(j string) error { return os.Symlink("/", j) }, ""},
		{"no JSON", func(j string) error {
			return cmpErr(os.Mkdir(j, 0o755), os.WriteFile(j+"/commit.json", []byte("["), 0o644))
		}, domain.PlatformUnavailable},
		{"a path upwards", func(j string) error {
			return cmpErr(os.Mkdir(j, 0o755), os.WriteFile(j+"/0", nil, 0o644), os.WriteFile(j+"/commit.json", []byte(`[{"Path":"../R.Report/x","Staged":"0","New":"x"}]`), 0o644))
		}, domain.PlatformUnavailable},
		{"a staged file elsewhere", func(j string) error {
			return cmpErr(os.Mkdir(j, 0o755), os.WriteFile(j+"/commit.json", []byte(`[{"Path":"x","Staged":"../.platform","New":"x"}]`), 0o644))
		}, domain.PlatformUnavailable},
		{"a pipe", func(j string) error { return cmpErr(os.Mkdir(j, 0o755), syscall.Mkfifo(j+"/commit.json", 0o644)) }, domain.PlatformUnavailable},
		{"staged files that are gone", func(j string) error {
			return cmpErr(os.Mkdir(j, 0o755), os.WriteFile(j+"/commit.json", []byte(`[{"Path":"added","Staged":"0","New":"x"}]`), 0o644))
		}, ""},
	} {
		root := files(t, sales)
		before := tree(t, root)
		p := open(t, root)
		it := modelIn(t, p)
		d, err := p.Definition(t.Context(), anna, it)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.make(filepath.Join(root, "M.SemanticModel", folder.Journal)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			now, err := p.Definition(t.Context(), anna, it)
			if c.code != "" {
				refused(t, c.name, err, c.code)
			} else if err != nil || now.Hash() != d.Hash() {
				t.Errorf("%s: got %v, %v", c.name, parts(now), err)
			}
		}
		if c.code != "" {
			continue
		}
		if diff := cmp.Diff(before, tree(t, root)); diff != "" {
			t.Errorf("%s: something is left (-before +after)\n%s", c.name, diff)
		}
	}
}

// Of many writers that read the same definition one wins, and readers see only complete definitions.
func TestWritersExcludeEachOther(t *testing.T) {
	t.Parallel()
	root := files(t, sales)
	it := modelIn(t, open(t, root))
	version := func(n string) definition.Definition {
		return with(map[string]string{"definition/model.tmdl": n, "definition/tables/A.tmdl": n, "definition/tables/" + n + ".tmdl": n})
	}
	first := open(t, root)
	d, err := first.Definition(t.Context(), anna, it)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.WriteDefinition(t.Context(), anna, it, version("0"), d.Hash()); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var won, lost atomic.Int64
	const writers, rounds = 4, 10
	for w := range writers {
		wg.Go(func() {
			p := open(t, root) // as another process would
			for r := range rounds {
				d, err := p.Definition(t.Context(), anna, it)
				if err != nil || len(d.Parts) != 3 || string(d.Parts[0].Data) != string(d.Parts[1].Data) || string(d.Parts[0].Data) != string(d.Parts[2].Data) {
					t.Errorf("read %v, %v", parts(d), err)
					return
				}
				switch err := p.WriteDefinition(t.Context(), anna, it, version(string(rune('a'+w))+string(rune('a'+r))), d.Hash()); {
				case err == nil:
					won.Add(1)
				case domain.IsRefused(err, domain.ItemChanged):
					lost.Add(1)
				default:
					t.Errorf("write: %v", err)
				}
			}
		})
	}
	wg.Wait()
	if won.Load() < rounds || won.Load()+lost.Load() != writers*rounds {
		t.Errorf("%d writes won, %d lost", won.Load(), lost.Load())
	}
}
