package http_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain/item"
)

// proves: decisions/7/workspaces decisions/7/semanticModels decisions/7/dataAgents
func TestWorkspaceLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	workspace := func(id uuid.UUID, name string) map[string]any {
		return map[string]any{"workspaceId": id.String(), "workspaceName": name}
	}
	for person, want := range map[string][]map[string]any{
		"ada": {workspace(finance, "Finance"), workspace(sales, "Sales")},
		"bob": {workspace(sales, "Sales")},
	} {
		if diff := cmp.Diff(want, w.get("/v1/workspaces", w.as(person)).ok(200).value()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", person, diff)
		}
	}
	model := func(id uuid.UUID, name string, maintained bool) map[string]any {
		return map[string]any{"semanticModelId": id.String(), "semanticModelName": name, "workspaceId": sales.String(), "maintainedByService": maintained}
	}
	want := []map[string]any{model(modelA, "Actuals", false), model(modelB, "Budget", false), model(modelC, "Costs", false), model(kept, "Usage Metrics", true)}
	if diff := cmp.Diff(want, w.get("/v1/workspaces/"+sales.String()+"/semanticModels", w.as("bob")).ok(200).value()); diff != "" {
		t.Errorf("semantic models (-want +got):\n%s", diff)
	}
	want = []map[string]any{{"dataAgentId": agent.String(), "dataAgentName": "Analyst", "workspaceId": sales.String(), "description": "answers"}}
	if diff := cmp.Diff(want, w.get("/v1/workspaces/"+sales.String()+"/dataAgents", w.as("bob")).ok(200).value()); diff != "" {
		t.Errorf("data agents (-want +got):\n%s", diff)
	}
	if got := w.get("/v1/workspaces/"+finance.String()+"/dataAgents", w.as("ada")).ok(200).value(); len(got) != 0 {
		t.Errorf("got %v, want an empty list", got)
	}
}

// Pages are ordered by name and id. Equal names, and workspaces that appear or disappear between two pages, neither
// repeat nor hide others.
//
// proves: decisions/2/paging-stable
func TestWorkspacesPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	w.cloud.workspaces = nil
	var want []string
	for i := range 12 {
		id := uuid.MustParse(fmt.Sprintf("cccccccc-0000-4000-8000-%012d", i))
		w.cloud.workspaces = append(w.cloud.workspaces, item.Workspace{ID: id, DisplayName: fmt.Sprint("Team ", i/4)})
		want = append(want, id.String())
	}
	slices.Reverse(w.cloud.workspaces)
	var got []string
	for address, page := w.base+"/v1/workspaces?maxResults=5", 0; address != ""; page++ {
		answer := w.get(address, ada).ok(200)
		for _, v := range answer.value() {
			got = append(got, v["workspaceId"].(string))
		}
		if page == 0 { // the last workspace seen disappears, and an earlier one appears
			w.cloud.workspaces = slices.DeleteFunc(w.cloud.workspaces, func(ws item.Workspace) bool { return ws.ID.String() == want[4] })
			w.cloud.workspaces = append(w.cloud.workspaces, item.Workspace{ID: nowhere, DisplayName: "A Team"})
		}
		address, _ = answer.body["continuationUri"].(string)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("workspaces (-want +got):\n%s", diff)
	}
	// When all later workspaces are gone, the page is empty and the last.
	first := w.get("/v1/workspaces?maxResults=1", ada).ok(200)
	w.cloud.workspaces = w.cloud.workspaces[:0]
	if answer := w.get(first.body["continuationUri"].(string), ada).ok(200); len(answer.value()) != 0 || answer.body["continuationUri"] != nil {
		t.Errorf("got %s, want an empty last page", answer.text)
	}
}
