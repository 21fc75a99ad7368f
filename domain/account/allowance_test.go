package account_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"readiness/domain"
	"readiness/domain/account"
)

var (
	op    = uuid.MustParse("00000000-0000-0000-0000-000000000001")
	noon  = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	three = 3
)

func TestSpend(t *testing.T) {
	t.Parallel()
	daily := account.Allowance{Limit: &three, Period: account.Day}
	for name, c := range map[string]struct {
		used      int
		kind      account.Kind
		allowance account.Allowance
		amount    int
		want      []domain.Event
		code      domain.Code
		after     time.Duration
	}{
		"the first":                   {kind: account.Assessments, allowance: daily, amount: 1, want: []domain.Event{account.Spent{Kind: account.Assessments, OperationID: op, Amount: 1, Used: 1}}},
		"exactly what is left":        {used: 1, kind: account.Assessments, allowance: daily, amount: 2, want: []domain.Event{account.Spent{Kind: account.Assessments, OperationID: op, Amount: 2, Used: 3}}},
		"one more than is left":       {used: 1, kind: account.Assessments, allowance: daily, amount: 3, code: domain.AssessmentDailyLimitReached, after: 12 * time.Hour},
		"nothing when exhausted":      {used: 3, kind: account.Assessments, allowance: daily},
		"applies":                     {used: 3, kind: account.OptimizationApplies, allowance: daily, amount: 1, code: domain.OptimizationApplyDailyLimitReached, after: 12 * time.Hour},
		"benchmark runs of a month":   {used: 3, kind: account.BenchmarkRuns, allowance: account.Allowance{Limit: &three, Period: account.Month}, amount: 1, code: domain.BenchmarkRunsExhausted, after: 9*24*time.Hour + 12*time.Hour},
		"benchmark builds":            {used: 3, kind: account.BenchmarkBuilds, allowance: daily, amount: 1, code: domain.BenchmarkBuildLimitReached, after: 12 * time.Hour},
		"first looks never come back": {used: 3, kind: account.FirstLooks, allowance: account.Allowance{Limit: &three, Period: account.Lifetime}, amount: 1, code: domain.FirstLookLimitReached},
		"no limit": {used: 1 << 40, kind: account.Assessments, allowance: account.Allowance{Period: account.Day}, amount: 100,
			want: []domain.Event{account.Spent{Kind: account.Assessments, OperationID: op, Amount: 100, Used: 1<<40 + 100}}},
		"a lowered plan refuses": {used: 5, kind: account.Assessments, allowance: daily, amount: 1, code: domain.AssessmentDailyLimitReached, after: 12 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := account.Spend{Kind: c.kind, Allowance: c.allowance, OperationID: op, Amount: c.amount, At: noon}.Decide(account.Usage{Used: c.used})
			if c.code != "" {
				r, ok := domain.Refused(err)
				if !ok || r.Code != c.code || r.RetryAfter != c.after {
					t.Fatalf("got %v, want %s after %s", err, c.code, c.after)
				}
				if got != nil {
					t.Errorf("a refusal came with %v", got)
				}
				return
			}
			if err != nil || !cmp.Equal(got, c.want) {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestRefund(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		used, amount int
		want         []domain.Event
	}{
		"part":               {3, 1, []domain.Event{account.Refunded{Kind: account.FirstLooks, OperationID: op, Amount: 1, Used: 2}}},
		"all":                {3, 3, []domain.Event{account.Refunded{Kind: account.FirstLooks, OperationID: op, Amount: 3}}},
		"never below zero":   {1, 3, []domain.Event{account.Refunded{Kind: account.FirstLooks, OperationID: op, Amount: 1}}},
		"nothing left":       {0, 3, nil},
		"nothing to give":    {3, 0, nil},
		"nothing of nothing": {0, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := account.Refund{Kind: account.FirstLooks, OperationID: op, Amount: c.amount}.Decide(account.Usage{Used: c.used})
			if err != nil || !cmp.Equal(got, c.want) {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

// Usage never exceeds the limit or becomes negative, and the last event alone gives it.
func TestUsageStaysWithinTheLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 20).Draw(t, "limit")
		allowance := account.Allowance{Limit: &limit, Period: account.Day}
		var u account.Usage
		sum := 0
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			amount := rapid.IntRange(0, 7).Draw(t, "amount")
			var cmd domain.Command[account.Usage] = account.Spend{Kind: account.Assessments, Allowance: allowance, OperationID: op, Amount: amount, At: noon}
			if rapid.Bool().Draw(t, "back") {
				cmd = account.Refund{Kind: account.Assessments, OperationID: op, Amount: amount}
			}
			events, err := cmd.Decide(u)
			if err != nil && len(events) > 0 {
				t.Fatal("refused and recorded")
			}
			for _, e := range events {
				switch e := e.(type) {
				case account.Spent:
					sum += e.Amount
				case account.Refunded:
					sum -= e.Amount
				}
				u = e.(domain.Carries[account.Usage]).After()
			}
			if u.Used != sum || u.Used < 0 || u.Used > limit {
				t.Fatalf("used %d, the sum of events is %d, the limit %d", u.Used, sum, limit)
			}
		}
	})
}

func TestWindows(t *testing.T) {
	t.Parallel()
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		period account.Period
		at     string
		window string
		ends   string
	}{
		{account.Day, "2026-11-21T23:59:59Z", "2026-11-21", "2026-11-22T00:00:00Z"},
		{account.Day, "2026-11-22T00:00:00Z", "2026-11-22", "2026-11-23T00:00:00Z"},
		{account.Day, "2026-11-22T01:30:00+02:00", "2026-11-21", "2026-11-22T00:00:00Z"},
		{account.Day, "2028-02-28T12:00:00Z", "2028-02-28", "2028-02-29T00:00:00Z"},
		{account.Day, "2026-12-31T12:00:00Z", "2026-12-31", "2027-01-01T00:00:00Z"},
		{account.Month, "2026-11-30T23:59:59Z", "2026-11", "2026-12-01T00:00:00Z"},
		{account.Month, "2026-12-01T00:00:00Z", "2026-12", "2027-01-01T00:00:00Z"},
		{account.Month, "2028-02-29T23:59:59Z", "2028-02", "2028-03-01T00:00:00Z"},
		{account.Lifetime, "2026-11-21T12:00:00Z", "lifetime", ""},
	} {
		if got := c.period.Window(at(c.at)); got != c.window {
			t.Errorf("%s at %s is the window %s, want %s", c.period, c.at, got, c.window)
		}
		ends, does := c.period.Ends(at(c.at))
		if does != (c.ends != "") || does && !ends.Equal(at(c.ends)) {
			t.Errorf("%s at %s ends %v %v, want %s", c.period, c.at, ends, does, c.ends)
		}
	}
}

// proves: decisions/8/18
func TestDefaultPlans(t *testing.T) {
	t.Parallel()
	type row struct{ items, assessments, applies, runs, builds, looks, members int }
	const none = -1
	n := func(a account.Allowance) int {
		if a.Limit == nil {
			return none
		}
		return *a.Limit
	}
	for plan, want := range map[account.Plan]row{
		account.Free:       {3, 5, 2, 2, 2, 10, 1},
		account.Team:       {50, 50, 50, 30, 10, 200, 25},
		account.Business:   {500, 500, 500, 300, 50, 2000, 500},
		account.Enterprise: {none, none, none, none, none, none, none},
	} {
		l := account.DefaultPlans()[plan]
		got := row{n(l.TrackedItems), n(l.Assessments), n(l.OptimizationApplies), n(l.BenchmarkRuns), n(l.BenchmarkBuilds), n(l.FirstLooks), n(l.Members)}
		if got != want {
			t.Errorf("%s grants %+v, want %+v", plan, got, want)
		}
		if l.ScheduledAssessments != (plan != account.Free) {
			t.Errorf("%s: scheduled assessments %v", plan, l.ScheduledAssessments)
		}
		if l.Assessments.Period != account.Day {
			t.Errorf("%s counts assessments per %s", plan, l.Assessments.Period)
		}
	}
	if p := account.DefaultPlans()[account.Enterprise].Assessments.Shown(); p != account.Unlimited {
		t.Errorf("without a limit the period shown is %s", p)
	}
}
