package account

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// Kind names an allowance. Stream names and refusals contain it.
type Kind string

// The allowances that calls spend.
const (
	Assessments         Kind = "assessments"
	OptimizationApplies Kind = "optimizationApplies"
	BenchmarkRuns       Kind = "benchmarkRuns"
	BenchmarkBuilds     Kind = "benchmarkBuilds"
	FirstLooks          Kind = "firstLooks"
)

// exhausted is the refusal's code for each allowance that cannot cover a call.
var exhausted = map[Kind]domain.Code{
	Assessments:         domain.AssessmentDailyLimitReached,
	OptimizationApplies: domain.OptimizationApplyDailyLimitReached,
	BenchmarkRuns:       domain.BenchmarkRunsExhausted,
	BenchmarkBuilds:     domain.BenchmarkBuildLimitReached,
	FirstLooks:          domain.FirstLookLimitReached,
}

// AllowanceStream returns the name of the stream that counts an allowance in the
// period's window containing at. A stream per window keeps streams short.
func AllowanceStream(accountID string, kind Kind, period Period, at time.Time) string {
	return "allowance-" + accountID + "-" + string(kind) + "-" + period.Window(at)
}

// Spent records that the operation was accepted and its work counted. Used is the
// window's total including Amount, so the last event alone gives the usage.
type Spent struct {
	Kind        Kind      `json:"kind"`
	OperationID uuid.UUID `json:"operationId"`
	// Amount is how much was spent.
	Amount int `json:"amount"`
	Used   int `json:"used"`
}

// Refunded records that the operation's spending was refunded, because it failed
// before it did anything for the caller (docs/decisions.md 5). Used is the window's
// total afterwards.
type Refunded struct {
	Kind        Kind      `json:"kind"`
	OperationID uuid.UUID `json:"operationId"`
	// Amount is how much was refunded: a positive number.
	Amount int `json:"amount"`
	Used   int `json:"used"`
}

func (Spent) EventType() string    { return "allowance.spent" }
func (Refunded) EventType() string { return "allowance.refunded" }

// Usage is how much of an allowance is used in one window. Used is never negative.
type Usage struct{ Used int }

func (e Spent) After() Usage    { return Usage{e.Used} }
func (e Refunded) After() Usage { return Usage{e.Used} }

// Mistaken implements domain.Totals.
func (e Spent) Mistaken(before domain.Event) string { return mistaken(before, e.Amount, e.Used) }

// Mistaken implements domain.Totals.
func (e Refunded) Mistaken(before domain.Event) string { return mistaken(before, -e.Amount, e.Used) }

func mistaken(before domain.Event, amount, used int) string {
	total, _ := domain.After[Usage](before)
	if want := total.Used + amount; used != want {
		return fmt.Sprintf("used is %d, and the amounts up to it add up to %d: %d and %+d", used, want, total.Used, amount)
	}
	return ""
}

// Spend counts Amount against an allowance, or refuses when less than that is left in
// the window. An Amount of zero spends nothing.
type Spend struct {
	Kind        Kind
	Allowance   Allowance
	OperationID uuid.UUID
	Amount      int
	At          time.Time
}

func (c Spend) Decide(u Usage) ([]domain.Event, error) {
	if c.Amount == 0 {
		return nil, nil
	}
	if l := c.Allowance.Limit; l != nil && u.Used+c.Amount > *l {
		return nil, c.refuse(u, *l)
	}
	return []domain.Event{Spent{c.Kind, c.OperationID, c.Amount, u.Used + c.Amount}}, nil
}

func (c Spend) refuse(u Usage, limit int) error {
	var r *domain.Refusal
	ends, does := c.Allowance.Period.Ends(c.At)
	if does {
		r = domain.Refuse(exhausted[c.Kind], "this call needs %d of the account's %s, and %d of %d are used; the allowance starts "+
			"again at %s",
			c.Amount, c.Kind, u.Used, limit, ends.Format(time.RFC3339)).After(ends.Sub(c.At))
	} else {
		r = domain.Refuse(exhausted[c.Kind], "this call needs %d of the account's %s, and %d of %d are used; a larger plan grants more",
			c.Amount, c.Kind, u.Used, limit)
	}
	return r.About("allowance", c.Kind).About("used", u.Used).About("limit", limit)
}

// Refund refunds what an operation spent. The caller must ensure that it is issued at
// most once per operation. It never makes Used negative.
type Refund struct {
	Kind        Kind
	OperationID uuid.UUID
	Amount      int
}

func (c Refund) Decide(u Usage) ([]domain.Event, error) {
	amount := min(c.Amount, u.Used)
	if amount == 0 {
		return nil, nil
	}
	return []domain.Event{Refunded{c.Kind, c.OperationID, amount, u.Used - amount}}, nil
}
