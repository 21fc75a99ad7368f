package kills_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/test/scenarios/program"
	"readiness/test/testlog"
)

// The number of questions of one A/B run: enough that it takes several lives of the process.
const (
	crashQuestions = 60
	crashRepeats   = 2
)

// TestKilledAbRuns kills the program at random instants of A/B runs, which their owner reads. Each run ends with its
// comparison, side B of each begins once, and no ask is in the log twice.
func TestKilledAbRuns(t *testing.T) {
	t.Parallel()
	killAbRuns(t, 2)
}

func killAbRuns(t *testing.T, kills int) {
	t.Helper()
	a := &abtester{Program: program.New(t, []string{"ada"}, "--database-url", testlog.URL(t)), model: uuid.New()}
	a.Item(a.T, "Retail", "Sales.SemanticModel", "Sales", a.model)
	table := "table Sales\n"
	for i := range crashQuestions {
		table += fmt.Sprintf("\n\tmeasure 'Figure %d' = 1\n", i)
	}
	a.Put(table, "Sales.SemanticModel", "definition", "tables", "Sales.tmdl")
	a.Life(a.save)
	a.Strike(kills, 250*time.Millisecond, func(lasts time.Duration) bool {
		inProgress := a.op != ""
		a.Life(func(ctx context.Context) { a.live(ctx, lasts) })
		return inProgress || a.op != ""
	})
	p := a.Launch()
	defer p.Kill()
	a.finish()
	t.Logf("seed %d: %d kills over %d runs", a.Seed, kills, len(a.Runs))
	a.verify()
}

// abtester runs A/B tests of a model against itself.
type abtester struct {
	*program.Program
	model uuid.UUID
	op    string // the current run, "" for none
}

// save saves the model's questions.
func (a *abtester) save(ctx context.Context) {
	var questions []map[string]any
	for i := range crashQuestions {
		name := fmt.Sprintf("Figure %d", i)
		questions = append(questions, map[string]any{
			"text": "What is " + name + "?", "expected": map[string]any{"fields": []map[string]any{{"role": "measure", "table": "Sales", "name": name}}},
		})
	}
	accepted, ok := a.Call(ctx, http.MethodPost, fmt.Sprintf("/v1/workspaces/%s/semanticModels/%s/aiReadiness/benchmark/questions/save", a.WorkspaceID, a.model),
		http.StatusAccepted, map[string]any{"questions": questions, "repeats": crashRepeats})
	if !ok {
		a.T.Fatalf("saving the questions was not accepted: %v", a.Last)
	}
	a.Await("the questions are saved", func() bool {
		state, _ := a.Call(ctx, http.MethodGet, "/v1/operations/"+accepted["operationId"].(string), http.StatusOK, nil)
		return state["status"] == "Succeeded"
	})
}

// live performs one run after another until its time is over.
func (a *abtester) live(ctx context.Context, lasts time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, lasts)
	defer cancel()
	for ctx.Err() == nil {
		if a.op == "" {
			a.start(ctx)
		} else {
			a.follow(ctx)
		}
		a.Wait(ctx, program.PollPause)
	}
}

// start starts the next run under a key. A call without an answer is repeated.
func (a *abtester) start(ctx context.Context) {
	_, _ = program.Query[int](a.Program, `WITH emptied AS (DELETE FROM rate_windows RETURNING 1) SELECT count(*)::int FROM emptied`)
	side := map[string]any{"semanticModelId": a.model, "workspaceId": a.WorkspaceID, "answeredBy": map[string]any{"kind": "PlatformAssistant"}}
	got, ok := a.Call(ctx, http.MethodPost, "/v1/aiReadiness/abTests", http.StatusAccepted, map[string]any{
		"name": fmt.Sprintf("Test %d", a.Key), "sideA": side, "sideB": side, "source": map[string]any{"kind": "Questions"},
	}, "Idempotency-Key", fmt.Sprintf("run-%d", a.Key))
	switch {
	case ok:
		a.op = got["operationId"].(string)
		a.Runs = append(a.Runs, uuid.MustParse(a.op))
		a.Key++
	case got != nil && got["isRetriable"] != true:
		a.T.Fatalf("the run was refused: %v", got)
	}
}

// follow reads the current run, which starts side B, and checks its result once it has ended.
func (a *abtester) follow(ctx context.Context) {
	result, ok := a.Result(ctx, a.op)
	if !ok {
		return // read again later
	}
	for _, name := range []string{"sideA", "sideB"} {
		side := result[name].(map[string]any)
		if side["score"] != 100. || side["asks"] != float64(crashQuestions*crashRepeats) {
			a.T.Errorf("operation %s: %s has score %v over %v asks", a.op, name, side["score"], side["asks"])
		}
	}
	a.op = ""
}

// finish ends the current run and waits until nothing is left to do.
func (a *abtester) finish() {
	a.T.Helper()
	a.Await("the last run has ended", func() bool {
		if a.op != "" {
			a.follow(a.T.Context())
		}
		return a.op == ""
	})
	a.Await("every step is done", func() bool {
		left, ok := program.Query[int](a.Program, `SELECT count(*) FROM river_job WHERE finalized_at IS NULL AND kind = 'ask-questions'`)
		return ok && left == 0
	})
}

// verify compares the log with the calls: every run once, its sides once, every ask once.
func (a *abtester) verify() {
	a.T.Helper()
	count := a.Count
	type counts struct{ Tests, Runs, SidesB, Compared, Asked, AskedTwice, Spent, GivenBack, Tokens int }
	got := counts{
		Tests:      count(`SELECT count(*) FROM events WHERE type = 'abtest.created'`),
		Runs:       count(`SELECT count(*) FROM events WHERE type = 'abtest.run-accepted'`),
		SidesB:     count(`SELECT count(*) FROM events WHERE type = 'abtest.side-queued' AND data->>'side' = 'b'`),
		Compared:   count(`SELECT count(*) FROM events WHERE type = 'abtest.compared'`),
		Asked:      count(`SELECT count(*) FROM events WHERE type = 'benchmark.asked'`),
		AskedTwice: count(`SELECT count(*) FROM (SELECT FROM events WHERE type = 'benchmark.asked' GROUP BY stream, data->>'questionId', data->>'n' HAVING count(*) > 1) twice`),
		Spent:      count(`SELECT coalesce(sum((data->>'amount')::int), 0) FROM events WHERE type = 'allowance.spent' AND data->>'kind' = 'benchmarkRuns'`),
		GivenBack:  count(`SELECT count(*) FROM events WHERE type = 'allowance.refunded'`),
		Tokens:     count(`SELECT count(*) FROM step_tokens`),
	}
	n := len(a.Runs)
	want := counts{Tests: n, Runs: n, SidesB: n, Compared: n, Asked: 2 * n * crashQuestions * crashRepeats, Spent: 2 * n}
	if diff := cmp.Diff(want, got); diff != "" {
		a.T.Errorf("the log after %d runs (-want +got):\n%s", n, diff)
	}
	a.Operate("events", "verify")
	a.Operate("projections", "rebuild", "--diff")
}
