package http_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
)

// A complete assessment, as an operation's result and as read later. Usage follows the person's permission, and only
// the result reports the state of that permission.
//
// proves: 2.9/assessmentId 2.9/workspaceId-workspaceName 2.9/semanticModelId 2.9/semanticModelName 2.9/score 2.9/findingsCount 2.9/usage 2.9/regime 2.9/stored 2.9/schemaVersion 2.9/usage/applied 2.9/usage/state-reason 2.9/usage/windowDays 2.9/usage/trackedReportCount 2.9/usage/access 2.9/usage/permission 2.9/usage/message 2.9/usage/consentUrl 4.4/single/3-consent 5/4-usage
func TestAssessment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	consent := "https://portal.example.com/consent?grant=Dataset.Read.All"
	for _, tt := range []struct {
		name, person string
		usage        assessment.Usage
		want         map[string]any // of the operation's result
		stored       map[string]any
		says         string
	}{
		{
			"applied", "ada",
			assessment.Usage{
				Applied: true, State: assessment.UsageApplied, Reason: "1 report could not be read", WindowDays: new(28), TrackedReportCount: new(3), Access: item.Granted,
				Window: &assessment.UsageWindow{From: "2026-10-25", To: "2026-11-21"}, Source: "pixies",
			},
			map[string]any{"applied": true, "state": "Applied", "reason": "1 report could not be read", "windowDays": 28.0, "trackedReportCount": 3.0, "access": "Granted"},
			map[string]any{"applied": true, "state": "Applied", "reason": "1 report could not be read", "windowDays": 28.0, "trackedReportCount": 3.0}, "",
		},
		{
			"granted", "ada",
			assessment.Usage{State: "NoTrackedReports", Reason: "no report of the model is tracked", Access: item.Granted},
			map[string]any{"applied": false, "state": "NoTrackedReports", "reason": "no report of the model is tracked", "access": "Granted"},
			map[string]any{"applied": false, "state": "NoTrackedReports", "reason": "no report of the model is tracked"}, "",
		},
		{
			"not granted", "bob",
			assessment.Usage{State: "NotGranted", Access: item.ConsentRequired},
			map[string]any{"applied": false, "state": "NotGranted", "access": "ConsentRequired", "permission": "Dataset.Read.All", "consentUrl": consent},
			map[string]any{"applied": false, "state": "NotGranted"}, "Grant the permission",
		},
		{
			"unavailable", "uma",
			assessment.Usage{State: "Unavailable", Access: item.Unavailable},
			map[string]any{"applied": false, "state": "Unavailable", "access": "Unavailable", "permission": "Dataset.Read.All"},
			map[string]any{"applied": false, "state": "Unavailable"}, "again later",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tok := w.as(tt.person)
			id := w.assess(tt.person, modelA)
			made := w.assessed("acme", id, modelA, tt.usage)
			result := w.get(operationPath(id)+"/result", tok).ok(200)
			usage := result.body["usage"].(map[string]any)
			if message, _ := usage["message"].(string); !strings.Contains(message, tt.says) || (message == "") != (tt.says == "") {
				t.Errorf("got message %q, want %q in it", message, tt.says)
			}
			delete(usage, "message")
			if diff := cmp.Diff(tt.want, usage); diff != "" {
				t.Errorf("usage of the result (-want +got):\n%s", diff)
			}
			read := w.get(modelPath(modelA)+"/assessments/"+made.String(), tok).ok(200)
			if diff := cmp.Diff(tt.stored, read.body["usage"]); diff != "" {
				t.Errorf("usage as stored (-want +got):\n%s", diff)
			}
			for _, body := range []map[string]any{result.body, read.body} {
				delete(body, "usage")
			}
			if diff := cmp.Diff(read.body, result.body); diff != "" {
				t.Errorf("the result and the assessment differ in more than usage (-read +result):\n%s", diff)
			}
			if body := read.body; body["assessmentId"] != made.String() || body["semanticModelId"] != modelA.String() || body["workspaceId"] != sales.String() ||
				body["semanticModelName"] != "Actuals" || body["workspaceName"] != "Sales" || body["score"] != 52.0 || body["findingsCount"] != 7.0 || body["schemaVersion"] != 1.0 {
				t.Errorf("got %s", read.text)
			}
			if diff := cmp.Diff(map[string]any{"location": "Service", "deliveryPending": false}, read.body["stored"]); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
			if regime := read.body["regime"].(map[string]any); regime["id"] != "2026-11" || regime["usageInScoring"] != tt.usage.Applied {
				t.Errorf("got regime %v", regime)
			}
			if report := read.body["document"].(map[string]any)["report"].(map[string]any); report["overall_score"] != 52.0 {
				t.Errorf("got report %v", report)
			}
		})
	}
}

// The list: newest first, comparable from the second assessment on, in pages, and empty when there is none.
//
// proves: 2.1/paged-assessments 2.8/assessmentId 2.8/score 2.8/regimeId 2.8/usageInScoring 2.8/comparableWithPrevious 4.4/list 4.4/read 7.2/AssessmentNotFound decisions/8/12
func TestAssessmentsOfAModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	path := modelPath(modelA) + "/assessments"
	if got := w.get(path, ada).ok(200); len(got.value()) != 0 || got.body["continuationToken"] != nil || !strings.Contains(string(got.text), `"value":[]`) {
		t.Errorf("got %s, want an empty list", got.text)
	}
	var want []string
	for range 3 {
		id := w.assess("ada", modelA)
		want = append([]string{w.assessed("acme", id, modelA, assessment.Usage{}).String()}, want...)
	}
	other := w.assessed("acme", w.assess("ada", modelB), modelB, assessment.Usage{})
	theirs := w.assessed("other", w.assess("oscar", modelA), modelA, assessment.Usage{})

	var got []string
	for address := w.base + path + "?maxResults=2"; address != ""; {
		page := w.get(address, ada).ok(200)
		for _, a := range page.value() {
			got = append(got, a["assessmentId"].(string))
			if first := a["assessmentId"] == want[2]; a["comparableWithPrevious"] != !first || a["regimeId"] != "2026-11" || a["score"] != 52.0 || a["usageInScoring"] != false {
				t.Errorf("got %v", a)
			}
		}
		address, _ = page.body["continuationUri"].(string)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("assessments (-want +got):\n%s", diff)
	}

	for name, id := range map[string]string{
		"another model's": other.String(), "another account's": theirs.String(), "nobody's": nowhere.String(),
		"malformed": "latest", "in braces": "%7B" + want[0] + "%7D", "very long": strings.Repeat("x", 2000),
	} {
		if refused := w.get(path+"/"+id, ada).refused(404, domain.AssessmentNotFound); len(refused.text) > 1000 {
			t.Errorf("%s: the refusal repeats all that was sent", name)
		}
	}
	w.get(path+"/"+strings.ToUpper(want[0]), ada).ok(200)
}

// Rules that could not judge are listed, and a score that lacks rules is compared only with one that lacks the same.
//
// proves: decisions/14/comparable
func TestScoresThatLackRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, path := w.as("ada"), modelPath(modelA)+"/assessments"
	lacked := []assessment.NotAssessable{{RuleIDs: []string{"INS-01", "VIS-01"}, Why: "not shown"}}
	shown := []any{map[string]any{"ruleIds": []any{"INS-01", "VIS-01"}, "why": "not shown"}}
	for i, c := range []struct {
		of         assessment.Assessment
		complete   any
		lacks      any
		comparable bool
	}{
		{assessment.Assessment{RegimeID: "2026-11"}, nil, nil, false},
		{assessment.Assessment{RegimeID: "2026-12", ScoreComplete: new(true)}, true, nil, false},
		{assessment.Assessment{RegimeID: "2026-12", ScoreComplete: new(true)}, true, nil, true},
		{assessment.Assessment{RegimeID: "2026-12", ScoreComplete: new(false), NotAssessable: lacked}, false, shown, false},
		{assessment.Assessment{RegimeID: "2026-12", ScoreComplete: new(false), NotAssessable: lacked}, false, shown, true},
		{assessment.Assessment{RegimeID: "2026-11"}, nil, nil, false},
	} {
		id := w.assess("ada", modelA)
		made := w.assessedAs("acme", id, modelA, c.of)
		for _, address := range []string{path + "/" + made.String(), operationPath(id) + "/result"} {
			got := w.get(address, ada).ok(200)
			complete, has := got.body["scoreComplete"]
			if diff := cmp.Diff([]any{c.complete, c.lacks}, []any{complete, got.body["notAssessable"]}); diff != "" || has != (c.complete != nil) || got.body["regime"].(map[string]any)["comparableWithPrevious"] != c.comparable {
				t.Errorf("assessment %d: got %s (-want +got):\n%s", i+1, got.text, diff)
			}
		}
		if got := w.get(path, ada).ok(200).value()[0]; got["scoreComplete"] != c.complete || got["comparableWithPrevious"] != c.comparable {
			t.Errorf("assessment %d is listed as %v", i+1, got)
		}
	}
}

// A pin is shared by the account, and answers with the assessment's id however it was written.
//
// proves: decisions/13/idempotent
func TestPinAnAssessment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bob := w.as("ada"), w.as("bob")
	path := modelPath(modelA) + "/assessments/"
	made := w.assessed("acme", w.assess("ada", modelA), modelA, assessment.Usage{}).String()
	other := w.assessed("acme", w.assess("ada", modelB), modelB, assessment.Usage{}).String()
	theirs := w.assessed("other", w.assess("oscar", modelA), modelA, assessment.Usage{}).String()
	for _, call := range []struct {
		method, as, id string
		pinned         bool
	}{
		{"DELETE", ada, made, false},
		{"POST", ada, strings.ToUpper(made), true},
		{"POST", bob, made, true},
		{"DELETE", bob, made, false},
		{"DELETE", ada, made, false},
	} {
		got := w.send(call.method, path+call.id+"/pin", call.as, "").ok(200)
		if diff := cmp.Diff(map[string]any{"assessmentId": made, "pinned": call.pinned}, got.body); diff != "" {
			t.Errorf("%s (-want +got):\n%s", call.method, diff)
		}
	}
	w.untouched(func() {
		for name, id := range map[string]string{
			"another model's": other, "another account's": theirs, "nobody's": nowhere.String(), "malformed": "latest", "very long": strings.Repeat("x", 2000),
		} {
			for _, method := range []string{"POST", "DELETE"} {
				if refused := w.send(method, path+id+"/pin", ada, "").refused(404, domain.AssessmentNotFound); len(refused.text) > 1000 {
					t.Errorf("%s: the refusal repeats all that was sent", name)
				}
			}
		}
	})
}

// The filter of the list holds on every page, and the continuation token only for the same filter. Without a filter
// nothing is listed first because it is pinned.
//
// proves: decisions/13/listed
func TestPinnedAssessments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, path := w.as("ada"), modelPath(modelA)+"/assessments"
	var made, pinned, others []string // newest first
	for i := range 6 {
		id := w.assessed("acme", w.assess("ada", modelA), modelA, assessment.Usage{}).String()
		made = append([]string{id}, made...)
		if i%2 == 0 {
			w.send("POST", path+"/"+id+"/pin", ada, "").ok(200)
			pinned = append([]string{id}, pinned...)
		} else {
			others = append([]string{id}, others...)
		}
		if read := w.get(path+"/"+id, ada).ok(200); read.body["pinned"] != (i%2 == 0) {
			t.Errorf("%d: got pinned %v", i, read.body["pinned"])
		}
	}
	for query, want := range map[string][]string{"": made, "pinned=true": pinned, "pinned=false": others} {
		var got []string
		for address := w.base + path + "?maxResults=2&" + query; address != ""; {
			page := w.get(address, ada).ok(200)
			for _, a := range page.value() {
				got = append(got, a["assessmentId"].(string))
				if a["pinned"] != slices.Contains(pinned, a["assessmentId"].(string)) {
					t.Errorf("got %v", a)
				}
			}
			address, _ = page.body["continuationUri"].(string)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	token := w.get(path+"?maxResults=2&pinned=true", ada).ok(200).body["continuationToken"].(string)
	w.get(path+"?maxResults=2&continuationToken="+token, ada).refused(400, domain.InvalidRequest)
	for _, query := range []string{"pinned=", "pinned=1", "pinned=True", "pinned=true&pinned=true"} {
		w.get(path+"?"+query, ada).refused(400, domain.InvalidRequest)
	}
}

// A call on an item that the person cannot see is refused like one on an item that does not exist, and spends
// nothing.
//
// proves: 1/2 4.4/single/2 7.2/WorkspaceNotFound 7.2/ItemNotFound 7.2/OperationNotSupportedForItem 7.3/403-or-404 decisions/1/same-404
func TestInvisibleIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.as("bob")
	w.untouched(func() {
		for _, workspace := range []uuid.UUID{finance, nowhere} {
			base := "/v1/workspaces/" + workspace.String()
			model := base + "/semanticModels/" + modelA.String() + "/aiReadiness"
			for _, call := range []struct{ method, path, body string }{
				{"GET", base + "/semanticModels", ""},
				{"GET", base + "/dataAgents", ""},
				{"POST", base + "/aiReadiness/assess", fmt.Sprintf(`{"semanticModelIds":["%s"]}`, modelA)},
				{"POST", model + "/assess", ""},
				{"GET", model + "/assessments", ""},
				{"GET", model + "/assessments/" + nowhere.String(), ""},
			} {
				w.send(call.method, call.path, bob, call.body).refused(404, domain.WorkspaceNotFound)
			}
		}
		for _, model := range []uuid.UUID{nowhere, agent} { // does not exist; is not of the type of the route
			w.post(modelPath(model)+"/assess", bob, "").refused(404, domain.ItemNotFound)
			w.get(modelPath(model)+"/assessments", bob).refused(404, domain.ItemNotFound)
		}
		w.post(modelPath(kept)+"/assess", bob, "").refused(400, domain.OperationNotSupportedForItem)
	})
}
