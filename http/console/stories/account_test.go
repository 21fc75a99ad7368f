package stories_test

import (
	"testing"

	"readiness/test/consoletest"
	"readiness/test/consoletest/chromium"
)

// TestWatch is the job of someone who wants to know which reports are viewed: add Pixies to a report, and open its page.
func TestWatch(t *testing.T) {
	t.Parallel()
	chromium.Job(t, func(t *testing.T, b *chromium.Tab, w *consoletest.World, h chromium.Hand) {
		b.GoTo("/pixies?workspaceId=" + w.WorkspaceID("Retail Analytics"))
		b.Shows("Pixies", "Reports with Pixies", "Inventory Monitor")
		h.Press(b, "Remove Pixies")
		b.Shows("No report is chosen")
		h.Press(b, "Choose reports")
		b.Shows("Pixies", "Inventory Monitor")
		h.Press(b, "Inventory Monitor")
		b.Shows("Inventory Monitor", "Without Pixies, views are not counted.")
		h.Press(b, "Add Pixies")
		b.Shows("Adding of Pixies", "Succeeded") // the page loads itself again until then
		h.Press(b, "Pixies")
		b.Shows("Pixies", "Reports with Pixies")
	})
}

// TestProve is the job of an auditor: see what is left of the plan, find an event, and follow its stream.
func TestProve(t *testing.T) {
	t.Parallel()
	chromium.Job(t, func(t *testing.T, b *chromium.Tab, w *consoletest.World, h chromium.Hand) {
		w.Seal()
		h.Press(b, "Administration")
		b.Shows("Administration", "What is used", "Licences")
		h.Press(b, "Log of events")
		b.Shows("Log of events", "Signed head", "account.opened")
		h.Write(b, "Type", "account.license-saved")
		h.Press(b, "Show")
		b.Shows("Log of events", "account.license-saved")
		if b.Is(`document.body.innerText.includes("account.opened")`) {
			t.Error("an event of another type is shown")
		}
		h.Press(b, "Show all")
		b.Shows("Log of events", "account.opened")
	})
}
