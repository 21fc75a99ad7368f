package eventstore_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"readiness/domain"
	"readiness/eventstore"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// setBack replaces the log with another history, like restoring a backup behind a running process.
func setBack(t *testing.T, pool *pgxpool.Pool, s *eventstore.Store, history map[string][]int) {
	t.Helper()
	if err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), "SET LOCAL session_replication_role = replica"); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), "TRUNCATE events, streams")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for stream, each := range history {
		for _, total := range each {
			mustAdd(t, s, stream, spent{Total: total})
		}
	}
}

// The database is set back between the load and the append of one change. The change decides again
// from the new past, whether it writes to the replaced stream or only decides from it, and never
// appends on top of missing events.
func TestAChangeOfADatabaseThatIsSetBack(t *testing.T) {
	t.Parallel()
	histories := map[string][]int{"of equal versions": {5, 6}, "shorter": {5}, "longer": {5, 6, 7}, "none": nil}
	for name, history := range histories {
		for _, way := range []string{"written", "only read", "only read, with work in the transaction"} {
			t.Run(name+", "+way, func(t *testing.T) {
				t.Parallel()
				s, pool := open(t)
				mustAdd(t, s, "budget-1", spent{Total: 1}, spent{Total: 2})
				mustAdd(t, s, "budget-2", spent{})
				source, target := eventstore.FoldLast[budget]("budget-1"), eventstore.FoldLast[budget]("budget-2")
				if way == "written" {
					target = source
				}
				saw := []int{}
				err := s.Change(t.Context(), meta, []eventstore.Loadable{source, target}, func(c *eventstore.Change) error {
					if saw = append(saw, source.State.Total); len(saw) == 1 {
						setBack(t, pool, s, map[string][]int{"budget-1": history, "budget-2": {0}})
					}
					if way == "only read, with work in the transaction" {
						c.InTx(func(context.Context, pgx.Tx) error { return nil })
					}
					return eventstore.Decide(c, target, spend{units: 1, by: fmt.Sprint(source.State.Total)})
				})
				if err != nil {
					t.Fatal(err)
				}
				want := 0
				if len(history) > 0 {
					want = history[len(history)-1]
				}
				if !slices.Equal(saw, []int{2, want}) && !(name == "none" && way != "written" && slices.Equal(saw, []int{2, 0})) {
					t.Errorf("it decided from %v, want from 2 and then from %d", saw, want)
				}
				if n := count(t, pool, "events WHERE data->>'by' = '2'"); n != 0 {
					t.Errorf("%d events were appended on top of missing events", n)
				}
				if n := count(t, pool, fmt.Sprintf("events WHERE data->>'by' = '%d'", want)); n != 1 {
					t.Errorf("%d events were appended on top of the new past, want 1", n)
				}
				if v, found := verify(t, s); v.Mismatches != 0 {
					t.Error(found)
				}
			})
		}
	}
}

// A change decides again when an Guarded past has moved, even if it records nothing on it; a past that
// is not Guarded may move.
func TestUnmoved(t *testing.T) {
	t.Parallel()
	for _, existing := range []bool{true, false} {
		for _, guarded := range []bool{true, false} {
			t.Run(fmt.Sprintf("existing %v, guarded %v", existing, guarded), func(t *testing.T) {
				t.Parallel()
				s, pool := open(t)
				if existing {
					mustAdd(t, s, "budget-1", spent{Total: 1})
				}
				source, target := eventstore.FoldLast[budget]("budget-1"), eventstore.FoldLast[budget]("budget-2")
				if guarded {
					source = source.Guarded()
				}
				decided := 0
				err := s.Change(t.Context(), meta, []eventstore.Loadable{source, target}, func(c *eventstore.Change) error {
					if decided++; decided == 1 {
						mustAdd(t, s, "budget-1", spent{Total: 9})
					}
					if source.State.Total == 9 {
						return domain.Refuse(domain.UserNotRegistered, "gone")
					}
					return eventstore.Decide(c, target, spend{units: 1})
				})
				if want := map[bool]int{true: 2, false: 1}[guarded]; decided != want || domain.IsRefused(err, domain.UserNotRegistered) != guarded {
					t.Errorf("it decided %d times: %v", decided, err)
				}
				if n := count(t, pool, "events WHERE stream = 'budget-2'"); (n == 0) != guarded {
					t.Errorf("%d events were appended", n)
				}
			})
		}
	}
}
