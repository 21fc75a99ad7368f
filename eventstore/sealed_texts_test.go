package eventstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/eventstore/sealed"
	"readiness/test/pgtest"

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
	c, err := eventstore.NewCodec(eventstore.Events(spent{}, worded{}, accountErased{})...)
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
			if r.Stream == "note-1" {
				found[name] = r.Event
			}
		}
	}
	for name, past := range map[string]*eventstore.Stream[[]domain.Event]{
		"Fold": eventstore.Fold("note-1", evolveEvents), "FoldCached": eventstore.FoldCached("note-1", evolveEvents),
	} {
		if err := s.Load(t.Context(), past); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found[name] = past.State[0]
	}
	followed := make(chan eventstore.Recorded, 10)
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

	for _, err := range copied.ReadAll(t.Context(), 0, 0) {
		if !missing(err) {
			t.Errorf("the copy reads without the key: %v", err)
		}
	}
	if err := erase(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	for _, reader := range []*eventstore.Store{s, sealing(t, pool, 1)} {
		for name, e := range everyRead(t, reader, fmt.Sprintf("%p", reader)) {
			if name != "FoldCached" && e != (worded{By: "kept"}) {
				t.Errorf("%s has %+v without the key", name, e)
			}
		}
	}
	verified(t, s)
	if after := export(); !strings.HasPrefix(after, line+"\n") {
		t.Errorf("the export changed to %s", after)
	}
	if n := count(t, pool, "events"); n != 2 {
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

// missing reports whether a text could not be opened or sealed because the key of the account acme is missing.
func missing(err error) bool {
	m, is := errors.AsType[*eventstore.MissingKey](err)
	return is && m.Account == "acme" && strings.Contains(err.Error(), "account_keys")
}

func sqlExec(t testing.TB, pool *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// A text whose key is missing is an error for every reader, in every process. No process makes another key for its account, and none
// takes the account for erased. Once the key is back, everything reads as before.
func TestMissingKeyIsNoEmptyText(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]string{
		"deleted":                      `DELETE FROM account_keys`,
		"set to NULL without a record": `UPDATE account_keys SET key = NULL`,
		"emptied":                      `UPDATE account_keys SET key = ''`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := pgtest.Pool(t)
			s, fresh := sealing(t, pool, 1), sealing(t, pool, 1)
			mustAdd(t, s, "note-1", worded{"1", "Quokka"})
			if err := s.Keys.Check(t.Context(), pool); err != nil {
				t.Error(err)
			}
			sqlExec(t, pool, `CREATE TABLE backup AS TABLE account_keys`)
			sqlExec(t, pool, lost)
			for who, s := range map[string]*eventstore.Store{"which had the key": s, "which did not": fresh} {
				if err := s.Keys.Check(t.Context(), pool); !missing(err) {
					t.Errorf("the check of a process %s: %v", who, err)
				}
				reads := map[string]func(func(eventstore.Recorded, error) bool){
					"ReadAll":    s.ReadAll(t.Context(), 0, 0),
					"ReadStream": s.ReadStream(t.Context(), "note-1", 0),
					"Replay":     s.Replay(t.Context(), eventstore.Selection{UpTo: 1}, nil, false),
				}
				for of, list := range reads {
					for r, err := range list {
						if !missing(err) {
							t.Errorf("%s of a process %s: %+v, %v", of, who, r.Event, err)
						}
					}
				}
				if err := s.Load(t.Context(), eventstore.Fold("note-1", evolveEvents)); !missing(err) {
					t.Errorf("a load of a process %s: %v", who, err)
				}
				if err := add(t.Context(), s, "note-2", worded{"2", "Numbat"}); !missing(err) || strings.Contains(err.Error(), "Numbat") {
					t.Errorf("an append of a process %s: %v", who, err)
				}
			}
			if n := count(t, pool, `account_keys WHERE key <> ''`); n != 0 || count(t, pool, "events") != 1 {
				t.Errorf("%d keys were made, and the log has %d events", n, count(t, pool, "events"))
			}
			mustAdd(t, fresh, "note-3", spent{}) // no text, no key
			sqlExec(t, pool, `DELETE FROM account_keys`)
			sqlExec(t, pool, `INSERT INTO account_keys TABLE backup`)
			for _, s := range []*eventstore.Store{s, fresh} {
				mustAdd(t, s, "note-2", worded{"2", "Numbat"})
				for reader, e := range everyRead(t, s, fmt.Sprintf("%p", s)) {
					if e != (worded{"1", "Quokka"}) {
						t.Errorf("%s has %+v", reader, e)
					}
				}
			}
		})
	}
}

// Another key than the one that sealed a text does not open it, and does not make it empty.
func TestAnotherKeyIsNoEmptyText(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	s := sealing(t, pool, 1)
	mustAdd(t, s, "note-1", worded{"1", "Quokka"})
	sqlExec(t, pool, `UPDATE account_keys SET key = $1`, s.Keys.Make("acme").Stored())
	for r, err := range s.ReadAll(t.Context(), 0, 0) {
		if !missing(err) {
			t.Errorf("got %+v, %v", r.Event, err)
		}
	}
	if err := s.Keys.Check(t.Context(), pool); !missing(err) {
		t.Errorf("the check: %v", err)
	}
	var none *sealed.Keys
	if named, err := none.Every(t.Context(), pool); err != nil || len(named) != 1 || named[0].Account != "acme" || named[0].Missing != nil {
		t.Errorf("without the key of the service: %+v, %v", named, err)
	}
}

// A key that no event needs may be lost: the account gets another. One of another service.key is refused.
func TestKeyWithoutTextsIsMadeAgain(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	s := sealing(t, pool, 1)
	mustAdd(t, s, "note-1", spent{})
	sqlExec(t, pool, `DELETE FROM account_keys`)
	mustAdd(t, s, "note-1", worded{"1", "Quokka"})
	past := eventstore.Fold("note-1", evolveEvents)
	if err := sealing(t, pool, 1).Load(t.Context(), past); err != nil || len(past.State) != 2 || past.State[1] != (worded{"1", "Quokka"}) {
		t.Errorf("got %+v, %v", past.State, err)
	}
	if _, err := sealing(t, pool, 2).Keys.Current(t.Context(), pool, "acme", false); !errors.Is(err, sealed.ErrOtherKey) {
		t.Errorf("another service.key: %v", err)
	}
}

// The keys that the log names are found for every account, with several keys of one; those of an erased account need not be stored.
func TestEveryNamedKey(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	s := sealing(t, pool, 1)
	for _, account := range []string{"a", "acme", "z"} {
		for range 3 {
			if err := addFor(t.Context(), s, account, "note-"+account, worded{"1", "Quokka"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := erase(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	sqlExec(t, pool, `DELETE FROM account_keys WHERE account_id = 'acme'`) // as an import leaves it
	sqlExec(t, pool, `UPDATE account_keys SET key = $1 WHERE account_id = 'z'`, s.Keys.Make("z").Stored())
	if err := addFor(t.Context(), sealing(t, pool, 1), "z", "note-z2", worded{"1", "Numbat"}); err != nil {
		t.Fatal(err)
	}
	named, err := s.Keys.Every(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range named {
		got = append(got, fmt.Sprint(n.Account, n.Missing != nil))
	}
	slices.Sort(got)
	if want := []string{"acmefalse", "afalse", "zfalse", "ztrue"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
