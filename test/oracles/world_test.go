package oracles_test

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"readiness/platform/fabric/emulator"
	"readiness/platform/folder"
)

const (
	tenant  = "11111111-1111-4111-8111-111111111111"
	service = "33333333-3333-4333-8333-333333333333"
	ada     = "22222222-2222-4222-8222-222222222222"
	retail  = "dd861a23-9ffc-5a77-a120-f2f1e51bfd19"
)

// world is the emulator at the addresses of the public cloud.
type world struct {
	t       *testing.T
	entra   *emulator.Entra
	service *emulator.Service
	folder  *folder.Platform
	server  *httptest.Server
	client  *http.Client

	mu    sync.Mutex
	hosts map[string]int
}

func newWorld(t *testing.T, change func(*emulator.Options)) *world {
	t.Helper()
	w := &world{t: t, hosts: map[string]int{}}
	var err error
	if w.folder, err = folder.Open("../../samples/workspaces", folder.Options{}); err != nil {
		t.Fatal(err)
	}
	if w.entra, err = emulator.NewEntra(service, time.Now); err != nil {
		t.Fatal(err)
	}
	o := emulator.Options{Folder: w.folder, Person: w.entra.Person, PageSize: 2, Lasts: time.Nanosecond}
	if change != nil {
		change(&o)
	}
	w.service = emulator.New(o)
	w.server = httptest.NewTLSServer(emulator.Handler(w.service, w.entra))
	t.Cleanup(w.server.Close)
	w.entra.SetAddress(w.server.URL)
	w.entra.SetPeople(emulator.User{Name: "ada", Object: ada})
	w.client = &http.Client{Transport: w}
	return w
}

// RoundTrip implements http.RoundTripper: calls to Fabric's host reach the emulator, and so do calls to the emulator's own.
// No other host is called.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.hosts[r.URL.Host]++
	w.mu.Unlock()
	at, err := url.Parse(w.server.URL)
	if err != nil {
		return nil, err
	}
	if r.URL.Host != at.Host && r.URL.Host != "api.fabric.microsoft.com" && r.URL.Host != "localhost:"+r.URL.Port() {
		w.t.Errorf("another host is called: %s", r.URL.Host)
	}
	if strings.HasPrefix(r.URL.Host, "localhost:") {
		return http.DefaultTransport.RoundTrip(r)
	}
	sent := r.Clone(r.Context())
	sent.URL.Host, sent.Host = at.Host, at.Host
	return w.server.Client().Transport.RoundTrip(sent)
}

// assertion returns the token that ada sends to the service.
func (w *world) assertion() string {
	token, err := w.entra.SignIn(tenant, ada, time.Hour)
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// visit opens a page as ada's browser.
func (w *world) visit(ctx context.Context, method, address string, form url.Values) *url.URL {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		w.t.Error(err)
		return nil
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := w.client.Do(r)
	if err != nil {
		w.t.Error(err)
		return nil
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Error(err)
	}
	if to := formAction.FindSubmatch(body); to != nil { // the page submits itself (form_post)
		submitted := url.Values{}
		for _, field := range formField.FindAllSubmatch(body, -1) {
			submitted.Set(string(field[1]), html.UnescapeString(string(field[2])))
		}
		return w.visit(ctx, http.MethodPost, html.UnescapeString(string(to[1])), submitted)
	}
	if res.StatusCode != http.StatusOK {
		w.t.Errorf("%s answered %s", address, res.Status)
	}
	return res.Request.URL
}

// The parts of a page that submits itself.
var (
	formAction = regexp.MustCompile(`<form[^>]+action="([^"]+)"`)
	formField  = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`)
)

// enters enters the code of a device.
func (w *world) enters(ctx context.Context, page, code string) {
	w.visit(ctx, http.MethodPost, page, url.Values{"user_code": {code}, "person": {ada}})
}
