package commands

import (
	"time"

	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/internal/optional"
)

// settle records the consequences of the operation's new state.
func (r Runs) settle(c *eventstore.Change, f *runPasts, before operation.Operation) error {
	now := f.operation()
	if err := refundRuns(c, f.allowance, before, now); err != nil {
		return err
	}
	if err := r.track(c, f.tracking, now, f.run.State); err != nil {
		return err
	}
	ends, waits := !before.Status.Ended() && now.Status.Ended(), before.Waiting == nil && now.Waiting != nil
	if !ends && !waits {
		return nil // a late end must not delete the token of the next side
	}
	if ends {
		impact := operation.Correct{Impact: trackedImpact(f.tracking, now)}
		if err := f.decideOperation(c, impact, abtest.Correct(impact)); err != nil {
			return err
		}
	}
	// the step has ended, and its token is no longer needed
	c.Queue(r.Vault.Forget(now.ID))
	if f.ab == nil || !ends {
		return nil
	}
	return endRun(c, f.test, f.ab.State, r.now())
}

// trackRun returns the tracking of the semantic models of the run's sides.
func trackRun(a Asking) *Tracking {
	sides := a.Sides()
	named := make([]*benchmark.Side, len(sides))
	for i := range sides {
		named[i] = &sides[i]
	}
	return trackSides(a.Run.AccountID, named...)
}

// track makes the model of each side that has ended after asking something a
// tracked item. When the operation has ended, it releases all its reservations.
func (r Runs) track(c *eventstore.Change, tracking *Tracking, now operation.Operation, sides ...benchmark.Run) error {
	for _, side := range sides {
		if !side.Tracks(now.Status.Ended()) {
			continue
		}
		if err := tracking.Claim(c, now.ID, side.Side.SemanticModelID, trackeditem.ViaBenchmark, r.now()); err != nil {
			return err
		}
	}
	if !now.Status.Ended() {
		return nil
	}
	return tracking.Release(c, now.ID)
}

// trackedImpact returns the impact of an operation that has ended, with how many
// items became tracked items.
func trackedImpact(tracking *Tracking, now operation.Operation) operation.Impact {
	impact, n := now.Impact, tracking.ClaimedCount(now.ID)
	if impact.TrackedItem != nil {
		impact.TrackedItem = new(n > 0)
	}
	if impact.TrackedItems != nil {
		impact.TrackedItems = &n
	}
	return impact
}

// refundRuns refunds the runs that the operation spent before and no longer spends
// now.
func refundRuns(c *eventstore.Change, allowance *eventstore.Stream[account.Usage], before, now operation.Operation) error {
	n := optional.Value(before.Impact.BenchmarkRuns) - optional.Value(now.Impact.BenchmarkRuns)
	if n <= 0 {
		return nil
	}
	return eventstore.Decide(c, allowance, account.Refund{Kind: account.BenchmarkRuns, OperationID: now.ID, Amount: n})
}

// endRun records on the test how its run ended.
func endRun(c *eventstore.Change, test *eventstore.Stream[abtest.Test], run abtest.Run, at time.Time) error {
	ended := abtest.RunEnded{RunID: run.RunID, Status: run.Operation.Status, Failure: run.Operation.Failure, At: at}
	if made := run.Compared; made != nil {
		ended.Aggregate, ended.Document = &made.Aggregate, made.Document
		ended.Gap = new(made.Agreement.Gap())
	}
	return eventstore.Decide(c, test, abtest.EndRun{RunEnded: ended})
}
