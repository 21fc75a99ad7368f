// Package database opens every connection of the service to PostgreSQL, all of them with the same bounds, so that a process that is frozen or cut
// off holds nobody up, and says of an error whether the database was away. It knows no table.
package database

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The bounds of a connection (decisions 9.5).
const (
	// LockTimeout is how long a statement waits for a lock at most.
	LockTimeout = 10 * time.Second
	// IdleTransactionTimeout is how long a transaction may do nothing: then its process is held to be frozen, and what it holds is let go.
	IdleTransactionTimeout = 10 * time.Second
	// unacknowledged is how long what was sent may stay unacknowledged by the other machine; an idle connection is asked after keepAliveIdle.
	unacknowledged    = 15 * time.Second
	keepAliveIdle     = 10 * time.Second
	keepAliveInterval = 5 * time.Second
	keepAliveCount    = 3
	// connectTimeout bounds one attempt to connect, unless the address says connect_timeout.
	connectTimeout = 5 * time.Second
	// pingTimeout is how long a connection that was idle is given to say that it still works.
	pingTimeout = 2 * time.Second
	// cancelTime is how long a statement whose time is over has to end when it is asked to: then its connection is given up.
	cancelTime = 500 * time.Millisecond
)

// Open returns a pool on the database at address, whose connections have the bounds. configure, where given, changes the configuration before it is
// used; a tracer that it sets is told of statements beside our own. What the address itself says of a bound holds.
func Open(ctx context.Context, address string, configure func(*pgxpool.Config)) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	c.PingTimeout = pingTimeout
	if configure != nil {
		configure(c)
	}
	theirs := c.ConnConfig.Tracer
	bind(c.ConnConfig)
	if theirs != nil {
		c.ConnConfig.Tracer = multitracer.New(waits{}, theirs)
	}
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	return pool, nil
}

// Connect returns one connection to the database at address, with the bounds; of a migration, say, which may wait longer for locks than calls do.
func Connect(ctx context.Context, address string) (*pgx.Conn, error) {
	c, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	bind(c)
	return pgx.ConnectConfig(ctx, c)
}

// Beside returns a connection like those of the pool that is none of them: for what a connection is kept for.
func Beside(ctx context.Context, pool *pgxpool.Pool) (*pgx.Conn, error) {
	return pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
}

// Check says whether address is one that can be connected to, without connecting.
func Check(address string) error {
	_, err := pgxpool.ParseConfig(address)
	return err
}

// bind sets the bounds of the connections made with c.
func bind(c *pgx.ConnConfig) {
	for name, value := range map[string]string{
		"application_name":                    "readiness",
		"lock_timeout":                        milliseconds(LockTimeout),
		"idle_in_transaction_session_timeout": milliseconds(IdleTransactionTimeout),
		// The server finds out by the same means that this process is gone.
		"tcp_user_timeout":        milliseconds(unacknowledged),
		"tcp_keepalives_idle":     strconv.Itoa(int(keepAliveIdle.Seconds())),
		"tcp_keepalives_interval": strconv.Itoa(int(keepAliveInterval.Seconds())),
		"tcp_keepalives_count":    strconv.Itoa(keepAliveCount),
	} {
		if _, said := c.RuntimeParams[name]; !said {
			c.RuntimeParams[name] = value
		}
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTimeout
	}
	c.DialFunc = dialer.DialContext
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler { return newOverdue(conn) }
	c.Tracer = waits{}
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// overdue is what becomes of a statement whose context ends. One whose time is over is cancelled and its connection kept: a slow moment must not cost
// every connection. One whose caller is gone is cut off with its connection.
type overdue struct {
	cut    *pgconn.DeadlineContextWatcherHandler
	cancel *pgconn.CancelRequestContextWatcherHandler
	by     ctxwatch.Handler // of the two, which one acts
}

func newOverdue(conn *pgconn.PgConn) *overdue {
	return &overdue{
		cut:    &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn()},
		cancel: &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelTime},
	}
}

// HandleCancel implements ctxwatch.Handler.
func (o *overdue) HandleCancel(ctx context.Context) {
	o.by = o.cut
	if ctx.Err() == context.DeadlineExceeded {
		o.by = o.cancel
	}
	o.by.HandleCancel(ctx)
}

// HandleUnwatchAfterCancel implements ctxwatch.Handler.
func (o *overdue) HandleUnwatchAfterCancel() { o.by.HandleUnwatchAfterCancel() }
