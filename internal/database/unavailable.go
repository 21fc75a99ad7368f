package database

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// Unavailable reports whether err, which ended an operation with ctx, means that
// the database did not answer: it is down, starting or stopping, has no free
// connection, was not reached, or did not answer in time, for example for a lock. A
// retry may succeed. Network errors may have other causes, so they count only if a
// wait for the database (Within) ended in one. If the caller is gone, Unavailable
// returns false.
func Unavailable(ctx context.Context, err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	return away(err) || wasAway(ctx) && transport(err)
}

// Late reports whether err means that the database did not answer in time.
func Late(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && said.Code == "57014" || pgconn.Timeout(err) || errors.Is(err, context.DeadlineExceeded)
}

// Conflicts reports whether err means that a standby cancelled a read, because it had to apply changes of the primary (a recovery
// conflict).
func Conflicts(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (said.Code == "40001" || said.Code == "40P01") // serialization_failure, deadlock_detected: a read has no others
}

// awayCodes are PostgreSQL's error codes, or prefixes of them, that mean that it
// cannot answer now.
var awayCodes = []string{
	"08",    // connection_exception
	"53",    // insufficient_resources: too_many_connections, disk_full, out_of_memory
	"57P",   // operator_intervention: admin_shutdown, crash_shutdown, cannot_connect_now, idle_session_timeout
	"57014", // query_canceled: after a timeout
	"55P03", // lock_not_available: after lock_timeout
	"25P03", // idle_in_transaction_session_timeout
	"25P04", // transaction_timeout
	"25006", // read_only_sql_transaction: the server is a standby
}

// notAway are codes of these classes for which a retry does not help.
var notAway = []string{"57P04"} // database_dropped

// away reports whether err can only mean that the database cannot answer.
func away(err error) bool {
	if _, never := errors.AsType[*pgconn.ConnectError](err); never {
		return true
	}
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		for _, code := range notAway {
			if said.Code == code {
				return false
			}
		}
		return slices.ContainsFunc(awayCodes, func(code string) bool { return strings.HasPrefix(said.Code, code) })
	}
	return pgconn.Timeout(err) || errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, ErrUnconfirmed)
}

// transport reports whether err is a network error or a timeout, of any connection.
func transport(err error) bool {
	if _, said := errors.AsType[*pgconn.PgError](err); said {
		return false
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	for _, one := range []error{context.DeadlineExceeded, os.ErrDeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed,
		syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}
