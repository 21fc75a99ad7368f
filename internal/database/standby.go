package database

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrUnconfirmed is the error of a commit that no synchronous standby has confirmed. PostgreSQL reports such a commit as done when the wait
// for the standby is cancelled, as after a timeout, and others see it. A promotion of the standby undoes it, so it must not be
// acknowledged.
var ErrUnconfirmed = errors.New("database: the synchronous standby has not confirmed the commit")

// unconfirmed marks a connection on which that happened.
const unconfirmed = "unconfirmed"

// noted reads the server's notices. The routine is named because messages are translated.
func noted(conn *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" {
		conn.CustomData()[unconfirmed] = true
	}
}

// Confirmed returns ErrUnconfirmed if a commit on the connection was not confirmed since it was taken from the pool.
func Confirmed(conn *pgx.Conn) error {
	if _, marked := conn.PgConn().CustomData()[unconfirmed]; marked {
		return ErrUnconfirmed
	}
	return nil
}

// forget removes the mark of a connection that is taken from the pool.
func forget(_ context.Context, conn *pgx.Conn) (bool, error) {
	delete(conn.PgConn().CustomData(), unconfirmed)
	return true, nil
}

// Confirm waits until the synchronous standbys have what was committed before, if the server has such standbys. It is for an answer that
// rests on what another call committed.
func Confirm(ctx context.Context, pool *pgxpool.Pool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	defer conn.Release()
	// The message is a write like any other, which nothing reads.
	_, err = conn.Exec(ctx, `SELECT pg_logical_emit_message(true, 'readiness', '')
		WHERE current_setting('synchronous_standby_names') <> ''`)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	return Confirmed(conn.Conn())
}

// Transaction runs fn in a transaction that counts as done only once the synchronous standbys have it.
func Transaction(ctx context.Context, pool *pgxpool.Pool, fn func(pgx.Tx) error) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	defer conn.Release()
	if err := pgx.BeginFunc(ctx, conn, fn); err != nil {
		return err
	}
	return Confirmed(conn.Conn())
}
