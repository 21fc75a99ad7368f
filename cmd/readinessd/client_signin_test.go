package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"readiness/cmd/cli"
	"readiness/cmd/readiness/desk"
	"readiness/platform/fabric/emulator"
	"readiness/test/oidctest"
	"readiness/test/pgtest"
	"readiness/test/testworld"
)

// visitor is a person at the command line with a browser.
type visitor struct {
	t      *testing.T
	e      *emulating
	config string
	// as is the person to choose on sign-in pages; away means that no one can answer.
	as      string
	away    bool
	visits  atomic.Int32
	refuses bool // the code of a device
}

func (v *visitor) run(args ...string) result {
	v.t.Helper()
	stdout, stderr := newOutput(), newOutput()
	r := desk.New(stdout, stderr)
	r.Browse, r.Someone = v.browse, func() bool { return !v.away }
	r.Pause = func(ctx context.Context, _ time.Duration) error {
		if d := regexp.MustCompile(`Open (\S+) on any device and enter the code (\S+)`).FindStringSubmatch(stderr.String()); d != nil {
			v.enter(d[1], d[2])
		}
		return hurry(ctx, 0)
	}
	code := r.Run(v.t.Context(), append([]string{"client", "--config", v.config}, args...))
	return result{code, stdout.String(), stderr.String()}
}

func (v *visitor) must(args ...string) result {
	v.t.Helper()
	got := v.run(args...)
	if got.code != cli.ExitOK {
		v.t.Fatalf("readiness client %s: got %+v", strings.Join(args, " "), got)
	}
	return got
}

// browse signs in on the page.
func (v *visitor) browse(address string) error {
	v.visits.Add(1)
	page, err := v.get(address)
	if err == nil {
		_, err = v.get(page.String() + "&person=" + emulator.User{Name: v.as}.ID())
	}
	return err
}

func (v *visitor) get(address string) (*url.URL, error) {
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	res, err := v.e.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.Request.URL, err
}

// enter enters the code of a device.
func (v *visitor) enter(page, code string) {
	v.visits.Add(1)
	form := url.Values{"user_code": {code}, "person": {emulator.User{Name: v.as}.ID()}}
	if v.refuses {
		form = url.Values{"user_code": {code}, "deny": {"yes"}}
	}
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, page, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Error(err)
		return
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := v.e.client.Do(r)
	if err != nil {
		v.t.Error(err)
		return
	}
	_ = res.Body.Close()
}

// storedProfile is a profile's file.
type storedProfile struct {
	BaseURL  string `json:"baseUrl"`
	Token    string `json:"token"`
	SignedIn struct {
		Issuer   string    `json:"issuer"`
		ClientID string    `json:"clientId"`
		Scopes   []string  `json:"scopes"`
		Device   bool      `json:"device,omitempty"`
		CAFile   string    `json:"caFile,omitempty"`
		Refresh  string    `json:"refreshToken,omitempty"`
		Expires  time.Time `json:"expires,omitzero"`
	} `json:"signedIn"`
}

func (p storedProfile) write(t *testing.T, path string) {
	t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	testworld.Write(t, path, string(text))
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (v *visitor) profile() string { return filepath.Join(v.config, "profiles", "default.json") }

func (v *visitor) kept() (p storedProfile) {
	v.t.Helper()
	text, err := os.ReadFile(v.profile())
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		v.t.Fatal(err)
	}
	return p
}

// expire replaces the profile's token by an expired one.
func (v *visitor) expire() {
	v.t.Helper()
	p := v.kept()
	p.Token, p.SignedIn.Expires = "ended", time.Now().Add(-time.Minute)
	p.write(v.t, v.profile())
}

// serveEmulated starts a service on an emulator, and returns the flags with which people sign in to it.
func serveEmulated(t *testing.T, e *emulating) (flags []string) {
	t.Helper()
	in := func(name string) string { return filepath.Join(e.data, name) }
	s := serveWith(t, "--platform", "fabric", "--fabric-url", e.url, "--fabric-power-bi-url", e.url, "--fabric-iq-url", e.url, "--fabric-authority", e.url,
		"--fabric-client-id", emulatedClient, "--fabric-tenant", emulatedTenant, "--fabric-secret-file", in(secretFile),
		"--issuer", e.url+"/{tid}/v2.0", "--audience", emulatedClient, "--ca-file", in(caFile), "--accounts", in(accountsFile),
		"--database-url", pgtest.URL(t), "--data", t.TempDir())
	public := regexp.MustCompile(`public client +(\S+)`).FindStringSubmatch(e.stdout.String())
	return []string{"login", "--base-url", s.base, "--issuer", issuerAt(e.url), "--client-id", public[1], "--scope",
		emulatedClient + "/.default", "--ca-file", in(caFile)}
}

// A person signs in with a browser or with a code, acts on the platform, keeps a profile that only they can read, and
// signs out.
func TestSignIn(t *testing.T) {
	t.Parallel()
	e := emulate(t)
	login := serveEmulated(t, e)
	v := &visitor{t: t, e: e, config: t.TempDir(), as: "ada"}
	if got := v.must(login...); !strings.Contains(got.stdout, "in account contoso as admin") {
		t.Errorf("got %+v", got)
	}
	if info, err := os.Stat(v.profile()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the profile is %v, %v", info, err)
	}
	if got := v.must("workspaces"); !strings.Contains(got.stdout, "Corporate Functions") {
		t.Errorf("ada does not see her workspaces: %+v", got)
	}
	v.must("assess", "Retail Analytics", "Inventory")

	linus := &visitor{t: t, e: e, config: t.TempDir(), as: "linus"}
	linus.must(append(login, "--device")...)
	if got := linus.must("workspaces"); strings.Contains(got.stdout, "Corporate Functions") || !strings.Contains(got.stdout, "Retail") {
		t.Errorf("linus sees what he may not: %+v", got)
	}
	linus.refuses = true
	before := linus.kept().Token
	if got := linus.run("login"); got.code == cli.ExitOK || !strings.Contains(got.stderr, "refused on the other device") || linus.kept().Token != before {
		t.Errorf("a refused sign-in: %+v", got)
	}
	linus.refuses = false
	linus.must("login") // as the profile says
	if linus.kept().Token == before {
		t.Error("signing in again kept the token")
	}

	shown := v.must("account")
	for _, secret := range []string{v.kept().Token, v.kept().SignedIn.Refresh} {
		if secret == "" || strings.Contains(shown.stdout+shown.stderr, secret) {
			t.Error("a token is shown, or there is none")
		}
	}
	if got := v.must("logout"); !strings.Contains(got.stderr, "no endpoint that ends a sign-in") {
		t.Errorf("logout: %+v", got)
	}
	if got := v.run("account"); got.code == cli.ExitOK || !strings.Contains(got.stderr, "there is no profile") {
		t.Errorf("after logout: %+v", got)
	}
}

// A token that ends is renewed once, however many commands need it at once; when the sign-in has ended, the command says
// what to do and the profile stays.
func TestTokensAreRenewed(t *testing.T) {
	t.Parallel()
	e := emulate(t)
	login := serveEmulated(t, e)
	v := &visitor{t: t, e: e, config: t.TempDir(), as: "grace"}
	v.must(login...)
	v.expire()
	was := v.kept().SignedIn.Refresh
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			if got := v.run("account"); got.code != cli.ExitOK {
				t.Errorf("got %+v", got)
			}
		})
	}
	all.Wait()
	now := v.kept()
	if now.Token == "ended" || now.SignedIn.Refresh == was || time.Until(now.SignedIn.Expires) < 30*time.Minute || v.visits.Load() != 1 {
		t.Errorf("the profile is not renewed, or grace was asked: %d visits", v.visits.Load())
	}

	// The service refuses the token though the profile thinks that it is valid.
	p := v.kept()
	p.Token = expiredToken(t, p.Token)
	p.write(t, v.profile())
	if got := v.run("account"); got.code != cli.ExitFailed || !strings.Contains(got.stderr, "Unauthorized") || strings.Contains(got.stderr, p.Token) {
		t.Errorf("a forged token: %+v", got)
	}

	v.expire()
	p = v.kept()
	p.SignedIn.Refresh = was // which was used
	p.write(t, v.profile())
	got := v.run("account")
	if got.code != cli.ExitFailed || !strings.Contains(got.stderr, "has ended; sign in again with readiness client login") || v.kept().SignedIn.Refresh != was {
		t.Errorf("got %+v", got)
	}
	v.must("login")
	v.must("account")
}

// expiredToken returns the token with other claims, and so without a valid signature.
func expiredToken(t *testing.T, token string) string {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("%d parts", len(parts))
	}
	return parts[0] + "." + parts[1] + "x." + parts[2]
}

// When the organization asks for a stronger sign-in, the command signs the person in with the claims and continues; if
// no one can answer, it prints the command to use. Another person's sign-in is not accepted.
func TestClaimsAreAskedFor(t *testing.T) {
	t.Parallel()
	e := emulate(t, "--require-context", "c1")
	login := serveEmulated(t, e)
	v := &visitor{t: t, e: e, config: t.TempDir(), as: "ada", away: true}
	v.must(login...)
	got := v.run("workspaces")
	command := regexp.MustCompile(`readiness client (login .*--claims \S+)`).FindStringSubmatch(got.stderr)
	if got.code != cli.ExitFailed || command == nil || v.visits.Load() != 1 {
		t.Fatalf("no one there: got %+v after %d visits", got, v.visits.Load())
	}
	v.away, v.as = false, "grace"
	before := v.kept().Token
	if got := v.run("workspaces"); got.code != cli.ExitFailed || !strings.Contains(got.stderr, "another person") || v.kept().Token != before {
		t.Errorf("another person: got %+v", got)
	}
	v.as = "ada"
	if got := v.must("workspaces"); !strings.Contains(got.stdout, "Retail Analytics") || !strings.Contains(got.stderr, "asks you to sign in again") {
		t.Errorf("got %+v", got)
	}
	if v.visits.Load() != 3 {
		t.Errorf("%d visits, want 3", v.visits.Load())
	}
	v.must("workspaces")
	if v.visits.Load() != 3 {
		t.Error("ada is asked again")
	}

	other := &visitor{t: t, e: e, config: t.TempDir(), as: "linus", away: true}
	other.must(login...)
	other.must(regexp.MustCompile(`\s+`).Split(strings.ReplaceAll(command[1], " --config "+v.config, ""), -1)...)
	other.must("workspaces")
}

// When work in progress needs another sign-in, the command that waits for it signs the person in with the claims, and the work ends.
// If no one can answer, it stops and says how to continue.
//
// proves: decisions/5/sign-in
func TestWorkAsksForASignIn(t *testing.T) {
	t.Parallel()
	e := emulate(t, "--fault", "POST:getDefinition:challenge:2") // the second refuses the exchanged token as well
	login := serveEmulated(t, e)
	v := &visitor{t: t, e: e, config: t.TempDir(), as: "ada"}
	v.must(login...)
	v.away = true
	// Tokens say in seconds when they were issued: one of the second of the refusal might be a new one.
	<-time.After(time.Until(time.Now().Truncate(time.Second).Add(time.Second)))
	got := v.run("assess", "Retail Analytics", "Inventory")
	again := regexp.MustCompile(`operations wait (\S+)`).FindStringSubmatch(got.stderr)
	if got.code != cli.ExitFailed || again == nil || !strings.Contains(got.stderr, "waits until the person who started it signs in again") || v.visits.Load() != 1 {
		t.Fatalf("no one there: got %+v after %d visits", got, v.visits.Load())
	}
	v.away = false
	before := v.kept().Token
	if got := v.must("operations", "wait", again[1]); !strings.Contains(got.stderr, "asks you to sign in again") || v.visits.Load() != 2 || v.kept().Token == before {
		t.Errorf("got %+v after %d visits", got, v.visits.Load())
	}
}

// With another provider, a logout ends the sign-in there.
func TestLogoutRevokes(t *testing.T) {
	t.Parallel()
	provider := oidctest.Start(t)
	config := t.TempDir()
	path := filepath.Join(config, "profiles", "default.json")
	tokens := provider.SignIn(t, "ada", oidctest.Service)
	p := storedProfile{BaseURL: "http://127.0.0.1:1", Token: tokens.Access}
	p.SignedIn.Issuer, p.SignedIn.ClientID, p.SignedIn.Refresh = provider.URL, oidctest.Service, tokens.Refresh
	p.write(t, path)
	if got := atDesk(t.Context(), "client", "--config", config, "logout"); strings.Contains(got.stderr, "not ended") {
		t.Errorf("got %+v", got)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the profile is still there")
	}
	p.SignedIn.Expires = time.Now().Add(-time.Hour)
	p.write(t, path) // as if it had been copied
	if got := atDesk(t.Context(), "client", "--config", config, "account"); got.code != cli.ExitFailed || !strings.Contains(got.stderr, "has ended") {
		t.Errorf("the refresh token still serves: %+v", got)
	}
	provider.Stop()
	if got := atDesk(t.Context(), "client", "--config", config, "logout"); !strings.Contains(got.stderr, "not ended at the issuer") {
		t.Errorf("without the provider: %+v", got)
	}
}

// Flags of a sign-in that cannot be combined are refused before any call.
func TestLoginFlags(t *testing.T) {
	t.Parallel()
	config := t.TempDir()
	for want, args := range map[string][]string{
		"--base-url":            {"--issuer", "https://a.example"},
		"need --issuer":         {"--base-url", "http://127.0.0.1:1", "--device"},
		"needs --client-id":     {"--base-url", "http://127.0.0.1:1", "--issuer", "https://a.example"},
		"cannot be combined":    {"--base-url", "http://127.0.0.1:1", "--issuer", "https://a.example", "--client-id", "x", "--token-file", "t"},
		"must begin with https": {"--base-url", "http://127.0.0.1:1", "--issuer", "http://a.example", "--client-id", "x"},
		"--ca-file":             {"--base-url", "http://127.0.0.1:1", "--issuer", "https://a.example", "--client-id", "x", "--ca-file", "none"},
	} {
		got := atDesk(t.Context(), append([]string{"client", "--config", config, "login"}, args...)...)
		if got.code == cli.ExitOK || !strings.Contains(got.stderr, want) {
			t.Errorf("%v: got %+v, want %q", args, got, want)
		}
		if _, err := os.Stat(filepath.Join(config, "profiles", "default.json")); err == nil {
			t.Errorf("%v: left a profile", args)
		}
	}
}
