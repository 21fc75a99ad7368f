package auditview_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/auditview"
	"readiness/domain/operation"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// A listing names a view that exists, up to a position that the log has, or that the signed head of a time covers.
func TestAsk(t *testing.T) {
	t.Parallel()
	head := &auditview.Head{Position: 7, Note: "the note", SignedAt: noon}
	accepted := operation.Accepted{AccountID: "contoso", Type: operation.ListViewAsOf}
	at := func(position int64) auditview.Moment { return auditview.Moment{Position: &position} }
	for name, tt := range map[string]struct {
		view  string
		at    auditview.Moment
		head  *auditview.Head
		end   int64
		code  domain.Code // of the refusal
		says  string
		asked auditview.Asked
	}{
		"the first position":     {"accounts", at(0), head, 9, "", "", auditview.Asked{View: "accounts", Position: 0, Note: "the note", SignedAt: &noon}},
		"the last position":      {"accounts", at(9), nil, 9, "", "", auditview.Asked{View: "accounts", Position: 9}},
		"a position behind":      {"accounts", at(10), nil, 9, domain.InvalidRequest, "no position 10; it ends at 9", auditview.Asked{}},
		"a negative position":    {"accounts", at(-1), nil, 9, domain.InvalidRequest, "no position -1", auditview.Asked{}},
		"a time":                 {"accounts", auditview.Moment{Time: &noon}, head, 9, "", "", auditview.Asked{View: "accounts", Position: 7, Note: "the note", SignedAt: &noon}},
		"a time before any head": {"accounts", auditview.Moment{Time: &noon}, nil, 9, domain.AuditRecordNotFound, "2026-11-21T12:00:00Z", auditview.Asked{}},
		"a head behind the end":  {"accounts", auditview.Moment{Time: &noon}, head, 6, domain.InvalidRequest, "no position 7", auditview.Asked{}},
		"neither":                {"accounts", auditview.Moment{}, head, 9, domain.InvalidRequest, "either position or timeUtc", auditview.Asked{}},
		"both":                   {"accounts", auditview.Moment{Position: new(int64(1)), Time: &noon}, head, 9, domain.InvalidRequest, "either", auditview.Asked{}},
		"no such view":           {"account", at(1), head, 9, domain.AuditRecordNotFound, "accounts, operations", auditview.Asked{}},
	} {
		events, err := auditview.Ask{Operation: accepted, View: tt.view, Views: []string{"accounts", "operations"}, Moment: tt.at, End: tt.end, Head: tt.head}.
			Decide(auditview.Listing{})
		if tt.code != "" {
			if !domain.IsRefused(err, tt.code) || !strings.Contains(err.Error(), tt.says) || events != nil {
				t.Errorf("%s: got %v and %v", name, events, err)
			}
			continue
		}
		if diff := cmp.Diff([]domain.Event{accepted, tt.asked}, events); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

// A listing begins once and ends once, as it ended first.
func TestListingEndsOnce(t *testing.T) {
	t.Parallel()
	end, fail := auditview.End{Listed: auditview.Listed{DocumentHash: "sha256:1", Rows: 2}}, auditview.Fail{Message: "too long"}
	for name, tt := range map[string]struct {
		first domain.Command[auditview.Listing]
		want  operation.Status
	}{"listed": {end, operation.StatusSucceeded}, "failed": {fail, operation.StatusFailed}} {
		var l auditview.Listing
		do := func(c domain.Command[auditview.Listing]) (recorded int) {
			events, err := c.Decide(l)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				l = auditview.Evolve(l, e)
			}
			return len(events)
		}
		do(auditview.Ask{Operation: operation.Accepted{AccountID: "contoso"}, View: "v", Views: []string{"v"}, Moment: auditview.Moment{Position: new(int64)}})
		if n := do(auditview.Begin{}); n != 1 || l.Operation.Status != operation.StatusRunning {
			t.Errorf("%s: began with %d events, %s", name, n, l.Operation.Status)
		}
		if n := do(auditview.Begin{}); n != 0 {
			t.Errorf("%s: began again", name)
		}
		do(tt.first)
		if n := do(end) + do(fail) + do(auditview.Begin{}); n != 0 || l.Operation.Status != tt.want || (l.Listed != nil) != (tt.want == operation.StatusSucceeded) {
			t.Errorf("%s: %d more events, %s, %v", name, n, l.Operation.Status, l.Listed)
		}
		if f := l.Operation.Failure; tt.want == operation.StatusFailed && (f == nil || f.Code != domain.AuditViewFailed || f.Message != "too long") {
			t.Errorf("%s: %v", name, f)
		}
	}
}
