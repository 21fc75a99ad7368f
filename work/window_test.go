package work_test

import (
	"testing"
	"time"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/eventstore"
	"readiness/work"
)

// A refund after midnight goes to the day that spent it.
//
// proves: decisions/5/given-back
func TestRefundAfterMidnight(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	used := func(at time.Time) int {
		t.Helper()
		u := eventstore.FoldLast[account.Usage](account.AllowanceStream("contoso", account.Assessments, account.Day, at))
		if err := b.Store.Load(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		return u.State.Used
	}
	yesterday := time.Date(2028, 2, 29, 23, 59, 0, 0, time.UTC)
	today := yesterday.Add(2 * time.Minute)
	b.now = yesterday
	b.start(t, good)
	b.start(t, good)
	b.now = today
	b.start(t, good)
	b.options.Platform = &away{b.options.Platform, domain.Refuse(domain.CapacityBusy, "no"), 1 << 20}
	if err := work.Carry(t.Context(), b.options, b.steps[0], 1); err != nil {
		t.Fatal(err)
	}
	if y, n := used(yesterday), used(today); y != 1 || n != 1 {
		t.Errorf("%d of yesterday's and %d of today's assessments are used, want 1 and 1", y, n)
	}
}
