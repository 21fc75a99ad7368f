package work_test

import (
	"testing"
	"time"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/eventstore"
	"readiness/work"
)

// A refund after midnight belongs to the day of the call.
//
// proves: decisions/5/given-back
func TestRefundAfterMidnight(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	used := func(at time.Time) int {
		t.Helper()
		u := eventstore.FoldLast[account.Usage](account.AllowanceStream("contoso", account.Assessments, account.Day, at))
		check(t, b.Store.Load(t.Context(), u))
		return u.State.Used
	}
	yesterday := time.Date(2028, 2, 29, 23, 59, 0, 0, time.UTC)
	today := yesterday.Add(2 * time.Minute)
	b.Clock.Set(yesterday)
	b.start(t, good)
	b.start(t, good)
	b.Clock.Set(today)
	b.start(t, good)
	b.Work.Platform = isAway(b.Work.Platform, domain.Refuse(domain.CapacityBusy, "no"), 1<<20)
	check(t, work.Carry(t.Context(), b.Work, b.steps[0], 1))
	if y, n := used(yesterday), used(today); y != 1 || n != 1 {
		t.Errorf("%d of yesterday's and %d of today's assessments are used, want 1 and 1", y, n)
	}
}
