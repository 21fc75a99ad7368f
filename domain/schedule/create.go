package schedule

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// Model is a semantic model as the caller sees it.
type Model struct {
	WorkspaceID, ModelID     uuid.UUID
	WorkspaceName, ModelName string
}

// Create creates a model's schedule, with its first slot after At. It refuses with
// ScheduleConflict when the model already has one.
type Create struct {
	ScheduleID uuid.UUID
	Model      Model
	Timing     Timing
	Enabled    bool
	Owner      item.PersonID
	At         time.Time
}

func (c Create) Decide(s Schedule) ([]domain.Event, error) {
	if s.Exists() {
		return nil, domain.Refuse(domain.ScheduleConflict, "semantic model %s has schedule %s already; change that one", c.Model.ModelID,
			s.ScheduleID).
			About("scheduleId", s.ScheduleID)
	}
	if err := c.Timing.Check(); err != nil {
		return nil, err
	}
	at := stored(c.At)
	made := Schedule{
		ScheduleID: c.ScheduleID, WorkspaceID: c.Model.WorkspaceID, ModelID: c.Model.ModelID, WorkspaceName: c.Model.WorkspaceName,
		ModelName: c.Model.ModelName,
		Timing:    c.Timing, Enabled: c.Enabled, Owner: c.Owner, CreatedAt: at, ChangedAt: at,
	}
	if c.Enabled {
		made.NextAt = new(c.Timing.Next(at))
	}
	return []domain.Event{Created{made}}, nil
}

// stored returns an instant with the precision of the database, a microsecond, in UTC.
func stored(at time.Time) time.Time { return at.UTC().Truncate(time.Microsecond) }
