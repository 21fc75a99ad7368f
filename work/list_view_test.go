package work_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/auditview"
	"readiness/domain/operation"
	"readiness/work"
)

func (b *bench) listing(t *testing.T) uuid.UUID {
	t.Helper()
	got, err := b.Accounts.ListView(t.Context(), b.ana(), "operations", auditview.Moment{Position: new(int64(1))})
	check(t, err)
	return got.OperationID
}

// A listing ends once with its rows, or fails with the cause: too many rows at once, or an internal error after an hour of attempts.
// It does not end while another attempt may help.
//
// proves: decisions/18/as-of-limit
func TestListView(t *testing.T) {
	t.Parallel()
	lines := func(size int) work.PastRows {
		return func(_ context.Context, w io.Writer, account, view string, position int64) error {
			row := fmt.Sprintf(`{"table":"%s","row":{"account":"%s","position":%d,"text":"`, view, account, position)
			_, err := io.WriteString(w, row+strings.Repeat("x", size-len(row)-len("\"}}\n"))+"\"}}\n")
			return err
		}
	}
	fault := errors.New("the disk is full")
	fails := func(err error) work.PastRows {
		return func(context.Context, io.Writer, string, string, int64) error { return err }
	}
	for name, tt := range map[string]struct {
		rows            work.PastRows
		failed, crashes int
		since           time.Duration
		status          operation.Status
		says            string
	}{
		"rows":                              {lines(200), 0, 0, 0, operation.StatusSucceeded, ""},
		"as many rows as there may be":      {lines(auditview.MaxSize), 0, 0, 0, operation.StatusSucceeded, ""},
		"one byte more":                     {lines(auditview.MaxSize + 1), 0, 0, 0, operation.StatusFailed, "16 MiB"},
		"a fault":                           {fails(fault), 0, 0, 0, operation.StatusRunning, ""},
		"a fault, the fourth within hour":   {fails(fault), 3, 0, time.Hour, operation.StatusRunning, ""},
		"a fault, the fourth, for an hour":  {fails(fault), 3, 0, time.Hour + 1, operation.StatusFailed, "internal error; the operator"},
		"a fault, the third, for an hour":   {fails(fault), 2, 0, time.Hour + 1, operation.StatusRunning, ""},
		"too slow":                          {fails(context.DeadlineExceeded), 2, 0, 0, operation.StatusRunning, ""},
		"too slow, four times":              {fails(context.DeadlineExceeded), 3, 0, 0, operation.StatusFailed, "not read within"},
		"a crash less than there may be":    {fails(fault), 0, 59, 0, operation.StatusRunning, ""},
		"as many crashes as there may be":   {fails(fault), 0, 60, 0, operation.StatusFailed, "internal error; the operator"},
		"rows after as many crashes as may": {lines(200), 0, 60, 0, operation.StatusSucceeded, ""},
	} {
		b := newBench(t)
		b.declare(t)
		id := b.listing(t)
		b.Work.PastRows = tt.rows
		carry := func() error {
			return work.CarryListView(t.Context(), b.Work, b.listings[0], tt.failed, tt.crashes, b.Work.Now().Add(-tt.since))
		}
		if err := carry(); (err != nil) != (tt.status == operation.StatusRunning) {
			t.Errorf("%s: %v", name, err)
		}
		l, err := b.Views.Listing(t.Context(), id)
		check(t, err)
		if l.Operation.Status != tt.status || (l.Listed != nil) != (tt.status == operation.StatusSucceeded) {
			t.Errorf("%s: the operation is %s, %v", name, l.Operation.Status, l.Listed)
		}
		if f := l.Operation.Failure; tt.says != "" && (f == nil || f.Code != domain.AuditViewFailed || !strings.Contains(f.Message, tt.says)) {
			t.Errorf("%s: %+v", name, f)
		}
		documents := b.Count(t, `SELECT count(*) FROM documents`)
		if documents != map[bool]int{true: 1}[l.Listed != nil] {
			t.Errorf("%s: %d documents", name, documents)
		}
		if tt.status == operation.StatusRunning {
			continue
		}
		events := b.Count(t, `SELECT count(*) FROM events`)
		check(t, carry())
		if n := b.Count(t, `SELECT count(*) FROM events`); n != events {
			t.Errorf("%s: a second time recorded %d events", name, n-events)
		}
	}
}
