package operation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
)

var (
	id       = uuid.MustParse("00000000-0000-0000-0000-0000000000a1")
	accepted = operation.Accepted{OperationID: id, AccountID: "contoso", Type: operation.AssessSemanticModels}
	broken   = operation.Failed{Failure: operation.Failure{Code: domain.ItemNotReadable, Message: "no"}}
)

func fold(events ...domain.Event) operation.Operation {
	var o operation.Operation
	for _, e := range events {
		o = operation.Evolve(o, e)
	}
	return o
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given []domain.Event
		want  operation.Status
		ended bool
	}{
		{[]domain.Event{accepted}, operation.StatusNotStarted, false},
		{[]domain.Event{accepted, operation.Started{}}, operation.StatusRunning, false},
		{[]domain.Event{accepted, operation.Started{}, operation.Progressed{Percent: 50}}, operation.StatusRunning, false},
		{[]domain.Event{accepted, operation.Started{}, operation.Succeeded{}}, operation.StatusSucceeded, true},
		{[]domain.Event{accepted, operation.Started{}, broken}, operation.StatusFailed, true},
		{[]domain.Event{accepted, operation.Cancelled{}}, operation.StatusCancelled, true},
	} {
		if o := fold(c.given...); o.Status != c.want || o.Status.Ended() != c.ended || o.ID != id || o.Account != "contoso" {
			t.Errorf("after %v the operation is %+v, want %s", c.given, o, c.want)
		}
	}
}

// The statuses of an operation and the rules of a cancel (docs/specification.md 3.1 and
// 4.2).
func TestCancel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		given []domain.Event
		code  domain.Code
	}{
		"not started": {[]domain.Event{accepted}, domain.OperationInProgress},
		"running":     {[]domain.Event{accepted, operation.Started{}}, domain.OperationInProgress},
		"succeeded":   {[]domain.Event{accepted, operation.Started{}, operation.Succeeded{}}, ""},
		"failed":      {[]domain.Event{accepted, operation.Started{}, broken}, ""},
		"cancelled":   {[]domain.Event{accepted, operation.Cancelled{}}, ""},
	} {
		events, err := operation.Cancel{}.Decide(fold(c.given...))
		if len(events) != 0 {
			t.Errorf("%s: recorded %v", name, events)
		}
		r, refused := domain.Refused(err)
		switch {
		case c.code == "" && err != nil, c.code != "" && (!refused || r.Code != c.code):
			t.Errorf("%s: got %v, want %q", name, err, c.code)
		case refused && !cmp.Equal(r.Params, []domain.Param{{Name: "operationId", Value: id.String()}}):
			t.Errorf("%s: the refusal names %v", name, r.Params)
		}
	}
}

func TestStreamID(t *testing.T) {
	t.Parallel()
	if got, ok := operation.StreamID(operation.Stream(id)); !ok || got != id {
		t.Errorf("got %v %v", got, ok)
	}
	for _, s := range []string{"account-contoso", "operation-", "operation-x", ""} {
		if _, ok := operation.StreamID(s); ok {
			t.Errorf("%q passes for an operation's stream", s)
		}
	}
}

func TestCheckOf(t *testing.T) {
	t.Parallel()
	of := fold(accepted)
	if err := of.CheckOf("contoso", id); err != nil {
		t.Error(err)
	}
	for name, o := range map[string]operation.Operation{"another account's": of, "none": {}} {
		if err := o.CheckOf("acme", id); !domain.IsRefused(err, domain.OperationNotFound) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
