// Package schedule holds when assessments of a semantic model start by themselves, once
// per slot, and what pauses them (docs/decisions.md 4 and 7).
package schedule

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// Status is the status of a schedule.
type Status string

// The statuses of a schedule. Paused: a slot was refused for a cause that does not pass
// by itself, and no slot runs until someone enables the schedule again. Disabled:
// someone turned it off.
const (
	StatusActive   Status = "Active"
	StatusPaused   Status = "Paused"
	StatusDisabled Status = "Disabled"
)

// Outcome is the outcome of a slot.
type Outcome string

// The outcomes of a slot. Refused: the assessment was refused, and the next slot will
// be tried. Missed: the schedule was paused at the slot.
const (
	Started Outcome = "Started"
	Refused Outcome = "Refused"
	Missed  Outcome = "Missed"
)

// Run is the outcome of a slot. OperationID is set, and Code and Message are empty,
// exactly when Outcome is Started.
type Run struct {
	Slot        time.Time  `json:"slotUtc"`
	OperationID *uuid.UUID `json:"operationId,omitempty"`
	// Outcome is how the run went.
	Outcome Outcome     `json:"outcome"`
	Code    domain.Code `json:"errorCode,omitempty"`
	Message string      `json:"message,omitempty"`
}

// Reason says why a schedule is paused and what to do about it.
type Reason struct {
	// Code is the reason, as an error code.
	Code    domain.Code `json:"code"`
	Message string      `json:"message"`
}

// Schedule is the schedule of a semantic model in an account. A model has at most one;
// the zero Schedule is none. Every event of its stream carries the schedule after it,
// so the last event alone is the state however long the stream grows (docs/decisions.md
// 7).
type Schedule struct {
	ScheduleID  uuid.UUID `json:"scheduleId"`
	WorkspaceID uuid.UUID `json:"workspaceId"`
	ModelID     uuid.UUID `json:"semanticModelId"`
	// WorkspaceName and ModelName are the names last seen.
	WorkspaceName string `json:"workspaceName"`
	ModelName     string `json:"semanticModelName"`
	Timing
	// Enabled says that the schedule starts assessments.
	Enabled bool `json:"enabled"`
	// Owner is the person whom the assessments run as: who created the schedule, or who
	// enabled it last.
	Owner item.PersonID `json:"owner"`
	// Paused says why the schedule is paused and PausedAt since when; both nil unless
	// it is.
	Paused *Reason `json:"pausedReason,omitempty"`
	// PausedAt is when the schedule was paused; absent unless it is.
	PausedAt *time.Time `json:"pausedAtUtc,omitempty"`
	// NextAt is the earliest slot that was neither started nor refused; nil exactly
	// when Disabled. The slot of a paused schedule waits until the schedule is enabled.
	NextAt *time.Time `json:"nextAtUtc,omitempty"`
	// LastRun is the newest run; absent before the first.
	LastRun *Run `json:"lastRun,omitempty"`
	// CreatedAt and ChangedAt are when the schedule was created and last changed by a
	// person, to the microsecond.
	CreatedAt time.Time `json:"createdAtUtc"`
	ChangedAt time.Time `json:"changedAtUtc"`
}

// Exists reports whether s is a schedule and not the zero Schedule.
func (s Schedule) Exists() bool { return s.ScheduleID != uuid.Nil }

// Status returns the status of the schedule.
func (s Schedule) Status() Status {
	switch {
	case !s.Enabled:
		return StatusDisabled
	case s.Paused != nil:
		return StatusPaused
	}
	return StatusActive
}

// NextRunAt returns when the schedule runs next; nil when it is not active.
func (s Schedule) NextRunAt() *time.Time {
	if s.Status() != StatusActive {
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

// Due reports whether the slot should be started at now. A slot is due only until it
// was started, refused or missed.
func (s Schedule) Due(slot Slot, now time.Time) bool {
	next := s.NextRunAt()
	return s.is(slot.ScheduleID) && next != nil && next.Equal(slot.At) && !next.After(now)
}

// TokenID returns the id under which the owner's token is stored. It depends on the
// owner, so no other person's token is found under it, even while the schedule changes
// owners.
func (s Schedule) TokenID() uuid.UUID {
	return uuid.NewSHA1(s.ScheduleID, []byte(s.Owner))
}

func (s Schedule) is(id uuid.UUID) bool { return s.Exists() && s.ScheduleID == id }

// Stream returns the name of the stream that holds a model's schedules in an account,
// one after another.
func Stream(accountID string, modelID uuid.UUID) string {
	return "schedule-" + accountID + "-" + modelID.String()
}

// Created records that the model has a schedule.
type Created struct{ Schedule }

// Changed records that a person changed, disabled or enabled the schedule.
type Changed struct{ Schedule }

// SlotStarted records that an operation was accepted for the slot, in the same append.
type SlotStarted struct {
	Slot        time.Time `json:"slotUtc"`
	OperationID uuid.UUID `json:"operationId"`
	Schedule    Schedule  `json:"schedule"`
}

// SlotRefused records that the slot's assessment was refused. The next slot will be
// tried.
type SlotRefused struct {
	Slot     time.Time   `json:"slotUtc"`
	Code     domain.Code `json:"errorCode"`
	Schedule Schedule    `json:"schedule"`
}

// Paused records that the schedule was paused at the slot.
type Paused struct {
	Slot     time.Time `json:"slotUtc"`
	Schedule Schedule  `json:"schedule"`
}

// Deleted records that the schedule was deleted.
type Deleted struct {
	ScheduleID uuid.UUID `json:"scheduleId"`
}

func (Created) EventType() string     { return "schedule.created" }
func (Changed) EventType() string     { return "schedule.changed" }
func (SlotStarted) EventType() string { return "schedule.slot-started" }
func (SlotRefused) EventType() string { return "schedule.slot-refused" }
func (Paused) EventType() string      { return "schedule.paused" }
func (Deleted) EventType() string     { return "schedule.deleted" }

func (e Created) After() Schedule     { return e.Schedule }
func (e Changed) After() Schedule     { return e.Schedule }
func (e SlotStarted) After() Schedule { return e.Schedule }
func (e SlotRefused) After() Schedule { return e.Schedule }
func (e Paused) After() Schedule      { return e.Schedule }

// After implements domain.Carries. The model has no schedule after it.
func (Deleted) After() Schedule { return Schedule{} }
