package consoletest

import (
	"errors"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/test/testworld"
)

// AssessAll assesses every model that a person sees, and waits for the end. Of the samples, one model cannot be read, and the
// capacity of one workspace is paused.
func (w *World) AssessAll(account, person string) {
	w.t.Helper()
	api := w.API(account, person)
	workspaces, err := api.ListWorkspacesWithResponse(w.t.Context(), nil)
	testworld.Check(w.t, err)
	for _, workspace := range workspaces.JSON200.Value {
		models, err := api.ListSemanticModelsWithResponse(w.t.Context(), workspace.WorkspaceID, nil)
		testworld.Check(w.t, err)
		var ids []uuid.UUID
		for _, m := range models.JSON200.Value {
			ids = append(ids, m.SemanticModelID)
		}
		if len(ids) == 0 {
			continue
		}
		started, err := api.AssessSemanticModelsWithResponse(w.t.Context(), workspace.WorkspaceID, nil,
			client.BulkAssessRequest{SemanticModelIds: ids})
		if refused, ok := errors.AsType[*client.Error](err); ok && refused.ErrorCode == "CapacityPaused" {
			continue
		}
		testworld.Check(w.t, err)
		w.Ended(api, started.JSON202.OperationID)
	}
}

// ScoredByEarlierRules makes the results of models ones of 2026-12 in the views, as if they were from before an upgrade, because the
// rules that scored then are gone.
func (w *World) ScoredByEarlierRules(models ...string) {
	w.t.Helper()
	const old = `assessment = assessment || '{"regimeId": "2026-12", "comparableWithPrevious": false}'`
	for table, set := range map[string]string{"portfolio_v6": "regime = '2026-12', " + old,
		"portfolio_scores_v6": "regime = '2026-12'", "assessments_v6": old} {
		_, err := w.Pool.Exec(w.t.Context(), `UPDATE `+table+` SET `+set+` WHERE model_id IN
			(SELECT model_id FROM portfolio_v6 WHERE assessment ->> 'semanticModelName' = ANY($1))`, models)
		testworld.Check(w.t, err)
	}
}

// Ended carries an operation of the caller to its end: it reads its state whenever no step is left.
func (w *World) Ended(api *client.Service, operationID uuid.UUID) client.Operation {
	w.t.Helper()
	for range maxReads {
		w.Settled(w.t)
		got, err := api.GetOperationWithResponse(w.t.Context(), operationID, nil)
		testworld.Check(w.t, err)
		if got.JSON200.Ended() {
			return *got.JSON200
		}
	}
	w.t.Fatalf("operation %s does not end", operationID)
	return client.Operation{}
}

// maxReads is how often an operation is read that needs reads of its owner to continue.
const maxReads = 40

// WorkspaceID returns the id of the workspace with a name that ada of contoso sees.
func (w *World) WorkspaceID(name string) string {
	w.t.Helper()
	got, err := w.API("contoso", "ada").ListWorkspacesWithResponse(w.t.Context(), nil)
	testworld.Check(w.t, err)
	for _, workspace := range got.JSON200.Value {
		if workspace.WorkspaceName == name {
			return workspace.WorkspaceID.String()
		}
	}
	w.t.Fatalf("no workspace is named %s", name)
	return ""
}

// Assessed returns the model with a name that ada of contoso has assessed.
func (w *World) Assessed(name string) client.PortfolioModel {
	w.t.Helper()
	got, err := w.API("contoso", "ada").GetPortfolioWithResponse(w.t.Context(), &client.GetPortfolioParams{Q: &name})
	testworld.Check(w.t, err)
	if len(got.JSON200.Value) != 1 {
		w.t.Fatalf("%d models are named %s", len(got.JSON200.Value), name)
	}
	return got.JSON200.Value[0]
}
