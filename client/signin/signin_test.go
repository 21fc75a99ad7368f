package signin_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"readiness/client/signin"
	"readiness/test/oidctest"
)

// fake is a provider that misbehaves as its members say.
type fake struct {
	*httptest.Server
	metadata func(base string) string
	token    http.HandlerFunc
	device   http.HandlerFunc

	mu    sync.Mutex
	asked []url.Values // what the token endpoint was asked
	nonce string
}

const client = "readiness-client"

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{}
	m := http.NewServeMux()
	m.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		if f.metadata != nil {
			fmt.Fprint(w, f.metadata(f.URL))
			return
		}
		fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":"%[2]s/authorize","token_endpoint":"%[2]s/token",
			"device_authorization_endpoint":"%[2]s/device"}`, f.URL, f.URL)
	})
	m.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		f.mu.Lock()
		f.asked = append(f.asked, r.PostForm)
		f.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if f.token != nil {
			f.token(w, r)
			return
		}
		f.give(w, nil)
	})
	m.HandleFunc("/device", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if f.device != nil {
			f.device(w, r)
			return
		}
		fmt.Fprintf(w, `{"device_code":"the-device-code","user_code":"ABCD","verification_uri":"%s/enter","expires_in":600,"interval":2}`, f.URL)
	})
	f.Server = httptest.NewTLSServer(m)
	t.Cleanup(f.Close)
	return f
}

// give answers with tokens; change alters the claims of the id_token.
func (f *fake) give(w http.ResponseWriter, change func(claims map[string]any)) {
	f.mu.Lock()
	claims := map[string]any{"iss": f.URL, "aud": client, "nonce": f.nonce, "exp": time.Now().Add(time.Hour).Unix()}
	f.mu.Unlock()
	if change != nil {
		change(claims)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(w, `{"access_token":"an-access-token","token_type":"Bearer","expires_in":3600,"refresh_token":"a-refresh-token","id_token":"e30.%s.x"}`,
		base64.RawURLEncoding.EncodeToString(text))
}

// questions returns how often the token endpoint was asked.
func (f *fake) questions() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked)
}

func (f *fake) discover(t *testing.T, change func(*signin.Options)) (*signin.Provider, error) {
	t.Helper()
	o := signin.Options{Issuer: f.URL, ClientID: client, Scopes: []string{"openid", "offline_access"}, Transport: f.Client().Transport}
	if change != nil {
		change(&o)
	}
	return signin.Discover(t.Context(), o)
}

// browser is a person's browser: it visits what the provider would send it to.
type browser struct {
	t    *testing.T
	f    *fake
	back func(sent url.Values) []url.Values // the queries with which it comes back
	seen []int                              // what it was answered
}

func (b *browser) open(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	q := u.Query()
	b.f.mu.Lock()
	b.f.nonce = q.Get("nonce")
	b.f.mu.Unlock()
	for _, query := range b.back(q) {
		r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, q.Get("redirect_uri")+"?"+query.Encode(), nil)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		_ = res.Body.Close()
		b.seen = append(b.seen, res.StatusCode)
	}
	return nil
}

func query(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return q
}

// A browser that comes back with another state, twice, with an error or from another provider gives no tokens but those
// of the sign-in that was begun.
func TestBrowserComesBack(t *testing.T) {
	t.Parallel()
	good := func(sent url.Values) url.Values { return query("state", sent.Get("state"), "code", "the-code") }
	for name, c := range map[string]struct {
		back      func(f *fake, sent url.Values) []url.Values
		seen      []int
		questions int
		fails     string
	}{
		"good": {func(_ *fake, sent url.Values) []url.Values { return []url.Values{good(sent)} }, []int{200}, 1, ""},
		"another state first": {func(_ *fake, sent url.Values) []url.Values {
			return []url.Values{query("state", "guessed", "code", "theirs"), query("code", "theirs"), good(sent)}
		}, []int{400, 400, 200}, 1, ""},
		"a second time": {func(_ *fake, sent url.Values) []url.Values {
			return []url.Values{good(sent), query("state", sent.Get("state"), "code", "another")}
		}, []int{200, 410}, 1, ""},
		"an error": {func(_ *fake, sent url.Values) []url.Values {
			return []url.Values{query("state", sent.Get("state"), "error", "access_denied", "error_description", "ada said no")}
		}, []int{200}, 0, "access_denied: ada said no"},
		"an error without state": {func(_ *fake, sent url.Values) []url.Values {
			return []url.Values{query("error", "access_denied"), good(sent)}
		}, []int{400, 200}, 1, ""},
		"no code": {func(_ *fake, sent url.Values) []url.Values {
			return []url.Values{query("state", sent.Get("state"))}
		}, []int{200}, 0, "gave no code"},
		"another issuer": {func(_ *fake, sent url.Values) []url.Values {
			q := good(sent)
			q.Set("iss", "https://evil.example")
			return []url.Values{q}
		}, []int{200}, 0, "another provider"},
		"the same issuer": {func(f *fake, sent url.Values) []url.Values {
			q := good(sent)
			q.Set("iss", f.URL)
			return []url.Values{q}
		}, []int{200}, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			p, err := f.discover(t, nil)
			if err != nil {
				t.Fatal(err)
			}
			b := &browser{t: t, f: f, back: func(sent url.Values) []url.Values { return c.back(f, sent) }}
			got, err := p.WithBrowser(t.Context(), "", b.open)
			if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Fatalf("got %v, want %q", err, c.fails)
			}
			if err == nil && (got.Access != "an-access-token" || got.Refresh != "a-refresh-token" || time.Until(got.Expires) < 59*time.Minute) {
				t.Errorf("got %+v", got)
			}
			if !slices.Equal(b.seen, c.seen) || f.questions() != c.questions {
				t.Errorf("the browser saw %v and the token endpoint was asked %d times", b.seen, f.questions())
			}
			if c.questions == 1 && (f.asked[0].Get("code") != "the-code" || len(f.asked[0].Get("code_verifier")) < 43) {
				t.Errorf("the token endpoint was asked %v", f.asked[0])
			}
		})
	}
}

// Each sign-in has its own state, nonce and verifier, sends only the verifier's hash, and passes claims on.
func TestRequest(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	p, err := f.discover(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 2 {
		b := &browser{t: t, f: f, back: func(sent url.Values) []url.Values {
			for _, name := range []string{"state", "nonce", "code_challenge"} {
				if v := sent.Get(name); len(v) < 26 || seen[v] {
					t.Errorf("%s is %q", name, v)
				}
				seen[sent.Get(name)] = true
			}
			if sent.Get("code_challenge_method") != "S256" || sent.Get("claims") != `{"a":1}` || sent.Has("code_verifier") ||
				!strings.HasPrefix(sent.Get("redirect_uri"), "http://localhost:") {
				t.Errorf("asked with %v", sent)
			}
			return []url.Values{query("state", sent.Get("state"), "code", "the-code")}
		}}
		if _, err := p.WithBrowser(t.Context(), `{"a":1}`, b.open); err != nil {
			t.Fatal(err)
		}
	}
}

// Tokens that are not the answer to the sign-in are refused, and no error has a token or the code in it.
func TestTokensRefused(t *testing.T) {
	t.Parallel()
	claim := func(name string, value any) func(*fake) http.HandlerFunc {
		return func(f *fake) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { f.give(w, func(c map[string]any) { c[name] = value }) }
		}
	}
	says := func(status int, body string) func(*fake) http.HandlerFunc {
		return func(*fake) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				fmt.Fprint(w, body)
			}
		}
	}
	for name, c := range map[string]struct {
		token func(*fake) http.HandlerFunc
		fails string
	}{
		"nonce of another sign-in":  {claim("nonce", "x"), "answers another sign-in"},
		"no nonce":                  {claim("nonce", ""), "answers another sign-in"},
		"id_token of another":       {claim("iss", "https://evil.example"), "another issuer"},
		"id_token for another":      {claim("aud", []string{"someone"}), "another program"},
		"id_token that expired":     {claim("exp", 1), "expired"},
		"no id_token":               {says(200, `{"access_token":"an-access-token","token_type":"Bearer"}`), "no id_token"},
		"no access token":           {says(200, `{"token_type":"Bearer"}`), "cannot be read"},
		"another type":              {says(200, `{"access_token":"an-access-token","token_type":"mac"}`), "another type"},
		"a token with a line end":   {says(200, `{"access_token":"an-access-token\nX: y","token_type":"Bearer"}`), "is none"},
		"no JSON":                   {says(200, `an-access-token`), "cannot be read"},
		"refused":                   {says(400, `{"error":"invalid_grant","error_description":"no"}`), "invalid_grant: no"},
		"refused at length":         {says(400, `{"error":"invalid_grant","error_description":"`+strings.Repeat("n", 5000)+`"}`), "…"},
		"failed":                    {says(503, `an-access-token`), "503"},
		"a giant":                   {says(200, `{"access_token":"`+strings.Repeat("a", 2<<20)+`"}`), "cannot be read"},
		"a redirect":                {says(307, ``), "307"},
		"an error beside a success": {says(200, `{"error":"invalid_grant","error_description":"no"}`), "invalid_grant"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.token = c.token(f)
			p, err := f.discover(t, nil)
			if err != nil {
				t.Fatal(err)
			}
			b := &browser{t: t, f: f, back: func(sent url.Values) []url.Values {
				return []url.Values{query("state", sent.Get("state"), "code", "the-code")}
			}}
			got, err := p.WithBrowser(t.Context(), "", b.open)
			if err == nil || !strings.Contains(err.Error(), c.fails) || got != (signin.Tokens{}) {
				t.Fatalf("got %+v, %v, want %q", got, err, c.fails)
			}
			for _, secret := range []string{"an-access-token", "a-refresh-token", "the-code"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%q is in %v", secret, err)
				}
			}
			if len(err.Error()) > 1000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

// A hostile or broken discovery document is not followed.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	document := func(issuer, auth, token string) func(string) string {
		return func(base string) string {
			return strings.ReplaceAll(fmt.Sprintf(`{"issuer":%q,"authorization_endpoint":%q,"token_endpoint":%q}`, issuer, auth, token), "BASE", base)
		}
	}
	for name, c := range map[string]struct {
		metadata func(string) string
		fails    string
	}{
		"another issuer":        {document("https://evil.example", "BASE/a", "BASE/t"), `calls itself "https://evil.example"`},
		"issuer with a slash":   {document("BASE/", "BASE/a", "BASE/t"), "exactly as its tokens do"},
		"authorization by http": {document("BASE", "http://evil.example/a", "BASE/t"), "authorization_endpoint"},
		"token by http":         {document("BASE", "BASE/a", "http://evil.example/t"), "token_endpoint"},
		"token at a file":       {document("BASE", "BASE/a", "file:///etc/passwd"), "token_endpoint"},
		"token with a user":     {document("BASE", "BASE/a", "https://a:b@evil.example/t"), "token_endpoint"},
		"no token endpoint":     {document("BASE", "BASE/a", ""), "token_endpoint"},
		"page is a script":      {document("BASE", "javascript:alert(1)", "BASE/t"), "authorization_endpoint"},
		"device by http": {func(base string) string {
			return fmt.Sprintf(`{"issuer":%q,"token_endpoint":"%[1]s/t","device_authorization_endpoint":"http://evil.example"}`, base)
		}, "device_authorization_endpoint"},
		"no JSON": {func(string) string { return "<html>" }, "no discovery document"},
		"a giant": {func(string) string { return strings.Repeat(" ", 2<<20) + "{}" }, "longer than"},
	} {
		f := newFake(t)
		f.metadata = c.metadata
		if _, err := f.discover(t, nil); err == nil || !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: got %v, want %q", name, err, c.fails)
		}
	}
	for issuer, fails := range map[string]string{"http://evil.example": "must begin with https", "": "absolute address", "https://": "absolute",
		"login.example.com": "absolute"} {
		if _, err := signin.Discover(t.Context(), signin.Options{Issuer: issuer, ClientID: client}); err == nil || !strings.Contains(err.Error(), fails) {
			t.Errorf("issuer %q: got %v, want %q", issuer, err, fails)
		}
	}
}

// A provider that redirects or hangs is given up; no other host is asked.
func TestProviderRedirectsOrHangs(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	t.Cleanup(elsewhere.Close)
	s := httptest.NewTLSServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	t.Cleanup(s.Close)
	_, err := signin.Discover(t.Context(), signin.Options{Issuer: s.URL, ClientID: client, Transport: s.Client().Transport})
	if err == nil || !strings.Contains(err.Error(), "302") {
		t.Errorf("a redirect: got %v", err)
	}
	begun := make(chan struct{})
	hanging := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { close(begun); <-r.Context().Done() }))
	t.Cleanup(hanging.Close)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	_, err = signin.Discover(ctx, signin.Options{Issuer: hanging.URL, ClientID: client, Transport: hanging.Client().Transport})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("hanging: got %v", err)
	}
}

// steps answers the questions of a device in turn.
func steps(all ...string) http.HandlerFunc {
	var mu sync.Mutex
	return func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if len(all) == 0 {
			panic(http.ErrAbortHandler)
		}
		step := all[0]
		if len(all) > 1 {
			all = all[1:]
		}
		switch step {
		case "good":
			fmt.Fprint(w, `{"access_token":"an-access-token","token_type":"Bearer"}`)
		case "lost":
			panic(http.ErrAbortHandler)
		case "503":
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":%q}`, step)
		}
	}
}

// A device's sign-in waits as the provider asks, slows down when asked to, and ends as RFC 8628 says.
func TestDevice(t *testing.T) {
	t.Parallel()
	many := slices.Repeat([]string{"authorization_pending"}, 3)
	for name, c := range map[string]struct {
		answers []string
		device  string
		waits   []int // seconds
		fails   string
	}{
		"at once":        {[]string{"good"}, "", []int{2}, ""},
		"pending":        {append(many, "good"), "", []int{2, 2, 2, 2}, ""},
		"slow down":      {[]string{"slow_down", "authorization_pending", "slow_down", "good"}, "", []int{2, 7, 7, 12}, ""},
		"refused":        {[]string{"authorization_pending", "access_denied"}, "", []int{2, 2}, "refused on the other device"},
		"refused (2)":    {[]string{"authorization_declined"}, "", []int{2}, "refused on the other device"},
		"expired":        {[]string{"expired_token"}, "", []int{2}, "before the code expired"},
		"never":          {[]string{"authorization_pending"}, "", nil, "before the code expired"},
		"another error":  {[]string{"invalid_client"}, "", []int{2}, "invalid_client"},
		"away for a bit": {[]string{"lost", "503", "good"}, "", []int{2, 4, 8}, ""},
		"away":           {[]string{"503"}, "", []int{2, 4, 8, 16, 32}, "503"},
		"no interval":    {[]string{"good"}, `"expires_in":600`, []int{5}, ""},
		"hostile":        {[]string{"good"}, `"interval":-7,"expires_in":600`, []int{1}, ""},
		"endless":        {[]string{"good"}, `"interval":99999999,"expires_in":600`, []int{60}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.token = steps(c.answers...)
			if c.device != "" {
				f.device = func(w http.ResponseWriter, _ *http.Request) {
					fmt.Fprintf(w, `{"device_code":"the-device-code","user_code":"ABCD","verification_uri":"%s/enter",%s}`, f.URL, c.device)
				}
			}
			now, waits := time.Now(), []int(nil)
			p, err := f.discover(t, func(o *signin.Options) {
				o.Now = func() time.Time { return now }
				o.Pause = func(ctx context.Context, d time.Duration) error {
					now, waits = now.Add(d), append(waits, int(d/time.Second))
					return ctx.Err()
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			var shown signin.Device
			got, err := p.WithDevice(t.Context(), "", func(d signin.Device) error { shown = d; return nil })
			if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Fatalf("got %v, want %q", err, c.fails)
			}
			if err == nil && got.Access != "an-access-token" || err != nil && strings.Contains(err.Error(), "the-device-code") {
				t.Errorf("got %+v, %v", got, err)
			}
			if c.waits != nil && !slices.Equal(waits, c.waits) || shown.Code != "ABCD" || shown.Address != f.URL+"/enter" {
				t.Errorf("waited %v and showed %+v", waits, shown)
			}
			if c.waits == nil && time.Until(now) > 11*time.Minute {
				t.Errorf("waited for %d questions", len(waits))
			}
		})
	}
}

// A provider that names no safe page or no code shows the person nothing.
func TestDevicePage(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"device_code":"d","user_code":"u","verification_uri":"http://evil.example"}`, `{"device_code":"d","user_code":"u"}`,
		`{"device_code":"d","verification_uri":"https://a.example"}`, `{"user_code":"u","verification_uri":"https://a.example"}`, `{}`, `x`} {
		f := newFake(t)
		f.device = func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
		p, err := f.discover(t, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.WithDevice(t.Context(), "", func(signin.Device) error { t.Errorf("%s: shown", body); return nil })
		if err == nil || f.questions() != 0 {
			t.Errorf("%s: got %v after %d questions", body, err, f.questions())
		}
	}
}

// A sign-in from which no browser comes back is an error, and leaves no listener.
func TestSignInWithoutReturn(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	p, err := f.discover(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var redirect string
	_, err = p.WithBrowser(ctx, "", func(address string) error {
		u, _ := url.Parse(address)
		redirect = u.Query().Get("redirect_uri")
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || f.questions() != 0 {
		t.Errorf("got %v after %d questions", err, f.questions())
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, redirect, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultClient.Do(r); err == nil {
		_ = res.Body.Close()
		t.Error("the listener is still there")
	}
}

// With an independent provider, a person signs in, the tokens are refreshed once each, and revoking ends them.
func TestIndependentProvider(t *testing.T) {
	t.Parallel()
	provider := oidctest.Start(t)
	p, err := signin.Discover(t.Context(), signin.Options{Issuer: provider.URL, ClientID: oidctest.Service,
		Scopes: []string{"openid", "offline_access", "Service.Read.All"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.WithBrowser(t.Context(), "", func(address string) error {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, provider.Browse(t, "ada", address).String(), nil)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(r)
		if err == nil {
			err = res.Body.Close()
		}
		return err
	})
	if err != nil || got.Access == "" || got.Refresh == "" {
		t.Fatalf("got %+v, %v", got, err)
	}
	renewed, err := p.Refresh(t.Context(), got.Refresh)
	if err != nil || renewed.Access == got.Access || renewed.Refresh == got.Refresh {
		t.Fatalf("refreshed: got %+v, %v", renewed, err)
	}
	if _, err := p.Refresh(t.Context(), got.Refresh); !errors.Is(err, signin.ErrEnded) {
		t.Errorf("an earlier refresh token: got %v, want %v", err, signin.ErrEnded)
	}
	if ended, err := p.Revoke(t.Context(), renewed.Refresh); err != nil || !ended {
		t.Fatalf("revoke: got %v, %v", ended, err)
	}
	if _, err := p.Refresh(t.Context(), renewed.Refresh); !errors.Is(err, signin.ErrEnded) {
		t.Errorf("after revoking: got %v, want %v", err, signin.ErrEnded)
	}
}
