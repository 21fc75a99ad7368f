package commands_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/definition"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
)

// closed is a platform that refuses to read definitions.
type closed struct {
	commands.Platform
	err error
}

func (c closed) Definition(context.Context, item.Caller, item.Item) (definition.Definition, error) {
	return definition.Definition{}, c.err
}

// done waits until the operation has ended.
func (s *service) done(t *testing.T, id uuid.UUID, want operation.Status) {
	t.Helper()
	const patience = 5 * time.Minute
	ctx, cancel := context.WithTimeoutCause(t.Context(), patience, fmt.Errorf("in %s operation %s has not ended", patience, id))
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		o, _, err := s.Views.Operation(ctx, "contoso", id)
		if err != nil {
			t.Fatal(err, context.Cause(ctx))
		}
		if o.Status.Ended() {
			if o.Status != want {
				t.Fatalf("the operation is %s: %+v", o.Status, o.Failure)
			}
			return
		}
		<-tick.C
	}
}

// Saved questions are checked against the current model, read as the caller. If the
// model cannot be read, the call is refused or no question can run.
func TestSavedQuestionsAsOfNow(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	check(t, s.queue.Start(t.Context()))
	t.Cleanup(func() {
		if err := s.queue.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	caller := s.Ana(account.Team)
	accepted, err := s.Benchmarks.SaveQuestions(t.Context(), caller, retail, model(0), benchmark.Set{Repeats: 2, Questions: []benchmark.Question{
		{Text: "What is the revenue?", Expected: benchmark.Expected{DAX: "EVALUATE ROW(\"Revenue\", [Revenue])"}},
	}}, false)
	check(t, err)
	s.done(t, accepted.OperationID, operation.StatusSucceeded)
	before := s.Left(t)
	got, err := s.Benchmarks.SavedQuestions(t.Context(), caller, retail, model(0))
	if err != nil || got.Count != 1 || got.CanRun != 1 || got.Repeats != 2 || len(got.Value[0].Expected.Fields) != 1 || got.Value[0].QuestionID == "" {
		t.Errorf("got %+v, %v", got, err)
	}
	open := s.Platform
	for code, want := range map[domain.Code]domain.Code{
		domain.CapacityBusy: domain.PlatformUnavailable, domain.CapacityPaused: domain.CapacityPaused, domain.PlatformConsentRequired: domain.PlatformConsentRequired, domain.ItemNotFound: domain.ItemNotFound,
	} {
		s.Platform = closed{open, domain.Refuse(code, "no")}
		if got, err := s.Benchmarks.SavedQuestions(t.Context(), caller, retail, model(0)); !domain.IsRefused(err, want) {
			t.Errorf("%s: got %+v, %v", code, got, err)
		}
	}
	s.Platform = closed{open, domain.Refuse(domain.ItemNotReadable, "no")}
	if got, err := s.Benchmarks.SavedQuestions(t.Context(), caller, retail, model(0)); err != nil || got.Count != 1 || got.CanRun != 0 || got.Value[0].Reason == nil {
		t.Errorf("not readable: got %+v, %v", got, err)
	}
	s.Platform = closed{open, context.Canceled} // the platform is not asked when nothing is saved
	if got, err := s.Benchmarks.SavedQuestions(t.Context(), s.Person("fabrikam", "ana", account.Team), retail, model(0)); err != nil || got.Count != 0 || got.Repeats != 1 {
		t.Errorf("another account: got %+v, %v", got, err)
	}
	s.Platform = open
	if _, err := s.Benchmarks.SavedQuestions(t.Context(), caller, secret, model(901)); !domain.IsRefused(err, domain.WorkspaceNotFound) {
		t.Errorf("a workspace that ana cannot see: %v", err)
	}
	s.Unchanged(t, before)
}

// Refused starts spend nothing.
func TestQuestionsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	caller := s.Ana(account.Free)
	before := s.Left(t)
	for _, tt := range []struct {
		workspace, model uuid.UUID
		count            int
		code             domain.Code
	}{
		{retail, model(0), 0, domain.InvalidRequest}, {retail, model(0), 101, domain.InvalidRequest}, {uuid.Nil, model(0), 1, domain.WorkspaceNotFound},
		{retail, model(7), 1, domain.ItemNotFound}, {secret, model(901), 1, domain.WorkspaceNotFound}, {paused, model(900), 1, domain.CapacityPaused},
	} {
		if _, err := s.Benchmarks.GenerateQuestions(t.Context(), caller, tt.workspace, tt.model, tt.count); !domain.IsRefused(err, tt.code) {
			t.Errorf("generate: got %v, want %s", err, tt.code)
		}
		if tt.code == domain.InvalidRequest {
			continue
		}
		if _, err := s.Benchmarks.SaveQuestions(t.Context(), caller, tt.workspace, tt.model, benchmark.Set{Repeats: 1}, false); !domain.IsRefused(err, tt.code) {
			t.Errorf("save: got %v, want %s", err, tt.code)
		}
	}
	s.Unchanged(t, before)
}
