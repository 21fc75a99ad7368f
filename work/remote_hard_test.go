//go:build hard

package work_test

import (
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/platform/fabric/emulator"
	"readiness/work"
)

// TestHardRemoteWritesCutOff ends a process at 200 random calls of writes and reverts, on a platform that also loses
// answers, fails and blocks. Each write is made or not made at all, the record says which, and each revert restores the
// definition that was read before.
func TestHardRemoteWritesCutOff(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	faults := []emulator.Fault{
		{Path: "updateDefinition", Lost: true}, {Path: "updateDefinition", Answer: emulator.Lost}, {Path: "getDefinition", Answer: emulator.Lost},
		{Path: "updateDefinition", Answer: emulator.Error(http.StatusServiceUnavailable, "InternalServerError", "oops")},
		{Path: "getDefinition", Answer: emulator.Error(http.StatusTooManyRequests, "RequestBlocked", "blocked")},
		{Method: http.MethodGet, Path: "operations", Lost: true}, {Method: http.MethodGet, Path: "result", Answer: emulator.Lost},
	}
	kinds := []optimization.Kind{optimization.Descriptions, optimization.AIInstructions, optimization.AIDataSchema}
	kills, ended := 0, 0
	for kills < 200 {
		r := newRemote(t, emulator.Layout{CRLF: random.IntN(2) == 0, CompactJSON: random.IntN(2) == 0, TrimMarkdown: random.IntN(2) == 0})
		before := r.model(t)
		p := r.preview(t, kinds[random.IntN(len(kinds))])
		cut := func(id uuid.UUID) {
			step := r.optimize[0]
			for range 1 + random.IntN(3) {
				r.service.Script(faults[random.IntN(len(faults))])
				s := &strike{at: 1 + random.IntN(12), after: random.IntN(2) == 0}
				o := r.Work
				o.Platform = r.client(t, s)
				_ = work.CarryOptimize(t.Context(), o, step, 0) // its outcome is in the log
				if s.struck() {
					kills++
				}
			}
			for attempt := 0; r.operation(t, id).Status != operation.StatusSucceeded; attempt++ {
				if s := r.operation(t, id); attempt == 20 || s.Status == operation.StatusFailed {
					t.Fatalf("after %d kills operation %s is %s: %+v", kills, id, s.Status, s.Failure)
				}
				_ = work.CarryOptimize(t.Context(), r.Work, step, 0) // a fault that is left
			}
			r.optimize = nil
			ended++
			for range 20 { // uses up the faults that are left
				_, err := r.Work.Platform.Definition(t.Context(), r.ana().Caller, item.Item{ID: good, Type: item.SemanticModel, WorkspaceID: workspace})
				if err == nil {
					break
				}
			}
		}
		id := r.apply(t, p)
		cut(id)
		w := r.work(t, id)
		r.asWritten(t, w, len(w.Writes[0].Objects)-len(w.LeftOut()))
		undo := r.revert(t, id)
		cut(undo)
		if got := r.model(t); got.Hash() != before.Hash() {
			t.Fatalf("after %d kills a revert of %s restores another definition", kills, p.Kind)
		}
	}
	t.Logf("%d kills, %d applies and reverts", kills, ended)
}
