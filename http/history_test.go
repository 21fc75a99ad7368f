package http_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
)

// The history has every stored assessment, newest first, with the writes that succeeded before it.
//
// proves: decisions/17/history
func TestHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	path := modelPath(modelA) + "/history"
	if got := w.get(path, ada).ok(200); len(got.value()) != 0 {
		t.Errorf("got %s", got.text)
	}
	old := w.scored("ada", modelA, 3, 60, "2026-12")
	var writes []string
	for i, of := range []operation.Type{operation.ApplyOptimization, operation.RevertOptimization, operation.PreviewOptimization, operation.ApplyOptimization,
		operation.ApplyOptimization} {
		id := uuid.New()
		if i < 2 {
			writes = append(writes, id.String())
		}
		end := domain.Event(operation.Succeeded{})
		if i == 3 {
			end = operation.Failed{Failure: operation.Failure{Code: domain.ItemChanged}}
		}
		wrote := []domain.Event{optimization.WriteLanded{}}
		if i == 4 { // it succeeds, and there was nothing to write
			wrote = nil
		}
		w.happened("acme", operation.Stream(id), append(append([]domain.Event{operation.Accepted{
			OperationID: id, AccountID: "acme", Type: of, Resource: operation.Resource{WorkspaceID: sales, ItemID: new(modelA), ItemType: item.SemanticModel},
		}}, wrote...), end)...)
	}
	if got := w.get(path, ada).ok(200).body["writes"].([]any); len(got) != 2 || got[0].(map[string]any)["operationId"] != writes[0] {
		t.Errorf("the writes after the newest assessment: got %v", got)
	}
	w.ahead(time.Hour) // the database's clock stamped the writes
	id := w.assess("ada", modelA)
	score := 86
	newest := w.assessedAs("acme", id, modelA, assessment.Assessment{RegimeID: "2026-12", Score: &score})
	w.ahead(0)
	if got := w.get(path, ada).ok(200).body; got["writes"] != nil || got["failure"] != nil {
		t.Errorf("after the newest assessment: got %v", got)
	}
	got := w.get(path, ada).ok(200).value()
	if len(got) != 2 || got[0]["assessmentId"] != newest.String() || got[1]["assessmentId"] != old.String() {
		t.Fatalf("got %v", got)
	}
	var listed []string
	for _, v := range got[0]["writes"].([]any) {
		listed = append(listed, v.(map[string]any)["operationId"].(string))
	}
	if diff := cmp.Diff(writes, listed); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	if len(got[1]["writes"].([]any)) != 0 || got[1]["comparableWithPrevious"] != false || got[0]["comparableWithPrevious"] != true || got[0]["score"] != 86.0 || got[0]["dimensions"] != nil ||
		!cmp.Equal(got[1]["dimensions"], map[string]any{"naming": 60.0, "time": nil}) {
		t.Errorf("got %v", got)
	}
	var pages []string
	for address := w.base + path + "?maxResults=1"; address != ""; {
		page := w.get(address, ada).ok(200)
		pages = append(pages, page.value()[0]["assessmentId"].(string))
		address, _ = page.body["continuationUri"].(string)
	}
	if diff := cmp.Diff([]string{newest.String(), old.String()}, pages); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	w.get(modelPath(nowhere)+"/history", ada).refused(404, domain.ItemNotFound)
	if got := w.get(path, w.as("oscar")).ok(200).value(); len(got) != 0 {
		t.Errorf("another account: got %v", got)
	}
}
