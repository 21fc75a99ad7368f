package pixies_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/pixies"
)

func TestCheckCount(t *testing.T) {
	t.Parallel()
	for reports, ok := range map[int]bool{0: false, 1: true, pixies.MaxReports: true, pixies.MaxReports + 1: false} {
		if err := pixies.CheckCount(reports); (err == nil) != ok || err != nil && !domain.IsRefused(err, domain.InvalidRequest) {
			t.Errorf("%d reports: got %v", reports, err)
		}
	}
}

// Only a run that adds Pixies has a setup and a license.
func TestAddAndRemovePixies(t *testing.T) {
	t.Parallel()
	op, run := operation.Accepted{OperationID: id(1)}, pixies.RunAccepted{Single: true, KeepCopies: true}
	setup := pixies.Setup{CollectorBaseURL: "https://collector"}
	add := pixies.AddPixies{Operation: op, Run: run, Setup: setup, License: "l"}
	added, removed := run, run
	added.Verb, added.Setup, added.License, removed.Verb = pixies.Adds, &setup, "l", pixies.Removes
	for _, c := range []struct {
		command domain.Command[pixies.Run]
		kind    operation.Type
		want    pixies.RunAccepted
	}{{add, operation.AddPixies, added}, {pixies.RemovePixies{Operation: op, Run: run}, operation.RemovePixies, removed}} {
		got, err := c.command.Decide(pixies.Run{})
		if err != nil {
			t.Fatal(err)
		}
		want := []domain.Event{operation.Accepted{OperationID: id(1), Type: c.kind}, c.want}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.kind, d)
		}
	}
}
