package work_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/operation"
	"readiness/domain/optimization"
)

// written applies the keys of a new preview of the kind, with the values, and
// returns the apply, which has succeeded.
func (b *bench) written(t *testing.T, kind optimization.Kind, keys []string, values map[string]string) uuid.UUID {
	t.Helper()
	previewID := b.preview(t, kind).PreviewID.String()
	a, err := b.Optimizations.StartApply(t.Context(), b.ana(), workspace, good, string(kind), optimization.ApplyPreview{PreviewID: &previewID, Keys: &keys, Values: values})
	id := b.accepted(t, a, err)
	if s := b.read(t, id); s != operation.StatusSucceeded {
		t.Fatalf("the apply is %s: %+v", s, b.operation(t, id).Failure)
	}
	return id
}

// undone reverts the apply and returns how many objects were restored and how many
// left out.
func (b *bench) undone(t *testing.T, id uuid.UUID) (back, left int) {
	t.Helper()
	undo := b.revert(t, id)
	if s := b.read(t, undo); s != operation.StatusSucceeded {
		t.Fatalf("the revert is %s: %+v", s, b.operation(t, undo).Failure)
	}
	w := b.work(t, undo)
	return len(w.Applied()), len(w.LeftOut())
}

func (b *bench) edit(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(b.file("tables/Sales.tmdl"))
	if err != nil || !strings.Contains(string(data), from) {
		t.Fatalf("%v: %q is not in %s", err, from, data)
	}
	write(t, b.file("tables/Sales.tmdl"), strings.Replace(string(data), from, to, 1))
}

// unlimited grants the account any number of applies.
func (b *bench) unlimited() { b.Plans = account.Plans{account.Team: b.Plans[account.Enterprise]} }

// Of two applies on one object the later must be reverted first. After both reverts
// every byte is as before.
//
// proves: 4.5/revert/1 4.5/revert/4
func TestAppliesOnOneObjectRevertInOrder(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	b.unlimited()
	before := b.parts(t)
	const short = "//\"\r\nx " // too short: the description is a finding again
	text := func(s string) map[string]string { return map[string]string{"Sales|Revenue": s} }
	first := b.written(t, optimization.Descriptions, []string{"Sales|Revenue", "Sales|Revenue YTD"}, text(short))
	one := b.parts(t)
	b.start(t, good)
	b.carry(t, b.Work)
	second := b.written(t, optimization.Descriptions, []string{"Sales|Revenue"}, text("Another text,\ron two lines."))
	third := b.written(t, optimization.Properties, []string{"Sales|Status"}, nil)
	if _, err := b.Optimizations.StartRevert(t.Context(), b.ana(), workspace, good, first.String()); !domain.IsRefused(err, domain.ItemChanged) || !strings.Contains(err.Error(), second.String()) {
		t.Errorf("the revert of the first before the second: %v", err)
	}
	b.undone(t, second)
	b.undone(t, third)
	if d := cmp.Diff(one, b.parts(t)); d != "" {
		t.Errorf("(-after the first +after the second was put back):\n%s", d)
	}
	if back, left := b.undone(t, first); back != 2 || left != 0 {
		t.Errorf("%d were restored, %d were left out", back, left)
	}
	if d := cmp.Diff(before, b.parts(t)); d != "" {
		t.Errorf("(-before +after):\n%s", d)
	}
}

// An object that was restored once is not restored again, whatever was written to
// it since.
//
// proves: 3.5/reverted-in-part 4.5/revert/2
func TestARevertInPartAndANewApply(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	b.unlimited()
	before := b.parts(t)
	keys := []string{"Sales|Revenue YTD", "Sales|M03"}
	folder := map[string]string{"Sales|Revenue YTD": "Ours", "Sales|M03": "Ours"}
	first := b.written(t, optimization.Properties, keys, folder)
	const m03 = "COUNTROWS(Sales)\r\n\t\tdisplayFolder: "
	b.edit(t, m03+"Ours", m03+"Theirs")
	if back, left := b.undone(t, first); back != 1 || left != 1 || b.work(t, first).Standing() != optimization.Applied {
		t.Fatalf("%d were restored, %d were left out, the apply is %s", back, left, b.work(t, first).Standing())
	}
	second := b.written(t, optimization.Properties, keys[:1], map[string]string{"Sales|Revenue YTD": "Ours"})
	if back, left := b.undone(t, first); back != 0 || left != 1 {
		t.Errorf("while the other edit is there, %d were restored, %d were left out", back, left)
	}
	b.edit(t, m03+"Theirs", m03+"Ours")
	if back, left := b.undone(t, first); back != 1 || left != 0 || b.work(t, first).Standing() != optimization.Reverted {
		t.Errorf("%d were restored, %d were left out, the apply is %s", back, left, b.work(t, first).Standing())
	}
	if _, err := b.Optimizations.StartRevert(t.Context(), b.ana(), workspace, good, first.String()); !domain.IsRefused(err, domain.InvalidRequest) {
		t.Errorf("a second revert: %v", err)
	}
	if back, left := b.undone(t, second); back != 1 || left != 0 {
		t.Errorf("of the second, %d were restored, %d were left out", back, left)
	}
	if d := cmp.Diff(before, b.parts(t)); d != "" {
		t.Errorf("(-before +after):\n%s", d)
	}
}

// When their owner reads a bundle and its child at once, they advance once.
//
// proves: 4.5/bundle/5 5/5
func TestABundleAndItsChildReadAtOnce(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	kinds := []string{"properties", "aiDataSchema"}
	a, err := b.Optimizations.StartBundle(t.Context(), b.ana(), workspace, good, &kinds, "required")
	preview := b.accepted(t, a, err)
	b.read(t, preview)
	a, err = b.Optimizations.StartBundleApply(t.Context(), b.ana(), workspace, good, preview.String(), nil)
	id := b.accepted(t, a, err)
	var mu sync.Mutex
	b.Jobs = &counting{bench: b, mu: &mu}
	for at, kind := range []string{"its second write", "the next kind"} {
		b.carry(t, b.Work)
		bundle, err := b.Views.Bundle(t.Context(), id)
		check(t, err)
		read := []uuid.UUID{id, *bundle.Children[0].OperationID}
		var reads sync.WaitGroup
		var failed []error
		for i := range 10 {
			reads.Go(func() {
				if err := b.resume(context.Background(), b.ana(), read[i%2]); err != nil {
					mu.Lock()
					failed = append(failed, err)
					mu.Unlock()
				}
			})
		}
		reads.Wait()
		if len(failed) > 0 || len(b.optimize) != 1 {
			t.Fatalf("ten reads started %s %d times: %v", kind, len(b.optimize), failed)
		}
		if got, err := b.Views.Bundle(t.Context(), id); err != nil || got.Operation.Waiting != nil || got.Children[at].Standing != optimization.ChildRunning {
			t.Errorf("after %s the bundle is %+v, %v", kind, got, err)
		}
	}
	if s := b.read(t, id); s != operation.StatusSucceeded {
		t.Errorf("the bundle is %s", s)
	}
	if n := b.used(t, account.OptimizationApplies, account.Day); n != 3 {
		t.Errorf("%d applies are spent, want 2 + 1", n)
	}
}
