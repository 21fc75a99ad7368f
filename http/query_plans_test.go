package http_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/cmd/readinessd/wiring"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/trackeditem/room"
	"readiness/eventstore"
	"readiness/http/rate"
	"readiness/projections"
	"readiness/storage/people"
	"readiness/test/testlog"
)

// The statements of every call are planned a few times and then use cached plans, because planning takes longer than
// everything else.
func TestQueryPlansAreCached(t *testing.T) {
	t.Parallel()
	config, err := pgxpool.ParseConfig(testlog.URL(t))
	check(t, err)
	config.MaxConns = 1 // plans belong to a connection
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	check(t, err)
	t.Cleanup(pool.Close)
	who, err := people.New(pool, make([]byte, people.KeySize))
	check(t, err)
	log, err := wiring.OpenLog(pool, who, time.Now, nil)
	check(t, err)
	check(t, log.Engine.Create(t.Context()))
	const times = 20
	for i := range times {
		n := 1 + i%4 // per batch
		people, ids, windows := make([]item.Person, n), make([]uuid.UUID, n), make([]rate.Limit, n)
		for j := range n {
			people[j], ids[j], windows[j] = item.Person{ID: uuid.NewString()}, uuid.New(), rate.Limit{Key: uuid.NewString(), Calls: 3}
		}
		b := &pgx.Batch{}
		log.Views.QueueMembers(b, people, func([][]account.Membership) {})
		log.Views.QueueOperations(b, ids, func(map[uuid.UUID]projections.Operation) {})
		new(rate.Limiter).Queue(b, windows, func([]rate.Count) {})
		check(t, pool.SendBatch(t.Context(), b).Close())
		check(t, log.Store.Load(t.Context(), eventstore.FoldLast[room.Total](room.Stream("acme"))))
	}
	rows, err := pool.Query(t.Context(), `SELECT statement, custom_plans FROM pg_prepared_statements WHERE generic_plans + custom_plans >= $1`, times)
	check(t, err)
	var statement string
	var planned int
	seen, err := pgx.ForEachRow(rows, []any{&statement, &planned}, func() error {
		if planned > times/2 {
			t.Errorf("planned %d times of %d: %s", planned, times, statement)
		}
		return nil
	})
	check(t, err)
	if seen.RowsAffected() != 4 {
		t.Errorf("saw %d statements, want 4", seen.RowsAffected())
	}
}
