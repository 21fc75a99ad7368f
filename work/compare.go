package work

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/verdict"
	"readiness/eventstore"
)

// familyTries is how many times a comparison is repeated because another one of the model was completed meanwhile; after that its job is
// retried.
const familyTries = 3

// compare compares the answers of both sides of an A/B run, stores the comparison and ends the run. It returns
// abtest.ErrFamilyMoved where another comparison of the model was completed meanwhile.
func (w *asker) compare(ctx context.Context, step ask, a commands.Asking, set benchmark.Set) error {
	run := a.Ab
	test := eventstore.FoldCached(abtest.Stream(run.AbTestID), abtest.Evolve)
	if err := w.Store.Load(ctx, test); err != nil {
		return err
	}
	sideA, err := w.answered(ctx, *run.A.BenchmarkRunID)
	if err != nil {
		return err
	}
	sideB, err := w.answered(ctx, *run.B.BenchmarkRunID)
	if err != nil {
		return err
	}
	made := abtest.Sides{A: sideA, B: sideB}.Compare(run, test.State.Words)
	if made.Aggregate.Comparable == 0 {
		return w.runs.FailComparison(ctx, step.Metadata(), a, operation.Failure{
			Code: domain.BenchmarkRunFailed,
			Message: fmt.Sprintf("no question got an answer on both sides; the answers are those of benchmark runs %s and %s",
				run.A.BenchmarkRunID, run.B.BenchmarkRunID),
		})
	}
	family, err := w.runs.Family(ctx, a)
	if err != nil {
		return err
	}
	finished := w.Now().UTC().Truncate(time.Microsecond)
	others := family.Others(finished)
	made.Settle(verdict.Setting{Last: test.State.Standing().Aggregate, Others: others, Generated: set.Generated()})
	judge := sideB.Judge
	judge = cmp.Or(judge, sideA.Judge)
	document := verdict.NewDocument(run.RunID.String(), verdict.Header{
		Benchmark: verdict.QuestionSet{ID: run.AbTestID.String(), Version: run.Questions.Document, Count: run.Questions.Count,
			Hash: run.Questions.SetHash},
		CreatedAt: test.State.At, StartedAt: run.At, FinishedAt: finished, RequestedBy: string(run.Operation.Owner),
		Plan: verdict.Plan{AsksPerQuestion: run.Repeats, Concurrency: askAtOnce, AskTimeoutMS: askTimeout.Milliseconds(),
			FreshConversation: true},
		Judge: judge,
	}, made, verdict.Links{})
	body, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("work: encode the comparison of run %s: %w", run.RunID, err)
	}
	hash, stored, err := w.Documents.Put(ctx, body)
	if err != nil {
		return err
	}
	tested := abtest.Tested{RunID: run.RunID, AbTestID: run.AbTestID, MidP: *made.Aggregate.McNemar.MidP, At: finished}
	return w.runs.RecordComparison(ctx, step.Metadata(), a,
		abtest.Compared{Document: hash, Aggregate: made.Aggregate, Agreement: made.Agreement},
		abtest.Join{Tested: tested, Others: len(others)}, stored)
}

// answered reads the document of a completed benchmark run.
func (w *asker) answered(ctx context.Context, runID uuid.UUID) (d benchmark.RunDocument, err error) {
	run := eventstore.Fold(benchmark.RunStream(runID), benchmark.EvolveRun)
	if err := w.Store.Load(ctx, run); err != nil {
		return d, err
	}
	if run.State.Outcome == nil {
		return d, fmt.Errorf("work: benchmark run %s has no answers to compare", runID)
	}
	body, err := w.Documents.Get(ctx, run.State.Outcome.DocumentHash)
	if err != nil {
		return d, fmt.Errorf("work: read benchmark run %s: %w", runID, err)
	}
	if err := json.Unmarshal(body, &d); err != nil {
		return d, fmt.Errorf("work: read benchmark run %s: %w", runID, err)
	}
	return d, nil
}
