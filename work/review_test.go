package work_test

import (
	"testing"

	"readiness/domain/account"
	"readiness/domain/operation"
	"readiness/domain/optimization"
)

func TestReviewEmptyPreview(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	if s := b.read(t, b.apply(t, b.preview(t, optimization.AIInstructions))); s != operation.Succeeded {
		t.Fatal(s)
	}
	p := b.preview(t, optimization.AIInstructions)
	if len(p.Changes) != 0 {
		t.Fatalf("changes %v", p.Changes)
	}
	id := b.apply(t, p)
	if s := b.read(t, id); s != operation.Succeeded {
		t.Errorf("status %s", s)
	}
	t.Log(b.used(t, account.OptimizationApplies, account.Day))
}
