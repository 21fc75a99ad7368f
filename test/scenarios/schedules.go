package scenarios

import (
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"readiness/projections"
)

func scheduleCommands() map[string]command {
	return map[string]command{"due": plain(0, due), "ended": plain(1, ended)}
}

// due starts schedules that are due.
func due(ts *testscript.TestScript, w *Service, _ []string) {
	ts.Check(w.Work.StartDue(w.T.Context()))
}

// ended waits until the caller's account has that many operations and all have ended.
func ended(ts *testscript.TestScript, w *Service, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	within(ts, args[0]+" operations have ended", func() bool {
		all, err := w.Views.Operations(w.T.Context(), projections.OperationsQuery{AccountID: w.caller.account.AccountID, Limit: n + 1})
		ts.Check(err)
		if len(all) > n {
			ts.Fatalf("there are more than %d operations: %+v", n, all)
		}
		for _, o := range all {
			if !o.Status.Ended() {
				return false
			}
		}
		return len(all) == n
	})
}
