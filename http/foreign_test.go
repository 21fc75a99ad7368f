package http_test

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/http/routing"
)

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// On every route that takes an id, an id of another account gets the same response as an id that does not exist.
// Neither the response nor the log reveals anything about it.
//
// proves: 4.2/state 4.2/cancel/other-account 4.4/read decisions/1/same-404 decisions/1/nothing-internal
func TestIDsOfAnotherAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.Accounts.Apply(t.Context(), []account.Declaration{{ // oscar may call all routes
		AccountID: "other", Plan: account.Team, Status: account.Active, Settings: account.Settings{AddPixies: true, AIFeatures: true, DefinitionCopies: account.CopiesNone},
		People: []account.Person{{Person: item.Person{ID: "oscar"}, Role: account.Admin}},
	}})
	check(t, err)
	secret := uuid.MustParse("aaaaaaaa-0000-4000-8000-00000000000f")
	hidden := uuid.MustParse("bbbbbbbb-0000-4000-8000-00000000000f")
	w.cloud.items = append(w.cloud.items,
		item.Item{ID: secret, Type: item.SemanticModel, WorkspaceID: finance, DisplayName: "Ledger"},
		item.Item{ID: hidden, Type: item.DataAgent, WorkspaceID: finance, DisplayName: "Ledger"})
	covered := uuid.MustParse("cccccccc-0000-4000-8000-00000000000f")
	w.cloud.items = append(w.cloud.items, item.Item{ID: covered, Type: item.Report, WorkspaceID: finance, DisplayName: "Ledger"})
	started := w.assess("ada", modelA)
	made := w.assessed("acme", started, modelA, assessment.Usage{})
	running := w.assess("ada", modelB)
	saved := w.send("POST", "/v1/aiProviders", w.as("ada"), `{"name":"Ours","kind":"openai","model":"m"}`).ok(200).id("providerId")
	hook, _ := w.hook("ada")
	told := w.send("POST", "/v1/webhooks/"+hook.String()+"/test", w.as("ada"), "").ok(200).id("deliveryId")
	planned := w.send("POST", modelPath(modelB)+"/schedules", w.as("ada"), everyMorning).ok(200).id("scheduleId")
	noted, err := uuid.Parse(path.Base(w.note("ada", modelA)))
	check(t, err)
	sides := [2]benchmark.Side{sideOf(modelA, "Ledger", assistant), sideOf(modelB, "Ledger", assistant)}
	tested := w.abTest("acme", abtest.Words{Name: "Ledger"}, sides[0], sides[1], abtest.Source{Kind: abtest.FromQuestions})
	ours := w.abTest("other", abtest.Words{Name: "Ours"}, sideOf(modelC, "Costs", assistant), sideOf(modelC, "Costs", assistant), abtest.Source{Kind: abtest.FromQuestions})

	own, _ := w.hook("oscar")
	// In each route, each id in turn is one of acme's. The other ids are ones that oscar sees, or fitting ones.
	theirs := map[string]uuid.UUID{"workspaceId": finance, "semanticModelId": secret, "dataAgentId": hidden, "operationId": running, "assessmentId": made, "reportId": covered, "scheduleId": planned, "noteId": noted, "providerId": saved, "webhookId": hook, "deliveryId": told, "abTestId": tested.test, "runId": tested.run, "eventId": w.anEvent("acme")}
	visible := map[string]string{"workspaceId": sales.String(), "semanticModelId": modelA.String(), "dataAgentId": agent.String(), "reportId": reportA.String(), "assessmentId": nowhere.String(), "noteId": nowhere.String(), "webhookId": own.String(), "deliveryId": nowhere.String(), "kind": "aiInstructions", "questionId": "q1", "abTestId": ours.test.String(), "runId": tested.run.String(), "accountId": "other", "object": "checkpoint", "view": "accounts"}
	bodies := map[string]string{ // by operation
		"assessSemanticModels":    fmt.Sprintf(`{"semanticModelIds":["%s"]}`, secret),
		"addPixiesToReports":      fmt.Sprintf(`{"reportIds":["%s"]}`, reportA),
		"removePixiesFromReports": fmt.Sprintf(`{"reportIds":["%s"]}`, reportA),
		"applyOptimization":       `{"approval":"none"}`,
		"scorePreview":            `{"previewId":"x"}`,
		"revertOptimization":      fmt.Sprintf(`{"operationId":"%s"}`, running),
		"optimize":                `{"approval":"required"}`,
		"applyOptimizations":      fmt.Sprintf(`{"previewId":"%s"}`, running),
		"revertOptimizations":     fmt.Sprintf(`{"operationId":"%s"}`, running),
		"createSchedule":          everyMorning,
		"setOwner":                `{}`,
		"addNote":                 aNote,
		"changeNote":              aNote,
		"changeSchedule":          `{"enabled":true}`,
		"changeAIProvider":        `{"enabled":true}`,
		"changeWebhook":           `{"enabled":true}`,
		"updateAbTest":            `{"name":"Mine"}`,
		"importBenchmarkRun":      someAnswers,
		"startBenchmarkRun":       `{"answeredBy":{"kind":"PlatformAssistant"}}`,
		"saveBenchmarkQuestions":  `{"questions":[]}`,
		"overruleVerdict":         aVerdict,
		"listViewAsOf":            `{"asOf":{"position":1}}`,
	}
	oscar := w.as("oscar")
	said := len(w.log.String())
	ask := func(route routing.Route, name string, id uuid.UUID) map[string]any {
		path := placeholder.ReplaceAllStringFunc(route.Path, func(p string) string {
			if p = strings.Trim(p, "{}"); p == name {
				return id.String()
			}
			return visible[p]
		})
		got := w.send(route.Method, path, oscar, bodies[route.Operation])
		want := 404
		ofItem := strings.HasSuffix(route.Path, "}/abTests")
		if ofItem { // the account knows nothing about the item
			want = 200
		}
		if got.status != want {
			t.Errorf("%s %s: got %d %s, want %d", route.Method, path, got.status, got.text, want)
		}
		delete(got.body, "requestId")
		if ofItem && string(got.text) != "{\"value\":[]}\n" {
			t.Errorf("%s %s: got %s", route.Method, path, got.text)
		}
		for k, v := range got.body {
			got.body[k] = strings.ReplaceAll(fmt.Sprint(v), id.String(), "the id")
		}
		return got.body
	}
	w.untouched(func() {
		doc := description(t)
		for _, route := range routing.Table() {
			w.uncounted()
			needs := doc.Paths.Value(route.Path).GetOperation(route.Method).RequestBody
			if strings.Contains(route.Path, "{") && needs != nil && needs.Value.Required && bodies[route.Operation] == "" {
				t.Errorf("%s %s: this test has no body of %s", route.Method, route.Path, route.Operation)
			}
			for _, p := range placeholder.FindAllStringSubmatch(route.Path, -1) {
				if p[1] == "kind" || p[1] == "questionId" || p[1] == "object" || p[1] == "accountId" || p[1] == "view" { // no ids of the service
					continue
				}
				id, known := theirs[p[1]]
				if !known {
					t.Errorf("%s %s: this test has no %s of another account", route.Method, route.Path, p[1])
					continue
				}
				if p[1] == "runId" && strings.Contains(route.Path, "/benchmark/") {
					id = tested.runA
				}
				if diff := cmp.Diff(ask(route, p[1], nowhere), ask(route, p[1], id)); diff != "" {
					t.Errorf("%s %s: the response differs for another account's %s (-none +theirs):\n%s", route.Method, route.Path, p[1], diff)
				}
			}
		}
		// The same for ids in a body.
		got := w.send("POST", bulkPath, oscar, fmt.Sprintf(`{"semanticModelIds":["%s"]}`, secret))
		none := w.send("POST", bulkPath, oscar, fmt.Sprintf(`{"semanticModelIds":["%s"]}`, nowhere))
		if got.status != 404 || none.status != 404 || got.body["message"] != strings.ReplaceAll(fmt.Sprint(none.body["message"]), nowhere.String(), secret.String()) {
			t.Errorf("got %s of another account's model, and %s of none", got.text, none.text)
		}
	})
	logged := w.log.String()[said:]
	if !strings.Contains(logged, `"account":"other"`) {
		t.Error("the calls are not in the log")
	}
	for _, theirs := range []string{"acme", `"ada"`, "Finance", "Ledger"} {
		if strings.Contains(logged, theirs) {
			t.Errorf("the log of oscar's account contains %q of another account", theirs)
		}
	}
	w.get(operationPath(running), w.as("ada")).ok(200)
}
