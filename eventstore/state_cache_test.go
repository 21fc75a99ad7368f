package eventstore_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/test/pgtest"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// spending is what was spent, as a cached state: it is never altered.
type spending struct{ units []int }

func evolveSpending(s spending, e domain.Event) spending {
	return spending{append(slices.Clone(s.units), e.(spent).Units)}
}

// units returns one event for each number of units spent.
func units(each ...int) (events []domain.Event) {
	for _, u := range each {
		events = append(events, spent{Units: u, Total: u})
	}
	return events
}

func mustLoad(t testing.TB, s *eventstore.Store, pasts ...eventstore.Loadable) {
	t.Helper()
	if err := s.Load(t.Context(), pasts...); err != nil {
		t.Fatal(err)
	}
}

// spentOn returns the units spent on a stream, loaded with FoldCached.
func spentOn(t testing.TB, s *eventstore.Store, stream string) []int {
	t.Helper()
	p := eventstore.FoldCached(stream, evolveSpending)
	mustLoad(t, s, p)
	if p.Version != int64(len(p.State.units)) {
		t.Errorf("got version %d of %v", p.Version, p.State.units)
	}
	return p.State.units
}

// A load folds only the events appended since the last, in one round trip, whether this Store or
// another appended them.
func TestKeptStreamsAreFoldedOnce(t *testing.T) {
	t.Parallel()
	config, err := pgxpool.ParseConfig(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	var r roundTrips
	config.ConnConfig.Tracer, config.MaxConns = &r, 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	s, other := eventstore.New(pool, codec(t), eventstore.Options{}), eventstore.New(pool, codec(t), eventstore.Options{})
	folded := 0
	evolve := func(s spending, e domain.Event) spending { folded++; return evolveSpending(s, e) }
	mustLoad(t, s, eventstore.Fold("budget-2", evolveBudget)) // prepares the statement
	for n, test := range []struct {
		add          []domain.Event
		folded       int
		has          []int
		statesAreNow int
	}{
		{nil, 0, nil, 0},
		{units(1, 2, 3), 3, []int{1, 2, 3}, 1},
		{nil, 0, []int{1, 2, 3}, 1},
		{units(4), 1, []int{1, 2, 3, 4}, 1},
		{units(5, 6), 2, []int{1, 2, 3, 4, 5, 6}, 1},
		{nil, 0, []int{1, 2, 3, 4, 5, 6}, 1},
	} {
		mustAdd(t, other, "budget-1", test.add...)
		folded = 0
		before := r.n.Load()
		p := eventstore.FoldCached("budget-1", evolve)
		mustLoad(t, s, p)
		if got := r.n.Load() - before; got != 1 {
			t.Errorf("%d: %d round trips", n, got)
		}
		if folded != test.folded || p.Version != int64(len(test.has)) || !slices.Equal(p.State.units, test.has) {
			t.Errorf("%d: folded %d events into version %d, %v; want %d into %v", n, folded, p.Version, p.State.units, test.folded, test.has)
		}
		if states, _ := s.Cached(); states != test.statesAreNow {
			t.Errorf("%d: %d states are cached, want %d", n, states, test.statesAreNow)
		}
	}
}

// A change does not keep what it has decided, whether or not it was appended: a later load reads it
// first.
func TestOnlyLoadedStatesAreKept(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	mustAdd(t, s, "budget-1", units(1, 2)...)
	boom := errors.New("boom")
	for _, fails := range []error{nil, boom, nil, boom} {
		p := eventstore.FoldCached("budget-1", evolveSpending)
		version := int64(0)
		err := s.Change(t.Context(), meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
			version = p.Version
			if err := eventstore.Decide(c, p, spending1{}); err != nil {
				return err
			}
			if p.Version != version+1 || len(p.State.units) != int(version)+1 {
				t.Errorf("the second decision would see version %d and %v", p.Version, p.State.units)
			}
			return fails
		})
		if err != fails {
			t.Fatal(err)
		}
		want := int(version)
		if fails == nil {
			want++
		}
		if got := spentOn(t, s, "budget-1"); len(got) != want {
			t.Errorf("got %v, want %d of them", got, want)
		}
	}
	if v, found := verify(t, s); v.Mismatches != 0 {
		t.Error(found)
	}
}

// spending1 is the command that spends one unit, whatever was spent before.
type spending1 struct{}

func (spending1) Decide(spending) ([]domain.Event, error) { return units(1), nil }

// A state is cached per stream and type of state, independently of other ways to fold the stream.
func TestKeptWithOtherFolds(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	spentOn(t, s, "budget-1")
	for i := 1; i <= 3; i++ {
		mustAdd(t, s, "budget-1", units(i, i)...)
		if i == 2 {
			spentOn(t, s, "budget-1") // one is cached further than the other
		}
		mustAdd(t, s, "budget-1", units(i)...)
		cached, total := eventstore.FoldCached("budget-1", evolveSpending), eventstore.FoldCached("budget-1", evolveBudget)
		last := eventstore.FoldLast[budget]("budget-1")
		dated := eventstore.FoldCachedDated("budget-1", func(at []time.Time, _ domain.Event, now time.Time) []time.Time { return append(slices.Clone(at), now) })
		pasts := []eventstore.Loadable{cached, last, total, dated}
		if i == 3 {
			pasts = append(pasts, eventstore.Fold("budget-1", evolveSpending))
		}
		mustLoad(t, s, pasts...)
		if len(cached.State.units) != 3*i || total.State != (budget{i, 3 * i}) || last.State != (budget{i, 1}) || len(dated.State) != 3*i {
			t.Errorf("%d: got %v %+v %+v %v", i, cached.State, total.State, last.State, dated.State)
		}
		for _, version := range []int64{cached.Version, total.Version, last.Version, dated.Version} {
			if version != int64(3*i) {
				t.Errorf("got version %d, want %d", version, 3*i)
			}
		}
		if states, _ := s.Cached(); states != 3 {
			t.Errorf("%d states are cached, want 3", states)
		}
	}
}

// The database is set back behind the Store, to a past that is shorter, as long or longer, or none.
// The Store does not use the cached state of the old past, neither in a load nor in a change. The change
// appends to the current end of the stream.
func TestKeptAfterTheDatabaseWasSetBack(t *testing.T) {
	t.Parallel()
	for _, now := range [][]int{nil, {7}, {7, 8, 9}, {1, 2, 4, 5, 6}} {
		for _, way := range []string{"load", "change", "change that is overtaken"} {
			if len(now) < 3 && way == "change that is overtaken" {
				continue // a shorter past does not overtake it
			}
			t.Run(fmt.Sprintf("%v, %s", now, way), func(t *testing.T) {
				t.Parallel()
				s, pool := open(t)
				mustAdd(t, s, "budget-1", units(1, 2, 3)...)
				if got := spentOn(t, s, "budget-1"); len(got) != 3 {
					t.Fatal(got)
				}
				restore := func() {
					err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
						if _, err := tx.Exec(t.Context(), "SET LOCAL session_replication_role = replica"); err != nil {
							return err
						}
						_, err := tx.Exec(t.Context(), "TRUNCATE events, streams")
						return err
					})
					if err != nil {
						t.Fatal(err)
					}
					if len(now) > 0 {
						mustAdd(t, s, "budget-1", units(now...)...)
					}
				}
				want := now
				switch p := eventstore.FoldCached("budget-1", evolveSpending); way {
				case "load":
					restore()
				case "change", "change that is overtaken":
					if way == "change" {
						restore()
					}
					decided := 0
					if err := s.Change(t.Context(), meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
						if decided++; decided == 1 && way != "change" {
							restore()
							mustAdd(t, s, "budget-1", units(10)...) // a newer writer comes first
						}
						return eventstore.Decide(c, p, spending1{})
					}); err != nil {
						t.Fatal(err)
					}
					if want = slices.Clone(now); way != "change" {
						want = append(want, 10)
					}
					want = append(want, 1)
					if diff := cmp.Diff(want, p.State.units); diff != "" {
						t.Error(diff)
					}
				}
				for range 2 {
					if got := spentOn(t, s, "budget-1"); !slices.Equal(got, want) {
						t.Errorf("got %v, want %v", got, want)
					}
				}
				if states, _ := s.Cached(); states != min(1, len(want)) {
					t.Errorf("%d states are cached of a stream of %d", states, len(want))
				}
				if v, found := verify(t, s); v.Mismatches != 0 {
					t.Error(found)
				}
			})
		}
	}
}

// Callers that load or change a cached stream at the same time see all of its past and nothing else.
func TestKeptStreamsAreSharedByMany(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	s.CacheAtMost(2, 1<<20) // of three
	streams := []string{"budget-1", "budget-2", "budget-3"}
	var done sync.WaitGroup
	for i := range 12 {
		done.Go(func() {
			for j := range 10 {
				stream := streams[(i+j)%3]
				spentOn(t, s, stream)
				p := eventstore.FoldCached(stream, evolveSpending)
				if err := s.Change(t.Context(), meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
					for n, u := range p.State.units {
						if u != n+1 {
							t.Errorf("got %v", p.State.units)
						}
					}
					return eventstore.Decide(c, p, spendingNext{})
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	for _, stream := range streams {
		if got := spentOn(t, s, stream); len(got) != 40 {
			t.Errorf("%s: got %d, want 40", stream, len(got))
		}
	}
	if v, found := verify(t, s); v.Mismatches != 0 {
		t.Error(found)
	}
}

// spendingNext is the command that spends one unit more than the last one did.
type spendingNext struct{}

func (spendingNext) Decide(s spending) ([]domain.Event, error) { return units(len(s.units) + 1), nil }

// Cached states are bounded in number and in size. The least recently used is dropped first, and the one
// used last stays.
func TestKeptIsBounded(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	one, _, data, err := codec(t).Encode(units(1)[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		mustAdd(t, s, fmt.Sprintf("budget-%d", i), slices.Repeat(units(1), 10)...)
	}
	for _, test := range []struct {
		states, events int // at most
		want, size     int
	}{{2, 100, 2, 20}, {100, 30, 3, 30}, {100, 29, 2, 20}, {100, 5, 1, 10}, {100, 100, 4, 40}} {
		s.CacheAtMost(test.states, test.events*len(data))
		for i := range 4 {
			spentOn(t, s, fmt.Sprintf("budget-%d", i))
		}
		spentOn(t, s, "budget-3") // is cached
		if states, size := s.Cached(); states != test.want || size != test.size*len(data) {
			t.Errorf("%+v of %s: %d states of %d bytes are cached", test, one, states, size)
		}
	}
	mustAdd(t, s, "budget-0", units(2)...)
	spentOn(t, s, "budget-0")
	if states, size := s.Cached(); states != 4 || size < 41*len(data) || size > 42*len(data) {
		t.Errorf("%d states of %d bytes are cached after one has grown", states, size)
	}
}
