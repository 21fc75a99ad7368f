package testworld

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/AzureAD/microsoft-authentication-library-for-go/apps/confidential"
	"github.com/google/uuid"

	"readiness/cmd/readinessd/wiring"
	"readiness/domain/item"
	"readiness/platform/entra"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/platform/folder"
	"readiness/platform/reads"
)

// TenantID is the tenant of every Tenant, and TenantClient the service's application in it.
const (
	TenantID     = "11111111-1111-4111-8111-111111111111"
	TenantClient = "33333333-3333-4333-8333-333333333333"
)

// Tenant is an emulated Fabric over a world's folder, at which people sign in with an emulated Entra and the service acts for
// them by exchanging their tokens.
type Tenant struct {
	Platform *fabric.Platform
	Service  *emulator.Service
	Entra    *emulator.Entra
	// Hides makes the service take definitions for ones that may lack parts below Copilot/. By default they show all.
	Hides atomic.Bool
	// Issuer is the issuer of people's tokens, and Transport trusts its certificate.
	Issuer    string
	Transport http.RoundTripper
}

// Tenant starts the emulator for people, who are known by their names there. It ends with t.
func (w *World) Tenant(t testing.TB, role func(person string, workspaceID uuid.UUID) emulator.Role, people ...string) *Tenant {
	t.Helper()
	behind, err := folder.Open(w.Root, folder.Options{})
	Check(t, err)
	now := w.Clock.Now
	f := &Tenant{}
	f.Entra, err = emulator.NewEntra(TenantClient, now)
	Check(t, err)
	f.Service = emulator.New(emulator.Options{Folder: behind, Person: f.Entra.Person, Role: role, Now: now, PageSize: 3,
		Lasts: time.Nanosecond})
	server := httptest.NewTLSServer(emulator.Handler(f.Service, f.Entra))
	t.Cleanup(server.Close)
	f.Issuer, f.Transport = server.URL+"/"+TenantID+"/v2.0", server.Client().Transport
	f.Entra.SetAddress(server.URL)
	var users []emulator.User
	for _, p := range people {
		users = append(users, emulator.User{Name: p, Object: objectIn(TenantID, p)})
	}
	f.Entra.SetPeople(users...)
	secret, err := confidential.NewCredFromSecret("of the service")
	Check(t, err)
	exchange, err := entra.New(entra.Options{Scopes: fabric.Scopes, Authority: server.URL, ClientID: TenantClient, Credential: secret,
		Tenants: []string{TenantID}, Transport: f.Transport, Now: now})
	Check(t, err)
	f.Platform, err = fabric.New(fabric.Options{URL: server.URL, PowerBIURL: server.URL, IQURL: server.URL, Transport: f.Transport,
		Tokens: exchange.For, Challenged: exchange.Challenged, Valid: exchange.Valid, Now: now,
		Probed: func(item.Person) fabric.Answers { return fabric.Answers{CopilotShown: !f.Hides.Load()} },
		Reads:  reads.Store{Pool: w.Pool}, Exports: reads.Exports{Pool: w.Pool},
		Writing: func(context.Context, item.Caller) error { return nil },
		Wait:    func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	Check(t, err)
	return f
}

// In makes the emulator the platform of a world.
func (f *Tenant) In(w *World) {
	w.Platform, w.Accounts.Permissions = f.Platform, f.Platform
	w.Work.Platform, w.Work.Permissions, w.Work.Queries = f.Platform, f.Platform, wiring.FabricQueries{Platform: f.Platform}
	w.Agents.Agents = f.Platform
}

// People are the lines of an accounts file for people of the tenant, who have a role in an account.
func (f *Tenant) People(role string, names ...string) string {
	var lines strings.Builder
	for _, p := range names {
		fmt.Fprintf(&lines, "      - {issuer: %s, person: %s/%s, role: %s}\n", f.Issuer, TenantID, objectIn(TenantID, p), role)
	}
	return lines.String()
}

// SignIn returns the token that a person sends to the service.
func (f *Tenant) SignIn(person string, life time.Duration) (string, error) {
	return f.Entra.SignIn(TenantID, objectIn(TenantID, person), life)
}

// Person returns the id of a person of the tenant, as the service knows it.
func (*Tenant) Person(name string) string { return TenantID + "/" + objectIn(TenantID, name) }

// objectIn returns the id of a person in a tenant.
func objectIn(tenant, person string) string {
	return uuid.NewSHA1(uuid.MustParse(tenant), []byte(person)).String()
}
