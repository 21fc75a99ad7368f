package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"readiness/test/consoletest"
)

// wanted is the policy of every page.
const wanted = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// want fails the test unless the answer has the status and contains the texts.
func want(t *testing.T, got consoletest.Answer, status int, texts ...string) {
	t.Helper()
	if got.StatusCode != status {
		t.Fatalf("%s: got status %d, want %d: %s", got.Request.URL, got.StatusCode, status, got.Body)
	}
	if policy := got.Header.Get("Content-Security-Policy"); policy != wanted {
		t.Errorf("%s: got policy %q", got.Request.URL, policy)
	}
	for _, text := range texts {
		if !strings.Contains(got.Body, text) {
			t.Errorf("%s lacks %q:\n%s", got.Request.URL, text, got.Body)
		}
	}
}

// TestSignIn signs a person in by the trial and out again: before and after, pages lead to the sign-in and from there back.
func TestSignIn(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	b := w.Browser()
	got := b.Get("/?q=a%20b")
	want(t, got, http.StatusSeeOther)
	if to := got.Header.Get("Location"); to != "/sign-in?to=%2F%3Fq%3Da%2520b" {
		t.Errorf("got %q", to)
	}
	b.Try()
	want(t, b.Get("/sign-in?to=%2F%3Fq%3Da%2520b"), 200, "This is a trial", `name="to" value="/?q=a%20b"`, "ada", "margaret")
	for name, form := range map[string]url.Values{
		"unknown person": {"account": {"contoso"}, "person": {"eve"}}, "other account": {"account": {"fabrikam"}, "person": {"ada"}}, "no one": {},
	} {
		got := b.Send("/sign-in/trial", form)
		want(t, got, http.StatusForbidden, "The accounts file has no such person")
		if len(got.Cookies()) != 0 {
			t.Errorf("%s: got cookies %v", name, got.Cookies())
		}
	}
	got = b.Send("/sign-in/trial", url.Values{"account": {"contoso"}, "person": {"ada"}, "to": {"//elsewhere.example.com"}})
	want(t, got, http.StatusSeeOther)
	if to := got.Header.Get("Location"); to != "/" {
		t.Errorf("another site is where the sign-in leads: %q", to)
	}
	c := got.Cookies()[0]
	if !c.HttpOnly || c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || !strings.HasPrefix(c.Name, "readiness-") || len(c.Value) < 26 {
		t.Errorf("got cookie %+v", c)
	}
	want(t, b.Get("/"), 200, "Portfolio", "<bdi>ada</bdi>", "<bdi>contoso</bdi>")
	var kept int
	if err := w.Pool.QueryRow(t.Context(), `SELECT count(*) FROM console_sessions s WHERE strpos(s::text, $1) > 0`, c.Value).Scan(&kept); err != nil || kept != 0 {
		t.Errorf("the database knows the session's id: %d, %v", kept, err)
	}
	want(t, b.Send("/sign-out", nil), http.StatusSeeOther)
	want(t, b.Get("/"), http.StatusSeeOther)
	b.SetCookie(c)
	want(t, b.Get("/"), http.StatusSeeOther) // the id of an ended session
}

// TestIdle ends a session that was not used for 8 hours, and not one that was used in between.
func TestIdle(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	ada, grace := w.As("contoso", "ada"), w.As("contoso", "grace")
	w.Clock.Advance(4 * time.Hour)
	want(t, ada.Get("/"), 200)
	w.Clock.Advance(4*time.Hour + time.Second)
	want(t, grace.Get("/"), http.StatusSeeOther)
	want(t, ada.Get("/"), 200)
	if err := w.Sessions.Sweep(t.Context(), w.Now()); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := w.Pool.QueryRow(t.Context(), `SELECT count(*) FROM console_sessions`).Scan(&left); err != nil || left != 1 {
		t.Errorf("%d sessions are left, %v; want 1", left, err)
	}
}

// TestForeignForms refuses forms of other sites and requests for other hosts before anything happens.
func TestForeignForms(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	b := w.As("contoso", "ada")
	for name, header := range map[string]http.Header{
		"another site":       {"Sec-Fetch-Site": {"cross-site"}},
		"a sibling":          {"Sec-Fetch-Site": {"same-site"}},
		"another origin":     {"Sec-Fetch-Site": nil, "Origin": {"https://evil.example.com"}},
		"a page without one": {"Sec-Fetch-Site": nil, "Origin": {"null"}},
	} {
		got := b.SendWith("/sign-out", nil, header)
		want(t, got, http.StatusForbidden, "The form came from another site")
		if len(got.Cookies()) > 0 {
			t.Errorf("%s: got cookies %v", name, got.Cookies())
		}
	}
	want(t, b.Get("/"), 200) // still signed in
	for _, host := range []string{"evil.example.com", "evil.example.com:80", "localhost.evil.example.com"} {
		want(t, b.GetAt(host, "/sign-in"), http.StatusForbidden, "This is not the service")
	}
	want(t, b.GetAt("localhost", "/sign-in"), 200, "open the address that the service printed")
}

// TestTrial offers the trial only to browsers that opened an address with a code: one that works once, for ten minutes, and is the service's
// own. What a proxy sends or omits does not matter.
func TestTrial(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	ada := url.Values{"account": {"contoso"}, "person": {"ada"}}
	other := w.Browser()
	refused := func(name string, b *consoletest.Browser, path string) {
		t.Helper()
		if path != "" {
			if got := b.Get(path); got.StatusCode != http.StatusForbidden || len(got.Cookies()) > 0 || !strings.Contains(got.Body, "can no longer be opened") {
				t.Errorf("%s: the address answers %d with cookies %v: %s", name, got.StatusCode, got.Cookies(), got.Body)
			}
		}
		page := b.Get("/sign-in")
		if page.StatusCode != http.StatusOK || strings.Contains(page.Body, "ada") || !strings.Contains(page.Body, "open the address that the service printed") {
			t.Errorf("%s: the page offers %s", name, page.Body)
		}
		if got := b.Send("/sign-in/trial", ada); got.StatusCode != http.StatusForbidden || len(got.Cookies()) > 0 {
			t.Errorf("%s: the trial answers %d with cookies %v", name, got.StatusCode, got.Cookies())
		}
	}
	refused("no code", other, "")
	address := strings.TrimPrefix(w.TrialAddress(), w.URL)
	path, code, _ := strings.Cut(address, "code=")
	refused("a forged code", other, path+"code="+strings.Map(func(c rune) rune {
		if c == 'A' {
			return 'B'
		}
		return 'A'
	}, code))
	refused("a short code", other, path+"code=AAAA")
	want(t, other.Get(path+"code="), 200)

	b := w.Browser()
	got := b.Get(address + "&to=%2Foperations")
	want(t, got, http.StatusSeeOther)
	if to := got.Header.Get("Location"); to != "/sign-in?to=%2Foperations" {
		t.Errorf("got %q", to)
	}
	if c := got.Cookies()[0]; !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.MaxAge != 12*60*60 || strings.Contains(address, c.Value) {
		t.Errorf("got cookie %+v", c)
	}
	want(t, b.Get(address), 200, "This is a trial") // the same browser may open it again
	refused("a used code", other, address)
	other.SetCookie(&http.Cookie{Name: got.Cookies()[0].Name, Value: code}) // a code is no cookie
	refused("a code as the cookie", other, "")

	late := strings.TrimPrefix(w.TrialAddress(), w.URL)
	w.Clock.Advance(10 * time.Minute)
	refused("a late code", w.Browser(), late)
	want(t, b.Send("/sign-in/trial", ada), http.StatusSeeOther)
	w.Clock.Advance(12 * time.Hour)
	refused("a browser of yesterday", b, "")
}

// TestExpiredForm keeps what a form sent when the sign-in has ended, and sends it again after another sign-in.
func TestExpiredForm(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	got := w.Browser().Send("/sign-out?x=1", url.Values{"text": {"a <b> & \"c\"\nd"}})
	want(t, got, http.StatusSeeOther) // signing out needs no sign-in
	for _, form := range expiredForms {
		got := w.Browser().Send(form.path, form.fields)
		want(t, got, http.StatusForbidden, "Your sign-in has ended", "Send again", `action="`+form.path+`"`)
		for _, text := range form.shown {
			want(t, got, http.StatusForbidden, text)
		}
	}
}

// expiredForms are forms that need a sign-in, and the fields that the page of an ended sign-in shows.
var expiredForms = []struct {
	path   string
	fields url.Values
	shown  []string
}{{"/previews/11111111-1111-4111-8111-111111111111?page=2", url.Values{"do": {"accept.3"}, "text.3": {"my <own> words"}}, []string{"my &lt;own&gt; words", `name="do" hidden>` + "\naccept.3"}},
	{"/assess", url.Values{"model": {"x", "a <b> & \"c\"\nd"}}, []string{"<textarea name=\"model\" hidden>\nx</textarea>", "a &lt;b&gt; &amp; &#34;c&#34;\nd"}}}

// TestMissingPages answers browsers with a page, and callers of the interface as before.
func TestMissingPages(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	b := w.As("contoso", "ada")
	for _, path := range []string{"/nothing", "/models/x/y", "/models/11111111-1111-4111-8111-111111111111/y", "/sign-in/start?issuer=0", "/sign-in/nothing"} {
		want(t, b.Get(path), http.StatusNotFound, "There is no such page")
	}
	want(t, b.Get("/models/11111111-1111-4111-8111-111111111111/11111111-1111-4111-8111-111111111111"), http.StatusNotFound,
		"Nothing is there, or you cannot see it", "WorkspaceNotFound")
	want(t, b.Get("/sign-in/callback?code=x&state=y"), http.StatusBadRequest, "The sign-in was not finished")
	if got := b.Get("/v1/nothing"); got.StatusCode != 404 || !strings.Contains(got.Body, "InvalidRequest") {
		t.Errorf("got %d %s", got.StatusCode, got.Body)
	}
	if got := b.Get("/assets/style-old.css"); got.StatusCode != 404 {
		t.Errorf("got %d", got.StatusCode)
	}
}
