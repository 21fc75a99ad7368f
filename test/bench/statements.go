package bench

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"
)

// Statement is a statement that was sent to the database.
type Statement struct {
	SQL  string
	Args []any
	// Batch is the number of its batch, from 1; 0 if it was sent alone.
	Batch int
	// Fresh reports that it is planned with its values each time.
	Fresh bool
}

// Statements is a pgx tracer that records the statements sent in contexts of Keep,
// and counts the round trips in contexts of Count.
type Statements struct {
	// All records the statements of every context.
	All bool

	mu      sync.Mutex
	kept    []Statement
	batches int
}

type (
	keepKey  struct{}
	countKey struct{}
)

// Keep returns a context whose statements are recorded.
func (s *Statements) Keep(ctx context.Context) context.Context {
	return context.WithValue(ctx, keepKey{}, true)
}

// Kept returns the statements recorded since the last call of Kept.
func (s *Statements) Kept() []Statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.kept
	s.kept, s.batches = nil, 0
	return kept
}

// RoundTrips counts round trips to the database: one per statement or batch. It does
// not count those that only the first use of a statement on a connection needs.
type RoundTrips struct {
	mu sync.Mutex
	n  int
}

// Count returns a context whose round trips are counted in t, by any Statements
// tracer.
func (t *RoundTrips) Count(ctx context.Context) context.Context {
	return context.WithValue(ctx, countKey{}, t)
}

// N returns the count so far.
func (t *RoundTrips) N() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

func count(ctx context.Context, trips int) {
	if t, ok := ctx.Value(countKey{}).(*RoundTrips); ok {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.n += trips
	}
}

func (s *Statements) keep(ctx context.Context, statements ...Statement) {
	if !s.All && ctx.Value(keepKey{}) == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(statements) > 0 && statements[0].Batch > 0 {
		s.batches++
	}
	for _, one := range statements {
		if one.Batch > 0 {
			one.Batch = s.batches
		}
		s.kept = append(s.kept, one)
	}
}

// TraceQueryStart implements pgx.QueryTracer.
func (s *Statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	if d.SQL == "-- ping" { // of a connection that was idle
		return ctx
	}
	count(ctx, 1)
	args, fresh := d.Args, false
	for len(args) > 0 { // options come before the arguments
		switch how := args[0].(type) {
		case pgx.QueryExecMode:
			fresh = how != pgx.QueryExecModeCacheStatement
		case pgx.QueryResultFormats, pgx.QueryResultFormatsByOID:
		default:
			s.keep(ctx, Statement{SQL: d.SQL, Args: args, Fresh: fresh})
			return ctx
		}
		args = args[1:]
	}
	s.keep(ctx, Statement{SQL: d.SQL, Fresh: fresh})
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (s *Statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart implements pgx.BatchTracer.
func (s *Statements) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	count(ctx, 1)
	statements := make([]Statement, len(d.Batch.QueuedQueries))
	for i, q := range d.Batch.QueuedQueries {
		statements[i] = Statement{SQL: q.SQL, Args: q.Arguments, Batch: 1}
	}
	s.keep(ctx, statements...)
	return ctx
}

// TraceBatchQuery implements pgx.BatchTracer.
func (s *Statements) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (s *Statements) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// copyTrips is the number of round trips of a COPY into a table: pgx asks for its
// columns' types each time, begins, and ends.
const copyTrips = 3

// TraceCopyFromStart implements pgx.CopyFromTracer.
func (s *Statements) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceCopyFromStartData) context.Context {
	count(ctx, copyTrips)
	s.keep(ctx, Statement{SQL: "COPY " + d.TableName.Sanitize()})
	return ctx
}

// TraceCopyFromEnd implements pgx.CopyFromTracer.
func (s *Statements) TraceCopyFromEnd(context.Context, *pgx.Conn, pgx.TraceCopyFromEndData) {}
