package optimization_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
)

// An apply of ten thousand objects is recorded in events of less than a mebibyte each,
// which fold to the same apply. So is its revert.
func TestAnApplyOfManyObjects(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	name := func(i int) string { return fmt.Sprintf("%s <%d>", strings.Repeat("<&>", 10), i) } // each takes six bytes in JSON
	var folders, defaults []optimization.Object
	for i := range 5_000 {
		folders = append(folders, object(proposal.DisplayFolder, name(i), "Old", "Money"))
		defaults = append(defaults, object(proposal.SummarizeBy, name(5_000+i), "", "none"))
	}
	writes := []optimization.Write{{Type: proposal.DisplayFolder, Objects: folders}, {Type: proposal.SummarizeBy, Objects: defaults}}
	var skipped []optimization.Skip
	for i := range 10_000 {
		skipped = append(skipped, optimization.Skip{Key: "Sales|" + name(i), Reason: "NothingProposed", Message: "no idea"})
	}
	fold := func(w optimization.Work, command domain.Command[optimization.Work]) optimization.Work {
		t.Helper()
		events, err := command.Decide(w)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			data, err := json.Marshal(e)
			if err != nil || len(data) > most {
				t.Fatalf("%s has %d bytes, %v", e.EventType(), len(data), err)
			}
			w = optimization.Evolve(w, e)
		}
		return w
	}
	w := fold(optimization.Work{}, optimization.AcceptWrite{
		Operation: operation.Accepted{OperationID: operationID(1), Type: operation.ApplyOptimization, Resource: operation.Resource{ItemID: &model}},
		Apply:     optimization.ApplyAccepted{Kind: optimization.Properties, Writes: writes, Applies: 2},
	})
	if d := cmp.Diff(writes, w.Writes); d != "" {
		t.Fatalf("the writes (-want +got):\n%s", d[:min(len(d), 1000)])
	}
	unattended := fold(optimization.Work{}, optimization.AcceptWrite{
		Operation: operation.Accepted{OperationID: operationID(2), Type: operation.ApplyOptimization, Resource: operation.Resource{ItemID: &model}},
		Apply:     optimization.ApplyAccepted{Kind: optimization.Properties, Unattended: true, Applies: 2},
	})
	unattended = fold(unattended, optimization.RecordProposal{Proposed: optimization.Proposed{DocumentHash: "sha256:1", Writes: writes, Skipped: skipped}, At: noon})
	if !cmp.Equal(writes, unattended.Writes) || !cmp.Equal(skipped, unattended.LeftOut()) || len(unattended.Progress) != 2 {
		t.Fatalf("unattended there are %d writes and %d skipped", len(unattended.Writes), len(unattended.LeftOut()))
	}
	for at, write := range writes {
		intended := optimization.WriteIntended{Write: at, DefinitionHash: "sha256:1"}
		for _, o := range write.Objects {
			intended.Undo = append(intended.Undo, rewrite.Undo{
				Target: o.Target(), Written: *o.Written, Lines: o.Previous, Created: []string{"Copilot/schema.json", "Copilot/version.json"},
				Made: map[string]string{"tables": "", "table": "", "list": "", "field": ""},
			})
		}
		if at > 0 {
			w = fold(w, optimization.StartWrite{})
		}
		w = fold(fold(w, optimization.Intend{Intended: intended}), optimization.Intend{Intended: intended})
		if d := cmp.Diff(&intended, w.Progress[at].Intended); d != "" {
			t.Fatalf("the intent (-want +got):\n%s", d[:min(len(d), 1000)])
		}
		w = fold(w, optimization.Land{Write: at, At: noon})
	}
	revert := w
	revert.Operation.ID = operationID(3)
	if w = fold(w, optimization.PutObjectsBack{Revert: revert}); len(w.Restored) != 10_000 || w.RevertedBy == nil || *w.RevertedBy != operationID(3) {
		t.Errorf("%d objects are put back, by %v", len(w.Restored), w.RevertedBy)
	}
}
