package auditoracles_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"testing"

	"readiness/eventstore"
	"readiness/eventstore/audit"
)

// chain recomputes a stream's hash chain after its events were changed (docs/architecture.md), as an attacker who knows the program can.
func (w *world) chain(stream string) {
	w.Helper()
	var head [sha256.Size]byte
	number := func(b []byte, n int64) []byte {
		return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, 8), uint64(n))
	}
	text := func(b, s []byte) []byte { return append(binary.BigEndian.AppendUint64(b, uint64(len(s))), s...) }
	version := int64(0)
	for r, err := range w.Store.ReadStored(w.Context(), eventstore.Selection{Stream: stream}) {
		w.must(err)
		b := text(append([]byte(nil), head[:]...), r.ID[:])
		b = text(text(b, []byte(r.Account)), []byte(r.Stream))
		b = number(b, r.Version)
		b = number(number(text(b, []byte(r.Type)), int64(r.SchemaVersion)), r.RecordedAt.UnixMicro())
		head = sha256.Sum256(text(text(b, r.Data), r.RawMetadata))
		hash := sha256.Sum256(binary.BigEndian.AppendUint64(append([]byte(nil), head[:]...), uint64(r.Position)))
		w.as(`UPDATE events SET hash = $1 WHERE position = $2`, hash[:], r.Position)
		version = r.Version
	}
	w.as(`UPDATE streams SET chain = $1, version = $2 WHERE stream = $3`, head[:], version, stream)
}

// rebuildTrees builds all trees again from the events, as an attacker with the service's key can.
func (w *world) rebuildTrees() {
	w.Helper()
	for _, table := range []string{"audit_checkpoints", "audit_tiles", "audit_trees", "audit_epochs"} {
		w.as(`DELETE FROM ` + table)
	}
	w.must(w.log.Begin(w.Context(), origin))
	w.seal()
}

// keep copies the database's tables; restore restores them, as the restore of a dump does.
var restored = []string{"events", "streams", "audit_epochs", "audit_trees", "audit_tiles", "audit_checkpoints"}

func (w *world) keep() {
	w.as(`CREATE SCHEMA kept`)
	for _, table := range restored {
		w.as(`CREATE TABLE kept.` + table + ` AS TABLE ` + table)
	}
}

func (w *world) restore() {
	w.Helper()
	for i := range restored {
		w.as(`DELETE FROM ` + restored[len(restored)-1-i])
	}
	for _, table := range restored {
		w.as(`INSERT INTO ` + table + ` SELECT * FROM kept.` + table)
	}
}

// finders returns which of the three find that the log was changed: events verify, audit verify with heads kept outside, and Tessera from
// these heads.
func (w *world) finders(kept map[string][]byte) string {
	w.Helper()
	var by []string
	v, err := w.Store.Verify(w.Context(), eventstore.VerifyOptions{})
	w.must(err)
	public := key.Public().(ed25519.PublicKey)
	trees, err := w.log.Verify(w.Context(), audit.VerifyOptions{Key: public})
	w.must(err)
	if v.Mismatches+trees.Mismatches > 0 {
		by = append(by, "events")
	}
	var notes [][]byte
	for _, note := range kept {
		notes = append(notes, note)
	}
	trees, err = w.log.Verify(w.Context(), audit.VerifyOptions{Key: public, Notes: notes})
	w.must(err)
	if trees.Mismatches > 0 {
		by = append(by, "audit")
	}
	for of, note := range kept {
		tree := w.tree(of)
		if w.fsck(tree) != nil || w.continues(tree, note) != nil {
			by = append(by, "oracle")
			break
		}
	}
	return strings.Join(by, " ")
}

// tampered are the ways to change a log, and what finds each.
var tampered = []struct {
	name string
	do   func(*world)
	want string
}{
	{"nothing", func(*world) {}, ""},
	{"an event is deleted", func(w *world) { w.as(`DELETE FROM events WHERE position = 4`) }, "events audit oracle"},
	{"the end is cut off, with the stream's row set back", func(w *world) {
		w.as(`DELETE FROM events WHERE stream = 'account-acme' AND version > 9`)
		w.chain("account-acme")
	}, "events audit oracle"},
	{"two events are swapped", func(w *world) {
		w.as(`UPDATE events SET position = -1 WHERE position = 3`)
		w.as(`UPDATE events SET position = 3 WHERE position = 4`)
		w.as(`UPDATE events SET position = 4 WHERE position = -1`)
		w.chain("account-acme")
	}, "events audit oracle"},
	{"an event is inserted", func(w *world) {
		w.as(`INSERT INTO events SELECT nextval('events_position_seq'), gen_random_uuid(), account_id, stream, (SELECT max(version) + 1 FROM events WHERE stream = 'account-other'), type, schema_version, data, metadata, recorded_at, hash FROM events WHERE stream = 'account-other' AND version = 2`)
		w.as(`UPDATE events SET position = 0 WHERE position = 5`)
	}, "events audit oracle"},
	{"an event is changed", func(w *world) { w.as(`UPDATE events SET data = '{"region":"forged"}' WHERE position = 4`) }, "events audit oracle"},
	{"a stream is removed", func(w *world) {
		w.as(`DELETE FROM events WHERE stream = 'account-other'`)
		w.as(`DELETE FROM streams WHERE stream = 'account-other'`)
	}, "events audit oracle"},
	{"an account is removed, with its tree", func(w *world) {
		for _, sql := range []string{`DELETE FROM events WHERE account_id = 'other'`, `DELETE FROM streams WHERE account_id = 'other'`,
			`DELETE FROM audit_checkpoints WHERE tree = 'other'`, `DELETE FROM audit_tiles WHERE tree = 'other'`, `DELETE FROM audit_trees WHERE tree = 'other'`} {
			w.as(sql)
		}
	}, "events audit oracle"},
	{"an event is changed and the chain forged", func(w *world) {
		w.as(`UPDATE events SET data = '{"region":"forged"}' WHERE position = 4`)
		w.chain("account-acme")
	}, "events audit oracle"},
	{"a signed head is forged with another key", func(w *world) {
		w.as(`UPDATE audit_trees SET note = replace(note, E'\n\n— ', E'\n\n— x') WHERE tree = ''`)
	}, "events audit oracle"},
	{"the chain and all trees are forged with the key", func(w *world) {
		w.as(`UPDATE events SET data = '{"region":"forged"}' WHERE position = 4`)
		w.chain("account-acme")
		w.rebuildTrees()
	}, "audit oracle"},
	{"the log is replaced by another, with the key", func(w *world) {
		w.as(`DELETE FROM events`)
		w.as(`DELETE FROM streams`)
		w.as(`DELETE FROM accounts_v2_g1`)
		w.as(`DELETE FROM members_v2_g1`)
		w.as(`SELECT setval('events_position_seq', 0)`)
		w.change("other", "oscar", 20)
		w.change("acme", "ada", 20)
		w.rebuildTrees()
	}, "audit oracle"},
	{"an earlier dump is restored", func(w *world) { w.restore() }, "audit oracle"},
	{"an earlier dump is restored and the log continues", func(w *world) {
		w.restore()
		w.as(`SELECT setval('events_position_seq', (SELECT max(position) FROM events))`)
		w.change("acme", "ada", 9)
		w.change("other", "oscar", 9)
		w.seal()
	}, "audit oracle"},
}

// Every way to change the log is found by events verify, by audit verify, or by the oracle: none is missed by all. The expected finders are
// the table of docs/auditing.md.
func TestTampering(t *testing.T) {
	t.Parallel()
	for _, row := range tampered {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t, fresh(t))
			w.change("acme", "ada", 6)
			w.change("other", "oscar", 6)
			w.seal()
			w.keep()
			w.change("acme", "ada", 4)
			w.change("other", "oscar", 4)
			w.seal()
			kept := map[string][]byte{}
			for _, of := range []string{audit.Service, "acme", "other"} {
				note, err := w.tree(of).ReadCheckpoint(t.Context())
				w.must(err)
				kept[of] = note
			}
			row.do(w)
			if got := w.finders(kept); got != row.want {
				t.Errorf("found by %q, want %q", got, row.want)
			}
		})
	}
}
