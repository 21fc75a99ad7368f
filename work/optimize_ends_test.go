package work_test

import (
	"testing"

	"readiness/domain/account"
	"readiness/domain/operation"
	"readiness/domain/optimization"
)

// The apply of a preview without changes ends with the call: it takes no lock,
// spends nothing and tracks nothing.
//
// proves: 4.5/apply/2 4.5/apply/8
func TestAnApplyOfAPreviewWithoutChanges(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	if s := b.read(t, b.apply(t, b.preview(t, optimization.AIInstructions))); s != operation.Succeeded {
		t.Fatalf("the apply is %s", s)
	}
	p := b.preview(t, optimization.AIInstructions)
	if len(p.Changes) != 0 {
		t.Fatalf("what was just written is proposed again: %v", p.Changes)
	}
	id := b.apply(t, p)
	if op := b.operation(t, id); op.Status != operation.Succeeded || len(b.optimize) != 0 {
		t.Errorf("it is %s, and %d steps are to be done", op.Status, len(b.optimize))
	}
	if w := b.work(t, id); len(w.Applied()) != 0 {
		t.Errorf("it wrote %v", w.Applied())
	}
	if n := b.used(t, account.OptimizationApplies, account.Day); n != 1 {
		t.Errorf("%d applies are spent, want that of the first", n)
	}
	if s := b.read(t, b.apply(t, b.preview(t, optimization.Descriptions))); s != operation.Succeeded {
		t.Errorf("the next apply is %s", s)
	}
}

// What a bundle writes without review says so.
//
// proves: 4.5/apply/7 4.5/bundle/4
func TestABundleWithoutApprovalWritesUnattended(t *testing.T) {
	t.Parallel()
	for approval, want := range map[string]bool{"none": true, "required": false} {
		b := newOptimizing(t)
		kinds := []string{"aiInstructions"}
		a, err := b.StartBundle(t.Context(), b.ana(), workspace, good, &kinds, approval)
		id := b.accepted(t, a, err)
		if s := b.read(t, id); s != operation.Succeeded {
			t.Fatalf("the bundle is %s", s)
		}
		if !want {
			a, err = b.StartBundleApply(t.Context(), b.ana(), workspace, good, id.String(), nil)
			if id = b.accepted(t, a, err); b.read(t, id) != operation.Succeeded {
				t.Fatal("it was not applied")
			}
		}
		bundle, err := b.views.Bundle(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if w := b.work(t, *bundle.Children[0].OperationID); w.Unattended != want || len(w.Applied()) != 1 {
			t.Errorf("approval %s: unattended %v, %d objects", approval, w.Unattended, len(w.Applied()))
		}
	}
}
