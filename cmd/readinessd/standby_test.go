package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"readiness/cmd/cli"
)

// A read that the standby cancels is repeated from its beginning, three times at most. Any other error ends it.
func TestRepeated(t *testing.T) {
	t.Parallel()
	conflict, other := error(&pgconn.PgError{Code: "40001", Message: "canceling statement due to conflict with recovery"}), errors.New("damaged")
	for _, c := range []struct {
		what        string
		errs        []error
		reads, says int
		ends        string // part of the error
	}{
		{"no conflict", []error{nil}, 1, 0, ""},
		{"one conflict", []error{conflict, nil}, 2, 1, ""},
		{"two conflicts", []error{conflict, conflict, nil}, 3, 2, ""},
		{"three conflicts", []error{conflict, conflict, conflict}, 3, 3, "cancelled the read 3 times, so nothing is verified"},
		{"another error", []error{other}, 1, 0, "damaged"},
		{"another error after a conflict", []error{conflict, other}, 2, 1, "damaged"},
	} {
		var said bytes.Buffer
		r, reads := &root{&cli.Program{Stderr: &said}}, 0
		err := r.repeated(func() error { reads++; return c.errs[reads-1] })
		if reads != c.reads || strings.Count(said.String(), "cancelled the read, to apply") != c.says || (err == nil) != (c.ends == "") ||
			err != nil && !strings.Contains(err.Error(), c.ends) {
			t.Errorf("%s: %d reads, %v, says %q", c.what, reads, err, &said)
		}
	}
}
