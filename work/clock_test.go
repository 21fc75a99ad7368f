package work_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/test/testworld"
	"readiness/work"
)

// moveDatabaseClock moves the clock that statements read by the distance, for all later connections.
func moveDatabaseClock(t *testing.T, w *testworld.World, by time.Duration) {
	t.Helper()
	for _, statement := range []string{
		`CREATE SCHEMA moved`,
		`GRANT USAGE ON SCHEMA moved TO PUBLIC`,
		fmt.Sprintf(`CREATE FUNCTION moved.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT pg_catalog.now() + interval ''%d s'''`,
			int(by.Seconds())),
		fmt.Sprintf(`CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
			AS 'SELECT pg_catalog.clock_timestamp() + interval ''%d s'''`, int(by.Seconds())),
		`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = moved, public, pg_catalog', current_database()); END $$`,
	} {
		_, err := w.Pool.Exec(t.Context(), statement)
		check(t, err)
	}
	w.Pool.Reset()
	var now time.Time
	check(t, w.Pool.QueryRow(t.Context(), `SELECT now()`).Scan(&now))
	if apart := time.Until(now) - by; apart.Abs() > patience {
		t.Fatalf("the database's clock is %s ahead, want %s", time.Until(now), by)
	}
}

// Steps begin at once, and are tried again and wait as long as they should, however far the clocks of service and database are apart.
func TestClocksThatDiffer(t *testing.T) {
	t.Parallel()
	for name, by := range map[string]time.Duration{"ahead": 24 * time.Hour, "behind": -24 * time.Hour} {
		t.Run("the database is "+name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			moveDatabaseClock(t, b.World, by)
			b.Work.Now = time.Now
			b.Clock.Set(time.Now())
			b.Work.Platform = isAway(b.Work.Platform, domain.Refuse(domain.PlatformUnavailable, "no"), 1)
			queue, err := work.NewQueue(b.Work)
			check(t, err)
			b.Jobs = queue
			early := b.start(t, good)
			check(t, queue.Start(t.Context()))
			late := b.start(t, good)
			for _, id := range []uuid.UUID{early, late} {
				eventually(t, fmt.Sprintf("operation %s ends", id), func() bool { return b.operation(t, id).Status.Ended() })
				if op := b.operation(t, id); op.Status != operation.StatusSucceeded {
					t.Errorf("operation %s ended %s: %+v", id, op.Status, op.Failure)
				}
			}
			var failed int
			check(t, b.Pool.QueryRow(t.Context(), `SELECT sum(coalesce(cardinality(errors), 0)) FROM river_job
				WHERE kind = 'assess-semantic-model'`).Scan(&failed))
			if failed == 0 { // a busy machine may make another try necessary
				t.Error("no step failed: the test did not see one tried again")
			}
			stop(t, queue)
		})
	}
}
