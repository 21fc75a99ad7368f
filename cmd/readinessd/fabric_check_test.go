package main

import (
	"context"
	"encoding/pem"
	"maps"
	"net"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"readiness/cmd/cli"
	"readiness/platform/fabric/emulator"
	"readiness/platform/folder"
	"readiness/test/samples"
	"readiness/test/testworld"
)

// checked is the provider and platform that readinessd fabric check runs against.
type checked struct {
	t       *testing.T
	service *emulator.Service
	entra   *emulator.Entra
	server  *httptest.Server
	flags   map[string]string
	tokens  []string // that no output may have

	interrupt context.CancelFunc
}

const checkedSecret = "of-the-application"

func newChecked(t *testing.T) *checked {
	t.Helper()
	behind, err := folder.Open(samples.Workspaces(t), folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	entra, err := emulator.NewEntra(emulatedClient, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	entra.SetTenants(emulatedTenant)
	entra.Expect(checkedSecret)
	service := emulator.New(emulator.Options{Folder: behind, Person: entra.Person})
	c := &checked{t: t, service: service, entra: entra, server: httptest.NewTLSServer(emulator.Handler(service, entra))}
	t.Cleanup(c.server.Close)
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.server.Certificate().Raw}))
	c.flags = map[string]string{"fabric-client-id": emulatedClient, "fabric-tenant": emulatedTenant, "fabric-secret-file": c.file(checkedSecret + "\n"),
		"ca-file": c.file(ca), "fabric-url": c.server.URL, "fabric-power-bi-url": c.server.URL, "fabric-authority": c.server.URL,
		"token-file": c.file(c.person(emulatedTenant, time.Hour))}
	return c
}

func (c *checked) file(text string) string {
	path := filepath.Join(c.t.TempDir(), "file")
	testworld.Write(c.t, path, text)
	return path
}

func (c *checked) person(tenant string, life time.Duration) string {
	token, err := c.entra.SignIn(tenant, emulator.User{Name: "ada"}.ID(), life)
	if err != nil {
		c.t.Fatal(err)
	}
	c.tokens = append(c.tokens, token)
	return token
}

// refuses makes the provider refuse exchanges for the platform with a number of Entra's.
func (c *checked) refuses(status, number int, name string) {
	refusal := emulator.Refusal{Scope: "Workspace.Read.All", Status: status,
		Body: map[string]any{"error": name, "error_codes": []int{number}, "error_description": "AADSTS"}}
	c.entra.Refuse(slices.Repeat([]emulator.Refusal{refusal}, 5)...) // the library repeats some calls
}

// reads makes the list of workspaces fail.
func (c *checked) reads(status int, code, message string) {
	c.service.Script(emulator.Fault{Path: "/v1/workspaces", Answer: emulator.Error(status, code, message), Times: 9})
}

// silent returns the address of a host that accepts connections and never answers; at the first, the person interrupts the check.
func (c *checked) silent() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = l.Close() })
	go func() {
		if taken, err := l.Accept(); err == nil {
			c.interrupt()
			<-c.t.Context().Done()
			_ = taken.Close()
		}
	}()
	return "https://" + l.Addr().String()
}

// certificate and federated replace the secret.
func (c *checked) certificate(file string) {
	delete(c.flags, "fabric-secret-file")
	c.flags["fabric-certificate-file"] = file
}

func (c *checked) federated(file string) {
	delete(c.flags, "fabric-secret-file")
	c.flags["fabric-federated-token-file"] = file
}

// Each possible error ends the check with advice, before anything that depends on it is tried. No
// output has a secret or a token.
func TestFabricCheck(t *testing.T) {
	t.Parallel()
	const (
		another = "44444444-4444-4444-8444-444444444444"
		nobody  = "https://127.0.0.1:1"
	)
	set := func(flag, value string) func(*checked) { return func(c *checked) { c.flags[flag] = value } }
	entra := func(number int) func(*checked) { return func(c *checked) { c.refuses(400, number, "invalid_grant") } }
	reads := func(status int, code, message string) func(*checked) {
		return func(c *checked) { c.reads(status, code, message) }
	}
	within := func(flag string) func(*checked) { return func(c *checked) { c.flags[flag] = c.silent() } }
	for name, row := range map[string]struct {
		change func(*checked)
		code   int
		says   string // on stderr; on stdout if the code is ExitOK
		last   string // the last step that held; "" for none
	}{
		"all is well":             {func(*checked) {}, cli.ExitOK, "2 workspace(s)", "reading"},
		"no token":                {func(c *checked) { delete(c.flags, "token-file") }, cli.ExitOK, "give the token that a person sends", "exchange"},
		"no optional consent":     {func(c *checked) { c.entra.Withhold("Dataset.Read.All") }, cli.ExitOK, "usage: not granted; grant the application https://api.fabric.microsoft.com/Dataset.Read.All (API permissions, Grant admin consent)", "reading"},
		"no client id":            {func(c *checked) { delete(c.flags, "fabric-client-id") }, cli.ExitUsage, "needs --fabric-client-id", ""},
		"no credential":           {func(c *checked) { delete(c.flags, "fabric-secret-file") }, cli.ExitUsage, "needs one credential", ""},
		"no such secret file":     {set("fabric-secret-file", "absent"), cli.ExitFailed, "--fabric-secret-file: absent does not exist", ""},
		"no such token file":      {set("token-file", "absent"), cli.ExitFailed, "--token-file: absent does not exist", ""},
		"an empty token file":     {func(c *checked) { c.flags["token-file"] = c.file("\n") }, cli.ExitFailed, "--token-file: the file is empty", ""},
		"no such CA file":         {set("ca-file", "absent"), cli.ExitFailed, "--ca-file: absent does not exist", ""},
		"a CA file of another":    {func(c *checked) { c.flags["ca-file"] = c.file("x") }, cli.ExitFailed, "holds no certificate in PEM", ""},
		"no CA file":              {func(c *checked) { delete(c.flags, "ca-file") }, cli.ExitFailed, "check --ca-file, and whether a proxy", "configuration"},
		"a certificate alone":     {func(c *checked) { c.certificate(c.flags["ca-file"]) }, cli.ExitFailed, "--fabric-certificate-file: ", ""},
		"no such federated token": {func(c *checked) { c.federated("absent") }, cli.ExitFailed, "--fabric-federated-token-file: absent does not exist", ""},
		"an empty federated token": {func(c *checked) { c.federated(c.file(" ")) }, cli.ExitFailed,
			"--fabric-federated-token-file: the file is empty", ""},
		"a tenant that is not there": {set("fabric-tenant", another), cli.ExitFailed, "tenant " + another + " is not known at", "configuration"},
		"a token of another tenant": {func(c *checked) { c.flags["token-file"] = c.file(c.person(another, time.Hour)) }, cli.ExitFailed,
			"token of tenant " + another + ", for which the service is not configured; add it to --fabric-tenant", "sign-in"},
		"another client id":   {set("fabric-client-id", another), cli.ExitFailed, "not for the application " + another + "; sign in", "sign-in"},
		"an unknown client":   {entra(700016), cli.ExitFailed, "check --fabric-client-id and --fabric-tenant (AADSTS700016)", "sign-in"},
		"another secret":      {func(c *checked) { c.flags["fabric-secret-file"] = c.file("guessed") }, cli.ExitFailed, "must hold the secret's value, not its id (AADSTS7000215)", "sign-in"},
		"an old secret":       {entra(7000222), cli.ExitFailed, "the client secret has expired; add one", "sign-in"},
		"another certificate": {entra(700027), cli.ExitFailed, "not one of the application's, or has expired; add it", "sign-in"},
		"another federation":  {entra(70021), cli.ExitFailed, "compare their issuer, subject and audience", "sign-in"},
		"no permissions":      {entra(650056), cli.ExitFailed, "add those of docs/fabric.md", "sign-in"},
		"no service":          {entra(500011), cli.ExitFailed, "an administrator can turn it on", "sign-in"},
		"not assigned":        {entra(50105), cli.ExitFailed, "assign the person or a group", "sign-in"},
		"a stranger":          {entra(50020), cli.ExitFailed, "invite the person as a guest", "sign-in"},
		"revoked":             {entra(50173), cli.ExitFailed, "has expired or was revoked; sign in again and put the new one there", "sign-in"},
		"no consent": {func(c *checked) { c.entra.Withhold("Workspace.Read.All") }, cli.ExitFailed,
			"grant the application https://api.fabric.microsoft.com/Workspace.Read.All", "sign-in"},
		"conditional access blocks": {entra(53003), cli.ExitFailed, "its administrator finds which one in Entra's sign-in logs (AADSTS53003)", "sign-in"},
		"conditional access asks":   {func(c *checked) { c.entra.Require("c1") }, cli.ExitFailed, "sign in with: readiness client login --claims ", "sign-in"},
		"the provider fails":        {func(c *checked) { c.refuses(503, 90033, "temporarily_unavailable") }, cli.ExitFailed, "failed; try again", "sign-in"},
		"a program": {func(c *checked) {
			token, err := c.entra.AppOnly(emulatedTenant, time.Hour)
			c.tokens, c.flags["token-file"] = append(c.tokens, token), c.file(token)
			if err != nil {
				c.t.Fatal(err)
			}
		}, cli.ExitFailed, "app-only), and the service acts for people only; sign in as a person", "sign-in"},
		"an expired token": {func(c *checked) { c.flags["token-file"] = c.file(c.person(emulatedTenant, -time.Hour)) }, cli.ExitFailed,
			"has expired or was revoked; sign in again and put the new one there", "sign-in"},
		"no token at all":     {func(c *checked) { c.flags["token-file"] = c.file("a.b.c") }, cli.ExitFailed, "no claims tid and oid", "sign-in"},
		"no provider":         {set("fabric-authority", nobody), cli.ExitFailed, "check the network and --fabric-authority", "configuration"},
		"no Fabric":           {set("fabric-url", nobody), cli.ExitFailed, "check the network and --fabric-url", "exchange"},
		"no Power BI":         {set("fabric-power-bi-url", nobody), cli.ExitFailed, "check the network and --fabric-power-bi-url", "exchange"},
		"a silent provider":   {within("fabric-authority"), cli.ExitInterrupted, "interrupted", "configuration"},
		"a silent Fabric":     {within("fabric-url"), cli.ExitInterrupted, "interrupted", "exchange"},
		"another address":     {set("fabric-authority", nobody+"/x"), cli.ExitFailed, "without a path", ""},
		"Fabric knows no one": {reads(401, "Unauthorized", ""), cli.ExitFailed, "check that Fabric is on for the tenant", "exchange"},
		"Fabric's token ends": {reads(401, "TokenExpired", ""), cli.ExitFailed, "sign in again and put the new one there", "exchange"},
		"no license": {reads(403, "UserNotLicensed", "The user has no license"), cli.ExitFailed,
			`(UserNotLicensed): "The user has no license"; check that Fabric is on for the tenant, and that the person may use it and has a license`, "exchange"},
		"no privileges": {reads(403, "InsufficientPrivileges", ""), cli.ExitFailed, "does not let you do this (InsufficientPrivileges)", "exchange"},
		"no scopes":     {reads(403, "InsufficientScopes", ""), cli.ExitFailed, "does not let you do this (InsufficientScopes)", "exchange"},
		"no such route": {reads(404, "EntityNotFound", ""), cli.ExitFailed, "the platform failed (EntityNotFound)", "exchange"},
		"a revoked session": {func(c *checked) {
			c.service.Script(emulator.Fault{Path: "/v1/workspaces", Answer: emulator.Challenge(emulator.ClaimsFor("c1")), Times: 9})
		}, cli.ExitFailed, "sign in with: readiness client login --claims ", "exchange"},
		"throttled": {func(c *checked) {
			c.service.Script(emulator.Fault{Path: "/v1/workspaces", Answer: c.service.Throttled(50 * time.Second), Times: 9})
		}, cli.ExitFailed, "no further calls for now (RequestBlocked); try again in 50s", "exchange"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChecked(t)
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			c.interrupt = interrupt
			row.change(c)
			args := []string{"fabric", "check"}
			for _, flag := range slices.Sorted(maps.Keys(c.flags)) {
				args = append(args, "--"+flag, c.flags[flag])
			}
			got := run(ctx, args...)
			words := got.stderr
			if row.code == cli.ExitOK {
				words = got.stdout
			}
			if got.code != row.code || !strings.Contains(words, row.says) {
				t.Errorf("got %+v, want %d with %q", got, row.code, row.says)
			}
			steps := strings.Split(strings.TrimSpace(got.stdout), "\n")
			if last, _, _ := strings.Cut(steps[len(steps)-1], " "); last != row.last {
				t.Errorf("the last step that held is %q, want %q", last, row.last)
			}
			for _, secret := range append(c.tokens, checkedSecret, "guessed") {
				if strings.Contains(got.stdout+got.stderr, secret) || strings.Contains(got.stdout+got.stderr, "eyJhbGciOiJSUzI1") {
					t.Errorf("a secret is printed: %+v", got)
				}
			}
		})
	}
}
