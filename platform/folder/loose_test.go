package folder_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/folder"
)

// loose holds models without an item folder, and many files that are not models.
var loose = map[string]string{
	"Sales 2026.bim":                                "{}",
	"legacy/Model.BIM":                              "{}",
	"legacy/.Old.bim":                               "a name with a dot",
	"legacy/.readiness/issuer.key":                  "the service's own data",
	"tmdl/Stock/definition/MODEL.tmdl":              "model Model\n",
	"tmdl/Stock/definition/tables/T.TMDL":           "table T\n",
	"tmdl/Stock/definition/tables/a/U.tmdl":         "table U\n",
	"tmdl/Stock/definition/readme.md":               "no TMDL",
	"tmdl/Stock/definition/.pbi/x.tmdl":             "hidden",
	"tmdl/Stock/definition/TMDLScripts/s.tmdl":      "createOrReplace\n",
	"tmdl/Stock/definition/In.SemanticModel/m.tmdl": "an item",
	"tmdl/Stock/definition/own/database.tmdl":       "database\n",
	"tmdl/Stock/definition/.readiness/issuer.key":   "the service's own data",
	"report.dummy/Definition.pbism":                 "{}",
	"report.dummy/definition/model.tmdl":            "model Model\n",
	"report.dummy/Copilot/version.json":             "{}",
	"named/definition.pbism":                        "{}",
	"named/model.bim":                               "{}",
	"named/.platform":                               platformFile("", "The Name"),
	"stray/a.tmdl":                                  "table T\n",
	"stray/definition.pbism":                        "no model beside it",
	"Sales.SemanticModel/model.bim":                 "{}",
	"Sales.SemanticModel/definition/model.tmdl":     "model Model\n",
	"lower.semanticmodel/model.bim":                 "{}",
	".hidden/a/H.SemanticModel/model.bim":           "{}",
	".hidden/.b/h.bim":                              "{}",
	"legacy/.venv/lib/x.py":                         "no model",
	".git/G.SemanticModel/model.bim":                "{}",
	".Dot.SemanticModel/model.bim":                  "{}",
}

// A tree finds models in their own folders, in TMDL files alone and in .bim files.
//
// proves: decisions/9/15-loose decisions/9/15-dot-folders decisions/9/15-letter-case
func TestLooseModels(t *testing.T) {
	t.Parallel()
	root := files(t, loose)
	deep := strings.Repeat("d/", folder.MaxDepth)
	put(t, root, map[string]string{deep[:len(deep)-2] + "deep.bim": "{}", deep + "deeper/deepest.bim": "{}"})
	at := openTree(t, root)
	found, err := at.Search(t.Context(), item.SemanticModel)
	if err != nil {
		t.Fatal(err)
	}
	model := func(path, name string, form folder.Form) folder.TreeItem {
		return folder.TreeItem{Type: item.SemanticModel, Path: path, Name: name, Form: form}
	}
	want := folder.Found{
		Items: []folder.TreeItem{
			model("Sales 2026.bim", "Sales 2026", folder.AsBIM),
			model("Sales.SemanticModel", "Sales", folder.InFolder),
			model(deep[:len(deep)-2]+"deep.bim", "deep", folder.AsBIM),
			model("legacy/Model.BIM", "legacy", folder.AsBIM),
			model("lower.semanticmodel", "lower", folder.InFolder),
			model("named", "The Name", folder.InFolder),
			model("report.dummy", "report.dummy", folder.InFolder),
			model("tmdl/Stock/definition", "Stock", folder.AsTMDL),
			model("tmdl/Stock/definition/In.SemanticModel", "In", folder.InFolder),
			model("tmdl/Stock/definition/own", "own", folder.AsTMDL),
		},
		Hidden:  []folder.Hidden{{Path: ".Dot.SemanticModel", Items: 1}, {Path: ".hidden", Items: 2}},
		TooDeep: []string{deep + "deeper"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	parts := map[string][]string{
		"Sales 2026.bim":        {"Sales 2026.bim"},
		"legacy/Model.BIM":      {"Model.BIM"},
		"tmdl/Stock/definition": {"MODEL.tmdl", "tables/T.TMDL", "tables/a/U.tmdl"},
		"report.dummy":          {"Copilot/version.json", "Definition.pbism", "definition/model.tmdl"},
	}
	for _, i := range found.Items {
		one, err := at.Item(t.Context(), i.Path)
		if err != nil || one != i {
			t.Errorf("%s alone: %+v, %v", i.Path, one, err)
		}
		d, _, err := at.Definition(t.Context(), i)
		if err != nil || d.Loose != (i.Form != folder.InFolder) {
			t.Errorf("%s: loose %v, %v", i.Path, d.Loose, err)
		}
		if want := parts[i.Path]; want != nil {
			var got []string
			for _, p := range d.Parts {
				got = append(got, p.Path)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", i.Path, diff)
			}
		}
	}
	for _, none := range []string{"stray", "stray/a.tmdl", "legacy", "Sales.SemanticModel/model.bim", "Sales.SemanticModel/definition", "tmdl", "nowhere.bim", "../Sales 2026.bim"} {
		if i, err := at.Item(t.Context(), none); !domain.IsRefused(err, domain.ItemNotFound) {
			t.Errorf("%s is %+v, %v", none, i, err)
		}
	}
	hidden, err := openTree(t, filepath.Join(root, ".hidden")).Search(t.Context(), item.SemanticModel)
	if err != nil || len(hidden.Items) != 1 || hidden.Items[0].Path != "a/H.SemanticModel" || len(hidden.Hidden) != 1 || hidden.Hidden[0].Path != ".b" {
		t.Errorf("a folder that is named is searched: %+v, %v", hidden, err)
	}
}

// A write of a loose model changes its own files and nothing else.
func TestLooseModelsAreWritten(t *testing.T) {
	t.Parallel()
	for path, part := range map[string]string{"legacy/Model.BIM": "Model.BIM", "tmdl/Stock/definition": "tables/T.TMDL", "report.dummy": "Copilot/version.json"} {
		root := files(t, loose)
		before := tree(t, root)
		at := openTree(t, root)
		m, err := at.Item(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		old, _, err := at.Definition(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		with := func(name, text string) definition.Definition {
			d := definition.New(append([]definition.Part{{Path: name, Data: []byte(text)}}, old.Parts...)...)
			d.Loose = old.Loose
			return d
		}
		if old.Loose {
			for _, name := range []string{"Copilot/version.json", "other.json", "Other.bim"} {
				refused(t, path+": another file", at.WriteDefinition(t.Context(), m, with(name, "{}"), old.Hash()), domain.InvalidRequest)
			}
		}
		otherForm := old
		otherForm.Loose = !old.Loose
		refused(t, path+": another form", at.WriteDefinition(t.Context(), m, otherForm, old.Hash()), domain.InvalidRequest)
		refused(t, path+": changed", at.WriteDefinition(t.Context(), m, old, "sha256:0"), domain.ItemChanged)
		if diff := cmp.Diff(before, tree(t, root)); diff != "" {
			t.Fatalf("%s: refused, and written (-want +got):\n%s", path, diff)
		}
		now := changed(old, part)
		if err := at.WriteDefinition(t.Context(), m, now, old.Hash()); err != nil {
			t.Fatal(err)
		}
		want := maps.Clone(before)
		want[filepath.Join(m.Folder(), part)] += "\n"
		if diff := cmp.Diff(want, tree(t, root)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
		if err := at.WriteDefinition(t.Context(), m, old, now.Hash()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, tree(t, root)); diff != "" {
			t.Errorf("%s: written back (-want +got):\n%s", path, diff)
		}
	}
}

// changed returns a copy of the definition with one line added to a part.
func changed(d definition.Definition, part string) definition.Definition {
	now := definition.Definition{Parts: append([]definition.Part(nil), d.Parts...), Loose: d.Loose}
	for i, p := range now.Parts {
		if p.Path == part {
			now.Parts[i].Data = append(bytes.Clone(p.Data), '\n')
		}
	}
	return now
}

// writeLoose is what the killed process does: it adds a line to each file.
func writeLoose(root, path string) error {
	at, err := folder.OpenTree(root)
	if err != nil {
		return err
	}
	m, err := at.Item(context.Background(), path)
	if err != nil {
		return err
	}
	d, _, err := at.Definition(context.Background(), m)
	if err != nil {
		return err
	}
	return at.WriteDefinition(context.Background(), m, longer(d), d.Hash())
}

func longer(d definition.Definition) definition.Definition {
	for _, p := range d.Parts {
		d = changed(d, p.Path)
	}
	return d
}

// After a kill at any step, a loose model is read as before or as after the write, and other files in its folder stay.
func TestAKilledWriterOfALooseModel(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"legacy/Model.BIM", "tmdl/Stock/definition"} {
		old, now := 0, 0
		for step := 1; ; step++ {
			root := files(t, loose)
			before := tree(t, root)
			at := openTree(t, root)
			m, err := at.Item(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			d, _, err := at.Definition(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			if !crash(t, root, step, crashLoose+"="+path) {
				break
			}
			read, pending, err := at.Definition(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			switch read.Hash() {
			case d.Hash():
				old++
			case longer(d).Hash():
				now++
			default:
				t.Errorf("%s, step %d: neither the old nor the new model", path, step)
			}
			if pending != nil && pending.Parts == 0 && !strings.Contains(pending.String(), pending.In) {
				t.Errorf("got %s", pending)
			}
			if err := at.WriteDefinition(t.Context(), m, d, read.Hash()); err != nil {
				t.Errorf("%s, step %d: %v", path, step, err)
			}
			if err := at.Finish(t.Context(), m); err != nil {
				t.Errorf("%s, step %d: %v", path, step, err)
			}
			if diff := cmp.Diff(before, tree(t, root)); diff != "" {
				t.Errorf("%s, step %d: restored (-want +got):\n%s", path, step, diff)
			}
		}
		if old == 0 || now == 0 {
			t.Errorf("%s: %d writes were rolled back and %d finished; both are expected", path, old, now)
		}
	}
}

// Entries that are not files are not models, and no link leads out of a model.
func TestHostileLooseModels(t *testing.T) {
	t.Parallel()
	root, elsewhere := files(t, loose), files(t, map[string]string{"secret.bim": "{}", "tables/S.tmdl": "table S\n"})
	link := func(to, from string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(root, from)); err != nil {
			t.Fatal(err)
		}
	}
	link(filepath.Join(elsewhere, "secret.bim"), "link.bim")
	link("Sales 2026.bim", "inside.bim")
	link(elsewhere, "out")
	if err := syscall.Mkfifo(filepath.Join(root, "pipe.bim"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "folder.bim"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(root, "Sales 2026.bim"), 100<<20); err != nil {
		t.Fatal(err)
	}
	at := openTree(t, root)
	found, err := at.Search(t.Context(), item.SemanticModel)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range found.Items {
		if strings.Contains(i.Path, "link") || strings.Contains(i.Path, "inside") || strings.Contains(i.Path, "out") || strings.Contains(i.Path, "pipe") || strings.Contains(i.Path, "folder.bim") {
			t.Errorf("%s is a model", i.Path)
		}
	}
	for _, name := range []string{"link.bim", "inside.bim", "pipe.bim", "folder.bim", "out/secret.bim"} {
		_, err := at.Item(t.Context(), name)
		refused(t, name, err, domain.ItemNotFound)
		_, _, err = at.Definition(t.Context(), folder.TreeItem{Type: item.SemanticModel, Path: name, Form: folder.AsBIM})
		if err == nil {
			t.Errorf("%s is read", name)
		}
	}
	_, _, err = at.Definition(t.Context(), folder.TreeItem{Type: item.SemanticModel, Path: "Sales 2026.bim", Form: folder.AsBIM})
	refused(t, "100 MB", err, domain.ItemNotReadable)
	if !strings.Contains(err.Error(), "larger than 67108864 bytes") {
		t.Errorf("got %v", err)
	}
	stock := folder.TreeItem{Type: item.SemanticModel, Path: "tmdl/Stock/definition", Form: folder.AsTMDL}
	for name, links := range map[string]bool{"notes.txt": false, "roles": true, "x.tmdl": true} {
		where := "tmdl/Stock/definition/" + name
		link(filepath.Join(elsewhere, "tables"), where)
		_, _, err := at.Definition(t.Context(), stock)
		if (err != nil) != links || links && !strings.Contains(err.Error(), name) {
			t.Errorf("with the link %s: %v", name, err)
		}
		if err := os.Remove(filepath.Join(root, where)); err != nil {
			t.Fatal(err)
		}
	}
	// A forged journal reaches no other file.
	root = files(t, loose)
	at = openTree(t, root)
	put(t, root, map[string]string{
		"tmdl/Stock/definition/.tmdl.readiness/commit.json": `[{"Path":"readme.md","Staged":"0","Old":"","New":""}]`,
		"legacy/.Model.BIM.readiness/commit.json":           `[{"Path":"other.bim","Staged":"0","Old":"","New":""}]`,
	})
	before := tree(t, root)
	for _, i := range []folder.TreeItem{stock, {Type: item.SemanticModel, Path: "legacy/Model.BIM", Form: folder.AsBIM}} {
		refused(t, "a journal of another file", at.Finish(t.Context(), i), domain.PlatformUnavailable)
	}
	if diff := cmp.Diff(before, tree(t, root)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
