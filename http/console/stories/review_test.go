package stories_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"readiness/client"
	"readiness/http/console/consoletest"
)

// TestReviewKeys decides by the keys of a change, and keeps a text that is being typed through a reload.
func TestReviewKeys(t *testing.T) {
	t.Parallel()
	path, ok := found(t)
	if !ok {
		return
	}
	b, w := opened(t, path, consoletest.Options{})
	api := w.API("contoso", "ada")
	got, err := api.GetPortfolioWithResponse(t.Context(), &client.GetPortfolioParams{Q: new("Store Operations")})
	if err != nil || len(got.JSON200.Value) != 1 {
		t.Fatalf("got %v, %v", got, err)
	}
	m := got.JSON200.Value[0]
	started, err := api.PreviewOptimizationWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, "descriptions", nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Ended(api, started.JSON202.OperationID)
	const heading = "Review: Descriptions of Store Operations"
	b.goTo("/previews/" + started.JSON202.OperationID.String())
	b.shows(heading, "0 accepted")
	b.run("focus a change", chromedp.Focus("#c0", chromedp.ByQuery))
	b.run("accept it", chromedp.KeyEvent("a"))
	b.shows(heading, "1 accepted")
	b.focuses("c1")
	b.run("reject it", chromedp.KeyEvent("r"))
	b.shows(heading, "1 rejected")
	b.focuses("c2")
	b.run("edit the next one", chromedp.KeyEvent("e"))
	b.focuses("t2")
	b.run("type", chromedp.KeyEvent("are"), chromedp.Reload())
	b.shows(heading, "1 accepted", "1 rejected")
	b.run("the text is open", chromedp.WaitVisible("#t2", chromedp.ByQuery))
	if !b.is(`document.getElementById("t2").value.includes("are")`) {
		t.Error("the typed text is lost")
	}
	b.quiet()
}

// TestApprove is the job of an approver: decide about changes, see what the accepted ones would give, apply them, and revert what was
// written.
func TestApprove(t *testing.T) {
	t.Parallel()
	job(t, func(t *testing.T, b *tab, w *consoletest.World, h hand) {
		w.AssessAll("contoso", "ada")
		api := w.API("contoso", "ada")
		got, err := api.GetPortfolioWithResponse(t.Context(), &client.GetPortfolioParams{Q: new("Store Operations")})
		if err != nil || len(got.JSON200.Value) != 1 {
			t.Fatalf("got %v, %v", got, err)
		}
		m := got.JSON200.Value[0]
		b.goTo("/models/" + m.WorkspaceID.String() + "/" + m.SemanticModelID.String())
		h.press(b, "Propose Descriptions")
		b.shows("Review: Descriptions of Store Operations", "0 accepted") // the page loads itself again until then
		h.press(b, "Accept change 0")
		b.shows("Review", "1 accepted")
		h.press(b, "Score the accepted changes as they are chosen")
		b.shows("Review", "With the accepted ones")
		h.press(b, "Reject change 1")
		b.shows("Review", "1 rejected", "With the accepted ones")
		h.press(b, "Apply 1\u00a0accepted change")
		b.shows("Apply: Store Operations", "Succeeded", "What was written: Descriptions")
		h.press(b, "Revert…")
		b.shows("Revert: Store Operations", "After the revert")
		h.press(b, "Revert")
		b.shows("Revert: Store Operations", "Succeeded", "It reverted")
	})
}
