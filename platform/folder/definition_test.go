package folder_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/folder"
)

// one is a definition of one part.
var one = definition.New(definition.Part{Path: "x", Data: []byte("new")})

// parts returns a definition's parts as text by path.
func parts(d definition.Definition) map[string]string {
	all := map[string]string{}
	for _, p := range d.Parts {
		all[p.Path] = string(p.Data)
	}
	return all
}

// modelIn returns the only semantic model of a root.
func modelIn(t testing.TB, p *folder.Platform) item.Item {
	t.Helper()
	all := items(t, p, only(t, p).ID, item.SemanticModel)
	if len(all) != 1 {
		t.Fatalf("got models %v, want one", all)
	}
	return all[0]
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"M.SemanticModel/definition/model.tmdl":        "model Model\r\n",
		"M.SemanticModel/definition/tables/Täble.tmdl": "table x",
		"M.SemanticModel/definition.pbism":             "",
		"M.SemanticModel/Copilot/schema.json":          "\xff\xfe bytes",
		"M.SemanticModel/.platform":                    platformFile("", "M"),
		"M.SemanticModel/.pbi/cache.abf":               "local",
		"M.SemanticModel/definition/.DS_Store":         "local",
		"M.SemanticModel/definition/tables/.M.tmdl":    "table .M",
		"M.SemanticModel/definition/tables/._M.tmdl":   "local",
		"M.SemanticModel/definition/tables/..tmdl":     "local",
		"M.SemanticModel/definition/tables/.M.tmdl~":   "local",
		"M.SemanticModel/definition/.git.tmdl/x.tmdl":  "local",
		"M.SemanticModel/TMDLScripts/.pbi/x.json":      "local",
		"N.Report/definition.pbir":                     "{}",
	})
	if err := os.Mkdir(filepath.Join(root, "M.SemanticModel/empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(root, "M.SemanticModel/.pbi/link")); err != nil {
		t.Fatal(err)
	}
	p := open(t, root)
	d, err := p.Definition(t.Context(), anna, modelIn(t, p))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"definition/model.tmdl": "model Model\r\n", "definition/tables/.M.tmdl": "table .M", "definition/tables/Täble.tmdl": "table x", "definition.pbism": "",
		"Copilot/schema.json": "\xff\xfe bytes",
	}
	if diff := cmp.Diff(want, parts(d)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(definition.New(d.Parts...), d); diff != "" {
		t.Errorf("the parts are not in order: %s", diff)
	}
}

// An item that cannot be read is listed, and reading it is refused. The item next to it can be read.
func TestUnreadableDefinitions(t *testing.T) {
	t.Parallel()
	outside := files(t, map[string]string{"secret.tmdl": "secret", "tables/secret.tmdl": "secret"})
	for _, c := range []struct {
		name, want string
		make       func(at string) error
	}{
		{"nothing in it", "holds no part", func(string) error { return nil }},
		{"only a .platform", "holds no part", func(at string) error { return os.WriteFile(at+"/.platform", []byte("{}"), 0o644) }},
		{"a link to a file outside", `"model.tmdl" is a link`, func(at string) error { return os.Symlink(outside+"/secret.tmdl", at+"/model.tmdl") }},
		{"a link to a folder outside", `"tables" is a link`, func(at string) error { return os.Symlink(outside+"/tables", at+"/tables") }},
		{"a link upwards", `"up" is a link`, func(at string) error { return os.Symlink("..", at+"/up") }},
		{"a link inside", `"b" is a link`, func(at string) error {
			return cmpErr(os.WriteFile(at+"/a", nil, 0o644), os.Symlink("a", at+"/b"))
		}},
		{"a link to nothing", `"b" is a link`, func(at string) error { return os.Symlink("nothing", at+"/b") }},
		{"a pipe", `"pipe" is a link, a pipe or a device`, func(at string) error { return syscall.Mkfifo(at+"/pipe", 0o644) }},
		{"a socket", `"s" is a link, a pipe or a device`, func(at string) error { return syscall.Mknod(at+"/s", syscall.S_IFSOCK|0o644, 0) }},
		{"a name that is not UTF-8", `"a\xff" is not UTF-8`, func(at string) error { return os.WriteFile(at+"/a\xff", nil, 0o644) }},
		{"a folder whose name is not UTF-8", `"a\xff" is not UTF-8`, func(at string) error { return os.Mkdir(at+"/a\xff", 0o755) }},
		{"a part of terabytes", `"huge" is larger than 67108864 bytes`, func(at string) error { return sparse(at+"/huge", 1<<40) }},
		{"a part one byte too large", `"huge" is larger than 67108864 bytes`, func(at string) error { return sparse(at+"/huge", folder.MaxPartBytes+1) }},
		{"folders too deep", "nest deeper than 32", func(at string) error {
			return os.MkdirAll(at+"/"+strings.Repeat("d/", folder.MaxDepth), 0o755)
		}},
		{"folders far too deep", "nest deeper than 32", func(at string) error {
			return os.MkdirAll(at+"/"+strings.Repeat("d/", 1000), 0o755)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := files(t, map[string]string{"Good.Report/x": "good"})
			at := filepath.Join(root, "M.SemanticModel")
			if err := os.Mkdir(at, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := c.make(at); err != nil {
				t.Fatal(err)
			}
			p := open(t, root)
			it := modelIn(t, p)
			d, err := p.Definition(t.Context(), anna, it)
			refused(t, "Definition", err, domain.ItemNotReadable)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), root) || len(d.Parts) > 0 {
				t.Errorf("got %v, %v, want %q", d, err, c.want)
			}
			refused(t, "WriteDefinition", p.WriteDefinition(t.Context(), anna, it, one, d.Hash()), domain.ItemNotReadable)
			if _, err := os.Lstat(filepath.Join(at, "x")); err == nil {
				t.Error("a part was written")
			}
			if _, err := p.Definition(t.Context(), anna, items(t, p, it.WorkspaceID, item.Report)[0]); err != nil {
				t.Errorf("the report next to it: %v", err)
			}
		})
	}
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// sparse creates a file of a given size without writing its content.
func sparse(name string, size int64) error {
	return cmpErr(os.WriteFile(name, nil, 0o644), os.Truncate(name, size))
}

func TestBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                  string
		parts, each, together int
		want                  string
	}{
		{"at the bounds", 3, 4, 9, ""},
		{"a part too many", 2, 4, 9, "more than 2 parts"},
		{"a part too large", 3, 3, 9, `"b/c" is larger than 3 bytes`},
		{"too large together", 3, 4, 8, "together larger than 8 bytes"},
	} {
		root := files(t, map[string]string{"M.SemanticModel/a": "123", "M.SemanticModel/b/c": "1234", "M.SemanticModel/d": "12", "M.SemanticModel/.platform": "not counted"})
		p := open(t, root)
		it := modelIn(t, p)
		before, err := p.Definition(t.Context(), anna, it)
		if err != nil {
			t.Fatal(err)
		}
		folder.SetBounds(p, 100, c.parts, c.each, c.together)
		_, err = p.Definition(t.Context(), anna, it)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
		// The same bounds apply to writes.
		err = p.WriteDefinition(t.Context(), anna, it, before, before.Hash())
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: WriteDefinition: %v", c.name, err)
		case c.want != "":
			refused(t, c.name+": WriteDefinition", err, domain.InvalidRequest)
		}
	}
	big := files(t, map[string]string{"M.SemanticModel/a": ""})
	p := open(t, big)
	if err := sparse(filepath.Join(big, "M.SemanticModel/a"), folder.MaxPartBytes); err != nil {
		t.Fatal(err)
	}
	if d, err := p.Definition(t.Context(), anna, modelIn(t, p)); err != nil || len(d.Parts[0].Data) != folder.MaxPartBytes {
		t.Errorf("a part of MaxPartBytes: %v", err)
	}
}

// While a folder is removed and restored, a reader gets the complete definition or a suitable refusal, never part of a
// definition.
func TestAFolderThatVanishesWhileItIsRead(t *testing.T) {
	t.Parallel()
	tree := map[string]string{}
	for _, name := range []string{"a", "b", "c/d", "c/e", "f/g/h"} {
		tree["M.SemanticModel/"+name] = name
	}
	root := files(t, tree)
	put(t, root, map[string]string{"Other.Report/x": ""})
	p := open(t, root)
	it := modelIn(t, p)
	full, err := p.Definition(t.Context(), anna, it)
	if err != nil {
		t.Fatal(err)
	}
	at, away := filepath.Join(root, "M.SemanticModel"), filepath.Join(filepath.Dir(root), "away")
	var stop atomic.Bool
	done := make(chan error)
	go func() {
		for !stop.Load() {
			if err := cmpErr(os.Rename(at, away), os.Rename(away, at)); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	read, absent := 0, 0
	for read < 50 || absent < 5 {
		d, err := p.Definition(t.Context(), anna, it)
		switch {
		case err == nil && d.Hash() == full.Hash():
			read++
		case domain.IsRefused(err, domain.ItemNotFound):
			absent++
		default:
			t.Errorf("got %v, %v", parts(d), err)
			read = 1000
			absent = 1000
		}
	}
	stop.Store(true)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(at); err != nil {
		t.Fatal(err)
	}
	_, err = p.Definition(t.Context(), anna, it)
	refused(t, "a folder that is gone", err, domain.ItemNotFound)
}
