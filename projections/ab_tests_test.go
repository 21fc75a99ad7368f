package projections_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/verdict"
	"readiness/eventstore"
	"readiness/eventstore/sealed"
	"readiness/internal/database"
	"readiness/projections"
	"readiness/test/pgtest"
)

// tester appends events of A/B tests and reads the views.
type tester struct {
	t      *testing.T
	log    *eventstore.Store
	engine *projections.Engine
	views  *projections.Views
}

func newTester(t *testing.T) tester {
	t.Helper()
	pool := pgtest.Pool(t)
	codec, err := eventstore.NewCodec(eventstore.Events(
		benchmark.RunAccepted{}, benchmark.RunStarted{}, benchmark.Asked{}, benchmark.RunCompleted{}, benchmark.RunFailed{}, benchmark.RunCancelled{}, benchmark.RunDeleted{},
		abtest.Created{}, abtest.Reworded{}, abtest.RunAdded{}, abtest.QuestionsFrozen{}, abtest.RunEnded{}, abtest.RunRemoved{}, abtest.Deleted{},
		abtest.RunAccepted{}, abtest.SideQueued{}, abtest.SideStarted{}, abtest.SideCompleted{}, abtest.SideFailed{}, abtest.Compared{}, abtest.RunStopped{}, abtest.RunErased{},
		operation.Accepted{}, operation.Started{}, operation.Progressed{}, operation.Succeeded{}, operation.Failed{}, operation.Cancelled{},
	)...)
	if err != nil {
		t.Fatal(err)
	}
	k := tester{t: t, engine: projections.NewEngine(pool, projections.Operations, projections.BenchmarkRuns, projections.AbTests, projections.AbRuns)}
	k.log = eventstore.New(pool, codec, eventstore.Options{Inline: k.engine.Inline})
	if k.log.Keys, err = sealed.New(make([]byte, sealed.KeySize)); err != nil {
		t.Fatal(err)
	}
	k.views = &projections.Views{Pool: pool, Store: k.log}
	if err := k.engine.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	return k
}

// append appends the events unchanged.
func (k tester) append(stream string, events ...domain.Event) {
	k.t.Helper()
	past := eventstore.Fold(stream, func(struct{}, domain.Event) struct{} { return struct{}{} })
	if err := k.log.Change(k.t.Context(), eventstore.Metadata{Account: "acme"}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, past, appendAll(events))
	}); err != nil {
		k.t.Fatal(err)
	}
}

type appendAll []domain.Event

func (e appendAll) Decide(struct{}) ([]domain.Event, error) { return e, nil }

func (k tester) run(id uuid.UUID) (projections.AbRun, bool) {
	k.t.Helper()
	r, found, err := k.views.AbRun(k.t.Context(), "acme", id)
	if err != nil {
		k.t.Fatal(err)
	}
	return r, found
}

// A rebuild always makes the same rows. Events of operations that are not a run of a test, or whose
// run was deleted, do not change the runs.
func TestAbTestsAreRebuilt(t *testing.T) {
	t.Parallel()
	k := newTester(t)
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	id := func(n byte) uuid.UUID { return uuid.UUID{15: n} }
	side := benchmark.Side{WorkspaceID: id(1), SemanticModelID: id(2), SemanticModelName: "Sales\x00", AnsweredBy: benchmark.AnsweredBy{Kind: verdict.PlatformAssistant}}
	asked := abtest.Questions{SetHash: "sha256:1", Count: 1}
	failure := operation.Failure{Code: domain.BenchmarkRunFailed, Message: "no"}
	benchmarkRun := func(n byte, more ...domain.Event) {
		k.append(benchmark.RunStream(id(n)), append([]domain.Event{
			benchmark.RunAccepted{RunID: id(n), AccountID: "acme", Side: side, Count: 1, Repeats: 2, At: at}, benchmark.RunStarted{At: at}, benchmark.Asked{Made: 1}, benchmark.Asked{Made: 2, Errors: 1},
		}, more...)...)
	}
	benchmarkRun(10, benchmark.RunCompleted{At: at, Outcome: benchmark.Outcome{Scored: 1}})
	benchmarkRun(11, benchmark.RunFailed{Failure: failure, At: at})
	benchmarkRun(12, benchmark.RunCancelled{At: at}, benchmark.RunDeleted{})
	abRun := func(n byte, more ...domain.Event) {
		k.append(operation.Stream(id(n)), append([]domain.Event{
			operation.Accepted{OperationID: id(n), AccountID: "acme", Type: operation.RunAbTest},
			abtest.RunAccepted{RunID: id(n), AbTestID: id(20), SideA: side, SideB: side, Questions: asked, Repeats: 2, At: at.Add(time.Duration(n) * time.Minute)},
			abtest.SideQueued{Side: abtest.A, BenchmarkRunID: id(10)}, operation.Started{}, abtest.SideStarted{Side: abtest.A}, operation.Progressed{Percent: 7},
		}, more...)...)
	}
	k.append(abtest.Stream(id(20)),
		abtest.Created{AbTestID: id(20), AccountID: "acme", Words: abtest.Words{Name: "One\nmore"}, SideA: side, SideB: side, Source: abtest.Source{Kind: abtest.FromQuestions}, Questions: asked, At: at},
		abtest.RunAdded{RunID: id(30), SideA: side, SideB: side, Questions: asked, At: at, Standing: abtest.Standing{Runs: 1, Latest: &abtest.LatestRun{RunID: id(30)}, SortedAt: at}},
		abtest.QuestionsFrozen{Questions: asked}, abtest.Reworded{Words: abtest.Words{Name: "Two"}})
	abRun(30, abtest.SideCompleted{Side: abtest.A}, abtest.SideQueued{Side: abtest.B, BenchmarkRunID: id(11)}, abtest.SideStarted{Side: abtest.B}, abtest.SideCompleted{Side: abtest.B},
		abtest.Compared{Document: "sha256:2", Aggregate: verdict.Aggregate{Comparable: 1}}, operation.Succeeded{})
	abRun(31, abtest.SideFailed{Side: abtest.A, Failure: failure}, operation.Failed{Failure: failure, Impact: operation.Impact{BenchmarkRuns: new(1)}})
	abRun(32, abtest.RunStopped{Side: new(abtest.A), Queued: new(abtest.B), Counted: true, Asked: 1, Total: 4}, operation.Cancelled{})
	abRun(33, abtest.RunErased{}, operation.Failed{Failure: failure})
	k.append(operation.Stream(id(40)), operation.Accepted{OperationID: id(40), AccountID: "acme", Type: operation.RunBenchmark}, operation.Failed{Failure: failure})
	k.append(abtest.Stream(id(20)),
		abtest.RunEnded{RunID: id(32), Status: operation.StatusCancelled, At: at, Standing: abtest.Standing{Runs: 3, Latest: &abtest.LatestRun{RunID: id(32)}, SortedAt: at, Gaps: []int{1}}},
		abtest.RunRemoved{RunID: id(32), Standing: abtest.Standing{Runs: 2, Latest: &abtest.LatestRun{RunID: id(31)}, SortedAt: at, Gaps: []int{1}}})
	k.append(abtest.Stream(id(21)), abtest.Created{AbTestID: id(21), AccountID: "acme", SideA: side, SideB: side, At: at}, abtest.Deleted{})

	want := map[byte]operation.Status{30: operation.StatusSucceeded, 31: operation.StatusFailed, 32: operation.StatusCancelled, 33: "", 40: ""}
	look := func(when string) {
		t.Helper()
		for n, status := range want {
			if r, found := k.run(id(n)); found != (status != "") || r.Operation.Status != status {
				t.Errorf("%s run %d is %q (%v), want %q", when, n, r.Operation.Status, found, status)
			}
		}
		if r, _ := k.run(id(31)); r.Operation.Failure == nil || r.A.Failure == nil || *r.Operation.Impact.BenchmarkRuns != 1 || r.AskedA == nil || r.AskedA.Asked != 2 || r.AskedB != nil {
			t.Errorf("%s the failed run reads %+v", when, r)
		}
		tests, err := k.views.AbTests(t.Context(), projections.AbTestsQuery{AccountID: "acme"})
		if err != nil || len(tests) != 1 || tests[0].Name != "Two" || tests[0].Standing.Runs != 2 || tests[0].Latest.RunID != id(31) || tests[0].Frozen == nil || tests[0].Version != 6 {
			t.Errorf("%s the tests are %+v (%v)", when, tests, err)
		}
	}
	look("as appended,")
	for _, view := range []string{"benchmark_runs", "ab_tests", "ab_runs"} {
		r, err := k.engine.Rebuild(t.Context(), k.log, view, projections.RebuildOptions{Diff: true})
		if err != nil || r.Diff == nil || !r.Diff.None() || r.Diff.Same == 0 {
			t.Fatalf("a rebuild of %s differs: %+v (%v)", view, r.Diff, err)
		}
	}
	look("rebuilt,")
	if _, found, err := k.views.AbTest(t.Context(), "other", id(20)); found || err != nil {
		t.Errorf("another account finds the test (%v)", err)
	}
	if _, found, err := k.views.AbRun(t.Context(), "other", id(30)); found || err != nil {
		t.Errorf("another account finds the run (%v)", err)
	}
	k.append(abtest.Stream(id(20)), abtest.Deleted{Runs: 2})
	if _, found := k.run(id(30)); found {
		t.Error("a run of a deleted test is found")
	}
}

// Every list is found by an index, however much other accounts, tests and models have.
func TestAbTestsAreFoundByIndex(t *testing.T) {
	t.Parallel()
	k := newTester(t)
	for _, sql := range []string{
		`INSERT INTO ab_tests_v1 (ab_test_id, account_id, version, created_at, sorted_at, name_folded, names_folded, workspace_a, workspace_b, model_a, model_b, agent_a, agent_b, created, words, side_a, side_b, standing, latest_run)
			SELECT uuidv7(), 'account' || i % 20, 1, now(), now() - i * interval '1 minute', 'name ' || i, '', uuidv7(), uuidv7(), uuidv7(), uuidv7(), uuidv7(), uuidv7(), '{}', '{}', '{}', '{}', '{}', uuidv7() FROM generate_series(1, 8000) i`,
		`INSERT INTO ab_runs_v2 (run_id, account_id, ab_test_id, status, started_at, accepted, status_a, status_b, run_a, run_b)
			SELECT latest_run, account_id, ab_test_id, 'Running', sorted_at, '{}', 'Waiting', 'Waiting', uuidv7(), uuidv7() FROM ab_tests_v1`,
		`INSERT INTO benchmark_runs_v2 (run_id, account_id, workspace_id, model_id, status, accepted_at, updated_at, accepted, asked, errors)
			SELECT run_a, account_id, uuidv7(), uuidv7(), 'Running', started_at, started_at, '{}', 0, 0 FROM ab_runs_v2`,
		`VACUUM ANALYZE ab_tests_v1_g1`, `VACUUM ANALYZE ab_runs_v2_g1`, `VACUUM ANALYZE benchmark_runs_v2_g1`,
	} {
		if _, err := k.views.Pool.Exec(t.Context(), strings.ReplaceAll(sql, "uuidv7()", "gen_random_uuid()")); err != nil {
			t.Fatal(err)
		}
	}
	after := &projections.AbTestCursor{SortedAt: time.Now().Add(-24 * time.Hour), Name: "name 5"}
	item := &projections.InWorkspace{WorkspaceID: uuid.New(), ID: uuid.New()}
	const list, byName = "ab_tests_v1_g1_account_id_sorted_at_ab_test_id_idx", "ab_tests_v1_g1_account_id_name_folded_ab_test_id_idx"
	tests := map[string]struct {
		query projections.AbTestsQuery
		index string
	}{
		"all":                 {projections.AbTestsQuery{}, list},
		"the next page":       {projections.AbTestsQuery{After: after}, list},
		"the earliest":        {projections.AbTestsQuery{Sort: projections.AbTestsEarliest, After: after}, list},
		"by name":             {projections.AbTestsQuery{Sort: projections.AbTestsName, After: after}, byName},
		"by name, backwards":  {projections.AbTestsQuery{Sort: projections.AbTestsNameDesc}, byName},
		"with a text":         {projections.AbTestsQuery{Text: "name"}, list},
		"with a text by name": {projections.AbTestsQuery{Text: "name", Sort: projections.AbTestsName}, byName},
		"with a rare text":    {projections.AbTestsQuery{Text: "nothing"}, "ab_tests_v1_g1_account_id"},
		"of a workspace":      {projections.AbTestsQuery{WorkspaceID: &item.ID}, "ab_tests_v1_g1_account_id"},
		"of a model":          {projections.AbTestsQuery{Model: item}, "ab_tests_v1_g1_account_id_model_b_idx"},
		"of an agent":         {projections.AbTestsQuery{Agent: item}, "ab_tests_v1_g1_account_id_agent_b_idx"},
	}
	plans := map[string][2]string{}
	for name, tt := range tests {
		tt.query.AccountID = "account1"
		if tt.query.Model == nil && tt.query.Agent == nil {
			tt.query.Limit = 20
		}
		plans[name] = [2]string{k.plan(projections.AbTestsSQL(tt.query)), tt.index}
	}
	s := projections.AbRunsSQL(projections.AbRunsQuery{AccountID: "account1", AbTestID: item.ID, Before: &projections.AbRunCursor{StartedAt: time.Now()}, Limit: 20})
	plans["runs"] = [2]string{k.plan(s), "ab_runs_v2_g1_account_id_ab_test_id_started_at_run_id_idx"}
	s = projections.SQLOfBenchmarkRuns(projections.BenchmarkRunsQuery{AccountID: "account1", ModelID: item.ID, Before: &projections.BenchmarkRunCursor{AcceptedAt: time.Now()}, Limit: 20})
	plans["benchmark runs"] = [2]string{k.plan(s), "benchmark_runs_v2_g1_account_id_model_id_accepted_at_run_id_idx"}
	for name, p := range plans {
		if strings.Contains(p[0], "Seq Scan") || !strings.Contains(p[0], p[1]) {
			t.Errorf("%s: want %s in\n%s", name, p[1], p[0])
		}
	}
}

// plan returns the database's plan of a query, planned with its values.
func (k tester) plan(s database.Statement) string {
	k.t.Helper()
	rows, err := k.views.Pool.Query(k.t.Context(), "EXPLAIN "+s.SQL, append([]any{pgx.QueryExecModeCacheDescribe}, s.Args...)...)
	if err != nil {
		k.t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		k.t.Fatal(err)
	}
	return fmt.Sprint(strings.Join(lines, "\n"))
}
