package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/schedule"
	"readiness/eventstore"
)

// Create creates the schedule of a model (docs/decisions.md 7), which acts
// with the caller's token. The model is looked up as the caller. No work starts.
func (s *Schedules) Create(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, timing schedule.Timing,
	enabled bool) (schedule.Schedule, error) {
	if err := timing.Check(); err != nil {
		return schedule.Schedule{}, err
	}
	model, err := s.lookUpAssessable(ctx, caller, workspaceID, modelID)
	if err != nil {
		return schedule.Schedule{}, err
	}
	past := pastSchedule(caller.Account, modelID)
	caller = s.lasting(ctx, caller)
	create := schedule.Create{ScheduleID: s.NewID(), Model: model, Timing: timing, Enabled: enabled, Owner: caller.PersonID, At: s.Now()}
	err = s.changeAsMember(ctx, caller, caller.scheduleMetadata(), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, past, create); err != nil {
			return err
		}
		s.storeToken(c, caller, past.State)
		return nil
	})
	return past.State, err
}
