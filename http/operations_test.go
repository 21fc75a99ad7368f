package http_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
)

func operationPath(id uuid.UUID) string { return "/v1/operations/" + id.String() }

// An operation from its start to its result.
//
// proves: 1/3 2.7/id 2.7/status 2.7/operationType 2.7/operationType/AssessSemanticModel 2.7/percentComplete 2.7/resource 2.7/allowanceImpact 2.13/AllowanceImpact 3.1/polling-start 3.1/polling-running 3.1/polling-succeeded 3.1/succeeded 4.1/accepted 4.2/state 4.2/result 4.2/result/1 4.2/result/3-AssessSemanticModel 6/polling 7.2/OperationInProgress 7.3/409-OperationInProgress/result decisions/2/retry-after decisions/5/not-started decisions/6/AllowanceImpact
func TestOperation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Clock.Stop()
	accepted := w.Clock.Now()
	ada := w.as("ada")
	started := w.post(modelPath(modelA)+"/assess", ada, "").ok(202)
	id := started.operation()
	at := w.base + operationPath(id)
	for name, got := range map[string]string{
		"location": started.body["location"].(string), "Location": started.header.Get("Location"), "x-ms-operation-id": started.header.Get("x-ms-operation-id"), "Retry-After": started.header.Get("Retry-After"),
	} {
		want := map[string]string{"location": at, "Location": at, "x-ms-operation-id": id.String(), "Retry-After": "1"}[name]
		if got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}

	state := func(status, location, after string) reply {
		t.Helper()
		got := w.get(operationPath(id), ada).ok(200)
		if got.body["status"] != status || got.body["id"] != id.String() || got.body["operationType"] != "AssessSemanticModel" {
			t.Errorf("got %s, want status %s", got.text, status)
		}
		if got.header.Get("Location") != location || got.header.Get("Retry-After") != after || got.header.Get("x-ms-operation-id") != id.String() {
			t.Errorf("%s: got Location %q and Retry-After %q, want %q and %q", status, got.header.Get("Location"), got.header.Get("Retry-After"), location, after)
		}
		return got
	}
	first := state("NotStarted", at, "1")
	wantResource := map[string]any{"workspaceId": sales.String(), "itemId": modelA.String(), "itemType": "SemanticModel"}
	if diff := cmp.Diff(wantResource, first.body["resource"]); diff != "" {
		t.Errorf("resource (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"assessments": 1.0, "firstLook": true, "trackedItem": false}, first.body["allowanceImpact"]); diff != "" {
		t.Errorf("allowanceImpact (-want +got):\n%s", diff)
	}
	if p, there := first.body["percentComplete"]; !there || p != nil {
		t.Errorf("got percentComplete %v, want null", p)
	}
	w.get(operationPath(id)+"/result", ada).refused(409, domain.OperationInProgress)
	w.change("acme", id, assessment.Begin{})
	state("Running", at, "1")

	for _, step := range []struct{ age, after time.Duration }{
		{4 * time.Second, time.Second}, {6 * time.Second, 2 * time.Second}, {30 * time.Second, 5 * time.Second},
		{2 * time.Minute, 10 * time.Second}, {10 * time.Minute, 30 * time.Second}, {3 * time.Hour, 30 * time.Second},
	} {
		w.Clock.Set(accepted.Add(step.age))
		tok := w.as("ada")
		want := fmt.Sprint(int(step.after.Seconds()))
		if got := w.get(operationPath(id), tok).header.Get("Retry-After"); got != want {
			t.Errorf("state after %v: got Retry-After %s, want %s", step.age, got, want)
		}
		if got := w.get(operationPath(id)+"/result", tok).refused(409, domain.OperationInProgress); got.header.Get("Retry-After") != want || got.body["isRetriable"] != true {
			t.Errorf("result after %v: got Retry-After %s, want %s", step.age, got.header.Get("Retry-After"), want)
		}
	}
	w.ahead(0)

	made := w.assessed("acme", id, modelA, assessment.Usage{State: "NotGranted", Access: item.ConsentRequired})
	state("Succeeded", at+"/result", "")
	result := w.get(operationPath(id)+"/result", ada).ok(200)
	if result.header.Get("x-ms-operation-id") != id.String() || result.body["assessmentId"] != made.String() {
		t.Errorf("got %s", result.text)
	}
}

// A result is readable for 7 days after its operation has ended, and the state for longer.
//
// proves: 7.2/OperationExpired decisions/5/result-life
func TestResultExpires(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.assess("ada", modelA)
	w.Clock.Advance(24 * time.Hour)
	w.assessed("acme", id, modelA, assessment.Usage{})
	w.Clock.Advance(7*24*time.Hour - time.Minute)
	w.get(operationPath(id)+"/result", w.as("ada")).ok(200)
	w.Clock.Advance(2 * time.Minute)
	w.get(operationPath(id)+"/result", w.as("ada")).refused(410, domain.OperationExpired)
	w.get(operationPath(id), w.as("ada")).ok(200)
}

// The result of an assessment does not expire while the assessment is pinned; that of a run over many models does. The
// assessment itself never expires.
//
// proves: decisions/13/result-life
func TestPinnedResultDoesNotExpire(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, many := w.assess("ada", modelA), w.send("POST", bulkPath, w.as("ada"), `{"semanticModelIds":["`+modelB.String()+`"]}`).ok(202).id("operationId")
	ofOne, ofMany := w.assessed("acme", one, modelA, assessment.Usage{}), w.assessed("acme", many, modelB, assessment.Usage{})
	pin := func(method string) {
		for path, id := range map[string]uuid.UUID{modelPath(modelA): ofOne, modelPath(modelB): ofMany} {
			w.send(method, path+"/assessments/"+id.String()+"/pin", w.as("ada"), "").ok(200)
		}
	}
	result := func(id uuid.UUID) reply { return w.get(operationPath(id)+"/result", w.as("ada")) }
	pin("POST")
	w.Clock.Advance(7*24*time.Hour + time.Minute)
	if got := result(one).ok(200); got.body["assessmentId"] != ofOne.String() || got.body["pinned"] != true {
		t.Errorf("got %s", got.text)
	}
	result(many).refused(410, domain.OperationExpired)
	pin("DELETE")
	result(one).refused(410, domain.OperationExpired)
	w.get(modelPath(modelA)+"/assessments/"+ofOne.String(), w.as("ada")).ok(200)

	pin("POST")
	result(one).ok(200)
	w.send("DELETE", modelPath(modelA)+"/assessments", w.as("ada"), "").ok(200)
	result(one).refused(410, domain.OperationExpired)
}

// proves: 2.7/error 3.1/failed 4.2/result/2 7.2/OperationHasNoResult 7.3/409-OperationHasNoResult
func TestFailedOperation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	id := w.assess("ada", modelA)
	failure := operation.Failure{Code: domain.ItemNotReadable, Message: "model.tmdl, line 3: a table has no name"}
	w.change("acme", id, assessment.Begin{}, assessment.EndModel{Result: assessment.Result{ModelID: modelA, Outcome: assessment.Failed, Error: &failure}})
	got := w.get(operationPath(id), ada).ok(200)
	if diff := cmp.Diff(map[string]any{"errorCode": "ItemNotReadable", "message": failure.Message}, got.body["error"]); diff != "" || got.body["status"] != "Failed" {
		t.Errorf("status %v, error (-want +got):\n%s", got.body["status"], diff)
	}
	if got.header.Get("Location") != "" || got.header.Get("Retry-After") != "" {
		t.Errorf("got Location %q and Retry-After %q, want neither", got.header.Get("Location"), got.header.Get("Retry-After"))
	}
	if refused := w.get(operationPath(id)+"/result", ada).refused(409, domain.OperationHasNoResult); refused.body["isRetriable"] != false {
		t.Errorf("got %s: waiting does not help", refused.text)
	}
}

// proves: decisions/2/etag
func TestUnchangedStateIsNotModified(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	id := w.assess("ada", modelA)
	first := w.get(operationPath(id), ada).ok(200)
	tag := first.header.Get("ETag")
	for _, field := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
		w.Clock.Advance(10 * time.Minute) // age alone does not change the state
		got := w.get(operationPath(id), w.as("ada"), "If-None-Match", field).ok(304)
		if len(got.text) != 0 || got.header.Get("ETag") != tag || got.header.Get("Location") != first.header.Get("Location") || got.header.Get("Retry-After") == "" || got.header.Get("x-ms-operation-id") != id.String() {
			t.Errorf("%s: got %v %q", field, got.header, got.text)
		}
		w.ahead(0)
	}
	w.get(operationPath(id), ada, "If-None-Match", `"x"`).ok(200)
	w.change("acme", id, assessment.Begin{})
	if got := w.get(operationPath(id), ada, "If-None-Match", tag).ok(200); got.header.Get("ETag") == tag {
		t.Error("a different state has the same ETag")
	}
}

// On every route that takes one, another account's operation is refused as not found, and nothing reveals that it
// exists.
//
// proves: 4.2/cancel/other-account 7.2/OperationNotFound 7.3/404-other-account decisions/1/same-404
func TestOperationOfAnotherAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.assess("ada", modelA)
	before := w.log.String()
	w.untouched(func() {
		for _, call := range []struct{ method, path string }{{"GET", ""}, {"GET", "/result"}, {"POST", "/cancel"}} {
			theirs := w.send(call.method, operationPath(id)+call.path, w.as("oscar"), "").refused(404, domain.OperationNotFound)
			nobodys := w.send(call.method, operationPath(nowhere)+call.path, w.as("oscar"), "").refused(404, domain.OperationNotFound)
			same := strings.ReplaceAll(fmt.Sprint(nobodys.body["message"], nobodys.body["parameters"]), nowhere.String(), id.String())
			if got := fmt.Sprint(theirs.body["message"], theirs.body["parameters"]); got != same {
				t.Errorf("%s %s: got %s, and %s for an id that does not exist", call.method, call.path, got, same)
			}
		}
	})
	if strings.Contains(strings.TrimPrefix(w.log.String(), before), "acme") {
		t.Error("the log of another account's calls names the account")
	}
	if got := w.get("/v1/operations", w.as("oscar")).ok(200).value(); len(got) != 0 {
		t.Errorf("got %v, want no operations", got)
	}
	w.get(operationPath(id), w.as("bob")).ok(200) // of the same account
}

// proves: 3.1/cancel-ended 3.1/cancel-other-kind 4.2/cancel 4.2/cancel/ended 4.2/cancel/other-kind 7.3/409-OperationInProgress/cancel
func TestCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	id := w.assess("ada", modelA)
	w.untouched(func() {
		w.post(operationPath(id)+"/cancel", ada, "").refused(409, domain.OperationInProgress)
	})
	w.assessed("acme", id, modelA, assessment.Usage{})
	w.untouched(func() {
		got := w.post(operationPath(id)+"/cancel", ada, "", "Idempotency-Key", "again").ok(202)
		if got.operation() != id || got.header.Get("Location") != w.base+operationPath(id) {
			t.Errorf("got %s", got.text)
		}
	})
	if got := w.get(operationPath(id), ada).body["status"]; got != "Succeeded" {
		t.Errorf("got status %v, want it to stay Succeeded", got)
	}
}

// Pages contain every operation once, newest first, whatever starts between two pages.
//
// proves: 2.1/paging 2.1/paged-operations 4.2/list decisions/2/paging-stable decisions/2/paging-last
func TestOperationsPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	var want []string
	for i := range 7 {
		id := w.assess("ada", modelA)
		want = append([]string{id.String()}, want...)
		if i%2 == 0 {
			w.change("acme", id, assessment.Begin{})
		}
	}
	var got []string
	address := w.base + "/v1/operations?maxResults=3"
	for page := 0; address != ""; page++ {
		answer := w.get(address, ada).ok(200)
		for _, o := range answer.value() {
			got = append(got, o["id"].(string))
		}
		tok, hasToken := answer.body["continuationToken"].(string)
		uri, hasURI := answer.body["continuationUri"].(string)
		if last := page == 2; hasToken == last || hasURI == last {
			t.Fatalf("page %d: got token %v, address %v", page, hasToken, hasURI)
		}
		if hasURI {
			u, err := url.Parse(uri)
			check(t, err)
			if !strings.HasPrefix(uri, w.base+"/v1/operations?") || u.Query().Get("continuationToken") != tok || u.Query().Get("maxResults") != "3" {
				t.Errorf("got continuationUri %s", uri)
			}
		}
		address = uri
		w.assess("bob", modelB) // a new operation neither repeats nor hides a row
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// The filter applies to every page.
	got = nil
	for address = w.base + "/v1/operations?maxResults=2&status=Running"; address != ""; {
		answer := w.get(address, ada).ok(200)
		for _, o := range answer.value() {
			if o["status"] != "Running" {
				t.Errorf("got %v among the running", o)
			}
			got = append(got, o["id"].(string))
		}
		address, _ = answer.body["continuationUri"].(string)
	}
	if len(got) != 4 || got[0] != want[0] || got[3] != want[6] {
		t.Errorf("running: got %v, want every other of %v", got, want)
	}
	// A page that is exactly full is the last one.
	if answer := w.get("/v1/operations?maxResults=4&status=Running", ada).ok(200); len(answer.value()) != 4 || answer.body["continuationToken"] != nil {
		t.Errorf("got %s, want 4 and no next page", answer.text)
	}
}

// proves: decisions/1/foreign-token decisions/2/paging-tokens
func TestContinuationTokensAreBoundToOneList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	for range 3 {
		w.assess("ada", modelA)
		w.assess("oscar", modelA)
	}
	tok := w.get("/v1/operations?maxResults=1", ada).ok(200).body["continuationToken"].(string)
	w.get("/v1/operations?continuationToken="+tok, ada).ok(200)
	w.get("/v1/operations?continuationToken="+tok, w.as("bob")).ok(200) // of the same account
	flipped := []byte(tok)
	flipped[len(flipped)-2] ^= 1
	for name, path := range map[string]string{
		"another filter":    "/v1/operations?status=NotStarted&continuationToken=" + tok,
		"another list":      "/v1/workspaces?continuationToken=" + tok,
		"yet another":       modelPath(modelA) + "/assessments?continuationToken=" + tok,
		"changed":           "/v1/operations?continuationToken=" + string(flipped),
		"cut":               "/v1/operations?continuationToken=" + tok[:len(tok)-4],
		"cut short":         "/v1/operations?continuationToken=" + tok[:8],
		"longer":            "/v1/operations?continuationToken=" + tok + "AAAA",
		"of other alphabet": "/v1/operations?continuationToken=" + url.QueryEscape(tok+"=="),
	} {
		w.get(path, ada).refused(400, domain.InvalidRequest).says("continuationToken")
		_ = name
	}
	w.get("/v1/operations?continuationToken="+tok, w.as("oscar")).refused(400, domain.InvalidRequest)
}

// proves: 3.1/seven-days 8/operations-listed
func TestOperationsOlderThanSevenDaysAreNotListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.assess("ada", modelA)
	w.Clock.Advance(7*24*time.Hour - time.Minute)
	recent := w.assess("ada", modelB)
	if got := w.get("/v1/operations", w.as("ada")).ok(200).value(); len(got) != 2 {
		t.Errorf("got %d operations, want both", len(got))
	}
	w.Clock.Advance(2 * time.Minute)
	got := w.get("/v1/operations", w.as("ada")).ok(200).value()
	if len(got) != 1 || got[0]["id"] != recent.String() {
		t.Errorf("got %v, want %s alone", got, recent)
	}
	w.get(operationPath(old), w.as("ada")).ok(200)
}

// proves: decisions/2/idempotency decisions/2/idempotency-other-request decisions/8/15-malformed decisions/8/15-refusals
func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	body := fmt.Sprintf(`{"semanticModelIds":["%s"]}`, modelA)
	key := strings.Repeat("~", 255)
	send := func(tok, path, body, key string) reply {
		return w.post(path, tok, body, "Idempotency-Key", key)
	}
	first := send(ada, bulkPath, body, key).ok(202)
	w.untouched(func() {
		for name, again := range map[string]reply{
			"the same":    send(ada, bulkPath, body, key),
			"other space": send(ada, bulkPath, fmt.Sprintf(" {\"semanticModelIds\" : [ \"%s\" ]}\n", modelA), key),
		} {
			if again.operation() != first.operation() || again.header.Get("Location") != first.header.Get("Location") {
				t.Errorf("%s: got %s, want the first 202", name, again.text)
			}
		}
		for name, other := range map[string]reply{
			"another body":  send(ada, bulkPath, fmt.Sprintf(`{"semanticModelIds":["%s"]}`, modelB), key),
			"another route": send(ada, modelPath(modelA)+"/assess", "", key),
			"another id":    send(ada, "/v1/workspaces/"+finance.String()+"/aiReadiness/assess", body, key),
		} {
			t.Log(name)
			other.refused(422, domain.InvalidRequest)
		}
		for _, malformed := range []string{strings.Repeat("k", 256), "a b", "ä", "a\tb"} {
			send(ada, bulkPath, body, malformed).refused(400, domain.InvalidRequest).says("Idempotency-Key")
		}
		w.post(bulkPath, ada, body, "Idempotency-Key", "a", "Idempotency-Key", "a").refused(400, domain.InvalidRequest).says("Idempotency-Key", "2 times")
	})
	if second := send(w.as("bob"), bulkPath, body, key); second.operation() == first.operation() {
		t.Error("another person's call was treated as a repetition")
	}
	if other := send(ada, bulkPath, body, "other"); other.operation() == first.operation() {
		t.Error("a call with another key was treated as a repetition")
	}
	// A refusal is not remembered.
	wrong := "/v1/workspaces/" + nowhere.String() + "/aiReadiness/assess"
	send(ada, wrong, body, "refused").refused(404, domain.WorkspaceNotFound)
	send(ada, bulkPath, body, "refused").operation()
}

// Ids in the path that differ only in letter case are the same request.
func TestIdempotencyKeyIgnoresLetterCase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	path := modelPath(modelA) + "/assess"
	upper := strings.ReplaceAll(path, modelA.String(), strings.ToUpper(modelA.String()))
	first := w.post(path, ada, "", "Idempotency-Key", "k").operation()
	if again := w.post(upper, ada, "", "Idempotency-Key", "k").operation(); again != first {
		t.Errorf("got operation %s, want %s again", again, first)
	}
}

// A bulk run's result has one row per model in the order of the request, including models that were not assessed,
// with the reason. A model that was assessed before becomes a tracked item.
//
// proves: 2.13/AllowanceImpact-tracked 3.5/second-assessment-tracks 2.7/operationType/AssessSemanticModels 2.13/BulkAssessment 3.1/percentComplete 4.2/result/3-AssessSemanticModels 4.4/bulk/4 decisions/6/BulkAssessment
func TestBulkResult(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	w.post(modelPath(modelB)+"/assess", ada, "").operation()
	id := w.post(bulkPath, ada, fmt.Sprintf(`{"semanticModelIds":["%s","%s","%s"]}`, modelC, modelA, modelB)).operation()
	if diff := cmp.Diff(map[string]any{"assessments": 3.0, "trackedItems": 1.0}, w.get(operationPath(id), ada).body["allowanceImpact"]); diff != "" {
		t.Errorf("allowanceImpact (-want +got):\n%s", diff)
	}
	if got := w.get(operationPath(id), ada).body["resource"].(map[string]any); got["itemId"] != nil || got["workspaceId"] != sales.String() {
		t.Errorf("got resource %v", got)
	}
	end := func(model uuid.UUID, outcome assessment.Outcome, code domain.Code) {
		w.change("acme", id, assessment.EndModel{Result: assessment.Result{ModelID: model, Outcome: outcome, Error: &operation.Failure{Code: code, Message: "why"}}})
	}
	w.change("acme", id, assessment.Begin{})
	if got := w.get(operationPath(id), ada).body; got["models"] != nil {
		t.Errorf("before a model was not assessed: got %v", got["models"])
	}
	end(modelB, assessment.Failed, domain.ItemNotReadable)
	if got := w.get(operationPath(id), ada).body["percentComplete"]; got != 33.0 {
		t.Errorf("got percentComplete %v, want 33", got)
	}
	made := w.assessed("acme", id, modelA, assessment.Usage{})
	end(modelC, assessment.NotAssessed, domain.ItemNotFound)

	listed := w.get("/v1/operations", ada).ok(200).value()
	for i, want := range []any{map[string]any{"assessed": 1.0, "unreadable": 1.0, "others": 1.0}, nil} {
		if diff := cmp.Diff(want, listed[i]["models"]); diff != "" {
			t.Errorf("models of operation %d, newest first (-want +got):\n%s", i, diff)
		}
	}

	got := w.get(operationPath(id)+"/result", ada).ok(200)
	if got.body["succeeded"] != 1.0 || got.body["failed"] != 2.0 || got.body["workspaceName"] != "Sales" {
		t.Errorf("got %s", got.text)
	}
	none := map[string]any{"assessmentId": nil, "score": nil, "scoreDataAgent": nil, "findingsCount": nil, "firstLook": true, "trackedItem": false}
	row := func(id uuid.UUID, name, outcome string, more map[string]any) map[string]any {
		r := maps.Clone(none)
		maps.Copy(r, map[string]any{"semanticModelId": id.String(), "semanticModelName": name, "outcome": outcome, "error": nil})
		maps.Copy(r, more)
		return r
	}
	want := []map[string]any{
		row(modelC, "Costs", "NotAssessed", map[string]any{"error": map[string]any{"errorCode": "ItemNotFound", "message": "why"}}),
		row(modelA, "Actuals", "Assessed", map[string]any{"assessmentId": made.String(), "score": 52.0, "findingsCount": 7.0}),
		row(modelB, "Budget", "Failed", map[string]any{"firstLook": false, "trackedItem": true, "error": map[string]any{"errorCode": "ItemNotReadable", "message": "why"}}),
	}
	if diff := cmp.Diff(want, got.value()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
