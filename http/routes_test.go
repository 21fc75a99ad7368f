package http_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/account"
	readinesshttp "readiness/http"
	"readiness/http/routing"
	"readiness/http/token"
)

func description(t testing.TB) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(readinesshttp.Description)
	check(t, err)
	return doc
}

// The table of routes and openapi.yaml agree on every route.
//
// proves: 4.1/scope-and-group
func TestTableOfRoutesMatchesDescription(t *testing.T) {
	t.Parallel()
	described := map[string]map[string]any{}
	for path, item := range description(t).Paths.Map() {
		for method, op := range item.Operations() {
			if op.Security != nil && len(*op.Security) == 0 {
				continue
			}
			says := maps.Clone(op.Extensions)
			delete(says, "x-error-codes")
			described[method+" "+path] = says
		}
	}
	table := map[string]map[string]any{}
	for _, r := range routing.Table() {
		says := map[string]any{"x-scope": r.Scope, "x-counting-group": r.Group.Name}
		if r.Feature != "" {
			says["x-feature"] = string(r.Feature)
		}
		if r.Shared.Name != "" {
			says["x-account-counting-group"] = r.Shared.Name
		}
		if r.Plan != "" {
			says["x-plan"] = string(r.Plan)
		}
		if r.Role != "" {
			says["x-role"] = string(r.Role)
		}
		table[r.Method+" "+r.Path] = says
	}
	if diff := cmp.Diff(described, table); diff != "" {
		t.Errorf("openapi.yaml and the table of routes differ (-openapi.yaml +table):\n%s", diff)
	}
}

// readsByPost are the routes that change nothing and take what they are asked about in a body.
var readsByPost = map[string]bool{"scorePreview": true}

// The scope and group of a route follow from what it does.
//
// proves: 5/2-read 5/2-write 4.2/group 8/calls-that-start-work 8/calls-that-start-work/abtests 8/calls-that-read 8/asking-about-an-operation
func TestScopesAndGroups(t *testing.T) {
	t.Parallel()
	for _, r := range routing.Table() {
		want := r
		want.Scope, want.Group = token.ScopeRead, routing.Read
		switch {
		case readsByPost[r.Operation]:
		case r.Method != http.MethodGet:
			want.Scope, want.Group = token.ScopeReadWrite, routing.Start
		case strings.HasPrefix(r.Path, "/v1/operations"):
			want.Group = routing.Operations
		}
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", r.Method, r.Path, diff)
		}
	}
	for _, tt := range []struct {
		group             routing.Group
		limit             int
		closed, ofAccount bool
	}{{routing.Start, 30, true, false}, {routing.Read, 300, false, false}, {routing.Operations, 500, false, false}, {routing.Pixies, 10, true, true}} {
		if tt.group.Limit != tt.limit || tt.group.Closed != tt.closed || tt.group.OfAccount != tt.ofAccount {
			t.Errorf("got %+v, want limit %d, closed %v, of the account %v", tt.group, tt.limit, tt.closed, tt.ofAccount)
		}
	}
}

// Every code that a route lists has a status, every status of a listed code is described, and all codes in the
// description belong to the service.
//
// proves: 2.2/errorCode 4.1/refusals
func TestCodesAreDescribed(t *testing.T) {
	t.Parallel()
	doc := description(t)
	known := doc.Components.Schemas["ErrorCode"].Value.Extensions["x-extensible-enum"].([]any)
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			codes, _ := op.Extensions["x-error-codes"].([]any)
			for _, code := range codes {
				status, ok := readinesshttp.Status(domain.Code(code.(string)))
				if !ok || !slices.Contains(known, code) {
					t.Errorf("%s %s lists %v, which is not an error code of the service", method, path, code)
				} else if op.Responses.Status(status) == nil {
					t.Errorf("%s %s lists %v and describes no %d", method, path, code, status)
				}
			}
		}
	}
	for _, code := range known {
		if _, ok := readinesshttp.Status(domain.Code(code.(string))); !ok {
			t.Errorf("ErrorCode lists %v, which has no status", code)
		}
	}
}

// The complete table of docs/decisions.md 1.
//
// proves: 2.2/code-meaning decisions/1/status-of-codes
func TestStatusOfEveryCode(t *testing.T) {
	t.Parallel()
	for status, codes := range map[int]string{
		400: "InvalidRequest InvalidPreview BenchmarkQuestionsMissing OperationNotSupportedForItem",
		413: "PayloadTooLarge",
		401: "Unauthorized TokenExpired",
		403: "InsufficientScopes AppOnlyTokenNotSupported UserNotRegistered AccountNotActive AdminRoleRequired FeatureNotInPlan FeatureTurnedOff LicenseNotYours TrackedItemLimitReached LicenseTrackedItemLimitReached PlatformConsentRequired PlatformAccessDenied",
		404: "WorkspaceNotFound ItemNotFound AssessmentNotFound RunNotFound AbTestNotFound OperationNotFound ScheduleNotFound AiProviderNotFound AiCredentialNotFound AuditRecordNotFound WebhookNotFound NoteNotFound",
		409: "OperationInProgress OperationHasNoResult ResultNotReady ScheduleConflict AiProviderConflict WebhookConflict ItemChanged CapacityPaused RegionNotReady CapacityRequired CapacityUnpaid StoreNotConnected",
		410: "OperationExpired",
		429: "RequestBlocked AssessmentDailyLimitReached BenchmarkRunsExhausted OptimizationApplyDailyLimitReached FirstLookLimitReached BenchmarkBuildLimitReached",
		500: "UnknownError",
		502: "PlatformUnavailable StoreUnavailable",
		503: "ThrottleStoreUnavailable",
	} {
		for code := range strings.FieldsSeq(codes) {
			if got, _ := readinesshttp.Status(domain.Code(code)); got != status {
				t.Errorf("%s: got status %d, want %d", code, got, status)
			}
		}
	}
	if _, ok := readinesshttp.Status(domain.CapacityBusy); ok {
		t.Error("CapacityBusy has a status, but is a code of operations only")
	}
}

// filled returns a route's path with ids filled in.
func filled(path string) string {
	return strings.NewReplacer("{workspaceId}", sales.String(), "{semanticModelId}", modelA.String(), "{operationId}", nowhere.String(), "{assessmentId}", nowhere.String(), "{scheduleId}", nowhere.String(), "{noteId}", nowhere.String(), "{providerId}", nowhere.String(), "{webhookId}", nowhere.String(), "{deliveryId}", nowhere.String(), "{abTestId}", nowhere.String(), "{runId}", nowhere.String(), "{kind}", "descriptions", "{eventId}", nowhere.String(), "{accountId}", "acme", "{object}", "checkpoint", "{view}", "accounts", "{reportId}", reportA.String(), "{dataAgentId}", agent.String()).Replace(path)
}

// Every route refuses unauthorized callers in the same way and without effect.
//
// proves: 5/1 5/2-read 5/2-write 5/6 7.2/Unauthorized 7.2/TokenExpired 7.2/InsufficientScopes 7.2/AppOnlyTokenNotSupported 7.2/UserNotRegistered 7.2/AccountNotActive 7.2/FeatureTurnedOff 7.3/403-FeatureTurnedOff/aiFeatures decisions/1/www-authenticate decisions/3/app-only decisions/3/not-registered decisions/3/not-active decisions/3/token-secrecy
func TestEveryRouteIsGuarded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old, err := w.issuer.Mint("acme", "ada", []string{token.ScopeReadWrite}, w.Now().Add(-2*time.Hour), time.Hour)
	check(t, err)
	good := w.as("ada")
	tests := []struct {
		name      string
		header    string // the Authorization header
		status    int
		code      domain.Code
		challenge string
	}{
		{"no token", "", 401, domain.Unauthorized, "Bearer"},
		{"another scheme", "Basic YTpi", 401, domain.Unauthorized, "Bearer error="},
		{"no token after the scheme", "Bearer ", 401, domain.Unauthorized, "Bearer error="},
		{"garbage", "Bearer x.y.z", 401, domain.Unauthorized, `Bearer error="invalid_token"`},
		{"a changed token", "Bearer " + good[:len(good)-8] + "AAAAAAAA", 401, domain.Unauthorized, `Bearer error="invalid_token"`},
		{"an expired token", "Bearer " + old, 401, domain.TokenExpired, `Bearer error="invalid_token"`},
		{"another issuer's audience", "Bearer " + w.provider.token(t, jwt.MapClaims{"aud": "elsewhere"}), 401, domain.Unauthorized, `Bearer error="invalid_token"`},
		{"a program's token", "Bearer " + w.provider.token(t, jwt.MapClaims{"scp": nil, "roles": []string{token.ScopeReadWrite}}), 403, domain.AppOnlyTokenNotSupported, ""},
		{"a program's token with a scope", "Bearer " + w.provider.token(t, jwt.MapClaims{"idtyp": "app"}), 403, domain.AppOnlyTokenNotSupported, ""},
		{"no scope", "Bearer " + w.as("ada", "openid"), 403, domain.InsufficientScopes, `Bearer error="insufficient_scope", scope="`},
		{"a stranger", "Bearer " + w.as("mallory"), 403, domain.UserNotRegistered, ""},
		{"a stranger of another issuer", "Bearer " + w.provider.token(t, jwt.MapClaims{"oid": "mallory"}), 403, domain.UserNotRegistered, ""},
		{"a person of the accounts file, from another issuer", "Bearer " + w.provider.token(t, jwt.MapClaims{"tid": nil, "sub": "ada"}), 403, domain.UserNotRegistered, ""},
		{"two accounts and no choice", "Bearer " + w.as("dora"), 403, domain.UserNotRegistered, ""},
		{"an account that does not know the person", "Bearer " + w.provider.token(t, jwt.MapClaims{"account": "other"}), 403, domain.UserNotRegistered, ""},
		{"a suspended account", "Bearer " + w.as("sue"), 403, domain.AccountNotActive, ""},
		{"a closed account", "Bearer " + w.as("carl"), 403, domain.AccountNotActive, ""},
	}
	without := map[routing.Feature]string{routing.AIFeatures: "nora", routing.AddPixies: "quin"}
	w.untouched(func() {
		for _, route := range routing.Table() {
			w.uncounted()
			w.blocked(route.Group, "acme", "bob")
			for _, tt := range tests {
				if route.Inactive && tt.code == domain.AccountNotActive {
					continue // TestInactiveAccount
				}
				t.Run(fmt.Sprint(route.Method, " ", route.Path, " ", tt.name), func(t *testing.T) {
					got := w.send(route.Method, filled(route.Path), "", "", "Authorization", tt.header).refused(tt.status, tt.code)
					if challenge := got.header.Get("WWW-Authenticate"); !strings.HasPrefix(challenge, tt.challenge) || tt.challenge == "" && challenge != "" {
						t.Errorf("got WWW-Authenticate %q, want it to begin %q", challenge, tt.challenge)
					}
					if counted := got.header.Get("RateLimit") != ""; counted != (tt.status != 401) {
						t.Errorf("counted in a window: got %v", counted)
					}
				})
			}
			if route.Scope == token.ScopeReadWrite {
				got := w.send(route.Method, filled(route.Path), w.as("ada", token.ScopeRead), "").refused(403, domain.InsufficientScopes)
				if challenge := got.header.Get("WWW-Authenticate"); !strings.Contains(challenge, token.ScopeReadWrite) {
					t.Errorf("got WWW-Authenticate %q, want the scope in it", challenge)
				}
			}
			w.send(route.Method, filled(route.Path), w.as("bob"), "").refused(429, domain.RequestBlocked)
			if route.Feature != "" {
				w.send(route.Method, filled(route.Path), w.as(without[route.Feature]), "").refused(403, domain.FeatureTurnedOff).says(string(route.Feature))
			}
		}
	})
	if w.cloud.calls != 0 {
		t.Errorf("the platform was asked %d times, want never", w.cloud.calls)
	}
	if strings.Contains(w.log.String(), good[:30]) || strings.Contains(w.log.String(), "eyJ") {
		t.Error("a token was logged")
	}
}

// Calls that the guard admits: Service.ReadWrite.All reads, a person of another issuer, a person of two accounts who
// names one.
//
// proves: decisions/2/scope-includes decisions/3/person
func TestWhoMayCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dora := func(accountID string) string {
		tok, err := w.issuer.Mint(accountID, "dora", []string{token.ScopeRead}, w.Now(), time.Hour)
		check(t, err)
		return tok
	}
	for name, tok := range map[string]string{
		"read":           w.as("ada", token.ScopeRead),
		"read and write": w.as("ada", token.ScopeReadWrite),
		"another issuer": w.provider.token(t, nil),
		"one of two":     dora("acme"),
		"the other":      dora("other"),
	} {
		got := w.get("/v1/workspaces", tok).ok(200)
		if len(got.value()) == 0 {
			t.Errorf("%s: got no workspaces", name)
		}
	}
	w.get("/v1/workspaces", dora("asleep")).refused(403, domain.UserNotRegistered).says("asleep")
	w.get("/v1/workspaces", "", "Authorization", "bearer "+w.as("ada")).ok(200)
	w.get("/v1/workspaces", w.as("ada"), "Authorization", "Bearer "+w.as("bob")).refused(401, domain.Unauthorized)
}

// A suspended account is noticed at the next call.
func TestSuspendedAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.as("oscar")
	w.get("/v1/workspaces", tok).ok(200)
	_, err := w.Pool.Exec(t.Context(), `UPDATE accounts_v2 SET status = 'Suspended' WHERE account_id = 'other'`)
	check(t, err)
	w.get("/v1/workspaces", tok).refused(403, domain.AccountNotActive).says("other", "Suspended")
}

// proves: 9/1 decisions/1/unknown-route decisions/1/wrong-method
func TestUnknownRoutesAndMethods(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	for _, path := range []string{
		"/", "/v1", "/v1/", "/v2/operations", "/v1/operations/", "/v1//operations", "/v1/Operations", "/v1/operations/" + nowhere.String() + "/",
		"/v1/account/", "/v1/accounts", "/v1/workspaces/" + sales.String(), "/v1/../v1/operations", "/v1%2Foperations/x/y/z", "/docs/nothing.html", "/docs/../README.md",
		modelPath(modelA) + "/aiInstructions", modelPath(modelA) + "/optimize/", "/" + strings.Repeat("x", 5000),
	} {
		got := w.get(path, ada).refused(404, domain.InvalidRequest)
		if len(got.body["message"].(string)) > 300 {
			t.Errorf("%.40s: the message repeats the entire path", path)
		}
	}
	for _, tt := range []struct{ method, path, allow string }{
		{"POST", "/v1/operations", "GET"},
		{"DELETE", "/v1/operations/" + nowhere.String(), "GET"},
		{"GET", "/v1/operations/" + nowhere.String() + "/cancel", "POST"},
		{"PUT", modelPath(modelA) + "/assess", "POST"},
		{"GET", modelPath(modelA) + "/aiInstructions/preview", "POST"},
		{"GET", modelPath(modelA) + "/optimize/apply", "POST"},
		{"PATCH", "/healthz", "GET"},
		{"OPTIONS", "/v1/workspaces", "GET"},
		{"BREW", "/v1/workspaces", "GET"},
	} {
		got := w.send(tt.method, tt.path, ada, "").refused(405, domain.InvalidRequest)
		if allow := got.header.Get("Allow"); allow != tt.allow {
			t.Errorf("%s %s: got Allow %q, want %q", tt.method, tt.path, allow, tt.allow)
		}
	}
}

// What a route requires follows from what the specification says about its kind.
func TestRequirementsOfRoutes(t *testing.T) {
	t.Parallel()
	for _, r := range routing.Table() {
		ai := strings.Contains(r.Path, "/aiReadiness") || strings.Contains(r.Path, "/abTests") || strings.Contains(r.Path, "/dataAgents") || strings.HasPrefix(r.Path, "/v1/aiProviders")
		if ai != (r.Feature == routing.AIFeatures) || strings.HasSuffix(r.Path, "/addPixies") != (r.Feature == routing.AddPixies) {
			t.Errorf("%s: the feature %q turns it off", r.Operation, r.Feature)
		}
		if pixies := strings.HasSuffix(r.Path, "Pixies") && r.Method == http.MethodPost; pixies != (r.Shared == routing.Pixies) {
			t.Errorf("%s: calls are counted in the group %q too", r.Operation, r.Shared.Name)
		}
		if admin := strings.HasPrefix(r.Path, "/v1/audit/") && r.Operation != "getServiceTree" || strings.HasPrefix(r.Path, "/v1/aiProviders") && r.Method != http.MethodGet || strings.HasPrefix(r.Path, "/v1/webhooks"); admin != (r.Role == account.Admin) {
			t.Errorf("%s: got role %q", r.Operation, r.Role)
		}
		if r.Inactive != (r.Path == "/v1/account") {
			t.Errorf("%s: answers in an account that is not active: %v", r.Operation, r.Inactive)
		}
	}
	if n := len(routing.Table()); n < 65 {
		t.Errorf("the table has %d routes; the specification has more", n)
	}
}
