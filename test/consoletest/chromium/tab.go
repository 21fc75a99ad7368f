// Package chromium uses the console's pages in a real browser, for tests: as a person does, by mouse, by keyboard alone, with script off,
// and over an emulated Fabric. The browser is found by PATH; where there is none, the tests say so and run nothing. Only tests import it.
package chromium

import (
	"context"
	"flag"
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

	"readiness/test/consoletest"
	"readiness/test/pgtest"
	"readiness/test/testworld"
)

// patience is how long a story waits for one thing.
const patience = 2 * time.Minute

// browsers are the names of Chromium in PATH.
var browsers = []string{"chromium", "chromium-browser", "google-chrome"}

var must = flag.Bool("browser", false, "fail where no browser is found")

// Found reports whether there is a browser. If there is none, it logs that the story is not run.
func Found(t *testing.T) bool {
	t.Helper()
	if path() != "" {
		return true
	}
	if *must {
		t.Fatalf("no browser is in PATH; install one of %s", strings.Join(browsers, ", "))
	}
	t.Logf("NOT RUN: no browser is in PATH (%s); make test/console needs one", strings.Join(browsers, ", "))
	return false
}

// path returns the path of a browser; "" if there is none.
func path() string {
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Tab is a page in the browser.
type Tab struct {
	T    *testing.T
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

// Main runs the tests of a package, and ends the browser.
func Main(m *testing.M) int {
	code := pgtest.Main(m)
	for _, end := range slices.Backward(browser.end) {
		end()
	}
	return code
}

// running returns the context of the browser, which it starts once.
func running(t *testing.T) context.Context {
	t.Helper()
	browser.Lock()
	defer browser.Unlock()
	if browser.ctx != nil {
		return browser.ctx
	}
	o := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path()), chromedp.NoSandbox, chromedp.WSURLReadTimeout(patience),
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("ignore-certificate-errors", true)) // the emulated Entra signs its own certificate
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
func newTab(t *testing.T, w *consoletest.World) *Tab {
	t.Helper()
	at := running(t)
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
	b := &Tab{T: t, w: w, ctx: ctx}
	chromedp.ListenTarget(ctx, b.heard)
	b.Size(1280, 900)
	b.GoTo(strings.TrimPrefix(w.TrialAddress(), w.URL))
	return b
}

// heard records the errors of the page: what the policy blocked, and what scripts threw.
func (b *Tab) heard(event any) {
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

// Quiet fails the test if the page had an error.
func (b *Tab) Quiet() {
	b.T.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, line := range b.said {
		b.T.Errorf("the page reports: %s", line)
	}
}

// Run does actions, and fails the test with what the page shows if one fails.
func (b *Tab) Run(what string, actions ...chromedp.Action) {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		b.T.Fatalf("%s: %v\n%s", what, err, b.Text())
	}
}

// Text returns what the page shows, for messages of failures.
func (b *Tab) Text() (text string) {
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
	defer cancel()
	_ = chromedp.Run(ctx, chromedp.Evaluate(`document.title + "\n" + document.body.innerText`, &text))
	return text
}

// Size sets the size of the window.
func (b *Tab) Size(width, height int64) {
	b.T.Helper()
	b.Run("size", emulation.SetDeviceMetricsOverride(width, height, 1, false))
}

// Theme selects light or dark.
func (b *Tab) Theme(name string) {
	b.T.Helper()
	b.Run("theme", emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}}))
}

func (b *Tab) scriptOff() {
	b.T.Helper()
	b.Run("script off", emulation.SetScriptExecutionDisabled(true))
}

// GoTo opens a page.
func (b *Tab) GoTo(path string) {
	b.T.Helper()
	b.Run("open "+path, chromedp.Navigate(b.w.URL+path), chromedp.WaitReady("main"))
}

// Is evaluates a condition of the page.
func (b *Tab) Is(condition string) (yes bool) {
	b.T.Helper()
	b.Run(condition, chromedp.Evaluate(condition, &yes))
	return yes
}

// Focuses waits until the element with an id has the focus.
func (b *Tab) Focuses(id string) {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	wait := chromedp.Poll(`document.activeElement?.id === `+Quoted(id), nil, chromedp.WithPollingInterval(50*time.Millisecond),
		chromedp.WithPollingTimeout(0))
	if err := chromedp.Run(ctx, wait); err != nil {
		var at string
		b.Run("where the focus is", chromedp.Evaluate(`location.href + " " + document.activeElement?.outerHTML.slice(0, 200)`, &at))
		b.T.Fatalf("%s does not get the focus: %v\n%s\n%s", id, err, at, b.Text())
	}
}

// Shows waits until the page has a heading of the first level with a text, and contains further texts.
func (b *Tab) Shows(heading string, texts ...string) {
	b.T.Helper()
	b.Run("the page "+heading, chromedp.WaitVisible(`//h1[contains(., `+Quoted(heading)+`)]`, chromedp.BySearch))
	for _, text := range texts {
		b.Run("the text "+text, chromedp.WaitVisible(`//main//*[contains(., `+Quoted(text)+`)]`, chromedp.BySearch))
	}
}

// Quoted returns a text as XPath and script have it; it has no quotation marks.
func Quoted(text string) string { return `"` + text + `"` }
