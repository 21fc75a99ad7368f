package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/schedule"
	"readiness/eventstore"
)

// Create creates the schedule of a model (docs/decisions.md 7), which acts
// with the caller's token. The model is looked up as the caller. No work starts.
func (s *Schedules) Create(ctx context.Context, who Caller, workspaceID, modelID uuid.UUID, timing schedule.Timing, enabled bool) (schedule.Schedule, error) {
	if err := timing.Check(); err != nil {
		return schedule.Schedule{}, err
	}
	model, err := s.lookUpAssessable(ctx, who, workspaceID, modelID)
	if err != nil {
		return schedule.Schedule{}, err
	}
	past := pastSchedule(who.Account, modelID)
	create := schedule.Create{ScheduleID: s.NewID(), Model: model, Timing: timing, Enabled: enabled, Owner: who.Person, At: s.Now()}
	err = s.changeAsMember(ctx, who, who.onSchedule(), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, past, create); err != nil {
			return err
		}
		s.storeToken(c, who, past.State)
		return nil
	})
	return past.State, err
}
