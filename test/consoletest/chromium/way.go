package chromium

import (
	"testing"

	"github.com/chromedp/chromedp"

	"readiness/test/consoletest"
)

// Way is how, and over which platform, a job is done.
type Way struct {
	Hand                Hand
	scriptOff, emulated bool
}

// Ways are the ways in which each job is done.
var Ways = map[string]Way{"mouse": {Hand: Mouse{}}, "keyboard": {Hand: keyboard{}}, "script off": {Hand: Mouse{}, scriptOff: true},
	"emulator": {Hand: Mouse{}, emulated: true}}

// Start starts a service on the platform of the way, and opens a tab.
func (y Way) Start(t *testing.T, o consoletest.Options) (*Tab, *consoletest.World) {
	t.Helper()
	if y.emulated {
		o.Emulated = []string{"ada", "grace", "linus"}
	}
	w := consoletest.Start(t, o)
	b := newTab(t, w)
	if y.scriptOff {
		b.scriptOff()
	}
	return b, w
}

// SignIn signs ada in, from a page of the console that leads to the sign-in.
func (y Way) SignIn(b *Tab) {
	b.T.Helper()
	if y.emulated {
		b.Shows("Sign in")
		const link = `//a[starts-with(normalize-space(.), "Sign in with 127.0.0.1")]`
		b.Run("the sign-in at the emulated Entra", chromedp.Click(link, chromedp.BySearch))
		b.Shows("Sign in to the emulator")
	} else {
		b.Shows("Sign in", "This is a trial")
	}
	y.Hand.Press(b, "ada")
	b.Shows("Portfolio")
}

// Job does a job in each way, each time in a new world in which ada of contoso is signed in.
func Job(t *testing.T, do func(t *testing.T, b *Tab, w *consoletest.World, h Hand)) {
	t.Helper()
	if !Found(t) {
		return
	}
	for name, y := range Ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, w := y.Start(t, consoletest.Options{})
			b.GoTo("/")
			y.SignIn(b)
			do(t, b, w, y.Hand)
			b.Quiet()
		})
	}
}

// Opened returns a tab in which ada of contoso is signed in, in a world whose models she has assessed.
func Opened(t *testing.T, o consoletest.Options) (*Tab, *consoletest.World) {
	t.Helper()
	w := consoletest.Start(t, o)
	w.AssessAll("contoso", "ada")
	return SignedIn(t, w), w
}

// SignedIn returns a tab in which ada of contoso is signed in.
func SignedIn(t *testing.T, w *consoletest.World) *Tab {
	t.Helper()
	b := newTab(t, w)
	b.GoTo("/")
	Mouse{}.Press(b, "ada")
	b.Shows("Portfolio")
	return b
}
