package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/schedule"
	"readiness/eventstore"
)

// Change changes a schedule of the caller's account. If the patch resumes
// the schedule, the model is looked up as the caller, and the schedule runs as the
// caller from then on.
func (s *Schedules) Change(ctx context.Context, caller Caller, id uuid.UUID, patch schedule.Patch) (schedule.Schedule, error) {
	known, err := s.find(ctx, caller, id)
	if err != nil {
		return known, err
	}
	change := schedule.Change{ScheduleID: id, Patch: patch, By: caller.PersonID, At: s.Now()}
	if patch.Enables() {
		model, err := s.lookUpAssessable(ctx, caller, known.WorkspaceID, known.ModelID)
		if err != nil {
			return known, err
		}
		change.Model = &model
	}
	expires, err := s.Vault.Expires(ctx, known.TokenID(), s.Now())
	if err != nil {
		return known, err
	}
	if patch.Enables() {
		caller = s.lasting(ctx, caller)
	}
	past := pastSchedule(caller.Account, known.ModelID)
	err = s.changeAsMember(ctx, caller, caller.scheduleMetadata(), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		before := past.State
		if err := eventstore.Decide(c, past, change); err != nil {
			return err
		}
		after := past.State
		if after.Status() != schedule.StatusActive || after.Owner != before.Owner {
			s.deleteToken(c, before)
		}
		kept := before.Status() == schedule.StatusActive && before.Owner == caller.PersonID
		if !kept || caller.TokenExpires.After(expires) { // else the stored token lives longer
			s.storeToken(c, caller, after)
		}
		return nil
	})
	return past.State, err
}

// find returns a schedule of the caller's account from the view.
func (s *Schedules) find(ctx context.Context, caller Caller, id uuid.UUID) (schedule.Schedule, error) {
	known, found, err := s.Schedule(ctx, caller.Account, id)
	if err == nil && !found {
		err = schedule.NotFound(id.String())
	}
	return known, err
}
