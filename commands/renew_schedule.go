package commands

import (
	"context"

	"readiness/domain/schedule"
	"readiness/eventstore"
)

// RenewSchedule keeps the token of a caller who reads an active schedule of theirs
// in place of one that soon expires: within half of the new one's life, so that
// not every read writes. A token that may not start work is never kept.
func (s *Service) RenewSchedule(ctx context.Context, who Caller, read schedule.Schedule) error {
	if !who.MayWrite || read.Owner != who.Person || read.Status() != schedule.Active {
		return nil
	}
	now := s.Now()
	kept, err := s.Vault.Expires(ctx, read.TokenID(), now)
	if err != nil || kept.Sub(now) >= who.TokenExpires.Sub(now)/2 {
		return err
	}
	past := pastSchedule(who.Account, read.ModelID)
	return s.change(ctx, who, who.onSchedule(), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if past.State.ScheduleID == read.ScheduleID {
			s.keepToken(c, who, past.State)
		}
		return nil
	})
}
