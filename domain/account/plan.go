package account

import "time"

// Plan is the plan that the customer bought (docs/decisions.md 4).
type Plan string

// The plans.
const (
	Free       Plan = "Free"
	Team       Plan = "Team"
	Business   Plan = "Business"
	Enterprise Plan = "Enterprise"
)

// Period is the window in which an allowance is counted, in UTC.
type Period string

// The periods.
const (
	Day       Period = "Day"
	Month     Period = "Month"
	Lifetime  Period = "Lifetime"
	Unlimited Period = "Unlimited"
)

// Allowance is how much of something a plan grants per period. A nil Limit means no
// limit.
type Allowance struct {
	Limit  *int
	Period Period
}

// Shown returns the period as callers see it: Unlimited for an allowance without a
// limit (docs/decisions.md 8.18), else Period.
func (a Allowance) Shown() Period {
	if a.Limit == nil {
		return Unlimited
	}
	return a.Period
}

// Limits are the allowances of a plan.
type Limits struct {
	TrackedItems         Allowance
	Assessments          Allowance
	OptimizationApplies  Allowance
	BenchmarkRuns        Allowance
	BenchmarkBuilds      Allowance
	FirstLooks           Allowance
	Members              Allowance
	ScheduledAssessments bool
}

// Allowance returns the allowance that calls of a kind spend.
func (l Limits) Allowance(of Kind) Allowance {
	switch of {
	case Assessments:
		return l.Assessments
	case OptimizationApplies:
		return l.OptimizationApplies
	case BenchmarkRuns:
		return l.BenchmarkRuns
	case BenchmarkBuilds:
		return l.BenchmarkBuilds
	case FirstLooks:
		return l.FirstLooks
	}
	return Allowance{Period: Lifetime}
}

// Plans maps each plan to its limits.
type Plans map[Plan]Limits

// DefaultPlans returns the documented limits (docs/decisions.md 4).
func DefaultPlans() Plans {
	limits := func(items, assessments, applies int, runs int, runsPer Period, builds, looks, members int, scheduled bool) Limits {
		return Limits{
			TrackedItems:         Allowance{&items, Lifetime},
			Assessments:          Allowance{&assessments, Day},
			OptimizationApplies:  Allowance{&applies, Day},
			BenchmarkRuns:        Allowance{&runs, runsPer},
			BenchmarkBuilds:      Allowance{&builds, Day},
			FirstLooks:           Allowance{&looks, Lifetime},
			Members:              Allowance{&members, Lifetime},
			ScheduledAssessments: scheduled,
		}
	}
	return Plans{
		Free:     limits(3, 5, 2, 2, Lifetime, 2, 10, 1, false),
		Team:     limits(50, 50, 50, 30, Month, 10, 200, 25, true),
		Business: limits(500, 500, 500, 300, Month, 50, 2000, 500, true),
		Enterprise: {
			TrackedItems:         Allowance{nil, Lifetime},
			Assessments:          Allowance{nil, Day},
			OptimizationApplies:  Allowance{nil, Day},
			BenchmarkRuns:        Allowance{nil, Month},
			BenchmarkBuilds:      Allowance{nil, Day},
			FirstLooks:           Allowance{nil, Lifetime},
			Members:              Allowance{nil, Lifetime},
			ScheduledAssessments: true,
		},
	}
}

// Window names the period's window that contains at, as part of a stream's name:
// "2026-11-21", "2026-11" or "lifetime". Usage without a limit is still counted in the
// plan's own period.
func (p Period) Window(at time.Time) string {
	switch p {
	case Day:
		return at.UTC().Format("2006-01-02")
	case Month:
		return at.UTC().Format("2006-01")
	default:
		return "lifetime"
	}
}

// Ends returns when the period's window that contains at ends, or false when it never
// does.
func (p Period) Ends(at time.Time) (time.Time, bool) {
	y, m, d := at.UTC().Date()
	switch p {
	case Day:
		return time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC), true
	case Month:
		return time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC), true
	default:
		return time.Time{}, false
	}
}
