package work_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/work"
)

// deadline is a context whose deadline passes when over is called.
type deadline struct {
	context.Context
	done chan struct{}
	over func()
}

func newDeadline(ctx context.Context) *deadline {
	d := &deadline{Context: ctx, done: make(chan struct{})}
	d.over = sync.OnceFunc(func() { close(d.done) })
	return d
}

func (d *deadline) Done() <-chan struct{} { return d.done }

func (d *deadline) Err() error {
	select {
	case <-d.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// slow is a platform that answers after the step's deadline: with an error if it
// respects the deadline.
type slow struct {
	work.Platform
	over  func()
	minds bool
}

func (p slow) Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
	d, err := p.Platform.Definition(ctx, as, it)
	p.over()
	<-ctx.Done()
	if p.minds {
		return definition.Definition{}, ctx.Err()
	}
	return d, err
}

// A step that reaches its deadline ends with what is known by then; it is not
// retried indefinitely.
func TestStepBeyondItsTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		minds  bool
		status operation.Status
	}{"while it read": {true, operation.StatusFailed}, "while it scored": {false, operation.StatusSucceeded}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			id := b.start(t, good)
			ctx := newDeadline(t.Context())
			b.Work.Platform = slow{b.Work.Platform, ctx.over, c.minds}
			check(t, work.Carry(ctx, b.Work, b.steps[0], 0))
			op := b.operation(t, id)
			if op.Status != c.status || op.Failure != nil && op.Failure.Code != domain.AssessmentTimedOut {
				t.Errorf("the operation is %s: %+v", op.Status, op.Failure)
			}
		})
	}
}

// Names and faults may contain what PostgreSQL's text type cannot: the outcome is
// recorded nevertheless.
func TestInvalidText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		displayName, table string
		status             operation.Status
	}{
		"a name with NUL":           {`Mo\u0000del \\u0000`, "table Sales\n\n\tcolumn Amount\n\t\tdataType: double\n", operation.StatusSucceeded},
		"a fault that quotes NUL":   {`Model`, "table Sa\x00les x\n", operation.StatusFailed},
		"a fault that is not UTF-8": {`Model`, "table Sa\xffles x\n", operation.StatusFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			dir := filepath.Join(b.Root, "Retail", good.String()+".SemanticModel")
			write(t, filepath.Join(dir, ".platform"), fmt.Sprintf(`{"metadata":{"type":"SemanticModel","displayName":"%s"},"config":{"logicalId":%q}}`, c.displayName, good))
			write(t, filepath.Join(dir, "definition", "tables", "Sales.tmdl"), c.table)
			id := b.start(t, good)
			check(t, work.Carry(t.Context(), b.Work, b.steps[0], 0))
			if op := b.operation(t, id); op.Status != c.status {
				t.Errorf("the operation is %s: %+v", op.Status, op.Failure)
			}
			a, found, err := b.Views.AssessmentOf(t.Context(), "contoso", id)
			if want := "Mo\ufffddel \\u0000"; err != nil || found && a.ModelName != want {
				t.Errorf("the model is called %q, want %q; %v", a.ModelName, want, err)
			}
		})
	}
}

// A fault may quote arbitrarily long text. The message that is stored, and listed
// with the operation, is bounded.
func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	line := "table " + strings.Repeat("é", 1<<20) + " x"
	write(t, filepath.Join(b.Root, "Retail", good.String()+".SemanticModel", "definition", "tables", "Sales.tmdl"), line+"\n")
	id := b.start(t, good)
	check(t, work.Carry(t.Context(), b.Work, b.steps[0], 0))
	op := b.operation(t, id)
	if op.Failure == nil || op.Failure.Code != domain.ItemNotReadable || len(op.Failure.Message) > 2048 || !utf8.ValidString(op.Failure.Message) || strings.ContainsRune(op.Failure.Message, utf8.RuneError) {
		t.Errorf("the operation is %s and its message %d bytes long", op.Status, len(op.Failure.Message))
	}
}

// A first look stays spent exactly while an assessment of the model exists,
// whichever of several calls it was counted with (docs/decisions.md 5).
func TestFirstLookOfSeveralAssessments(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	failing := b.Work
	failing.Platform = isAway(b.Work.Platform, domain.Refuse(domain.PlatformUnavailable, "no"), 1<<20)
	first, second := b.start(t, good), b.start(t, good)
	carry := func(o work.Options, step, looks int) {
		t.Helper()
		check(t, work.Carry(t.Context(), o, b.steps[step], work.Patience))
		if n := b.used(t, account.FirstLooks, account.Lifetime); n != looks {
			t.Errorf("after step %d %d first looks are spent, want %d", step, n, looks)
		}
	}
	carry(failing, 0, 1) // the second assessment exists
	if i := b.operation(t, first).Impact; !*i.FirstLook || *i.Assessments != 0 {
		t.Errorf("the impact of the first: first look %v, assessments %d; want true and 0", *i.FirstLook, *i.Assessments)
	}
	carry(failing, 1, 0)
	if i := b.operation(t, second).Impact; *i.FirstLook || *i.Assessments != 0 {
		t.Errorf("the impact of the second: first look %v, assessments %d; want false and 0", *i.FirstLook, *i.Assessments)
	}
	b.start(t, good)
	carry(b.Work, 2, 1)
	if n := b.used(t, account.Assessments, account.Day); n != 1 {
		t.Errorf("%d assessments are spent, want 1", n)
	}
}

// Every accepted operation ends, whatever keeps failing, with a code that
// operations have.
func TestStepsGiveUp(t *testing.T) {
	t.Parallel()
	fault := errors.New("disk on fire")
	for name, c := range map[string]struct {
		err             error
		failed, crashes int
		after           time.Duration
		code            domain.Code // "": tried again
		spent           int
	}{
		"a code operations do not have":  {err: domain.Refuse(domain.RegionNotReady, "no"), code: domain.AssessmentFailed, spent: 1},
		"a fault, tried for an hour":     {err: fault, failed: 100, after: work.FaultLife, spent: 1},
		"a fault, tried for longer":      {err: fault, failed: work.Patience, after: work.FaultLife + 1, code: domain.AssessmentNotStarted},
		"a fault, late but new":          {err: fault, failed: work.Patience - 1, after: work.FaultLife + 1, spent: 1},
		"as many crashes as are allowed": {err: fault, failed: 2, crashes: work.MaxCrashes - 1, spent: 1},
		"a crash more":                   {err: fault, failed: 2, crashes: work.MaxCrashes, code: domain.AssessmentFailed, spent: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			ana := b.ana()
			ana.TokenExpires = noon.Add(24 * time.Hour)
			started, err := b.Assessments.Start(t.Context(), ana, workspace, good)
			check(t, err)
			b.Work.Platform = isAway(b.Work.Platform, c.err, 1<<20)
			b.Clock.Set(noon.Add(c.after))
			err = work.CarryAfterCrashes(t.Context(), b.Work, b.steps[0], c.failed, c.crashes)
			op := b.operation(t, started.OperationID)
			if c.code == "" {
				if !errors.Is(err, fault) || op.Status != operation.StatusRunning {
					t.Errorf("got %v and the operation is %s, want it tried again", err, op.Status)
				}
			} else if err != nil || op.Failure == nil || op.Failure.Code != c.code {
				t.Errorf("got %v and the operation is %s: %+v, want %s", err, op.Status, op.Failure, c.code)
			}
			if n := b.used(t, account.Assessments, account.Day); n != c.spent {
				t.Errorf("%d assessments are spent, want %d", n, c.spent)
			}
		})
	}
}
