package work

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"readiness/commands"
	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
	"readiness/eventstore"
	"readiness/internal/lists"
)

// A job is derived from the log, which says what is left to do of an operation. If
// a job is gone, deleted by hand or discarded by River, it is enqueued again. That
// happens under a lock on the operation's stream row, so two processes do not both
// enqueue it.

const (
	// lostEvery is how often a living worker looks for operations without a job.
	lostEvery = time.Minute
	// lostAfter is how long an operation must have had no event before its jobs are
	// checked.
	lostAfter = time.Minute
	// lostAtOnce is how many operations one look checks; the next look continues
	// there.
	lostAtOnce = 100
)

// standing is the state of an operation that says which steps are left.
type standing struct {
	operation operation.Operation
	assesses  assessment.Run
	changes   pixies.Run
	compares  abtest.Run
	// at is when the remaining step was accepted, and origin by which call.
	at     time.Time
	origin commands.Origin
}

// stand folds an operation's stream.
func (q *Queue) stand(ctx context.Context, id uuid.UUID) (s standing, err error) {
	for r, err := range q.o.Store.ReadStream(ctx, operation.Stream(id), 0) {
		if err != nil {
			return s, err
		}
		signsIn := s.operation.SignIn != nil
		s.operation = operation.Evolve(s.operation, r.Event)
		s.assesses = assessment.EvolveRun(s.assesses, r.Event)
		s.changes = pixies.EvolveRun(s.changes, r.Event)
		s.compares = abtest.EvolveRun(s.compares, r.Event)
		if _, again := r.Event.(operation.Resumed); again && signsIn {
			continue // the same step continues
		}
		switch r.Event.(type) {
		case operation.Accepted, operation.Resumed, abtest.SideQueued:
			s.at, s.origin.RequestID, s.origin.Trace = r.RecordedAt, r.Metadata.RequestID, r.Metadata.Trace
		}
	}
	s.origin.AccountID, s.origin.OperationID, s.origin.PersonID = s.operation.Account, s.operation.ID, s.operation.Owner
	return s, nil
}

// left returns the jobs of the remaining steps, as they were enqueued, by the id of
// the model, report or run that each is about. A bundle has none: its children do.
func (s standing) left(plan account.Plan) map[uuid.UUID]river.JobArgs {
	op := s.operation
	left := map[uuid.UUID]river.JobArgs{}
	if op.Status.Ended() || op.Rests() {
		return left
	}
	switch op.Type {
	case operation.AssessSemanticModel, operation.AssessSemanticModels, operation.AssessDataAgent:
		for _, m := range s.assesses.Models {
			if s.assesses.Open(m.ModelID) {
				left[m.ModelID] = assess{s.origin, assessment.Step{WorkspaceID: s.assesses.WorkspaceID, ModelID: m.ModelID, Plan: plan,
					AcceptedAt: s.at}}
			}
		}
	case operation.AddPixies, operation.RemovePixies:
		for _, r := range s.changes.Reports {
			if s.changes.Open(r.ReportID) {
				left[r.ReportID] = changePixies{s.origin, pixies.Step{WorkspaceID: s.changes.WorkspaceID, ReportID: r.ReportID, Plan: plan}}
			}
		}
	case operation.PreviewOptimization, operation.ApplyOptimization, operation.RevertOptimization:
		left[*op.Resource.ItemID] = optimize{s.origin, optimization.Step{WorkspaceID: op.Resource.WorkspaceID,
			ModelID: *op.Resource.ItemID}}
	case operation.GenerateBenchmarkQuestions, operation.SaveBenchmarkQuestions:
		left[*op.Resource.ItemID] = makeQuestions{s.origin, benchmark.QuestionStep{WorkspaceID: op.Resource.WorkspaceID,
			ModelID: *op.Resource.ItemID}}
	case operation.ListViewAsOf:
		left[op.ID] = listView{s.origin}
	case operation.RunBenchmark:
		left[op.ID] = s.asks(op.ID)
	case operation.RunAbTest:
		if id := s.asking(); id != nil {
			left[*id] = s.asks(*id)
		}
	default: // a bundle
	}
	return left
}

func (s standing) asks(runID uuid.UUID) ask {
	return ask{s.origin, benchmark.Step{RunID: runID, AcceptedAt: s.at}}
}

// asking returns the benchmark run whose step continues: that of the side that
// asks, or side B's while the sides are compared; nil if there is none.
func (s standing) asking() *uuid.UUID {
	if side, asks := s.compares.Asks(); asks {
		return s.compares.Side(side).BenchmarkRunID
	}
	if s.compares.Stage() == abtest.Comparing {
		return s.compares.B.BenchmarkRunID
	}
	return nil
}

// findLost enqueues again the steps of operations that have no job, and returns how
// many it enqueued.
func (q *Queue) findLost(ctx context.Context) (steps int, err error) {
	ids, err := q.o.Unfinished(ctx, q.o.Now().Add(-lostAfter), q.lookedUpTo, lostAtOnce)
	if err != nil {
		return 0, err
	}
	q.lookedUpTo = uuid.Nil
	if len(ids) == lostAtOnce {
		q.lookedUpTo = ids[lostAtOnce-1]
	}
	have, err := jobsOf(ctx, q.o.Pool, allStates, ids...)
	if err != nil {
		return 0, err
	}
	var failed []error // one failure must not stop the others
	for _, id := range ids {
		n, err := q.enqueueLost(ctx, id, have)
		if err != nil {
			failed = append(failed, fmt.Errorf("work: look for the steps of operation %s: %w", id, err))
		}
		steps += n
	}
	return steps, errors.Join(failed...)
}

// has identifies an unfinished job: its operation, and the model, report or run it
// is about, or else the operation again.
type has struct{ operation, about uuid.UUID }

// The states of unfinished jobs, and of those that have yet to run.
var (
	allStates  = append([]string{"running"}, nextStates...)
	nextStates = []string{"available", "pending", "retryable", "scheduled"}
)

// jobsOf returns the jobs of the operations that are in one of the states.
func jobsOf(ctx context.Context, db interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}, states []string, ids ...uuid.UUID) (map[has]bool, error) {
	texts := lists.Map(ids, uuid.UUID.String)
	rows, err := db.Query(ctx, `
		SELECT (args->>'operationId')::uuid,
			coalesce(args->>'reportId', args->>'runId', args->>'semanticModelId', args->>'operationId')::uuid
		FROM river_job
		WHERE state::text = ANY ($2) AND args->>'operationId' = ANY ($1)`, texts, states)
	if err != nil {
		return nil, fmt.Errorf("work: look for the jobs of operations: %w", err)
	}
	all := map[has]bool{}
	var one has
	_, err = pgx.ForEachRow(rows, []any{&one.operation, &one.about}, func() error {
		all[one] = true
		return nil
	})
	return all, err
}

// enqueueLost enqueues the remaining steps of an operation that have no job. had
// are the jobs found before; it checks again under the lock.
func (q *Queue) enqueueLost(ctx context.Context, id uuid.UUID, had map[has]bool) (steps int, err error) {
	s, err := q.stand(ctx, id)
	if err != nil {
		return 0, err
	}
	owner := eventstore.FoldCached(account.Stream(s.operation.Account), account.Evolve)
	if err := q.o.Store.Load(ctx, owner); err != nil {
		return 0, err
	}
	left := s.left(owner.State.Plan)
	without := func(jobs map[has]bool) bool {
		maps.DeleteFunc(left, func(about uuid.UUID, _ river.JobArgs) bool { return jobs[has{id, about}] })
		return len(left) == 0
	}
	if without(had) {
		return 0, nil
	}
	err = pgx.BeginFunc(ctx, q.o.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM streams WHERE stream = $1 FOR UPDATE`, operation.Stream(id)); err != nil {
			return err
		}
		if have, err := jobsOf(ctx, tx, allStates, id); err != nil || without(have) {
			return err
		}
		jobs := make([]river.InsertManyParams, 0, len(left))
		for _, args := range left {
			jobs = append(jobs, river.InsertManyParams{Args: args})
		}
		steps = len(jobs)
		return q.enqueue(ctx, tx, jobs)
	})
	if err != nil || steps == 0 {
		return 0, err
	}
	q.o.Log.Warn("the job of an operation was missing; its steps were enqueued again", "operationId", id, "steps", steps)
	return steps, nil
}

// Rest returns a function that enqueues the remaining steps of an operation that continues, in a transaction. It also enqueues a step
// whose job is running, because that job may be about to end without doing the step; the second one then finds the step done.
func (q *Queue) Rest(ctx context.Context, of commands.Origin, plan account.Plan) (func(context.Context, pgx.Tx) error, error) {
	s, err := q.stand(ctx, of.OperationID)
	if err != nil {
		return nil, err
	}
	s.operation.SignIn, s.origin = nil, of
	left := s.left(plan)
	return func(ctx context.Context, tx pgx.Tx) error {
		have, err := jobsOf(ctx, tx, nextStates, of.OperationID)
		if err != nil {
			return err
		}
		var jobs []river.InsertManyParams
		for about, args := range left {
			if !have[has{of.OperationID, about}] {
				jobs = append(jobs, river.InsertManyParams{Args: args})
			}
		}
		if len(jobs) == 0 {
			return nil
		}
		return q.enqueue(ctx, tx, jobs)
	}, nil
}
