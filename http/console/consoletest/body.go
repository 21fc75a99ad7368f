package consoletest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/internal/testworld"
)

func decompressed(t testing.TB, res *http.Response, sent []byte) string {
	t.Helper()
	if res.Header.Get("Content-Encoding") != "gzip" {
		return string(sent)
	}
	z, err := gzip.NewReader(bytes.NewReader(sent))
	testworld.Check(t, err)
	text, err := io.ReadAll(z)
	testworld.Check(t, err)
	return string(text)
}

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

// Ended waits for the end of an operation.
func (w *World) Ended(api *client.Service, operationID uuid.UUID) client.Operation {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	ended, err := api.Wait(ctx, operationID)
	testworld.Check(w.t, err)
	return ended
}
