package commands_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/platform/folder"
)

// withPermissions makes the folder platform take permissions from the accounts.
func (s *service) withPermissions(t *testing.T) {
	t.Helper()
	p, err := folder.Open(s.Root, folder.Options{Access: s.Views.Access})
	check(t, err)
	s.Platform, s.Accounts.Permissions = p, p
}

// permit sets the permissions of people of an account.
func (s *service) permit(t *testing.T, accountID string, access map[string]map[item.Permission]item.Access) {
	t.Helper()
	d := declaration(accountID)
	for name, a := range access {
		d.People = append(d.People, account.Person{Person: item.Person{ID: name}, Role: account.Member, Permissions: a})
	}
	_, err := s.Accounts.Apply(t.Context(), []account.Declaration{d})
	check(t, err)
}

// Permissions are those of the person in the account of the call, as of now: a
// change of the accounts applies to the next call.
//
// proves: 4.3/permissions 2.4/access
func TestPermissionsAreAsOfNow(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	s.withPermissions(t)
	access := func(platform, usage, storage, agent item.Access) map[item.Permission]item.Access {
		return map[item.Permission]item.Access{
			item.PermissionPlatform: platform, item.PermissionUsage: usage, item.PermissionStorage: storage, item.PermissionAgent: agent,
		}
	}
	is := func(caller commands.Caller, want map[item.Permission]item.Access) {
		t.Helper()
		if got, err := s.Accounts.Permissions.Access(t.Context(), caller.Caller); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s of %s: got %v, %v, want %v", caller.Person.ID, caller.Account, got, err, want)
		}
	}
	ana, bob, other := s.Ana(account.Team), s.Person("contoso", "bob", account.Team), s.Person("fabrikam", "ana", account.Team)
	if _, err := s.Accounts.Permissions.Access(t.Context(), ana.Caller); !domain.IsRefused(err, domain.PlatformAccessDenied) {
		t.Errorf("a person of no account: %v", err)
	}

	s.permit(t, "contoso", map[string]map[item.Permission]item.Access{"ana": {item.PermissionUsage: item.Granted, item.PermissionAgent: item.Unavailable}, "bob": nil})
	s.permit(t, "fabrikam", map[string]map[item.Permission]item.Access{"ana": {item.PermissionPlatform: item.ConsentRequired}})
	is(ana, access(item.Granted, item.Granted, item.ConsentRequired, item.Unavailable))
	is(bob, access(item.Granted, item.ConsentRequired, item.ConsentRequired, item.ConsentRequired)) // the default
	is(other, access(item.ConsentRequired, item.ConsentRequired, item.ConsentRequired, item.ConsentRequired))

	s.permit(t, "contoso", map[string]map[item.Permission]item.Access{"ana": {item.PermissionPlatform: item.Unavailable}})
	is(ana, access(item.Unavailable, item.ConsentRequired, item.ConsentRequired, item.ConsentRequired))
	if _, err := s.Accounts.Permissions.Access(t.Context(), bob.Caller); !domain.IsRefused(err, domain.PlatformAccessDenied) {
		t.Errorf("a person who was removed: %v", err)
	}
}

// Only the people of an account whose settings say so may write to Fabric, as of now.
func TestWhoMayWriteToFabric(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	s.withPermissions(t)
	ana, bob := s.Ana(account.Team).Caller, s.Person("fabrikam", "bob", account.Team).Caller
	for _, writes := range []bool{false, true, false} {
		d := account.Declaration{AccountID: "contoso", Plan: account.Team, Status: account.Active, Region: "westeurope",
			Settings: account.Settings{AddPixies: true, AIFeatures: true, DefinitionCopies: account.CopiesNone, FabricWrites: writes},
			People:   []account.Person{{Person: ana.Person, Role: account.Admin}}}
		_, err := s.Accounts.Apply(t.Context(), []account.Declaration{d})
		check(t, err)
		for as, want := range map[string]bool{"ana": writes, "bob": false} {
			caller := ana
			if as == "bob" {
				caller = bob
			}
			if may, err := s.Views.MayWriteFabric(t.Context(), caller); err != nil || may != want {
				t.Errorf("%s may write: %t, %v; want %t", as, may, err, want)
			}
		}
	}
}

// Without the platform permission nothing on the platform is read or started for
// the person, and refused calls spend nothing.
//
// proves: 7.2/PlatformConsentRequired 7.2/PlatformUnavailable 1/5
func TestCallsNeedThePlatformPermission(t *testing.T) {
	t.Parallel()
	s := newService(t, 2)
	s.withPermissions(t)
	caller := s.Ana(account.Team)
	calls := map[string]func() error{
		"workspaces": func() error { _, err := s.Workspaces.List(t.Context(), caller); return err },
		"items": func() error {
			_, err := s.Workspaces.Items(t.Context(), caller, retail, item.SemanticModel)
			return err
		},
		"item": func() error {
			_, err := s.Workspaces.Item(t.Context(), caller, retail, item.SemanticModel, model(0))
			return err
		},
		"assess": func() error { _, err := s.Assessments.Start(t.Context(), caller, retail, model(0)); return err },
		"assess many": func() error {
			_, err := s.Assessments.StartBulk(t.Context(), caller, retail, []uuid.UUID{model(0), model(1)})
			return err
		},
	}
	for access, code := range map[item.Access]domain.Code{item.ConsentRequired: domain.PlatformConsentRequired, item.Unavailable: domain.PlatformUnavailable} {
		s.permit(t, "contoso", map[string]map[item.Permission]item.Access{"ana": {item.PermissionPlatform: access, item.PermissionUsage: item.Granted}, "bob": nil})
		before := s.Left(t)
		for name, call := range calls {
			if err := call(); !domain.IsRefused(err, code) {
				t.Errorf("%s, platform %s: got %v, want %s", name, access, err, code)
			}
		}
		s.Unchanged(t, before)
		if a, f := s.Used(t, "contoso", account.Assessments, account.Day), s.Used(t, "contoso", account.FirstLooks, account.Lifetime); a+f != 0 {
			t.Errorf("platform %s: %d assessments and %d first looks are spent", access, a, f)
		}
		// Another person's permission is not affected.
		if _, err := s.Workspaces.Items(t.Context(), s.Person("contoso", "bob", account.Team), retail, item.SemanticModel); err != nil {
			t.Errorf("bob, while ana's is %s: %v", access, err)
		}
	}
	// Missing optional permissions do not prevent starts.
	s.permit(t, "contoso", map[string]map[item.Permission]item.Access{"ana": {item.PermissionUsage: item.Unavailable, item.PermissionStorage: item.Unavailable, item.PermissionAgent: item.Unavailable}})
	for name, call := range calls {
		if err := call(); err != nil {
			t.Errorf("%s, with the platform permission alone: %v", name, err)
		}
	}
}

// counting counts how often a capacity is read.
type counting struct {
	commands.Platform
	capacities atomic.Int32
}

func (c *counting) Capacity(ctx context.Context, as item.Caller, workspaceID uuid.UUID) (item.CapacityState, error) {
	c.capacities.Add(1)
	return c.Platform.Capacity(ctx, as, workspaceID)
}

// With capacityDetails off no capacity is read, paused or not; with it on, each
// call that starts work reads one (docs/decisions.md 8.6).
//
// proves: 2.3/settings/capacityDetails decisions/8/6
func TestCapacityReadOnlyIfAllowed(t *testing.T) {
	t.Parallel()
	s := newService(t, 2)
	platform := &counting{Platform: s.Platform}
	s.Platform = platform
	starts := func(caller commands.Caller) {
		t.Helper()
		if _, err := s.Assessments.Start(t.Context(), caller, retail, model(0)); err != nil {
			t.Error(err)
		}
		if _, err := s.Assessments.StartBulk(t.Context(), caller, retail, []uuid.UUID{model(0), model(1)}); err != nil {
			t.Error(err)
		}
		if _, err := s.Workspaces.Items(t.Context(), caller, retail, item.SemanticModel); err != nil {
			t.Error(err)
		}
	}
	caller := s.Ana(account.Team)
	caller.Settings.CapacityDetails = false
	starts(caller)
	if _, err := s.Assessments.Start(t.Context(), caller, paused, model(900)); err != nil {
		t.Errorf("in a paused workspace: %v", err)
	}
	if n := platform.capacities.Load(); n != 0 {
		t.Errorf("with capacityDetails off a capacity was read %d times", n)
	}
	caller.Settings.CapacityDetails = true
	starts(caller)
	if n := platform.capacities.Load(); n != 2 {
		t.Errorf("with capacityDetails on a capacity was read %d times by two starts and a listing, want 2", n)
	}
}
