// Package signin signs people in at the console: at an OpenID provider by authorization code and PKCE, or, as a trial on one
// machine, by choosing a person of the accounts file. Tokens stay in the service, sealed; the browser gets a random id in a
// cookie that scripts cannot read. Tokens and codes are in no error and no log.
package signin

import (
	"embed"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/sync/singleflight"

	"readiness/client"
	"readiness/client/inprocess"
	"readiness/http/console/page"
	"readiness/storage/vault"
)

//go:embed *.html
var files embed.FS

var (
	signInView  = page.NewView(files, "signin.html")
	expiredView = page.NewView(files, "expired.html")
)

// Options configures a Desk.
type Options struct {
	// API handles calls of the public interface.
	API      http.Handler
	Sessions *vault.Sessions
	// BaseURL is the absolute address of the service, without a trailing slash.
	BaseURL string
	Issuers []Issuer
	// Trial offers the people of the accounts file; nil for no trial.
	Trial *Trial
	// Transport sends requests to issuers; nil for that of net/http.
	Transport http.RoundTripper
	Log       *slog.Logger
	Now       func() time.Time
}

// Trial is the sign-in without a password, for a service on a loopback address. It is for the browser that opened the Address of its key,
// so not for everybody who reaches the service through a proxy.
type Trial struct {
	People []TrialPerson
	// Key makes addresses: at least 32 random bytes.
	Key []byte
	// Mint returns an access token of the embedded issuer.
	Mint func(account, person string, life time.Duration) (string, error)
}

// TrialPerson is a person of the accounts file.
type TrialPerson struct{ Account, Name, Role string }

// Desk signs people in and out.
type Desk struct {
	o        Options
	issuers  []*issuer
	secure   bool
	port     string
	renewals singleflight.Group
	used     used
}

const (
	// callTimeout bounds a request to an issuer, and trialLife is the life of a token of the trial.
	callTimeout = 15 * time.Second
	trialLife   = 12 * time.Hour
)

// New returns a Desk.
func New(o Options) (*Desk, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, err
	}
	d := &Desk{o: o, secure: base.Scheme == "https", port: base.Port()}
	for _, i := range o.Issuers {
		d.issuers = append(d.issuers, &issuer{Issuer: i})
	}
	if !d.secure && !Loopback(base.Host) { // others on the network can read what is sent there
		d.issuers, d.o.Trial = nil, nil
	}
	return d, nil
}

// Loopback reports whether a host, with or without port, is a name or an address of this machine's loopback.
func Loopback(host string) bool {
	u := url.URL{Host: host}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// Routes are the pages that need no sign-in.
func (d *Desk) Routes() []page.Route {
	return []page.Route{
		{Pattern: "GET /sign-in", Serve: d.choose}, {Pattern: "GET /sign-in/start", Serve: d.start},
		{Pattern: "GET /sign-in/callback", Serve: d.callback}, {Pattern: "POST /sign-in/trial", Serve: d.trial},
		{Pattern: "POST /sign-out", Serve: d.signOut},
	}
}

// choice is the data of the sign-in page.
type choice struct {
	To string
	// Claims is what the sign-in must ask for, as the address has it; "" for nothing in particular.
	Claims  string
	Issuers []offer
	People  []TrialPerson
	// Trial is that the trial is for a browser that opens the printed address.
	Trial bool
	// Plain is that the address is not protected by TLS; Unregistered that no issuer knows the console.
	Plain, Unregistered bool
}

type offer struct {
	Number int
	Name   string
}

// to returns where a sign-in leads afterwards.
func to(r *http.Request) string {
	if path := r.FormValue("to"); page.Local(path) {
		return path
	}
	return "/"
}

func (d *Desk) choose(v *page.Visit) error {
	if code := v.Request.FormValue("code"); code != "" && d.o.Trial != nil && !d.trialFor(v.Request) {
		return d.admit(v, code)
	}
	c := choice{To: to(v.Request), Claims: v.Request.FormValue("claims"), Plain: len(d.issuers) < len(d.o.Issuers)}
	for i, known := range d.issuers {
		c.Issuers = append(c.Issuers, offer{i, known.name()})
	}
	if d.trialFor(v.Request) {
		c.People = d.o.Trial.People
	}
	c.Trial = d.o.Trial != nil && c.People == nil
	c.Unregistered = !c.Plain && len(c.Issuers) == 0 && d.o.Trial == nil
	return v.Show(signInView, page.Page{Title: "Sign in", Data: c})
}

// admit lets the browser that opened an Address use the trial, once.
func (d *Desk) admit(v *page.Visit, code string) error {
	now := d.o.Now()
	if !d.used.take(d.o.Trial.Key, code, now) {
		return &page.Problem{Status: http.StatusForbidden, Title: "This address can no longer be opened",
			Text: "An address with a code works once, for 10 minutes. The command readinessd token --console prints a new one."}
	}
	d.set(v.Writer, trialCookie, pass(d.o.Trial.Key, forCookie, now.Add(browserLife)), int(browserLife.Seconds()))
	return v.See("/sign-in?to=" + url.QueryEscape(to(v.Request)))
}

// trialFor reports whether the trial is offered to the browser of a request.
func (d *Desk) trialFor(r *http.Request) bool {
	if d.o.Trial == nil {
		return false
	}
	cookie, err := r.Cookie(d.cookie(trialCookie))
	if err != nil {
		return false
	}
	_, _, ok := valid(d.o.Trial.Key, forCookie, cookie.Value, d.o.Now())
	return ok
}

func (d *Desk) trial(v *page.Visit) error {
	if !d.trialFor(v.Request) {
		return &page.Problem{Status: http.StatusForbidden, Title: "The trial is only for a browser that opened its address",
			Text: "Open the address that the service printed when it started. The command readinessd token --console prints a new one."}
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	account, name := form.Get("account"), form.Get("person")
	for _, p := range d.o.Trial.People {
		if p.Account != account || p.Name != name {
			continue
		}
		access, err := d.o.Trial.Mint(account, name, trialLife)
		if err != nil {
			return err
		}
		return d.begin(v, session{Person: page.Person{Name: name}, Access: access, Expires: d.o.Now().Add(trialLife)}, to(v.Request))
	}
	return &page.Problem{Status: http.StatusForbidden, Title: "The accounts file has no such person", Text: "Choose one of those listed.",
		Link: "/sign-in", LinkText: "Sign in"}
}

// begin starts a session, if the service knows the person, and shows the page that they wanted.
func (d *Desk) begin(v *page.Visit, s session, to string) error {
	api, err := client.Open(inprocess.BaseURL, client.Options{Token: client.Token(s.Access), Pause: inprocess.Pause,
		Transport: inprocess.Transport{Handler: d.o.API}, UserAgent: "readiness-console"})
	if err != nil {
		return err
	}
	account, err := api.GetAccountWithResponse(v.Request.Context())
	if err != nil {
		return err
	}
	s.Account = account.JSON200.AccountID
	content, err := marshal(s)
	if err != nil {
		return err
	}
	if old, err := v.Request.Cookie(d.cookie(sessionCookie)); err == nil { // the browser had another session
		if err := d.o.Sessions.End(v.Request.Context(), old.Value); err != nil {
			return err
		}
	}
	id, err := d.o.Sessions.Create(v.Request.Context(), content, d.o.Now())
	if err != nil {
		return err
	}
	d.set(v.Writer, sessionCookie, id, 0)
	return v.See(to)
}

func (d *Desk) signOut(v *page.Visit) error {
	if cookie, err := v.Request.Cookie(d.cookie(sessionCookie)); err == nil {
		if err := d.o.Sessions.End(v.Request.Context(), cookie.Value); err != nil {
			return err
		}
	}
	d.set(v.Writer, sessionCookie, "", -1)
	return v.See("/sign-in")
}

// expired is what the page of an expired sign-in shows.
type expired struct {
	Action, SignIn string
	Fields         []field
}

type field struct{ Name, Value string }

// Expired answers a request that needs a sign-in. A page leads to the sign-in and from there back to it. What a form sent is
// kept in the answer: after a sign-in in another tab, the form can be sent again.
func (d *Desk) Expired(v *page.Visit) error {
	if v.Request.Method == http.MethodGet || v.Request.Method == http.MethodHead {
		return v.See("/sign-in?to=" + url.QueryEscape(v.Request.URL.RequestURI()))
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	e := expired{Action: v.Request.URL.RequestURI(), SignIn: "/sign-in?to=%2Fsigned-in"}
	for name, values := range form {
		for _, value := range values {
			e.Fields = append(e.Fields, field{name, value})
		}
	}
	sortFields(e.Fields)
	return v.Show(expiredView, page.Page{Title: "Your sign-in has ended", Status: http.StatusForbidden, Data: e})
}

// Ended reports whether err is that of a token that the service no longer accepts.
func Ended(err error) bool {
	refused, ok := errors.AsType[*client.Error](err)
	return errors.Is(err, errEnded) || ok && refused.Status == http.StatusUnauthorized
}
