package work_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
	"readiness/work"
)

// The apply of a preview without changes ends with the call: it takes no lock,
// spends nothing and tracks nothing.
//
// proves: 4.5/apply/2 4.5/apply/8
func TestAnApplyOfAPreviewWithoutChanges(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	if s := b.read(t, b.apply(t, b.preview(t, optimization.AIInstructions))); s != operation.StatusSucceeded {
		t.Fatalf("the apply is %s", s)
	}
	p := b.preview(t, optimization.AIInstructions)
	if len(p.Changes) != 0 {
		t.Fatalf("the values just written are proposed again: %v", p.Changes)
	}
	id := b.apply(t, p)
	if op := b.operation(t, id); op.Status != operation.StatusSucceeded || len(b.optimize) != 0 {
		t.Errorf("the apply is %s, and %d steps are enqueued", op.Status, len(b.optimize))
	}
	if w := b.work(t, id); len(w.Applied()) != 0 {
		t.Errorf("the apply wrote %v", w.Applied())
	}
	if n := b.used(t, account.OptimizationApplies, account.Day); n != 1 {
		t.Errorf("%d applies are spent, want the first apply only", n)
	}
	if s := b.read(t, b.apply(t, b.preview(t, optimization.Descriptions))); s != operation.StatusSucceeded {
		t.Errorf("the next apply is %s", s)
	}
}

// A bundle without approval records that its writes are unattended.
//
// proves: 4.5/apply/7 4.5/bundle/4
func TestABundleWithoutApprovalWritesUnattended(t *testing.T) {
	t.Parallel()
	for approval, want := range map[string]bool{"none": true, "required": false} {
		b := newOptimizing(t)
		kinds := []string{"aiInstructions"}
		a, err := b.Optimizations.StartBundle(t.Context(), b.ana(), workspace, good, &kinds, approval)
		id := b.accepted(t, a, err)
		if s := b.read(t, id); s != operation.StatusSucceeded {
			t.Fatalf("the bundle is %s", s)
		}
		if !want {
			a, err = b.Optimizations.StartBundleApply(t.Context(), b.ana(), workspace, good, id.String(), nil)
			if id = b.accepted(t, a, err); b.read(t, id) != operation.StatusSucceeded {
				t.Fatal("it was not applied")
			}
		}
		bundle, err := b.Views.Bundle(t.Context(), id)
		check(t, err)
		if w := b.work(t, *bundle.Children[0].OperationID); w.Unattended != want || len(w.Applied()) != 1 {
			t.Errorf("approval %s: unattended %v, %d objects", approval, w.Unattended, len(w.Applied()))
		}
	}
}

// meddled is a platform on which something happens before a definition is read or
// written.
type meddled struct {
	work.Platform
	read, write func() error
	writes      int
}

func (p *meddled) Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
	if p.read != nil {
		if err := p.read(); err != nil {
			return definition.Definition{}, err
		}
	}
	return p.Platform.Definition(ctx, as, it)
}

func (p *meddled) WriteDefinition(ctx context.Context, as item.Caller, it item.Item, d definition.Definition, ifHash string) error {
	p.writes++
	if p.write != nil {
		if err := p.write(); err != nil {
			return err
		}
	}
	return p.Platform.WriteDefinition(ctx, as, it, d, ifHash)
}

// applyKeys starts the apply of a new preview of properties with the keys, and
// takes its step out of the queue.
func (b *bench) applyKeys(t *testing.T, keys ...string) (uuid.UUID, work.OptimizeJob) {
	t.Helper()
	previewID := b.preview(t, optimization.Properties).PreviewID.String()
	who := b.ana()
	who.TokenExpires = b.Now().Add(24 * time.Hour)
	a, err := b.Optimizations.StartApply(t.Context(), who, workspace, good, "properties", optimization.ApplyPreview{PreviewID: &previewID, Keys: &keys})
	id := b.accepted(t, a, err)
	step := b.optimize[0]
	b.optimize = nil
	return id, step
}

// If another person changes the model between the read and the write, their change
// is not overwritten. An equal change by them is not recorded as the apply's own
// write.
//
// proves: 4.5/apply/6 4.5/apply/9
func TestTheSameChangeMeanwhile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		keys          []string
		from, to      string
		want          operation.Status
		applied, left int
	}{
		"a default":            {[]string{"Sales|Order Key", "Sales|Status"}, "summarizeBy: count", "summarizeBy: none", operation.StatusFailed, 0, 0},
		"another default":      {[]string{"Sales|Order Key", "Sales|Status"}, "summarizeBy: count", "summarizeBy: max", operation.StatusFailed, 0, 0},
		"a folder":             {[]string{"Sales|Revenue YTD", "Sales|M03"}, "COUNTROWS(Sales)\r\n", "COUNTROWS(Sales)\r\n\t\tdisplayFolder: Theirs\r\n", operation.StatusSucceeded, 1, 1},
		"something else of it": {[]string{"Sales|Order Key", "Sales|Status"}, "[M03] * 3", "[M03] * 33", operation.StatusSucceeded, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newOptimizing(t)
			id, step := b.applyKeys(t, test.keys...)
			o := b.Work
			platform := &meddled{Platform: o.Platform}
			platform.write = func() error {
				if platform.writes > 1 {
					return nil
				}
				data, err := os.ReadFile(b.file("tables/Sales.tmdl"))
				if err != nil || !strings.Contains(string(data), test.from) {
					return fmt.Errorf("%q is not there: %w", test.from, err)
				}
				write(t, b.file("tables/Sales.tmdl"), strings.Replace(string(data), test.from, test.to, 1))
				return nil
			}
			o.Platform = platform
			check(t, work.CarryOptimize(t.Context(), o, step, 0))
			op, w := b.operation(t, id), b.work(t, id)
			if op.Status != test.want || test.want == operation.StatusFailed && op.Failure.Code != domain.ItemChanged {
				t.Fatalf("the apply is %s: %+v", op.Status, op.Failure)
			}
			if test.want == operation.StatusFailed {
				want := strings.Replace(retail, test.from, test.to, 1)
				if d := cmp.Diff(want, b.parts(t)["/definition/tables/Sales.tmdl"]); d != "" {
					t.Errorf("the other person's change was overwritten (-want +got):\n%s", d)
				}
				return
			}
			if len(w.Applied()) != test.applied || len(w.LeftOut()) != test.left {
				t.Errorf("applied %v, left out %v", w.Applied(), w.LeftOut())
			}
			if s := b.read(t, b.revert(t, id)); s != operation.StatusSucceeded {
				t.Errorf("the revert is %s", s)
			}
			if d := cmp.Diff(strings.Replace(retail, test.from, test.to, 1), b.parts(t)["/definition/tables/Sales.tmdl"]); d != "" {
				t.Errorf("after the revert (-want +got):\n%s", d)
			}
		})
	}
}

// A worker whose operation was ended by another worker does not write.
func TestLateWorkerWritesNothing(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	_, step := b.applyKeys(t, "Sales|Status")
	before := b.parts(t)
	o := b.Work
	platform := &meddled{Platform: o.Platform}
	platform.read = func() error {
		w, err := b.Optimizations.Recorder.Load(t.Context(), step.OperationID)
		if err == nil {
			_, err = b.Optimizations.Recorder.Record(t.Context(), eventstore.Metadata{Account: "contoso"}, w, optimization.Fail{Failure: operation.Failure{Code: domain.OptimizationFailed, Message: "ended"}}, nil)
		}
		return err
	}
	o.Platform = platform
	check(t, work.CarryOptimize(t.Context(), o, step, 0))
	if platform.writes != 0 || !cmp.Equal(before, b.parts(t)) {
		t.Errorf("the worker wrote after the operation had ended:\n%s", cmp.Diff(before, b.parts(t)))
	}
}

// However a write fails, it is retried or ends. Then the lock is free, and the
// failure says when a write may have been made, and contains no paths of the
// service.
//
// proves: 4.5/apply/8 decisions/1/nothing-internal
func TestFailedWrites(t *testing.T) {
	t.Parallel()
	path := &fs.PathError{Op: "rename", Path: "/secret/place", Err: errors.New("no space")}
	for name, test := range map[string]struct {
		read, write func() error
		failed      int
		crashes     int
		age         time.Duration
		again       bool
		code        domain.Code
		open        bool // the write may have been made
	}{
		"other writers were faster every time": {read: func() error {
			return fmt.Errorf("%w: %w", eventstore.ErrConflict, domain.Refuse(domain.OperationInProgress, "others"))
		}, failed: 9, again: true},
		"a panic before the write":          {read: func() error { panic("out of range") }, again: true},
		"a panic that stays":                {read: func() error { panic("out of range") }, failed: work.Patience, age: 2 * work.FaultLife, code: domain.OptimizationFailed},
		"a panic in the write":              {write: func() error { panic("out of range") }, again: true},
		"a write in doubt":                  {write: func() error { return path }, again: true},
		"a write in doubt for ever":         {write: func() error { return path }, failed: work.Patience, age: 2 * work.FaultLife, code: domain.PlatformUnavailable, open: true},
		"the platform refuses":              {write: func() error { return domain.Refuse(domain.PlatformAccessDenied, "no") }, code: domain.PlatformAccessDenied},
		"the platform is away":              {read: func() error { return domain.Refuse(domain.PlatformUnavailable, "away") }, again: true},
		"the platform stays away":           {read: func() error { return domain.Refuse(domain.PlatformUnavailable, "away") }, failed: work.Patience, code: domain.PlatformUnavailable},
		"the process stops again and again": {crashes: work.MaxCrashes, code: domain.OptimizationFailed},
		"the token has expired":             {age: 25 * time.Hour, code: domain.OptimizationFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newOptimizing(t)
			id, step := b.applyKeys(t, "Sales|Status")
			o, since := b.Work, b.Now()
			o.Platform = &meddled{Platform: o.Platform, read: test.read, write: test.write}
			b.Clock.Advance(test.age)
			err := work.CarryOptimizeSince(t.Context(), o, step, test.failed, test.crashes, since)
			op := b.operation(t, id)
			if test.again {
				if err == nil || op.Status != operation.StatusRunning {
					t.Fatalf("got %v and %s, want another attempt", err, op.Status)
				}
				return
			}
			if err != nil || op.Status != operation.StatusFailed || op.Failure.Code != test.code {
				t.Fatalf("got %v, %s: %+v, want %s", err, op.Status, op.Failure, test.code)
			}
			if open := strings.Contains(op.Failure.Message, "look at the semantic model"); open != test.open || strings.Contains(op.Failure.Message, "secret") {
				t.Errorf("the message is %q", op.Failure.Message)
			}
			if s := b.read(t, b.apply(t, b.preview(t, optimization.AIInstructions))); s != operation.StatusSucceeded {
				t.Errorf("the next apply is %s", s)
			}
		})
	}
}

// An operation that ends while its write may have been made says so.
func TestWriteInDoubt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		crashes int
		age     time.Duration
	}{
		"the token has expired":             {0, 25 * time.Hour},
		"the process stops again and again": {work.MaxCrashes, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newOptimizing(t)
			id, step := b.applyKeys(t, "Sales|Status")
			o, since := b.Work, b.Now()
			o.Platform = &struck{Platform: o.Platform, after: true}
			if err := work.CarryOptimize(t.Context(), o, step, 0); !errors.Is(err, errStruck) {
				t.Fatalf("got %v", err)
			}
			b.Clock.Advance(test.age)
			check(t, work.CarryOptimizeSince(t.Context(), b.Work, step, 0, test.crashes, since))
			if op := b.operation(t, id); op.Status != operation.StatusFailed || !strings.Contains(op.Failure.Message, "look at the semantic model") {
				t.Errorf("the operation is %s: %+v", op.Status, op.Failure)
			}
		})
	}
}
