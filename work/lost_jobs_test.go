package work_test

import (
	"encoding/json"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"readiness/domain/account"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
	"readiness/work"
)

// enqueued returns the steps that were enqueued and not yet carried out, as text,
// and forgets them.
func (b *bench) enqueued(t *testing.T) (all []string) {
	t.Helper()
	add := func(step any) {
		text, err := json.Marshal(step)
		check(t, err)
		all = append(all, string(text))
	}
	for _, s := range b.steps {
		add(s)
	}
	for _, s := range b.optimize {
		add(s)
	}
	for _, s := range b.pixies {
		add(s)
	}
	for _, s := range b.questions {
		add(s)
	}
	for _, s := range b.ask {
		add(s)
	}
	for _, s := range b.listings {
		add(s)
	}
	b.steps, b.optimize, b.pixies, b.questions, b.ask, b.listings = nil, nil, nil, nil, nil, nil
	slices.Sort(all)
	return all
}

// jobs returns the steps in the queue, in the form of enqueued.
func (b *bench) jobs(t *testing.T) []string {
	t.Helper()
	rows, err := b.Pool.Query(t.Context(), `SELECT args::text FROM river_job WHERE state = 'available'`)
	check(t, err)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check(t, err)
	slices.Sort(all)
	return all
}

// steps decodes the texts of steps.
func steps(t *testing.T, texts []string) []any {
	t.Helper()
	all := make([]any, len(texts))
	for i, text := range texts {
		check(t, json.Unmarshal([]byte(text), &all[i]))
	}
	slices.SortFunc(all, func(a, b any) int {
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		return slices.Compare(x, y)
	})
	return all
}

// declare declares the account with a separate plan.
func (b *bench) declare(t *testing.T) {
	t.Helper()
	_, err := b.Accounts.Apply(t.Context(), []account.Declaration{{AccountID: "contoso", Plan: account.Team, Status: account.Active, Region: "west", Settings: account.Settings{AIFeatures: true, DefinitionCopies: "None"},
		People: []account.Person{{Person: item.Person{ID: "ana"}, Role: account.Admin}}}})
	check(t, err)
}

// unended is work that a test starts on a bench and leaves.
type unended struct {
	bench func(t *testing.T) *bench
	start func(t *testing.T, b *bench)
}

// everyKind starts work of every kind whose steps are then enqueued.
var everyKind = map[string]unended{
	"assessment":  {newBench, func(t *testing.T, b *bench) { b.start(t, good) }},
	"assessments": {newBench, func(t *testing.T, b *bench) { b.start(t, good, broken, gone) }},
	"assessment of a data agent": {newBench, func(t *testing.T, b *bench) {
		b.publish(t)
		if _, err := b.Assessments.StartAgent(t.Context(), b.ana(), workspace, agent); err != nil {
			t.Fatal(err)
		}
	}},
	"preview": {newOptimizing, func(t *testing.T, b *bench) {
		if _, err := b.Optimizations.StartPreview(t.Context(), b.ana(), workspace, good, "descriptions"); err != nil {
			t.Fatal(err)
		}
	}},
	"apply": {newOptimizing, func(t *testing.T, b *bench) { b.apply(t, b.preview(t, optimization.Descriptions)) }},
	"second write": {newOptimizing, func(t *testing.T, b *bench) {
		id := b.apply(t, b.preview(t, optimization.Properties))
		b.carry(t, b.Work)
		who := b.ana()
		who.RequestID = "the read"
		if !b.operation(t, id).Waits {
			t.Fatal("the apply does not wait for its owner")
		}
		check(t, b.resume(t.Context(), who, id))
	}},
	"unattended apply": {newOptimizing, func(t *testing.T, b *bench) {
		a, err := b.Optimizations.StartApply(t.Context(), b.ana(), workspace, good, "descriptions", optimization.ApplyPreview{Approval: new(optimization.NoApproval)})
		b.accepted(t, a, err)
	}},
	"revert": {newOptimizing, func(t *testing.T, b *bench) {
		id := b.apply(t, b.preview(t, optimization.AIInstructions))
		if got := b.read(t, id); got != operation.StatusSucceeded {
			t.Fatalf("the apply %s", got)
		}
		b.revert(t, id)
	}},
	"bundle": {newOptimizing, func(t *testing.T, b *bench) {
		a, err := b.Optimizations.StartBundle(t.Context(), b.ana(), workspace, good, nil, "required")
		b.accepted(t, a, err)
	}},
	"pixies": {newReporting, func(t *testing.T, b *bench) { b.pixiesOf(t, pixies.Adds, report1, report2) }},
	"removal of pixies": {newReporting, func(t *testing.T, b *bench) {
		b.pixiesOf(t, pixies.Adds, report1)
		b.change(t, b.Work)
		b.pixiesOf(t, pixies.Removes, report1)
	}},
	"generation of questions": {newQuestions, func(t *testing.T, b *bench) { b.generate(t, good, 5) }},
	"saving of questions": {newQuestions, func(t *testing.T, b *bench) {
		b.save(t, benchmark.Question{QuestionID: "Q1", Text: "How much was sold?", Expected: benchmark.Expected{Value: "5"}})
	}},
	"listing of a view": {newBench, func(t *testing.T, b *bench) { b.listing(t) }},
	"benchmark run": {newBench, func(t *testing.T, b *bench) {
		b.saveQuestions(t, good, 2, 1)
		b.benchmarkRun(t)
	}},
	"side A": {newBench, func(t *testing.T, b *bench) {
		b.saveQuestions(t, good, 2, 1)
		b.create(t, nil)
	}},
	"side B": {newBench, func(t *testing.T, b *bench) {
		b.saveQuestions(t, good, 2, 1)
		id, _ := b.create(t, nil)
		b.carried(t, &respondent{})
		b.ask = nil
		who := b.ana()
		who.RequestID = "the read"
		b.Clock.Advance(time.Minute)
		check(t, b.resume(t.Context(), who, id))
	}},
}

// An operation of any kind that lost its job gets exactly the same step again,
// once.
//
// proves: decisions/9/lost-steps
func TestLostStepsOfEveryKind(t *testing.T) {
	t.Parallel()
	for name, c := range everyKind {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := c.bench(t)
			b.declare(t)
			b.steps, b.optimize = nil, nil
			c.start(t, b)
			want := steps(t, b.enqueued(t))
			if len(want) == 0 {
				t.Fatal("nothing was enqueued")
			}
			queue, err := work.NewQueue(b.Work)
			check(t, err)
			b.Clock.Advance(time.Minute) // too early by the smallest unit of time
			if n, err := work.FindLost(t.Context(), queue); err != nil || n != 0 {
				t.Errorf("after a minute %d steps were found, %v", n, err)
			}
			b.Clock.Advance(time.Second)
			var found atomic.Int64
			var lookers errgroup.Group
			for range 3 { // at once: one of them finds each step
				other, err := work.NewQueue(b.Work)
				check(t, err)
				lookers.Go(func() error {
					n, err := work.FindLost(t.Context(), other)
					found.Add(int64(n))
					return err
				})
			}
			if err := lookers.Wait(); err != nil || int(found.Load()) != len(want) {
				t.Errorf("%d steps were found, %v; want %d", found.Load(), err, len(want))
			}
			if diff := cmp.Diff(want, steps(t, b.jobs(t))); diff != "" {
				t.Errorf("the steps (-enqueued +found):\n%s", diff)
			}
			if n, err := work.FindLost(t.Context(), queue); err != nil || n != 0 {
				t.Errorf("a second look found %d steps, %v", n, err)
			}
		})
	}
}

// An operation that waits for its owner or has ended has no step, and one that has
// a job gets no second job.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	b := newOptimizing(t)
	b.declare(t)
	id := b.apply(t, b.preview(t, optimization.Properties))
	b.carry(t, b.Work)
	if !b.operation(t, id).Waits {
		t.Fatal("the apply does not wait for its owner")
	}
	queue, err := work.NewQueue(b.Work)
	check(t, err)
	b.Jobs = queue
	run := b.start(t, good, broken)
	look := func(what string, want int) {
		t.Helper()
		b.Clock.Advance(2 * time.Minute)
		if n, err := work.FindLost(t.Context(), queue); err != nil || n != want {
			t.Errorf("%s: found %d steps, %v; want %d", what, n, err, want)
		}
	}
	look("with all its jobs", 0)
	for _, c := range []struct {
		state string
		lost  int
	}{
		{"running", 0}, {"retryable", 0}, {"scheduled", 0}, {"pending", 0},
		{"cancelled", 1}, {"discarded", 1}, {"completed", 1},
	} {
		ends := `NULL`
		if c.lost > 0 {
			ends = `now()`
		}
		if _, err := b.Pool.Exec(t.Context(), `UPDATE river_job SET state = $1::text::river_job_state, finalized_at = `+ends+` WHERE id = (SELECT max(id) FROM river_job)`, c.state); err != nil {
			t.Fatal(err)
		}
		look(c.state, c.lost)
	}
	if _, err := b.Pool.Exec(t.Context(), `DELETE FROM river_job WHERE args->>'semanticModelId' = $1`, good.String()); err != nil {
		t.Fatal(err)
	}
	look("with one job of two", 1)
	if _, err := b.Pool.Exec(t.Context(), `UPDATE river_job SET args = jsonb_set(args, '{operationId}', to_jsonb(gen_random_uuid()::text))`); err != nil {
		t.Fatal(err)
	}
	look("with jobs of others", 2)
	if got := b.operation(t, run).Status; got != operation.StatusNotStarted {
		t.Errorf("the run is %s", got)
	}
}

// An operation whose job was deleted by hand still ends, once.
func TestDeletedJob(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.declare(t)
	b.Clock.Set(time.Now())
	queue, err := work.NewQueue(b.Work)
	check(t, err)
	b.Jobs = queue
	ids := []uuid.UUID{b.start(t, good), b.start(t, good)}
	if _, err := b.Pool.Exec(t.Context(), `DELETE FROM river_job WHERE args->>'operationId' = $1`, ids[0].String()); err != nil {
		t.Fatal(err)
	}
	b.Clock.Advance(2 * time.Minute)
	if n, err := work.FindLost(t.Context(), queue); err != nil || n != 1 {
		t.Fatalf("found %d steps, %v; want the one whose job was deleted", n, err)
	}
	b.works(t, 1)
	for _, id := range ids {
		if got := b.ended(t, "contoso", id); got != operation.StatusSucceeded {
			t.Errorf("operation %s %s", id, got)
		}
		if n := b.Count(t, `SELECT count(*) FROM events WHERE type = 'assessment.model-ended' AND stream = '`+operation.Stream(id)+`'`); n != 1 {
			t.Errorf("the model of operation %s ended %d times", id, n)
		}
	}
	if n := b.Count(t, `SELECT count(*) FROM river_job WHERE kind = 'assess-semantic-model'`); n != 2 {
		t.Errorf("there were %d jobs, want 2", n)
	}
}
