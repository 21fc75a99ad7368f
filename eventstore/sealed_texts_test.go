package eventstore_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/eventstore/sealed"
	"readiness/internal/pgtest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// worded is an event with a text of a person.
type worded struct {
	By   string `json:"by"`
	Text string `json:"text" pii:"text"`
}

func (worded) EventType() string { return "note.worded" }

// wordedOpenly is worded as a program has it that seals nothing.
type wordedOpenly struct {
	By   string `json:"by"`
	Text string `json:"text"`
}

func (wordedOpenly) EventType() string { return "note.worded" }

func sealing(t testing.TB, pool *pgxpool.Pool, service byte) *eventstore.Store {
	t.Helper()
	c, err := eventstore.NewCodec(eventstore.Events(spent{}, worded{})...)
	if err != nil {
		t.Fatal(err)
	}
	s := eventstore.New(pool, c, eventstore.Options{})
	if s.Keys, err = sealed.New(bytes.Repeat([]byte{service}, sealed.KeySize)); err != nil {
		t.Fatal(err)
	}
	return s
}

// everyRead returns the event of stream note-1 as each reader has it.
func everyRead(t *testing.T, s *eventstore.Store, follower string) map[string]domain.Event {
	t.Helper()
	found := map[string]domain.Event{}
	for name, list := range map[string]func(func(eventstore.Recorded, error) bool){
		"ReadAll":    s.ReadAll(t.Context(), 0, 0),
		"ReadStream": s.ReadStream(t.Context(), "note-1", 0),
		"Replay":     s.Replay(t.Context(), eventstore.Selection{UpTo: 1}, nil, false),
	} {
		for r, err := range list {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			found[name] = r.Event
		}
	}
	for name, past := range map[string]*eventstore.Past[[]domain.Event]{
		"Fold": eventstore.Fold("note-1", evolveEvents), "FoldCached": eventstore.FoldCached("note-1", evolveEvents),
	} {
		if err := s.Load(t.Context(), past); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found[name] = past.State[0]
	}
	followed := make(chan eventstore.Recorded, 1)
	follow(t, s, follower, func(_ context.Context, _ pgx.Tx, r eventstore.Recorded) error { followed <- r; return nil })
	found["Follow"] = (<-followed).Event
	return found
}

// verified fails unless the log is as it was written.
func verified(t *testing.T, s *eventstore.Store) {
	t.Helper()
	v, err := s.Verify(t.Context(), eventstore.VerifyOptions{Found: func(m eventstore.Mismatch) { t.Error(m) }})
	if err != nil || v.Mismatches > 0 || v.Events == 0 {
		t.Errorf("verify: %+v, %v", v, err)
	}
}

// The log holds a text only sealed; every reader opens it, and reads nothing once the key is gone. Hashes, exports and imports stay as they
// were.
func TestTextsAreSealed(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	s := sealing(t, pool, 1)
	mustAdd(t, s, "note-1", worded{"kept", "Quokka"})
	export := func() string {
		var out bytes.Buffer
		for _, format := range []eventstore.Format{eventstore.NDJSON, eventstore.CloudEvents} {
			if _, err := s.Export(t.Context(), &out, format, eventstore.Selection{}); err != nil {
				t.Fatal(err)
			}
		}
		return out.String()
	}
	before := export()
	if strings.Contains(before, "Quokka") || !strings.Contains(before, "kept") {
		t.Errorf("the export is %s", before)
	}
	for reader, e := range everyRead(t, s, "one") {
		if e != (worded{"kept", "Quokka"}) {
			t.Errorf("%s has %+v", reader, e)
		}
	}
	verified(t, s)
	copied := sealing(t, pgtest.Pool(t), 1)
	line, _, _ := strings.Cut(before, "\n")
	if _, err := copied.Import(t.Context(), strings.NewReader(line+"\n"), eventstore.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	verified(t, copied)

	blind := eventstore.New(pool, wordedCodec(t, worded{}), eventstore.Options{})
	for _, err := range blind.ReadAll(t.Context(), 0, 0) {
		if err == nil || !strings.Contains(err.Error(), "--data") {
			t.Errorf("without keys: got %v", err)
		}
	}
	if err := add(t.Context(), blind, "note-2", worded{"kept", "Numbat"}); err == nil {
		t.Error("a text was appended without keys")
	}
	older := eventstore.New(pool, wordedCodec(t, wordedOpenly{}), eventstore.Options{})
	for _, err := range older.ReadAll(t.Context(), 0, 0) {
		if err == nil {
			t.Error("a program that seals nothing read a sealed text")
		}
	}

	if _, err := pool.Exec(t.Context(), `UPDATE account_keys SET key = NULL`); err != nil {
		t.Fatal(err)
	}
	for _, reader := range []*eventstore.Store{s, sealing(t, pool, 1), copied} {
		for name, e := range everyRead(t, reader, fmt.Sprintf("%p", reader)) {
			if name != "FoldCached" && e != (worded{By: "kept"}) {
				t.Errorf("%s has %+v without the key", name, e)
			}
		}
	}
	verified(t, s)
	if after := export(); after != before {
		t.Errorf("the export changed to %s", after)
	}
	if n := count(t, pool, "events"); n != 1 {
		t.Errorf("the log has %d events", n)
	}
}

func wordedCodec(t *testing.T, e domain.Event) *eventstore.Codec {
	t.Helper()
	c, err := eventstore.NewCodec(eventstore.Events(e)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Texts from before there were keys stay readable, next to sealed ones.
func TestUnsealedTextsStayReadable(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	mustAdd(t, eventstore.New(pool, wordedCodec(t, wordedOpenly{}), eventstore.Options{}), "note-1", wordedOpenly{"before", "Quokka"})
	s := sealing(t, pool, 1)
	mustAdd(t, s, "note-1", worded{"after", "Numbat"})
	var got []domain.Event
	for r, err := range s.ReadAll(t.Context(), 0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Event)
	}
	if len(got) != 2 || got[0] != (worded{"before", "Quokka"}) || got[1] != (worded{"after", "Numbat"}) {
		t.Errorf("got %+v", got)
	}
}

// Processes that append the first events of an account at once agree on its key: every text can be read.
func TestProcessesAgreeOnAKey(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	var appending sync.WaitGroup
	for i := range 16 {
		s := sealing(t, pool, 1)
		appending.Go(func() {
			if err := add(t.Context(), s, fmt.Sprintf("note-%d", i), worded{fmt.Sprint(i), "Quokka"}); err != nil {
				t.Error(err)
			}
		})
	}
	appending.Wait()
	read := 0
	for r, err := range sealing(t, pool, 1).ReadAll(t.Context(), 0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if read++; r.Event.(worded).Text != "Quokka" {
			t.Errorf("%s cannot be read", r.Stream)
		}
	}
	if read != 16 || count(t, pool, "account_keys") != 1 {
		t.Errorf("%d events, %d keys", read, count(t, pool, "account_keys"))
	}
}

// A process whose database was set back to before its key existed, or got another key, decides again and uses the stored one.
func TestKeysFollowTheDatabase(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	s, other := sealing(t, pool, 1), sealing(t, pool, 1)
	mustAdd(t, s, "note-1", worded{"1", "Quokka"})
	for i, change := range []string{`DELETE FROM account_keys`, `DELETE FROM account_keys`} {
		if _, err := pool.Exec(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			mustAdd(t, other, "note-9", worded{"9", "Numbat"}) // makes another key
		}
		mustAdd(t, s, fmt.Sprintf("note-%d", 2+i), worded{"2", "Numbat"})
		if past := eventstore.Fold(fmt.Sprintf("note-%d", 2+i), evolveEvents); s.Load(t.Context(), past) != nil || past.State[0] != (worded{"2", "Numbat"}) {
			t.Errorf("after %s: got %+v", change, past.State)
		}
	}
	if _, err := sealing(t, pool, 2).Keys.Current(t.Context(), pool, "acme", false); err == nil {
		t.Error("another service.key was accepted")
	}
}

// While an account has no key, no process appends anything for it. No process keeps in memory that there was none.
func TestNoKeyIsNotKept(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	s, fresh := sealing(t, pool, 1), sealing(t, pool, 1)
	mustAdd(t, s, "note-1", worded{"1", "Quokka"})
	var key []byte
	if err := pool.QueryRow(t.Context(), `UPDATE account_keys k SET key = NULL FROM account_keys o RETURNING o.key`).Scan(&key); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*eventstore.Store{"which had the key": s, "which did not": fresh} {
		for _, text := range []string{"", "Numbat"} {
			if err := add(t.Context(), s, "note-2", worded{"2", text}); !erased(err) || strings.Contains(err.Error(), "Numbat") {
				t.Errorf("a process %s: got %v", name, err)
			}
		}
	}
	if n := count(t, pool, "events"); n != 1 {
		t.Errorf("the log has %d events", n)
	}
	if _, err := pool.Exec(t.Context(), `UPDATE account_keys SET key = $1`, key); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*eventstore.Store{s, fresh} {
		mustAdd(t, s, "note-4", worded{"4", "Numbat"})
	}
	for r, err := range fresh.ReadStream(t.Context(), "note-4", 0) {
		if err != nil || r.Event != (worded{"4", "Numbat"}) {
			t.Errorf("got %+v, %v", r.Event, err)
		}
	}
}
