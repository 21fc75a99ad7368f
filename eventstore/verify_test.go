package eventstore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/internal/postgres"
	"readiness/test/pgtest"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// someLog appends three streams: budget-1 at positions 1, 3, 5 and 6, budget-2 at 2 and note-1 at 4.
func someLog(t testing.TB, s *eventstore.Store) {
	t.Helper()
	mustAdd(t, s, "budget-1", spent{1, 1, "ann"})
	mustAdd(t, s, "budget-2", spent{1, 1, "bob"})
	mustAdd(t, s, "budget-1", spent{1, 2, "ann"})
	mustAdd(t, s, "note-1", noted{"a < b"})
	mustAdd(t, s, "budget-1", spent{1, 3, "ann"}, spent{1, 4, "ann"})
}

func verify(t testing.TB, s *eventstore.Store) (eventstore.Verification, []string) {
	t.Helper()
	var found []string
	v, err := s.Verify(t.Context(), eventstore.VerifyOptions{Found: func(m eventstore.Mismatch) { found = append(found, m.String()) }})
	if err != nil {
		t.Fatal(err)
	}
	if int(v.Mismatches) != len(found) {
		t.Errorf("%d mismatches are counted, %d reported", v.Mismatches, len(found))
	}
	return v, found
}

// Every column of every row is changed, rows are deleted and added, with the triggers off, as only a
// superuser can: Verify finds and names each.
func TestVerifyFindsTampering(t *testing.T) {
	t.Parallel()
	const (
		content = "its hash does not match what it holds, its position and the events before it"
		sealing = "its position or its hash was changed"
	)
	at3 := "position 3, stream budget-1, version 2: "
	for _, test := range []struct {
		sql       string
		want      []string
		unchecked int64
	}{
		{`SELECT 1`, nil, 0},
		{`UPDATE events SET position = 100 WHERE position = 3`, []string{"position 100, stream budget-1, version 2: position was never handed out; the last is 6", "position 100, stream budget-1, version 2: " + sealing}, 0},
		{`UPDATE events SET position = -position`, []string{
			"position -1, stream budget-1, version 1: position was never handed out; the last is 6",
			"position -3, stream budget-1, version 2: position was never handed out; the last is 6",
			"position -5, stream budget-1, version 3: position was never handed out; the last is 6",
			"position -6, stream budget-1, version 4: position was never handed out; the last is 6",
			"position -1, stream budget-1, version 1: " + sealing,
			"position -3, stream budget-1, version 2: " + sealing,
			"position -5, stream budget-1, version 3: " + sealing,
			"position -6, stream budget-1, version 4: " + sealing,
			"position -2, stream budget-2, version 1: position was never handed out; the last is 6",
			"position -2, stream budget-2, version 1: " + sealing,
			"position -4, stream note-1, version 1: position was never handed out; the last is 6",
			"position -4, stream note-1, version 1: " + sealing,
		}, 0},
		{`UPDATE events SET event_id = gen_random_uuid() WHERE position = 3`, []string{at3 + content}, 2},
		{`UPDATE events SET account_id = 'other' WHERE position = 3`, []string{at3 + `account_id is "other", the stream's row says "acme"`, at3 + content}, 2},
		{`UPDATE events SET stream = 'budget-3' WHERE position = 6`, []string{
			"stream budget-1: streams.version is 4, the last event has version 3",
			"position 6, stream budget-3, version 4: the event's stream has no row in streams",
			"position 6, stream budget-3, version 4: versions 1 to 3 before it are missing",
		}, 1},
		{`UPDATE events SET stream = 'budget-9' WHERE stream = 'budget-2'; UPDATE streams SET stream = 'budget-9' WHERE stream = 'budget-2'`,
			[]string{"position 2, stream budget-9, version 1: " + content}, 0},
		{`UPDATE events SET version = 5 WHERE position = 6`, []string{"position 6, stream budget-1, version 5: versions 4 to 4 before it are missing", "stream budget-1: streams.version is 4, the last event has version 5"}, 1},
		{`UPDATE events SET type = 'budget.earned' WHERE position = 3`, []string{at3 + content}, 2},
		{`UPDATE events SET schema_version = 2 WHERE position = 3`, []string{at3 + content}, 2},
		{`UPDATE events SET data = '{"units":1,"total":3,"by":"ann"}' WHERE position = 3`, []string{at3 + content}, 2},
		{`UPDATE events SET data = '{"units":1,"total":2, "by":"ann"}' WHERE position = 3`, []string{at3 + content}, 2}, // a space
		{`UPDATE events SET data = data::jsonb::json WHERE position = 4`, []string{"position 4, stream note-1, version 1: " + content}, 0},
		{`UPDATE events SET metadata = '{"account":"acme","person":"bob","requestId":"r-1"}' WHERE position = 3`, []string{at3 + content}, 2},
		{`UPDATE events SET recorded_at = recorded_at + interval '1 microsecond' WHERE position = 6`, []string{"position 6, stream budget-1, version 4: " + content}, 0},
		{`UPDATE events SET recorded_at = recorded_at - interval '1 day' WHERE position = 6`, []string{"position 6, stream budget-1, version 4: recorded_at is before that of the version before it", "position 6, stream budget-1, version 4: " + content}, 0},
		{`UPDATE events SET hash = sha256('x') WHERE position = 3`, []string{at3 + sealing}, 0},
		{`UPDATE events SET hash = '' WHERE position = 6`, []string{"position 6, stream budget-1, version 4: " + sealing}, 0},
		{`DELETE FROM events WHERE position = 1`, []string{"position 3, stream budget-1, version 2: versions 1 to 1 before it are missing"}, 3},
		{`DELETE FROM events WHERE position = 3`, []string{"position 5, stream budget-1, version 3: versions 2 to 2 before it are missing"}, 2},
		{`DELETE FROM events WHERE position = 3; UPDATE events SET version = version - 1 WHERE position > 4; UPDATE streams SET version = 3 WHERE stream = 'budget-1'`,
			[]string{"position 5, stream budget-1, version 2: " + content}, 1},
		{`DELETE FROM events WHERE position = 6`, []string{"stream budget-1: streams.version is 4, the last event has version 3"}, 0},
		{`DELETE FROM events WHERE position = 6; UPDATE streams SET version = 3 WHERE stream = 'budget-1'`, []string{"stream budget-1: streams.chain is not what its events chain to"}, 0},
		{`DELETE FROM events WHERE stream = 'budget-2'`, []string{"stream budget-2: streams.version is 1, the last event has version 0"}, 0},
		{`INSERT INTO events SELECT nextval('events_position_seq'), gen_random_uuid(), account_id, stream, version + 1, type, schema_version, data, metadata, recorded_at, hash FROM events WHERE position = 6`,
			[]string{"position 7, stream budget-1, version 5: " + content, "stream budget-1: streams.version is 4, the last event has version 5"}, 0},
		{`UPDATE streams SET stream = 'budget-0' WHERE stream = 'budget-2'`, []string{
			"stream budget-0: streams.version is 1, the last event has version 0",
			"position 2, stream budget-2, version 1: the event's stream has no row in streams",
		}, 0},
		{`UPDATE streams SET account_id = 'other' WHERE stream = 'budget-2'`, []string{`position 2, stream budget-2, version 1: account_id is "acme", the stream's row says "other"`}, 0},
		{`UPDATE streams SET type = 'other' WHERE stream = 'budget-2'`, []string{`stream budget-2: streams.type is "other", the name says "budget"`}, 0},
		{`UPDATE streams SET version = 2 WHERE stream = 'budget-2'`, []string{"stream budget-2: streams.version is 2, the last event has version 1"}, 0},
		{`UPDATE streams SET chain = sha256('x') WHERE stream = 'budget-2'`, []string{"stream budget-2: streams.chain is not what its events chain to"}, 0},
		{`DELETE FROM streams WHERE stream = 'budget-2'`, []string{"position 2, stream budget-2, version 1: the event's stream has no row in streams"}, 0},
		{`INSERT INTO streams VALUES ('budget-0', 'acme', 'budget', 1, sha256('x'))`, []string{"stream budget-0: streams.version is 1, the last event has version 0"}, 0},
	} {
		t.Run(test.sql, func(t *testing.T) {
			t.Parallel()
			s, pool := open(t)
			someLog(t, s)
			err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
				_, err := tx.Exec(t.Context(), "SET LOCAL session_replication_role = replica")
				for _, sql := range strings.Split(test.sql, "; ") {
					if err == nil {
						_, err = tx.Exec(t.Context(), sql)
					}
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			v, found := verify(t, s)
			if diff := cmp.Diff(test.want, found); diff != "" {
				t.Error(diff)
			}
			if v.Unchecked != test.unchecked {
				t.Errorf("got %d unchecked, want %d", v.Unchecked, test.unchecked)
			}
		})
	}
}

// Each column of both tables has a row in the table of TestVerifyFindsTampering.
func TestEveryColumnIsTamperedWith(t *testing.T) {
	t.Parallel()
	_, pool := open(t)
	rows, err := pool.Query(t.Context(), `SELECT table_name || '.' || column_name FROM information_schema.columns
		WHERE table_schema = 'public' AND table_name IN ('events', 'streams') ORDER BY table_name, ordinal_position`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(`events.position events.event_id events.account_id events.stream events.version events.type events.schema_version events.data
		events.metadata events.recorded_at events.hash streams.stream streams.account_id streams.type streams.version streams.chain`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a column was added or removed: hash it, and tamper with it in TestVerifyFindsTampering\n%s", diff)
	}
}

// Verifying while others append finds no mismatch; it reads page by page.
func TestVerifyWhileAppending(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	events := make([]domain.Event, 3000)
	for i := range events {
		events[i] = spent{Units: i}
	}
	for i := range 4 {
		mustAdd(t, s, fmt.Sprintf("budget-%d", i), events...)
	}
	stop, done := make(chan struct{}), make(chan error)
	go func() {
		var err error
		for i := 0; err == nil; i++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
				err = add(t.Context(), s, fmt.Sprintf("budget-%d", i%100), spent{Units: 1})
			}
		}
		done <- err
	}()
	var progress []int64
	for range 3 {
		v, err := s.Verify(t.Context(), eventstore.VerifyOptions{Progress: func(v eventstore.Verification) { progress = append(progress, v.Events) }})
		if err != nil || v.Mismatches != 0 || v.Unchecked != 0 || v.Events != v.Total || v.Events < 12000 {
			t.Errorf("got %+v, %v", v, err)
		}
	}
	if len(progress) < 9 {
		t.Errorf("progress was reported %d times, want every 5000 events and at the end", len(progress))
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestReading(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	someLog(t, s)
	err := s.Change(t.Context(), eventstore.Metadata{Account: "other"}, nil, func(c *eventstore.Change) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	positions := func(sel eventstore.Selection) (list []int64) {
		for r, err := range s.ReadStored(t.Context(), sel) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, r.Position)
		}
		return list
	}
	for _, test := range []struct {
		sel  eventstore.Selection
		want []int64
	}{
		{eventstore.Selection{}, []int64{1, 2, 3, 4, 5, 6}},
		{eventstore.Selection{After: 2}, []int64{3, 4, 5, 6}},
		{eventstore.Selection{UpTo: 4}, []int64{1, 2, 3, 4}},
		{eventstore.Selection{After: 6}, nil},
		{eventstore.Selection{Stream: "budget-1"}, []int64{1, 3, 5, 6}},
		{eventstore.Selection{Stream: "budget-1", After: 1, UpTo: 5}, []int64{3, 5}},
		{eventstore.Selection{Stream: "budget-1", Account: "acme"}, []int64{1, 3, 5, 6}},
		{eventstore.Selection{Stream: "budget-1", Account: "other"}, nil},
		{eventstore.Selection{Account: "acme", After: 2}, []int64{3, 4, 5, 6}},
		{eventstore.Selection{Account: "other"}, nil},
	} {
		if diff := cmp.Diff(test.want, positions(test.sel)); diff != "" {
			t.Errorf("%+v: %s", test.sel, diff)
		}
	}
	var got []domain.Event
	for r, err := range s.ReadStream(t.Context(), "budget-1", 2) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Metadata != meta || r.Account != "acme" || len(r.Hash) != 32 {
			t.Errorf("got %+v", r)
		}
		got = append(got, r.Event)
	}
	if diff := cmp.Diff([]domain.Event{spent{1, 3, "ann"}, spent{1, 4, "ann"}}, got); diff != "" {
		t.Error(diff)
	}
	// Several pages, and a consumer that stops early.
	events := slices.Repeat([]domain.Event{spent{}}, 2500)
	mustAdd(t, s, "budget-3", events...)
	if n := len(positions(eventstore.Selection{})); n != 2506 {
		t.Errorf("got %d events, want 2506", n)
	}
	for range s.ReadAll(t.Context(), 0, 0) {
		break
	}
	if n := pool.Stat().AcquiredConns(); n != 0 {
		t.Errorf("%d connections are still acquired", n)
	}
}

// The watermark stays below an append that has not ended, and rises when it ends, by commit or
// rollback.
func TestWatermark(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	at := func(want int64) {
		t.Helper()
		if got, err := s.Watermark(t.Context()); err != nil || got != want {
			t.Errorf("got %d, %v, want %d", got, err, want)
		}
	}
	at(0)
	for i, end := range []error{nil, errors.New("undone")} {
		before, held, resume, done := int64(3*i), make(chan struct{}), make(chan struct{}), make(chan error)
		go func() {
			p := eventstore.FoldLast[budget]("budget-1")
			done <- s.Change(t.Context(), meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
				c.InTx(func(context.Context, pgx.Tx) error { close(held); <-resume; return end })
				return eventstore.Decide(c, p, spend{units: 1})
			})
		}()
		<-held
		at(before)
		mustAdd(t, s, "budget-2", spent{}, spent{})
		at(before)
		close(resume)
		if err := <-done; err != end {
			t.Errorf("got %v, want %v", err, end)
		}
		at(before + 3)
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	someLog(t, s)
	var all bytes.Buffer
	last, err := s.Export(t.Context(), &all, eventstore.NDJSON, eventstore.Selection{})
	if err != nil || last != 6 {
		t.Fatalf("got %d, %v", last, err)
	}
	lines := strings.Split(strings.TrimSuffix(all.String(), "\n"), "\n")
	if len(lines) != 6 {
		t.Fatalf("got %d lines, want 6", len(lines))
	}
	var line struct {
		Position, Version, SchemaVersion       int64
		EventID, AccountID, Stream, Type, Hash string
		Data, Metadata                         json.RawMessage
		RecordedAt                             time.Time
	}
	if err := json.Unmarshal([]byte(lines[3]), &line); err != nil {
		t.Fatal(err)
	}
	if line.Position != 4 || line.Version != 1 || line.SchemaVersion != 1 || line.AccountID != "acme" || line.Stream != "note-1" || line.Type != "note.noted" ||
		string(line.Data) != `{"text":"a \u003c b"}` || string(line.Metadata) != `{"account":"acme","person":"ann","requestId":"r-1"}` || len(line.Hash) != 64 || line.RecordedAt.IsZero() {
		t.Errorf("got %s", lines[3])
	}

	// Interrupted and resumed, the export is the same.
	var parts bytes.Buffer
	last, err = s.Export(t.Context(), &parts, eventstore.NDJSON, eventstore.Selection{UpTo: 3})
	if err != nil || last != 3 {
		t.Errorf("got %d, %v", last, err)
	}
	if last, err = s.Export(t.Context(), &parts, eventstore.NDJSON, eventstore.Selection{After: last}); err != nil || last != 6 {
		t.Errorf("got %d, %v", last, err)
	}
	if diff := cmp.Diff(all.String(), parts.String()); diff != "" {
		t.Error(diff)
	}

	var cloud bytes.Buffer
	if _, err := s.Export(t.Context(), &cloud, eventstore.CloudEvents, eventstore.Selection{Stream: "note-1"}); err != nil {
		t.Fatal(err)
	}
	var e event.Event
	if err := json.Unmarshal(cloud.Bytes(), &e); err != nil {
		t.Fatal(err)
	}
	if err := e.Validate(); err != nil {
		t.Error(err)
	}
	if e.ID() != line.EventID || e.Type() != "note.noted" || e.Subject() != "note-1" || e.Source() != "/accounts/acme" || !e.Time().Equal(line.RecordedAt) ||
		string(e.Data()) != `{"text":"a \u003c b"}` || e.Extensions()["sequence"] != "0000000000000000004" || e.Extensions()["person"] != "ann" || e.Extensions()["hash"] != line.Hash {
		t.Errorf("got %s", cloud.String())
	}

	if _, err := s.Export(t.Context(), &all, "xml", eventstore.Selection{}); err == nil {
		t.Error("an unknown format was accepted")
	}
	if last, err := s.Export(t.Context(), full{}, eventstore.NDJSON, eventstore.Selection{}); err == nil || last != 0 {
		t.Errorf("got %d, %v, want 0 and an error", last, err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// A dump restored into a new cluster verifies, accepts appends, and is followed from the follower's
// position.
func TestDumpAndRestore(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	connect := func(url string) (*eventstore.Store, *pgxpool.Pool) {
		pool, err := pgxpool.New(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		return eventstore.New(pool, codec(t), eventstore.Options{}), pool
	}
	s, pool := connect(url)
	table(t, pool)
	someLog(t, s)
	stop := follow(t, s, "seen", see)
	caughtUp(t, pool, "seen")
	stop()
	mustAdd(t, s, "budget-2", spent{}, spent{}) // not followed yet

	dump, err := exec.CommandContext(t.Context(), "pg_dump", "--no-owner", "--no-privileges", url).Output()
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := postgres.StartTemporary(t.Context(), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	s, pool = connect(cluster.URL())
	restore := exec.CommandContext(t.Context(), "psql", "--quiet", "--set", "ON_ERROR_STOP=1", cluster.URL())
	restore.Stdin = bytes.NewReader(dump)
	if out, err := restore.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if v, found := verify(t, s); v.Events != 8 || found != nil {
		t.Errorf("got %+v %v", v, found)
	}
	follow(t, s, "seen", see)
	mustAdd(t, s, "budget-1", spent{})
	caughtUp(t, pool, "seen")
	seenIsTheLog(t, pool)
	if v, found := verify(t, s); v.Events != 9 || found != nil {
		t.Errorf("got %+v %v", v, found)
	}
	if _, err := pool.Exec(t.Context(), "DELETE FROM events"); err == nil {
		t.Error("the restored log is not append-only")
	}
}
