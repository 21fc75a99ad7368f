package http_test

import (
	"context"
	"fmt"
	"testing"

	"readiness/domain"
	"readiness/domain/item"
)

// accessOf is a permissions port that calls the function.
type accessOf func() (map[item.Permission]item.Access, error)

func (f accessOf) Access(context.Context, item.Caller) (map[item.Permission]item.Access, error) {
	return f()
}

// The four permissions in their order, with the person's current access.
//
// proves: 4.3/permissions 2.4/name 2.4/permission 2.4/access 2.4/required 2.4/neededFor 2.4/message 2.4/consentUrl
func TestPermissionsList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shows := func(person string, want ...item.Access) {
		t.Helper()
		w.spendsNothing(func() {
			all := w.get("/v1/account/permissions", w.as(person)).ok(200).value()
			if len(all) != 4 {
				t.Fatalf("got %v, want four permissions", all)
			}
			for i, name := range []string{"platform", "usage", "storage", "agent"} {
				p, access := all[i], want[i]
				_, says := p["message"]
				page, consent := p["consentUrl"], fmt.Sprintf("https://portal.example.com/consent?grant=%s", p["permission"])
				if p["name"] != name || p["access"] != string(access) || p["required"] != (i == 0) || p["neededFor"] == "" ||
					says != (access != item.Granted) || (access == item.ConsentRequired) != (page != nil) || page != nil && page != consent {
					t.Errorf("%s: got %v, want %s %s", person, p, name, access)
				}
			}
		})
	}
	shows("ada", item.Granted, item.Granted, item.ConsentRequired, item.ConsentRequired)
	shows("uma", item.Granted, item.Unavailable, item.ConsentRequired, item.ConsentRequired)
	_, err := w.Pool.Exec(t.Context(), `UPDATE members_v2 SET member = jsonb_set(member, '{permissions}', '{"agent":"Granted"}') WHERE person = 'uma'`)
	check(t, err)
	shows("uma", item.Granted, item.ConsentRequired, item.ConsentRequired, item.Granted)

	w.Accounts.Permissions = accessOf(func() (map[item.Permission]item.Access, error) {
		return nil, domain.Refuse(domain.PlatformUnavailable, "no answer")
	})
	shows("ada", item.Unavailable, item.Unavailable, item.Unavailable, item.Unavailable)
	w.Accounts.Permissions = accessOf(func() (map[item.Permission]item.Access, error) {
		return nil, domain.Refuse(domain.PlatformAccessDenied, "gone")
	})
	w.get("/v1/account/permissions", w.as("ada")).refused(403, domain.PlatformAccessDenied)
	w.Accounts.Permissions = accessOf(func() (map[item.Permission]item.Access, error) { return nil, fmt.Errorf("hunter2") })
	w.get("/v1/account/permissions", w.as("ada")).refused(500, domain.UnknownError)
}
