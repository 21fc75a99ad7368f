// Package database opens every connection of the service to PostgreSQL, all with
// the same timeouts, so that a frozen or disconnected process does not block
// others. It also decides whether an error means that the database was unavailable.
// It knows no table.
package database

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The timeouts of a connection (decisions/9/5).
const (
	// LockTimeout is how long a statement waits for a lock at most.
	LockTimeout = 10 * time.Second
	// IdleTransactionTimeout is how long a transaction may be idle. After it the
	// server considers the process frozen and ends the session, which releases its
	// locks.
	IdleTransactionTimeout = 10 * time.Second
	// unacknowledged is how long sent data may stay unacknowledged by the other
	// machine. An idle connection is probed after keepAliveIdle.
	unacknowledged    = 15 * time.Second
	keepAliveIdle     = 10 * time.Second
	keepAliveInterval = 5 * time.Second
	keepAliveCount    = 3
	// connectTimeout bounds one attempt to connect, unless the address has
	// connect_timeout.
	connectTimeout = 5 * time.Second
	// pingTimeout bounds the check whether an idle connection still works.
	pingTimeout = 2 * time.Second
	// cancelTime is how long a cancelled statement may take to end before its
	// connection is closed.
	cancelTime = 500 * time.Millisecond
)

// Open returns a pool on the database at address whose connections have the
// timeouts. configure, if not nil, changes the configuration before use; a tracer
// that it sets runs in addition to our own. A timeout in the address overrides
// ours.
func Open(ctx context.Context, address string, configure func(*pgxpool.Config)) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	c.PingTimeout, c.PrepareConn = pingTimeout, forget
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

// Connect returns one connection to the database at address, with the timeouts, for
// example for a migration, which may wait longer for locks.
func Connect(ctx context.Context, address string) (*pgx.Conn, error) {
	c, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	bind(c)
	return pgx.ConnectConfig(ctx, c)
}

// OutsidePool returns a new connection with the pool's configuration that does not
// belong to the pool. It is for connections that are kept open.
func OutsidePool(ctx context.Context, pool *pgxpool.Pool) (*pgx.Conn, error) {
	return pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
}

// Check reports whether address is valid, without connecting.
func Check(address string) error {
	_, err := pgxpool.ParseConfig(address)
	return err
}

// CheckOne reports whether address is valid and names one server, without connecting. Reads that continue where the last one
// ended need one server: another one may have less of the log.
func CheckOne(address string) error {
	c, err := pgxpool.ParseConfig(address)
	if err != nil {
		return err
	}
	for _, other := range c.ConnConfig.Fallbacks { // also those without TLS for the same server
		if other.Host != c.ConnConfig.Host || other.Port != c.ConnConfig.Port {
			return fmt.Errorf("it must name one server, not both %s and %s", server(c.ConnConfig.Host, c.ConnConfig.Port),
				server(other.Host, other.Port))
		}
	}
	return nil
}

func server(host string, port uint16) string { return net.JoinHostPort(host, strconv.Itoa(int(port))) }

// bind sets the timeouts of connections made with c.
func bind(c *pgx.ConnConfig) {
	for name, value := range map[string]string{
		"application_name":                    "readiness",
		"lock_timeout":                        milliseconds(LockTimeout),
		"idle_in_transaction_session_timeout": milliseconds(IdleTransactionTimeout),
		// The server uses the same settings to notice that this process is gone.
		"tcp_user_timeout":        milliseconds(unacknowledged),
		"tcp_keepalives_idle":     strconv.Itoa(int(keepAliveIdle.Seconds())),
		"tcp_keepalives_interval": strconv.Itoa(int(keepAliveInterval.Seconds())),
		"tcp_keepalives_count":    strconv.Itoa(keepAliveCount),
	} {
		if _, said := c.RuntimeParams[name]; !said {
			c.RuntimeParams[name] = value
		}
	}
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, connectTimeout)
	c.DialFunc = dialer.DialContext
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler { return newOverdue(conn) }
	c.OnNotice = noted
	c.Tracer = waits{}
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// overdue handles a statement whose context ends. After a timeout the statement is
// cancelled and the connection kept: a slow moment must not cost every connection.
// When the caller is gone, the connection is closed.
type overdue struct {
	cut    *pgconn.DeadlineContextWatcherHandler
	cancel *pgconn.CancelRequestContextWatcherHandler
	by     ctxwatch.Handler // the handler that acts: cut or cancel
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
