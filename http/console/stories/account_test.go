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
		b.Shows("Add Pixies to 1\u00a0report?", "Inventory Monitor", "never added")
		h.Press(b, "Add them")
		b.Shows("Adding of Pixies", "Succeeded", "Inventory Monitor", "Added") // the page loads itself again until then
		h.Press(b, "Pixies")
		b.Shows("Pixies", "Reports with Pixies")
	})
}

// TestProve is the job of an auditor: see what is left of the plan, what one person did to one model, and find an event.
func TestProve(t *testing.T) {
	t.Parallel()
	chromium.Job(t, func(t *testing.T, b *chromium.Tab, w *consoletest.World, h chromium.Hand) {
		w.AssessAll("contoso", "ada")
		w.Seal()
		h.Press(b, "Administration")
		b.Shows("Administration", "What is used", "Licences")
		h.Press(b, "Log of events")
		b.Shows("Log of events", "Signed head", "Older events")
		h.Write(b, "Model, agent or report", "Headcount")
		h.Write(b, "Person", "ada")
		h.Press(b, "Show")
		b.Shows("Log of events", "assessment.accepted", "Show all")
		if b.Is(`[...document.querySelectorAll("tbody")].some((e) => e.innerText.includes("Retail Sales"))`) {
			t.Error("an event of another model is shown")
		}
		h.Press(b, "Show all")
		b.Shows("Log of events", "Older events")
		h.Write(b, "Type", "account.license-saved")
		h.Press(b, "Show")
		b.Shows("Log of events", "account.license-saved")
		if b.Is(`document.body.innerText.includes("account.opened")`) {
			t.Error("an event of another type is shown")
		}
		h.Press(b, "Show all")
		b.Shows("Log of events", "Older events")
	})
}

// TestMend is the job of a lead whose model cannot be read: assess everything, see which one and why, and find it by its name.
func TestMend(t *testing.T) {
	t.Parallel()
	chromium.Job(t, func(t *testing.T, b *chromium.Tab, _ *consoletest.World, h chromium.Hand) {
		b.Shows("Portfolio", "No model is assessed yet")
		h.Press(b, "Assess everything")
		b.Shows("Assessed", "8 assessed, 1 could not be read", "Budget Lines.tmdl:5:1", "Nothing was started in Seasonal Campaigns") // the page loads itself again until then
		h.Press(b, "Budget 2024")
		b.Shows("Budget 2024", "The last assessment failed:", "Budget Lines.tmdl:5:1", "It has no score")
		h.Press(b, "Portfolio")
		b.Shows("Portfolio", "1\u00a0model", "Retail Sales", "Budget 2024", "could not be read")
		h.Write(b, "Model or workspace", "budget")
		h.Press(b, "Show")
		b.Shows("Portfolio", "Budget 2024", "could not be read")
		if b.Is(`document.body.innerText.includes("Retail Sales")`) {
			t.Error("a model with another name is shown")
		}
	})
}

// TestLookAfter is the job of who takes a model over: say so, write down what the model does not say, and list what is theirs.
func TestLookAfter(t *testing.T) {
	t.Parallel()
	chromium.Job(t, func(t *testing.T, b *chromium.Tab, w *consoletest.World, h chromium.Hand) {
		w.AssessAll("contoso", "ada")
		b.GoTo("/")
		h.Press(b, "Retail Sales")
		b.Shows("Retail Sales", "nobody", "Nobody wrote a note yet.")
		h.Write(b, "Who looks after this model", "You")
		h.Press(b, "Set the owner")
		b.Shows("Retail Sales", "you · add a note")
		h.Write(b, "New note, for everyone in the account who sees the model", "The shops decide.")
		h.Press(b, "Add the note")
		b.Shows("Retail Sales", "1\u00a0note", "The shops decide.")
		h.Press(b, "Portfolio")
		b.Shows("Portfolio", "owner you", "crm_export")
		h.Write(b, "Owner", "You")
		h.Press(b, "Show")
		b.Shows("Portfolio", "Retail Sales", "owner you", "Show all")
		if b.Is(`document.body.innerText.includes("crm_export")`) {
			t.Error("a model that nobody looks after is shown")
		}
	})
}
