package eventstore_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/eventstore"
	"readiness/test/bench"
)

// BenchmarkImport imports an export of operations of five events, as they are recorded, and alternates with PostgreSQL's own COPY of the
// same rows into the same empty table: "of-copy" is the import's rate as a part of that. READINESS_BENCH_EVENTS sets how many events.
func BenchmarkImport(b *testing.B) {
	n, err := bench.Number("READINESS_BENCH_EVENTS", 200_000)
	if err != nil {
		b.Fatal(err)
	}
	from, pool := open(b)
	operations := make([]record, 5)
	for i := range operations {
		operations[i] = record{noted{string(bytes.Repeat([]byte("x"), 250))}}
	}
	const at = 20 // operations at once in one append
	for i := 0; i < n; i += 5 * at {
		recordOperations(b, from, i, at, operations)
	}
	dir := b.TempDir()
	lines, rows := filepath.Join(dir, "events.ndjson"), filepath.Join(dir, "events.copy")
	write(b, lines, func(f *os.File) error {
		_, err := from.Export(b.Context(), f, eventstore.NDJSON, eventstore.Selection{})
		return err
	})
	write(b, rows, func(f *os.File) error {
		conn, err := pool.Acquire(b.Context())
		if err != nil {
			return err
		}
		defer conn.Release()
		_, err = conn.Conn().PgConn().CopyTo(b.Context(), f, `COPY (SELECT * FROM events ORDER BY position) TO STDOUT`)
		return err
	})
	var imported, copied time.Duration
	for b.Loop() {
		to, pool := open(b)
		imported += timed(b, lines, func(f *os.File) error {
			done, err := to.Import(b.Context(), f, eventstore.ImportOptions{})
			if err == nil && done.Events != int64(n) {
				b.Errorf("%d events, want %d", done.Events, n)
			}
			return err
		})
		empty(b, pool)
		copied += timed(b, rows, func(f *os.File) error {
			return pgx.BeginFunc(b.Context(), pool, func(tx pgx.Tx) error {
				_, err := tx.Conn().PgConn().CopyFrom(b.Context(), f, `COPY events FROM STDIN`)
				return err
			})
		})
	}
	b.ReportMetric(float64(n)*float64(b.N)/imported.Seconds(), "events/s")
	b.ReportMetric(float64(n)*float64(b.N)/copied.Seconds(), "copied/s")
	b.ReportMetric(copied.Seconds()/imported.Seconds(), "of-copy")
}

// recordOperations appends the events of n operations in turns, so that their streams are mixed in the log.
func recordOperations(b *testing.B, s *eventstore.Store, first, n int, events []record) {
	b.Helper()
	pasts := make([]*eventstore.Stream[struct{}], n)
	loaded := make([]eventstore.Loadable, n)
	for i := range pasts {
		pasts[i] = eventstore.Tail(fmt.Sprintf("note-%d", first+i))
		loaded[i] = pasts[i]
	}
	err := s.Change(b.Context(), meta, loaded, func(c *eventstore.Change) error {
		for _, one := range events {
			for _, past := range pasts {
				if err := eventstore.Decide(c, past, one); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

func write(b *testing.B, name string, do func(*os.File) error) {
	b.Helper()
	f, err := os.Create(name)
	if err == nil {
		err = do(f)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
}

// timed opens a file and returns how long do took.
func timed(b *testing.B, name string, do func(*os.File) error) time.Duration {
	b.Helper()
	f, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	began := time.Now()
	if err := do(f); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

// empty empties the log of a pool's database, as only its owner can.
func empty(b *testing.B, pool *pgxpool.Pool) {
	b.Helper()
	if err := pgx.BeginFunc(b.Context(), pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(b.Context(), `ALTER TABLE events DISABLE TRIGGER USER; TRUNCATE events; ALTER TABLE events ENABLE TRIGGER USER`)
		return err
	}); err != nil {
		b.Fatal(err)
	}
	if _, err := pool.Exec(context.WithoutCancel(b.Context()), `CHECKPOINT`); err != nil {
		b.Fatal(err)
	}
}
