package eventstore

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
	"readiness/test/pgtest"
)

// watermarkQueries counts how often the watermark is queried.
type watermarkQueries struct{ asked int }

func (q *watermarkQueries) TraceBatchStart(ctx context.Context, _ *pgx.Conn, b pgx.TraceBatchStartData) context.Context {
	for _, queued := range b.Batch.QueuedQueries {
		if strings.Contains(queued.SQL, lastSQL) {
			q.asked++
		}
	}
	return ctx
}

func (*watermarkQueries) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (*watermarkQueries) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}
func (*watermarkQueries) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}
func (*watermarkQueries) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// One query serves every follower that the same append woke. A follower that a later append woke, or
// that polls, needs another.
func TestMarksAreShared(t *testing.T) {
	t.Parallel()
	var count watermarkQueries
	pool, err := database.Open(t.Context(), pgtest.URL(t), func(c *pgxpool.Config) { c.ConnConfig.Tracer = &count })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	var news bell
	marks := newMarks()
	ask := func(wake <-chan struct{}) {
		t.Helper()
		if _, err := marks.settled(t.Context(), pool, wake); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name  string
		first func()
		asked int
	}{
		{"the first follower asks", func() {}, 1},
		{"the next is given the same", func() {}, 1},
		{"an append has been announced", news.ring, 2},
		{"the mark is as old as a poll", func() { marks.at = marks.at.Add(-pollInterval) }, 3},
	} {
		step.first()
		if ask(news.next()); count.asked != step.asked {
			t.Errorf("%s: asked %d times, want %d", step.name, count.asked, step.asked)
		}
	}

	gone, leave := context.WithCancel(t.Context())
	<-marks.turn // another goroutine queries
	leave()
	if _, err := marks.settled(gone, pool, news.next()); err == nil {
		t.Error("a follower that ends still waits for the goroutine that queries")
	}
	marks.turn <- struct{}{}
}
