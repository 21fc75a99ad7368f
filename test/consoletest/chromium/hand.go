package chromium

import (
	"encoding/json"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Hand is how a person uses a page: press what has a name, and write into the field that has a label.
type Hand interface {
	Press(b *Tab, name string)
	Write(b *Tab, label, text string)
}

// named returns the XPath of a link, a button or a field with a name. A name of two words also finds a collapsible part whose title
// begins with it.
func named(name string) string {
	n := Quoted(name)
	folded := ""
	if strings.Contains(name, " ") {
		folded = ` | //summary[starts-with(normalize-space(.), ` + n + `)]`
	}
	return `(//a[normalize-space(.)=` + n + `] | //button[normalize-space(.)=` + n + `] | //input[@aria-label=` + n + `] | ` +
		`//*[self::input or self::select or self::textarea][@id=//label[normalize-space(.)=` + n + `]/@for]` + folded + `)[1]`
}

// Mouse presses by clicking.
type Mouse struct{}

// Press clicks.
func (Mouse) Press(b *Tab, name string) {
	b.T.Helper()
	b.Run("click "+name, chromedp.Click(named(name), chromedp.BySearch, chromedp.NodeVisible))
}

// Write types into a field.
func (Mouse) Write(b *Tab, label, text string) {
	b.T.Helper()
	for range maxChoices {
		b.Run("write into "+label, chromedp.SendKeys(named(label), text, chromedp.BySearch, chromedp.NodeVisible))
		if chose(b, text) {
			return
		}
	}
}

// maxChoices is how often a text is typed into a list. Keys that follow each other slowly choose by the last of them alone.
const maxChoices = 5

// chose is false if the focus is on a list with an option that begins with a text, and another one is chosen.
func chose(b *Tab, text string) bool {
	b.T.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		b.T.Fatal(err)
	}
	return b.Is(`(() => {
		const e = document.activeElement, begins = (o) => o.text.toLowerCase().startsWith(` + string(quoted) + `.toLowerCase());
		return e.localName !== "select" || ![...e.options].some(begins) || begins(e.selectedOptions[0]);
	})()`)
}

// keyboard presses by Tab, and Enter or Space.
type keyboard struct{}

func (k keyboard) Write(b *Tab, label, text string) {
	b.T.Helper()
	k.reach(b, label)
	for range maxChoices {
		b.Run("type", chromedp.KeyEvent(text))
		if chose(b, text) {
			return
		}
	}
}

// maxTabs bounds how often Tab is pressed to reach one thing.
const maxTabs = 200

func (k keyboard) Press(b *Tab, name string) {
	b.T.Helper()
	if kind := k.reach(b, name); kind == "checkbox" {
		b.Run("Space", chromedp.KeyEvent(" "))
	} else {
		b.Run("Enter", chromedp.KeyEvent(kb.Enter))
	}
}

// reach presses Tab until what has the name has the focus, and returns what kind of field it is.
func (keyboard) reach(b *Tab, name string) (kind string) {
	b.T.Helper()
	plain := strings.Join(strings.Fields(name), " ")
	b.Run("find "+name, chromedp.WaitVisible(named(name), chromedp.BySearch))
	for range maxTabs {
		b.Run("Tab", chromedp.KeyEvent(kb.Tab))
		focused := ""
		b.Run("focus", chromedp.Evaluate(`(() => {
			const e = document.activeElement, l = e.labels && e.labels[0];
			const name = e.getAttribute("aria-label") || (l && l.innerText) || e.textContent || "";
			return [name, e.type || e.localName].map((s) => s.replace(/\s+/g, " ").trim()).join("\n");
		})()`, &focused))
		label, kind, _ := strings.Cut(focused, "\n")
		if label = strings.Join(strings.Fields(label), " "); label != plain && (kind != "summary" || !strings.HasPrefix(label, plain)) {
			continue
		}
		if !b.Is(`getComputedStyle(document.activeElement).outlineStyle !== "none"`) {
			b.T.Errorf("the focus on %q is not visible", name)
		}
		return kind
	}
	b.T.Fatalf("%q is not reached by Tab:\n%s", name, b.Text())
	return ""
}
