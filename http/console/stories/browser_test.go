package stories_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"readiness/http/console/consoletest"
	"readiness/internal/pgtest"
	"readiness/internal/testworld"
)

// patience is how long a story waits for one thing.
const patience = 2 * time.Minute

// browsers are the names of Chromium in PATH.
var browsers = []string{"chromium", "chromium-browser", "google-chrome"}

var must = flag.Bool("browser", false, "fail where no browser is found")

// found returns the path of a browser. If there is none, it logs that the story is not run.
func found(t *testing.T) (path string, ok bool) {
	t.Helper()
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path, true
		}
	}
	if *must {
		t.Fatalf("no browser is in PATH; install one of %s", strings.Join(browsers, ", "))
	}
	t.Logf("NOT RUN: no browser is in PATH (%s); make test/console needs one", strings.Join(browsers, ", "))
	return "", false
}

// tab is a page in the browser.
type tab struct {
	t    *testing.T
	w    *consoletest.World
	ctx  context.Context
	mu   sync.Mutex
	said []string // what the page wrote to the console of the browser
}

// browser is the one browser of all stories, because it takes longer to start than a story. Each tab has its own session.
var browser struct {
	sync.Mutex
	ctx context.Context
	end []context.CancelFunc
}

func TestMain(m *testing.M) {
	code := pgtest.Main(m)
	for _, end := range slices.Backward(browser.end) {
		end()
	}
	os.Exit(code)
}

// running returns the context of the browser, which it starts once.
func running(t *testing.T, path string) context.Context {
	t.Helper()
	browser.Lock()
	defer browser.Unlock()
	if browser.ctx != nil {
		return browser.ctx
	}
	o := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WSURLReadTimeout(patience),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("ignore-certificate-errors", true)) // the emulated Entra signs its own certificate
	allocator, end := chromedp.NewExecAllocator(context.Background(), o...)
	ctx, stop := chromedp.NewContext(allocator)
	browser.end = append(browser.end, end, stop)
	if err := chromedp.Run(ctx); err != nil { // the browser lives as long as the context of its first run
		t.Fatalf("the browser does not start: %v", err)
	}
	browser.ctx = ctx
	return ctx
}

// newTab returns a tab with its own cookies, which closes when t ends.
func newTab(t *testing.T, w *consoletest.World, path string) *tab {
	t.Helper()
	at := running(t, path)
	own := cdp.WithExecutor(at, chromedp.FromContext(at).Browser)
	session, err := target.CreateBrowserContext().WithDisposeOnDetach(true).Do(own)
	testworld.Check(t, err)
	id, err := target.CreateTarget("about:blank").WithBrowserContextID(session).WithNewWindow(true).Do(own)
	testworld.Check(t, err)
	ctx, end := chromedp.NewContext(at, chromedp.WithTargetID(id))
	t.Cleanup(end)
	if err := chromedp.Run(ctx, emulation.SetFocusEmulationEnabled(true)); err != nil { // the context of its first run is that of the tab
		t.Fatalf("a tab does not open: %v", err)
	}
	b := &tab{t: t, w: w, ctx: ctx}
	chromedp.ListenTarget(ctx, b.heard)
	b.size(1280, 900)
	return b
}

// heard records the errors of the page: what the policy blocked, and what scripts threw.
func (b *tab) heard(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError {
			b.said = append(b.said, "an error in the console")
		}
	}
}

// quiet fails the test if the page had an error.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, line := range b.said {
		b.t.Errorf("the page reports: %s", line)
	}
}

func (b *tab) run(what string, actions ...chromedp.Action) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		b.t.Fatalf("%s: %v\n%s", what, err, b.text())
	}
}

// text returns what the page shows, for messages of failures.
func (b *tab) text() (text string) {
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
	defer cancel()
	_ = chromedp.Run(ctx, chromedp.Evaluate(`document.title + "\n" + document.body.innerText`, &text))
	return text
}

func (b *tab) size(width, height int64) {
	b.t.Helper()
	b.run("size", emulation.SetDeviceMetricsOverride(width, height, 1, false))
}

// theme selects light or dark.
func (b *tab) theme(name string) {
	b.t.Helper()
	b.run("theme", emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}}))
}

func (b *tab) scriptOff() {
	b.t.Helper()
	b.run("script off", emulation.SetScriptExecutionDisabled(true))
}

// goTo opens a page.
func (b *tab) goTo(path string) {
	b.t.Helper()
	b.run("open "+path, chromedp.Navigate(b.w.URL+path), chromedp.WaitReady("main"))
}

// is evaluates a condition of the page.
func (b *tab) is(condition string) (yes bool) {
	b.t.Helper()
	b.run(condition, chromedp.Evaluate(condition, &yes))
	return yes
}

// focuses waits until the element with an id has the focus.
func (b *tab) focuses(id string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	wait := chromedp.Poll(`document.activeElement?.id === `+quoted(id), nil, chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(0))
	if err := chromedp.Run(ctx, wait); err != nil {
		var at string
		b.run("where the focus is", chromedp.Evaluate(`location.href + " " + document.activeElement?.outerHTML.slice(0, 200)`, &at))
		b.t.Fatalf("%s does not get the focus: %v\n%s\n%s", id, err, at, b.text())
	}
}

// shows waits until the page has a heading of the first level with a text, and contains further texts.
func (b *tab) shows(heading string, texts ...string) {
	b.t.Helper()
	b.run("the page "+heading, chromedp.WaitVisible(`//h1[contains(., `+quoted(heading)+`)]`, chromedp.BySearch))
	for _, text := range texts {
		b.run("the text "+text, chromedp.WaitVisible(`//main//*[contains(., `+quoted(text)+`)]`, chromedp.BySearch))
	}
}

func quoted(text string) string { return `"` + text + `"` }

// hand is how a person uses a page: press what has a name, and write into the field that has a label.
type hand interface {
	press(b *tab, name string)
	write(b *tab, label, text string)
}

// way is how, and over which platform, a job is done.
type way struct {
	hand                hand
	scriptOff, emulated bool
}

// ways are the ways in which each job is done.
var ways = map[string]way{"mouse": {hand: mouse{}}, "keyboard": {hand: keyboard{}}, "script off": {hand: mouse{}, scriptOff: true},
	"emulator": {hand: mouse{}, emulated: true}}

// start starts a service on the platform of the way, and opens a tab.
func (y way) start(t *testing.T, path string) (*tab, *consoletest.World) {
	t.Helper()
	var o consoletest.Options
	if y.emulated {
		o.Emulated = []string{"ada", "grace", "linus"}
	}
	w := consoletest.Start(t, o)
	b := newTab(t, w, path)
	if y.scriptOff {
		b.scriptOff()
	}
	return b, w
}

// signIn signs ada in, from a page of the console that leads to the sign-in.
func (y way) signIn(b *tab) {
	b.t.Helper()
	if y.emulated {
		b.shows("Sign in")
		b.run("the sign-in at the emulated Entra", chromedp.Click(`//a[starts-with(normalize-space(.), "Sign in with 127.0.0.1")]`, chromedp.BySearch))
		b.shows("Sign in to the emulator")
	} else {
		b.shows("Sign in", "This is a trial")
	}
	y.hand.press(b, "ada")
	b.shows("Portfolio")
}

// named returns the XPath of a link, a button or a field with a name. A name of two words also finds a collapsible part whose title begins with it.
func named(name string) string {
	n := quoted(name)
	folded := ""
	if strings.Contains(name, " ") {
		folded = ` | //summary[starts-with(normalize-space(.), ` + n + `)]`
	}
	return `(//a[normalize-space(.)=` + n + `] | //button[normalize-space(.)=` + n + `] | //input[@aria-label=` + n + `] | ` +
		`//*[self::input or self::select or self::textarea][@id=//label[normalize-space(.)=` + n + `]/@for]` + folded + `)[1]`
}

// mouse presses by clicking.
type mouse struct{}

func (mouse) press(b *tab, name string) {
	b.t.Helper()
	b.run("click "+name, chromedp.Click(named(name), chromedp.BySearch, chromedp.NodeVisible))
}

func (mouse) write(b *tab, label, text string) {
	b.t.Helper()
	b.run("write into "+label, chromedp.SendKeys(named(label), text, chromedp.BySearch, chromedp.NodeVisible))
}

// keyboard presses by Tab, and Enter or Space.
type keyboard struct{}

func (k keyboard) write(b *tab, label, text string) {
	b.t.Helper()
	k.reach(b, label)
	b.run("type", chromedp.KeyEvent(text))
}

// maxTabs bounds how often Tab is pressed to reach one thing.
const maxTabs = 200

func (k keyboard) press(b *tab, name string) {
	b.t.Helper()
	if kind := k.reach(b, name); kind == "checkbox" {
		b.run("Space", chromedp.KeyEvent(" "))
	} else {
		b.run("Enter", chromedp.KeyEvent(kb.Enter))
	}
}

// reach presses Tab until what has the name has the focus, and returns what kind of field it is.
func (keyboard) reach(b *tab, name string) (kind string) {
	b.t.Helper()
	plain := strings.Join(strings.Fields(name), " ")
	b.run("find "+name, chromedp.WaitVisible(named(name), chromedp.BySearch))
	for range maxTabs {
		b.run("Tab", chromedp.KeyEvent(kb.Tab))
		focused := ""
		b.run("focus", chromedp.Evaluate(`(() => { const e = document.activeElement; const l = e.labels && e.labels[0];
			return [e.getAttribute("aria-label") || (l && l.innerText) || e.textContent || "", e.type || e.localName].map((s) => s.replace(/\s+/g, " ")).map((s) => s.trim()).join("\n") })()`, &focused))
		label, kind, _ := strings.Cut(focused, "\n")
		if label = strings.Join(strings.Fields(label), " "); label != plain && (kind != "summary" || !strings.HasPrefix(label, plain)) {
			continue
		}
		if !b.is(`getComputedStyle(document.activeElement).outlineStyle !== "none"`) {
			b.t.Errorf("the focus on %q is not visible", name)
		}
		return kind
	}
	b.t.Fatalf("%q is not reached by Tab:\n%s", name, b.text())
	return ""
}
