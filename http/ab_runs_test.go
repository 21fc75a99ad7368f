package http_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/verdict"
)

// A run from its start to its comparison, as the run, the test, the lists and the result show it at each stage. Reads
// make no request to the platform.
//
// proves: 2.7/operationType/RunAbTest 2.11/side/semanticModelId-workspaceId 2.11/side/names 2.11/side/answeredBy.kind 2.11/side/answeredBy.dataAgentId 2.11/side/answeredBy.dataAgent 2.11/test/abTestId 2.11/test/name 2.11/test/createdAtUtc 2.11/test/sideA-sideB 2.11/test/questions.count 2.11/test/questions.questionSetHash 2.11/test/questions.source.kind 2.11/test/questions.correctAnswers 2.11/test/repeats 2.11/test/runCount 2.11/test/latestRun 2.11/test/latestSucceededRunId 2.11/test/latestSucceededRunAggregate 2.11/test/runGaps 2.11/test/description 2.11/test/hypothesis 2.11/run/runId-abTestId 2.11/run/status 2.11/run/stage 2.11/run/startedAtUtc-finishedAtUtc 2.11/run/sideA-sideB 2.11/run/aggregate 2.11/run/agreement 2.11/run/questionSetHash 2.11/run/questionsCount 2.11/run/counted 2.11/run/asks 2.11/result/members 2.11/result/document 4.2/result/3-RunAbTest 4.6/read 4.6/read-run 4.6/run-result 4.6/run-result/succeeded 4.6/run-result/running 4.6/run-result/relayed 7.2/ResultNotReady
func TestAbRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	words := abtest.Words{Name: "Synonyms", Description: new("why"), Hypothesis: &abtest.Hypothesis{Text: "B wins", Kind: new("B")}, LabelA: new("before"), SideBDescription: new("with synonyms")}
	of := w.abTest("acme", words, sideOf(modelA, "Actuals", byAgent(agent, "Analyst")), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromQuestions})
	run, result := abRunPath(of.test, of.run), abRunPath(of.test, of.run)+"/result"

	calls := w.cloud.calls
	test := w.read(abTestPath(of.test))
	created := test["createdAtUtc"]
	if _, err := time.Parse(time.RFC3339Nano, fmt.Sprint(created)); err != nil {
		t.Error(err)
	}
	runs := test["runs"].([]any)
	delete(test, "runs")
	delete(test, "createdAtUtc")
	started := test["latestRun"].(map[string]any)["startedAtUtc"]
	want := map[string]any{
		"abTestId": of.test.String(), "name": "Synonyms", "description": "why", "hypothesis": map[string]any{"text": "B wins", "kind": "B"}, "repeats": 2.0, "runCount": 1.0, "runGaps": []any{},
		"sideA": map[string]any{
			"semanticModelId": modelA.String(), "semanticModelName": "Actuals", "workspaceId": sales.String(), "workspaceName": "Sales", "label": "before",
			"answeredBy": map[string]any{"kind": "DataAgent", "dataAgentId": agent.String(), "dataAgentName": "Analyst", "dataAgentWorkspaceId": finance.String(), "dataAgentWorkspaceName": "Finance"},
		},
		"sideB": map[string]any{
			"semanticModelId": modelB.String(), "semanticModelName": "Budget", "workspaceId": sales.String(), "workspaceName": "Sales", "description": "with synonyms",
			"answeredBy": map[string]any{"kind": "PlatformAssistant"},
		},
		"questions": map[string]any{"count": 2.0, "source": map[string]any{"kind": "Questions"}, "correctAnswers": "Preserve"},
		"minimumDetectableEffect": map[string]any{
			"n": 1.0, "discordance": 0.3, "lastRun": false, "difference": nil, "smallSample": true, "note": "fewer than five questions can show nothing",
		},
		"latestRun": map[string]any{"runId": of.run.String(), "status": "Running", "stage": "SideA", "startedAtUtc": started, "finishedAtUtc": nil, "aggregate": nil, "error": nil},
	}
	if diff := cmp.Diff(want, test); diff != "" {
		t.Errorf("the test (-want +got):\n%s", diff)
	}
	none := map[string]any{
		"status": "Waiting", "benchmarkRunId": nil, "reusedFromRunId": nil, "progress": nil, "errorCode": nil, "capacityWorkspaceId": nil,
		"stable": nil, "scored": nil, "total": nil, "storedAtUtc": nil, "responseTime": nil,
	}
	with := func(side map[string]any, members ...any) map[string]any {
		out := map[string]any{}
		for k, v := range side {
			out[k] = v
		}
		for i := 0; i < len(members); i += 2 {
			out[members[i].(string)] = members[i+1]
		}
		return out
	}
	progress := func(answered float64, stalled bool) map[string]any {
		return map[string]any{"answered": answered, "total": 4.0, "stalled": stalled}
	}
	sideA := with(none, "status", "Pending", "benchmarkRunId", of.runA.String(), "progress", progress(0, false), "total", 2.0)
	shows := func(want map[string]any) {
		t.Helper()
		got := w.read(run)
		want["runId"], want["abTestId"], want["startedAtUtc"], want["questionSetHash"], want["questionsCount"] = of.run.String(), of.test.String(), started, "sha256:set", 2.0
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the run (-want +got):\n%s", diff)
		}
		for name, one := range map[string]any{"with its test": w.read(abTestPath(of.test))["runs"].([]any)[0], "in the list": w.read(abTestPath(of.test) + "/runs")["value"].([]any)[0]} {
			if diff := cmp.Diff(got, one); diff != "" {
				t.Errorf("the run %s differs (-alone +there):\n%s", name, diff)
			}
		}
		latest := w.read(abTestPath(of.test))["latestRun"].(map[string]any)
		for _, member := range []string{"runId", "status", "stage", "startedAtUtc", "finishedAtUtc", "aggregate", "error"} {
			if diff := cmp.Diff(got[member], latest[member]); diff != "" {
				t.Errorf("latestRun.%s differs (-run +test):\n%s", member, diff)
			}
		}
	}
	running := func(stage string, a, b map[string]any, made, total float64) map[string]any {
		return map[string]any{"status": "Running", "stage": stage, "sideA": a, "sideB": b, "counted": made > 0, "asks": map[string]any{"made": made, "total": total}}
	}
	if len(runs) != 1 {
		t.Errorf("got runs %v, want one", runs)
	}
	shows(running("SideA", sideA, none, 0, 8))
	for age, after := range map[time.Duration]string{0: "1", 6 * time.Second: "2", time.Hour: "30"} {
		w.ahead(age)
		if got := w.get(result, w.as("ada")).refused(409, domain.ResultNotReady); got.header.Get("Retry-After") != after || got.body["isRetriable"] != true {
			t.Errorf("after %v: got %s and Retry-After %s, want %s", age, got.text, got.header.Get("Retry-After"), after)
		}
	}
	w.ahead(0)
	w.get(operationPath(of.run)+"/result", ada).refused(409, domain.OperationInProgress)

	w.onRun("acme", of.run, abtest.BeginSide{Side: abtest.A})
	w.ask("acme", of.runA, 1)
	sideA = with(sideA, "status", "Running", "progress", progress(1, false))
	shows(running("SideA", sideA, none, 1, 8))
	w.Clock.Advance(2*time.Minute + time.Second)
	shows(running("SideA", with(sideA, "progress", progress(1, true)), none, 1, 8))
	w.ahead(0)

	w.sideA(of, abtest.Questions{SetHash: "sha256:frozen", Count: 1})
	stored := w.read(run)["sideA"].(map[string]any)["storedAtUtc"]
	var times map[string]any
	text, _ := json.Marshal(took)
	check(t, json.Unmarshal(text, &times))
	sideA = with(sideA, "status", "Completed", "progress", progress(4, false), "stable", 1.0, "scored", 2.0, "storedAtUtc", stored, "responseTime", times)
	shows(running("SideB", sideA, none, 4, 8))
	if got := w.read(abTestPath(of.test))["questions"]; !cmp.Equal(got, map[string]any{"count": 1.0, "questionSetHash": "sha256:frozen", "source": map[string]any{"kind": "Questions"}, "correctAnswers": "Preserve"}) {
		t.Errorf("once side A has answered, the questions are %v", got)
	}

	of = w.ownerReads(of)
	shows(running("SideB", sideA, with(none, "status", "Pending", "benchmarkRunId", of.runB.String(), "progress", progress(0, false), "total", 2.0), 4, 8))
	if got := w.read(abTestPath(of.test)); got["latestSucceededRunId"] != nil || got["latestSucceededRunAggregate"] != nil {
		t.Errorf("got a successful run: %v", got)
	}
	document := w.compared(of, -1)
	ended := w.read(run)
	aggregate, agreement := ended["aggregate"], ended["agreement"]
	var whole map[string]any
	check(t, json.Unmarshal(document, &whole))
	if diff := cmp.Diff([]any{whole["aggregate"], whole["agreement"]}, []any{aggregate, agreement}); diff != "" {
		t.Errorf("aggregate and agreement (-document +run):\n%s", diff)
	}
	sideB := with(sideA, "benchmarkRunId", of.runB.String(), "storedAtUtc", ended["sideB"].(map[string]any)["storedAtUtc"])
	shows(map[string]any{
		"status": "Succeeded", "stage": "Done", "sideA": sideA, "sideB": sideB, "counted": true, "asks": map[string]any{"made": 8.0, "total": 8.0},
		"finishedAtUtc": ended["finishedAtUtc"], "aggregate": aggregate, "agreement": agreement,
	})
	test = w.read(abTestPath(of.test))
	if diff := cmp.Diff([]any{of.run.String(), aggregate, []any{-1.0}, 1.0}, []any{test["latestSucceededRunId"], test["latestSucceededRunAggregate"], test["runGaps"], test["runCount"]}); diff != "" {
		t.Errorf("the newest succeeded run (-want +got):\n%s", diff)
	}

	answer := w.get(result, ada).ok(200)
	wantResult := map[string]any{
		"abTestId": of.test.String(), "runId": of.run.String(), "storedAtUtc": ended["finishedAtUtc"], "sideA": whole["a"], "sideB": whole["b"],
		"aggregate": aggregate, "agreement": agreement, "correctAnswers": map[string]any{"mode": "Preserve", "computedAtUtc": nil}, "document": whole,
	}
	if diff := cmp.Diff(wantResult, answer.body); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if !strings.Contains(string(answer.text), `"document":`+string(document)) {
		t.Errorf("the document is not relayed byte for byte:\n%s\n%s", document, answer.text)
	}
	for side, want := range map[string]any{"a": agent.String(), "b": nil} { // side B is the platform's assistant
		ref := answer.body["document"].(map[string]any)[side].(map[string]any)["agent_ref"].(map[string]any)
		if id, there := ref["data_agent_id"]; !there || id != want {
			t.Errorf("agent_ref of side %s reads %v", side, ref)
		}
	}
	if strings.Count(string(answer.text), agent.String()) != strings.Count(fmt.Sprint(whole["a"], whole["a"]), agent.String()) {
		t.Errorf("the data agent is named outside side A: %s", answer.text)
	}
	if diff := cmp.Diff(answer.body, w.read(operationPath(of.run)+"/result")); diff != "" {
		t.Errorf("the operation's result differs (-run +operation):\n%s", diff)
	}
	if w.cloud.calls != calls {
		t.Errorf("the platform was asked %d times, want never", w.cloud.calls-calls)
	}
	w.Clock.Advance(7*24*time.Hour + time.Minute)
	w.get(operationPath(of.run)+"/result", w.as("ada")).refused(410, domain.OperationExpired)
	w.get(result, w.as("ada")).ok(200) // while the run is kept
}

// A side that reuses a stored run, a side that fails because of its capacity, and a run that is cancelled: what each
// shows, and that none has a result.
//
// proves: 2.11/side/answeredBy.provider 2.11/run/cancel 2.11/run/error 2.11/run/counted 2.11/test/questions.source.runId 2.11/test/questions.source.runStoredAtUtc 4.2/result/2-cancelled 4.6/run-result/no-result 7.3/409-OperationHasNoResult/cancelled
func TestUnsuccessfulRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	stored := w.benchmark("acme", modelA)
	w.complete("acme", stored)
	when := w.Now().Truncate(time.Microsecond)
	of := w.abTest("acme", abtest.Words{Name: "Again"}, sideOf(modelA, "Actuals", assistant), sideOf(modelA, "Actuals", benchmark.AnsweredBy{Kind: verdict.GenericAgent, ProviderID: "p1", ProviderName: "Local"}),
		abtest.Source{Kind: abtest.FromRun, RunID: &stored, RunStoredAt: &when})
	test := w.read(abTestPath(of.test))
	if diff := cmp.Diff(map[string]any{"count": 2.0, "questionSetHash": "sha256:set", "correctAnswers": "Preserve", "source": map[string]any{"kind": "Run", "runId": stored.String(), "runStoredAtUtc": at(when)}}, test["questions"]); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"kind": "GenericAgent", "providerId": "p1", "providerName": "Local"}, test["sideB"].(map[string]any)["answeredBy"]); diff != "" {
		t.Errorf("answeredBy (-want +got):\n%s", diff)
	}

	// Cancelled while side A asks.
	w.onRun("acme", of.run, abtest.BeginSide{Side: abtest.A})
	w.ask("acme", of.runA, 3)
	w.onRun("acme", of.run, abtest.Stop{AskedA: w.onBenchmark("acme", of.runA)})
	w.onBenchmark("acme", of.runA, benchmark.StopRun{At: w.Now()})
	w.endRun(of, abtest.RunEnded{Status: operation.StatusCancelled})
	got := w.read(abRunPath(of.test, of.run))
	if diff := cmp.Diff(map[string]any{"side": "A", "counted": true, "asked": 3.0, "total": 8.0}, got["cancel"]); diff != "" {
		t.Errorf("cancel (-want +got):\n%s", diff)
	}
	if got["status"] != "Cancelled" || got["stage"] != "SideA" || got["counted"] != true || got["finishedAtUtc"] == nil || got["error"] != nil ||
		got["sideA"].(map[string]any)["status"] != "Cancelled" || got["sideB"].(map[string]any)["status"] != "Waiting" {
		t.Errorf("the stopped run reads %v", got)
	}
	if diff := cmp.Diff(map[string]any{"made": 3.0, "total": 8.0}, got["asks"]); diff != "" {
		t.Errorf("asks (-want +got):\n%s", diff)
	}
	w.get(abRunPath(of.test, of.run)+"/result", ada).refused(409, domain.OperationHasNoResult).says("Cancelled")
	w.get(operationPath(of.run)+"/result", ada).refused(409, domain.OperationHasNoResult)

	// Side A is reused; side B is refused by its capacity before it asks.
	of = w.abRun(of, &stored)
	got = w.read(abRunPath(of.test, of.run))
	kept := got["sideA"].(map[string]any)
	if kept["status"] != "Reused" || kept["benchmarkRunId"] != nil || kept["reusedFromRunId"] != stored.String() || kept["progress"] != nil || kept["scored"] != 2.0 || kept["storedAtUtc"] == nil || kept["responseTime"] == nil {
		t.Errorf("the reused side reads %v", kept)
	}
	if diff := cmp.Diff(map[string]any{"made": 0.0, "total": 4.0}, got["asks"]); diff != "" || got["stage"] != "SideB" || got["counted"] != false {
		t.Errorf("counted %v, stage %v, asks (-want +got):\n%s", got["counted"], got["stage"], diff)
	}
	failure := operation.Failure{Code: domain.CapacityPaused, Message: "the capacity is paused"}
	w.onRun("acme", of.run, abtest.FailSide{Side: abtest.B, Failure: failure, Asked: w.onBenchmark("acme", of.runB)})
	w.onBenchmark("acme", of.runB, benchmark.FailRun{RunFailed: benchmark.RunFailed{Failure: failure, At: w.Now()}})
	w.endRun(of, abtest.RunEnded{Status: operation.StatusFailed, Failure: &failure})
	got = w.read(abRunPath(of.test, of.run))
	failed := got["sideB"].(map[string]any)
	if failed["status"] != "Failed" || failed["errorCode"] != "CapacityPaused" || failed["capacityWorkspaceId"] != sales.String() || got["counted"] != false || got["status"] != "Failed" {
		t.Errorf("the failed run reads %v", got)
	}
	if diff := cmp.Diff(map[string]any{"errorCode": "CapacityPaused", "message": "the capacity is paused"}, got["error"]); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	w.get(abRunPath(of.test, of.run)+"/result", ada).refused(409, domain.OperationHasNoResult).says("Failed")
	if latest := w.read(abTestPath(of.test))["latestRun"].(map[string]any); latest["status"] != "Failed" || latest["error"] == nil {
		t.Errorf("latestRun reads %v", latest)
	}

	// A deleted stored run is no longer the source of a side.
	w.onBenchmark("acme", stored, benchmark.DeleteRun{})
	source := w.read(abTestPath(of.test))["questions"].(map[string]any)["source"]
	if diff := cmp.Diff(map[string]any{"kind": "Run"}, source); diff != "" {
		t.Errorf("source (-want +got):\n%s", diff)
	}
	if kept := w.read(abRunPath(of.test, of.run))["sideA"].(map[string]any); kept["scored"] != nil || kept["reusedFromRunId"] != stored.String() {
		t.Errorf("the reused side reads %v", kept)
	}
}

// A deleted run, and then its deleted test, is gone from all reads. The benchmark runs of the sides stay.
//
// proves: 2.11/DeletedAbTest 2.11/DeletedAbTestRun 4.6/delete 4.6/delete-run 4.6/delete/test 4.6/delete/run 7.2/AbTestNotFound 7.2/RunNotFound 7.3/404-AbTestNotFound 3.1/test-deleted
func TestDeletedRunsAndTests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	first := w.abTest("acme", abtest.Words{Name: "One"}, sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromQuestions})
	w.sideA(first)
	first = w.ownerReads(first)
	w.compared(first, 2)
	second := w.abRun(first, nil)

	for _, path := range []string{abRunPath(first.test, nowhere), abRunPath(first.test, first.test), abTestPath(first.test) + "/runs/x", abRunPath(first.test, nowhere) + "/result"} {
		w.get(path, ada).refused(404, domain.RunNotFound)
	}
	w.untouched(func() {
		for _, id := range []string{nowhere.String(), "x", strings.Repeat("é", 200)} {
			w.get(abTestsPath+"/"+id, ada).refused(404, domain.AbTestNotFound)
			w.get(abTestsPath+"/"+id+"/runs", ada).refused(404, domain.AbTestNotFound)
			w.get(abTestsPath+"/"+id+"/runs/"+first.run.String(), ada).refused(404, domain.AbTestNotFound)
			w.get(abTestsPath+"/"+id+"/runs/"+first.run.String()+"/result", ada).refused(404, domain.AbTestNotFound)
			w.delete(abTestsPath+"/"+id, ada).refused(404, domain.AbTestNotFound)
			w.delete(abTestsPath+"/"+id+"/runs/"+first.run.String(), ada).refused(404, domain.AbTestNotFound)
			w.patch(abTestsPath+"/"+id, ada, `{"name":"x"}`).refused(404, domain.AbTestNotFound)
			w.post(abTestsPath+"/"+id+"/runs", ada, "").refused(404, domain.AbTestNotFound)
		}
		w.delete(abRunPath(first.test, nowhere), ada).refused(404, domain.RunNotFound)
		w.delete(abTestPath(first.test)+"/runs/x", ada).refused(404, domain.RunNotFound)
	})

	got := w.delete(abRunPath(second.test, second.run), ada).ok(200)
	if diff := cmp.Diff(map[string]any{"abTestId": second.test.String(), "runId": second.run.String(), "deleted": true}, got.body); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
	if o := w.read(operationPath(second.run)); o["status"] != "Failed" {
		t.Errorf("the operation of the deleted run reads %v", o)
	}
	test := w.read(abTestPath(first.test))
	if test["runCount"] != 1.0 || test["latestRun"].(map[string]any)["runId"] != first.run.String() || len(test["runs"].([]any)) != 1 {
		t.Errorf("after the newest run was deleted the test reads %v", test)
	}
	w.get(abRunPath(second.test, second.run), ada).refused(404, domain.RunNotFound)
	w.delete(abRunPath(second.test, second.run), ada).refused(404, domain.RunNotFound)

	third := w.abRun(first, nil)
	w.onRun("acme", third.run, abtest.BeginSide{Side: abtest.A})
	w.ask("acme", third.runA, 1)
	got = w.delete(abTestPath(first.test), ada).ok(200)
	if diff := cmp.Diff(map[string]any{"abTestId": first.test.String(), "deletedRuns": 2.0}, got.body); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
	if o := w.read(operationPath(third.run)); o["status"] != "Failed" || o["allowanceImpact"].(map[string]any)["benchmarkRuns"] != 2.0 {
		t.Errorf("the operation of the run in progress reads %v", o)
	}
	for _, path := range []string{abTestPath(first.test), abTestPath(first.test) + "/runs", abRunPath(first.test, first.run), abRunPath(first.test, first.run) + "/result"} {
		w.get(path, ada).refused(404, domain.AbTestNotFound)
	}
	w.get(operationPath(first.run)+"/result", ada).refused(410, domain.OperationExpired)
	if list := w.read(abTestsPath)["value"].([]any); len(list) != 0 {
		t.Errorf("the list has %v", list)
	}
	for model, id := range map[uuid.UUID]uuid.UUID{modelA: first.runA, modelB: first.runB} {
		kept := w.read(benchmarkPath(model) + "/" + id.String())
		if kept["status"] != "Succeeded" || kept["abTestId"] != first.test.String() {
			t.Errorf("the benchmark run of a side reads %v", kept)
		}
	}
}

// A test is returned with at most 50 of its runs, the newest. The list of runs returns all of them, in pages.
//
// proves: 8/runs-with-a-test 4.6/read decisions/2/paging-stable
func TestRunsOfATestInPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	of := w.abTest("acme", abtest.Words{Name: "Many"}, sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromQuestions})
	want := []string{of.run.String()}
	more := func() string { return w.abRun(of, nil).run.String() }
	for range 51 {
		want = append([]string{more()}, want...)
	}
	ids := func(runs []map[string]any) (all []string) {
		for _, r := range runs {
			all = append(all, r["runId"].(string))
		}
		return all
	}
	var with []map[string]any
	for _, r := range w.read(abTestPath(of.test))["runs"].([]any) {
		with = append(with, r.(map[string]any))
	}
	if diff := cmp.Diff(want[:50], ids(with)); diff != "" {
		t.Errorf("the runs with the test (-want +got):\n%s", diff)
	}
	var got []string
	for address := w.base + abTestPath(of.test) + "/runs?maxResults=20"; address != ""; {
		page := w.get(address, w.as("ada")).ok(200)
		got = append(got, ids(page.value())...)
		address, _ = page.body["continuationUri"].(string)
		more() // a new run neither repeats nor hides a row
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the list (-want +got):\n%s", diff)
	}
}

// A customer's own store depends on a capacity.
//
// proves: 4.6/run-result/store-paused
func TestStoreBehindAPausedCapacity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	of := w.abTest("acme", abtest.Words{Name: "One"}, sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromQuestions})
	w.sideA(of)
	of = w.ownerReads(of)
	w.compared(of, 0)
	w.Views.Stored = func(context.Context, string) ([]byte, error) {
		return nil, domain.Refuse(domain.CapacityPaused, "the capacity that the account's store is on is paused; resume it and call again")
	}
	w.get(abRunPath(of.test, of.run)+"/result", w.as("ada")).refused(409, domain.CapacityPaused)
	w.Views.Stored = nil
	w.get(abRunPath(of.test, of.run)+"/result", w.as("ada")).ok(200)
}

// A store that does not respond is reported as such, not as a run without a result.
//
// proves: 4.6/run-result/store-unavailable 7.2/StoreUnavailable 7.3/502-StoreUnavailable
func TestUnresponsiveStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	of := w.abTest("acme", abtest.Words{Name: "One"}, sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromQuestions})
	w.sideA(of)
	of = w.ownerReads(of)
	w.compared(of, 0)
	_, err := w.Pool.Exec(t.Context(), `ALTER TABLE documents RENAME TO elsewhere`)
	check(t, err)
	for _, path := range []string{abRunPath(of.test, of.run) + "/result", operationPath(of.run) + "/result", benchmarkPath(modelA) + "/" + of.runA.String() + "/result"} {
		if got := w.get(path, ada).refused(502, domain.StoreUnavailable); got.body["isRetriable"] != true || strings.Contains(string(got.text), "relation") {
			t.Errorf("%s: got %s", path, got.text)
		}
	}
	w.get(abRunPath(of.test, of.run), ada).ok(200)
	_, err = w.Pool.Exec(t.Context(), `ALTER TABLE elsewhere RENAME TO documents`)
	check(t, err)
	w.get(abRunPath(of.test, of.run)+"/result", ada).ok(200)
}
