package stories_test

import (
	"testing"

	"readiness/http/console/consoletest"
)

// job does a job in each way, each time in a new world in which ada of contoso is signed in.
func job(t *testing.T, do func(t *testing.T, b *tab, w *consoletest.World, h hand)) {
	t.Helper()
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
			do(t, b, w, y.hand)
			b.quiet()
		})
	}
}

// TestEvaluate is the job of a lead who asks whether one side answers better: write and import questions, ask one side, overrule an
// answer, compare two sides.
func TestEvaluate(t *testing.T) {
	t.Parallel()
	job(t, func(t *testing.T, b *tab, w *consoletest.World, h hand) {
		b.goTo("/evaluations?workspaceId=" + workspace(t, w, "Retail Analytics"))
		h.press(b, "Store Operations")
		b.shows("Evaluation of Store Operations", "No question is saved yet")
		h.press(b, "Write questions")
		h.write(b, "Question", "What is the footfall?")
		h.write(b, "Expected value", "12")
		h.press(b, "Add it and save")
		b.shows("Questions of Store Operations", "The questions are saved.", "1\u00a0question")
		h.press(b, "Import a file")
		h.write(b, "Or paste its text", "question,expectedValue,weight\nWhat is the footfall?,12,x")
		h.press(b, "Replace the saved questions")
		b.shows("Import questions", "line 2, column 26 (weight)", "Nothing was saved")
		h.press(b, "Store Operations")
		b.shows("Evaluation of Store Operations")
		h.press(b, "Start the run")
		b.shows("Run on Store Operations", "wrong answers first") // the page loads itself again until then
		h.press(b, "Overrule Answer")
		h.write(b, "Why", "it is right")
		h.press(b, "Overrule")
		b.shows("Run on Store Operations", "The service decided")
		h.press(b, "Store Operations")
		h.write(b, "Name of the test", "The assistant twice")
		h.press(b, "Start the test")
		b.shows("Run of The assistant twice", "Side B minus side A", "regressions first")
		h.press(b, "Evaluation")
		b.shows("Evaluation", "The assistant twice")
	})
}
