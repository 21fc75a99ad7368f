package http_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/verdict"
)

// benchmark records a benchmark run of a model that an agent answers, as the call does.
func (w *world) benchmark(accountID string, model uuid.UUID) uuid.UUID {
	w.t.Helper()
	return w.benchmarkOf(accountID, sideOf(model, "Actuals", byAgent(agent, "Analyst")))
}

func (w *world) benchmarkOf(accountID string, side benchmark.Side) uuid.UUID {
	w.t.Helper()
	id := uuid.Must(uuid.NewV7())
	record(w, accountID, operation.Stream(id), operation.Evolve, domain.Command[operation.Operation](operation.Accept{Accepted: operation.Accepted{
		OperationID: id, AccountID: accountID, Type: operation.RunBenchmark, Owner: "ada",
		Resource: operation.Resource{WorkspaceID: sales, ItemID: &side.SemanticModelID, ItemType: item.SemanticModel}, Impact: operation.Impact{BenchmarkRuns: new(1)},
	}}))
	w.onBenchmark(accountID, id, benchmark.StartRun{RunAccepted: benchmark.RunAccepted{
		RunID: id, AccountID: accountID, OperationID: id, Side: side,
		Questions: asked.Document, QuestionSetHash: asked.SetHash, Count: asked.Count, Clusters: asked.Clusters, Repeats: repeats, Allowance: benchmarkRunsOf(accountID), At: w.Now(),
	}})
	return id
}

// A benchmark run from its start to its result.
func TestBenchmarkRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	id := w.benchmark("acme", modelA)
	path := benchmarkPath(modelA) + "/" + id.String()
	first := w.read(path)
	want := map[string]any{
		"runId": id.String(), "operationId": id.String(), "workspaceId": sales.String(), "workspaceName": "Sales", "semanticModelId": modelA.String(), "semanticModelName": "Actuals",
		"agent":  map[string]any{"kind": "DataAgent", "dataAgentId": agent.String(), "dataAgentName": "Analyst", "dataAgentWorkspaceId": finance.String(), "dataAgentWorkspaceName": "Finance"},
		"status": "NotStarted", "createdAtUtc": first["createdAtUtc"], "startedAtUtc": nil, "finishedAtUtc": nil, "questionSetHash": "sha256:set", "questionsCount": 2.0, "repeats": 2.0,
		"asks": map[string]any{"made": 0.0, "total": 4.0, "errors": 0.0}, "score": nil, "verdicts": nil, "stable": nil, "scored": nil, "responseTime": nil, "storedAtUtc": nil,
		"abTestId": nil, "abTestSide": nil, "error": nil,
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("the run (-want +got):\n%s", diff)
	}
	if got := w.get(path+"/result", ada).refused(409, domain.ResultNotReady); got.header.Get("Retry-After") != "1" {
		t.Errorf("got Retry-After %q", got.header.Get("Retry-After"))
	}
	w.ask("acme", id, 3)
	got := w.read(path)
	if diff := cmp.Diff(map[string]any{"made": 3.0, "total": 4.0, "errors": 1.0}, got["asks"]); diff != "" || got["status"] != "Running" || got["startedAtUtc"] == nil {
		t.Errorf("the run reads %v, asks (-want +got):\n%s", got, diff)
	}
	document := w.complete("acme", id)
	record(w, "acme", operation.Stream(id), operation.Evolve, domain.Command[operation.Operation](operation.Begin{}), operation.Complete{})
	got = w.read(path)
	if got["status"] != "Succeeded" || got["score"] != 75.0 || got["scored"] != 2.0 || got["stable"] != 1.0 || got["storedAtUtc"] == nil || got["storedAtUtc"] != got["finishedAtUtc"] {
		t.Errorf("the run reads %v", got)
	}
	if diff := cmp.Diff(map[string]any{"correct": 3.0, "incorrect": 0.0, "unclear": 0.0, "refused": 0.0, "error": 1.0}, got["verdicts"]); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	answer := w.get(path+"/result", ada).ok(200)
	var whole any
	check(t, json.Unmarshal(document, &whole))
	if diff := cmp.Diff(map[string]any{"run": got, "document": whole}, answer.body); diff != "" || !strings.Contains(string(answer.text), `"document":`+string(document)) {
		t.Errorf("result %s (-want +got):\n%s", answer.text, diff)
	}
	if diff := cmp.Diff(answer.body, w.read(operationPath(id)+"/result")); diff != "" {
		t.Errorf("the operation's result (-run +operation):\n%s", diff)
	}

	failed := w.benchmark("acme", modelA)
	failure := operation.Failure{Code: domain.BenchmarkRunFailed, Message: "the provider refused"}
	w.onBenchmark("acme", failed, benchmark.FailRun{RunFailed: benchmark.RunFailed{Failure: failure, At: w.Now()}})
	if diff := cmp.Diff(map[string]any{"errorCode": "BenchmarkRunFailed", "message": "the provider refused"}, w.read(benchmarkPath(modelA) + "/" + failed.String())["error"]); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	w.get(benchmarkPath(modelA)+"/"+failed.String()+"/result", ada).refused(409, domain.OperationHasNoResult)

	w.untouched(func() {
		for _, wrong := range []string{benchmarkPath(modelB) + "/" + id.String(), benchmarkPath(modelA) + "/x", benchmarkPath(modelA) + "/" + nowhere.String()} {
			w.get(wrong, ada).refused(404, domain.RunNotFound)
			w.get(wrong+"/result", ada).refused(404, domain.RunNotFound)
			w.delete(wrong, ada).refused(404, domain.RunNotFound)
		}
	})
	deleted := w.delete(path, ada).ok(200)
	if diff := cmp.Diff(map[string]any{"runId": id.String(), "deleted": true}, deleted.body); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
	w.get(path, ada).refused(404, domain.RunNotFound)
	w.get(operationPath(id)+"/result", ada).refused(410, domain.OperationExpired)
	if got := w.read(operationPath(id))["status"]; got != "Succeeded" {
		t.Errorf("the operation reads %v", got)
	}
}

// The list of a model's benchmark runs: newest first, in pages, only its own, including sides of A/B runs.
func TestBenchmarkRunsOfAModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	if got := w.get(benchmarkPath(modelA), ada).ok(200); !strings.Contains(string(got.text), `"value":[]`) || got.body["continuationToken"] != nil {
		t.Errorf("got %s, want an empty list", got.text)
	}
	var want []string
	for range 4 {
		want = append([]string{w.benchmark("acme", modelA).String()}, want...)
	}
	of := w.abTest("acme", abtest.Words{Name: "One"}, sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromQuestions})
	want = append([]string{of.runA.String()}, want...)
	w.benchmark("acme", modelB)
	w.benchmark("other", modelA)
	w.Clock.Advance(time.Minute)
	var got []string
	var last map[string]any
	for address := w.base + benchmarkPath(modelA) + "?maxResults=2"; address != ""; {
		page := w.get(address, ada).ok(200)
		for _, r := range page.value() {
			got, last = append(got, r["runId"].(string)), r
			if r["runId"] == of.runA.String() && (r["abTestId"] != of.test.String() || r["abTestSide"] != "A" || r["operationId"] != of.run.String()) {
				t.Errorf("the side of an A/B run reads %v", r)
			}
		}
		address, _ = page.body["continuationUri"].(string)
		w.benchmark("acme", modelA) // a new run neither repeats nor hides a row
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the list (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(w.read(benchmarkPath(modelA)+"/"+got[len(got)-1]), last); diff != "" {
		t.Errorf("a listed run differs (-alone +listed):\n%s", diff)
	}
}

// Malformed calls are refused before anything is looked up.
func TestMalformedBenchmarkRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	w.untouched(func() {
		for body, says := range map[string]string{
			``:                                       "answeredBy",
			`{}`:                                     "answeredBy",
			`{"answeredBy":{"kind":"Oracle"}}`:       "answeredBy.kind",
			`{"answeredBy":{"kind":"DataAgent"}}`:    "answeredBy.dataAgentId",
			`{"answeredBy":{"kind":"GenericAgent"}}`: "answeredBy.providerId",
			`{"answeredBy":{"kind":"PlatformAssistant","providerId":"x"}}`:                  "providerId",
			`{"answeredBy":{"kind":"PlatformAssistant","dataAgentID":"x"}}`:                 "answeredBy.dataAgentId",
			`{"answeredBy":{"kind":"PlatformAssistant"},"repeats":0}`:                       "repeats",
			`{"answeredBy":{"kind":"PlatformAssistant"},"repeats":21}`:                      "repeats",
			`{"answeredBy":{"kind":"PlatformAssistant"},"repeats":1.5}`:                     "repeats",
			`{"answeredBy":{"kind":"DataAgent","dataAgentId":"x"}}`:                         "answeredBy.dataAgentId",
			`{"answeredBy":{"kind":"PlatformAssistant"},"questions":["how much is it?"]}`:   "questions",
			`{"answeredBy":{"kind":"PlatformAssistant","workspaceId":"` + "1" + `"}}`:       "workspaceId",
			`{"answeredBy":{"kind":"PlatformAssistant"},"answeredBy":{"kind":"DataAgent"}}`: "twice",
		} {
			w.post(benchmarkPath(nowhere), ada, body).refused(400, domain.InvalidRequest).says(says)
		}
		w.post(benchmarkPath(modelA), ada, `{"answeredBy":{"kind":"PlatformAssistant"}}`).refused(400, domain.BenchmarkQuestionsMissing)
	})
}

// The result of a judged run counts the verdicts of this judge, with the same model and prompt, in the account.
//
// proves: decisions/16/judge
func TestJudgeReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	judge := verdict.Judge{ProviderID: "p", Model: "m", PromptVersion: "judge/1"}
	judged := func(accountID string, j *verdict.Judge, judged, overruled int) uuid.UUID {
		id := w.benchmark(accountID, modelA)
		w.ask(accountID, id, 4)
		w.onBenchmark(accountID, id, benchmark.CompleteRun{RunCompleted: benchmark.RunCompleted{At: w.Now(), Outcome: benchmark.Outcome{
			DocumentHash: w.keep([]byte(`{}`)), Judge: j, Judged: judged, JudgeOverruled: overruled,
		}}})
		return id
	}
	other := judge
	other.PromptVersion = "judge/2"
	first, none := judged("acme", &judge, 3, 0), judged("acme", nil, 0, 0)
	judged("acme", &judge, 1, 1)
	judged("other", &judge, 7, 7)
	unused := judged("acme", &other, 0, 0)
	review := func(id uuid.UUID) any {
		return w.read(benchmarkPath(modelA) + "/" + id.String() + "/result")["judgeReview"]
	}
	for id, want := range map[uuid.UUID]any{
		first:  map[string]any{"judged": 4.0, "overruled": 1.0, "share": 0.25},
		unused: map[string]any{"judged": 0.0, "overruled": 0.0, "share": nil},
		none:   nil,
	} {
		if diff := cmp.Diff(want, review(id)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
