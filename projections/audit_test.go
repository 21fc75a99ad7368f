package projections_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"readiness/domain"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/migrations"
	"readiness/projections"
	"readiness/storage/people"
	"readiness/test/pgtest"
)

// history is a log of a few accounts and the events in it.
type history struct {
	pool   *pgxpool.Pool
	log    *eventstore.Store
	engine *projections.Engine
	views  *projections.Views

	random *rand.Rand
	now    time.Time
	all    []eventstore.Recorded
}

var (
	historyPeople     = []string{"ada", "bob", ""}
	historyOperations = []string{"0190a000-0000-7000-8000-000000000001", "0190a000-0000-7000-8000-000000000002", "0190a000-0000-7000-8000-000000000003", ""}
)

func newHistory(t *testing.T, pool *pgxpool.Pool, seed uint64) *history {
	t.Helper()
	codec, err := eventstore.NewCodec(eventstore.Events(changed{}, trackeditem.Renamed{}, trackeditem.Deleted{})...)
	if err != nil {
		t.Fatal(err)
	}
	h := &history{pool: pool, random: rand.New(rand.NewPCG(seed, 0)), now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	h.engine = projections.NewEngine(pool, projections.Audit)
	h.log = eventstore.New(pool, codec, eventstore.Options{Now: func() time.Time { return h.now }})
	who, err := people.New(pool, make([]byte, people.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	h.views = &projections.Views{Pool: pool, People: who, Store: h.log}
	return h
}

// append appends that many random events: of any account, type, person and operation, with clocks that
// are hours apart and gaps between positions that span blocks.
func (h *history) append(t *testing.T, events int) {
	t.Helper()
	pick := func(of []string) string { return of[h.random.IntN(len(of))] }
	for events > 0 {
		h.now = h.now.Add(time.Duration(h.random.IntN(240)-80) * time.Minute)
		account := pick([]string{"acme", "other"})
		meta := eventstore.Metadata{Account: account, Person: pick(historyPeople), OperationID: pick(historyOperations)}
		past := eventstore.Tail(fmt.Sprintf("thing-%s%d", account, h.random.IntN(4)))
		some := make([]domain.Event, 1+h.random.IntN(20))
		for i := range some {
			some[i] = []domain.Event{changed{}, trackeditem.Renamed{}, trackeditem.Deleted{}}[min(2, h.random.IntN(40)/19)]
		}
		if err := h.log.Change(t.Context(), meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
			err := eventstore.Decide(c, past, domain.Command[struct{}](command(some)))
			c.InTx(func(context.Context, pgx.Tx) error { h.all = append(h.all, c.Recorded()...); return nil })
			return err
		}); err != nil {
			t.Fatal(err)
		}
		events -= len(some)
		if h.random.IntN(6) == 0 {
			if _, err := h.pool.Exec(t.Context(), `SELECT setval('events_position_seq', (SELECT last_value + $1 FROM events_position_seq))`, h.random.Int64N(1500)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// follow makes the view follow the log until stop.
func (h *history) follow(t *testing.T) (stop func()) {
	t.Helper()
	router, err := message.NewRouter(message.RouterConfig{}, watermill.NopLogger{})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.engine.Follow(h.log, router); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() { _ = router.Run(context.Background()) })
	<-router.Running()
	stop = sync.OnceFunc(func() { _ = router.Close(); done.Wait() })
	t.Cleanup(stop)
	return stop
}

// caughtUp waits until the view has reached the end of the log.
func (h *history) caughtUp(t *testing.T) {
	t.Helper()
	for caught := false; !caught; {
		err := h.pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM followers WHERE name = 'audit_v1' AND position >= (SELECT max(position) FROM events)) FROM pg_sleep(0.01)`).Scan(&caught)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// compare reads the history for every combination of filters, page by page, and compares it with the
// events appended.
func (h *history) compare(t *testing.T) {
	t.Helper()
	for combination := range 1 << 7 {
		q := projections.AuditQuery{AccountID: "acme", Newest: combination&64 > 0}
		example := h.all[h.random.IntN(len(h.all))]
		if combination&1 > 0 {
			q.Stream = example.Stream
		}
		if combination&2 > 0 {
			q.Type = example.Type
		}
		if combination&4 > 0 {
			q.Person = historyPeople[h.random.IntN(2)]
		}
		if combination&8 > 0 {
			id := uuid.MustParse(historyOperations[h.random.IntN(3)])
			q.OperationID = &id
		}
		if combination&16 > 0 {
			since := example.RecordedAt
			q.Since = &since
		}
		if combination&32 > 0 {
			until := h.all[h.random.IntN(len(h.all))].RecordedAt
			if q.Since != nil && combination&2 > 0 {
				until = q.Since.Add(time.Duration(h.random.IntN(200)) * time.Minute)
			}
			q.Until = &until
		}
		var want, got []int64
		for _, r := range h.all {
			if r.Account == q.AccountID && (q.Stream == "" || r.Stream == q.Stream) && (q.Type == "" || r.Type == q.Type) && (q.Person == "" || r.Metadata.Person == q.Person) &&
				(q.OperationID == nil || r.Metadata.OperationID == q.OperationID.String()) && (q.Since == nil || !r.RecordedAt.Before(*q.Since)) && (q.Until == nil || r.RecordedAt.Before(*q.Until)) {
				want = append(want, r.Position)
			}
		}
		if q.Newest {
			slices.Reverse(want)
		}
		for q.Limit = 1 + h.random.IntN(300); ; {
			page, err := h.views.AuditEvents(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page {
				got = append(got, e.Position)
			}
			if len(page) < q.Limit {
				break
			}
			q.After = &projections.AuditCursor{Position: got[len(got)-1]}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			q.After = nil
			text, _ := json.Marshal(q)
			t.Fatalf("%s: positions (-want +got):\n%s", text, diff)
		}
	}
}

// Every filter finds all its events, whether the view has reached the end of the log, lags behind or
// has not started. A rebuild makes the same rows.
func TestHistoryIsFilteredByTheView(t *testing.T) {
	t.Parallel()
	h := newHistory(t, pgtest.Pool(t), 1)
	if err := h.engine.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.append(t, 1500)
	h.compare(t) // no follower yet
	stop := h.follow(t)
	h.caughtUp(t)
	h.compare(t)
	var reached int64
	if err := h.pool.QueryRow(t.Context(), `SELECT count(*) FROM audit_blocks_v1`).Scan(&reached); err != nil || reached == 0 || reached > int64(3*len(h.all)/2) {
		t.Errorf("the view has %d rows for %d events, %v", reached, len(h.all), err)
	}
	stop()
	h.append(t, 500)
	h.compare(t)
	h.follow(t)
	h.caughtUp(t)
	report, err := h.engine.Rebuild(t.Context(), h.log, "audit", projections.RebuildOptions{Diff: true})
	if err != nil || report.Diff == nil || !report.Diff.None() || report.Diff.Same == 0 {
		t.Errorf("a rebuild differs: %+v, %v", report.Diff, err)
	}
	h.compare(t)
}

// A database with the earlier indexes of the log is upgraded. Its history is read before the view is
// built, during the build, and after.
func TestHistoryOfAnEarlierLog(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), pgtest.EmptyURL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	url := pool.Config().ConnString()
	db := stdlib.OpenDBFromPool(pool)
	t.Cleanup(func() { _ = db.Close() })
	before, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS("../migrations"), goose.WithTableName("schema_versions"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := before.UpTo(t.Context(), 9); err != nil {
		t.Fatal(err)
	}
	// Appends of this program need the table account_keys. It is there while the earlier history is written, as no earlier program is here.
	accountKeys := func(up bool, versions ...int64) {
		for _, version := range versions {
			if _, err := before.ApplyVersion(t.Context(), version, up); err != nil {
				t.Fatal(err)
			}
		}
	}
	accountKeys(true, 25, 26)
	h := newHistory(t, pool, 2)
	h.append(t, 600)
	accountKeys(false, 26, 25)
	if err := migrations.Up(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	pool.Reset()
	h.compare(t)
	h.follow(t) // fails as long as there is no view
	if _, err := h.engine.Rebuild(t.Context(), h.log, "audit", projections.RebuildOptions{}); err != nil {
		t.Fatal(err)
	}
	h.compare(t)
	h.append(t, 300)
	h.caughtUp(t)
	h.compare(t)
	rows, err := pool.Query(t.Context(), `SELECT indexname FROM pg_indexes WHERE tablename = 'events' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	indexes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if want := []string{"events_account_id_position_idx", "events_pkey", "events_sealed_idx", "events_stream_version_key"}; err != nil || !slices.Equal(indexes, want) {
		t.Errorf("the log has the indexes %v, want %v; %v", indexes, want, err)
	}
}
