package projections_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"readiness/domain"
	"readiness/projections"
)

// BenchmarkRebuild rebuilds a view of 200,000 events: for every row an insert
// and two changes, all in the log's order.
func BenchmarkRebuild(b *testing.B) {
	const n, page = 201_000, 1000
	p := start(b, nil, toy(1, true))
	writer := start(b, p.pool) // without the view: faster
	for from := 0; from < n/3; from += page {
		var events []domain.Event
		for i := from; i < from+page; i++ {
			events = append(events, changed{[]op{{Kind: 'i', Key: i, Name: "new", N: i}}})
		}
		for i := from; i < from+page; i++ {
			events = append(events, changed{[]op{{Kind: 's', Key: i, Name: "changed"}}}, changed{[]op{{Kind: 'n', Key: i, N: 1}}})
		}
		writer.mustAppend(b, fmt.Sprintf("toy-%d", from/page), events...)
	}
	// What the server does at best with the same events, to compare with.
	conn, err := p.pool.Acquire(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	before := time.Now()
	if _, err := conn.Conn().PgConn().CopyTo(b.Context(), io.Discard, "COPY (SELECT * FROM events ORDER BY position) TO STDOUT"); err != nil {
		b.Fatal(err)
	}
	copied := time.Since(before)
	conn.Release()
	for b.Loop() {
		if r := p.rebuild(b, projections.RebuildOptions{}); r.Events != n {
			b.Fatalf("%+v", r)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(copied.Seconds()/(b.Elapsed().Seconds()/float64(b.N)), "of-COPY-out")
}
