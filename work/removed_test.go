package work_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
)

// belong declares the account with these people.
func (b *bench) belong(t *testing.T, people ...string) {
	t.Helper()
	d := account.Declaration{
		AccountID: "contoso", Plan: account.Team, Status: account.Active, Settings: account.Settings{AddPixies: true, AIFeatures: true, DefinitionCopies: account.CopiesNone},
	}
	for _, p := range people {
		d.People = append(d.People, account.Person{Person: item.Person{ID: p}, Role: account.Admin})
	}
	if _, err := b.Accounts.Apply(t.Context(), []account.Declaration{d}); err != nil {
		t.Fatal(err)
	}
}

// leaving is a platform that removes the caller from the account when it is asked
// for a workspace.
type leaving struct {
	commands.Platform
	leave func()
}

func (l leaving) Workspace(ctx context.Context, as item.Caller, id uuid.UUID) (item.Workspace, error) {
	l.leave()
	return l.Platform.Workspace(ctx, as, id)
}

// If a person is removed from the account after the guard admitted their call, the
// call is refused as a stranger's. Nothing is appended or enqueued, whatever the
// call starts.
func TestCallOfRemovedPerson(t *testing.T) {
	t.Parallel()
	none := optimization.NoApproval
	kinds := []string{string(optimization.Descriptions), string(optimization.Properties)}
	for name, prepare := range map[string]func(*testing.T, *bench) func(commands.Caller) error{
		"an assessment": func(t *testing.T, b *bench) func(commands.Caller) error {
			return func(who commands.Caller) error {
				_, err := b.Assessments.Start(t.Context(), who, workspace, good)
				return err
			}
		},
		"assessments": func(t *testing.T, b *bench) func(commands.Caller) error {
			return func(who commands.Caller) error {
				_, err := b.Assessments.StartBulk(t.Context(), who, workspace, []uuid.UUID{good, gone})
				return err
			}
		},
		"a preview": func(t *testing.T, b *bench) func(commands.Caller) error {
			return func(who commands.Caller) error {
				_, err := b.Optimizations.StartPreview(t.Context(), who, workspace, good, kinds[0])
				return err
			}
		},
		"an apply": func(t *testing.T, b *bench) func(commands.Caller) error {
			id := b.preview(t, optimization.Descriptions).PreviewID.String()
			return func(who commands.Caller) error {
				_, err := b.Optimizations.StartApply(t.Context(), who, workspace, good, kinds[0], optimization.ApplyPreview{PreviewID: &id})
				return err
			}
		},
		"a revert": func(t *testing.T, b *bench) func(commands.Caller) error {
			id := b.apply(t, b.preview(t, optimization.Descriptions))
			b.carry(t, b.Work)
			return func(who commands.Caller) error {
				_, err := b.Optimizations.StartRevert(t.Context(), who, workspace, good, id.String())
				return err
			}
		},
		"a bundle of previews": func(t *testing.T, b *bench) func(commands.Caller) error {
			return func(who commands.Caller) error {
				_, err := b.Optimizations.StartBundle(t.Context(), who, workspace, good, &kinds, "required")
				return err
			}
		},
		"a bundle that writes": func(t *testing.T, b *bench) func(commands.Caller) error {
			return func(who commands.Caller) error {
				_, err := b.Optimizations.StartBundle(t.Context(), who, workspace, good, &kinds, none)
				return err
			}
		},
		"a benchmark run": func(t *testing.T, b *bench) func(commands.Caller) error {
			b.saveQuestions(t, good, 2, 1)
			return func(who commands.Caller) error {
				_, err := b.Benchmarks.StartRun(t.Context(), who, workspace, good, assistant, nil)
				return err
			}
		},
		"questions": func(t *testing.T, b *bench) func(commands.Caller) error {
			return func(who commands.Caller) error {
				_, err := b.Benchmarks.GenerateQuestions(t.Context(), who, workspace, good, 3)
				return err
			}
		},
		"saved questions": func(t *testing.T, b *bench) func(commands.Caller) error {
			return func(who commands.Caller) error {
				_, err := b.Benchmarks.SaveQuestions(t.Context(), who, workspace, good, benchmark.Set{Repeats: 1, Questions: []benchmark.Question{{QuestionID: "Q1", Text: "Q1", Expected: benchmark.Expected{Fields: field("Q1")}}}}, false)
				return err
			}
		},
		"an A/B test": func(t *testing.T, b *bench) func(commands.Caller) error {
			b.saveQuestions(t, good, 2, 1)
			return func(who commands.Caller) error {
				_, err := b.ABTests.Create(t.Context(), who, abtest.CreateRequest{
					Words: abtest.Words{Name: "One"}, SideA: side(good), SideB: side(gone), Source: abtest.SourceRequest{Kind: string(abtest.FromQuestions)},
				})
				return err
			}
		},
		"Pixies": func(t *testing.T, b *bench) func(commands.Caller) error {
			b.Item(t, "Retail", "R.Report", "R", report1)
			return func(who commands.Caller) error {
				_, err := b.Pixies.Start(t.Context(), who, pixies.Adds, workspace, report1)
				return err
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newOptimizing(t)
			b.belong(t, "ana", "bob")
			call := prepare(t, b)
			b.steps, b.optimize, b.pixies, b.ask, b.questions = nil, nil, nil, nil, nil
			there, before := b.Platform, -1
			b.Platform = leaving{there, func() {
				if before < 0 {
					b.belong(t, "bob")
					before = b.positions(t)
				}
			}}
			if err := call(b.ana()); !domain.IsRefused(err, domain.UserNotRegistered) {
				t.Errorf("got %v, want the refusal of a stranger", err)
			}
			if before < 0 {
				t.Fatal("the person was not removed")
			}
			if n, steps := b.positions(t), len(b.steps)+len(b.optimize)+len(b.pixies)+len(b.ask)+len(b.questions); n != before || steps != 0 {
				t.Errorf("the refused call left %d events and %d steps", n-before, steps)
			}
		})
	}
}

// If the person is removed while the call is decided, the call is decided again.
func TestPersonRemovedDuringCall(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	b.belong(t, "ana", "bob")
	kinds := []string{string(optimization.Descriptions)}
	now, before, looked := b.Now, -1, false
	b.Platform = leaving{b.Platform, func() { looked = true }}
	b.Now = func() time.Time { // asked when the bundle is decided
		if looked && before < 0 {
			before = 0
			b.belong(t, "bob")
			before = b.positions(t)
		}
		return now()
	}
	if _, err := b.Optimizations.StartBundle(t.Context(), b.ana(), workspace, good, &kinds, "required"); !domain.IsRefused(err, domain.UserNotRegistered) || before <= 0 {
		t.Errorf("got %v, want the refusal of a stranger", err)
	}
	if n := b.positions(t); n != before || len(b.optimize) != 0 {
		t.Errorf("the refused call left %d events and %d steps", n-before, len(b.optimize))
	}
}

// Work that was accepted before the person was removed runs to its end. Work that
// waits for the person's read cannot be advanced by them and ends when its time is
// over. Neither leaves locks or reservations.
func TestWorkOfAPersonWhoWasRemoved(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	b.belong(t, "ana", "bob")
	assessed := b.start(t, good)
	none := optimization.NoApproval
	a, err := b.Optimizations.StartApply(t.Context(), b.ana(), workspace, good, string(optimization.Descriptions), optimization.ApplyPreview{Approval: &none})
	waits := b.accepted(t, a, err)
	b.belong(t, "bob")
	b.carry(t, b.Work)
	if op := b.operation(t, assessed); op.Status != operation.StatusSucceeded {
		t.Errorf("the assessment is %s: %v", op.Status, op.Failure)
	}
	if op := b.operation(t, waits); !op.Waits {
		t.Fatalf("the apply is %s, and does not wait", op.Status)
	}
	before := b.positions(t)
	if err := b.resume(t.Context(), b.ana(), waits); !domain.IsRefused(err, domain.UserNotRegistered) || b.positions(t) != before {
		t.Errorf("a read by the removed person: %v, and %d events", err, b.positions(t)-before)
	}
	b.Clock.Advance(25 * time.Hour)
	check(t, b.Operations.LapseOverdue(t.Context()))
	if op := b.operation(t, waits); op.Status != operation.StatusFailed || op.Failure.Code != domain.OptimizationFailed {
		t.Errorf("the apply is %s: %v", op.Status, op.Failure)
	}
	if used, reserved := b.room(t); used != 1 || reserved != 0 {
		t.Errorf("%d tracked items are used and %d reserved", used, reserved)
	}
}
