package folder_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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

// A tree finds items wherever they are, without regard to workspaces and their members.
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
	found, err := openTree(t, root).Search(t.Context(), item.SemanticModel, item.DataAgent)
	if err != nil {
		t.Fatal(err)
	}
	items := found.Items
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
	d, _, err := openTree(t, root).Definition(t.Context(), items[2])
	if err != nil || len(d.Parts) != 1 {
		t.Errorf("a model of a paused capacity: %v, %v", d, err)
	}
	for _, wrong := range []string{"../A.SemanticModel", "/A.SemanticModel", "w", "w/R.Reports", "nowhere/N.SemanticModel", "A.SemanticModel/model.bim"} {
		if _, err := openTree(t, root).Item(t.Context(), wrong); !domain.IsRefused(err, domain.ItemNotFound) {
			t.Errorf("%s: got error %v", wrong, err)
		}
	}
	if _, err := folder.OpenTree(filepath.Join(root, "nowhere")); err == nil {
		t.Error("a missing folder was opened")
	}
	if _, err := folder.OpenTree(filepath.Join(root, "A.SemanticModel", "model.bim")); err == nil {
		t.Error("a file was opened")
	}
}

// A write compares the definition on disk with the hash that was read. Messages name items by path, and nothing else is
// touched.
func TestTreeWrites(t *testing.T) {
	t.Parallel()
	root := files(t, sales)
	at := openTree(t, root)
	m, err := at.Item(t.Context(), "M.SemanticModel")
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := at.Definition(t.Context(), m)
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
	if got, _, err := at.Definition(t.Context(), m); err != nil || got.Hash() != changed.Hash() {
		t.Errorf("got %v, %v", got, err)
	}
	if err := at.WriteDefinition(t.Context(), m, d, changed.Hash()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, root)); diff != "" {
		t.Errorf("written back (-want +got):\n%s", diff)
	}
}

// A link to another folder is not an item, and a part that is a link is not read.
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
	found, err := at.Search(t.Context(), item.SemanticModel)
	if err != nil || len(found.Items) != 1 {
		t.Errorf("got %v, %v", found, err)
	}
	_, err = at.Item(t.Context(), "S.SemanticModel")
	refused(t, "a link", err, domain.ItemNotFound)
	_, err = at.Item(t.Context(), "Inside.SemanticModel")
	refused(t, "a link that stays inside", err, domain.ItemNotFound)
	if _, _, err := at.Definition(t.Context(), folder.TreeItem{Type: item.SemanticModel, Path: "S.SemanticModel"}); err == nil {
		t.Error("a link led out of the tree")
	}
}

// Reading a tree writes nothing. A write that was interrupted between two files is read as if finished, and reported,
// until it is finished or the item is written.
//
// proves: decisions/9/15-unfinished
func TestATreeReadsAnInterruptedWrite(t *testing.T) {
	t.Parallel()
	before, finished, left := 0, 0, 0
	for step := 2; ; step += 3 {
		root := files(t, sales)
		at := openTree(t, root)
		m, err := at.Item(t.Context(), "M.SemanticModel")
		if err != nil {
			t.Fatal(err)
		}
		old, pending, err := at.Definition(t.Context(), m)
		if err != nil || pending != nil {
			t.Fatal(pending, err)
		}
		if !crash(t, root, step) {
			break
		}
		onDisk := tree(t, root)
		now, pending, err := at.Definition(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(onDisk, tree(t, root)); diff != "" {
			t.Errorf("step %d: reading writes (-want +got):\n%s", step, diff)
		}
		_, err = os.Lstat(filepath.Join(root, "M.SemanticModel", folder.Journal))
		if there := err == nil; there != (pending != nil) {
			t.Errorf("step %d: reported %v, a journal exists: %v", step, pending, there)
		}
		switch now.Hash() {
		case old.Hash():
			before++
			if pending != nil && pending.Left > 0 {
				t.Errorf("step %d: %v for an uncommitted write", step, pending)
			}
		case after.Hash():
			finished++
			if pending != nil && pending.Left > 0 {
				left++
				if want := fmt.Sprintf("%d are still to be written", pending.Left); !strings.Contains(pending.String(), want) {
					t.Errorf("step %d: got %q, want %q", step, pending, want)
				}
			}
		default:
			t.Errorf("step %d: neither the old nor the new definition", step)
		}
		// Both finishing the write and a new write continue from what was read.
		if step%2 == 0 {
			if err := at.Finish(t.Context(), m); err != nil {
				t.Error(err)
			}
			again, pending, err := at.Definition(t.Context(), m)
			if err != nil || pending != nil || again.Hash() != now.Hash() {
				t.Errorf("step %d: finished, got %v, %v", step, pending, err)
			}
		}
		if err := at.WriteDefinition(t.Context(), m, old, now.Hash()); err != nil {
			t.Errorf("step %d: restoring: %v", step, err)
		}
		if diff := cmp.Diff(tree(t, files(t, sales)), tree(t, root)); diff != "" {
			t.Errorf("step %d: restored (-want +got):\n%s", step, diff)
		}
	}
	if before == 0 || finished == 0 || left == 0 {
		t.Errorf("%d writes were rolled back, %d finished, %d of them in part; all are expected", before, finished, left)
	}
}

// Another program has changed or damaged files meanwhile.
func TestATreeWithAStrangeJournal(t *testing.T) {
	t.Parallel()
	sum := func(text string) string { s := sha256.Sum256([]byte(text)); return hex.EncodeToString(s[:]) }
	old := sales["M.SemanticModel/definition/model.tmdl"]
	entry := func(path, staged, old, now string) string {
		return fmt.Sprintf(`{"Path":%q,"Staged":%q,"Old":%q,"New":%q}`, path, staged, old, now)
	}
	model := entry("definition/model.tmdl", "0", sum(old), sum("model New\n"))
	for name, c := range map[string]struct {
		journal, staged string
		want            string // of the message
		model           string // as read
		err             string
	}{
		"to be written":             {"[" + model + "]", "model New\n", "a write of 1 files was interrupted: 1 are still to be written", "model New\n", ""},
		"changed since":             {"[" + entry("definition/model.tmdl", "0", sum("x"), sum("model New\n")) + "]", "model New\n", "1 of them have been changed since", old, ""},
		"the new bytes are gone":    {"[" + model + "]", "", "1 of them have been changed since", old, ""},
		"the new bytes are others":  {"[" + model + "]", "other", "", "", "remove M.SemanticModel/.readiness"},
		"no JSON":                   {"[", "", "", "", "cannot be read"},
		"a path upwards":            {"[" + entry("../x", "0", "", sum("x")) + "]", "x", "", "", "not a part"},
		"an empty one":              {"", "", "before it changed any file", old, ""},
		"a missing part is removed": {"[" + entry("definition/none.tmdl", "", sum("x"), "") + "]", "", "after all of them were written", old, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := files(t, sales)
			journal := filepath.Join(root, "M.SemanticModel", folder.Journal)
			if err := os.Mkdir(journal, 0o755); err != nil {
				t.Fatal(err)
			}
			for file, text := range map[string]string{"commit.json": c.journal, "0": c.staged} {
				if text != "" {
					if err := os.WriteFile(filepath.Join(journal, file), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			before := tree(t, root)
			at := openTree(t, root)
			m, err := at.Item(t.Context(), "M.SemanticModel")
			if err != nil {
				t.Fatal(err)
			}
			d, pending, err := at.Definition(t.Context(), m)
			switch {
			case c.err != "":
				refused(t, name, err, domain.PlatformUnavailable)
				if !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %v, want %q", err, c.err)
				}
			case err != nil || pending == nil || !strings.Contains(pending.String(), c.want):
				t.Errorf("got %v, %v, want %q", pending, err, c.want)
			default:
				if got, _ := d.Part("definition/model.tmdl"); string(got) != c.model {
					t.Errorf("got %q, want %q", got, c.model)
				}
			}
			if diff := cmp.Diff(before, tree(t, root)); diff != "" {
				t.Errorf("reading writes (-want +got):\n%s", diff)
			}
		})
	}
}
