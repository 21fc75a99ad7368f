package schedule

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// Patch is a partial change of a schedule; a nil member stays as it is. DayOfWeek is ""
// to clear the day. A schedule that becomes Daily loses its day unless the patch sets
// one.
type Patch struct {
	Frequency *Frequency
	DayOfWeek *string
	TimeUTC   *string
	Enabled   *bool
}

// Enables reports whether the patch enables the schedule. An enabled schedule runs as
// the person of that call from then on.
func (p Patch) Enables() bool { return p.Enabled != nil && *p.Enabled }

// apply returns t with the patch's changes.
func (p Patch) apply(t Timing) Timing {
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

// Change changes a schedule. Enabling a schedule makes it active. A slot that it missed
// while paused is due at once, unless its timing changed; a disabled schedule missed no
// slots. A change without effect records nothing.
type Change struct {
	ScheduleID uuid.UUID
	Patch      Patch
	// Model is the model as By sees it when the schedule is enabled, else nil.
	Model *Model
	By    item.PersonID
	At    time.Time
}

func (c Change) Decide(s Schedule) ([]domain.Event, error) {
	if !s.is(c.ScheduleID) {
		return nil, NotFound(c.ScheduleID.String())
	}
	at := stored(c.At)
	after := s
	after.Timing = c.Patch.apply(s.Timing)
	if err := after.Check(); err != nil {
		return nil, err
	}
	if c.Patch.Enabled != nil {
		after.Enabled = *c.Patch.Enabled
		after.Paused, after.PausedAt = nil, nil
	}
	if c.Patch.Enables() {
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

// same reports whether s equals t in everything that a Change can alter.
func (s Schedule) same(t Schedule) bool {
	return s.Timing == t.Timing && s.Status() == t.Status() && s.Owner == t.Owner && s.WorkspaceName == t.WorkspaceName &&
		s.ModelName == t.ModelName
}

// NotFound returns the refusal for a schedule that the account does not have.
func NotFound(id string) *domain.Refusal {
	return domain.Refuse(domain.ScheduleNotFound, "there is no schedule %s in this account", id).About("scheduleId", id)
}

// Delete deletes a schedule. It refuses with ScheduleNotFound when there is none.
type Delete struct{ ScheduleID uuid.UUID }

func (c Delete) Decide(s Schedule) ([]domain.Event, error) {
	if !s.is(c.ScheduleID) {
		return nil, NotFound(c.ScheduleID.String())
	}
	return []domain.Event{Deleted(c)}, nil
}
