package audit_test

import (
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore/audit"
	"readiness/eventstore/audit/tree"
)

// verified returns the mismatches that Verify finds.
func (w *world) verified(notes ...[]byte) (found []string) {
	w.Helper()
	v, err := w.log.Verify(w.Context(), audit.VerifyOptions{Key: key.Public().(ed25519.PublicKey), Notes: notes,
		Found: func(what string) { found = append(found, what) }})
	w.must(err)
	if v.Mismatches != int64(len(found)) {
		w.Errorf("%d mismatches were counted and %d listed", v.Mismatches, len(found))
	}
	return found
}

// as runs SQL as the owner of the database with the triggers off.
func (w *world) as(sql string) {
	w.Helper()
	w.must(pgx.BeginFunc(w.Context(), w.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(w.Context(), "SET LOCAL session_replication_role = replica; "+sql)
		return err
	}))
}

// some makes a log of two full tiles and more, sealed three times.
func (w *world) some() {
	w.Helper()
	for _, stream := range []string{"1", "2", "3"} {
		w.add("acme", stream, make([]string, 200)...)
		w.add("other", stream+"-other", "x", "y")
		w.seal()
	}
}

// The trees match the events. Every change of a column of the trees is found.
func TestVerifyTrees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.some()
	head, err := w.log.Head(t.Context(), "acme", audit.Current)
	w.must(err)
	if found := w.verified(head.Note); found != nil {
		t.Fatalf("of what is unchanged: %q", found)
	}
	for _, sql := range []string{
		`UPDATE audit_epochs SET origin = 'x'`,
		`UPDATE audit_trees SET size = size + 1 WHERE tree = 'acme'`, `UPDATE audit_trees SET root = sha256('x') WHERE tree = ''`,
		`UPDATE audit_trees SET note = replace(note, '606', '607') WHERE tree = ''`, `DELETE FROM audit_trees WHERE tree = 'other'`,
		`UPDATE audit_trees SET position = position - 1 WHERE tree = ''`, `DELETE FROM audit_trees WHERE tree = ''`,
		`UPDATE audit_tiles SET hashes = sha256('x') || substr(hashes, 33) WHERE tree = '' AND level = 0 AND index = 1`,
		`UPDATE audit_tiles SET hashes = hashes || sha256('x') WHERE tree = '' AND level = 0 AND index = 2`,
		`UPDATE audit_tiles SET hashes = substr(hashes, 1, 32) WHERE tree = 'other' AND level = 0`,
		`UPDATE audit_tiles SET hashes = sha256('x') || substr(hashes, 33) WHERE tree = 'acme' AND level = 1`,
		`DELETE FROM audit_tiles WHERE tree = 'acme' AND level = 1`,
		`UPDATE audit_tiles SET first_position = first_position + 1 WHERE tree = 'acme' AND level = 0 AND index = 1`,
		`UPDATE audit_tiles SET last_position = last_position - 1 WHERE tree = 'acme' AND level = 0 AND index = 2`,
		`INSERT INTO audit_tiles SELECT tree, epoch, 3, index, hashes FROM audit_tiles WHERE tree = 'other'`,
		`UPDATE audit_checkpoints SET root = sha256('x') WHERE tree = 'acme' AND size = 200`, `UPDATE audit_checkpoints SET size = size - 1 WHERE tree = 'other'`,
		`UPDATE audit_checkpoints SET position = position + 300 WHERE tree = 'acme' AND size = 200`,
		`UPDATE audit_checkpoints SET note = 'x' WHERE tree = '' AND size = 202`,
		`UPDATE audit_checkpoints SET note = (SELECT note FROM audit_checkpoints WHERE tree = 'acme' AND size = 200) WHERE tree = 'acme' AND size = 400`,
		`UPDATE events SET data = '{"text":"forged"}' WHERE position = 100`, `DELETE FROM events WHERE position = 300`,
	} {
		w.must(pgx.BeginFunc(t.Context(), w.pool, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `DROP SCHEMA IF EXISTS kept CASCADE; CREATE SCHEMA kept; CREATE TABLE kept.e AS TABLE events; CREATE TABLE kept.a AS TABLE audit_epochs;
				CREATE TABLE kept.t AS TABLE audit_trees; CREATE TABLE kept.l AS TABLE audit_tiles; CREATE TABLE kept.c AS TABLE audit_checkpoints`)
			return err
		}))
		w.as(sql)
		if found := w.verified(); len(found) == 0 {
			t.Errorf("%s: nothing was found", sql)
		}
		w.as(`DELETE FROM audit_checkpoints; DELETE FROM audit_tiles; DELETE FROM audit_trees; DELETE FROM audit_epochs; DELETE FROM events;
			INSERT INTO events SELECT * FROM kept.e; INSERT INTO audit_epochs SELECT * FROM kept.a; INSERT INTO audit_trees SELECT * FROM kept.t;
			INSERT INTO audit_tiles SELECT * FROM kept.l; INSERT INTO audit_checkpoints SELECT * FROM kept.c`)
	}
	if found := w.verified(head.Note); found != nil {
		t.Errorf("of what was put back: %q", found)
	}
}

// A database that was restored to an earlier time signs nothing, as long as a later head is known to be published.
// After a restart it signs again, in an epoch whose first entries name the last heads; all that it still has verifies.
func TestRestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add("acme", "1", "a", "b")
	w.seal()
	w.as(`CREATE SCHEMA kept; CREATE TABLE kept.e AS TABLE events; CREATE TABLE kept.s AS TABLE streams; CREATE TABLE kept.t AS TABLE audit_trees;
		CREATE TABLE kept.l AS TABLE audit_tiles; CREATE TABLE kept.c AS TABLE audit_checkpoints`)
	w.add("acme", "1", "lost")
	w.seal()
	lost := w.checked(audit.Service)
	lostOfAcme := w.checked("acme")
	w.as(`DELETE FROM audit_checkpoints; DELETE FROM audit_tiles; DELETE FROM audit_trees; DELETE FROM events; DELETE FROM streams;
		INSERT INTO events SELECT * FROM kept.e; INSERT INTO streams SELECT * FROM kept.s; INSERT INTO audit_trees SELECT * FROM kept.t;
		INSERT INTO audit_tiles SELECT * FROM kept.l; INSERT INTO audit_checkpoints SELECT * FROM kept.c; SELECT setval('events_position_seq', 2)`)
	w.add("acme", "1", "another")
	w.notes = [][]byte{lost.Note}
	for range 2 {
		if err := w.log.Seal(t.Context()); !errors.Is(err, audit.ErrBehind) {
			t.Fatalf("sealing with a later head published: %v", err)
		}
	}
	if h := w.checked(audit.Service); h.Size != 2 {
		t.Errorf("the tree has %d entries", h.Size)
	}
	if found := w.verified(lost.Note); len(found) != 1 || !strings.Contains(found[0], "a head of 3 was kept") {
		t.Errorf("with the later head: %q", found)
	}
	number, err := w.log.Restart(t.Context(), "restored the backup", [][]byte{lostOfAcme.Note})
	if err != nil || number != 2 {
		t.Fatalf("epoch %d, %v", number, err)
	}
	w.seal()
	for of, named := range map[string][]byte{audit.Service: lost.Note, "acme": lostOfAcme.Note} {
		h, err := w.log.Head(t.Context(), of, audit.Current)
		w.must(err)
		if h.Epoch != 2 || h.Size != 4 {
			t.Errorf("epoch %d of %q has %d entries", h.Epoch, of, h.Size)
		}
		_, err = audit.Opened(h.Note, audit.Origin(origin, of, 2), key.Public().(ed25519.PublicKey))
		w.must(err)
		bundle, err := w.log.Tile(t.Context(), of, 2, tree.Request{Entries: true, Count: 4})
		w.must(err)
		first := bundle[2 : 2+int(bundle[0])<<8+int(bundle[1])]
		if want := "readiness audit restart\nepoch 2\nbecause \"restored the backup\"\n\n" + string(named); string(first) != want {
			t.Errorf("the first entry of %q is %q, want %q", of, first, want)
		}
	}
	for r, err := range w.store.ReadStream(t.Context(), "note-1", 0) {
		w.must(err)
		file, err := w.log.Proof(t.Context(), "acme", r.ID)
		w.must(err)
		if _, index, _ := parsed(t, file); index != r.Version {
			t.Errorf("version %d is entry %d", r.Version, index)
		}
	}
	if found := w.verified(); found != nil {
		t.Errorf("after the restart: %q", found)
	}
}

// The file keeps the newest head, and only one that continues the one before.
func TestKeep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "audit.checkpoint")
	kept := func() string {
		t.Helper()
		w.must(w.log.KeepOnce(t.Context(), path))
		text, err := os.ReadFile(path)
		w.must(err)
		return string(text)
	}
	w.must(w.log.KeepOnce(t.Context(), path))
	if _, err := os.Stat(path); err == nil {
		t.Error("a head of an empty log was kept")
	}
	w.add("acme", "1", "a")
	w.seal()
	if got := kept(); got != string(w.checked(audit.Service).Note) {
		t.Errorf("got %q", got)
	}
	w.now = w.now.Add(time.Minute)
	w.add("acme", "1", "b")
	w.seal()
	second := kept()
	if second != string(w.checked(audit.Service).Note) {
		t.Errorf("got %q", second)
	}
	w.as(`DELETE FROM audit_checkpoints WHERE size = 2; UPDATE audit_trees SET size = 1`)
	if err := w.log.KeepOnce(t.Context(), path); err == nil {
		w.as(`UPDATE audit_trees SET note = 'another'`)
		if err := w.log.KeepOnce(t.Context(), path); !errors.Is(err, audit.ErrBehind) {
			t.Errorf("with a later head published: %v", err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != second {
		t.Errorf("the file has %q, %v", text, err)
	}
}
