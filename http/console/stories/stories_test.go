package stories_test

import (
	"testing"

	"readiness/http/console/consoletest"
)

// TestLead is the weekly job of a lead: sign in, assess models for the first time, see which is worst and what is wrong with
// it. It is done in each way.
func TestLead(t *testing.T) {
	t.Parallel()
	path, ok := found(t)
	if !ok {
		return
	}
	for name, y := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, w := y.start(t, path)
			b.goTo("/")
			y.signIn(b)
			b.shows("Portfolio", "No model is assessed yet")
			y.hand.press(b, "Assess models")
			b.shows("Assess models")
			b.goTo("/assess?workspaceId=" + workspace(t, w, "Retail Analytics"))
			y.hand.press(b, "Retail Sales")
			y.hand.press(b, "Assess")
			b.shows("Assessed", "Succeeded") // the page loads itself again until then
			y.hand.press(b, "Go to the portfolio")
			b.shows("Portfolio", "Where we stand", "Retail Sales")
			y.hand.press(b, "Retail Sales")
			b.shows("Retail Sales", "Dimensions", "Findings, by rule", "Reports on this model")
			y.hand.press(b, "Sign out")
			b.shows("Sign in")
			b.goTo("/")
			b.shows("Sign in")
			b.quiet()
		})
	}
}

// workspace returns the id of a workspace of the samples.
func workspace(t *testing.T, w *consoletest.World, name string) string {
	t.Helper()
	got, err := w.API("contoso", "ada").ListWorkspacesWithResponse(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, workspace := range got.JSON200.Value {
		if workspace.WorkspaceName == name {
			return workspace.WorkspaceID.String()
		}
	}
	t.Fatalf("the samples have no workspace %s", name)
	return ""
}
