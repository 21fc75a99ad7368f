package projections_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/projections"
	"readiness/test/testlog"
)

// An operation that cannot be read is not reported as missing.
func TestUnreadableOperationsAreNotReportedMissing(t *testing.T) {
	t.Parallel()
	config, err := pgxpool.ParseConfig(testlog.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 1 // so that the statement stays prepared
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	views := &projections.Views{Pool: pool}
	if err := projections.NewEngine(pool, projections.All()...).Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, before := range []string{`SELECT 1`, `ALTER VIEW operations_v6 RENAME TO lost`} {
		b, called := &pgx.Batch{}, false
		b.Queue(before)
		views.QueueOperations(b, []uuid.UUID{uuid.New()}, func(map[uuid.UUID]projections.Operation) { called = true })
		err := pool.SendBatch(t.Context(), b).Close()
		if lost := before != `SELECT 1`; (err != nil) != lost || called == lost {
			t.Errorf("after %s: found was called: %v, %v", before, called, err)
		}
	}
}
