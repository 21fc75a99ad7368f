package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/eventstore"
)

// startSideB starts side B of a run that waits for its owner, with the token of the
// owner's read. Of many simultaneous reads, one starts it.
func (s *ABTests) startSideB(ctx context.Context, caller Caller, operationID uuid.UUID) error {
	if lapsed, err := s.benchmarks.Runs.Lapse(ctx, operationID); lapsed || err != nil {
		return err
	}
	id := s.NewID()
	ab := eventstore.Fold(operation.Stream(operationID), abtest.EvolveRun)
	run := eventstore.Fold(benchmark.RunStream(id), benchmark.EvolveRun)
	return s.changeAsMember(ctx, caller, caller.metadata(operationID), []eventstore.Loadable{ab, run}, func(c *eventstore.Change) error {
		recorded := len(c.Recorded())
		err := eventstore.Decide(c, ab, abtest.StartSideB{BenchmarkRunID: id, Now: s.Now()})
		if err != nil || len(c.Recorded()) == recorded {
			return err
		}
		accepted := sideRun(ab.State, abtest.B, id, ab.State.SideB)
		accepted.At = s.benchmarks.Runs.now()
		if err := eventstore.Decide(c, run, benchmark.StartRun{RunAccepted: accepted}); err != nil {
			return err
		}
		s.benchmarks.enqueueRun(c, caller, operationID, id)
		return nil
	})
}

// Lapse fails a run of an A/B test that has waited too long for its owner, and
// reports whether it did.
func (r Runs) Lapse(ctx context.Context, operationID uuid.UUID) (bool, error) {
	lapsed := false
	meta := eventstore.Metadata{OperationID: operationID.String(), Correlation: operationID.String(), Causation: "waited too long"}
	ab := eventstore.Fold(operation.Stream(operationID), abtest.EvolveRun)
	if err := r.Store.Load(ctx, ab); err != nil {
		return false, err
	}
	if ab.State.Operation.Type != operation.RunAbTest {
		return false, nil
	}
	if events, err := (abtest.Lapse{Now: r.Now()}).Decide(ab.State); len(events) == 0 || err != nil {
		return false, err
	}
	meta.Account = ab.State.Operation.Account
	err := r.changeAbRun(ctx, meta, operationID, func(c *eventstore.Change, w *abRunPasts) error {
		lapsed = !w.ab.State.Operation.Status.Ended()
		if err := eventstore.Decide(c, w.ab, abtest.Lapse{Now: r.Now()}); err != nil {
			return err
		}
		lapsed = lapsed && w.ab.State.Operation.Status.Ended()
		return nil
	})
	return lapsed && err == nil, err
}

// GiveUp fails a run of an A/B test that waits for its owner. Message says why.
func (r Runs) GiveUp(ctx context.Context, meta eventstore.Metadata, operationID uuid.UUID, message string) error {
	return r.changeAbRun(ctx, meta, operationID, func(c *eventstore.Change, w *abRunPasts) error {
		return eventstore.Decide(c, w.ab, abtest.GiveUp{Message: message})
	})
}
