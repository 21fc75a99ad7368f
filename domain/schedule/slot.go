package schedule

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// Each command here is about a slot that is due; on any other it does nothing, so
// that a slot is started, refused or missed once, whoever tries and how often.
// Slots missed before it, while nobody looked, are passed over with it.

// StartSlot says that the operation was accepted for the slot. Model is as the
// schedule's owner sees it.
type StartSlot struct {
	Slot        Slot
	OperationID uuid.UUID
	Model       Model
	At          time.Time
}

// Decide implements domain.Command.
func (c StartSlot) Decide(s Schedule) ([]domain.Event, error) {
	if !s.Due(c.Slot, c.At) {
		return nil, nil
	}
	slot := *s.NextAt
	s.WorkspaceName, s.ModelName = c.Model.WorkspaceName, c.Model.ModelName
	s.LastRun = &Run{Slot: slot, OperationID: &c.OperationID, Outcome: Started}
	s.NextAt = new(s.Next(c.At))
	return []domain.Event{SlotStarted{slot, c.OperationID, s}}, nil
}

// RefuseSlot says that the assessment of the slot was refused for what time heals.
type RefuseSlot struct {
	Slot    Slot
	Refusal *domain.Refusal
	At      time.Time
}

// Decide implements domain.Command.
func (c RefuseSlot) Decide(s Schedule) ([]domain.Event, error) {
	if !s.Due(c.Slot, c.At) {
		return nil, nil
	}
	slot := *s.NextAt
	s.LastRun = &Run{Slot: slot, Outcome: Refused, Code: c.Refusal.Code, Message: c.Refusal.Message}
	s.NextAt = new(s.Next(c.At))
	return []domain.Event{SlotRefused{slot, c.Refusal.Code, s}}, nil
}

// Pause pauses the schedule at the slot. The slot stays its next, so that it is
// started once the schedule is taken up again.
type Pause struct {
	Slot   Slot
	Reason Reason
	At     time.Time
}

// Decide implements domain.Command.
func (c Pause) Decide(s Schedule) ([]domain.Event, error) {
	if !s.Due(c.Slot, c.At) {
		return nil, nil
	}
	slot := *s.NextAt
	s.Paused, s.PausedAt = &c.Reason, new(stored(c.At))
	s.LastRun = &Run{Slot: slot, Outcome: Missed, Code: c.Reason.Code, Message: c.Reason.Message}
	return []domain.Event{WasPaused{slot, s}}, nil
}
