package work_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/work"
)

// refusing makes the log refuse to record an assessment, with the error.
func (b *bench) refusing(t *testing.T, refusal error) {
	t.Helper()
	engine := projections.NewEngine(b.Pool, projections.All()...)
	codec, err := eventstore.NewCodec(commands.Events()...)
	check(t, err)
	b.Work.Store = eventstore.New(b.Pool, codec, eventstore.Options{Now: b.Work.Now, Inline: func(batch *pgx.Batch, events []eventstore.Recorded) error {
		for _, r := range events {
			if _, stored := r.Event.(assessment.Recorded); stored {
				return refusal
			}
		}
		return engine.Inline(batch, events)
	}})
}

// When a cap leaves no room to record an assessment, that is an outcome: the
// operation fails with the cap's code and the message of the refusal, once, and its
// assessment stays spent. Any other fault of recording is retried.
//
// proves: 2.7/error/TrackedItemLimitReached 2.7/error/FirstLookLimitReached
func TestRecordingThatIsRefused(t *testing.T) {
	t.Parallel()
	for refused, failed := range map[domain.Code]domain.Code{
		domain.TrackedItemLimitReached:        domain.TrackedItemLimitReached,
		domain.LicenseTrackedItemLimitReached: domain.TrackedItemLimitReached,
		domain.FirstLookLimitReached:          domain.FirstLookLimitReached,
	} {
		t.Run(string(refused), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			id := b.start(t, good)
			b.refusing(t, domain.Refuse(refused, "no room is left"))
			for range 2 {
				check(t, work.Carry(t.Context(), b.Work, b.steps[0], 0))
			}
			op := b.operation(t, id)
			if op.Status != operation.StatusFailed || op.Failure == nil || op.Failure.Code != failed || op.Failure.Message != "no room is left" || *op.Impact.Assessments != 1 {
				t.Errorf("the operation reads %+v, failure %+v", op, op.Failure)
			}
			if n := b.Count(t, `SELECT count(*) FROM assessments_v6`) + b.Count(t, `SELECT count(*) FROM documents`) + b.Count(t, `SELECT count(*) FROM step_tokens`); n != 0 {
				t.Errorf("%d rows of the unrecorded assessment are left", n)
			}
			if a := b.used(t, account.Assessments, account.Day); a != 1 {
				t.Errorf("%d assessments are spent, want 1", a)
			}
		})
	}
	for _, fault := range []error{errors.New("disk on fire"), domain.Refuse(domain.OperationInProgress, "others were faster")} {
		b := newBench(t)
		id := b.start(t, good)
		b.refusing(t, fault)
		if err := work.Carry(t.Context(), b.Work, b.steps[0], 0); !errors.Is(err, fault) {
			t.Errorf("got %v, want %v", err, fault)
		}
		if op := b.operation(t, id); op.Status != operation.StatusRunning {
			t.Errorf("%v made the operation %s", fault, op.Status)
		}
	}
}

// The usage permission is read when the step runs: consent withdrawn or given after
// the call counts. For a person who is no longer in the account, the step does
// nothing.
func TestPermissionsAtTheTimeOfTheWork(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i, tt := range []struct{ before, then, want item.Access }{
		{item.Granted, item.ConsentRequired, item.ConsentRequired},
		{item.ConsentRequired, item.Granted, item.Granted},
		{item.Granted, "", item.Unavailable},
	} {
		b.access[item.PermissionUsage] = tt.before
		id := b.start(t, good)
		b.access[item.PermissionUsage] = tt.then
		check(t, work.Carry(t.Context(), b.Work, b.steps[i], 0))
		if a, found, err := b.Views.AssessmentOf(t.Context(), "contoso", id); err != nil || !found || a.Usage.Access != tt.want {
			t.Errorf("%s, then %q: got %s, %v; want %s", tt.before, tt.then, a.Usage.Access, err, tt.want)
		}
	}
	id := b.start(t, good)
	b.Work.Permissions = b.Views // its view has no people
	check(t, work.Carry(t.Context(), b.Work, b.steps[3], 0))
	if op := b.operation(t, id); op.Failure == nil || op.Failure.Code != domain.PlatformAccessDenied {
		t.Errorf("the operation reads %+v, failure %+v", op, op.Failure)
	}
}
