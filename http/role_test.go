package http_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/http/rate"
	"readiness/http/routing"
	"readiness/http/token"
)

// guarded starts another instance of the service that has only the middleware, in front of the routes, and returns its
// address.
func (w *world) guarded(routes []routing.Route, l *rate.Limiter) (base string) {
	w.t.Helper()
	server := httptest.NewUnstartedServer(nil)
	base = "http://" + server.Listener.Addr().String()
	server.Config.Handler = w.server(base, l).Guarded(routes)
	server.Start()
	w.t.Cleanup(server.Close)
	return base
}

// bare returns a world whose responses are not checked against openapi.yaml, because the middleware alone answers 202.
func (w *world) bare() *world {
	return &world{World: w.World, t: w.t, jobs: w.jobs, issuer: w.issuer, client: &http.Client{}}
}

// addressed returns a route's address with ids filled in.
func addressed(base string, route routing.Route) string {
	return base + placeholder.ReplaceAllString(route.Path, nowhere.String())
}

// Routes for administrators refuse other callers; other routes require no role.
//
// proves: 5/6-AdminRoleRequired 7.2/AdminRoleRequired 5/3
func TestAdminRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base, calls := w.guarded(routing.Table(), w.limiter(w.url)), w.bare()
	forAdmins := 0
	w.untouched(func() {
		for _, route := range routing.Table() {
			w.nextMinute()
			calls.send(route.Method, addressed(base, route), w.as("ada"), "").ok(202)
			got := calls.send(route.Method, addressed(base, route), w.as("bob"), "")
			if route.Role != account.Admin {
				got.ok(202)
				continue
			}
			forAdmins++
			got.refused(403, domain.AdminRoleRequired)
		}
	})
	if forAdmins == 0 {
		t.Error("no route is for administrators")
	}
}

// nextMinute lets all counted calls leave their windows.
func (w *world) nextMinute() {
	w.t.Helper()
	_, err := w.Pool.Exec(w.t.Context(), `DELETE FROM rate_windows`)
	check(w.t, err)
}

// The routes of scheduled assessments require a plan with that feature; other routes require none. The plan is
// checked in the order of docs/decisions.md 1: after the role, before features and the body.
//
// proves: 7.2/FeatureNotInPlan
func TestFeatureNotInPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.plainFree()
	forAdmins := routing.Route{
		Method: http.MethodPost, Path: "/v1/synthetic", Scope: token.ScopeReadWrite, Group: routing.Start,
		Role: account.Admin, Plan: routing.ScheduledAssessments, Feature: routing.AIFeatures,
	}
	base, calls := w.guarded(append(routing.Table(), forAdmins), w.limiter(w.url)), w.bare()
	w.untouched(func() {
		inSome, declared := 0, 0
		for _, route := range routing.Table() {
			if route.Role == account.Admin {
				continue // tim is no administrator
			}
			if route.Plan == routing.ScheduledAssessments {
				declared++
			}
			w.nextMinute()
			calls.send(route.Method, addressed(base, route), w.as("oscar"), "").ok(202) // of the Team plan
			got := calls.send(route.Method, addressed(base, route), w.as("tim"), "")    // of the Free plan
			if !strings.Contains(route.Path, "/schedules") {
				got.ok(202)
				continue
			}
			inSome++
			got.refused(403, domain.FeatureNotInPlan).says("Free", "scheduledAssessments")
		}
		if inSome != declared || declared == 0 {
			t.Errorf("%d routes are not in every plan, want the %d routes of schedules in openapi.yaml", inSome, declared)
		}
		post := func(person string) reply { return calls.post(base+forAdmins.Path, person, "no body") }
		post(w.in("bare", "mel", token.ScopeRead)).refused(403, domain.InsufficientScopes)
		post(w.in("bare", "mel")).refused(403, domain.AdminRoleRequired)
		post(w.in("bare", "amy")).refused(403, domain.FeatureNotInPlan)
		post(w.as("ada")).refused(400, domain.InvalidRequest)
		if i := slices.IndexFunc(routing.Table(), func(r routing.Route) bool { return strings.HasSuffix(r.Path, "/assess") }); i >= 0 {
			calls.post(addressed(base, routing.Table()[i]), w.in("bare", "amy"), "").refused(403, domain.FeatureTurnedOff)
		}
	})
}

// plainFree opens an account of a small plan with AI features turned off; amy is its administrator.
func (w *world) plainFree() {
	w.t.Helper()
	two, plans := 2, account.DefaultPlans()
	small := plans[account.Free]
	small.Members = account.Allowance{Limit: &two, Period: account.Lifetime}
	plans[account.Free] = small
	w.Plans = plans
	_, err := w.Accounts.Apply(w.t.Context(), []account.Declaration{{
		AccountID: "bare", Plan: account.Free, Status: account.Active, Settings: account.Settings{AddPixies: true, DefinitionCopies: account.CopiesNone},
		People: []account.Person{{Person: item.Person{ID: "amy"}, Role: account.Admin}, {Person: item.Person{ID: "mel"}, Role: account.Member}},
	}})
	check(w.t, err)
}
