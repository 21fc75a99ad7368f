package stories_test

import (
	"testing"

	"readiness/test/consoletest"
	"readiness/test/consoletest/chromium"
)

// TestLead is the weekly job of a lead: sign in, assess models for the first time, see which is worst and what is wrong with it.
func TestLead(t *testing.T) {
	t.Parallel()
	chromium.Job(t, func(_ *testing.T, b *chromium.Tab, w *consoletest.World, h chromium.Hand) {
		b.Shows("Portfolio", "No model is assessed yet")
		h.Press(b, "Assess models")
		b.Shows("Assess models")
		b.GoTo("/assess?workspaceId=" + w.WorkspaceID("Retail Analytics"))
		h.Press(b, "Retail Sales")
		h.Press(b, "Assess")
		b.Shows("Assessed", "Succeeded") // the page loads itself again until then
		h.Press(b, "Go to the portfolio")
		b.Shows("Portfolio", "Where we stand", "Retail Sales")
		h.Press(b, "Retail Sales")
		b.Shows("Retail Sales", "Dimensions", "Findings, by rule", "Reports on this model")
		h.Press(b, "Sign out")
		b.Shows("Sign in")
		b.GoTo("/")
		b.Shows("Sign in")
	})
}
