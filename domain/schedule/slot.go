package schedule

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// Each command in this file concerns a slot that is due, and does nothing for any
// other. A slot is therefore started, refused or missed only once, however often that
// is tried. Earlier slots that were missed while no process looked are skipped with it.

// StartSlot records that an operation was accepted for the slot. Model is the model as
// the schedule's owner sees it.
type StartSlot struct {
	Slot        Slot
	OperationID uuid.UUID
	Model       Model
	At          time.Time
}

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

// RefuseSlot records that the slot's assessment was refused for a cause that may pass
// by itself.
type RefuseSlot struct {
	Slot    Slot
	Refusal *domain.Refusal
	At      time.Time
}

func (c RefuseSlot) Decide(s Schedule) ([]domain.Event, error) {
	if !s.Due(c.Slot, c.At) {
		return nil, nil
	}
	slot := *s.NextAt
	s.LastRun = &Run{Slot: slot, Outcome: Refused, Code: c.Refusal.Code, Message: c.Refusal.Message}
	s.NextAt = new(s.Next(c.At))
	return []domain.Event{SlotRefused{slot, c.Refusal.Code, s}}, nil
}

// Pause pauses the schedule at the slot. The slot stays its next, so it starts once the
// schedule is enabled again.
type Pause struct {
	Slot   Slot
	Reason Reason
	At     time.Time
}

func (c Pause) Decide(s Schedule) ([]domain.Event, error) {
	if !s.Due(c.Slot, c.At) {
		return nil, nil
	}
	slot := *s.NextAt
	s.Paused, s.PausedAt = &c.Reason, new(stored(c.At))
	s.LastRun = &Run{Slot: slot, Outcome: Missed, Code: c.Reason.Code, Message: c.Reason.Message}
	return []domain.Event{Paused{slot, s}}, nil
}
