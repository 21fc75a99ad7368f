// Package schedule holds when the assessments of a semantic model start by
// themselves, once a slot, and what keeps them from it (decisions 4 and 7).
package schedule

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// Status says whether a schedule runs.
type Status string

// The statuses. Paused: it met something that time does not heal, and runs no
// more until somebody takes it up again. Disabled: somebody turned it off.
const (
	Active   Status = "Active"
	Paused   Status = "Paused"
	Disabled Status = "Disabled"
)

// Outcome says what became of a slot.
type Outcome string

// The outcomes. Refused: the assessment was refused, and the next slot stays.
// Missed: the schedule was paused at the slot.
const (
	Started Outcome = "Started"
	Refused Outcome = "Refused"
	Missed  Outcome = "Missed"
)

// Run is what became of a slot. OperationID is nil unless it was Started, Code
// and Message are empty then.
type Run struct {
	Slot        time.Time   `json:"slotUtc"`
	OperationID *uuid.UUID  `json:"operationId,omitempty"`
	Outcome     Outcome     `json:"outcome"`
	Code        domain.Code `json:"errorCode,omitempty"`
	Message     string      `json:"message,omitempty"`
}

// Reason is why a schedule is paused, with what to do about it.
type Reason struct {
	Code    domain.Code `json:"code"`
	Message string      `json:"message"`
}

// Schedule is the schedule of a semantic model in an account; the zero Schedule is
// none. A model has at most one. Every event of its stream carries the schedule
// after it, so the last one alone is the state however long the stream grows.
type Schedule struct {
	ScheduleID  uuid.UUID `json:"scheduleId"`
	WorkspaceID uuid.UUID `json:"workspaceId"`
	ModelID     uuid.UUID `json:"semanticModelId"`
	// WorkspaceName and ModelName are as last seen.
	WorkspaceName string `json:"workspaceName"`
	ModelName     string `json:"semanticModelName"`
	Timing
	Enabled bool `json:"enabled"`
	// Owner is whom the assessments are started as: the person who made the
	// schedule, or who last took it up.
	Owner item.Person `json:"owner"`
	// Paused is why it is paused, PausedAt since when; both nil unless it is.
	Paused   *Reason    `json:"pausedReason,omitempty"`
	PausedAt *time.Time `json:"pausedAtUtc,omitempty"`
	// NextAt is the earliest slot that was neither started nor refused; nil
	// exactly when Disabled. That of a paused schedule waits until it is taken up.
	NextAt  *time.Time `json:"nextAtUtc,omitempty"`
	LastRun *Run       `json:"lastRun,omitempty"`
	// CreatedAt and ChangedAt are when somebody made it and last changed it, to
	// the microsecond.
	CreatedAt time.Time `json:"createdAtUtc"`
	ChangedAt time.Time `json:"changedAtUtc"`
}

// Exists reports whether there is a schedule.
func (s Schedule) Exists() bool { return s.ScheduleID != uuid.Nil }

// Status says whether the schedule runs.
func (s Schedule) Status() Status {
	switch {
	case !s.Enabled:
		return Disabled
	case s.Paused != nil:
		return Paused
	}
	return Active
}

// NextRunAt is when it runs next; nil when it is not active.
func (s Schedule) NextRunAt() *time.Time {
	if s.Status() != Active {
		return nil
	}
	return s.NextAt
}

// Slot is a slot of a schedule that is due.
type Slot struct {
	AccountID  string
	ModelID    uuid.UUID
	ScheduleID uuid.UUID
	At         time.Time
}

// Due reports whether the slot is still to be started at now. It is until it was
// started, refused or missed, once.
func (s Schedule) Due(slot Slot, now time.Time) bool {
	next := s.NextRunAt()
	return s.is(slot.ScheduleID) && next != nil && next.Equal(slot.At) && !next.After(now)
}

// TokenID is what the token of the schedule's owner is kept under. Nobody else's
// is ever found there, whoever takes the schedule over at that very moment.
func (s Schedule) TokenID() uuid.UUID {
	return uuid.NewSHA1(s.ScheduleID, []byte(s.Owner.Issuer+"\x00"+s.Owner.ID))
}

func (s Schedule) is(id uuid.UUID) bool { return s.Exists() && s.ScheduleID == id }

// Stream is the name of the stream of a model's schedules in an account, one
// after another.
func Stream(accountID string, modelID uuid.UUID) string {
	return "schedule-" + accountID + "-" + modelID.String()
}

// Created: the model has a schedule.
type Created struct{ Schedule }

// Changed: somebody changed the schedule, turned it off or took it up.
type Changed struct{ Schedule }

// SlotStarted: the operation was accepted for the slot, in the same append.
type SlotStarted struct {
	Slot        time.Time `json:"slotUtc"`
	OperationID uuid.UUID `json:"operationId"`
	Schedule    Schedule  `json:"schedule"`
}

// SlotRefused: the assessment of the slot was refused; the next slot stays.
type SlotRefused struct {
	Slot     time.Time   `json:"slotUtc"`
	Code     domain.Code `json:"errorCode"`
	Schedule Schedule    `json:"schedule"`
}

// WasPaused: the slot met what time does not heal, so the schedule is paused.
type WasPaused struct {
	Slot     time.Time `json:"slotUtc"`
	Schedule Schedule  `json:"schedule"`
}

// Deleted: the model has no schedule any more.
type Deleted struct {
	ScheduleID uuid.UUID `json:"scheduleId"`
}

// EventType implements domain.Event.
func (Created) EventType() string     { return "schedule.created" }
func (Changed) EventType() string     { return "schedule.changed" }
func (SlotStarted) EventType() string { return "schedule.slot-started" }
func (SlotRefused) EventType() string { return "schedule.slot-refused" }
func (WasPaused) EventType() string   { return "schedule.paused" }
func (Deleted) EventType() string     { return "schedule.deleted" }

// After implements domain.Carries.
func (e Created) After() Schedule { return e.Schedule }

// After implements domain.Carries.
func (e Changed) After() Schedule { return e.Schedule }

// After implements domain.Carries.
func (e SlotStarted) After() Schedule { return e.Schedule }

// After implements domain.Carries.
func (e SlotRefused) After() Schedule { return e.Schedule }

// After implements domain.Carries.
func (e WasPaused) After() Schedule { return e.Schedule }

// After implements domain.Carries: the model has no schedule any more.
func (Deleted) After() Schedule { return Schedule{} }
