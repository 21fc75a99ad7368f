package optimization_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/optimization"
)

// bundle returns an accepted bundle with the children.
func bundle(t *testing.T, form optimization.Form, children ...optimization.Child) optimization.Bundle {
	t.Helper()
	return decide(t, optimization.EvolveBundle, optimization.Bundle{}, optimization.AcceptBundle{
		Operation: operation.Accepted{OperationID: operationID(1), Type: operation.ApplyOptimizations, Resource: operation.Resource{ItemID: &model}},
		Bundle:    optimization.BundleAccepted{Form: form, AcceptedAt: noon, Children: children},
	})
}

func child(k optimization.Kind, s, preview optimization.ChildStanding) optimization.Child {
	id := operationID(byte(10 + len(k)))
	return optimization.Child{Kind: k, PreviewID: &id, Standing: s, PreviewStanding: preview}
}

func changed(t *testing.T, b optimization.Bundle, c optimization.Child, s optimization.ChildStanding) optimization.Bundle {
	t.Helper()
	c.Standing = s
	if s == optimization.ChildFailed || s == optimization.ChildRefused {
		c.Code, c.Message = domain.ItemChanged, "changed"
	}
	return decide(t, optimization.EvolveBundle, b, optimization.ChangeChild{Child: c})
}

func TestABundlePreviewSucceedsWhenAnyDid(t *testing.T) {
	t.Parallel()
	const running, done, failed = optimization.ChildRunning, optimization.ChildSucceeded, optimization.ChildFailed
	for name, test := range map[string]struct {
		ends []optimization.ChildStanding
		want operation.Status
	}{
		"all":  {[]optimization.ChildStanding{done, done}, operation.StatusSucceeded},
		"one":  {[]optimization.ChildStanding{failed, done}, operation.StatusSucceeded},
		"none": {[]optimization.ChildStanding{failed, failed}, operation.StatusFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, d := child(optimization.AIInstructions, running, ""), child(optimization.Descriptions, running, "")
			b := bundle(t, optimization.Previewing, a, d, child(optimization.Properties, optimization.ChildSkipped, ""))
			b = changed(t, b, a, test.ends[0])
			if b.Operation.Status != operation.StatusRunning || b.Operation.Waiting != nil {
				t.Fatalf("with one preview running it is %s, waiting %v", b.Operation.Status, b.Operation.Waiting)
			}
			b = changed(t, b, d, test.ends[1])
			if b.Operation.Status != test.want {
				t.Errorf("it is %s, want %s", b.Operation.Status, test.want)
			}
			if test.want == operation.StatusFailed && b.Operation.Failure.Code != domain.ItemChanged {
				t.Errorf("it failed with %v, not as its first child", b.Operation.Failure)
			}
		})
	}
}

func TestABundleAppliesOneKindAtATime(t *testing.T) {
	t.Parallel()
	const waiting, running = optimization.ChildNotStarted, optimization.ChildRunning
	a, d := child(optimization.AIInstructions, waiting, running), child(optimization.Descriptions, waiting, running)
	s := child(optimization.AIDataSchema, optimization.ChildSkipped, running)
	b := bundle(t, optimization.Unattended, a, d, s)
	for _, c := range []*optimization.Child{&a, &d, &s} {
		if _, more := b.Next(); more {
			t.Fatal("an apply may start while a preview runs")
		}
		c.PreviewStanding = optimization.ChildSucceeded
		b = changed(t, b, *c, c.Standing)
	}
	if next, more := b.Next(); !more || next.Kind != a.Kind || b.Operation.Waiting == nil {
		t.Fatalf("after the previews comes %v, waiting %v", next, b.Operation.Waiting)
	}
	id := operationID(50)
	a.OperationID = &id
	b = changed(t, b, a, running)
	if _, more := b.Next(); more || b.Operation.Waiting != nil {
		t.Fatal("the next apply may start while one runs")
	}
	b = changed(t, b, a, optimization.ChildFailed)
	if next, more := b.Next(); !more || next.Kind != d.Kind || b.Operation.Waiting == nil {
		t.Fatalf("after a failed child comes %v", next)
	}
	d.OperationID = &id
	b = changed(t, changed(t, b, d, running), d, optimization.ChildApplied)
	if b.Operation.Status != operation.StatusSucceeded {
		t.Errorf("with one kind applied it is %s", b.Operation.Status)
	}
	if events, err := (optimization.ChangeChild{Child: b.Children[1]}).Decide(b); err != nil || events != nil {
		t.Errorf("the same standing again made %v, %v", events, err)
	}
	if b.Standing() != optimization.Applied {
		t.Error("it does not stand as Applied")
	}
	b = changed(t, b, d, optimization.ChildReverted)
	if b.Standing() != optimization.Reverted || b.Operation.Status != operation.StatusSucceeded {
		t.Errorf("reverted it stands as %s, %s", b.Standing(), b.Operation.Status)
	}
}

// A revert that left a kind unchanged has not reverted the bundle.
func TestABundleRevertStandsAsItsKinds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		one, other optimization.ChildStanding
		want       optimization.RecordStanding
	}{
		{optimization.ChildReverted, optimization.ChildReverted, optimization.Reverted},
		{optimization.ChildReverted, optimization.ChildFailed, optimization.Applied},
		{optimization.ChildRefused, optimization.ChildReverted, optimization.Applied},
	} {
		b := bundle(t, optimization.Reverting, optimization.Child{Kind: optimization.Properties, Standing: test.one}, optimization.Child{Kind: optimization.Descriptions, Standing: test.other})
		if b.Standing() != test.want {
			t.Errorf("with %s and %s it stands as %s", test.one, test.other, b.Standing())
		}
	}
}

func TestABundleWithNothingToDoSucceeds(t *testing.T) {
	t.Parallel()
	b := bundle(t, optimization.Applying, child(optimization.AIInstructions, optimization.ChildNothingToDo, ""), child(optimization.Descriptions, optimization.ChildSkipped, ""))
	if b.Operation.Status != operation.StatusSucceeded {
		t.Errorf("it is %s", b.Operation.Status)
	}
	refusedOnly := bundle(t, optimization.Applying, child(optimization.AIInstructions, optimization.ChildRefused, ""), child(optimization.Descriptions, optimization.ChildNothingToDo, ""))
	if refusedOnly.Operation.Status != operation.StatusFailed {
		t.Errorf("with a refused child and nothing applied it is %s", refusedOnly.Operation.Status)
	}
}

// proves: 4.5/bundle/5
func TestABundleLapses(t *testing.T) {
	t.Parallel()
	expires := noon.Add(time.Hour)
	a := child(optimization.AIInstructions, optimization.ChildApplied, optimization.ChildSucceeded)
	d := child(optimization.Descriptions, optimization.ChildNotStarted, optimization.ChildSucceeded)
	d.ExpiresAt = &expires
	b := bundle(t, optimization.Unattended, a, d)
	for at, lapsed := range map[time.Time]bool{expires: false, expires.Add(time.Second): true, noon.Add(8 * 24 * time.Hour): true} {
		if b.Lapsed(at) != lapsed {
			t.Errorf("at %v it has lapsed: %v", at, !lapsed)
		}
	}
	b = decide(t, optimization.EvolveBundle, b, optimization.FinishInPart{})
	left, _ := b.Child(optimization.Descriptions)
	if b.Operation.Status != operation.StatusSucceeded || left.Standing != optimization.ChildRefused || !strings.Contains(left.Message, "waited too long") || b.Operation.Waiting != nil {
		t.Errorf("finished in part it is %s with %+v", b.Operation.Status, left)
	}
	if events, err := (optimization.FinishInPart{}).Decide(b); err != nil || events != nil {
		t.Errorf("it ended again: %v, %v", events, err)
	}

	r := bundle(t, optimization.Reverting, optimization.Child{Kind: optimization.Descriptions, Standing: optimization.ChildNotStarted})
	if r.Lapsed(noon.Add(7*24*time.Hour)) || !r.Lapsed(noon.Add(7*24*time.Hour+time.Second)) {
		t.Error("a bundle has not lapsed after seven days")
	}
}

// A bundle that is given up ends at once: kinds that had not begun are refused, kinds that ran fail, kinds that had ended stay as they are.
//
// proves: decisions/20/unfinished
func TestABundleIsGivenUp(t *testing.T) {
	t.Parallel()
	running, not := optimization.ChildRunning, optimization.ChildNotStarted
	applied, failed, refused := optimization.ChildApplied, optimization.ChildFailed, optimization.ChildRefused
	for name, row := range map[string]struct {
		form                               optimization.Form
		first, firstPreview, second        optimization.ChildStanding
		firstEnds, previewEnds, secondEnds optimization.ChildStanding
		status                             operation.Status
	}{
		"waits for the next kind":  {optimization.Applying, applied, "", not, applied, "", refused, operation.StatusSucceeded},
		"a kind runs":              {optimization.Applying, running, "", not, failed, "", refused, operation.StatusFailed},
		"a preview runs":           {optimization.Unattended, not, running, not, failed, failed, refused, operation.StatusFailed},
		"previews only":            {optimization.Previewing, running, "", optimization.ChildSucceeded, failed, "", optimization.ChildSucceeded, operation.StatusSucceeded},
		"nothing to do, then more": {optimization.Applying, optimization.ChildNothingToDo, "", not, optimization.ChildNothingToDo, "", refused, operation.StatusFailed},
	} {
		b := bundle(t, row.form, child(optimization.AIInstructions, row.first, row.firstPreview), child(optimization.Descriptions, row.second, ""))
		b = decide(t, optimization.EvolveBundle, b, optimization.GiveUp{Message: "moved"})
		first, _ := b.Child(optimization.AIInstructions)
		second, _ := b.Child(optimization.Descriptions)
		if b.Operation.Status != row.status || b.Operation.Waiting != nil || first.Standing != row.firstEnds || first.PreviewStanding != row.previewEnds ||
			second.Standing != row.secondEnds {
			t.Errorf("%s: it is %s with %+v and %+v", name, b.Operation.Status, first, second)
		}
		for _, c := range b.Children {
			if ended := c.Standing == failed || c.Standing == refused; ended != (c.Code == domain.OptimizationFailed && c.Message == "moved") {
				t.Errorf("%s: %s says %s, %q", name, c.Kind, c.Code, c.Message)
			}
		}
		if events, err := (optimization.GiveUp{Message: "again"}).Decide(b); err != nil || events != nil {
			t.Errorf("%s: it ended again: %v, %v", name, events, err)
		}
	}
}

func TestABundlePreviewIsUsedOnce(t *testing.T) {
	t.Parallel()
	b := bundle(t, optimization.Previewing, child(optimization.AIInstructions, optimization.ChildSucceeded, ""))
	b = decide(t, optimization.EvolveBundle, b, optimization.Use{By: operationID(2)})
	_, err := optimization.Use{By: operationID(3)}.Decide(b)
	refused(t, err, domain.InvalidPreview, operationID(2).String())
}

// In any history of its children, a bundle ends once, when the last child has ended. It
// never waits while a child runs.
func TestAnyHistoryOfABundle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var children []optimization.Child
		for _, k := range optimization.Kinds() {
			children = append(children, optimization.Child{Kind: k, Standing: optimization.ChildNotStarted, PreviewStanding: optimization.ChildRunning})
		}
		b, ends := optimization.Bundle{}, 0
		take := func(c domain.Command[optimization.Bundle]) {
			events, err := c.Decide(b)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				switch e.(type) {
				case operation.Succeeded, operation.Failed:
					ends++
				}
				b = optimization.EvolveBundle(b, e)
			}
			_, running := b.Running()
			if b.Operation.Waiting != nil && running {
				t.Fatalf("it waits while a child runs that does not wait: %+v", b)
			}
		}
		take(optimization.AcceptBundle{Operation: operation.Accepted{}, Bundle: optimization.BundleAccepted{Form: optimization.Unattended, Children: children}})
		for _, i := range rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "previews end") {
			c := b.Children[i]
			c.PreviewStanding = optimization.ChildSucceeded
			switch rapid.IntRange(0, 2).Draw(t, "preview") {
			case 0:
				c.PreviewStanding, c.Standing, c.Code = optimization.ChildFailed, optimization.ChildFailed, domain.ItemNotReadable
			case 1:
				c.Standing = optimization.ChildNothingToDo
			}
			take(optimization.ChangeChild{Child: c})
		}
		for {
			c, more := b.Next()
			if !more {
				break
			}
			if b.Operation.Waiting == nil {
				t.Fatalf("there is a next child and nothing waits: %+v", b)
			}
			if rapid.IntRange(0, 3).Draw(t, "refused") == 0 {
				c.Standing, c.Code = optimization.ChildRefused, domain.OperationInProgress
				take(optimization.ChangeChild{Child: c})
				continue
			}
			id := uuid.UUID{15: byte(len(c.Kind))}
			c.OperationID, c.Standing = &id, optimization.ChildRunning
			take(optimization.ChangeChild{Child: c})
			c.Standing = rapid.SampledFrom([]optimization.ChildStanding{optimization.ChildApplied, optimization.ChildFailed, optimization.ChildNothingToDo}).Draw(t, "ends")
			if c.Standing == optimization.ChildFailed {
				c.Code = domain.ItemChanged
			}
			take(optimization.ChangeChild{Child: c})
		}
		if ends != 1 || !b.Operation.Status.Ended() {
			t.Fatalf("it ended %d times and is %s", ends, b.Operation.Status)
		}
	})
}

// A bundle apply, and each of its kinds, has one revert at a time. One that ended, or can no longer continue, is no hindrance.
//
// proves: 4.5/bundle/7 4.5/revert/4
func TestOneRevertAtATime(t *testing.T) {
	t.Parallel()
	first, second := operationID(2), operationID(3)
	going := func(id uuid.UUID, status operation.Status, accepted time.Time) optimization.Bundle {
		return optimization.Bundle{Operation: operation.Operation{ID: id, Status: status}, BundleAccepted: optimization.BundleAccepted{Form: optimization.Reverting, AcceptedAt: accepted}}
	}
	for name, row := range map[string]struct {
		form    optimization.Form
		usedBy  *uuid.UUID
		earlier optimization.Bundle
		refused bool
	}{
		"none yet":                    {optimization.Applying, nil, optimization.Bundle{}, false},
		"one that runs":               {optimization.Applying, &first, going(first, operation.StatusRunning, noon), true},
		"one of an unattended bundle": {optimization.Unattended, &first, going(first, operation.StatusRunning, noon), true},
		"one that succeeded":          {optimization.Applying, &first, going(first, operation.StatusSucceeded, noon), false},
		"one that failed":             {optimization.Applying, &first, going(first, operation.StatusFailed, noon), false},
		"one that waits no longer":    {optimization.Applying, &first, going(first, operation.StatusRunning, noon.Add(-optimization.BundleLife-time.Hour)), false},
		"one that has just begun":     {optimization.Applying, &second, going(first, operation.StatusSucceeded, noon), true},
		"the apply of a preview":      {optimization.Previewing, &first, optimization.Bundle{}, false},
	} {
		b := optimization.Bundle{Operation: operation.Operation{ID: operationID(1)}, BundleAccepted: optimization.BundleAccepted{Form: row.form}, UsedBy: row.usedBy}
		events, err := optimization.BeginRevert{By: operationID(4), Earlier: row.earlier, Now: noon}.Decide(b)
		if domain.IsRefused(err, domain.OperationInProgress) != row.refused || !row.refused && (err != nil || len(events) != 1) || row.refused && len(events) > 0 {
			t.Errorf("%s: got %v, %v", name, events, err)
		}
	}
}
