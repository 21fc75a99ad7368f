package http_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/test/testworld"
)

// seenBy makes the workspace Sales visible only to the people.
func (w *onDisk) seenBy(people ...string) {
	w.t.Helper()
	w.Workspace(w.t, testworld.Workspace{ID: sales, Name: "Sales", Members: people})
}

// whilePlatformDown runs do while the platform does not respond.
func (w *onDisk) whilePlatformDown(do func()) {
	w.t.Helper()
	check(w.t, os.Rename(w.Root, w.Root+"-away"))
	do()
	check(w.t, os.Rename(w.Root+"-away", w.Root))
}

// reads gets a stored result as the person, whose rate is reset first.
func (w *onDisk) reads(person, path string) reply {
	w.t.Helper()
	w.uncounted()
	return w.get(path, w.as(person))
}

// ours records an A/B test and a benchmark run of acme on the model Actuals, whose results contain texts.
func (w *onDisk) ours(sideB benchmark.Side) (of abTested, run uuid.UUID) {
	w.t.Helper()
	of = w.abTest("acme", abtest.Words{Name: "Synonyms"}, sideOf(modelA, "Actuals", assistant), sideB, abtest.Source{Kind: abtest.FromQuestions})
	w.sideA(of)
	of = w.ownerReads(of)
	w.compared(of, 1)
	run = w.benchmarkOf("acme", sideOf(modelA, "Actuals", assistant))
	w.complete("acme", run)
	w.completeOperation(run)
	return of, run
}

// The person who started work can read its result as long as it is kept. Another member of the account can read a
// result with texts of a model only while the platform shows them the model; otherwise it is refused as not found. A
// look-up is cached for five minutes. While the platform does not respond, no one else can read it. People of other
// accounts never can. Results with only names, outcomes and scores are readable by all members.
//
// proves: decisions/9/9
func TestResultReaders(t *testing.T) {
	t.Parallel()
	w := newReporting(t)
	started := func(path, body string) string {
		id, _ := w.done("ada", path, body)
		return operationPath(id) + "/result"
	}
	of, run := w.ours(sideOf(modelB, "Budget", assistant))
	texts := map[string]domain.Code{ // with the code of a result that does not exist
		started("/assess", ""):                                     domain.OperationNotFound,
		started("/aiInstructions/preview", ""):                     domain.OperationNotFound,
		started("/optimize", `{"approval":"required"}`):            domain.OperationNotFound,
		started("/benchmark/questions/generate", `{"count":3}`):    domain.OperationNotFound,
		started("/benchmark/questions/save", oneQuestion):          domain.OperationNotFound,
		operationPath(run) + "/result":                             domain.OperationNotFound,
		operationPath(of.run) + "/result":                          domain.OperationNotFound,
		abRunPath(of.test, of.run) + "/result":                     domain.RunNotFound,
		benchmarkPath(modelA) + "/" + run.String() + "/result":     domain.WorkspaceNotFound,
		benchmarkPath(modelA) + "/" + of.runA.String() + "/result": domain.WorkspaceNotFound,
	}
	applied, _ := w.done("ada", "/aiInstructions/apply", `{"approval":"none"}`)
	texts[operationPath(applied)+"/result"] = domain.OperationNotFound
	texts[started("/revert", fmt.Sprintf(`{"operationId":"%s"}`, applied))] = domain.OperationNotFound
	bundle, _ := w.done("ada", "/optimize", `{"approval":"none","kinds":["aiInstructions"]}`)
	texts[operationPath(bundle)+"/result"] = domain.OperationNotFound
	texts[started("/optimize/revert", fmt.Sprintf(`{"operationId":"%s"}`, bundle))] = domain.OperationNotFound
	others := []string{started(bulkPath, fmt.Sprintf(`{"semanticModelIds":["%s"]}`, modelB)), started(reportPath(reportA)+"/addPixies", "")}

	w.seenBy("ada", "oscar")
	missing := map[string]string{}
	for path, absent := range texts {
		whole := w.reads("ada", path).ok(200).text
		got := w.reads("bob", path).refused(404, absent)
		// A result that does not exist is refused in the same words.
		id := path[strings.LastIndex(strings.TrimSuffix(path, "/result"), "/")+1:]
		id = strings.TrimSuffix(id, "/result")
		none := w.reads("bob", strings.ReplaceAll(path, id, nowhere.String())).refused(404, absent)
		if got.body["message"] != strings.ReplaceAll(fmt.Sprint(none.body["message"]), nowhere.String(), id) {
			t.Errorf("%s: got %q, of none %q", path, got.body["message"], none.body["message"])
		}
		code := domain.OperationNotFound
		if !strings.HasPrefix(path, "/v1/operations/") {
			code = domain.RunNotFound
		}
		if strings.HasPrefix(path, abTestsPath) {
			code = domain.AbTestNotFound
		}
		w.reads("oscar", path).refused(404, code)
		missing[path] = string(whole)
	}
	for _, path := range others {
		w.reads("bob", path).ok(200)
		w.reads("oscar", path).refused(404, domain.OperationNotFound)
	}
	w.whilePlatformDown(func() {
		for path, whole := range missing {
			if got := w.reads("ada", path).ok(200); string(got.text) != whole {
				t.Errorf("%s: the starter reads %s without the platform, and %s with it", path, got.text, whole)
			}
			if got := w.reads("bob", path).refused(502, domain.PlatformUnavailable); got.body["isRetriable"] != true {
				t.Errorf("%s: got %s, want a refusal to try again after", path, got.text)
			}
		}
	})

	w.seenBy("ada", "bob")
	for path, whole := range missing {
		if got := w.reads("bob", path).ok(200); string(got.text) != whole {
			t.Errorf("%s: bob reads %s, ada %s", path, got.text, whole)
		}
	}
	w.seenBy("ada")
	w.Clock.Advance(time.Minute) // one of five minutes; the other four allow for a slow machine
	w.whilePlatformDown(func() {
		for path := range missing {
			w.reads("bob", path).ok(200)
		}
	})
	w.Clock.Advance(4 * time.Minute)
	for path, absent := range texts {
		w.reads("bob", path).refused(404, absent)
		w.reads("ada", path).ok(200)
	}

	// No one can see a deleted model.
	w.seenBy("ada", "bob")
	check(t, os.RemoveAll(w.Root+"/Sales/Actuals.SemanticModel"))
	for path, absent := range texts {
		if absent == domain.WorkspaceNotFound {
			absent = domain.ItemNotFound
		}
		w.reads("bob", path).refused(404, absent)
		w.reads("ada", path).ok(200)
	}
}

// A comparison contains texts of both sides, so a reader must see both models and the data agents that answered.
//
// proves: decisions/9/9
func TestComparisonReaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hidden := uuid.MustParse("bbbbbbbb-0000-4000-8000-00000000000e")
	ledger := item.Item{ID: uuid.MustParse("aaaaaaaa-0000-4000-8000-00000000000e"), Type: item.SemanticModel, WorkspaceID: finance, DisplayName: "Ledger"}
	w.cloud.items = append(w.cloud.items, ledger, item.Item{ID: hidden, Type: item.DataAgent, WorkspaceID: finance, DisplayName: "Clerk"})
	theirs := sideOf(ledger.ID, "Ledger", assistant)
	theirs.WorkspaceID = finance
	for name, tt := range map[string]struct {
		a, b  benchmark.Side
		reads bool
	}{
		"what everybody sees":          {sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), true},
		"a hidden model on side A":     {theirs, sideOf(modelB, "Budget", assistant), false},
		"a hidden model on side B":     {sideOf(modelA, "Actuals", assistant), theirs, false},
		"a hidden agent answering":     {sideOf(modelA, "Actuals", assistant), sideOf(modelA, "Actuals", byAgent(hidden, "Clerk")), false},
		"a model that was never there": {sideOf(modelA, "Actuals", assistant), sideOf(nowhere, "Gone", assistant), false},
	} {
		of := w.abTest("acme", abtest.Words{Name: name}, tt.a, tt.b, abtest.Source{Kind: abtest.FromQuestions})
		w.sideA(of)
		of = w.ownerReads(of)
		w.compared(of, 1)
		for path, absent := range map[string]domain.Code{abRunPath(of.test, of.run) + "/result": domain.RunNotFound, operationPath(of.run) + "/result": domain.OperationNotFound} {
			w.uncounted()
			w.get(path, w.as("ada")).ok(200)
			if got := w.get(path, w.as("bob")); tt.reads {
				got.ok(200)
			} else {
				got.refused(404, absent)
			}
		}
		// All members can read names and scores.
		w.get(abRunPath(of.test, of.run), w.as("bob")).ok(200)
		w.get(abTestPath(of.test), w.as("bob")).ok(200)
	}
}

// Reading one's own results makes no request to the platform. Reading those of others makes one per person in five
// minutes.
func TestResultReadsThatAskThePlatform(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	of := w.abTest("acme", abtest.Words{Name: "Synonyms"}, sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromQuestions})
	w.sideA(of)
	of = w.ownerReads(of)
	w.compared(of, 1)
	run := w.benchmarkOf("acme", sideOf(modelA, "Actuals", assistant))
	w.complete("acme", run)
	w.completeOperation(run)
	paths := []string{operationPath(of.run) + "/result", abRunPath(of.test, of.run) + "/result", operationPath(run) + "/result", benchmarkPath(modelA) + "/" + run.String() + "/result"}
	for _, tt := range []struct {
		person string
		want   int
	}{{"ada", 0}, {"bob", 2}, {"bob", 0}, {"uma", 2}} {
		before := w.cloud.calls
		for _, path := range paths {
			w.uncounted()
			w.get(path, w.as(tt.person)).ok(http.StatusOK)
		}
		if got := w.cloud.calls - before; got != tt.want {
			t.Errorf("%s: the platform was asked %d times, want %d", tt.person, got, tt.want)
		}
	}
	// A refusal is not cached.
	w.Clock.Advance(5 * time.Minute)
	w.cloud.seenBy[sales] = "ada"
	w.get(paths[0], w.as("bob")).refused(404, domain.OperationNotFound)
	delete(w.cloud.seenBy, sales)
	w.get(paths[0], w.as("bob")).ok(http.StatusOK)
}
