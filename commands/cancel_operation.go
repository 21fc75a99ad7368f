package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/operation"
	"readiness/eventstore"
)

// Cancel stops an operation of the caller's account (4.2/cancel).
// Cancelling an operation that has ended changes nothing.
func (s *Operations) Cancel(ctx context.Context, caller Caller, operationID uuid.UUID) (Accepted, error) {
	op := eventstore.Fold(operation.Stream(operationID), operation.Evolve)
	in := pastAccount(caller)
	if err := s.Store.Load(ctx, op, in); err != nil {
		return Accepted{}, err
	}
	if err := checkMember(in.State, caller); err != nil {
		return Accepted{}, err
	}
	if err := op.State.CheckOf(caller.Account, operationID); err != nil {
		return Accepted{}, err
	}
	switch op.State.Type { //nolint:exhaustive // the others are not stopped
	case operation.RunAbTest:
		return Accepted{OperationID: operationID}, s.abTests.cancelRun(ctx, caller, op.State)
	case operation.RunBenchmark:
		return Accepted{OperationID: operationID}, s.benchmarks.cancelRun(ctx, caller, op.State)
	}
	err := s.changeAsMember(ctx, caller, caller.metadata(operationID), []eventstore.Loadable{op}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, op, operation.Cancel{})
	})
	return Accepted{OperationID: operationID}, err
}
