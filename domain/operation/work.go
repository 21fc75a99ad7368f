package operation

import (
	"reflect"

	"readiness/domain"
)

// Accept puts an operation in the log.
type Accept struct{ Accepted }

// Decide implements domain.Command.
func (c Accept) Decide(Operation) ([]domain.Event, error) { return []domain.Event{c.Accepted}, nil }

// Begin says that work begins, once.
type Begin struct{}

// Decide implements domain.Command.
func (Begin) Decide(o Operation) ([]domain.Event, error) {
	if o.Status != NotStarted {
		return nil, nil
	}
	return []domain.Event{Started{Percent: new(0)}}, nil
}

// Progress says how much of the work is done. Only a whole percent more is told.
type Progress struct{ Percent int }

// Decide implements domain.Command.
func (c Progress) Decide(o Operation) ([]domain.Event, error) {
	if o.Status != Running || c.Percent <= o.Percent {
		return nil, nil
	}
	return []domain.Event{Progressed(c)}, nil
}

// Complete ends work that has a result.
type Complete struct{}

// Decide implements domain.Command.
func (Complete) Decide(o Operation) ([]domain.Event, error) {
	if o.Status.Ended() {
		return nil, nil
	}
	return []domain.Event{Completed{}}, nil
}

// Fail ends work that could not be done. Impact is what stays spent.
type Fail struct{ Broken }

// Decide implements domain.Command.
func (c Fail) Decide(o Operation) ([]domain.Event, error) {
	if o.Status.Ended() {
		return nil, nil
	}
	return []domain.Event{c.Broken}, nil
}

// Correct says what the work turned out to spend, when that is not what was said
// before.
type Correct struct{ Impact Impact }

// Decide implements domain.Command.
func (c Correct) Decide(o Operation) ([]domain.Event, error) {
	if reflect.DeepEqual(o.Impact, c.Impact) {
		return nil, nil
	}
	return []domain.Event{ImpactCorrected(c)}, nil
}

// Stop ends work that was cancelled. Impact is what stays spent.
type Stop struct{ Impact Impact }

// Decide implements domain.Command.
func (c Stop) Decide(o Operation) ([]domain.Event, error) {
	if o.Status.Ended() {
		return nil, nil
	}
	return []domain.Event{ImpactCorrected(c), Stopped{}}, nil
}
