package http_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"readiness/domain"
)

// proves: 4.1/unknown-member 7.2/InvalidRequest 7.2/PayloadTooLarge 7.3/400-InvalidRequest/form 8/models-per-bulk-assessment decisions/1/duplicate-members decisions/1/trailing-bytes decisions/1/wrong-content-type decisions/8/10 decisions/8/19
func TestBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	id := func(body string) string { return fmt.Sprintf(body, modelA) }
	tests := []struct {
		name, body  string
		contentType string // empty for application/json
		status      int
		code        domain.Code
		says        []string
	}{
		{name: "no body", status: 400, says: []string{"needs a JSON body", "semanticModelIds"}},
		{name: "white space", body: " \n", status: 400, says: []string{"not JSON"}},
		{name: "null", body: "null", status: 400, says: []string{"the body"}},
		{name: "a list", body: id(`["%s"]`), status: 400, says: []string{"the body", "object"}},
		{name: "a text", body: `"x"`, status: 400, says: []string{"the body"}},
		{name: "empty object", body: `{}`, status: 400, says: []string{"semanticModelIds", "missing"}},
		{name: "no ids", body: `{"semanticModelIds":[]}`, status: 400, says: []string{"semanticModelIds is empty", "at least 1"}},
		{name: "101 different ids", body: `{"semanticModelIds":[` + idsFrom(0, 101) + `]}`, status: 400, says: []string{"semanticModelIds", "100"}},
		{name: "one id, no list", body: id(`{"semanticModelIds":"%s"}`), status: 400, says: []string{"semanticModelIds", "array"}},
		{name: "ids null", body: `{"semanticModelIds":null}`, status: 400, says: []string{"semanticModelIds"}},
		{name: "a number among them", body: id(`{"semanticModelIds":["%s",7]}`), status: 400, says: []string{"semanticModelIds[1]", "string"}},
		{name: "a malformed id", body: id(`{"semanticModelIds":["%s","x"]}`), status: 400, says: []string{"semanticModelIds[1] is not a UUID"}},
		{name: "an id in braces", body: id(`{"semanticModelIds":["{%s}"]}`), status: 400, says: []string{"semanticModelIds[0] is not a UUID"}},
		{name: "an id as a URN", body: id(`{"semanticModelIds":["urn:uuid:%s"]}`), status: 400, says: []string{"semanticModelIds[0] is not a UUID"}},
		{name: "an id without dashes", body: `{"semanticModelIds":["` + strings.ReplaceAll(modelA.String(), "-", "") + `"]}`, status: 400, says: []string{"semanticModelIds[0] is not a UUID"}},
		{name: "unknown member", body: id(`{"semanticModelIds":["%s"],"workspaceId":"x"}`), status: 400, says: []string{"workspaceId", "closest documented member is semanticModelIds"}},
		{name: "misspelled member", body: id(`{"semanticModelIDs":["%s"]}`), status: 400, says: []string{"semanticModelIDs", "closest documented member is semanticModelIds"}},
		{name: "empty member name", body: `{"":1}`, status: 400, says: []string{"closest documented member is semanticModelIds"}},
		{name: "very long member name", body: `{"` + strings.Repeat("x", 100_000) + `":1}`, status: 400, says: []string{"closest documented member is semanticModelIds"}},
		{name: "member twice", body: id(`{"semanticModelIds":["%[1]s"],"semanticModelIds":["%[1]s"]}`), status: 400, says: []string{"semanticModelIds is in the body twice"}},
		{name: "member twice, once escaped", body: id(`{"semanticModelIds":["%[1]s"],"semanticModelId\u0073":["%[1]s"]}`), status: 400, says: []string{"semanticModelIds is in the body twice"}},
		{name: "nested member twice", body: `{"x":[{"a":1,"a":2}]}`, status: 400, says: []string{"x[0].a is in the body twice"}},
		{name: "something after it", body: id(`{"semanticModelIds":["%s"]} x`), status: 400, says: []string{"not JSON", "byte"}},
		{name: "a second value after it", body: id(`{"semanticModelIds":["%s"]}{}`), status: 400, says: []string{"not JSON"}},
		{name: "cut off", body: id(`{"semanticModelIds":["%s"`), status: 400, says: []string{"not JSON"}},
		{name: "trailing comma", body: id(`{"semanticModelIds":["%s",]}`), status: 400, says: []string{"not JSON"}},
		{name: "a comment", body: id(`{"semanticModelIds":["%s"]/**/}`), status: 400, says: []string{"not JSON"}},
		{name: "byte order mark", body: id("\ufeff" + `{"semanticModelIds":["%s"]}`), status: 400, says: []string{"byte order mark"}},
		{name: "not UTF-8", body: `{"semanticModelIds":["` + "\xff" + `"]}`, status: 400, says: []string{"UTF-8"}},
		{name: "half a character", body: `{"semanticModelIds":["\ud800"]}`, status: 400, says: []string{"surrogate", "byte 22"}},
		{name: "the other half", body: `{"semanticModelIds":["\\\uDc00"]}`, status: 400, says: []string{"surrogate"}},
		{name: "nested too deep", body: strings.Repeat("[", 33) + strings.Repeat("]", 33), status: 400, says: []string{"deeper than 32"}},
		{name: "nested beyond all measure", body: strings.Repeat("[", 500_000), status: 400, says: []string{"not JSON"}},
		{name: "long names all the way down", body: strings.Repeat(`{"`+strings.Repeat("x", 200)+`":`, 30) + `{"a":1,"a":2}` + strings.Repeat("}", 30), status: 400, says: []string{"twice"}},
		{name: "text/plain", body: id(`{"semanticModelIds":["%s"]}`), contentType: "text/plain", status: 415},
		{name: "a form", body: "a=b", contentType: "application/x-www-form-urlencoded", status: 415},
		{name: "JSON of another kind", body: id(`{"semanticModelIds":["%s"]}`), contentType: "application/json-patch+json", status: 415},
		{name: "another character set", body: id(`{"semanticModelIds":["%s"]}`), contentType: "application/json; charset=utf-16", status: 415},
		{name: "no content type", body: id(`{"semanticModelIds":["%s"]}`), contentType: "-", status: 415},
		{name: "one byte more than 1 MiB", body: padded(id(`{"semanticModelIds":["%s"]}`), 1<<20+1), status: 413, code: domain.PayloadTooLarge, says: []string{"1048576"}},
		{name: "far more, of no kind", body: strings.Repeat("x", 3<<20), contentType: "-", status: 413, code: domain.PayloadTooLarge},
	}
	calls := w.cloud.calls
	w.untouched(func() {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				if tt.code == "" {
					tt.code = domain.InvalidRequest
				}
				headers := []string{}
				switch tt.contentType {
				case "":
				case "-":
					headers = []string{"Content-Type", ""}
				default:
					headers = []string{"Content-Type", "", "Content-Type", tt.contentType}
				}
				got := w.post(bulkPath, ada, tt.body, headers...).refused(tt.status, tt.code).says(tt.says...)
				if len(got.text) > 1000 {
					t.Errorf("the refusal has %d bytes, so it repeats the request", len(got.text))
				}
				// Keep the next call within the rate limit.
				_, err := w.Pool.Exec(t.Context(), `DELETE FROM rate_windows`)
				check(t, err)
			})
		}
		w.post(bulkPath, ada, id(`{"semanticModelIds":["%s"]}`), "Content-Encoding", "gzip").refused(415, domain.InvalidRequest)
	})
	if w.cloud.calls != calls {
		t.Errorf("the platform was asked %d times by malformed calls, want never", w.cloud.calls-calls)
	}
}

// idsFrom returns n different ids as elements of a JSON array. None is visible.
func idsFrom(first, n int) string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf(`"00000000-0000-4000-8000-%012d"`, first+i)
	}
	return strings.Join(ids, ",")
}

func padded(body string, size int) string {
	return body + strings.Repeat(" ", size-len(body))
}

// proves: 4.1/headers decisions/8/10 decisions/8/12 decisions/8/19
func TestAcceptedBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	id := func(body string) string { return fmt.Sprintf(body, modelA) }
	for name, body := range map[string]string{
		"plain":                          id(`{"semanticModelIds":["%s"]}`),
		"1 MiB":                          padded(id(`{"semanticModelIds":["%s"]}`), 1<<20),
		"upper case":                     strings.ToUpper(id(`{"semanticModelIds":["%s"]}`)),
		"the same twice":                 id(`{"semanticModelIds":["%[1]s","%[1]s"]}`),
		"101 times, in two letter cases": `{"semanticModelIds":["` + strings.ToUpper(modelA.String()) + strings.Repeat(id(`","%s`), 100) + `"]}`,
		"escaped members":                id(`{"semanticModelId\u0073":["%s"]}`),
	} {
		if name == "upper case" {
			body = `{"semanticModelIds":["` + strings.ToUpper(modelA.String()) + `"]}`
		}
		steps := w.jobs.count()
		w.post(bulkPath, ada, body).operation()
		if got := w.jobs.count() - steps; got != 1 {
			t.Errorf("%s: %d steps were enqueued, want 1", name, got)
		}
	}
	for _, contentType := range []string{"application/json; charset=UTF-8", "Application/JSON"} {
		w.post(bulkPath, ada, id(`{"semanticModelIds":["%s"]}`), "Content-Type", "", "Content-Type", contentType).operation()
	}
}

// A route without a body refuses members; it accepts an empty object.
//
// proves: 4.4/single 4.1/unknown-member
func TestRoutesWithoutABody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	path, without := modelPath(modelA)+"/assess", modelPath(modelA)+"/descriptions/preview"
	w.untouched(func() {
		w.post(without, ada, `{"force":true}`).refused(400, domain.InvalidRequest).says("force", "takes no body")
		w.post(path, ada, `{"force":true}`).refused(400, domain.InvalidRequest).says("force", "takes no body")
		w.post(path, ada, `{"regimeId":"2026-12"}`).refused(400, domain.InvalidRequest).says("regimeId", "takes no body")
		w.post(agentPath+"/assess", ada, `{"regimeId":"2026-12"}`).refused(400, domain.InvalidRequest).says("regimeId", "takes no body")
		w.post(bulkPath, ada, `{"semanticModelIds":["`+modelA.String()+`"],"regimeId":"2026-12"}`).refused(400, domain.InvalidRequest).says("regimeId", "semanticModelIds")
		w.post(path, ada, `[]`).refused(400, domain.InvalidRequest)
		w.post(path, ada, `x`).refused(400, domain.InvalidRequest)
		w.post(path, ada, `a=b`, "Content-Type", "", "Content-Type", "application/x-www-form-urlencoded").refused(415, domain.InvalidRequest)
		w.post(path, ada, strings.Repeat(" ", 1<<20+1)).refused(413, domain.PayloadTooLarge)
		w.post(without, ada, `[]`).refused(400, domain.InvalidRequest)
		w.send(http.MethodGet, "/v1/operations", ada, `{"status":"Running"}`).refused(400, domain.InvalidRequest).says("status")
	})
	w.post(path, ada, "").operation()
	w.post(path, ada, `{}`).operation()
	w.post(path, ada, "", "Content-Type", "application/x-www-form-urlencoded").operation()
}

// proves: decisions/1/malformed-id decisions/1/maxResults-range decisions/1/foreign-token decisions/2/paging-default decisions/8/12
func TestParameters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	calls := w.cloud.calls
	for path, says := range map[string]string{
		"/v1/operations?maxResults=0":                                       "maxResults",
		"/v1/operations?maxResults=501":                                     "maxResults",
		"/v1/operations?maxResults=-1":                                      "maxResults",
		"/v1/operations?maxResults=1.5":                                     "maxResults is not an integer",
		"/v1/operations?maxResults=":                                        "maxResults is not an integer",
		"/v1/operations?maxResults=99999999999999999999":                    "maxResults is not an integer",
		"/v1/operations?maxResults=5&maxResults=5":                          "maxResults is given 2 times",
		"/v1/operations?status=running":                                     "status",
		"/v1/operations?status=":                                            "status",
		"/v1/operations?status=Running&status=Failed":                       "status is given 2 times",
		"/v1/operations?continuationToken=":                                 "continuationToken",
		"/v1/operations?continuationToken=abc":                              "continuationToken",
		"/v1/operations?continuationToken=" + strings.Repeat("A", 4096):     "continuationToken",
		"/v1/operations?continuationToken=" + strings.Repeat("A", 4097):     "continuationToken",
		"/v1/operations?maxResults=%zz":                                     "query",
		"/v1/operations/x":                                                  "operationId is not a UUID",
		"/v1/operations/" + strings.ReplaceAll(nowhere.String(), "-", ""):   "operationId is not a UUID",
		"/v1/operations/%7B" + nowhere.String() + "%7D":                     "operationId is not a UUID",
		"/v1/operations/" + nowhere.String() + "%00":                        "NUL",
		"/v1/workspaces/x/semanticModels":                                   "workspaceId is not a UUID",
		"/v1/workspaces/" + sales.String() + "/semanticModels?maxResults=0": "maxResults",
		"/v1/workspaces/x/semanticModels/y/aiReadiness/assessments":         "is not a UUID",
		"/v1/workspaces/" + sales.String() + "/semanticModels/y/aiReadiness/assessments/" + nowhere.String(): "semanticModelId is not a UUID",
	} {
		t.Run(path, func(t *testing.T) {
			w.get(path, ada).refused(400, domain.InvalidRequest).says(says)
		})
	}
	if w.cloud.calls != calls {
		t.Errorf("the platform was asked %d times by malformed calls, want never", w.cloud.calls-calls)
	}
	w.get("/v1/operations?maxResults=1", ada).ok(200)
	w.get("/v1/operations?maxResults=500&status=Running&unknown=1&unknown=2", ada).ok(200)
	w.get("/v1/operations/"+strings.ToUpper(nowhere.String()), ada).refused(404, domain.OperationNotFound)
}

// Every enumeration that the specification lists for a call is one of the description, and a refusal of another value names
// the values.
//
// proves: 7.2/InvalidRequest 4.5/kind 4.6/create/answeredBy.kind 4.6/create/hypothesis
func TestEnumerations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kinds := []string{"aiInstructions", "descriptions", "properties", "aiDataSchema"}
	text, err := os.ReadFile("openapi.gen.json")
	check(t, err)
	var document map[string]any
	check(t, json.Unmarshal(text, &document))
	source, kind, end := `{"kind":"Questions"}`, `{"kind":"PlatformAssistant"}`, `"source":`
	optimize, again := modelPath(modelA)+"/optimize", abTestPath(nowhere)+"/runs"
	w.untouched(func() {
		for _, tt := range []struct {
			schema, member, path, body string
			want                       []string
		}{
			{"AnsweredByRequest", "kind", abTestsPath, creation(kind, `{"kind":"Oracle"}`), []string{"DataAgent", "ServiceTestAgent", "PlatformAssistant", "GenericAgent", "Imported"}},
			{"AbTestHypothesisRequest", "kind", abTestsPath, creation(end, `"hypothesis":{"text":"x","kind":"a"},"source":`), []string{"A", "B", "Same"}},
			{"AbTestSourceRequest", "kind", abTestsPath, creation(source, `{"kind":"run"}`), []string{"Run", "Questions"}},
			{"CreateAbTestRequest", "correctAnswers", abTestsPath, creation(end, `"correctAnswers":"","source":`), []string{"Preserve", "Update"}},
			{"RunAbTestAgainRequest", "questionSet", again, `{"questionSet":"Old"}`, []string{"Frozen", "Current"}},
			{"ApplyRequest", "approval", modelPath(modelA) + "/descriptions/apply", `{"approval":"given"}`, []string{"none"}},
			{"OptimizeRequest", "approval", optimize, `{"approval":"None"}`, []string{"required", "none"}},
			{"OptimizeRequest", "kinds", optimize, `{"approval":"none","kinds":["descriptions","all"]}`, kinds},
			{"OptimizeApplyRequest", "kinds", optimize + "/apply", `{"previewId":"x","kinds":["measures"]}`, kinds},
			{"", "kind", modelPath(modelA) + "/measures/preview", "", kinds},
			{"", "kind", modelPath(modelA) + "/Descriptions/apply", `{"approval":"none"}`, kinds},
		} {
			at := "$.components.parameters.kind.schema"
			if tt.schema != "" {
				at = "$.components.schemas." + tt.schema + ".properties." + tt.member
			}
			schema := document
			for _, step := range strings.Split(at, ".")[1:] {
				schema, _ = schema[step].(map[string]any)
			}
			if items, list := schema["items"].(map[string]any); list {
				schema = items
			}
			var got []string
			for _, v := range schema["enum"].([]any) {
				if v != nil {
					got = append(got, v.(string))
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s: got the values %v, want %v", at, got, tt.want)
			}
			w.post(tt.path, w.as("ada"), tt.body).refused(400, domain.InvalidRequest).says(append(tt.want, tt.member)...)
			w.uncounted()
		}
		for _, path := range []string{"/v1/operations?status=Done", abTestsPath + "?sort=newest"} {
			want := map[bool][]string{true: {"status", "NotStarted", "Running", "Succeeded", "Failed", "Cancelled"},
				false: {"sort", "latest", "earliest", "name", "nameDesc"}}[strings.Contains(path, "status")]
			w.get(path, w.as("ada")).refused(400, domain.InvalidRequest).says(want...)
		}
	})
}
