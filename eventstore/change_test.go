package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/test/pgtest"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func TestChangeAppendsToSeveralStreams(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	a, b, list := eventstore.Fold("budget-b", evolveBudget), eventstore.FoldLast[budget]("budget-a"), eventstore.Fold("budget-b", evolveEvents)
	for range 3 {
		err := s.Change(t.Context(), meta, []eventstore.Loadable{a, b, list}, func(c *eventstore.Change) error {
			if err := eventstore.Decide(c, a, spend{units: 2}); err != nil {
				return err
			}
			if err := eventstore.Decide(c, b, spend{units: 5}); err != nil {
				return err
			}
			return eventstore.Decide(c, a, spend{units: 1, by: "<ann> & \u0000"}) // sees the first
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if a.State.Total != 9 || a.Version != 6 || b.State.Total != 15 || b.Version != 3 || len(list.State) != 6 {
		t.Errorf("got %+v %+v and %d events", a, b, len(list.State))
	}
	if err := s.Load(t.Context(), a, b, list); err != nil {
		t.Fatal(err)
	}
	if a.State != (budget{9, 6}) || a.Version != 6 || b.State != (budget{15, 1}) || b.Version != 3 || len(list.State) != 6 {
		t.Errorf("loaded again: got %+v %+v and %d events", a, b, len(list.State))
	}
	if got, want := count(t, pool, "events"), 9; got != want {
		t.Errorf("got %d events, want %d", got, want)
	}
}

func TestFailedChangeWritesNothing(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	refusal := domain.Refuse(domain.InvalidRequest, "No.")
	tests := []struct {
		name   string
		decide func(*eventstore.Change, *eventstore.Stream[budget]) error
		want   error // exactly this one; nil means any
		text   string
	}{
		{"decide fails", func(c *eventstore.Change, p *eventstore.Stream[budget]) error {
			return errors.Join(eventstore.Decide(c, p, spend{units: 1}), boom)
		}, nil, "boom"},
		{"refused", func(c *eventstore.Change, p *eventstore.Stream[budget]) error {
			_ = eventstore.Decide(c, p, spend{units: 1})
			return refusal
		}, refusal, ""},
		{"a queued statement fails", func(c *eventstore.Change, p *eventstore.Stream[budget]) error {
			c.Queue(database.Statement{SQL: "INSERT INTO kept VALUES ($1)", Args: []any{1}})
			c.Queue(database.Statement{SQL: "SELECT 1/$1::int", Args: []any{0}})
			return eventstore.Decide(c, p, spend{units: 1})
		}, nil, "division by zero"},
		{"a statement that a function queues fails", func(c *eventstore.Change, p *eventstore.Stream[budget]) error {
			c.QueueOf(func(ctx context.Context, tx pgx.Tx) error {
				_, err := tx.Exec(ctx, "INSERT INTO kept VALUES ($1)", 1)
				rows, e := tx.Query(ctx, "SELECT 1/$1::int", 0)
				rows.Close()
				return errors.Join(err, e)
			})
			return eventstore.Decide(c, p, spend{units: 1})
		}, nil, "division by zero"},
		{"a function that queues fails", func(c *eventstore.Change, p *eventstore.Stream[budget]) error {
			c.QueueOf(func(ctx context.Context, tx pgx.Tx) error {
				_, _ = tx.Exec(ctx, "INSERT INTO kept VALUES (1)")
				return boom
			})
			return eventstore.Decide(c, p, spend{units: 1})
		}, nil, boom.Error()},
		{"a function that queues wants to read", func(c *eventstore.Change, p *eventstore.Stream[budget]) error {
			c.QueueOf(func(ctx context.Context, tx pgx.Tx) error {
				rows, _ := tx.Query(ctx, "SELECT 1")
				_, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
				return err
			})
			return eventstore.Decide(c, p, spend{units: 1})
		}, nil, "no rows"},
		{"work in the transaction fails", func(c *eventstore.Change, p *eventstore.Stream[budget]) error {
			c.Queue(database.Statement{SQL: "INSERT INTO kept VALUES ($1)", Args: []any{1}})
			c.InTx(func(context.Context, pgx.Tx) error { return boom })
			return eventstore.Decide(c, p, spend{units: 1})
		}, boom, ""},
		{"work in the transaction breaks it", func(c *eventstore.Change, p *eventstore.Stream[budget]) error {
			c.Queue(database.Statement{SQL: "INSERT INTO kept VALUES ($1)", Args: []any{1}})
			c.InTx(func(ctx context.Context, tx pgx.Tx) error { _, _ = tx.Exec(ctx, "SELECT 1/0"); return nil })
			return eventstore.Decide(c, p, spend{units: 1})
		}, nil, "rollback"},
		{"an event the codec does not know", func(c *eventstore.Change, p *eventstore.Stream[budget]) error {
			return eventstore.Decide(c, p, unknown{})
		}, nil, "toy.unknown"},
		{"a past that was not loaded", func(c *eventstore.Change, p *eventstore.Stream[budget]) error {
			return eventstore.Decide(c, eventstore.Fold("budget-1", evolveBudget), spend{units: 1})
		}, nil, "budget-1"},
		{"nothing recorded", func(c *eventstore.Change, p *eventstore.Stream[budget]) error { return nil }, nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, pool := open(t)
			if _, err := pool.Exec(t.Context(), "CREATE TABLE kept (x int)"); err != nil {
				t.Fatal(err)
			}
			p := eventstore.Fold("budget-1", evolveBudget)
			err := s.Change(t.Context(), meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error { return test.decide(c, p) })
			if test.want != nil && err != test.want {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if test.text != "" && (err == nil || !strings.Contains(err.Error(), test.text)) {
				t.Errorf("got %v, want an error that says %q", err, test.text)
			}
			for _, table := range []string{"events", "streams", "kept"} {
				if n := count(t, pool, table); n != 0 {
					t.Errorf("%s has %d rows, want none", table, n)
				}
			}
			if n := pool.Stat().AcquiredConns(); n != 0 {
				t.Errorf("%d connections are still acquired", n)
			}
			mustAdd(t, s, "budget-1", spent{Units: 1, Total: 1}) // on the same connections
		})
	}
}

type unknown struct{}

func (unknown) EventType() string { return "toy.unknown" }

func (u unknown) Decide(budget) ([]domain.Event, error) { return []domain.Event{u}, nil }

func TestStreamNames(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for name, ok := range map[string]bool{
		"budget-1": true, "budget-é-2": true, "b-" + strings.Repeat("x", 253): true,
		"": false, "budget": false, "-1": false, "budget-": false, "budget-\x00": false, "budget-\n": false, "budget-\xff": false,
		"b-" + strings.Repeat("x", 254): false,
	} {
		if err := s.Load(t.Context(), eventstore.Fold(name, evolveBudget)); (err == nil) != ok {
			t.Errorf("%.20q: got %v, want ok = %v", name, err, ok)
		}
	}
}

func TestAStreamBelongsToOneAccount(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	mustAdd(t, s, "budget-1", spent{Units: 1, Total: 1})
	p := eventstore.Fold("budget-1", evolveBudget)
	err := s.Change(t.Context(), eventstore.Metadata{Account: "other"}, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, p, spend{units: 1})
	})
	if err == nil || count(t, pool, "events") != 1 {
		t.Errorf("got %v and %d events, want an error and 1", err, count(t, pool, "events"))
	}
}

// meeting waits, the first time it decides, until its partner has loaded the same past, so that the
// two always collide.
type meeting struct {
	spend
	once *sync.Once
	met  *sync.WaitGroup
}

func (m meeting) Decide(b budget) ([]domain.Event, error) {
	m.once.Do(func() { m.met.Done(); m.met.Wait() })
	return m.spend.Decide(b)
}

// Two callers decide from the same past and only one unit is left: one gets it, the other decides
// again and is refused. With two left, both get one.
func TestChangeDecidesAgain(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 2} {
		for _, existing := range []bool{false, true} {
			t.Run(fmt.Sprintf("limit %d, existing %v", limit, existing), func(t *testing.T) {
				t.Parallel()
				s, pool := open(t)
				if existing {
					mustAdd(t, s, "budget-1", spent{})
				}
				var met, done sync.WaitGroup
				met.Add(2)
				errs := make([]error, 2)
				for i := range errs {
					done.Go(func() {
						p := eventstore.Fold("budget-1", evolveBudget)
						cmd := meeting{spend{units: 1, limit: limit}, new(sync.Once), &met}
						errs[i] = s.Change(t.Context(), meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
							c.InTx(func(ctx context.Context, tx pgx.Tx) error { return nil })
							return eventstore.Decide(c, p, cmd)
						})
					})
				}
				done.Wait()
				refused := 0
				for _, err := range errs {
					if domain.IsRefused(err, domain.AssessmentDailyLimitReached) {
						refused++
					} else if err != nil {
						t.Error(err)
					}
				}
				if want := 2 - limit; refused != want {
					t.Errorf("got %d refused, want %d", refused, want)
				}
				if got := count(t, pool, "events WHERE type = 'budget.spent' AND (data->>'units')::int = 1"); got != limit {
					t.Errorf("got %d events, want %d", got, limit)
				}
			})
		}
	}
}

// Fifty callers spend the last ten units: ten get one, forty are refused, and none gives up.
func TestFiftyCallersSpendTheLastTen(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	var done sync.WaitGroup
	var got, refused atomic.Int32
	for range 50 {
		done.Go(func() {
			p := eventstore.FoldLast[budget]("budget-1")
			err := s.Change(t.Context(), meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
				return eventstore.Decide(c, p, spend{units: 1, limit: 10})
			})
			switch {
			case err == nil:
				got.Add(1)
			case domain.IsRefused(err, domain.AssessmentDailyLimitReached):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	done.Wait()
	if got.Load() != 10 || refused.Load() != 40 || count(t, pool, "events") != 10 {
		t.Errorf("got %d spent, %d refused, %d events; want 10, 40, 10", got.Load(), refused.Load(), count(t, pool, "events"))
	}
}

// Fifty callers without a limit all succeed, each on two streams, named in either order.
func TestNoCallerStarves(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	var done sync.WaitGroup
	for i := range 50 {
		done.Go(func() {
			a, b := eventstore.FoldLast[budget]("budget-a"), eventstore.FoldLast[budget]("budget-b")
			pasts := []eventstore.Loadable{a, b}
			if i%2 == 0 {
				slices.Reverse(pasts)
			}
			err := s.Change(t.Context(), meta, pasts, func(c *eventstore.Change) error {
				if err := eventstore.Decide(c, b, spend{units: 1}); err != nil {
					return err
				}
				return eventstore.Decide(c, a, spend{units: 1})
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if got := count(t, pool, "events"); got != 100 {
		t.Errorf("got %d events, want 100", got)
	}
}

// A decision that finds its stream changed each time gives up after a bounded number of attempts.
func TestChangeGivesUp(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	p, decided := eventstore.Fold("budget-1", evolveBudget), 0
	err := s.Change(t.Context(), meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
		decided++
		// The statement fails with a serialization failure.
		c.Queue(database.Statement{SQL: "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = 'serialization_failure'; END $$"})
		return eventstore.Decide(c, p, spend{units: 1})
	})
	if !errors.Is(err, eventstore.ErrConflict) || !domain.IsRefused(err, domain.OperationInProgress) {
		t.Errorf("got %v, want a conflict that is a refusal", err)
	}
	if decided != 8 || count(t, pool, "events") != 0 {
		t.Errorf("decided %d times, %d events; want 8 and 0", decided, count(t, pool, "events"))
	}
}

func TestRecordedTimesNeverGoBack(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	clock := time.Date(2026, 11, 21, 12, 0, 0, 123456789, time.FixedZone("", 3600))
	s := eventstore.New(pool, codec(t), eventstore.Options{Now: func() time.Time { return clock }})
	mustAdd(t, s, "budget-1", spent{})
	first := clock
	clock = clock.Add(-time.Hour)
	mustAdd(t, s, "budget-1", spent{})
	mustAdd(t, s, "budget-2", spent{})
	var got []string
	for r, err := range s.ReadAll(t.Context(), 0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.RecordedAt.Format(time.RFC3339Nano))
	}
	at := first.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
	want := []string{at, at, clock.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// roundTrips counts round trips to the database.
type roundTrips struct{ n atomic.Int32 }

func (r *roundTrips) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	r.n.Add(1)
	return ctx
}
func (r *roundTrips) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
func (r *roundTrips) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	r.n.Add(1)
	return ctx
}
func (r *roundTrips) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (r *roundTrips) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}
func (r *roundTrips) TracePrepareStart(ctx context.Context, _ *pgx.Conn, _ pgx.TracePrepareStartData) context.Context {
	r.n.Add(1)
	return ctx
}
func (r *roundTrips) TracePrepareEnd(context.Context, *pgx.Conn, pgx.TracePrepareEndData) {}

func TestRoundTrips(t *testing.T) {
	t.Parallel()
	cfg, err := pgxpool.ParseConfig(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	var r roundTrips
	cfg.ConnConfig.Tracer, cfg.MaxConns = &r, 1
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	s := eventstore.New(pool, codec(t), eventstore.Options{Inline: func(b *pgx.Batch, list []eventstore.Recorded) error {
		for _, r := range list {
			b.Queue("SELECT $1::text", r.Stream)
		}
		return nil
	}})
	pasts := make([]eventstore.Loadable, 120)
	folds := make([]*eventstore.Stream[budget], len(pasts))
	for i := range pasts {
		folds[i] = eventstore.Fold(fmt.Sprintf("budget-%d", i), evolveBudget)
		pasts[i] = folds[i]
	}
	change := func(decide func(c *eventstore.Change) error) {
		t.Helper()
		if err := s.Change(t.Context(), meta, pasts, decide); err != nil {
			t.Fatal(err)
		}
	}
	everything := func(c *eventstore.Change) error {
		for _, p := range folds {
			if err := eventstore.Decide(c, p, spend{units: 1}); err != nil {
				return err
			}
		}
		c.Queue(database.Statement{SQL: "SELECT 1"})
		return nil
	}
	inTx := func(c *eventstore.Change) error {
		c.InTx(func(context.Context, pgx.Tx) error { return nil })
		return everything(c)
	}
	change(everything) // prepares the statements
	change(inTx)
	for _, test := range []struct {
		name string
		run  func()
		want int32
	}{
		{"load", func() { _ = s.Load(t.Context(), pasts...) }, 1},
		{"load and append", func() { change(everything) }, 2},
		{"load, append, work and commit", func() { change(inTx) }, 3},
		{"nothing recorded", func() { change(func(*eventstore.Change) error { return nil }) }, 2},
	} {
		before := r.n.Load()
		test.run()
		if got := r.n.Load() - before; got != test.want {
			t.Errorf("%s: got %d round trips, want %d", test.name, got, test.want)
		}
	}
	if got := count(t, pool, "events"); got != 480 {
		t.Errorf("got %d events, want 480", got)
	}
}

func TestTheAppendersTransaction(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	if _, err := pool.Exec(t.Context(), "CREATE TABLE kept (x int)"); err != nil {
		t.Fatal(err)
	}
	insert := func(ctx context.Context, tx pgx.Tx, x int) error {
		_, err := tx.Exec(ctx, "INSERT INTO kept VALUES ($1)", x)
		return err
	}
	p := eventstore.Fold("budget-1", evolveBudget)
	err := s.Change(t.Context(), meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
		c.InTx(func(ctx context.Context, tx pgx.Tx) error {
			if r := c.Recorded(); len(r) != 1 || r[0].Position != 1 {
				t.Errorf("got %+v, want one event at position 1", r)
			}
			if tx.Commit(ctx) == nil || tx.Rollback(ctx) == nil {
				t.Error("the append's transaction can be ended by a guest")
			}
			if err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { return insert(ctx, tx, 1) }); err != nil {
				return err
			}
			undone := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
				return errors.Join(insert(ctx, tx, 2), errors.New("undone"))
			})
			if undone == nil {
				t.Error("got no error from the nested transaction")
			}
			return insert(ctx, tx, 3)
		})
		return eventstore.Decide(c, p, spend{units: 1})
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	if err := pool.QueryRow(t.Context(), "SELECT array_agg(x ORDER BY x) FROM kept").Scan(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{1, 3}, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheLogIsAppendOnly(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	mustAdd(t, s, "budget-1", spent{})
	for _, sql := range []string{
		"UPDATE events SET data = '{}'", "DELETE FROM events", "TRUNCATE events", "UPDATE events SET position = 9 WHERE false",
		"DELETE FROM streams", "TRUNCATE streams", "UPDATE streams SET version = 1", "UPDATE streams SET account_id = 'x', version = 2",
		"UPDATE streams SET stream = 'x-1', version = 2", "UPDATE streams SET type = 'x', version = 2",
	} {
		if _, err := pool.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: got %v, want a refusal", sql, err)
		}
	}
}
