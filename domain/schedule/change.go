package schedule

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// Patch is what a call changes of a schedule; a nil member stays as it is.
// DayOfWeek is "" where it is cleared. A schedule that becomes Daily without a
// word about the day has none any more.
type Patch struct {
	Frequency *Frequency
	DayOfWeek *string
	TimeUTC   *string
	Enabled   *bool
}

// TakesUp reports whether the call takes the schedule up: it runs as the person of
// the call from then on.
func (p Patch) TakesUp() bool { return p.Enabled != nil && *p.Enabled }

// on is the timing with the patch's changes.
func (p Patch) on(t Timing) Timing {
	if p.Frequency != nil {
		t.Frequency = *p.Frequency
		if t.Frequency == Daily {
			t.DayOfWeek = ""
		}
	}
	if p.DayOfWeek != nil {
		t.DayOfWeek = *p.DayOfWeek
	}
	if p.TimeUTC != nil {
		t.TimeUTC = *p.TimeUTC
	}
	return t
}

// Change changes a schedule. One that is taken up is active: a slot that it
// missed while it was paused is due at once, unless its timing changed; one that
// was turned off missed nothing. What changes nothing records nothing.
type Change struct {
	ScheduleID uuid.UUID
	Patch      Patch
	// Model is as By sees it when the schedule is taken up, else nil.
	Model *Model
	By    item.Person
	At    time.Time
}

// Decide implements domain.Command.
func (c Change) Decide(s Schedule) ([]domain.Event, error) {
	if !s.is(c.ScheduleID) {
		return nil, NotFound(c.ScheduleID.String())
	}
	at := stored(c.At)
	after := s
	after.Timing = c.Patch.on(s.Timing)
	if err := after.Check(); err != nil {
		return nil, err
	}
	if c.Patch.Enabled != nil {
		after.Enabled = *c.Patch.Enabled
		after.Paused, after.PausedAt = nil, nil
	}
	if c.Patch.TakesUp() {
		after.Owner = c.By
		if m := c.Model; m != nil {
			after.WorkspaceName, after.ModelName = m.WorkspaceName, m.ModelName
		}
	}
	switch {
	case !after.Enabled:
		after.NextAt = nil
	case after.NextAt == nil || after.Timing != s.Timing:
		after.NextAt = new(after.Next(at))
	}
	if after.same(s) {
		return nil, nil
	}
	after.ChangedAt = at
	return []domain.Event{Changed{after}}, nil
}

// same reports whether a change that led from t to s changed anything.
func (s Schedule) same(t Schedule) bool {
	return s.Timing == t.Timing && s.Status() == t.Status() && s.Owner == t.Owner && s.WorkspaceName == t.WorkspaceName && s.ModelName == t.ModelName
}

// NotFound is the refusal of a schedule that the account does not have.
func NotFound(id string) *domain.Refusal {
	return domain.Refuse(domain.ScheduleNotFound, "there is no schedule %s in this account", id).About("scheduleId", id)
}

// Delete deletes a schedule.
type Delete struct{ ScheduleID uuid.UUID }

// Decide implements domain.Command.
func (c Delete) Decide(s Schedule) ([]domain.Event, error) {
	if !s.is(c.ScheduleID) {
		return nil, NotFound(c.ScheduleID.String())
	}
	return []domain.Event{Deleted(c)}, nil
}
