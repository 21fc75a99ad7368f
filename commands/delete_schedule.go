package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/schedule"
	"readiness/eventstore"
)

// Delete deletes a schedule of the caller's account and its stored token.
// Assessments that it has started continue.
func (s *Schedules) Delete(ctx context.Context, who Caller, id uuid.UUID) error {
	known, err := s.find(ctx, who, id)
	if err != nil {
		return err
	}
	past := pastSchedule(who.Account, known.ModelID)
	return s.changeAsMember(ctx, who, who.onSchedule(), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		before := past.State
		if err := eventstore.Decide(c, past, schedule.Delete{ScheduleID: id}); err != nil {
			return err
		}
		s.deleteToken(c, before)
		return nil
	})
}
