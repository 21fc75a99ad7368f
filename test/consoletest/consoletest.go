// Package consoletest runs a service with its console for tests: real handlers, PostgreSQL, workers and a folder of workspaces,
// on a loopback address. People sign in by the trial. Only tests import it.
package consoletest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/client"
	"readiness/cmd/declared"
	"readiness/cmd/readinessd/wiring"
	"readiness/domain/account"
	"readiness/eventstore/audit"
	readinesshttp "readiness/http"
	"readiness/http/collector"
	"readiness/http/console"
	"readiness/http/console/choices"
	"readiness/http/console/signin"
	"readiness/http/rate"
	"readiness/http/token"
	"readiness/storage/vault"
	"readiness/test/testlog"
	"readiness/test/testworld"
	"readiness/work"
)

// patience is how long a test waits for one thing.
const patience = 2 * time.Minute

// Options configure a test. All of them are optional.
type Options struct {
	// Workspaces is a folder of workspaces that the service gets a copy of; "" for the samples.
	Workspaces string
	// Accounts is the text of an accounts file; "" for that of the samples.
	Accounts string
	// Emulated makes the platform an emulated Fabric over the workspaces. The people of Emulated sign in at its Entra, and are
	// in the account contoso. Accounts, Issuers and Verify are not used then.
	Emulated []string
	// Issuers are where people sign in instead of the trial.
	Issuers []signin.Issuer
	// Verify are further issuers whose tokens the service trusts, in addition to its own.
	Verify []token.Trusted
	// Steps returns the platform for steps of work, instead of the usual one.
	Steps func(work.Platform) work.Platform
}

// World is a running service.
type World struct {
	*testworld.World
	// URL is its address.
	URL      string
	Sessions *vault.Sessions
	t        testing.TB
	issuer   *token.Issuer
	tenant   *testworld.Tenant // nil for the folder alone
	people   []signin.TrialPerson
	log      *testworld.LogBook
}

// Samples returns the folder of the repository's samples.
func Samples(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	testworld.Check(t, err)
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "samples")
		}
	}
	t.Fatal("the test runs outside of the module")
	return ""
}

// Start starts a service. It ends with t.
func Start(t testing.TB, o Options) *World {
	t.Helper()
	if o.Workspaces == "" {
		o.Workspaces = filepath.Join(Samples(t), "workspaces")
	}
	if o.Accounts == "" {
		text, err := os.ReadFile(filepath.Join(Samples(t), "accounts.yaml"))
		testworld.Check(t, err)
		o.Accounts = string(text)
	}
	root := t.TempDir()
	testworld.Check(t, os.CopyFS(root, os.DirFS(o.Workspaces)))
	w := &World{t: t, log: &testworld.LogBook{}}
	log := slog.New(slog.NewJSONHandler(w.log, nil))
	databaseURL := testlog.URL(t)
	pool := testlog.Open(t, databaseURL)
	w.World = testworld.New(t, testworld.Options{Pool: pool, Root: root, Clock: testworld.RunningFrom(time.Now()), Declared: true,
		Parts: wiring.Parts{Logger: log, Workers: 4}})
	if o.Emulated != nil {
		o = w.emulate(o)
	}
	declared, err := declared.Parse("accounts.yaml", []byte(o.Accounts), account.DefaultPlans(), nil)
	testworld.Check(t, err)
	_, err = w.Accounts.Apply(t.Context(), declared)
	testworld.Check(t, err)
	for _, d := range declared {
		for _, p := range d.People {
			if p.Person.Issuer == "" {
				w.people = append(w.people, signin.TrialPerson{Account: d.AccountID, Name: p.Person.ID, Role: string(p.Role)})
			}
		}
	}
	w.issuer, err = token.OpenIssuer(t.TempDir())
	testworld.Check(t, err)
	if o.Steps != nil {
		w.Work.Platform = o.Steps(w.Work.Platform)
	}
	w.work(log)
	w.serve(databaseURL, o, log)
	return w
}

// emulate starts the emulator, and returns the options of a service over it.
func (w *World) emulate(o Options) Options {
	w.tenant = w.Tenant(w.t, nil, o.Emulated...)
	w.tenant.In(w.World)
	o.Accounts = "accounts:\n  - accountId: contoso\n    plan: Business\n" +
		"    settings: {addPixies: true, capacityDetails: true, aiFeatures: true}\n" +
		"    licenses: [{licenseId: contoso-analytics, label: Analytics, default: true, allocated: 400, region: westeurope}]\n" +
		"    people:\n" + w.tenant.People("admin", o.Emulated...)
	o.Issuers = []signin.Issuer{{URL: w.tenant.Issuer, ClientID: w.tenant.Entra.PublicClient(),
		Scopes: []string{testworld.TenantClient + "/.default", "offline_access"}}}
	o.Verify = []token.Trusted{{URL: w.tenant.Issuer, Audiences: []string{testworld.TenantClient}}}
	return o
}

// transport trusts the emulator's certificate; nil without an emulator.
func (w *World) transport() http.RoundTripper {
	if w.tenant == nil {
		return nil
	}
	return w.tenant.Transport
}

// work starts the followers of the log and the workers.
func (w *World) work(log *slog.Logger) {
	router, err := message.NewRouter(message.RouterConfig{CloseTimeout: patience}, watermill.NewSlogLogger(log))
	testworld.Check(w.t, err)
	testworld.Check(w.t, w.Engine.Follow(w.Store, router))
	background, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { w.Store.Wake(background) })
	running.Go(func() { _ = router.Run(background) })
	queue, err := work.NewQueue(w.Work)
	testworld.Check(w.t, err)
	w.Jobs = queue
	testworld.Check(w.t, queue.Start(w.t.Context()))
	w.t.Cleanup(func() {
		ending, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := queue.Stop(ending); err != nil {
			w.t.Error(err)
		}
		if err := router.Close(); err != nil {
			w.t.Error(err)
		}
		stop()
		running.Wait()
	})
}

// serve starts the listener.
func (w *World) serve(databaseURL string, o Options, log *slog.Logger) {
	limiter, err := rate.Open(w.t.Context(), databaseURL, rate.Options{Connections: 2, Timeout: patience})
	testworld.Check(w.t, err)
	verifier, err := token.NewVerifier(token.Options{Embedded: w.issuer, Issuers: o.Verify, Transport: w.transport(), Now: w.Now, Log: log})
	testworld.Check(w.t, err)
	registry := prometheus.NewRegistry()
	views, err := collector.New(collector.Options{Resolve: w.Views.PixieIDs, Count: w.Pixies.CountViews, Registry: registry, Log: log,
		Now: w.Now})
	testworld.Check(w.t, err)
	listening := httptest.NewUnstartedServer(nil)
	w.URL = "http://" + listening.Listener.Addr().String()
	w.Pixies.CollectorURL = w.URL
	s, err := readinesshttp.New(readinesshttp.Options{Commands: w.Commands, Views: w.Views, Verifier: verifier, Limiter: limiter,
		Collector: views, BaseURL: w.URL, PortalURL: w.URL, TokenKey: bytes.Repeat([]byte{2}, 32),
		Audit: w.trees(), Registry: registry, Log: log, Now: w.Now})
	testworld.Check(w.t, err)
	w.Sessions, err = vault.NewSessions(w.Pool, bytes.Repeat([]byte{4}, vault.KeySize))
	testworld.Check(w.t, err)
	with := console.Options{API: s.Handler(), Sessions: w.Sessions, Choices: choices.NewStore(w.Pool), BaseURL: w.URL,
		Issuers: o.Issuers, Transport: w.transport(), Version: "test", Log: log, Now: w.Now}
	if o.Issuers == nil {
		with.Trial = &signin.Trial{People: w.people, Key: trialKey, Mint: w.mint}
	}
	c, err := console.New(with)
	testworld.Check(w.t, err)
	s.Pages(c, c.Paths()...)
	listening.Config.Handler = s.Handler()
	listening.Start()
	collecting, enough := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { views.Run(collecting) })
	w.t.Cleanup(func() {
		listening.Close()
		enough()
		running.Wait()
		limiter.Close()
		w.metNoFault()
	})
}

func (w *World) mint(account, person string, life time.Duration) (string, error) {
	return w.issuer.Mint(account, person, []string{token.ScopeRead, token.ScopeReadWrite}, w.Now(), life)
}

// checkpointKey is the seed of the key that signs checkpoints and heads.
var checkpointKey = bytes.Repeat([]byte{3}, ed25519.SeedSize)

func (w *World) trees() *audit.Log {
	return audit.New(audit.Options{Pool: w.Pool, Watermark: w.Store.Watermark, Key: ed25519.NewKeyFromSeed(checkpointKey), Now: w.Now})
}

// Seal adds the events so far to the trees of the log.
func (w *World) Seal() {
	w.t.Helper()
	testworld.Check(w.t, w.trees().Begin(w.t.Context(), "test.example/readiness"))
	testworld.Check(w.t, w.trees().Seal(w.t.Context()))
}

// Now returns the service's time.
func (w *World) Now() time.Time { return w.Clock.Now() }

// metNoFault fails the test if the service logged an internal error.
func (w *World) metNoFault() {
	for _, line := range w.log.Faults() {
		if !strings.Contains(line, `"status":502`) { // another service is unavailable
			w.t.Errorf("the service logged an internal error: %s", line)
		}
	}
}

// API returns the public interface as a person, for what a test prepares.
func (w *World) API(account, person string) *client.Service {
	w.t.Helper()
	text, err := w.bearer(account, person)
	testworld.Check(w.t, err)
	s, err := client.Open(w.URL, client.Options{Token: client.Token(text)})
	testworld.Check(w.t, err)
	return s
}

func (w *World) bearer(account, person string) (string, error) {
	const life = 12 * time.Hour
	if w.tenant != nil {
		return w.tenant.SignIn(person, life)
	}
	return w.mint(account, person, life)
}

// Answer is the response to a browser. Body is decompressed.
type Answer struct {
	*http.Response
	Body string
	// Size is the size of the body as it was sent, in bytes.
	Size int
}

// Browser is a browser without script: it has cookies, and it follows no redirect.
type Browser struct {
	w    *World
	http *http.Client
}

// Browser returns a browser in which no one is signed in.
func (w *World) Browser() *Browser {
	jar, err := cookiejar.New(nil)
	testworld.Check(w.t, err)
	return &Browser{w, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// As returns a browser in which a person is signed in.
func (w *World) As(account, person string) *Browser {
	w.t.Helper()
	b := w.Browser()
	b.Try()
	if got := b.Send("/sign-in/trial", url.Values{"account": {account}, "person": {person}}); got.StatusCode != http.StatusSeeOther {
		w.t.Fatalf("signing in %s of %s: got status %d and %s", person, account, got.StatusCode, got.Body)
	}
	return b
}

// TrialAddress returns an address that lets a browser use the trial.
func (w *World) TrialAddress() string { return signin.Address(w.URL, trialKey, w.Now()) }

var trialKey = bytes.Repeat([]byte{5}, 32)

// Try opens an address that lets the browser use the trial.
func (b *Browser) Try() {
	b.w.t.Helper()
	if got := b.Get(strings.TrimPrefix(b.w.TrialAddress(), b.w.URL)); got.StatusCode != http.StatusSeeOther {
		b.w.t.Fatalf("opening the address of the trial: got status %d and %s", got.StatusCode, got.Body)
	}
}

// Get opens a page.
func (b *Browser) Get(path string) Answer {
	b.w.t.Helper()
	return b.do(http.MethodGet, path, nil, nil)
}

// Send sends a form.
func (b *Browser) Send(path string, form url.Values) Answer {
	b.w.t.Helper()
	return b.do(http.MethodPost, path, form, nil)
}

// SendWith sends a form with further headers.
func (b *Browser) SendWith(path string, form url.Values, header http.Header) Answer {
	b.w.t.Helper()
	return b.do(http.MethodPost, path, form, header)
}

// SendBody sends a form in another encoding than the usual one.
func (b *Browser) SendBody(path, kind, body string) Answer {
	b.w.t.Helper()
	return b.request(http.MethodPost, path, body, http.Header{"Content-Type": {kind}})
}

func (b *Browser) do(method, path string, form url.Values, header http.Header) Answer {
	b.w.t.Helper()
	return b.request(method, path, form.Encode(), header)
}

func (b *Browser) request(method, path, body string, header http.Header) Answer {
	b.w.t.Helper()
	r, err := http.NewRequestWithContext(b.w.t.Context(), method, b.w.URL+path, strings.NewReader(body))
	testworld.Check(b.w.t, err)
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	r.Header.Set("Accept-Encoding", "gzip")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.Header.Set("Origin", b.w.URL)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		r.Host = host
	}
	res, err := b.http.Do(r)
	testworld.Check(b.w.t, err)
	defer res.Body.Close()
	sent, err := io.ReadAll(res.Body)
	testworld.Check(b.w.t, err)
	return Answer{res, decompressed(b.w.t, res, sent), len(sent)}
}

// GetAt opens a page under another host name.
func (b *Browser) GetAt(host, path string) Answer {
	b.w.t.Helper()
	return b.do(http.MethodGet, path, nil, http.Header{"Host": {host}})
}

// SetCookie gives the browser a cookie.
func (b *Browser) SetCookie(c *http.Cookie) {
	at, err := url.Parse(b.w.URL)
	testworld.Check(b.w.t, err)
	b.http.Jar.SetCookies(at, []*http.Cookie{c})
}
