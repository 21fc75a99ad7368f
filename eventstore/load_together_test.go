package eventstore_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/test/pgtest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// statements counts the statements of a pool.
type statements struct {
	mu sync.Mutex
	n  int
}

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	return ctx
}
func (s *statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// Loads that arrive while one runs share the next query. Each gets its own streams, and its own error.
func TestLoadsShareQuery(t *testing.T) {
	t.Parallel()
	config := pgtest.Pool(t).Config()
	sent := &statements{}
	config.ConnConfig.Tracer = sent
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	must(t, err)
	t.Cleanup(pool.Close)
	s := eventstore.New(pool, codec(t), eventstore.Options{})
	s.NeverLate()
	for _, stream := range []string{"budget-slow", "budget-1", "budget-2", "budget-cut"} {
		mustAdd(t, s, stream, spent{Units: 1, Total: 1}, spent{Units: 6, Total: 7})
	}
	mustAdd(t, s, "note-1", noted{"no budget"})
	_, err = pool.Exec(t.Context(), `ALTER TABLE events DISABLE TRIGGER USER; DELETE FROM events WHERE stream = 'budget-cut' AND version = 2`)
	must(t, err)
	began, held := make(chan struct{}), make(chan struct{})
	slow := eventstore.FoldCached("budget-slow", evolveBudget)
	must(t, s.Load(t.Context(), slow))
	mustAdd(t, s, "budget-slow", spent{Units: 1, Total: 8})
	slow = eventstore.FoldCached("budget-slow", func(b budget, e domain.Event) budget {
		close(began)
		<-held
		return evolveBudget(b, e)
	})
	var done sync.WaitGroup
	done.Go(func() {
		if err := s.Load(t.Context(), slow); err != nil || slow.State.Total != 8 {
			t.Errorf("slow: got %+v, %v", slow.State, err)
		}
	})
	<-began
	sent.n = 0
	one, two, none := eventstore.FoldLast[budget]("budget-1"), eventstore.FoldLast[budget]("budget-2"), eventstore.FoldLast[budget]("budget-none")
	leaving, leave := context.WithCancel(t.Context())
	tests := []struct {
		ctx   context.Context
		pasts []eventstore.Loadable
		says  string // what the error says; "" for none
	}{
		{t.Context(), []eventstore.Loadable{one, none}, ""},
		{t.Context(), []eventstore.Loadable{eventstore.FoldLast[budget]("note-1")}, "does not carry"},
		{t.Context(), []eventstore.Loadable{eventstore.FoldLast[budget]("budget-cut")}, "an event is missing"},
		{leaving, []eventstore.Loadable{eventstore.FoldLast[budget]("budget-1")}, "context canceled"},
		{t.Context(), []eventstore.Loadable{two}, ""},
	}
	for i, test := range tests {
		done.Go(func() {
			err := s.Load(test.ctx, test.pasts...)
			if test.says == "" && err != nil || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
				t.Errorf("%d: got %v, want %q", i, err, test.says)
			}
		})
		for _, n := s.Waiting(); n <= i; _, n = s.Waiting() {
			runtime.Gosched()
		}
	}
	leave()
	for _, n := s.Waiting(); n == len(tests); _, n = s.Waiting() {
		runtime.Gosched()
	}
	close(held)
	done.Wait()
	if one.State.Total != 7 || two.State.Total != 7 || one.Version != 2 || none.Version != 0 {
		t.Errorf("got %+v, %+v and %+v", one, two, none)
	}
	if sent.n != 1 {
		t.Errorf("%d queries, want one for all", sent.n)
	}
}

// A load that reads a stream from its first event, and so may take long, holds up no other.
func TestLongLoadHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	s.NeverLate()
	mustAdd(t, s, "budget-1", spent{Units: 1, Total: 1})
	mustAdd(t, s, "budget-2", spent{Units: 1, Total: 1})
	began, held := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- s.Load(t.Context(), eventstore.Fold("budget-1", func(b budget, _ domain.Event) budget { close(began); <-held; return b }))
	}()
	<-began
	soon, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	must(t, s.Load(soon, eventstore.FoldLast[budget]("budget-2")))
	must(t, add(soon, s, "budget-1", spent{}))
	close(held)
	must(t, <-ended)
}

// Callers whose waits for the database are bounded share queries and transactions without ending each other's waits.
func TestBoundedCallersTogether(t *testing.T) {
	t.Parallel()
	pool, err := database.Open(t.Context(), pgtest.URL(t), nil)
	must(t, err)
	t.Cleanup(pool.Close)
	s := eventstore.New(pool, codec(t), eventstore.Options{})
	const callers, calls = 24, 20
	for i := range callers {
		mustAdd(t, s, fmt.Sprint("budget-", i), spent{Units: 1, Total: 1}, spent{Units: 1, Total: 2})
	}
	var done sync.WaitGroup
	for i := range callers {
		done.Go(func() {
			for range calls {
				ctx := database.Within(t.Context(), time.Minute)
				p := eventstore.FoldCached(fmt.Sprint("budget-", i), evolveBudget)
				err := s.Change(ctx, meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
					return eventstore.Decide(c, p, spend{units: 1})
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	done.Wait()
	if n := count(t, pool, "events"); n != callers*(calls+2) {
		t.Errorf("%d events, want %d", n, callers*(calls+2))
	}
}
