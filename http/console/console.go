// Package console serves the pages for people: team leads, approvers, developers, administrators. They are made by templates
// and work without script. They read and write through the handlers of the public interface in the same process,
// with the token of the person who is signed in, so the console can do nothing that a caller cannot.
package console

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"readiness/client"
	"readiness/client/inprocess"
	"readiness/http/console/choices"
	"readiness/http/console/page"
	"readiness/http/console/signin"
	"readiness/storage/vault"
)

// policy is the Content-Security-Policy of every answer.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// Options configures New.
type Options struct {
	// API handles calls of the public interface.
	API      http.Handler
	Sessions *vault.Sessions
	Choices  *choices.Store
	// BaseURL is the absolute address of the service.
	BaseURL string
	// Issuers are where people sign in. Trial offers the people of the accounts file; nil for no trial.
	Issuers []signin.Issuer
	Trial   *signin.Trial
	// Transport sends requests to issuers; nil for that of net/http.
	Transport http.RoundTripper
	Version   string
	Log       *slog.Logger
	Now       func() time.Time
}

// Console serves the pages.
type Console struct {
	api   http.Handler
	desk  *signin.Desk
	site  *page.Site
	host  string
	mux   *http.ServeMux
	paths []string
	guard http.Handler
}

// New returns the console.
func New(o Options) (*Console, error) {
	base, err := url.Parse(strings.TrimRight(o.BaseURL, "/"))
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	desk, err := signin.New(signin.Options{API: o.API, Sessions: o.Sessions, BaseURL: base.String(), Issuers: o.Issuers, Trial: o.Trial,
		Transport: o.Transport, Log: o.Log, Now: o.Now})
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	c := &Console{api: o.API, desk: desk, host: base.Host, mux: http.NewServeMux(),
		site: &page.Site{Screens: screens(o), Version: o.Version, Log: o.Log}}
	c.handle("GET "+page.AssetsPath, http.HandlerFunc(page.Asset))
	for _, route := range desk.Routes() {
		c.handle(route.Pattern, c.open(route.Serve))
	}
	c.handle("GET /signed-in", c.open(signedIn))
	for _, screen := range c.site.Screens {
		for _, route := range screen.Routes {
			c.handle(route.Pattern, c.signedIn(route.Serve))
		}
	}
	other := http.NewCrossOriginProtection()
	other.SetDenyHandler(c.open(func(*page.Visit) error {
		return &page.Problem{Status: http.StatusForbidden, Title: "The form came from another site",
			Text: "Nothing was done. If you did not press anything, another site tried to act as you; if you did, open the page here " +
				"and send it again."}
	}))
	c.guard = other.Handler(http.HandlerFunc(c.route))
	return c, nil
}

func (c *Console) handle(pattern string, h http.Handler) {
	c.mux.Handle(pattern, h)
	_, path, _ := strings.Cut(pattern, " ")
	c.paths = append(c.paths, strings.TrimSuffix(path, "{$}"))
}

// Paths returns the paths of the pages, with variables in braces.
func (c *Console) Paths() []string { return c.paths }

// ServeHTTP implements http.Handler.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers send forms without their origin
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	c.guard.ServeHTTP(w, r)
}

// route serves the page of the path. A host that is not the service's is refused, so that a web page cannot reach a service on the
// reader's machine by DNS rebinding.
func (c *Console) route(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Host, c.host) && !signin.Loopback(r.Host) {
		c.open(func(*page.Visit) error {
			return &page.Problem{Status: http.StatusForbidden, Title: "This is not the service's address",
				Text: "Open the service at " + c.host + "."}
		})(w, r)
		return
	}
	if _, pattern := c.mux.Handler(r); pattern == "" {
		c.open(func(*page.Visit) error { return page.NotFound })(w, r)
		return
	}
	c.mux.ServeHTTP(w, r)
}

// open serves a page that needs no sign-in.
func (c *Console) open(serve func(*page.Visit) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &page.Visit{Site: c.site, Writer: w, Request: r}
		if err := serve(v); err != nil {
			v.Fail(err)
		}
	}
}

// signedIn serves a page as the person who is signed in.
func (c *Console) signedIn(serve func(*page.Visit) error) http.HandlerFunc {
	return c.open(func(v *page.Visit) error {
		who, tokens, err := c.desk.Current(v.Request)
		if err != nil {
			return err
		}
		if who == nil {
			return c.desk.Expired(v)
		}
		v.Who = who
		v.API, err = client.Open(inprocess.BaseURL, client.Options{Token: tokens.Token, Renew: tokens.Renew, Pause: pause,
			Transport: inprocess.Transport{Handler: c.api}, UserAgent: "readiness-console"})
		if err != nil {
			return err
		}
		err = serve(v)
		if signin.Ended(err) {
			return c.desk.Expired(v)
		}
		return err
	})
}
