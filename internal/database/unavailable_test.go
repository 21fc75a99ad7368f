package database_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"readiness/internal/database"
)

// TestUnavailable checks which errors of PostgreSQL and of networks mean that the
// database is unavailable.
//
// proves: decisions/9/1-errors
func TestUnavailable(t *testing.T) {
	t.Parallel()
	says := func(code string) error { return fmt.Errorf("append: %w", &pgconn.PgError{Code: code}) }
	_, refused := database.Connect(t.Context(), "postgres://nobody@127.0.0.1:1/nothing")
	reset := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	for name, tt := range map[string]struct {
		err error
		// waited is the result if a wait for the database ended in err, other if
		// none did.
		waited, other bool
	}{
		"nothing":                         {nil, false, false},
		"connection refused":              {refused, true, true},
		"being started":                   {says("57P03"), true, true},
		"being stopped":                   {says("57P01"), true, true},
		"after a crash":                   {says("57P02"), true, true},
		"idle for too long":               {says("57P05"), true, true},
		"too many connections":            {says("53300"), true, true},
		"disk full":                       {says("53100"), true, true},
		"a lock that is not had":          {says("55P03"), true, true},
		"cancelled":                       {says("57014"), true, true},
		"a transaction idle for too long": {says("25P03"), true, true},
		"a standby":                       {says("25006"), true, true},
		"connection failure":              {says("08006"), true, true},
		"closed before":                   {fmt.Errorf("load: %w", pgconn.ErrConnClosed), true, true},
		"the end of what was read":        {fmt.Errorf("load: %w", io.ErrUnexpectedEOF), true, false},
		"reset":                           {fmt.Errorf("load: %w", reset), true, false},
		"a time that is over":             {fmt.Errorf("load: %w", context.DeadlineExceeded), true, false},
		"a caller who is gone":            {fmt.Errorf("load: %w", context.Canceled), false, false},
		"a database that was dropped":     {says("57P04"), false, false},
		"a unique key":                    {says("23505"), false, false},
		"a table that is missing":         {says("42P01"), false, false},
		"a right that is missing":         {says("42501"), false, false},
		"no row":                          {pgx.ErrNoRows, false, false},
		"any other":                       {errors.New("hunter2"), false, false},
	} {
		ctx := database.Within(t.Context(), time.Minute)
		database.EndedWith(ctx, tt.err)
		if got := database.Unavailable(ctx, tt.err); got != tt.waited {
			t.Errorf("%s, of a wait: got %t, want %t", name, got, tt.waited)
		}
		for of, ctx := range map[string]context.Context{"no patience": t.Context(), "no wait": database.Within(t.Context(), time.Minute)} {
			if got := database.Unavailable(ctx, tt.err); got != tt.other {
				t.Errorf("%s, of %s: got %t, want %t", name, of, got, tt.other)
			}
		}
	}
}

// A late count may still have been made.
func TestLate(t *testing.T) {
	t.Parallel()
	_, refused := database.Connect(t.Context(), "postgres://nobody@127.0.0.1:1/nothing")
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"nothing":            {nil, false},
		"its time was over":  {fmt.Errorf("rate: %w", context.DeadlineExceeded), true},
		"cancelled":          {&pgconn.PgError{Code: "57014"}, true},
		"connection refused": {refused, false},
		"being stopped":      {&pgconn.PgError{Code: "57P01"}, false},
	} {
		if got := database.Late(tt.err); got != tt.want {
			t.Errorf("%s: got %t, want %t", name, got, tt.want)
		}
	}
}
