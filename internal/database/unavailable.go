package database

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// Unavailable reports whether err, which ended what was done with ctx, says that the database did not answer: it is down, being started or stopped,
// has no room for one more, was not reached, or did not answer in the time there was, for a lock say. The same may succeed later. Errors of
// networks may be anybody's, so they count where a wait for the database (Within) ended in one. Where the caller is gone, err says nothing.
func Unavailable(ctx context.Context, err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	return away(err) || wasAway(ctx) && transport(err)
}

// Late reports whether err says that the database was asked and did not answer in the time it was given.
func Late(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && said.Code == "57014" || pgconn.Timeout(err) || errors.Is(err, context.DeadlineExceeded)
}

// Codes of PostgreSQL, whole or by their class, with which it says that it cannot answer now.
var awayCodes = []string{
	"08",    // connection_exception
	"53",    // insufficient_resources: too_many_connections, disk_full, out_of_memory
	"57P",   // operator_intervention: admin_shutdown, crash_shutdown, cannot_connect_now, idle_session_timeout
	"57014", // query_canceled: its time was over
	"55P03", // lock_not_available: as lock_timeout has it
	"25P03", // idle_in_transaction_session_timeout
	"25P04", // transaction_timeout
	"25006", // read_only_sql_transaction: what answers is a standby
}

// notAway are codes of these classes that say something else: another day is no help.
var notAway = []string{"57P04"} // database_dropped

// away reports whether err can be nothing else than that the database cannot answer.
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
		for _, code := range awayCodes {
			if strings.HasPrefix(said.Code, code) {
				return true
			}
		}
		return false
	}
	return pgconn.Timeout(err) || errors.Is(err, pgconn.ErrConnClosed)
}

// transport reports whether err is that of a connection, or of a time that is over, whoever's.
func transport(err error) bool {
	if _, said := errors.AsType[*pgconn.PgError](err); said {
		return false
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	for _, one := range []error{context.DeadlineExceeded, os.ErrDeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}
