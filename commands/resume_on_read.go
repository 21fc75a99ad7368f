package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
)

// ResumeOnRead advances an operation that waits for a read by the person who started
// it: the next write, the next child of a bundle, or side B of an A/B run starts
// with that read's token (4.5/apply/6, 4.5/apply/7, 4.5/bundle/4 to 4.5/bundle/7).
// Ten simultaneous reads start it once. A read starts nothing if another person
// makes it, if the token may not start work, or while the feature is turned off.
//
// Work that was refused for its owner's token continues with the read's if that is
// another one. needed is what such work still waits for after the read.
func (s *Operations) ResumeOnRead(ctx context.Context, caller Caller, operationID uuid.UUID) (needed *operation.SignInNeeded, err error) {
	op, in := pastOperation(operationID), pastAccount(caller)
	if err := s.Store.Load(ctx, op, in); err != nil {
		return nil, err
	}
	if err := checkMember(in.State, caller); err != nil {
		return nil, err
	}
	switch {
	case op.State.Owner != caller.PersonID || op.State.Account != caller.Account:
		return nil, nil
	case op.State.SignIn != nil && caller.MayWrite:
		return s.signedIn(ctx, caller, op.State)
	case op.State.SignIn != nil, op.State.Waiting == nil, !caller.MayWrite, !caller.Settings.AIFeatures:
		return op.State.SignIn, nil
	}
	return nil, s.advance(ctx, caller, op.State)
}

// advance starts the next part of work that waits for a read.
func (s *Operations) advance(ctx context.Context, caller Caller, op operation.Operation) error {
	switch op.Type { //nolint:exhaustive // all other operations that wait resume with a write
	case operation.ApplyOptimizations, operation.RevertOptimizations:
		return s.optimizations.advanceBundle(ctx, caller, op.ID)
	case operation.RunAbTest:
		return s.abTests.startSideB(ctx, caller, op.ID)
	}
	return s.optimizations.startNextWrite(ctx, caller, op.ID)
}

// startNextWrite starts the next write of an apply or a revert that waits.
func (s *Optimizations) startNextWrite(ctx context.Context, caller Caller, operationID uuid.UUID) error {
	w, err := s.Recorder.Load(ctx, operationID)
	if err != nil {
		return err
	}
	if lapsed, err := s.Recorder.Lapse(ctx, w); lapsed || err != nil {
		return err
	}
	_, err = s.Recorder.Record(ctx, caller.metadata(operationID), w, optimization.StartWrite{}, func(c *eventstore.Change) {
		s.enqueueStep(c, caller, operationID, w.Operation.Resource.WorkspaceID, *w.Operation.Resource.ItemID)
	})
	return err
}
