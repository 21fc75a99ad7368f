package review_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"readiness/test/consoletest"
	"readiness/test/consoletest/chromium"
)

// TestReviewKeys decides by the keys of a change, and keeps a text that is being typed through a reload.
func TestReviewKeys(t *testing.T) {
	t.Parallel()
	if !chromium.Found(t) {
		return
	}
	b, w := chromium.Opened(t, consoletest.Options{})
	api := w.API("contoso", "ada")
	m := w.Assessed("Store Operations")
	started, err := api.PreviewOptimizationWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, "descriptions", nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Ended(api, started.JSON202.OperationID)
	const heading = "Review: Descriptions of Store Operations"
	b.GoTo("/previews/" + started.JSON202.OperationID.String())
	b.Shows(heading, "0 accepted")
	b.Run("focus a change", chromedp.Focus("#c0", chromedp.ByQuery))
	b.Run("accept it", chromedp.KeyEvent("a"))
	b.Shows(heading, "1 accepted")
	b.Focuses("c1")
	b.Run("reject it", chromedp.KeyEvent("r"))
	b.Shows(heading, "1 rejected")
	b.Focuses("c2")
	b.Run("edit the next one", chromedp.KeyEvent("e"))
	b.Focuses("t2")
	b.Run("type", chromedp.KeyEvent("are"), chromedp.Reload())
	b.Shows(heading, "1 accepted", "1 rejected")
	b.Run("the text is open", chromedp.WaitVisible("#t2", chromedp.ByQuery))
	if !b.Is(`document.getElementById("t2").value.includes("are")`) {
		t.Error("the typed text is lost")
	}
	b.Quiet()
}

// TestApprove is the job of an approver: decide about changes, see what the accepted ones would give, apply them, and revert what was
// written.
func TestApprove(t *testing.T) {
	t.Parallel()
	chromium.Job(t, func(t *testing.T, b *chromium.Tab, w *consoletest.World, h chromium.Hand) {
		w.AssessAll("contoso", "ada")
		m := w.Assessed("Store Operations")
		b.GoTo("/models/" + m.WorkspaceID.String() + "/" + m.SemanticModelID.String())
		h.Press(b, "Propose Descriptions")
		b.Shows("Review: Descriptions of Store Operations", "0 accepted") // the page loads itself again until then
		h.Press(b, "Accept change 0")
		b.Shows("Review", "1 accepted")
		h.Press(b, "Score the accepted changes as they are chosen")
		b.Shows("Review", "With the accepted ones")
		h.Press(b, "Reject change 1")
		b.Shows("Review", "1 rejected", "With the accepted ones")
		h.Press(b, "Apply 1\u00a0accepted change")
		b.Shows("Apply: Store Operations", "Succeeded", "What was written: Descriptions")
		h.Press(b, "Revert…")
		b.Shows("Revert: Store Operations", "After the revert")
		h.Press(b, "Revert")
		b.Shows("Revert: Store Operations", "Succeeded", "It reverted")
	})
}

// TestApproveAll is the job of an approver of several kinds: decide in one table, and write what is accepted at one press.
func TestApproveAll(t *testing.T) {
	t.Parallel()
	chromium.Job(t, func(_ *testing.T, b *chromium.Tab, w *consoletest.World, h chromium.Hand) {
		w.AssessAll("contoso", "ada")
		m := w.Assessed("Store Operations")
		b.GoTo("/models/" + m.WorkspaceID.String() + "/" + m.SemanticModelID.String())
		h.Press(b, "Propose all of these")
		b.Shows("Review: every kind of Store Operations", "0 accepted", "Page 1 of") // the page loads itself again until then
		h.Press(b, "Accept change 0")
		b.Shows("Review", "1 accepted")
		h.Press(b, "Accept change 1")
		b.Shows("Review", "2 accepted")
		h.Press(b, "Reject change 2")
		b.Shows("Review", "1 rejected")
		h.Press(b, "Apply 2\u00a0accepted changes")
		b.Shows("Review", "2 written", "0 accepted", "applied") // the page loads itself again, and starts one apply after another
		h.Press(b, "The model")
		b.Shows("Store Operations", "The score is from before the")
	})
}
