package review_test

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"

	"readiness/client"
	"readiness/test/consoletest"
	"readiness/test/consoletest/chromium"
	"readiness/test/testworld"
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

// TestTableKeys decides by the keys of a row in the table of all kinds, and keeps texts and answers that are being typed through a reload.
func TestTableKeys(t *testing.T) {
	t.Parallel()
	if !chromium.Found(t) {
		return
	}
	b, w := chromium.Opened(t, consoletest.Options{})
	api := w.API("contoso", "ada")
	m := w.Assessed("Store Operations")
	started, err := api.OptimizeWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, nil, client.OptimizeRequest{Approval: "required"})
	testworld.Check(t, err)
	w.Ended(api, started.JSON202.OperationID)
	const heading = "Review: every kind of Store Operations"
	b.GoTo("/previews/" + started.JSON202.OperationID.String())
	b.Shows(heading, "0 accepted")
	b.Run("focus a row", chromedp.Focus("#r0", chromedp.ByQuery))
	b.Run("accept it", chromedp.KeyEvent("a"))
	b.Shows(heading, "1 accepted")
	b.Focuses("r1")
	b.Run("edit the next one", chromedp.KeyEvent("e"))
	b.Focuses("t1")
	b.Run("type", chromedp.KeyEvent("are"), chromedp.Reload(), chromedp.WaitVisible("#t1", chromedp.ByQuery))
	if !b.Is(`document.getElementById("t1").value.includes("are")`) {
		t.Error("the typed text is lost")
	}
	chromium.Mouse{}.Press(b, "Answer them")
	b.Run("answer", chromedp.Focus("label.asked + textarea", chromedp.ByQuery), chromedp.KeyEvent("euro"), chromedp.Reload(),
		chromedp.WaitVisible("label.asked + textarea", chromedp.ByQuery))
	if !b.Is(`document.querySelector("label.asked + textarea").value === "euro"`) {
		t.Error("the typed answer is lost")
	}
	b.Shows(heading, "1 accepted")
	b.Quiet()
}

// TestApprove is the job of an approver: decide about changes, see what the accepted ones would give, write them after a look at them in
// full, and revert what was written.
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
		h.Press(b, "Apply 1\u00a0accepted change…")
		b.Shows("What will be written to Store Operations", "This is all of it, in full.")
		h.Press(b, "Go back to the review")
		b.Shows("Review", "1 accepted", "1 rejected", "With the accepted ones")
		h.Press(b, "Apply 1\u00a0accepted change…")
		b.Shows("What will be written to Store Operations", "Nothing is written until you confirm it below.")
		h.Press(b, "Write 1\u00a0change")
		b.Shows("Apply: Store Operations", "Succeeded", "What was written: Descriptions")
		h.Press(b, "Revert…")
		b.Shows("Revert: Store Operations", "After the revert")
		h.Press(b, "Revert")
		b.Shows("Revert: Store Operations", "Succeeded", "It reverted")
	})
}

// TestApproveAll is the job of an approver of several kinds: decide in one table, answer what only a person can say, and write what is
// accepted after a look at all of it.
func TestApproveAll(t *testing.T) {
	t.Parallel()
	chromium.Job(t, func(_ *testing.T, b *chromium.Tab, w *consoletest.World, h chromium.Hand) {
		w.AssessAll("contoso", "ada")
		answersAndApplies(b, w, h)
		h.Press(b, "Store Operations")
		b.Shows("Store Operations", "The score is from before the")
	})
}

// TestAnswerAtWidths answers, edits and confirms on a phone, a tablet and a desk, without script.
func TestAnswerAtWidths(t *testing.T) {
	t.Parallel()
	if !chromium.Found(t) {
		return
	}
	for _, width := range []int64{360, 768, 1440} {
		t.Run(strconv.FormatInt(width, 10), func(t *testing.T) {
			t.Parallel()
			way := chromium.Ways["script off"]
			b, w := way.Start(t, consoletest.Options{})
			b.GoTo("/")
			way.SignIn(b)
			w.AssessAll("contoso", "ada")
			b.Size(width, 1400)
			answersAndApplies(b, w, way.Hand)
			b.Quiet()
		})
	}
}

// answersAndApplies edits a text in the table of all kinds, answers two questions there, and writes the three after a look at them in full.
func answersAndApplies(b *chromium.Tab, w *consoletest.World, h chromium.Hand) {
	b.T.Helper()
	m := w.Assessed("Store Operations")
	b.GoTo("/models/" + m.WorkspaceID.String() + "/" + m.SemanticModelID.String())
	h.Press(b, "Propose all of these")
	b.Shows("Review: every kind of Store Operations", "0 accepted", "Page 1 of") // the page loads itself again until then
	h.Press(b, "Reject change 0")
	b.Shows("Review", "1 rejected")
	h.Press(b, "Edit the text of change 1")
	h.Write(b, "Text of change 1", " It is edited.")
	h.Press(b, "Accept change 1")
	b.Shows("Review", "1 accepted")
	h.Press(b, "Answer them")
	b.Run("the questions", chromedp.WaitVisible("label.asked", chromedp.ByQuery))
	var asked [][2]string // the id of the field, and the question
	b.Run("read them", chromedp.Evaluate(`[...document.querySelectorAll("label.asked")].map((l) => [l.htmlFor, l.innerText.trim()])`, &asked))
	if len(asked) < 2 {
		b.T.Fatalf("%d questions are asked", len(asked))
	}
	for i, one := range [][2]string{asked[0], asked[len(asked)-1]} {
		h.Press(b, "Accept answer "+one[0][1:])
		b.Shows("Review", "Nothing was stored", "there is no answer")
		h.Write(b, one[1], "Ask for it in euro.")
		h.Press(b, "Accept answer "+one[0][1:])
		b.Shows("Review", strconv.Itoa(2+i)+" accepted")
	}
	if wide := b.Is(`document.documentElement.scrollWidth > innerWidth`); wide {
		b.T.Error("the page is wider than the window")
	}
	h.Press(b, "Apply 3\u00a0accepted changes…")
	b.Shows("What will be written to Store Operations", "It is edited.", "Ask for it in euro.", "unanswered")
	h.Press(b, "Write 3\u00a0changes")
	b.Shows("Review", "3 written", "0 accepted", "applied") // the page loads itself again, and starts one apply after another
}
