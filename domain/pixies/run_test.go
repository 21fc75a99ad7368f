package pixies_test

import (
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/pixies"
)

// run returns an accepted run over n reports, announcing that all of them become
// tracked items.
func run(t *testing.T, verb pixies.Verb, single bool, n int) pixies.Run {
	t.Helper()
	accepted := pixies.RunAccepted{Single: single}
	for i := range n {
		accepted.Reports = append(accepted.Reports, pixies.Named{ReportID: id(byte(10 + i))})
	}
	op := operation.Accepted{OperationID: id(1)}
	if verb == pixies.Removes {
		return decide(t, pixies.EvolveRun, pixies.Run{}, pixies.RemovePixies{Operation: op, Run: accepted})
	}
	op.Impact = pixies.Impact(single, n)
	return decide(t, pixies.EvolveRun, pixies.Run{}, pixies.AddPixies{Operation: op, Run: accepted})
}

func end(t *testing.T, r pixies.Run, n byte, tracked bool, code domain.Code) pixies.Run {
	t.Helper()
	reportID := id(10 + n)
	if code == "" {
		r = decide(t, pixies.EvolveRun, r, pixies.Intend{Intended: pixies.ChangeIntended{ReportID: reportID, TrackedItem: tracked}})
	}
	e := pixies.ReportEnded{ReportID: reportID, Outcome: pixies.OutcomeAdded}
	if code != "" {
		e.Outcome, e.Error = pixies.OutcomeFailed, &operation.Failure{Code: code, Message: "no"}
	}
	return decide(t, pixies.EvolveRun, r, pixies.EndReport{Ended: e})
}

// proves: 3.1/pixies-succeeded 3.1/pixies-failed 4.7/bulk/4
func TestARunEndsWithItsLastReport(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		codes []domain.Code
		want  operation.Status
		code  domain.Code
	}{
		"all changed":  {[]domain.Code{"", ""}, operation.StatusSucceeded, ""},
		"one changed":  {[]domain.Code{domain.ItemNotReadable, ""}, operation.StatusSucceeded, ""},
		"none changed": {[]domain.Code{domain.ItemNotReadable, domain.ItemNotFound}, operation.StatusFailed, domain.AddPixiesFailed},
	} {
		r := run(t, pixies.Adds, false, 2)
		r = end(t, r, 0, true, test.codes[0])
		if r.Operation.Status.Ended() || r.Operation.Percent != 50 {
			t.Errorf("%s: after one of two reports it is %s, %d %%", name, r.Operation.Status, r.Operation.Percent)
		}
		r = end(t, r, 1, true, test.codes[1])
		if r.Operation.Status != test.want || test.code != "" && r.Operation.Failure.Code != test.code {
			t.Errorf("%s: it is %s with %v", name, r.Operation.Status, r.Operation.Failure)
		}
		if events, err := (pixies.EndReport{Ended: pixies.ReportEnded{ReportID: id(10)}}).Decide(r); err != nil || events != nil {
			t.Errorf("%s: a report ended twice: %v, %v", name, events, err)
		}
	}
}

// The recorded impact is corrected to the reports that became tracked items.
func TestImpactIsCorrected(t *testing.T) {
	t.Parallel()
	r := run(t, pixies.Adds, false, 3)
	r = end(t, end(t, end(t, r, 0, true, ""), 1, false, ""), 2, false, domain.ItemNotReadable)
	if n := *r.Operation.Impact.TrackedItems; n != 1 || r.Operation.Impact.TrackedItem != nil {
		t.Errorf("%d reports became tracked items, want 1", n)
	}
	single := end(t, run(t, pixies.Adds, true, 1), 0, false, domain.CapacityPaused)
	if single.Operation.Status != operation.StatusFailed || single.Operation.Failure.Code != domain.CapacityPaused || *single.Operation.Impact.TrackedItem {
		t.Errorf("a single add that failed is %s: %+v", single.Operation.Status, single.Operation.Impact)
	}
	removal := end(t, run(t, pixies.Removes, true, 1), 0, false, domain.ItemNotFound)
	if removal.Operation.Impact != (operation.Impact{}) {
		t.Errorf("a removal spends %+v", removal.Operation.Impact)
	}
}

func TestOperationCode(t *testing.T) {
	t.Parallel()
	for code, want := range map[domain.Code][2]domain.Code{
		domain.ItemNotReadable:                {domain.ItemNotReadable, domain.ItemNotReadable},
		domain.WorkspaceNotFound:              {domain.ItemNotFound, domain.ItemNotFound},
		domain.PlatformConsentRequired:        {domain.PlatformAccessDenied, domain.PlatformAccessDenied},
		domain.LicenseTrackedItemLimitReached: {domain.TrackedItemLimitReached, domain.TrackedItemLimitReached},
		domain.InvalidRequest:                 {domain.AddPixiesFailed, domain.RemovePixiesFailed},
		"":                                    {domain.AddPixiesFailed, domain.RemovePixiesFailed},
	} {
		if got := [2]domain.Code{pixies.Adds.OperationCode(code), pixies.Removes.OperationCode(code)}; got != want {
			t.Errorf("%q fails as %v, want %v", code, got, want)
		}
	}
	if _, known := (pixies.Run{}).Report(uuid.Nil); known {
		t.Error("an empty run knows a report")
	}
}
