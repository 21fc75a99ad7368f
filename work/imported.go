package work

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/pixies"
	"readiness/eventstore"
)

// An imported log has operations that had not ended. Their jobs and tokens are not in a log, and the service that accepted them may still
// carry them out, so they end here, before anyone can resume one. Each ends by the rules of a step that fails.

// EndImported ends the operations of an imported log that had not ended. It returns how many it ended directly; ending one may end others,
// such as its bundle, which are not counted. Every process calls it before it serves or works, so that no read resumes such an operation
// and no step of it begins. It reaches no platform. Repeating it, also by several processes at once or after a kill, ends each operation
// once.
func (q *Queue) EndImported(ctx context.Context) (ended int, err error) {
	upTo, err := q.o.Store.Unsettled(ctx)
	if err != nil || upTo == 0 {
		return 0, err
	}
	const atOnce = 100
	for _, bundles := range []bool{false, true} { // the end of a child may end its bundle
		for last := uuid.Nil; ; {
			ids, err := q.o.UnfinishedUpTo(ctx, upTo, last, atOnce)
			if err != nil {
				return ended, err
			}
			for _, id := range ids {
				n, err := q.endImported(ctx, id, bundles)
				if err != nil {
					return ended, fmt.Errorf("work: end operation %s of the imported log: %w", id, err)
				}
				ended, last = ended+n, id
			}
			if len(ids) < atOnce {
				break
			}
		}
	}
	return ended, q.o.Store.Settle(ctx, upTo)
}

// endImported ends an operation that is a bundle or, without bundles, one that is none.
func (q *Queue) endImported(ctx context.Context, id uuid.UUID, bundles bool) (ended int, err error) {
	s, err := q.stand(ctx, id)
	op := s.operation
	isBundle := op.Type == operation.PreviewOptimizations || op.Type == operation.ApplyOptimizations ||
		op.Type == operation.RevertOptimizations
	if err != nil || op.Status.Ended() || isBundle != bundles {
		return 0, err
	}
	meta := s.origin.Metadata()
	meta.Causation = "imported"
	why := s.endOfImported().Message
	switch {
	case isBundle:
		err = q.recorder().FailBundle(ctx, meta, op, why)
	case op.Type == operation.RunAbTest && s.asking() == nil:
		err = q.runs().GiveUp(ctx, meta, id, why)
	default:
		err = q.failLeft(ctx, s)
	}
	if err != nil {
		return 0, err
	}
	return 1, q.failRest(ctx, meta, id)
}

func (q *Queue) recorder() commands.Recorder {
	return commands.Recorder{Store: q.o.Store, Vault: q.o.Vault, Now: q.o.Now}
}

func (q *Queue) runs() commands.Runs {
	return commands.Runs{Store: q.o.Store, Vault: q.o.Vault, Now: q.o.Now}
}

// failLeft fails every step that is left of the operation.
func (q *Queue) failLeft(ctx context.Context, s standing) error {
	owner := eventstore.FoldCached(account.Stream(s.operation.Account), account.Evolve)
	if err := q.o.Store.Load(ctx, owner); err != nil {
		return err
	}
	s.operation.SignIn, s.operation.Waiting = nil, nil
	failure := s.endOfImported()
	for _, step := range s.left(owner.State.Plan) {
		var err error
		switch step := step.(type) {
		case assess:
			err = (&assessor{Options: q.o, shared: q.shared}).end(ctx, step, nil, &failure)
		case changePixies:
			failed := failure
			if _, doubt := s.changes.Intended[step.ReportID]; doubt {
				failed.Message += ". It is unknown whether its last write was made: look at the report before you change it again"
			}
			err = (&pixier{Options: q.o, shared: q.shared}).end(ctx, step, pixies.ChangeIntended{}, &failed)
		case optimize:
			err = q.failWrites(ctx, step, failure)
		case makeQuestions:
			err = (&questioner{Options: q.o, shared: q.shared}).fail(ctx, step, benchmark.FailQuestions{NotBegun: true, Failure: failure})
		case listView:
			err = (&lister{Options: q.o, shared: q.shared}).fail(ctx, step, failure.Message)
		case ask:
			err = q.failAsks(ctx, step, failure)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// failAsks ends a benchmark run, with the A/B run if it is a side of one.
func (q *Queue) failAsks(ctx context.Context, step ask, failure operation.Failure) error {
	asking, err := q.runs().Load(ctx, step.RunID)
	if err != nil || asking.Run.RunID == uuid.Nil {
		return err
	}
	return q.runs().Fail(ctx, step.Metadata(), asking, failure)
}

// failRest ends an operation that the log has only a part of: an export can end between two events of one append.
func (q *Queue) failRest(ctx context.Context, meta eventstore.Metadata, id uuid.UUID) error {
	past := eventstore.Fold(operation.Stream(id), operation.Evolve)
	return q.o.Store.Change(ctx, meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, past, operation.Fail{Failed: operation.Failed{
			Failure: standing{operation: past.State}.endOfImported(), Impact: past.State.Impact}})
	})
}

// endOfImported returns the failure with which an operation of an imported log ends. AssessmentNotStarted refunds an assessment.
func (s standing) endOfImported() operation.Failure {
	code := domain.OptimizationFailed
	switch s.operation.Type {
	case operation.AssessSemanticModel, operation.AssessSemanticModels, operation.AssessDataAgent:
		code = domain.AssessmentNotStarted
	case operation.AddPixies:
		code = pixies.Adds.OperationCode("")
	case operation.RemovePixies:
		code = pixies.Removes.OperationCode("")
	case operation.GenerateBenchmarkQuestions, operation.SaveBenchmarkQuestions:
		code = domain.QuestionsNotGenerated
	case operation.RunBenchmark, operation.RunAbTest:
		code = domain.BenchmarkRunFailed
	case operation.ListViewAsOf:
		code = domain.AuditViewFailed
	default: // optimizations
	}
	return operation.Failure{Code: code,
		Message: "the log was moved to another database before this work had ended, so it does not continue; start it again"}
}
