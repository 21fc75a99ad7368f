package offline_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain/optimization"
	"readiness/offline"
)

// interrupt puts a model into the state after a write that was interrupted before its last left files.
func interrupt(t *testing.T, model string, before, after map[string]string, left int) {
	t.Helper()
	sum := func(text string) string { s := sha256.Sum256([]byte(text)); return hex.EncodeToString(s[:]) }
	type change struct{ Path, Staged, Old, New string }
	var changes []change
	journal := filepath.Join(model, ".readiness")
	write := func(file, text string) {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"definition/tables/Products.tmdl", "definition/tables/Sales.tmdl"} {
		c := change{name, string(rune('0' + len(changes))), sum(before[name]), sum(after[name])}
		if len(changes) < 2-left {
			write(filepath.Join(model, name), after[name])
		} else {
			write(filepath.Join(journal, c.Staged), after[name])
			write(filepath.Join(model, name), before[name])
		}
		changes = append(changes, c)
	}
	commit, err := json.Marshal(changes)
	if err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(journal, "commit.json"), string(commit))
}

// Assess and preview report an interrupted write and do not finish it; apply and revert finish it, if they write.
func TestInterruptedWritesAreReported(t *testing.T) {
	t.Parallel()
	root := files(t, shop)
	model := filepath.Join(root, "Shop.SemanticModel")
	before := tree(t, model)
	record, n := write(t, propose(t, embedded(optimization.Descriptions), root))
	if n != 1 {
		t.Fatalf("%d models were written", n)
	}
	after := tree(t, model)
	finished := assess(t, offline.AssessOptions{}, root)
	interrupt(t, model, before, after, 1)
	onDisk := tree(t, root)

	reported := func(warnings []offline.Warning) {
		t.Helper()
		if len(warnings) != 1 || warnings[0].File != "Shop.SemanticModel" || !strings.Contains(warnings[0].Message, "a write of 2 files was interrupted: 1 are still to be written") ||
			!strings.Contains(warnings[0].Message, "readiness revert --write") || !strings.Contains(warnings[0].Message, "readiness apply --write") {
			t.Errorf("got %v", warnings)
		}
	}
	a := assess(t, offline.AssessOptions{}, root)
	reported(a.Warnings)
	a.Warnings = nil
	if diff := cmp.Diff(finished.Items, a.Items, cmp.AllowUnexported(offline.Assessed{})); diff != "" {
		t.Errorf("assessed as if the write were finished (-want +got):\n%s", diff)
	}
	all, warnings, err := offline.Propose(t.Context(), find(t, root, root), embedded(optimization.Descriptions))
	if err != nil || all[0].Changes() != 0 {
		t.Errorf("%d changes are proposed, %v", all[0].Changes(), err)
	}
	reported(warnings)
	back := reversed(t, root, record)
	if back[0].Error != nil || back[0].Objects == 0 || !strings.Contains(back[0].Headline(), "1 are still to be written") {
		t.Errorf("got %s", back[0].Headline())
	}
	if diff := cmp.Diff(onDisk, tree(t, root)); diff != "" {
		t.Fatalf("reading writes (-want +got):\n%s", diff)
	}

	t.Run("revert undoes it", func(t *testing.T) {
		root := files(t, onDisk)
		putBack(t, reversed(t, root, record))
		if diff := cmp.Diff(before, tree(t, filepath.Join(root, "Shop.SemanticModel"))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("apply finishes it", func(t *testing.T) {
		root := files(t, onDisk)
		if _, _, err := offline.Write(t.Context(), propose(t, embedded(optimization.Descriptions), root), "", at); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(after, tree(t, filepath.Join(root, "Shop.SemanticModel"))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
