// Package probe checks at the start that a database, and a pooler in front of it, have the properties that the log relies on. Without
// them, events would be lost silently or calls would wait forever. It takes a few milliseconds and changes nothing.
package probe

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"readiness/internal/database"
)

// limit bounds a probe; a database that does not answer is not unfit.
const limit = 15 * time.Second

// minVersion is the oldest version of PostgreSQL that serves.
const minVersion = 140000

// Unfit is the error of a database that cannot serve the log.
type Unfit struct {
	What string // what is wrong
	Do   string // what to do
}

// Error returns both as sentences.
func (u *Unfit) Error() string {
	return "the database is not fit for the event log: " + u.What + ". " + u.Do
}

// Database probes the database at url. The error is an *Unfit, or about connecting.
func Database(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	one, err := connect(ctx, url)
	if err != nil {
		return err
	}
	defer one.Close(context.WithoutCancel(ctx))
	if err := server(ctx, one); err != nil {
		return err
	}
	other, err := connect(ctx, url)
	if err != nil {
		return err
	}
	defer other.Close(context.WithoutCancel(ctx))
	for _, holds := range []func(context.Context, *pgx.Conn, *pgx.Conn) error{sessions, locks, notifications} {
		if err := holds(ctx, one, other); err != nil {
			return err
		}
	}
	return nil
}

const poolerMode = "Use a pooler in session mode, or none."

// connect connects as the service does. A pooler that refuses the settings of our sessions is unfit.
func connect(ctx context.Context, url string) (*pgx.Conn, error) {
	conn, err := database.Connect(ctx, url)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "08P01" {
		return nil, &Unfit{"a pooler refuses the settings of a session (" + refused.Message + ")",
			"Give PgBouncer ignore_startup_parameters, and set lock_timeout and idle_in_transaction_session_timeout for the role " +
				"(ALTER ROLE … SET)."}
	}
	if err != nil {
		return nil, fmt.Errorf("probe: %w", err)
	}
	return conn, nil
}

// server checks the server and the settings of the session.
func server(ctx context.Context, conn *pgx.Conn) error {
	var version int
	var encoding string
	var standby, bounded bool
	err := conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_encoding'), pg_is_in_recovery(),
		current_setting('lock_timeout') <> '0' AND current_setting('idle_in_transaction_session_timeout') <> '0'`).Scan(&version, &encoding,
		&standby, &bounded)
	switch {
	case err != nil:
		return fmt.Errorf("probe: %w", err)
	case version < minVersion:
		return &Unfit{fmt.Sprintf("PostgreSQL %d is too old", version/10000), "Use PostgreSQL 14 or newer."}
	case encoding != "UTF8":
		return &Unfit{"its encoding is " + encoding, "Create the database with ENCODING 'UTF8'."}
	case standby:
		return &Unfit{"it is a standby, which takes no writes and shows no locks", "Name the primary."}
	case !bounded:
		return &Unfit{"a pooler drops lock_timeout or idle_in_transaction_session_timeout, so that a frozen process would hold others up",
			"Set both for the role: ALTER ROLE … SET lock_timeout = '10s'; ALTER ROLE … SET idle_in_transaction_session_timeout = '10s'."}
	}
	return sequence(ctx, conn)
}

// sequence checks that positions are handed out one by one; a sequence that the migrations have not made yet is left alone.
func sequence(ctx context.Context, conn *pgx.Conn) error {
	var cache int64
	err := conn.QueryRow(ctx, `SELECT seqcache FROM pg_sequence WHERE seqrelid = to_regclass('events_position_seq')`).Scan(&cache)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("probe: %w", err)
	case cache != 1:
		return &Unfit{fmt.Sprintf("the sequence of positions keeps %d numbers back in each session, so views would miss events", cache),
			"Run: ALTER SEQUENCE events_position_seq CACHE 1."}
	}
	return nil
}

// sessions checks that each connection keeps its own server session.
func sessions(ctx context.Context, one, other *pgx.Conn) error {
	pooled := &Unfit{"a pooler gives one server session to several connections, so roles, locks and notifications of a session do not last",
		poolerMode}
	var before, between, after uint32
	if err := one.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&before); err != nil {
		return lost(err, pooled)
	}
	// A pooler that gives sessions away gives the free one to a transaction of the other connection.
	tx, err := other.Begin(ctx)
	if err != nil {
		return lost(err, pooled)
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // it changed nothing
	if err := tx.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&between); err != nil {
		return lost(err, pooled)
	}
	if between == before {
		return pooled
	}
	if err := one.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&after); err != nil {
		return lost(err, pooled)
	}
	if after != before {
		return pooled
	}
	return nil
}

// lost is the error of a statement: a pooler that gives a session away also refuses transactions or loses prepared statements.
func lost(err error, pooled *Unfit) error {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok &&
		(refused.Code == "08P01" || refused.Code == "26000" || refused.Code == "42P05" || refused.Code == "0A000") {
		return pooled
	}
	return fmt.Errorf("probe: %w", err)
}

// key is the first key of the probe's advisory locks; the second is random, so that processes that start together do not meet.
const key = 0x7072

// locks checks that a shared lock of one session is seen from another, on which the watermark of the log rests.
func locks(ctx context.Context, one, other *pgx.Conn) error {
	var random [4]byte
	_, _ = rand.Read(random[:])                       // never fails
	mine := int32(binary.BigEndian.Uint32(random[:])) //nolint:gosec // any 32 bits will do
	tx, err := one.Begin(ctx)
	if err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // it changed nothing
	hidden := &Unfit{"a lock that one session holds is not listed in pg_locks of another, so that views would miss events",
		"Use PostgreSQL itself; services that only speak its protocol may not list advisory locks."}
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock_shared($1, $2)`, key, mine); err != nil {
		if refused, ok := errors.AsType[*pgconn.PgError](err); ok && (refused.Code == "42883" || refused.Code == "0A000") {
			return hidden
		}
		return fmt.Errorf("probe: %w", err)
	}
	var seen bool
	err = other.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
		AND classid::bigint = $1 AND objid::bigint = $2::bigint & 4294967295
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`, key, mine).Scan(&seen)
	if err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	if !seen {
		return hidden
	}
	return nil
}

// notifications checks that a notification reaches the session that listens.
func notifications(ctx context.Context, one, other *pgx.Conn) error {
	channel := "probe_" + rand.Text()
	if _, err := one.Exec(ctx, `LISTEN `+pgx.Identifier{channel}.Sanitize()); err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	if _, err := other.Exec(ctx, `SELECT pg_notify($1, '')`, channel); err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	waiting, cancel := context.WithTimeout(ctx, limit/3)
	defer cancel()
	if _, err := one.WaitForNotification(waiting); err != nil {
		if ctx.Err() != nil || waiting.Err() == nil {
			return fmt.Errorf("probe: %w", err)
		}
		return &Unfit{"a notification did not reach the session that listens", poolerMode}
	}
	return nil
}
