package eventstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// connection lets appending embed a *pgx.Conn and still have a method Conn.
type connection = pgx.Conn

// appending is the transaction of an append. Its BEGIN is sent with the first batch, which pgx's own
// Tx cannot express. Its users may nest transactions in it but must not end it.
type appending struct {
	*connection
	depth int // depth of the savepoint; 0 is the transaction itself
	over  bool
}

var errTxLent = errors.New("eventstore: the transaction is lent; its owner commits it or rolls it back")

// Begin opens a savepoint.
func (t *appending) Begin(ctx context.Context) (pgx.Tx, error) {
	nested := &appending{connection: t.connection, depth: t.depth + 1}
	_, err := t.Exec(ctx, fmt.Sprintf("SAVEPOINT appending_%d", nested.depth))
	return nested, err
}

// Commit releases the savepoint.
func (t *appending) Commit(ctx context.Context) error { return t.end(ctx, "RELEASE SAVEPOINT") }

// Rollback returns to the savepoint.
func (t *appending) Rollback(ctx context.Context) error { return t.end(ctx, "ROLLBACK TO SAVEPOINT") }

func (t *appending) end(ctx context.Context, how string) error {
	if t.depth == 0 {
		return errTxLent
	}
	if t.over {
		return pgx.ErrTxClosed
	}
	t.over = true
	_, err := t.Exec(ctx, fmt.Sprintf("%s appending_%d", how, t.depth))
	return err
}

// LargeObjects panics: it needs a transaction that pgx started.
func (t *appending) LargeObjects() pgx.LargeObjects { panic(errTxLent) }

// Conn returns the connection.
func (t *appending) Conn() *pgx.Conn { return t.connection }
