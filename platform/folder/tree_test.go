package folder_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/folder"
)

func openTree(t testing.TB, root string) *folder.Tree {
	t.Helper()
	tree, err := folder.OpenTree(root)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// A tree holds items wherever they lie, whoever may see them as a workspace.
func TestTree(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	root := files(t, map[string]string{
		"w/workspace.json":                               `{"members":[],"capacity":{"state":"Paused"}}`,
		"w/x/B.SemanticModel/definition/model.tmdl":      "model Model\n",
		"w/x/B.SemanticModel/.platform":                  platformFile(id.String(), "The Name"),
		"A.SemanticModel/model.bim":                      "{}",
		"w/R.Report/definition.pbir":                     "{}",
		"w/D.DataAgent/Files/Config/data_agent.json":     "{}",
		".git/C.SemanticModel/model.bim":                 "{}",
		"A.SemanticModel/Inner.SemanticModel/model.bim2": "{}",
	})
	items, err := openTree(t, root).Items(t.Context(), item.SemanticModel, item.DataAgent)
	if err != nil {
		t.Fatal(err)
	}
	want := []folder.TreeItem{
		{Type: item.SemanticModel, Path: "A.SemanticModel", Name: "A"},
		{Type: item.DataAgent, Path: "w/D.DataAgent", Name: "D"},
		{Type: item.SemanticModel, Path: "w/x/B.SemanticModel", Name: "The Name", LogicalID: id},
	}
	if diff := cmp.Diff(want, items); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, i := range items {
		one, err := openTree(t, root).Item(t.Context(), i.Path)
		if err != nil || one != i {
			t.Errorf("%s alone: %+v, %v", i.Path, one, err)
		}
	}
	d, err := openTree(t, root).Definition(t.Context(), items[2])
	if err != nil || len(d.Parts) != 1 {
		t.Errorf("a model of a paused capacity: %v, %v", d, err)
	}
	for _, wrong := range []string{"../A.SemanticModel", "/A.SemanticModel", "w", "w/R.Reports", "nowhere/N.SemanticModel", "A.SemanticModel/model.bim"} {
		if _, err := openTree(t, root).Item(t.Context(), wrong); !domain.IsRefused(err, domain.ItemNotFound) {
			t.Errorf("%s: got error %v", wrong, err)
		}
	}
	if _, err := folder.OpenTree(filepath.Join(root, "nowhere")); err == nil {
		t.Error("a folder that is not there is opened")
	}
	if _, err := folder.OpenTree(filepath.Join(root, "A.SemanticModel", "model.bim")); err == nil {
		t.Error("a file is opened")
	}
}

// A write holds the definition against the hash that was read; messages name items
// by their paths, and nothing outside is touched.
func TestTreeWrites(t *testing.T) {
	t.Parallel()
	root := files(t, sales)
	at := openTree(t, root)
	m, err := at.Item(t.Context(), "M.SemanticModel")
	if err != nil {
		t.Fatal(err)
	}
	d, err := at.Definition(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	before := tree(t, root)
	changed := definition.New(append([]definition.Part{{Path: "definition/roles/R.tmdl", Data: []byte("role R\n")}}, d.Parts...)...)
	err = at.WriteDefinition(t.Context(), m, changed, "sha256:0")
	refused(t, "another hash", err, domain.ItemChanged)
	if r, _ := domain.Refused(err); !strings.HasPrefix(r.Message, "M.SemanticModel was changed") {
		t.Errorf("got %q", r.Message)
	}
	refused(t, "a path that leads out", at.WriteDefinition(t.Context(), m, definition.New(definition.Part{Path: "../x"}), d.Hash()), domain.InvalidRequest)
	refused(t, "another tree", at.WriteDefinition(t.Context(), folder.TreeItem{Type: item.SemanticModel, Path: "../M.SemanticModel"}, changed, d.Hash()), domain.ItemNotFound)
	if diff := cmp.Diff(before, tree(t, root)); diff != "" {
		t.Fatalf("refused, and written (-want +got):\n%s", diff)
	}
	if err := at.WriteDefinition(t.Context(), m, changed, d.Hash()); err != nil {
		t.Fatal(err)
	}
	if got, err := at.Definition(t.Context(), m); err != nil || got.Hash() != changed.Hash() {
		t.Errorf("got %v, %v", got, err)
	}
	if err := at.WriteDefinition(t.Context(), m, d, changed.Hash()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, root)); diff != "" {
		t.Errorf("written back (-want +got):\n%s", diff)
	}
}

// A link to a folder elsewhere is no item, and a part that is one is not read.
func TestLinksInATree(t *testing.T) {
	t.Parallel()
	root, elsewhere := files(t, sales), files(t, map[string]string{"S.SemanticModel/model.bim": "{}"})
	if err := os.Symlink(filepath.Join(elsewhere, "S.SemanticModel"), filepath.Join(root, "S.SemanticModel")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("M.SemanticModel", filepath.Join(root, "Inside.SemanticModel")); err != nil {
		t.Fatal(err)
	}
	at := openTree(t, root)
	items, err := at.Items(t.Context(), item.SemanticModel)
	if err != nil || len(items) != 1 {
		t.Errorf("got %v, %v", items, err)
	}
	_, err = at.Item(t.Context(), "S.SemanticModel")
	refused(t, "a link", err, domain.ItemNotFound)
	_, err = at.Item(t.Context(), "Inside.SemanticModel")
	refused(t, "a link that stays inside", err, domain.ItemNotFound)
	if _, err := at.Definition(t.Context(), folder.TreeItem{Type: item.SemanticModel, Path: "S.SemanticModel"}); err == nil {
		t.Error("a link led out of the tree")
	}
}

// A tree brings a write to its end that was cut off between two files, whoever
// began it: what it reads has the hash of before or of after.
func TestATreeEndsAWriteThatWasCutOff(t *testing.T) {
	t.Parallel()
	before, finished := 0, 0
	for step := 2; ; step += 4 {
		root := files(t, sales)
		at := openTree(t, root)
		m, err := at.Item(t.Context(), "M.SemanticModel")
		if err != nil {
			t.Fatal(err)
		}
		old, err := at.Definition(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if !crash(t, root, step) {
			break
		}
		now, err := at.Definition(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		switch now.Hash() {
		case old.Hash():
			before++
		case after.Hash():
			finished++
		default:
			t.Errorf("step %d: neither the old nor the new definition", step)
		}
		if _, err := os.Lstat(filepath.Join(root, "M.SemanticModel", ".readiness")); !os.IsNotExist(err) {
			t.Errorf("step %d: the journal is left: %v", step, err)
		}
		if err := at.WriteDefinition(t.Context(), m, old, now.Hash()); err != nil {
			t.Errorf("step %d: putting back: %v", step, err)
		}
	}
	if before == 0 || finished == 0 {
		t.Errorf("%d writes were undone and %d ended; both are expected", before, finished)
	}
}
