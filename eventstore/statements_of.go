package eventstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
)

// QueueOf adds the statements that fn executes in its transaction, as Queue does. They run later, so fn sees no row of them. Change
// calls fn when it appends; once more if it must append again.
func (c *Change) QueueOf(fn func(ctx context.Context, tx pgx.Tx) error) {
	c.queuing = append(c.queuing, fn)
}

// queueAll queues the statements of QueueOf.
func (c *Change) queueAll(ctx context.Context) error {
	to := &statements{store: c.store}
	for _, fn := range c.queuing {
		if err := fn(ctx, to); err != nil {
			return fmt.Errorf("eventstore: queue statements: %w", err)
		}
	}
	c.queued, c.queuing = append(c.queued, to.all...), nil
	return nil
}

// statements is a transaction that keeps its statements, and has not executed them. Only QueryRow reads at once; it has no
// other method.
type statements struct {
	pgx.Tx
	store *Store
	all   []database.Statement
}

// errNotExecuted is the error of what needs a statement's outcome.
var errNotExecuted = errors.New("eventstore: the statement is not executed yet")

// Exec implements pgx.Tx.
func (s *statements) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	s.all = append(s.all, database.Statement{SQL: sql, Args: args})
	return pgconn.CommandTag{}, nil
}

// Query implements pgx.Tx.
func (s *statements) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	_, err := s.Exec(ctx, sql, args...)
	return noneYet{}, err
}

// Config returns how the pool encodes arguments, which depends on its mode.
func (s *statements) Config() *pgxpool.Config { return s.store.config }

// QueryRow implements pgx.Tx.
func (s *statements) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return s.store.pool.QueryRow(ctx, sql, args...)
}

// noneYet are the rows of a statement that is not executed yet.
type noneYet struct{}

func (noneYet) Close()                                       {}
func (noneYet) Err() error                                   { return nil }
func (noneYet) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (noneYet) FieldDescriptions() []pgconn.FieldDescription { return nil }
func (noneYet) Next() bool                                   { return false }
func (noneYet) Scan(...any) error                            { return errNotExecuted }
func (noneYet) Values() ([]any, error)                       { return nil, errNotExecuted }
func (noneYet) RawValues() [][]byte                          { return nil }
func (noneYet) Conn() *pgx.Conn                              { return nil }
func (noneYet) TypeMap() *pgtype.Map                         { return nil }
