package database

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// patience is how long a call may still wait for the database, over all its waits.
// Time spent elsewhere does not count.
type patience struct {
	mu    sync.Mutex
	left  time.Duration
	waits int // in progress
	since time.Time
	away  bool // a wait ended without an answer from the database
}

type patienceKey struct{}

// Within returns a context with which calls wait for the database at most limit in
// total: for connections, locks and replies. Other waits are not limited. The
// context ends with ctx.
func Within(ctx context.Context, limit time.Duration) context.Context {
	// A statement that times out gets a moment to end, within the limit.
	return context.WithValue(ctx, patienceKey{}, &patience{left: limit - min(cancelTime, limit/2)})
}

// Beyond returns a context for work that must be done even if ctx has ended or its
// limit is used up. Only limit bounds it.
func Beyond(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx = context.WithValue(context.WithoutCancel(ctx), patienceKey{}, (*patience)(nil))
	return context.WithTimeout(context.WithValue(ctx, waitKey{}, (*wait)(nil)), limit) // a statement must not end the caller's wait
}

// Waiting bounds a wait for the database that is not a statement, for example in a
// queue of this process. The returned function ends the wait; if its time was over
// then, the database did not answer.
func Waiting(ctx context.Context) (context.Context, func()) {
	ctx = begin(ctx)
	return ctx, func() { end(ctx, ctx.Err()) }
}

// wait is one wait of a patience.
type wait struct {
	of     *patience
	cancel context.CancelFunc
}

type waitKey struct{}

func begin(ctx context.Context) context.Context {
	p, _ := ctx.Value(patienceKey{}).(*patience)
	if p == nil {
		return ctx
	}
	p.mu.Lock()
	if p.waits++; p.waits == 1 {
		p.since = time.Now()
	}
	until := p.since.Add(p.left)
	p.mu.Unlock()
	bounded, cancel := context.WithDeadline(ctx, until)
	return context.WithValue(bounded, waitKey{}, &wait{p, cancel})
}

// end ends the wait that begin began; err is its outcome.
func end(ctx context.Context, err error) {
	w, _ := ctx.Value(waitKey{}).(*wait)
	if w == nil {
		return
	}
	away := lost(err)
	w.cancel()
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	if w.of.waits--; w.of.waits == 0 {
		w.of.left -= time.Since(w.of.since)
	}
	w.of.away = w.of.away || away
}

// wasAway reports whether a wait with ctx ended without an answer from the
// database.
func wasAway(ctx context.Context) bool {
	p, _ := ctx.Value(patienceKey{}).(*patience)
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.away
}

// waits bounds every database operation by the patience of its context. pgx uses
// the context that a tracer returns.
type waits struct{}

var (
	_ pgx.QueryTracer       = waits{}
	_ pgx.BatchTracer       = waits{}
	_ pgx.CopyFromTracer    = waits{}
	_ pgxpool.AcquireTracer = waits{}
)

// TraceQueryStart implements pgx.QueryTracer.
func (waits) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return begin(ctx)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (waits) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryEndData) {
	end(ctx, d.Err)
}

// TraceBatchStart implements pgx.BatchTracer.
func (waits) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return begin(ctx)
}

// TraceBatchQuery implements pgx.BatchTracer.
func (waits) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (waits) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchEndData) {
	end(ctx, d.Err)
}

// TraceCopyFromStart implements pgx.CopyFromTracer.
func (waits) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceCopyFromStartData) context.Context {
	return begin(ctx)
}

// TraceCopyFromEnd implements pgx.CopyFromTracer.
func (waits) TraceCopyFromEnd(ctx context.Context, _ *pgx.Conn, d pgx.TraceCopyFromEndData) {
	end(ctx, d.Err)
}

// TraceAcquireStart implements pgxpool.AcquireTracer.
func (waits) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	return begin(ctx)
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (waits) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, d pgxpool.TraceAcquireEndData) {
	end(ctx, d.Err)
}

// lost reports whether a wait ended without a complete answer from the database.
func lost(err error) bool {
	return err != nil && !errors.Is(err, context.Canceled) && (away(err) || transport(err))
}
