package screens_test

import (
	"testing"
	"time"

	"readiness/client"
	"readiness/test/consoletest"
	"readiness/test/testworld"
)

// live gives a new world forty days of history: models are assessed every ten days, two of them are improved in between, and
// someone adds a table to a third.
func live(t *testing.T, w *consoletest.World) {
	t.Helper()
	now := w.Now()
	for i, change := range []func(){
		func() {},
		func() { improve(t, w, "Store Operations", "descriptions") },
		func() { improve(t, w, "Retail Sales", "descriptions") },
		func() {
			w.Write(t, "table tbl_Export\n\n\tcolumn c_1\n\t\tdataType: string\n\n\tcolumn c_2\n\t\tdataType: double\n",
				"Corporate Functions", "Support Tickets.SemanticModel", "definition", "tables", "tbl_Export.tmdl")
			improve(t, w, "Store Operations", "properties", "aiInstructions", "aiDataSchema")
		},
	} {
		w.Clock.Set(now.AddDate(0, 0, 10*(i-4)))
		change()
		w.Clock.Advance(time.Hour)
		w.AssessAll("contoso", "ada")
	}
	w.Clock.Set(now)
}

// improve writes what the service proposes of some kinds for a model.
func improve(t *testing.T, w *consoletest.World, model string, kinds ...string) {
	t.Helper()
	api := w.API("contoso", "ada")
	m := w.Assessed(model)
	started, err := api.OptimizeWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, nil,
		client.OptimizeRequest{Approval: "none", Kinds: kinds})
	testworld.Check(t, err)
	w.Ended(api, started.JSON202.OperationID)
}
