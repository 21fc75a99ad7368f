package http_test

import (
	"testing"

	"readiness/domain"
	"readiness/domain/account"
	readinesshttp "readiness/http"
)

// Routes that need the admin role refuse everybody else, and no other route
// asks for a role.
//
// proves: 5/6-AdminRoleRequired 7.2/AdminRoleRequired
func TestAdminRole(t *testing.T) {
	t.Parallel()
	forAdmins := 0
	for _, route := range readinesshttp.Routes() {
		if err := readinesshttp.Allowed(route, account.Admin); err != nil {
			t.Errorf("%s %s refuses an administrator: %v", route.Method, route.Path, err)
		}
		err := readinesshttp.Allowed(route, account.Member)
		if route.Role != account.Admin {
			if err != nil {
				t.Errorf("%s %s refuses a member: %v", route.Method, route.Path, err)
			}
			continue
		}
		forAdmins++
		if !domain.IsRefused(err, domain.AdminRoleRequired) {
			t.Errorf("%s %s answers a member %v, want AdminRoleRequired", route.Method, route.Path, err)
		}
	}
	if forAdmins == 0 {
		t.Error("no route is for administrators")
	}
}
