package work_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain/operation"
	"readiness/domain/pixies"
	"readiness/eventstore"
)

// pixiesOfAccount changes the Pixies of the first report as a person of the account
// and returns the outcome.
func (b *bench) pixiesOfAccount(t *testing.T, account string, verb pixies.Verb) pixies.ReportEnded {
	t.Helper()
	who := b.ana()
	who.Account = account
	started, err := b.Pixies.Start(t.Context(), who, verb, workspace, report1)
	id := b.accepted(t, started, err)
	b.change(t, b.Work)
	run := b.run(t, id)
	ended, ok := run.Result(report1)
	if op := run.Operation; !ok || op.Status != operation.StatusSucceeded {
		t.Fatalf("%s %s: the run is %s: %+v", account, verb, op.Status, ended.Error)
	}
	return ended
}

func (b *bench) knownTo(t *testing.T, account string) map[string]string {
	t.Helper()
	past := eventstore.FoldLast[pixies.Report](pixies.Stream(account, report1))
	check(t, b.Store.Load(t.Context(), past))
	return past.State.Known()
}

// ofAccount returns the files of the report that are the account's Pixies, by path.
func (b *bench) ofAccount(t *testing.T, account string) map[string]string {
	t.Helper()
	known := b.knownTo(t, account)
	files := b.bytes(t, report1)
	maps.DeleteFunc(files, func(_, text string) bool {
		return !slices.ContainsFunc(slices.Collect(maps.Values(known)), func(id string) bool { return strings.Contains(text, id) })
	})
	return files
}

// Two accounts track one report: each adds, updates and removes only its own Pixies
// and learns nothing about the other's. A view counts for the account whose Pixie
// was loaded.
//
// proves: decisions/9/7
func TestTwoAccountsOnOneReport(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	before := b.bytes(t, report1)
	two, claimed := 2, map[string]bool{}
	for _, step := range []struct {
		account string
		verb    pixies.Verb
		want    pixies.Outcome
		pixies  map[string]int // by account, afterwards
	}{
		{"fabrikam", pixies.Removes, pixies.OutcomeRemoved, nil},
		{"contoso", pixies.Adds, pixies.OutcomeAdded, map[string]int{"contoso": 2}},
		{"fabrikam", pixies.Removes, pixies.OutcomeRemoved, map[string]int{"contoso": 2}},
		{"fabrikam", pixies.Adds, pixies.OutcomeAdded, map[string]int{"contoso": 2, "fabrikam": 2}},
		{"contoso", pixies.Adds, pixies.OutcomeUpdated, map[string]int{"contoso": 2, "fabrikam": 2}},
		{"contoso", pixies.Removes, pixies.OutcomeRemoved, map[string]int{"fabrikam": 2}},
		{"fabrikam", pixies.Adds, pixies.OutcomeUpdated, map[string]int{"fabrikam": 2}},
		{"contoso", pixies.Adds, pixies.OutcomeAdded, map[string]int{"contoso": 2, "fabrikam": 2}},
		{"fabrikam", pixies.Removes, pixies.OutcomeRemoved, map[string]int{"contoso": 2}},
		{"contoso", pixies.Removes, pixies.OutcomeRemoved, nil},
	} {
		other := map[string]string{"contoso": "fabrikam", "fabrikam": "contoso"}[step.account]
		theirs := b.ofAccount(t, other)
		got := b.pixiesOfAccount(t, step.account, step.verb)
		want := pixies.ReportEnded{ReportID: report1, Outcome: step.want}
		if step.verb == pixies.Adds {
			want.Pages, want.Visuals = &two, &two
		}
		want.TrackedItem, claimed[step.account] = step.verb == pixies.Adds && !claimed[step.account], claimed[step.account] || step.verb == pixies.Adds
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", step.account, step.verb, diff)
		}
		if diff := cmp.Diff(theirs, b.ofAccount(t, other)); diff != "" {
			t.Errorf("%s %s changed what is %s's (-before +after):\n%s", step.account, step.verb, other, diff)
		}
		all := 0
		for account, n := range map[string]int{"contoso": step.pixies["contoso"], "fabrikam": step.pixies["fabrikam"]} {
			if got := len(b.ofAccount(t, account)); got != n {
				t.Errorf("after %s %s there are %d Pixies of %s, want %d", step.account, step.verb, got, account, n)
			}
			all += n
		}
		if got := len(b.bytes(t, report1)) - len(before); got != all {
			t.Errorf("after %s %s the report has %d files more than at first, want %d", step.account, step.verb, got, all)
		}
	}
	if diff := cmp.Diff(before, b.bytes(t, report1)); diff != "" {
		t.Errorf("without Pixies the report is not as it was (-before +after):\n%s", diff)
	}
	if n := b.Count(t, `SELECT count(*) FROM (SELECT FROM pixie_ids_v1 GROUP BY id HAVING count(*) > 1) shared`); n != 0 {
		t.Errorf("the accounts share %d ids", n)
	}

	b.pixiesOfAccount(t, "contoso", pixies.Adds)
	b.pixiesOfAccount(t, "fabrikam", pixies.Adds)
	for page, id := range b.knownTo(t, "fabrikam") {
		found, err := b.Views.PixieIDs(t.Context(), []string{id})
		if at := found[id]; err != nil || at.AccountID != "fabrikam" || at.Page != page || at.ReportID != report1 {
			t.Errorf("a view of %s counts for %+v, %v", id, at, err)
		}
	}
}

// asBefore renames the Pixies of the first report to the form from before names
// identified their account.
func (b *bench) asBefore(t *testing.T, id uuid.UUID) {
	t.Helper()
	for path, text := range b.bytes(t, id) {
		if !strings.Contains(text, "readiness.pixie") {
			continue
		}
		was := filepath.Dir(path)
		sum := sha256.Sum256(fmt.Appendf(nil, "readiness.pixie\n%s\n%s\n0", id, strings.Split(path, "/")[3]))
		name := hex.EncodeToString(sum[:10])
		write(t, filepath.Join(b.report(id), filepath.Dir(was), name, "visual.json"), strings.ReplaceAll(text, filepath.Base(was), name))
		check(t, os.RemoveAll(filepath.Join(b.report(id), was)))
	}
}

// A Pixie whose name does not identify its account belongs to the account that
// knows the id in its address. That account updates it in place and removes it,
// another does not see it. A Pixie with an unknown id belongs to no account.
//
// proves: decisions/9/7
func TestPixiesWithOldNames(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	before := b.bytes(t, report1)
	b.pixiesOfAccount(t, "contoso", pixies.Adds)
	b.asBefore(t, report1)
	old := b.ofAccount(t, "contoso")
	if len(old) != 2 {
		t.Fatalf("there are %d Pixies with old names", len(old))
	}

	b.pixiesOfAccount(t, "fabrikam", pixies.Removes)
	b.pixiesOfAccount(t, "fabrikam", pixies.Adds)
	if got := b.pixiesOfAccount(t, "contoso", pixies.Adds); got.Outcome != pixies.OutcomeUpdated || *got.Visuals != 2 {
		t.Errorf("its own account's addition: got %+v", got)
	}
	if diff := cmp.Diff(old, b.ofAccount(t, "contoso")); diff != "" {
		t.Errorf("the old Pixies changed (-before +after):\n%s", diff)
	}
	if n := len(b.ofAccount(t, "fabrikam")); n != 2 {
		t.Errorf("the other account has %d Pixies", n)
	}
	b.pixiesOfAccount(t, "contoso", pixies.Removes)
	if n := len(b.bytes(t, report1)) - len(before); n != 2 || len(b.ofAccount(t, "fabrikam")) != 2 {
		t.Errorf("%d Pixies are left, want the other account's two", n)
	}
	b.pixiesOfAccount(t, "fabrikam", pixies.Removes)
	if diff := cmp.Diff(before, b.bytes(t, report1)); diff != "" {
		t.Errorf("without Pixies the report is not as it was (-before +after):\n%s", diff)
	}

	// Pixies restored with an older version of the report still belong to the
	// account.
	for path, text := range old {
		write(t, filepath.Join(b.report(report1), path), text)
	}
	b.pixiesOfAccount(t, "fabrikam", pixies.Removes)
	if n := len(b.bytes(t, report1)) - len(before); n != 2 {
		t.Errorf("another account removed %d old Pixies", 2-n)
	}
	b.pixiesOfAccount(t, "contoso", pixies.Removes)
	if diff := cmp.Diff(before, b.bytes(t, report1)); diff != "" {
		t.Errorf("restored Pixies were not removed (-before +after):\n%s", diff)
	}

	for path, text := range old {
		at := strings.Index(text, "/p/") + len("/p/")
		write(t, filepath.Join(b.report(report1), path), strings.ReplaceAll(text, text[at:at+32], "0123456789abcdef0123456789abcdef"))
	}
	b.pixiesOfAccount(t, "contoso", pixies.Removes)
	if n := len(b.bytes(t, report1)) - len(before); n != 2 {
		t.Errorf("%d Pixies with unknown ids were removed", 2-n)
	}
}

// A new key makes other marks. Pixies put with the lost key still belong to the
// account that knows their ids, and get names with the new mark.
func TestAnotherKeyOfPixies(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	before := b.bytes(t, report1)
	b.pixiesOfAccount(t, "contoso", pixies.Adds)
	b.pixiesOfAccount(t, "fabrikam", pixies.Adds)
	known, others := b.knownTo(t, "contoso"), b.ofAccount(t, "fabrikam")
	b.Work.PixieKey = []byte("another key of thirty-two bytes!")
	b.pixiesOfAccount(t, "contoso", pixies.Adds)
	if diff := cmp.Diff(known, b.knownTo(t, "contoso")); diff != "" {
		t.Errorf("the ids changed (-before +after):\n%s", diff)
	}
	if n := len(b.bytes(t, report1)) - len(before); n != 4 || len(b.ofAccount(t, "contoso")) != 2 {
		t.Errorf("there are %d Pixies", n)
	}
	if diff := cmp.Diff(others, b.ofAccount(t, "fabrikam")); diff != "" {
		t.Errorf("the other account's Pixies changed (-before +after):\n%s", diff)
	}
	b.pixiesOfAccount(t, "contoso", pixies.Removes)
	b.pixiesOfAccount(t, "fabrikam", pixies.Removes)
	if diff := cmp.Diff(before, b.bytes(t, report1)); diff != "" {
		t.Errorf("without Pixies the report is not as it was (-before +after):\n%s", diff)
	}
}
