package operation

import (
	"reflect"

	"readiness/domain"
)

// Accept records a new operation.
type Accept struct{ Accepted }

func (c Accept) Decide(Operation) ([]domain.Event, error) { return []domain.Event{c.Accepted}, nil }

// Begin records that work began; nothing when it has begun already.
type Begin struct{}

func (Begin) Decide(o Operation) ([]domain.Event, error) {
	if o.Status != StatusNotStarted {
		return nil, nil
	}
	return []domain.Event{Started{Percent: new(0)}}, nil
}

// Progress records how much of the work is done. It does so only while the operation
// runs and only when the percentage grows.
type Progress struct{ Percent int }

func (c Progress) Decide(o Operation) ([]domain.Event, error) {
	if o.Status != StatusRunning || c.Percent <= o.Percent {
		return nil, nil
	}
	return []domain.Event{Progressed(c)}, nil
}

// Complete ends an operation with a result. An operation that has ended stays as it is.
type Complete struct{}

func (Complete) Decide(o Operation) ([]domain.Event, error) {
	if o.Status.Ended() {
		return nil, nil
	}
	return []domain.Event{Succeeded{}}, nil
}

// Fail ends an operation whose work failed. Impact is what stays spent.
type Fail struct{ Failed }

func (c Fail) Decide(o Operation) ([]domain.Event, error) {
	if o.Status.Ended() {
		return nil, nil
	}
	return []domain.Event{c.Failed}, nil
}

// Correct records what the work really spent, where that differs from the recorded
// impact.
type Correct struct{ Impact Impact }

func (c Correct) Decide(o Operation) ([]domain.Event, error) {
	if reflect.DeepEqual(o.Impact, c.Impact) {
		return nil, nil
	}
	return []domain.Event{ImpactCorrected(c)}, nil
}

// Stop ends an operation as cancelled. Impact is what stays spent.
type Stop struct{ Impact Impact }

func (c Stop) Decide(o Operation) ([]domain.Event, error) {
	if o.Status.Ended() {
		return nil, nil
	}
	return []domain.Event{ImpactCorrected(c), Cancelled{}}, nil
}
