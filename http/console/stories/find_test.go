package stories_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"readiness/test/consoletest"
	"readiness/test/consoletest/chromium"
)

// TestFind is the job of who has half an hour: find a model by a part of its name, see what is to be done first, and let the service propose it.
func TestFind(t *testing.T) {
	t.Parallel()
	chromium.Job(t, func(t *testing.T, b *chromium.Tab, w *consoletest.World, h chromium.Hand) {
		w.AssessAll("contoso", "ada")
		b.GoTo("/operations")
		h.Press(b, "Search")
		h.Write(b, "Model, workspace, report, test or operation", "budget")
		h.Press(b, "Find")
		b.Shows("Search", "Budget 2024", "last assessment failed")
		b.GoTo("/search?q=retail+sales")
		h.Press(b, "Retail Sales")
		b.Shows("Retail Sales", "Findings, by rule")
		h.Press(b, "The next 30 minutes")
		b.Shows("Retail Sales", "They can be mended in about 30 minutes", "Show all")
		h.Press(b, "Propose all of these")
		b.Shows("Review: every kind of Retail Sales", "Before anything is written, you see all of it in full and confirm it.") // the page loads itself again until then
		h.Press(b, "Retail Sales")
		b.Shows("Retail Sales", "The next 30 minutes")
		if b.Is(`document.body.innerText.includes("The score is from before")`) {
			t.Error("a proposal wrote something")
		}
	})
}

// TestSearchKey leads to the search by one key from every page, and not out of a field.
func TestSearchKey(t *testing.T) {
	t.Parallel()
	if !chromium.Found(t) {
		return
	}
	b := chromium.SignedIn(t, consoletest.Start(t, consoletest.Options{}))
	b.GoTo("/operations")
	b.Run("the key", chromedp.KeyEvent("/"))
	b.Shows("Search")
	b.Run("the key again, in the field", chromedp.Focus("#q", chromedp.ByQuery), chromedp.KeyEvent("a/b"))
	if !b.Is(`document.getElementById("q").value === "a/b"`) {
		t.Errorf("the key does not write into a field:\n%s", b.Text())
	}
	b.Quiet()
}
