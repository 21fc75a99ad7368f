package account

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// Kind names an allowance. It is part of stream names and of refusals.
type Kind string

// The allowances that calls spend.
const (
	Assessments         Kind = "assessments"
	OptimizationApplies Kind = "optimizationApplies"
	BenchmarkRuns       Kind = "benchmarkRuns"
	BenchmarkBuilds     Kind = "benchmarkBuilds"
	FirstLooks          Kind = "firstLooks"
)

// exhausted is the code of a call that an allowance cannot cover (spec 8).
var exhausted = map[Kind]domain.Code{
	Assessments:         domain.AssessmentDailyLimitReached,
	OptimizationApplies: domain.OptimizationApplyDailyLimitReached,
	BenchmarkRuns:       domain.BenchmarkRunsExhausted,
	BenchmarkBuilds:     domain.BenchmarkBuildLimitReached,
	FirstLooks:          domain.FirstLookLimitReached,
}

// AllowanceStream is the stream that counts an allowance in the window of its
// period that at lies in, so that no stream grows for ever.
func AllowanceStream(accountID string, kind Kind, period Period, at time.Time) string {
	return "allowance-" + accountID + "-" + string(kind) + "-" + period.Window(at)
}

// Spent: the operation was accepted and its work counted. Used is the total of
// the window with it, so the last event alone says how much is used.
type Spent struct {
	Kind        Kind      `json:"kind"`
	OperationID uuid.UUID `json:"operationId"`
	Amount      int       `json:"amount"`
	Used        int       `json:"used"`
}

// GivenBack: the operation failed before it did anything for the caller, so
// what it spent is free again (decisions 5). Used is the total without it.
type GivenBack struct {
	Kind        Kind      `json:"kind"`
	OperationID uuid.UUID `json:"operationId"`
	Amount      int       `json:"amount"`
	Used        int       `json:"used"`
}

// EventType implements domain.Event.
func (Spent) EventType() string     { return "allowance.spent" }
func (GivenBack) EventType() string { return "allowance.given-back" }

// Usage is how much of an allowance is used in one window. Used is never
// negative.
type Usage struct{ Used int }

// After implements domain.Carries.
func (e Spent) After() Usage { return Usage{e.Used} }

// After implements domain.Carries.
func (e GivenBack) After() Usage { return Usage{e.Used} }

// Spend counts Amount against an allowance, or refuses when the window has not
// that much left. An Amount of zero spends nothing.
type Spend struct {
	Kind        Kind
	Allowance   Allowance
	OperationID uuid.UUID
	Amount      int
	At          time.Time
}

// Decide implements domain.Command.
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
		r = domain.Refuse(exhausted[c.Kind], "this call needs %d of the account's %s, and %d of %d are used; the allowance starts again at %s",
			c.Amount, c.Kind, u.Used, limit, ends.Format(time.RFC3339)).After(ends.Sub(c.At))
	} else {
		r = domain.Refuse(exhausted[c.Kind], "this call needs %d of the account's %s, and %d of %d are used; a larger plan grants more",
			c.Amount, c.Kind, u.Used, limit)
	}
	return r.About("allowance", c.Kind).About("used", u.Used).About("limit", limit)
}

// GiveBack takes back what an operation spent. The caller decides once per
// operation that it is due; giving back never makes Used negative.
type GiveBack struct {
	Kind        Kind
	OperationID uuid.UUID
	Amount      int
}

// Decide implements domain.Command.
func (c GiveBack) Decide(u Usage) ([]domain.Event, error) {
	amount := min(c.Amount, u.Used)
	if amount == 0 {
		return nil, nil
	}
	return []domain.Event{GivenBack{c.Kind, c.OperationID, amount, u.Used - amount}}, nil
}
