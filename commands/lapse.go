package commands

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"readiness/domain/optimization"
	"readiness/eventstore"
)

// Lapse ends an apply or a revert that has waited too long for its owner, and
// reports whether it did. A bundle waits without limit.
func (r Recorder) Lapse(ctx context.Context, w optimization.Work) (bool, error) {
	if w.Operation.Waiting == nil || w.Operation.Waiting.Until == nil {
		return false, nil
	}
	meta := eventstore.Metadata{
		Account: w.Operation.Account, OperationID: w.Operation.ID.String(), Correlation: w.Operation.ID.String(),
		Causation: "waited too long",
	}
	after, err := r.Record(ctx, meta, w, optimization.Lapse{Now: r.Now()}, nil)
	return err == nil && after.Operation.Status.Ended(), err
}

// overdueBatchSize is how many operations one look ends at most.
const overdueBatchSize = 100

// LapseOverdue ends the applies, reverts and A/B runs, of all accounts, that have
// waited too long for their owner. Their models' locks become free.
func (s *Operations) LapseOverdue(ctx context.Context) error {
	ids, err := s.Overdue(ctx, s.Now(), overdueBatchSize)
	if err != nil {
		return err
	}
	var failed []error // one failure must not stop the others
	for _, id := range ids {
		failed = append(failed, s.lapse(ctx, id))
	}
	return errors.Join(failed...)
}

func (s *Operations) lapse(ctx context.Context, id uuid.UUID) error {
	if err := s.lapseSignIn(ctx, id); err != nil {
		return err
	}
	if _, err := s.benchmarks.Runs.Lapse(ctx, id); err != nil {
		return err
	}
	w, err := s.optimizations.Recorder.Load(ctx, id)
	if err != nil {
		return err
	}
	_, err = s.optimizations.Recorder.Lapse(ctx, w)
	return err
}
