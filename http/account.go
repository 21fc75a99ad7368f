package http

import (
	"context"
	"fmt"

	"readiness/domain/account"
	"readiness/http/api"
	"readiness/internal/optional"
)

// limits returns the limits of the caller's plan.
func (s *Server) limits(ctx context.Context) (account.Limits, error) {
	plan := callerOf(ctx).Plan
	limits, known := s.commands.Plans[plan]
	if !known {
		return limits, fmt.Errorf("http: no limits are configured for plan %q", plan)
	}
	return limits, nil
}

// GetAccount handles GET /v1/account.
func (s *Server) GetAccount(ctx context.Context, _ api.GetAccountRequestObject) (*api.Account, error) {
	limits, err := s.limits(ctx)
	if err != nil {
		return nil, err
	}
	m := callOf(ctx).by.member
	return &api.Account{
		AccountID: m.AccountID, Plan: string(m.Plan), Status: string(m.Status), Region: optional.Of(m.Region),
		Allowances: s.allowances(ctx, limits),
		Settings: api.AccountSettings{
			Features: api.AccountFeatures{AddPixies: m.Settings.AddPixies, CapacityDetails: m.Settings.CapacityDetails,
				AiFeatures: m.Settings.AIFeatures},
			DefinitionCopies: api.AccountSettingsDefinitionCopies(m.Settings.DefinitionCopies),
		},
		API: s.rights(ctx),
	}, nil
}

// allowances returns the limits with what is used of each. When usage cannot be read, used is null and the rest of
// the account is still returned.
func (s *Server) allowances(ctx context.Context, limits account.Limits) api.AccountAllowances {
	c := callOf(ctx)
	used, err := s.views.Used(ctx, c.caller.Account, limits, s.now())
	if err != nil {
		s.log.ErrorContext(ctx, "the use of the allowances cannot be read", "requestId", c.id, "err", err)
	}
	total := func(used int, a account.Allowance) api.Allowance {
		return api.Allowance{Used: read(used, err), Limit: a.Limit}
	}
	inPeriod := func(used int, a account.Allowance) api.PeriodAllowance {
		return api.PeriodAllowance{Used: read(used, err), Limit: a.Limit, Period: api.PeriodAllowancePeriod(a.Shown())}
	}
	return api.AccountAllowances{
		TrackedItems:         total(used.TrackedItems, limits.TrackedItems),
		Assessments:          inPeriod(used.Assessments, limits.Assessments),
		OptimizationApplies:  inPeriod(used.OptimizationApplies, limits.OptimizationApplies),
		BenchmarkRuns:        new(inPeriod(used.BenchmarkRuns, limits.BenchmarkRuns)),
		FirstLooks:           new(total(used.FirstLooks, limits.FirstLooks)),
		ScheduledAssessments: limits.ScheduledAssessments,
	}
}

// read returns a pointer to n, or nil when err is set.
func read(n int, err error) *int {
	if err != nil {
		return nil
	}
	return &n
}

// rights returns what the caller may do now.
func (s *Server) rights(ctx context.Context) api.AccountRights {
	c := callOf(ctx)
	r := api.AccountRights{WritesAllowed: true, Scopes: c.by.Scopes, Role: api.AccountRightsRole(c.by.member.Person.Role)}
	if err := s.startRefusal(ctx, c); err != nil {
		refusal, _ := s.refusal(ctx, err)
		r.WritesAllowed, r.WriteRefusal = false, new(string(refusal.Code))
	}
	return r
}
