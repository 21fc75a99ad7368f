package stories_test

import (
	"testing"

	"readiness/http/console/consoletest"
)

// TestLead is the weekly job of a lead: sign in, assess models for the first time, see which is worst and what is wrong with
// it. It is done by mouse, by keyboard alone, and with script off.
func TestLead(t *testing.T) {
	t.Parallel()
	path, ok := found(t)
	if !ok {
		return
	}
	for name, how := range hands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := consoletest.Start(t, consoletest.Options{})
			b := newTab(t, w, path)
			if how.scriptOff {
				b.scriptOff()
			}
			b.goTo("/")
			b.shows("Sign in", "This is a trial")
			how.hand.press(b, "ada")
			b.shows("Portfolio", "No model is assessed yet")
			how.hand.press(b, "Assess models")
			b.shows("Assess models")
			b.goTo("/assess?workspaceId=" + workspace(t, w, "Retail Analytics"))
			how.hand.press(b, "Retail Sales")
			how.hand.press(b, "Assess")
			b.shows("Assessed", "Succeeded") // the page loads itself again until then
			how.hand.press(b, "Go to the portfolio")
			b.shows("Portfolio", "Where we stand", "Retail Sales")
			how.hand.press(b, "Retail Sales")
			b.shows("Retail Sales", "Dimensions", "Findings, by rule", "Reports on this model")
			how.hand.press(b, "Sign out")
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
