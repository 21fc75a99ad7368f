package projections

import (
	"context"
	"time"

	"readiness/domain/account"
	"readiness/domain/trackeditem/room"
	"readiness/eventstore"
)

// Used is how much an account has used of each allowance in its current window, and how many tracked
// items it has.
type Used struct {
	Assessments         int
	OptimizationApplies int
	BenchmarkRuns       int
	FirstLooks          int
	TrackedItems        int
}

// Used returns what the account has used of the limits' allowances in the windows that contain at,
// counted as the commands count it.
func (v *Views) Used(ctx context.Context, accountID string, limits account.Limits, at time.Time) (Used, error) {
	window := func(kind account.Kind, a account.Allowance) *eventstore.Stream[account.Usage] {
		return eventstore.FoldLast[account.Usage](account.AllowanceStream(accountID, kind, a.Period, at))
	}
	assessments := window(account.Assessments, limits.Assessments)
	applies := window(account.OptimizationApplies, limits.OptimizationApplies)
	runs := window(account.BenchmarkRuns, limits.BenchmarkRuns)
	looks := window(account.FirstLooks, limits.FirstLooks)
	items := eventstore.FoldLast[room.Total](room.Stream(accountID))
	if err := v.Store.Load(ctx, assessments, applies, runs, looks, items); err != nil {
		return Used{}, err
	}
	return Used{
		Assessments: assessments.State.Used, OptimizationApplies: applies.State.Used, BenchmarkRuns: runs.State.Used,
		FirstLooks: looks.State.Used, TrackedItems: items.State.Used,
	}, nil
}

// TrackedTotal returns how many tracked items the account and each of its licenses have.
func (v *Views) TrackedTotal(ctx context.Context, accountID string) (room.Total, error) {
	total := eventstore.FoldLast[room.Total](room.Stream(accountID))
	err := v.Store.Load(ctx, total)
	return total.State, err
}
