package move_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"readiness/domain"
	"readiness/test/bench"
)

// BenchmarkMove imports an account of events of 250 bytes, where every tenth names a document of 4 kB, and alternates with PostgreSQL's own
// COPY of the same rows of events and documents into the same empty tables: "of-copy" is the import's rate as a part of that.
func BenchmarkMove(b *testing.B) {
	n, err := bench.Number("READINESS_BENCH_EVENTS", 100_000)
	if err != nil {
		b.Fatal(err)
	}
	from := newSite(b, 1)
	to := newSite(b, 2)
	for left := n; left > 0; left -= 1000 {
		events := make([]domain.Event, 1000)
		for i := range events {
			events[i] = noted{Text: strings.Repeat("x", 250)}
			if i%10 == 0 {
				events[i] = noted{"", from.document(strings.Repeat(time.Now().String(), 80))}
			}
		}
		from.add("acme", events...)
	}
	from.must(from.Trees.Begin(b.Context(), "one.example.com/audit"))
	from.must(from.Trees.Seal(b.Context()))
	file := from.export(to)
	var imported, copied time.Duration
	for b.Loop() {
		to := newSite(b, 2)
		began := time.Now()
		to.must(to.imports(file))
		imported += time.Since(began)
		plain := newSite(b, 3)
		rows := map[string]*bytes.Buffer{"events": {}, "documents": {}}
		for table, text := range rows {
			conn, err := to.Pool.Acquire(b.Context())
			to.must(err)
			_, err = conn.Conn().PgConn().CopyTo(b.Context(), text, `COPY `+table+` TO STDOUT`)
			to.must(err)
			conn.Release()
		}
		conn, err := plain.Pool.Acquire(b.Context())
		plain.must(err)
		began = time.Now()
		for table, text := range rows {
			_, err = conn.Conn().PgConn().CopyFrom(b.Context(), text, `COPY `+table+` FROM STDIN`)
			plain.must(err)
		}
		copied += time.Since(began)
		conn.Release()
		to.Pool.Close() // the server has fewer connections than all rounds take
		plain.Pool.Close()
	}
	b.ReportMetric(float64(n)*float64(b.N)/imported.Seconds(), "events/s")
	b.ReportMetric(copied.Seconds()/imported.Seconds(), "of-copy")
}
