package audit_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"readiness/eventstore"
	"readiness/eventstore/audit"
	"readiness/test/pgtest"
)

// imported returns a log that was imported from lines, not named yet.
func (w *world) imported(lines []string) *world {
	w.Helper()
	to := &world{TB: w.TB, url: pgtest.URL(w), now: w.now}
	to.pool = to.open(nil)
	to.store, to.log = to.over(to.pool)
	_, err := to.store.Import(w.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"), eventstore.ImportOptions{Before: audit.Unused})
	w.must(err)
	return to
}

// note returns the newest head of a tree.
func (w *world) note(of string) []byte {
	w.Helper()
	head, err := w.log.Head(w.Context(), of, audit.Current)
	w.must(err)
	return head.Note
}

// An imported log has the trees of the exported one. Heads from before are verified before it signs anything; then it continues the
// newest known one, and the heads of both logs are consistent.
//
// proves: decisions/20/trees
func TestImportedLogContinuesItsTrees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var notes [][]byte
	for n := range 3 {
		w.add("acme", fmt.Sprint(n), make([]string, 2500)...)
		w.add("other", fmt.Sprint(n)+"-other", "x")
		w.seal()
		notes = append(notes, w.note(audit.Service), w.note("acme"), w.note("other"))
	}
	published := notes[6] // of all 7,503 events, more than a page
	w.add("acme", "9", "after the last head")
	to := w.imported(w.lines(""))
	if found := to.verified(notes...); found != nil {
		t.Errorf("before it is named: %q", found)
	}
	to.must(to.log.Begin(t.Context(), origin))
	if found := to.verified(notes...); found != nil {
		t.Errorf("before it is sealed: %q", found)
	}
	to.notes = [][]byte{published}
	to.seal()
	if head := to.checked(audit.Service); head.Epoch != 1 || head.Size != 7504 {
		t.Errorf("the head is %+v", head)
	}
	to.checked("acme")
	if found := to.verified(notes...); found != nil {
		t.Errorf("sealed: %q", found)
	}
	for _, size := range []int{7503, 7504} {
		if n := to.count(fmt.Sprintf(`SELECT count(*) FROM audit_checkpoints WHERE tree = '' AND size = %d`, size)); n != 1 {
			t.Errorf("%d heads of %d entries", n, size)
		}
	}
	w.seal()
	if w.checked(audit.Service).Root != to.checked(audit.Service).Root {
		t.Error("the two logs have other trees")
	}
	to.add("acme", "10", "added after the import")
	to.seal()
	if found := to.verified(append(notes, w.note(audit.Service))...); found != nil {
		t.Errorf("after another event: %q", found)
	}
}

func (w *world) count(sql string) (n int) {
	w.Helper()
	w.must(w.pool.QueryRow(w.Context(), sql).Scan(&n))
	return n
}

// An imported log that does not continue a known head signs nothing until it is restarted. Its new epoch is above all that are known, and
// its first entries name the last heads, of accounts too.
func TestImportedLogOfAnotherHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.some()
	lines := w.lines("")
	known, acme := w.note(audit.Service), w.note("acme")
	later := newWorld(t)
	later.some()
	_, err := later.log.Restart(t.Context(), "a test", nil)
	later.must(err)
	later.seal()
	for name, row := range map[string]struct {
		lines    []string
		notes    [][]byte
		mismatch string
		epoch    int
	}{
		"an earlier end":  {lines[:len(lines)-1], [][]byte{known, acme}, "events were removed, or the database was restored", 2},
		"one account":     {w.lines("acme"), [][]byte{known}, "events were removed, or the database was restored", 2},
		"another history": {later.lines(""), [][]byte{known, acme}, "the log was changed since that head was kept", 2},
		"a later epoch":   {later.lines(""), [][]byte{later.note(audit.Service), later.note("acme")}, "and this log has no such tree", 3},
		"another key":     {lines, [][]byte{w.signedBy(t)}, "the note of", 2},
	} {
		to := w.imported(row.lines)
		if found := to.verified(row.notes...); !slices.ContainsFunc(found, func(what string) bool { return strings.Contains(what, row.mismatch) }) {
			t.Errorf("%s: %q, want %q", name, found, row.mismatch)
		}
		to.must(to.log.Begin(t.Context(), origin))
		to.notes = row.notes[:1]
		if err := to.log.Seal(t.Context()); !errors.Is(err, audit.ErrBehind) {
			t.Errorf("%s: got %v", name, err)
		}
		if n := to.count(`SELECT count(*) FROM audit_checkpoints`) + to.count(`SELECT count(*) FROM audit_tiles`); n != 0 {
			t.Errorf("%s: %d heads and tiles", name, n)
		}
		number, err := to.log.Restart(t.Context(), "imported", row.notes)
		to.must(err)
		to.seal()
		if number != row.epoch {
			t.Errorf("%s: epoch %d, want %d", name, number, row.epoch)
		}
		for i, of := range []string{audit.Service, "acme"}[:len(row.notes)] {
			to.must(to.checkedFrom(of, number, string(row.notes[i])))
		}
		if found := to.verified(); found != nil {
			t.Errorf("%s: %q", name, found)
		}
	}
}

// checkedFrom returns an error unless the first entry of a tree names the note.
func (w *world) checkedFrom(of string, epoch int, note string) error {
	w.Helper()
	var first string
	if err := w.pool.QueryRow(w.Context(), `SELECT convert_from(first_entry, 'UTF8') FROM audit_trees WHERE tree = $1 AND epoch = $2`, of, epoch).
		Scan(&first); err != nil {
		return err
	}
	if !strings.HasSuffix(first, note) {
		return fmt.Errorf("the first entry of %q is %q", of, first)
	}
	return nil
}

// signedBy returns the head of all events under another key.
func (w *world) signedBy(t *testing.T) []byte {
	t.Helper()
	other := w.imported(w.lines(""))
	log := audit.New(audit.Options{Pool: other.pool, Watermark: other.store.Watermark, Key: ed25519.NewKeyFromSeed([]byte(strings.Repeat("x", ed25519.SeedSize))),
		Now: func() time.Time { return w.now }, Published: func(context.Context) ([][]byte, error) { return nil, nil }, Log: slog.New(slog.DiscardHandler)})
	w.must(log.Begin(t.Context(), origin))
	w.must(log.Seal(t.Context()))
	return other.note(audit.Service)
}

// A log whose trees were restarted before its export is verified after its import: heads of every epoch, of all events and of an account,
// with the trees that were exported, whose first entries are not in the log. It is verified before it is named, and after it began a new
// epoch.
//
// proves: decisions/20/epochs
func TestImportedLogOfEarlierEpochs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var notes [][]byte
	for n := range 3 {
		if n > 0 {
			_, err := w.log.Restart(t.Context(), fmt.Sprint("restart ", n), nil)
			w.must(err)
		}
		w.add("acme", fmt.Sprint(n), make([]string, 300)...)
		w.add("other", fmt.Sprint(n, "-other"), "x")
		w.seal()
		notes = append(notes, w.note(audit.Service), w.note("acme"), w.note("other"))
	}
	w.add("acme", "9", "after the last head")
	trees := w.exportedTrees("")
	if len(trees) != 9 {
		t.Fatalf("%d trees were exported", len(trees))
	}
	to := w.imported(w.lines(""))
	verified := func(when string, trees []audit.EpochTree, notes ...[]byte) {
		t.Helper()
		if found := to.verifiedWith(trees, notes...); found != nil {
			t.Errorf("%s: %q", when, found)
		}
	}
	verified("before it is named", trees, notes...)
	verified("without heads", trees)
	to.must(to.log.Begin(t.Context(), origin))
	verified("before it is sealed", trees, notes...)
	to.notes = notes[6:7]
	if err := to.log.Seal(t.Context()); !errors.Is(err, audit.ErrBehind) {
		t.Errorf("it signs without a restart: %v", err)
	}
	number, err := to.log.Restart(t.Context(), "imported", notes)
	to.must(err)
	to.seal()
	if number != 4 {
		t.Errorf("epoch %d", number)
	}
	verified("in a new epoch", trees, notes...)
	verified("in a new epoch, with its head", trees, append(notes, to.note("acme"))...)

	one := w.imported(w.lines("acme"))
	if found := one.verifiedWith(w.exportedTrees("acme"), notes[1], notes[4], notes[7]); found != nil {
		t.Errorf("one account: %q", found)
	}
	cut := w.imported(w.lines("")[:500])
	changed := slices.Clone(trees)
	changed[4].FirstEntry = append(slices.Clone(changed[4].FirstEntry), ' ')
	for name, row := range map[string]struct {
		of    *world
		trees []audit.EpochTree
		notes [][]byte
		says  string
	}{
		"events are missing":     {cut, trees, notes[7:8], "events were removed, or the database was restored"},
		"another first entry":    {to, changed, nil, "and the events make"},
		"a head of another log":  {to, trees, [][]byte{other(t).note(audit.Service)}, "had another hash when it had"},
		"without exported trees": {w.imported(w.lines("")), nil, notes[3:4], "and this log has no such tree"},
	} {
		if found := row.of.verifiedWith(row.trees, row.notes...); !slices.ContainsFunc(found, func(what string) bool { return strings.Contains(what, row.says) }) {
			t.Errorf("%s: %q, want %q", name, found, row.says)
		}
	}
}

// other is a log with other events.
func other(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.add("acme", "0", "other", "events")
	w.seal()
	return w
}

func (w *world) exportedTrees(account string) []audit.EpochTree {
	w.Helper()
	var lines bytes.Buffer
	n, err := w.log.ExportTrees(w.Context(), &lines, account)
	w.must(err)
	trees, err := audit.ParseTrees(&lines)
	w.must(err)
	if n != len(trees) {
		w.Errorf("%d trees were exported, and %d read", n, len(trees))
	}
	return trees
}

// verifiedWith is verified with trees that were exported.
func (w *world) verifiedWith(trees []audit.EpochTree, notes ...[]byte) (found []string) {
	w.Helper()
	_, err := w.log.Verify(w.Context(), audit.VerifyOptions{Key: key.Public().(ed25519.PublicKey), Notes: notes, Trees: trees, Found: func(what string) { found = append(found, what) }})
	w.must(err)
	return found
}

// A line that is not as it was exported is refused by its number.
func TestParseTreesRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.some()
	var b bytes.Buffer
	_, err := w.log.ExportTrees(t.Context(), &b, "acme")
	w.must(err)
	line := b.String()
	for name, row := range map[string]struct{ text, says string }{
		"empty":            {"", "has no line"},
		"events":           {w.lines("acme")[0], "line 1 is not one of readinessd audit export"},
		"cut":              {line[:len(line)/2], "line 1 is not one of"},
		"another size":     {line + strings.Replace(line, `"size":`, `"size":1`, 1), "line 2 is not one of readinessd audit export: its note belongs to another head"},
		"another account":  {strings.Replace(line, `"tree":"acme"`, `"tree":"other"`, 1), "is not that of tree"},
		"another epoch":    {strings.Replace(line, `"epoch":1`, `"epoch":2`, 1), "is not that of tree"},
		"an unknown field": {strings.Replace(line, `{`, `{"a":1,`, 1), "unknown field"},
	} {
		if got, err := audit.ParseTrees(strings.NewReader(row.text)); err == nil || !strings.Contains(err.Error(), row.says) || got != nil {
			t.Errorf("%s: %v, %v, want %q", name, got, err, row.says)
		}
	}
}
