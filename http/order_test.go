package http_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/http/routing"
	"readiness/http/token"
)

// The first fault in the order of docs/decisions.md 1 is reported. Each row fixes the fault that the previous row was
// refused for and keeps all others.
//
// proves: decisions/1/order-token-rate decisions/1/order-rate-scope decisions/1/order-scope-body decisions/1/order-body-lookup decisions/1/order-lookup-state decisions/1/order-state-allowance decisions/8/14 1/5
func TestRefusalOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lastly := w.as("tim")
	for range 5 { // the daily assessments of the Free plan
		w.post(modelPath(modelA)+"/assess", lastly, "").operation()
	}
	unseen := "/v1/workspaces/" + finance.String() + "/aiReadiness/assess"
	long := strings.Repeat("x", 1<<20+1)
	fine := fmt.Sprintf(`{"semanticModelIds":["%s"]}`, modelA)
	w.blocked(routing.Start, "acme", "bob")

	w.untouched(func() {
		for _, tt := range []struct {
			name, path, tok, body string
			status                int
			code                  domain.Code
		}{
			{"token before rate", unseen, w.as("bob", "openid")[1:], long, 401, domain.Unauthorized},
			{"rate before scope", unseen, w.as("bob", "openid"), long, 429, domain.RequestBlocked},
			{"scope before person", unseen, w.as("mallory", token.ScopeRead), long, 403, domain.InsufficientScopes},
			{"person before body", unseen, w.as("mallory"), long, 403, domain.UserNotRegistered},
			{"account before feature and body", unseen, w.as("sue"), long, 403, domain.AccountNotActive},
			{"feature before body", unseen, w.as("nora"), long, 403, domain.FeatureTurnedOff},
			{"size before form", unseen, lastly, long, 413, domain.PayloadTooLarge},
			{"form before look-up", unseen, lastly, "{}", 400, domain.InvalidRequest},
			{"look-up before allowance", unseen, lastly, fine, 404, domain.WorkspaceNotFound},
			{"item before allowance", bulkPath, lastly, fmt.Sprintf(`{"semanticModelIds":["%s","%s"]}`, nowhere, modelA), 404, domain.ItemNotFound},
			{"kind before allowance", bulkPath, lastly, fmt.Sprintf(`{"semanticModelIds":["%s"]}`, kept), 400, domain.OperationNotSupportedForItem},
			{"allowance", bulkPath, lastly, fine, 429, domain.AssessmentDailyLimitReached},
		} {
			t.Run(tt.name, func(t *testing.T) {
				w.post(tt.path, tt.tok, tt.body).refused(tt.status, tt.code)
			})
		}
	})
}

// What a refusal contains in addition to its code (docs/decisions.md 1).
//
// proves: 2.2/isRetriable 2.2/moreDetails 2.2/relatedResource 2.2/parameters decisions/1/isRetriable decisions/1/moreDetails decisions/1/consent-parameters decisions/1/limit-parameters decisions/1/nothing-internal 7.2/PlatformConsentRequired 7.2/PlatformAccessDenied 7.2/PlatformUnavailable 7.2/UnknownError 7.3/404-ItemNotFound
func TestRefusalDetails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")

	t.Run("every id that is not visible", func(t *testing.T) {
		got := w.post(bulkPath, ada, fmt.Sprintf(`{"semanticModelIds":["%s","%s","%s"]}`, nowhere, modelA, finance)).refused(404, domain.ItemNotFound)
		if ids := got.parameter("semanticModelId"); len(ids) != 2 || ids[0] != nowhere.String() || ids[1] != finance.String() {
			t.Errorf("got parameters %v", ids)
		}
		details, _ := got.body["moreDetails"].([]any)
		if len(details) != 2 || got.body["relatedResource"] != nil {
			t.Fatalf("got %s, want a detail for each id", got.text)
		}
		want := map[string]any{"errorCode": "ItemNotFound", "message": "the refusal concerns semanticModelId " + finance.String(), "relatedResource": map[string]any{"resourceId": finance.String(), "resourceType": "SemanticModel"}}
		if diff := cmp.Diff(want, details[1]); diff != "" {
			t.Errorf("detail (-want +got):\n%s", diff)
		}
		if got.body["isRetriable"] != false || got.header.Get("Retry-After") != "" {
			t.Errorf("got %s: waiting does not help", got.text)
		}
	})
	t.Run("the one resource", func(t *testing.T) {
		got := w.get(operationPath(nowhere), ada).refused(404, domain.OperationNotFound)
		if diff := cmp.Diff(map[string]any{"resourceId": nowhere.String(), "resourceType": "Operation"}, got.body["relatedResource"]); diff != "" || got.body["moreDetails"] != nil {
			t.Errorf("got %s, relatedResource (-want +got):\n%s", got.text, diff)
		}
	})
	t.Run("an allowance that ends with the day", func(t *testing.T) {
		tim := w.as("tim")
		for range 5 {
			w.post(modelPath(modelA)+"/assess", tim, "").operation()
		}
		got := w.post(modelPath(modelA)+"/assess", tim, "").refused(429, domain.AssessmentDailyLimitReached)
		if got.body["isRetriable"] != true || got.header.Get("Retry-After") == "" {
			t.Errorf("got %s, want it retriable with Retry-After %q", got.text, got.header.Get("Retry-After"))
		}
		if a, u, l := got.parameter("allowance"), got.parameter("used"), got.parameter("limit"); len(a) != 1 || a[0] != "assessments" || len(u) != 1 || u[0] != "5" || len(l) != 1 || l[0] != "5" {
			t.Errorf("got allowance %v, used %v, limit %v", a, u, l)
		}
	})
	for _, tt := range []struct {
		name      string
		err       error
		status    int
		code      domain.Code
		retriable bool
		parameter map[string]string
	}{
		{"consent", domain.Refuse(domain.PlatformConsentRequired, "consent is missing"), 403, domain.PlatformConsentRequired, false,
			map[string]string{"permission": "Item.ReadWrite.All", "consentUrl": "https://portal.example.com/consent?grant=Item.ReadWrite.All"}},
		{"consent to a named permission", domain.Refuse(domain.PlatformConsentRequired, "consent is missing").About("permission", "Report.Read.All"), 403, domain.PlatformConsentRequired, false,
			map[string]string{"permission": "Report.Read.All", "consentUrl": "https://portal.example.com/consent?grant=Report.Read.All"}},
		{"denied", domain.Refuse(domain.PlatformAccessDenied, "denied"), 403, domain.PlatformAccessDenied, false, nil},
		{"platform down", domain.Refuse(domain.PlatformUnavailable, "no answer"), 502, domain.PlatformUnavailable, true, nil},
		{"a fault", fmt.Errorf("dial tcp 10.0.0.7: password=hunter2 SELECT"), 500, domain.UnknownError, true, nil},
		{"a code that no refusal has", domain.Refuse(domain.CapacityBusy, "hunter2"), 500, domain.UnknownError, true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.cloud.fails = func(item.Caller) error { return tt.err }
			got := w.get("/v1/workspaces", ada).refused(tt.status, tt.code)
			if got.body["isRetriable"] != tt.retriable {
				t.Errorf("got isRetriable %v, want %v", got.body["isRetriable"], tt.retriable)
			}
			for name, want := range tt.parameter {
				if values := got.parameter(name); len(values) != 1 || values[0] != want {
					t.Errorf("got %s %v, want %s", name, values, want)
				}
			}
			if strings.Contains(string(got.text), "hunter2") {
				t.Errorf("the response contains what only the log may contain: %s", got.text)
			}
		})
	}
	if !strings.Contains(w.log.String(), "hunter2") {
		t.Error("the fault is not in the log")
	}
}
