package work_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/storage/documents"
	"readiness/test/testworld"
	"readiness/work"
)

// pause pauses the workspace's capacity, which ana's account allows the service to
// read.
func (b *bench) pause(t *testing.T) commands.Caller {
	t.Helper()
	b.Workspace(t, testworld.Workspace{ID: workspace, Name: "Retail", Paused: true})
	who := b.ana()
	who.Settings.CapacityDetails = true
	return who
}

// The stored apply is checked before the state of the workspace.
//
// proves: decisions/8/14
func TestARevertIsRefusedInOrder(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	reverted := b.apply(t, b.preview(t, optimization.AIInstructions))
	b.read(t, reverted)
	b.read(t, b.revert(t, reverted))
	standing := b.apply(t, b.preview(t, optimization.AIInstructions))
	b.read(t, standing)
	who := b.pause(t)
	for id, want := range map[uuid.UUID]domain.Code{
		uuid.Must(uuid.NewV7()): domain.OperationNotFound, reverted: domain.InvalidRequest, standing: domain.CapacityPaused,
	} {
		if _, err := b.Optimizations.StartRevert(t.Context(), who, workspace, good, id.String()); !domain.IsRefused(err, want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// silent is a platform that does not answer.
type silent struct{ commands.Platform }

func (silent) Workspace(context.Context, item.Caller, uuid.UUID) (item.Workspace, error) {
	return item.Workspace{}, domain.Refuse(domain.PlatformUnavailable, "it does not answer")
}

// The next kind of a bundle is refused when its own route would be, and waits while
// the platform does not answer.
//
// proves: 4.5/bundle/2 4.5/bundle/4
func TestNextChildStartsLikeItsRoute(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	kinds := []string{"aiInstructions", "aiDataSchema"}
	a, err := b.Optimizations.StartBundle(t.Context(), b.ana(), workspace, good, &kinds, "required")
	preview := b.accepted(t, a, err)
	b.read(t, preview)
	a, err = b.Optimizations.StartBundleApply(t.Context(), b.ana(), workspace, good, preview.String(), nil)
	id := b.accepted(t, a, err)
	b.carry(t, b.Work)
	answers := b.Platform
	b.Platform = silent{answers}
	if err := b.resume(t.Context(), b.ana(), id); err != nil || len(b.optimize) != 0 || !b.operation(t, id).Waits {
		t.Fatalf("while the platform does not answer: %v, %d steps, waiting %v", err, len(b.optimize), b.operation(t, id).Waits)
	}
	b.Platform = answers
	check(t, b.resume(t.Context(), b.pause(t), id))
	bundle, err := b.Views.Bundle(t.Context(), id)
	check(t, err)
	if c := bundle.Children[1]; c.Standing != optimization.ChildRefused || c.Code != domain.CapacityPaused || len(b.optimize) != 0 {
		t.Errorf("the next kind is %s %s", c.Standing, c.Code)
	}
	if s := b.operation(t, id).Status; s != operation.StatusSucceeded {
		t.Errorf("the bundle is %s", s)
	}
}

// A kind with an object that was left out is not reverted.
//
// proves: 3.5/reverted 4.5/bundle/7
func TestABundleRevertThatLeavesSomethingOut(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	kinds := []string{"properties"}
	a, err := b.Optimizations.StartBundle(t.Context(), b.ana(), workspace, good, &kinds, "none")
	id := b.accepted(t, a, err)
	if s := b.read(t, id); s != operation.StatusSucceeded {
		t.Fatalf("the bundle is %s", s)
	}
	data, err := os.ReadFile(b.file("tables/Sales.tmdl"))
	if err != nil || !strings.Contains(string(data), "displayFolder: ") {
		t.Fatal(err, string(data))
	}
	write(t, b.file("tables/Sales.tmdl"), strings.Replace(string(data), "displayFolder: ", "displayFolder: Their ", 1))
	a, err = b.Optimizations.StartBundleRevert(t.Context(), b.ana(), workspace, good, id.String())
	undo := b.accepted(t, a, err)
	if s := b.read(t, undo); s != operation.StatusSucceeded {
		t.Fatalf("the revert is %s", s)
	}
	for name, id := range map[string]uuid.UUID{"the apply": id, "its revert": undo} {
		bundle, err := b.Views.Bundle(t.Context(), id)
		check(t, err)
		if c := bundle.Children[0]; bundle.Standing() != optimization.Applied || c.Standing != optimization.ChildApplied {
			t.Errorf("%s is %s, its kind is %s", name, bundle.Standing(), c.Standing)
		} else if name == "its revert" && c.Code != domain.ItemChanged {
			t.Errorf("the revert says %s: %s", c.Code, c.Message)
		}
	}
}

// A revert of a bundle that was called before another one began, and decides after that one began or put its first kind back, is refused
// because of the other one.
//
// proves: 4.5/bundle/7
func TestABundleRevertIsOvertaken(t *testing.T) {
	t.Parallel()
	for name, putBack := range map[string]bool{"when it began": false, "when it put its first kind back": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newOptimizing(t)
			kinds := []string{"aiInstructions", "properties"}
			a, err := b.Optimizations.StartBundle(t.Context(), b.ana(), workspace, good, &kinds, "none")
			id := b.accepted(t, a, err)
			if s := b.read(t, id); s != operation.StatusSucceeded {
				t.Fatalf("the bundle is %s", s)
			}
			start := func() (commands.Accepted, error) {
				return b.Optimizations.StartBundleRevert(t.Context(), b.ana(), workspace, good, id.String())
			}
			// A call takes its operation's id, reads the bundle, takes the id of its first kind's revert, and decides.
			var first uuid.UUID
			ids, taken := b.NewID, 0
			b.NewID = func() uuid.UUID {
				if taken++; taken == 2 {
					a, err := start()
					first = b.accepted(t, a, err)
					if putBack {
						b.carry(t, b.Work)
						check(t, b.resume(t.Context(), b.ana(), first))
						b.carry(t, b.Work)
					}
				}
				return ids()
			}
			_, err = start()
			if r, refused := domain.Refused(err); !refused || r.Code != domain.OperationInProgress || !strings.Contains(r.Message, first.String()) || first == uuid.Nil {
				t.Errorf("the revert that was overtaken by %s: %v", first, err)
			}
			bundle, err := b.Views.Bundle(t.Context(), first)
			check(t, err)
			if back := bundle.Children[0].Standing == optimization.ChildReverted; back != putBack || bundle.Operation.Status.Ended() {
				t.Errorf("the first revert is %s, its first kind %s", bundle.Operation.Status, bundle.Children[0].Standing)
			}
			if s := b.read(t, first); s != operation.StatusSucceeded {
				t.Errorf("the first revert is %s", s)
			}
		})
	}
}

// A result that the store has lost is not one that was deleted: nothing is refused as if it had been, and a step waits for it.
func TestAPreviewOfALostResult(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	none := "none"
	previews, err := b.Optimizations.StartPreview(t.Context(), b.ana(), workspace, good, "descriptions")
	preview := b.accepted(t, previews, err)
	for _, sql := range []string{`CREATE TABLE kept AS TABLE documents`, `DELETE FROM documents`} {
		_, err := b.Pool.Exec(t.Context(), sql)
		check(t, err)
	}
	if _, err := b.Optimizations.StartApply(t.Context(), b.ana(), workspace, good, "properties", optimization.ApplyPreview{Approval: &none}); !errors.Is(err, documents.ErrNotFound) {
		t.Errorf("an apply: %v", err)
	}
	if err := work.CarryOptimize(t.Context(), b.Work, b.optimize[len(b.optimize)-1], work.Patience); !errors.Is(err, documents.ErrNotFound) {
		t.Errorf("the step: %v", err)
	}
	if op := b.operation(t, preview); op.Status.Ended() {
		t.Errorf("the preview is %s: %+v", op.Status, op.Failure)
	}
	_, err = b.Pool.Exec(t.Context(), `INSERT INTO documents TABLE kept`)
	check(t, err)
	check(t, work.CarryOptimize(t.Context(), b.Work, b.optimize[len(b.optimize)-1], work.Patience))
	if op := b.operation(t, preview); op.Status != operation.StatusSucceeded {
		t.Errorf("with the result back the preview is %s: %+v", op.Status, op.Failure)
	}
}

// If results are deleted while a preview of them waits to be made, the preview ends
// at once with nothing to propose.
//
// proves: 4.5/preview/3
func TestAPreviewOfResultsThatWereDeleted(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	none := "none"
	previews, err := b.Optimizations.StartPreview(t.Context(), b.ana(), workspace, good, "descriptions")
	preview := b.accepted(t, previews, err)
	applies, err := b.Optimizations.StartApply(t.Context(), b.ana(), workspace, good, "descriptions", optimization.ApplyPreview{Approval: &none})
	apply := b.accepted(t, applies, err)
	early := preview.String()
	if _, err := b.Optimizations.StartApply(t.Context(), b.ana(), workspace, good, "descriptions", optimization.ApplyPreview{PreviewID: &early}); !domain.IsRefused(err, domain.InvalidPreview) || !strings.Contains(err.Error(), "not succeeded") {
		t.Errorf("an apply of a preview that was not made yet: %v", err)
	}
	if n, err := b.Assessments.DeleteResults(t.Context(), b.ana(), workspace, good); err != nil || n == 0 {
		t.Fatalf("deleted %d results, %v", n, err)
	}
	if _, err := b.Pool.Exec(t.Context(), `DELETE FROM documents`); err != nil { // the sweep
		t.Fatal(err)
	}
	if _, err := b.Optimizations.StartApply(t.Context(), b.ana(), workspace, good, "properties", optimization.ApplyPreview{Approval: &none}); !domain.IsRefused(err, domain.AssessmentNotFound) {
		t.Errorf("another apply: %v", err)
	}
	b.carry(t, b.Work)
	for _, id := range []uuid.UUID{preview, apply} {
		if op := b.operation(t, id); op.Status != operation.StatusFailed || op.Failure.Code != domain.OptimizationFailed || !strings.Contains(op.Failure.Message, "assess") {
			t.Errorf("the preview is %s: %+v", op.Status, op.Failure)
		}
	}
	if s := b.read(t, b.apply(t, b.preview(t, optimization.AIInstructions))); s != operation.StatusSucceeded {
		t.Errorf("the next apply is %s", s)
	}
}
