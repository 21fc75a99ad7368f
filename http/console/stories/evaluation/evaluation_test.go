package evaluation_test

import (
	"testing"

	"readiness/test/consoletest"
	"readiness/test/consoletest/chromium"
)

// TestEvaluate is the job of a lead who asks whether one side answers better: write and import questions, ask one side, overrule an
// answer, compare two sides.
func TestEvaluate(t *testing.T) {
	t.Parallel()
	chromium.Job(t, func(t *testing.T, b *chromium.Tab, w *consoletest.World, h chromium.Hand) {
		b.GoTo("/evaluations?workspaceId=" + w.WorkspaceID("Retail Analytics"))
		h.Press(b, "Store Operations")
		b.Shows("Evaluation of Store Operations", "No question is saved yet")
		h.Press(b, "Write questions")
		h.Write(b, "Question", "What is the footfall?")
		h.Write(b, "Expected value", "12")
		h.Press(b, "Add it and save")
		b.Shows("Questions of Store Operations", "The questions are saved.", "1\u00a0question")
		h.Press(b, "Import a file")
		h.Write(b, "Or paste its text", "question,expectedValue,weight\nWhat is the footfall?,12,x")
		h.Press(b, "Replace the saved questions")
		b.Shows("Import questions", "line 2, column 26 (weight)", "Nothing was saved")
		h.Press(b, "Store Operations")
		b.Shows("Evaluation of Store Operations")
		h.Press(b, "Start the run")
		b.Shows("Run on Store Operations", "wrong answers first") // the page loads itself again until then
		h.Press(b, "Overrule Answer")
		h.Write(b, "Why", "it is right")
		h.Press(b, "Overrule")
		b.Shows("Run on Store Operations", "The service decided")
		h.Press(b, "Store Operations")
		h.Write(b, "Name of the test", "The assistant twice")
		h.Write(b, "Side B: asked", "The platform's assistant")
		h.Press(b, "Start the test")
		b.Shows("Run of The assistant twice", "Side B minus side A", "regressions first")
		h.Press(b, "Evaluation")
		b.Shows("Evaluation", "The assistant twice")
	})
}
