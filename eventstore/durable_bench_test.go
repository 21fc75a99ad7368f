package eventstore_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/internal/postgres"
	"readiness/migrations"
	"readiness/test/bench"
)

// durable starts a separate PostgreSQL that syncs its commits, with a migrated database.
func durable(b *testing.B) string {
	b.Helper()
	dir, err := os.MkdirTemp("", "readiness-bench-") // a directory that PostgreSQL's user may enter
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		b.Fatal(err)
	}
	server, err := postgres.Start(b.Context(), postgres.Options{DataDir: dir})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = server.Stop(context.Background()) })
	if err := migrations.Up(b.Context(), server.URL()); err != nil {
		b.Fatal(err)
	}
	return server.URL()
}

// BenchmarkAppendDurably compares appends, without views, to a PostgreSQL that has fsync on, with
// pgbench inserting rows. Each row has the same data and its table only a primary key; both use 16
// connections, in turns. It reports how many events are appended for each row inserted, and how many
// bytes an event takes in the table of events and in its indexes.
func BenchmarkAppendDurably(b *testing.B) {
	url := durable(b)
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		b.Fatal(err)
	}
	config.MaxConns = bench.Callers
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	s := eventstore.New(pool, codec(b), eventstore.Options{})
	if _, err := pool.Exec(b.Context(), `CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, data text NOT NULL)`); err != nil {
		b.Fatal(err)
	}
	bare := &bench.Script{Statements: []bench.Statement{{SQL: `INSERT INTO bare (data) VALUES ($1)`, Args: []any{`{"units":50,"total":2500,"by":"somebody with a name"}`}}}}
	for _, n := range []int{1, 100} {
		events := slices.Repeat([]domain.Event{spent{Units: 50, Total: 2500, By: "somebody with a name"}}, n)
		b.Run(fmt.Sprintf("%d events", n), func(b *testing.B) {
			calls, ratio, reason, err := bench.Against(b.N, func(calls int) (bench.Calls, error) {
				return bench.Together(bench.Callers, calls, func(caller, _ int) error {
					past := eventstore.Tail(fmt.Sprintf("budget-%036d-%d", n, caller))
					return s.Change(b.Context(), meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
						return eventstore.Decide(c, past, record(events))
					})
				})
			}, func(calls int) (float64, error) {
				return bare.Run(b.Context(), url, bench.Callers, calls/bench.Callers)
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(n)*calls.PerSecond(), "events/s")
			if reason != nil {
				b.Log("not compared: ", reason)
				return
			}
			b.ReportMetric(float64(n)*ratio, "of-bare-rows")
		})
	}
	var heap, indexes float64
	if err := pool.QueryRow(b.Context(), `SELECT pg_table_size('events')::float / n, pg_indexes_size('events')::float / n FROM (SELECT count(*) n FROM events) e`).Scan(&heap, &indexes); err != nil {
		b.Fatal(err)
	}
	b.Logf("an event takes %.0f bytes, and %.0f in indexes", heap, indexes)
}
