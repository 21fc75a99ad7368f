package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
)

// ReadByOwner moves an operation on that waits for a read by the person who
// started it: the next write, the next child of a bundle, or side B of an A/B run
// starts with that read's token (spec 3.2; 4.5, apply rules 6 and 7, bundle rules
// 4 to 7; 5.5). Ten reads at once start it once. A read by anybody else, with a token that may not
// start work, or while the feature is turned off starts nothing.
func (s *Service) ReadByOwner(ctx context.Context, who Caller, operationID uuid.UUID) error {
	op := eventstore.Fold(operation.Stream(operationID), operation.Evolve)
	in := owner(who)
	if err := s.Store.Load(ctx, op, in); err != nil {
		return err
	}
	if err := belongs(in.State, who); err != nil {
		return err
	}
	if !op.State.WaitsFor(who.Person) || op.State.Account != who.Account || !who.MayWrite || !who.Settings.AIFeatures {
		return nil
	}
	switch op.State.Type { //nolint:exhaustive // the others that wait have one way to go on
	case operation.ApplyOptimizations, operation.RevertOptimizations:
		return s.moveBundle(ctx, who, operationID)
	case operation.RunAbTest:
		return s.startSideB(ctx, who, operationID)
	}
	return s.goOn(ctx, who, operationID)
}

// goOn starts the write that an apply or a revert waits with.
func (s *Service) goOn(ctx context.Context, who Caller, operationID uuid.UUID) error {
	w, err := s.Recorder.Load(ctx, operationID)
	if err != nil {
		return err
	}
	if lapsed, err := s.Recorder.Lapse(ctx, w); lapsed || err != nil {
		return err
	}
	_, err = s.Recorder.Record(ctx, who.metadata(operationID), w, optimization.StartWrite{}, func(c *eventstore.Change) {
		s.enqueue(c, who, operationID, w.Operation.Resource.WorkspaceID, *w.Operation.Resource.ItemID)
	})
	return err
}
