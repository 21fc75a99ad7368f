package stories_test

import (
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"readiness/client"
	"readiness/http/console/consoletest"
	"readiness/internal/testworld"
)

// TestWatch is the job of someone who wants to know which reports are viewed: add Pixies to a report, and open its page.
func TestWatch(t *testing.T) {
	t.Parallel()
	job(t, func(t *testing.T, b *tab, w *consoletest.World, h hand) {
		b.goTo("/pixies?workspaceId=" + workspace(t, w, "Retail Analytics"))
		b.shows("Pixies", "Reports with Pixies", "Inventory Monitor")
		h.press(b, "Remove Pixies")
		b.shows("No report is chosen")
		h.press(b, "Choose reports")
		b.shows("Pixies", "Inventory Monitor")
		h.press(b, "Inventory Monitor")
		b.shows("Inventory Monitor", "Without Pixies, views are not counted.")
		h.press(b, "Add Pixies")
		b.shows("Adding of Pixies", "Succeeded") // the page loads itself again until then
		h.press(b, "Pixies")
		b.shows("Pixies", "Reports with Pixies")
	})
}

// TestProve is the job of an auditor: see what is left of the plan, find an event, and follow its stream.
func TestProve(t *testing.T) {
	t.Parallel()
	job(t, func(t *testing.T, b *tab, w *consoletest.World, h hand) {
		w.Seal()
		h.press(b, "Administration")
		b.shows("Administration", "What is used", "Licences")
		h.press(b, "Log of events")
		b.shows("Log of events", "Checkpoint", "account.opened")
		h.write(b, "Type", "account.license-saved")
		h.press(b, "Show")
		b.shows("Log of events", "account.license-saved")
		if b.is(`document.body.innerText.includes("account.opened")`) {
			t.Error("an event of another type is shown")
		}
		h.press(b, "Show all")
		b.shows("Log of events", "account.opened")
	})
}

// TestApplyThroughSleep applies every kind of proposals of a model, which needs reads of the person in between, while the page of the
// operation sleeps: after it wakes, it carries the operation to its end. It does so over the folder and over the emulator.
func TestApplyThroughSleep(t *testing.T) {
	t.Parallel()
	path, ok := found(t)
	if !ok {
		return
	}
	for _, name := range []string{"mouse", "emulator"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, w := ways[name].start(t, path)
			b.goTo("/")
			ways[name].signIn(b)
			w.AssessAll("contoso", "ada")
			sleepThrough(t, b, w)
			b.quiet()
		})
	}
}

func sleepThrough(t *testing.T, b *tab, w *consoletest.World) {
	t.Helper()
	api := w.API("contoso", "ada")
	got, err := api.GetPortfolioWithResponse(t.Context(), &client.GetPortfolioParams{Q: new("Store Operations")})
	testworld.Check(t, err)
	m := got.JSON200.Value[0]
	started, err := api.OptimizeWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, nil, client.OptimizeRequest{Approval: "none"})
	testworld.Check(t, err)
	b.goTo("/operations/" + started.JSON202.OperationID.String())
	b.run("sleep", page.SetWebLifecycleState(page.SetWebLifecycleStateStateFrozen))
	for o, err := range w.API("contoso", "grace").States(t.Context(), started.JSON202.OperationID) { // a colleague's reads do not advance the operation
		testworld.Check(t, err)
		if o.Ended() {
			t.Fatalf("the operation ended although its owner did not read it: %s", o.Status)
		}
		if o.WaitingFor != nil {
			break
		}
	}
	b.run("wake", page.SetWebLifecycleState(page.SetWebLifecycleStateStateActive))
	b.run("it ends", chromedp.WaitVisible(`//main//*[contains(., "Succeeded")]`, chromedp.BySearch))
}
