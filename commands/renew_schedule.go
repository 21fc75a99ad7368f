package commands

import (
	"context"

	"readiness/domain/schedule"
	"readiness/eventstore"
)

// Renew replaces the stored token of an active schedule with the token of
// its owner, who reads it. It does so only when the stored token has less than half
// of the new token's life left, so that few reads write. A token that may not start
// work is never stored.
func (s *Schedules) Renew(ctx context.Context, caller Caller, read schedule.Schedule) error {
	if !caller.MayWrite || read.Owner != caller.PersonID || read.Status() != schedule.StatusActive {
		return nil
	}
	now := s.Now()
	expires, err := s.Vault.Expires(ctx, read.TokenID(), now)
	if err != nil || expires.Sub(now) >= caller.TokenExpires.Sub(now)/2 {
		return err
	}
	caller = s.lasting(ctx, caller)
	past := pastSchedule(caller.Account, read.ModelID)
	return s.changeAsMember(ctx, caller, caller.scheduleMetadata(), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if past.State.ScheduleID == read.ScheduleID {
			s.storeToken(c, caller, past.State)
		}
		return nil
	})
}
