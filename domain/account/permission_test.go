package account_test

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"readiness/domain/account"
	"readiness/domain/item"
)

// proves: 2.4/name 2.4/permission 2.4/access 2.4/required 2.4/neededFor 2.4/message 2.4/consentUrl
func TestPermissions(t *testing.T) {
	t.Parallel()
	portal, err := url.Parse("https://portal.example.com/me?tab=permissions")
	if err != nil {
		t.Fatal(err)
	}
	page := func(permission string) string {
		return "https://portal.example.com/me?grant=" + permission + "&tab=permissions"
	}
	all := account.Permissions(map[item.Permission]item.Access{
		item.PermissionPlatform: item.Granted, item.PermissionUsage: item.ConsentRequired, item.PermissionStorage: item.Unavailable,
	}, *portal)
	for i, want := range []struct {
		name       item.Permission
		permission string
		access     item.Access
		required   bool
		message    string
		page       string
	}{
		{item.PermissionPlatform, "Item.ReadWrite.All", item.Granted, true, "", ""},
		{item.PermissionUsage, "Dataset.Read.All", item.ConsentRequired, false, "not granted Dataset.Read.All", page("Dataset.Read.All")},
		{item.PermissionStorage, "user_impersonation", item.Unavailable, false, "cannot be used now", ""},
		{item.PermissionAgent, "DataAgent.Execute.All", item.Unavailable, false, "cannot be used now", ""}, // access unknown
	} {
		p := all[i]
		if p.Name != want.name || p.Permission != want.permission || p.Access != want.access || p.Required != want.required || p.ConsentURL != want.page {
			t.Errorf("got %+v, want %+v", p, want)
		}
		if !strings.Contains(p.Message, want.message) || want.message == "" && p.Message != "" {
			t.Errorf("%s: the message is %q, want %q in it", p.Name, p.Message, want.message)
		}
		if !strings.HasSuffix(p.NeededFor, ".") || account.VendorName(p.Name) != p.Permission {
			t.Errorf("%s: needed for %q, VendorName %q", p.Name, p.NeededFor, account.VendorName(p.Name))
		}
	}
	if len(all) != 4 {
		t.Errorf("%d permissions are listed, want 4", len(all))
	}
	if portal.String() != "https://portal.example.com/me?tab=permissions" || account.VendorName("writing") != "" {
		t.Error("the portal's address was changed, or an unknown permission has a name")
	}
}

// A permission has a message exactly when it is not granted, and a page exactly when
// consent would help.
func TestPermissionsSayWhatToDo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		access := rapid.MapOf(
			rapid.SampledFrom([]item.Permission{item.PermissionPlatform, item.PermissionUsage, item.PermissionStorage, item.PermissionAgent, "other"}),
			rapid.SampledFrom([]item.Access{item.Granted, item.ConsentRequired, item.Unavailable, "", "Odd"}),
		).Draw(t, "access")
		for _, p := range account.Permissions(access, url.URL{Scheme: "https", Host: "portal.example.com"}) {
			if (p.Message == "") != (p.Access == item.Granted) || (p.ConsentURL == "") != (p.Access != item.ConsentRequired) {
				t.Fatalf("%+v", p)
			}
			if said := access[p.Name]; p.Access != said && p.Access != item.Unavailable {
				t.Fatalf("%s is %s, and the message is %q", p.Name, p.Access, said)
			}
		}
	})
}
