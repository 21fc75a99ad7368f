package union_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/platform/folder"
	"readiness/platform/union"
	"readiness/test/samples"
)

// newUnion returns an empty folder or one with the samples, united with an emulator of Fabric that has the samples. No one is asked
// to sign in: a token is the person's name. consent is what people lack at Fabric.
func newUnion(t *testing.T, dir string, consent error) (*union.Platform, *emulator.Service) {
	t.Helper()
	local, err := folder.Open(dir, folder.Options{})
	check(t, err)
	behind, err := folder.Open(samples.Workspaces(t), folder.Options{})
	check(t, err)
	service := emulator.New(emulator.Options{Folder: behind, Lasts: time.Nanosecond,
		Person: func(bearer string) (emulator.Person, error) {
			return emulator.Person{ID: bearer, Scopes: []string{"Workspace.Read.All", "Item.ReadWrite.All", "Report.Read.All", "Item.Read.All"}}, nil
		}})
	server := httptest.NewTLSServer(service)
	t.Cleanup(server.Close)
	remote, err := fabric.New(fabric.Options{URL: server.URL, PowerBIURL: server.URL, Transport: server.Client().Transport,
		Wait:   func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Tokens: func(_ context.Context, as item.Caller, _ item.Permission) (string, error) { return as.Token, consent }})
	check(t, err)
	return &union.Platform{Folder: local, Fabric: remote, Serves: func(p item.Person) bool { return p.Issuer == "entra" }}, service
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var retail = uuid.MustParse("dd861a23-9ffc-5a77-a120-f2f1e51bfd19")

func caller(issuer string) item.Caller {
	return item.Caller{Person: item.Person{Issuer: issuer, ID: "ada"}, Token: "ada"}
}

// Everything in a workspace that the folder lacks comes from Fabric, and calls of other people do not reach it.
func TestBothPlatforms(t *testing.T) {
	t.Parallel()
	p, service := newUnion(t, t.TempDir(), nil)
	as := caller("entra")
	all, err := p.Workspaces(t.Context(), as)
	check(t, err)
	want, err := p.Fabric.Workspaces(t.Context(), as)
	check(t, err)
	if diff := cmp.Diff(want, all); diff != "" || len(all) == 0 {
		t.Errorf("workspaces: -want +got:\n%s", diff)
	}
	w, err := p.Workspace(t.Context(), as, retail)
	check(t, err)
	state, err := p.Capacity(t.Context(), as, w.ID)
	check(t, err)
	models, err := p.Items(t.Context(), as, w.ID, item.SemanticModel)
	check(t, err)
	reports, err := p.Reports(t.Context(), as, w.ID)
	check(t, err)
	if state == "" || len(models) == 0 || len(reports) == 0 {
		t.Fatalf("got capacity %q, %d models, %d reports", state, len(models), len(reports))
	}
	one, err := p.Item(t.Context(), as, w.ID, item.SemanticModel, models[0].ID)
	check(t, err)
	d, err := p.Definition(t.Context(), as, one)
	check(t, err)
	_, ok, err := p.ModelOf(t.Context(), as, item.Item{ID: reports[0].ID, Type: item.Report, WorkspaceID: w.ID})
	if err != nil || !ok || len(d.Parts) == 0 {
		t.Errorf("got a definition of %d parts, a model: %t, %v", len(d.Parts), ok, err)
	}
	if err := p.WriteDefinition(t.Context(), as, one, definition.New(), ""); err == nil {
		t.Error("it was written")
	}

	calls := len(service.Calls())
	other := caller("embedded")
	if all, err := p.Workspaces(t.Context(), other); err != nil || len(all) != 0 {
		t.Errorf("another person sees %d workspaces, %v", len(all), err)
	}
	if _, err := p.Workspace(t.Context(), other, retail); !domain.IsRefused(err, domain.WorkspaceNotFound) {
		t.Errorf("another person reads a workspace: %v", err)
	}
	if access, err := p.Access(t.Context(), other); err != nil || access[item.PermissionPlatform] != item.Granted {
		t.Errorf("got %v, %v", access, err)
	}
	if n := len(service.Calls()) - calls; n != 0 {
		t.Errorf("another person's calls reached Fabric %d times", n)
	}
}

// A workspace that both have is the folder's, and a person of Fabric needs its consent.
func TestFolderFirst(t *testing.T) {
	t.Parallel()
	missing := domain.Refuse(domain.PlatformConsentRequired, "not granted")
	p, service := newUnion(t, samples.Workspaces(t), missing)
	as := caller("entra")
	models, err := p.Items(t.Context(), as, retail, item.SemanticModel)
	check(t, err)
	if _, err := p.Definition(t.Context(), as, models[0]); err != nil {
		t.Error(err)
	}
	if here, err := p.InFolder(t.Context(), as, retail); err != nil || !here {
		t.Errorf("got %t, %v", here, err)
	}
	access, err := p.Access(t.Context(), as)
	if err != nil || access[item.PermissionPlatform] != item.ConsentRequired {
		t.Errorf("got %v, %v", access, err)
	}
	if _, err := p.Workspaces(t.Context(), as); !domain.IsRefused(err, domain.PlatformConsentRequired) {
		t.Errorf("got %v", err)
	}
	if n := len(service.Calls()); n != 0 {
		t.Errorf("Fabric was called %d times without consent", n)
	}
}
