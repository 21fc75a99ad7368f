package http_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/verdict"
	"readiness/eventstore"
	"readiness/test/testworld"
)

const abTestsPath = "/v1/aiReadiness/abTests"

func abTestPath(id uuid.UUID) string { return abTestsPath + "/" + id.String() }

func abRunPath(test, run uuid.UUID) string { return abTestPath(test) + "/runs/" + run.String() }

func benchmarkPath(model uuid.UUID) string { return modelPath(model) + "/benchmark/runs" }

// record executes commands on a stream, as commands and the worker do.
func record[S any](w *world, accountID, stream string, evolve func(S, domain.Event) S, commands ...domain.Command[S]) S {
	w.t.Helper()
	return testworld.Record(w.t, w.World, accountID, eventstore.Fold(stream, evolve), commands...)
}

func (w *world) onTest(accountID string, id uuid.UUID, commands ...domain.Command[abtest.Test]) abtest.Test {
	w.t.Helper()
	return record(w, accountID, abtest.Stream(id), abtest.Evolve, commands...)
}

func (w *world) onRun(accountID string, id uuid.UUID, commands ...domain.Command[abtest.Run]) abtest.Run {
	w.t.Helper()
	return record(w, accountID, operation.Stream(id), abtest.EvolveRun, commands...)
}

func (w *world) onBenchmark(accountID string, id uuid.UUID, commands ...domain.Command[benchmark.Run]) benchmark.Run {
	w.t.Helper()
	return record(w, accountID, benchmark.RunStream(id), benchmark.EvolveRun, commands...)
}

// sideOf returns a side with a model of the workspace sales.
func sideOf(model uuid.UUID, name string, by benchmark.AnsweredBy) benchmark.Side {
	return benchmark.Side{WorkspaceID: sales, WorkspaceName: "Sales", SemanticModelID: model, SemanticModelName: name, AnsweredBy: by}
}

// byAgent returns an agent of the workspace finance.
func byAgent(id uuid.UUID, name string) benchmark.AnsweredBy {
	return benchmark.AnsweredBy{Kind: verdict.DataAgent, DataAgentID: &id, DataAgentName: name, DataAgentWorkspaceID: &finance, DataAgentWorkspaceName: "Finance"}
}

var assistant = benchmark.AnsweredBy{Kind: verdict.PlatformAssistant}

// asked are two paraphrases, each repeated twice.
var asked = abtest.Questions{Document: "sha256:questions", SetHash: "sha256:set", Count: 2, Clusters: 1}

const repeats = 2

// abTested is a test with its newest run.
type abTested struct {
	accountID string
	owner     item.PersonID // who started the newest run; ada by default
	test, run uuid.UUID
	sideA     benchmark.Side
	sideB     benchmark.Side
	runA      uuid.UUID // the benchmark run of side A
	runB      uuid.UUID
}

func (of abTested) startedBy() item.PersonID { return cmp.Or(of.owner, "ada") }

// abTest records a test from saved questions, and its first run, as the call does.
func (w *world) abTest(accountID string, words abtest.Words, sideA, sideB benchmark.Side, source abtest.Source) abTested {
	w.t.Helper()
	id := uuid.Must(uuid.NewV7())
	w.onTest(accountID, id, abtest.CreateABTest{Created: abtest.Created{
		AbTestID: id, AccountID: accountID, Words: words, SideA: sideA, SideB: sideB, Source: source, CorrectAnswers: abtest.Preserve,
		Repeats: repeats, Questions: asked, At: w.Now(),
	}})
	return w.abRun(abTested{accountID: accountID, test: id, sideA: sideA, sideB: sideB}, nil)
}

// benchmarkRunsOf returns the stream that counts an account's benchmark runs.
func benchmarkRunsOf(accountID string) string {
	return account.AllowanceStream(accountID, account.BenchmarkRuns, account.Month, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
}

// abRun records another run of a test. reused is the stored run of side A; nil when side A asks.
func (w *world) abRun(of abTested, reused *uuid.UUID) abTested {
	w.t.Helper()
	of.run, of.runA, of.runB = uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7()), uuid.Nil
	first := of.runA
	accepted := abtest.RunAccepted{
		RunID: of.run, AbTestID: of.test, SideA: of.sideA, SideB: of.sideB, Questions: asked, CorrectAnswers: abtest.Preserve, Repeats: repeats, Reused: reused,
		Allowance: benchmarkRunsOf(of.accountID), At: w.Now(),
	}
	if reused != nil {
		of.runA, of.runB = *reused, first
	}
	two := accepted.Asking()
	run := w.onRun(of.accountID, of.run, abtest.AcceptRun{
		Operation: operation.Accepted{
			OperationID: of.run, AccountID: of.accountID, Type: operation.RunAbTest, Owner: of.startedBy(),
			Resource: operation.Resource{WorkspaceID: of.sideA.WorkspaceID, ItemID: &of.sideA.SemanticModelID, ItemType: item.SemanticModel}, Impact: operation.Impact{BenchmarkRuns: &two},
		},
		Run: accepted, BenchmarkRunID: first,
	})
	if reused == nil {
		w.acceptSide(run, abtest.A, of.runA, of.sideA)
	} else {
		w.acceptSide(run, abtest.B, of.runB, of.sideB)
	}
	w.onTest(of.accountID, of.test, abtest.AddRun{RunAdded: abtest.RunAdded{RunID: of.run, SideA: of.sideA, SideB: of.sideB, Questions: asked, At: w.Now()}})
	return of
}

func (w *world) acceptSide(run abtest.Run, name abtest.SideName, id uuid.UUID, side benchmark.Side) {
	w.t.Helper()
	w.onBenchmark(run.Operation.Account, id, benchmark.StartRun{RunAccepted: benchmark.RunAccepted{
		RunID: id, AccountID: run.Operation.Account, OperationID: run.RunID, Side: side, Questions: asked.Document, QuestionSetHash: asked.SetHash, Count: asked.Count, Clusters: asked.Clusters,
		Repeats: repeats, AbTest: &benchmark.OfTest{AbTestID: run.AbTestID, Side: string(name)}, At: w.Now(),
	}})
}

// ask starts a benchmark run and records asks; the first one has no answer.
func (w *world) ask(accountID string, id uuid.UUID, asks int) {
	w.t.Helper()
	commands := []domain.Command[benchmark.Run]{benchmark.BeginRun{At: w.Now()}}
	for n := range asks {
		v := verdict.Correct
		if n == 0 {
			v = verdict.Errored
		}
		commands = append(commands, benchmark.RecordAsk{Asked: benchmark.Asked{QuestionID: fmt.Sprint("q", n/repeats), N: n%repeats + 1, Verdict: v}})
	}
	w.onBenchmark(accountID, id, commands...)
}

// took is the response time of every completed benchmark run.
var took = &verdict.ResponseTime{N: 3, Errors: 1, MeanMS: 20, MedianMS: 20, P90MS: 30, P95MS: 30, MinMS: 10, MaxMS: 30, Includes: "ask_to_last_token", Excludes: []string{"judging"}}

// complete completes a benchmark run of two questions, each asked twice, and returns its document.
func (w *world) complete(accountID string, id uuid.UUID) []byte {
	w.t.Helper()
	w.ask(accountID, id, 4)
	body, err := json.Marshal(map[string]any{"schema": "benchmark-run/1", "runId": id, "text": "<&> and more", "questions": []map[string]any{{
		"questionId": "q1", "asks": []verdict.Ask{{N: 1, Decision: verdict.Decision{Verdict: verdict.Incorrect, Method: verdict.ByFields}}},
	}}})
	check(w.t, err)
	hash := w.keep(body)
	w.onBenchmark(accountID, id, benchmark.CompleteRun{RunCompleted: benchmark.RunCompleted{At: w.Now(), Outcome: benchmark.Outcome{
		DocumentHash: hash, Score: new(75), Verdicts: verdict.Counts{Correct: 3, Error: 1}, ResponseTime: took, Scored: 2, Stable: 1,
	}}})
	return body
}

// keep stores a document and returns its hash.
func (w *world) keep(body []byte) (hash string) {
	w.t.Helper()
	hash, stored, err := w.Work.Documents.Put(w.t.Context(), body)
	check(w.t, err)
	_, err = w.Pool.Exec(w.t.Context(), stored.SQL, stored.Args...)
	check(w.t, err)
	return hash
}

// sideA completes side A of the newest run and freezes the test's questions: those asked, or the given ones.
func (w *world) sideA(of abTested, frozen ...abtest.Questions) {
	w.t.Helper()
	w.onRun(of.accountID, of.run, abtest.BeginSide{Side: abtest.A})
	w.complete(of.accountID, of.runA)
	w.onRun(of.accountID, of.run, abtest.CompleteSide{Side: abtest.A})
	w.onTest(of.accountID, of.test, abtest.Freeze{Questions: append(frozen, asked)[0]})
}

// ownerReads starts side B of the newest run.
func (w *world) ownerReads(of abTested) abTested {
	w.t.Helper()
	of.runB = uuid.Must(uuid.NewV7())
	w.acceptSide(w.onRun(of.accountID, of.run, abtest.StartSideB{BenchmarkRunID: of.runB, Now: w.Now()}), abtest.B, of.runB, of.sideB)
	return of
}

// compared completes side B of the newest run and the run itself, with a gap. It returns the document.
func (w *world) compared(of abTested, gap int) []byte {
	w.t.Helper()
	w.onRun(of.accountID, of.run, abtest.BeginSide{Side: abtest.B})
	w.complete(of.accountID, of.runB)
	w.onRun(of.accountID, of.run, abtest.CompleteSide{Side: abtest.B})
	a, b := of.sideA.Asked("Before", verdict.Target{}), of.sideB.Asked("After", verdict.Target{})
	answered := []verdict.Ask{{N: 1, Decision: verdict.Decision{Verdict: verdict.Correct}, DurationMS: 10}}
	c := verdict.Compare(of.run.String(), a, b, []verdict.AskedQuestion{{QuestionID: "q0", Text: "What is <b>1 & 1</b>?", A: answered, B: answered}})
	body, err := json.Marshal(verdict.NewDocument(of.run.String(), verdict.Header{CreatedAt: w.Now(), RequestedBy: string(of.startedBy())}, c, verdict.Links{}))
	check(w.t, err)
	hash := w.keep(body)
	w.onRun(of.accountID, of.run, abtest.Finish{Compared: abtest.Compared{Document: hash, Aggregate: c.Aggregate, Agreement: c.Agreement}})
	w.endRun(of, abtest.RunEnded{Status: operation.StatusSucceeded, Aggregate: &c.Aggregate, Gap: &gap, Document: hash})
	return body
}

// endRun records on the test how its newest run ended.
func (w *world) endRun(of abTested, e abtest.RunEnded) {
	w.t.Helper()
	e.RunID, e.At = of.run, w.Now()
	w.onTest(of.accountID, of.test, abtest.EndRun{RunEnded: e})
}

// read sends a GET that must succeed.
func (w *world) read(path string) map[string]any {
	w.t.Helper()
	return w.get(path, w.as("ada")).ok(http.StatusOK).body
}

// names returns the names of listed tests.
func names(tests []map[string]any) []string {
	all := make([]string, len(tests))
	for i, t := range tests {
		all[i] = t["name"].(string)
	}
	return all
}

// at returns a time as the API formats it.
func at(t time.Time) string { return t.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano) }
