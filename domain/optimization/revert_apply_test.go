package optimization_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
)

func describe(name, previous, written string) []optimization.Write {
	return []optimization.Write{{Type: proposal.Description, Objects: []optimization.Object{object(proposal.Description, name, previous, written)}}}
}

// revertOf returns the writes of a revert of the apply by its account.
func revertOf(apply optimization.Work, modelID uuid.UUID, at time.Time, later []optimization.Work) ([]optimization.Write, error) {
	c := optimization.RevertApply{ApplyID: apply.Operation.ID, AccountID: apply.Operation.Account, ModelID: modelID, Now: at}
	return c.Writes(apply, later)
}

func TestRevertApply(t *testing.T) {
	t.Parallel()
	w := applied(t, operationID(1), optimization.Properties, twoWrites())
	writes, err := revertOf(w, model, noon, nil)
	if err != nil || len(writes) != 2 || writes[0].Type != proposal.DisplayFolder || writes[1].Type != proposal.SummarizeBy {
		t.Fatalf("the revert writes %v, %v; want folders, then defaults", writes, err)
	}
	revenue, cost := writes[0].Objects[0], writes[0].Objects[1]
	if revenue.Written != nil || *revenue.Previous != "Money" || *cost.Written != "Old" {
		t.Errorf("it writes %+v and %+v", revenue, cost)
	}
	if n := len(w.Undoing(writes[0].Objects)); n != 2 {
		t.Errorf("%d of 2 objects can be put back", n)
	}
}

// proves: 7.3/409-ItemChanged 7.2/ItemChanged
func TestRevertRefusals(t *testing.T) {
	t.Parallel()
	one := applied(t, operationID(1), optimization.Descriptions, describe("Revenue", "", "First."))
	other := uuid.MustParse("bbbbbbbb-0000-4000-8000-000000000002")
	reverted := one
	by := operationID(7)
	reverted.RevertedBy = &by
	failed := decide(t, optimization.Evolve, apply(t, operationID(1), optimization.Descriptions, describe("Revenue", "", "First.")),
		optimization.Fail{Failure: operation.Failure{Code: domain.ItemChanged}})
	later := applied(t, operationID(2), optimization.Descriptions, describe("Revenue", "First.", "Second."))
	elsewhere := applied(t, operationID(2), optimization.Descriptions, describe("Cost", "", "Second."))
	putBack := later
	putBack.Restored = map[string]bool{"Sales|Revenue": true}
	tests := map[string]struct {
		apply optimization.Work
		model uuid.UUID
		at    time.Time
		later []optimization.Work
		code  domain.Code // "" when it is allowed
		says  string
	}{
		"as it stands":                       {one, model, noon, nil, "", ""},
		"another model's":                    {one, other, noon, nil, domain.OperationNotFound, "is not an apply"},
		"unfinished":                         {apply(t, operationID(1), optimization.Descriptions, describe("Revenue", "", "First.")), model, noon, nil, domain.OperationInProgress, "has not ended"},
		"wrote nothing":                      {failed, model, noon, nil, domain.InvalidRequest, "wrote nothing"},
		"already reverted":                   {reverted, model, noon, nil, domain.InvalidRequest, by.String()},
		"a later apply on the object":        {one, model, noon, []optimization.Work{elsewhere, later}, domain.ItemChanged, operationID(2).String()},
		"a later apply on another object":    {one, model, noon, []optimization.Work{elsewhere}, "", ""},
		"a later apply that was put back":    {one, model, noon, []optimization.Work{putBack}, "", ""},
		"at the end of its thirty days":      {one, model, noon.Add(30 * 24 * time.Hour), nil, "", ""},
		"a second after its thirty days":     {one, model, noon.Add(30*24*time.Hour + time.Second), nil, domain.OperationExpired, "30 days"},
		"reverted, a later apply or not":     {reverted, model, noon, []optimization.Work{later}, domain.InvalidRequest, "already reverted"},
		"another model's, after thirty days": {one, other, noon.Add(31 * 24 * time.Hour), nil, domain.OperationNotFound, "is not an apply"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := revertOf(test.apply, test.model, test.at, test.later)
			if test.code != "" {
				refused(t, err, test.code, test.says)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// proves: 3.5/reverted 3.5/reverted-in-part
func TestPutBack(t *testing.T) {
	t.Parallel()
	evolve := optimization.Evolve
	w := applied(t, operationID(1), optimization.Properties, twoWrites())
	revert := func(id uuid.UUID, leave string, writes int) optimization.Work {
		t.Helper()
		all, err := revertOf(w, model, noon, nil)
		if err != nil {
			t.Fatal(err)
		}
		of := operationID(1)
		r := decide(t, evolve, optimization.Work{}, optimization.AcceptWrite{
			Operation: operation.Accepted{OperationID: id, Type: operation.RevertOptimization, Resource: operation.Resource{ItemID: &model}},
			Apply:     optimization.ApplyAccepted{Kind: optimization.Properties, Reverts: &of, Writes: all, Applies: len(all)},
		})
		for at := range min(writes, len(all)) {
			r = decide(t, evolve, r, optimization.StartWrite{})
			r = land(t, intend(t, r, at, leave), at)
		}
		if !r.Operation.Status.Ended() {
			r = decide(t, evolve, r, optimization.Fail{Failure: operation.Failure{Code: domain.PlatformUnavailable}})
		}
		return r
	}

	first := revert(operationID(2), "Cost", 1)
	if first.Operation.Status != operation.StatusSucceeded {
		t.Fatalf("a revert that put something back is %s", first.Operation.Status)
	}
	w = decide(t, evolve, w, optimization.PutObjectsBack{Revert: first})
	if w.Standing() != optimization.Applied || w.RevertedBy != nil {
		t.Error("an apply that was put back in part does not stand as Applied")
	}
	if events, err := (optimization.PutObjectsBack{Revert: first}).Decide(w); err != nil || events != nil {
		t.Errorf("it was put back again: %v, %v", events, err)
	}
	left, err := revertOf(w, model, noon, nil)
	if err != nil || len(left) != 2 || len(left[0].Objects) != 1 || left[0].Objects[0].Object != "Cost" {
		t.Fatalf("a second revert writes %v, %v; want what is left", left, err)
	}
	second := revert(operationID(3), "", 2)
	w = decide(t, evolve, w, optimization.PutObjectsBack{Revert: second})
	if w.Standing() != optimization.Reverted || *w.RevertedBy != operationID(3) {
		t.Errorf("the apply stands as %s by %v", w.Standing(), w.RevertedBy)
	}
	_, err = revertOf(w, model, noon, nil)
	refused(t, err, domain.InvalidRequest, "already reverted")
}
