package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/schedule"
	"readiness/eventstore"
)

// Delete deletes a schedule of the caller's account and its stored token.
// Assessments that it has started continue.
func (s *Schedules) Delete(ctx context.Context, caller Caller, id uuid.UUID) error {
	known, err := s.find(ctx, caller, id)
	if err != nil {
		return err
	}
	past := pastSchedule(caller.Account, known.ModelID)
	return s.changeAsMember(ctx, caller, caller.scheduleMetadata(), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		before := past.State
		if err := eventstore.Decide(c, past, schedule.Delete{ScheduleID: id}); err != nil {
			return err
		}
		s.deleteToken(c, before)
		return nil
	})
}
