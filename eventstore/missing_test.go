package eventstore_test

import (
	"strings"
	"testing"

	"readiness/eventstore"

	"github.com/jackc/pgx/v5"
)

// A load of a stream that lacks an event, even the first, is an error.
func TestMissingEventIsAnError(t *testing.T) {
	t.Parallel()
	for version := 1; version <= 3; version++ {
		s, pool := open(t)
		mustAdd(t, s, "budget-1", units(1, 2, 3)...)
		if err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), "SET LOCAL session_replication_role = replica"); err != nil {
				return err
			}
			_, err := tx.Exec(t.Context(), "DELETE FROM events WHERE stream = 'budget-1' AND version = $1", version)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		full, cached := eventstore.Fold("budget-1", evolveSpending), eventstore.FoldCached("budget-1", evolveSpending)
		for _, p := range []eventstore.Loadable{full, cached} {
			if err := s.Load(t.Context(), p); err == nil || !strings.Contains(err.Error(), "verify the log") {
				t.Errorf("without version %d: got %v", version, err)
			}
		}
		if states, _ := s.Cached(); states != 0 {
			t.Errorf("without version %d: %d states are cached", version, states)
		}
	}
}
