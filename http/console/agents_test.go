package console_test

import (
	"net/http"
	"strings"
	"testing"

	"readiness/test/consoletest"
)

// TestAgentsOfModel names the data agents of the workspace that read a model, once they are assessed, and to no one who does not see them.
func TestAgentsOfModel(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	api, ada := w.API("contoso", "ada"), w.As("contoso", "ada")
	workspace, model := modelOf(t, api, "Retail Sales")
	_, other := modelOf(t, api, "Store Operations")
	at := "/models/" + workspace.String() + "/"
	const unknown = "it is not known what they read: <bdi>Sales Assistant</bdi>"
	for _, id := range []string{model.String(), other.String()} {
		want(t, ada.Get(at+id), http.StatusOK, "No assessed data agent of this workspace reads the model.", unknown)
	}
	listed, err := api.ListDataAgentsWithResponse(t.Context(), workspace, nil)
	if err != nil || len(listed.JSON200.Value) != 1 {
		t.Fatalf("got %v, %v", listed, err)
	}
	started, err := api.AssessDataAgentWithResponse(t.Context(), workspace, listed.JSON200.Value[0].DataAgentID, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Ended(api, started.JSON202.OperationID)
	got := ada.Get(at + model.String())
	want(t, got, http.StatusOK, `<th scope="row"><bdi>Sales Assistant</bdi></th>`, "part of its score", "published")
	ada.CheckPage(got)
	if strings.Contains(got.Body, unknown) {
		t.Error("an assessed agent is listed as not assessed")
	}
	want(t, ada.Get(at+other.String()), http.StatusOK, "No assessed data agent of this workspace reads the model.")
	if got := w.As("fabrikam", "margaret").Get(at + model.String()); strings.Contains(got.Body, "part of its score") {
		t.Errorf("another account sees the agent's assessment: %s", got.Body)
	}
}
