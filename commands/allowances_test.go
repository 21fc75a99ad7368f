package commands_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/eventstore"
	"readiness/internal/database"
)

// kinds are the allowances that calls spend, and how a plan grants each.
var kinds = map[account.Kind]struct {
	of   func(account.Limits) account.Allowance
	code domain.Code
}{
	account.Assessments:         {func(l account.Limits) account.Allowance { return l.Assessments }, domain.AssessmentDailyLimitReached},
	account.OptimizationApplies: {func(l account.Limits) account.Allowance { return l.OptimizationApplies }, domain.OptimizationApplyDailyLimitReached},
	account.BenchmarkRuns:       {func(l account.Limits) account.Allowance { return l.BenchmarkRuns }, domain.BenchmarkRunsExhausted},
	account.BenchmarkBuilds:     {func(l account.Limits) account.Allowance { return l.BenchmarkBuilds }, domain.BenchmarkBuildLimitReached},
	account.FirstLooks:          {func(l account.Limits) account.Allowance { return l.FirstLooks }, domain.FirstLookLimitReached},
}

// spend spends as a command does: in its own transaction, on the stream of the
// current period.
func (s *service) spend(plan account.Plan, kind account.Kind, amount int) error {
	allowance := kinds[kind].of(s.Plans[plan])
	at := s.Now()
	used := eventstore.FoldLast[account.Usage](account.AllowanceStream("contoso", kind, allowance.Period, at))
	return s.Store.Change(context.Background(), eventstore.Metadata{Account: "contoso"}, []eventstore.Loadable{used}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, used, account.Spend{Kind: kind, Allowance: allowance, OperationID: uuid.Must(uuid.NewV7()), Amount: amount, At: at})
	})
}

func (s *service) giveBack(kind account.Kind, period account.Period, amount int) error {
	used := eventstore.FoldLast[account.Usage](account.AllowanceStream("contoso", kind, period, s.Now()))
	return s.Store.Change(context.Background(), eventstore.Metadata{Account: "contoso"}, []eventstore.Loadable{used}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, used, account.Refund{Kind: kind, OperationID: uuid.Must(uuid.NewV7()), Amount: amount})
	})
}

// together has n callers run do at the same time and returns their errors. A caller whom the database does not answer in time, because the
// machine is slow, repeats the call.
func together(n int, do func(i int) error) []error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for errs[i] = do(i); database.Unavailable(context.Background(), errs[i]); errs[i] = do(i) {
			}
		})
	}
	wg.Wait()
	return errs
}

// Fifty callers race for the last ten units: exactly ten are spent, for every
// allowance, and refused calls leave no event.
//
// proves: 8/allowance-assessments 8/allowance-firstLooks 8/exhausted/AssessmentDailyLimitReached 8/exhausted/FirstLookLimitReached
func TestRaceForTheLastTen(t *testing.T) {
	t.Parallel()
	for kind, k := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			s := newService(t, 0)
			limit := 20
			all := account.Allowance{Limit: &limit, Period: k.of(s.Plans[account.Team]).Period}
			s.Plans["Twenty"] = account.Limits{Assessments: all, OptimizationApplies: all, BenchmarkRuns: all, BenchmarkBuilds: all, FirstLooks: all}
			check(t, s.spend("Twenty", kind, 10))
			events := s.Left(t).Events
			accepted := 0
			for _, err := range together(50, func(int) error { return s.spend("Twenty", kind, 1) }) {
				if err == nil {
					accepted++
				} else if !domain.IsRefused(err, k.code) {
					t.Errorf("got %v, want %s", err, k.code)
				}
			}
			if used, left := s.Used(t, "contoso", kind, all.Period), s.Left(t).Events-events; accepted != 10 || used != 20 || left != 10 {
				t.Errorf("%d calls were accepted, %d units of 20 are used and %d events left; want 10, 20 and 10", accepted, used, left)
			}

			// A call that needs more than is left spends nothing.
			check(t, s.giveBack(kind, all.Period, 10))
			accepted = 0
			for _, err := range together(50, func(int) error { return s.spend("Twenty", kind, 3) }) {
				if err == nil {
					accepted++
				}
			}
			if used := s.Used(t, "contoso", kind, all.Period); accepted != 3 || used != 19 {
				t.Errorf("%d calls of 3 units were accepted and %d are used, want 3 and 19", accepted, used)
			}

			// Usage never drops below zero, however many refunds run at once.
			for _, err := range together(10, func(int) error { return s.giveBack(kind, all.Period, 2) }) {
				if err != nil {
					t.Error(err)
				}
			}
			if used := s.Used(t, "contoso", kind, all.Period); used != 0 {
				t.Errorf("after refunding more than was spent, %d are used", used)
			}
			if err := s.spend("Twenty", kind, 20); err != nil {
				t.Errorf("the full allowance after the refund: %v", err)
			}
		})
	}
}

// An allowance renews when its period is over, in UTC, and not a moment earlier: at
// the end of a day, a month of any length, a leap day and a year.
//
// proves: 8/allowance-assessments 2.3/allowances/period
func TestPeriodBoundaries(t *testing.T) {
	t.Parallel()
	const before = time.Millisecond
	s := newService(t, 1)
	for name, c := range map[string]struct {
		period account.Period
		used   time.Time // when the allowance is used up
		last   time.Time // the last moment of the period
	}{
		"a day":                    {account.Day, time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)},
		"a year's last day":        {account.Day, time.Date(2026, 12, 31, 9, 0, 0, 0, time.UTC), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)},
		"the day before leap day":  {account.Day, time.Date(2028, 2, 28, 9, 0, 0, 0, time.UTC), time.Date(2028, 2, 29, 0, 0, 0, 0, time.UTC)},
		"a leap day":               {account.Day, time.Date(2028, 2, 29, 9, 0, 0, 0, time.UTC), time.Date(2028, 3, 1, 0, 0, 0, 0, time.UTC)},
		"no leap day":              {account.Day, time.Date(2027, 2, 28, 9, 0, 0, 0, time.UTC), time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)},
		"a day told in other time": {account.Day, time.Date(2026, 11, 22, 1, 0, 0, 0, time.FixedZone("", 2*3600)), time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)},
		"a month of 31 days":       {account.Month, time.Date(2026, 1, 31, 23, 0, 0, 0, time.UTC), time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)},
		"a month of 28 days":       {account.Month, time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)},
		"a month of 29 days":       {account.Month, time.Date(2028, 2, 28, 23, 59, 59, 0, time.UTC), time.Date(2028, 3, 1, 0, 0, 0, 0, time.UTC)},
		"a year's last month":      {account.Month, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		t.Run(name, func(t *testing.T) {
			s.Clock.Set(c.used)
			caller, limit := s.Person(strings.ReplaceAll(name, " ", "-"), "ana", "Two"), 2
			s.Plans["Two"] = account.Limits{Assessments: account.Allowance{Limit: &limit, Period: c.period}, FirstLooks: account.Allowance{Period: account.Lifetime}}
			start := func() error {
				caller.TokenExpires = s.Now().Add(time.Hour)
				_, err := s.Assessments.Start(t.Context(), caller, retail, model(0))
				return err
			}
			for range limit {
				check(t, start())
			}
			end := c.last.Add(-before)
			s.Clock.Set(end)
			if r, refused := domain.Refused(start()); !refused || r.Code != domain.AssessmentDailyLimitReached || r.RetryAfter != before {
				t.Errorf("at %s: got %+v, want it refused until %s", end, r, c.last)
			}
			s.Clock.Set(c.last)
			if err := start(); err != nil {
				t.Errorf("at %s: %v", c.last, err)
			}
			if n := s.Used(t, caller.Account, account.Assessments, c.period); n != 1 {
				t.Errorf("%d are used in the new period, want 1", n)
			}
			s.Clock.Set(end)
			if n := s.Used(t, caller.Account, account.Assessments, c.period); n != limit {
				t.Errorf("%d are used in the previous period, want %d", n, limit)
			}
		})
	}
}

// A lifetime allowance never renews, and its refusal has no Retry-After.
//
// proves: 8/allowance-firstLooks 2.3/allowances/period
func TestLifetimeNeverRenews(t *testing.T) {
	t.Parallel()
	s := newService(t, 0)
	check(t, s.spend(account.Free, account.BenchmarkRuns, 2))
	for _, later := range []time.Duration{0, 24 * time.Hour, 31 * 24 * time.Hour, 50 * 366 * 24 * time.Hour} {
		s.Clock.Advance(later)
		if r, refused := domain.Refused(s.spend(account.Free, account.BenchmarkRuns, 1)); !refused || r.Code != domain.BenchmarkRunsExhausted || r.RetryAfter != 0 {
			t.Errorf("at %s: got %+v, want a refusal without RetryAfter", s.Now(), r)
		}
	}
}

// When the plan changes within a period, usage is kept. A larger plan grants its
// limit minus the usage, a smaller one refuses until the period ends, and an
// unlimited one keeps counting.
//
// proves: 2.3/allowances 8/allowance-assessments
func TestPlanChangedInMidPeriod(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	// start starts an assessment as ana, as the account's view has her at that
	// time.
	start := func() error {
		t.Helper()
		members, err := s.Views.Members(t.Context(), item.Person{ID: "ana"})
		if err != nil || len(members) != 1 {
			t.Fatal(members, err)
		}
		_, err = s.Assessments.Start(t.Context(), s.Ana(members[0].Plan), retail, model(0))
		return err
	}
	used := 0
	for _, step := range []struct {
		plan   account.Plan
		starts int  // that are accepted
		more   bool // whether another start is accepted
		limit  string
	}{
		{account.Free, 5, false, "5"},     // used up
		{account.Team, 3, true, ""},       // 8 of 50
		{account.Free, 0, false, "5"},     // 8 of 5
		{account.Enterprise, 4, true, ""}, // 12, unlimited
		{account.Business, 2, true, ""},   // 14 of 500
		{account.Free, 0, false, "5"},     // still
	} {
		d := declaration("contoso", "ana")
		d.Plan = step.plan
		if _, err := s.Accounts.Apply(t.Context(), []account.Declaration{d}); err != nil {
			t.Fatal(err)
		}
		for range step.starts {
			if err := start(); err != nil {
				t.Fatalf("%s with %d used: %v", step.plan, used, err)
			}
			used++
		}
		if n := s.Used(t, "contoso", account.Assessments, account.Day); n != used {
			t.Errorf("%s: %d are used, want %d", step.plan, n, used)
		}
		if step.more {
			continue
		}
		before := s.Left(t)
		r, refused := domain.Refused(start())
		if !refused || r.Code != domain.AssessmentDailyLimitReached || r.RetryAfter != 12*time.Hour {
			t.Fatalf("%s with %d used: got %+v, want it refused until midnight", step.plan, used, r)
		}
		if p := parameter(r, "limit"); p != step.limit {
			t.Errorf("%s: the refusal names the limit %s, want %s", step.plan, p, step.limit)
		}
		s.Unchanged(t, before)
	}
	s.Clock.Advance(12 * time.Hour)
	if err := start(); err != nil {
		t.Errorf("the next day on the smallest plan: %v", err)
	}
}

func parameter(r *domain.Refusal, name string) string {
	for _, p := range r.Params {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

// A plan with another period counts in separate windows. What a smaller plan
// granted for a lifetime neither renews nor is lost when the account returns to
// that plan.
func TestPlanWithAnotherPeriod(t *testing.T) {
	t.Parallel()
	s := newService(t, 0)
	for i, step := range []struct {
		plan   account.Plan
		amount int
		ok     bool
	}{
		{account.Free, 2, true}, {account.Free, 1, false},
		{account.Team, 30, true}, {account.Team, 1, false},
		{account.Free, 1, false},
		{account.Business, 270, true}, {account.Business, 1, false}, // in the same month
	} {
		if err := s.spend(step.plan, account.BenchmarkRuns, step.amount); (err == nil) != step.ok || err != nil && !domain.IsRefused(err, domain.BenchmarkRunsExhausted) {
			t.Errorf("step %d, %d on %s: got %v", i, step.amount, step.plan, err)
		}
	}
}

// An unlimited allowance refuses nothing and still counts its usage.
//
// proves: 2.3/allowances decisions/8/18
func TestUnlimitedIsCounted(t *testing.T) {
	t.Parallel()
	s := newService(t, 0)
	for kind, k := range kinds {
		allowance := k.of(s.Plans[account.Enterprise])
		for _, err := range together(50, func(int) error { return s.spend(account.Enterprise, kind, 1000) }) {
			if err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
		if n := s.Used(t, "contoso", kind, allowance.Period); n != 50_000 || allowance.Limit != nil || allowance.Shown() != account.Unlimited {
			t.Errorf("%s: %d are used, limit %v, period %s; want 50000, none and Unlimited", kind, n, allowance.Limit, allowance.Shown())
		}
	}
	// The call itself spends too.
	s.has(t, "Retail", "Model 000", model(0))
	for _, err := range together(20, func(int) error {
		_, err := s.Assessments.Start(context.Background(), s.Ana(account.Enterprise), retail, model(0))
		return err
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	if n := s.Used(t, "contoso", account.Assessments, account.Day); n != 50_020 {
		t.Errorf("%d assessments are used, want 50020", n)
	}
}

// Accounts do not share allowances.
func TestAllowancesAreNotShared(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	start := func(caller commands.Caller) error {
		_, err := s.Assessments.Start(t.Context(), caller, retail, model(0))
		return err
	}
	for range 5 {
		check(t, start(s.Ana(account.Free)))
	}
	if err := start(s.Person("contoso", "bob", account.Free)); !domain.IsRefused(err, domain.AssessmentDailyLimitReached) {
		t.Errorf("another person of the account: %v", err)
	}
	if err := start(s.Person("fabrikam", "ana", account.Free)); err != nil {
		t.Errorf("the same person in another account: %v", err)
	}
}
