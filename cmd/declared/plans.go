package declared

import (
	"fmt"
	"strings"

	"readiness/domain/account"
	"readiness/internal/optional"
)

// The plans file as written. A nil pointer is an omitted member.
type (
	plansFileDoc struct {
		Plans plansDoc `yaml:"plans"`
	}
	plansDoc struct {
		Free       planDoc `yaml:"Free"`
		Team       planDoc `yaml:"Team"`
		Business   planDoc `yaml:"Business"`
		Enterprise planDoc `yaml:"Enterprise"`
	}
	planDoc struct {
		TrackedItems         totalDoc     `yaml:"trackedItems"`
		Assessments          allowanceDoc `yaml:"assessments"`
		OptimizationApplies  allowanceDoc `yaml:"optimizationApplies"`
		BenchmarkRuns        allowanceDoc `yaml:"benchmarkRuns"`
		BenchmarkBuilds      allowanceDoc `yaml:"benchmarkBuilds"`
		FirstLooks           totalDoc     `yaml:"firstLooks"`
		Members              totalDoc     `yaml:"members"`
		ScheduledAssessments *bool        `yaml:"scheduledAssessments"`
	}
	// totalDoc is an allowance that is never renewed.
	totalDoc struct {
		Limit     *int  `yaml:"limit"`
		Unlimited *bool `yaml:"unlimited"`
	}
	allowanceDoc struct {
		Limit     *int    `yaml:"limit"`
		Unlimited *bool   `yaml:"unlimited"`
		Period    *string `yaml:"period"`
	}
)

// ParsePlans reads a plans file. Values that the file omits come from account.DefaultPlans. On failure it returns nil
// and an error like Parse's.
func ParsePlans(file string, src []byte) (account.Plans, error) {
	var doc plansFileDoc
	d := decode(file, src, &doc)
	plans := account.DefaultPlans()
	if len(d.problems) == 0 {
		for plan, p := range map[account.Plan]planDoc{
			account.Free: doc.Plans.Free, account.Team: doc.Plans.Team, account.Business: doc.Plans.Business,
			account.Enterprise: doc.Plans.Enterprise,
		} {
			plans[plan] = d.limits("plans."+string(plan), p, plans[plan])
		}
	}
	if len(d.problems) > 0 {
		return nil, d.failure()
	}
	return plans, nil
}

// limits returns l overridden by what p specifies.
func (d *decoder) limits(at string, p planDoc, l account.Limits) account.Limits {
	l.ScheduledAssessments = optional.Or(p.ScheduledAssessments, l.ScheduledAssessments)
	for _, a := range []struct {
		name  string
		doc   allowanceDoc
		least int
		of    *account.Allowance
	}{
		{"trackedItems", p.TrackedItems.allowance(), 0, &l.TrackedItems},
		{"assessments", p.Assessments, 0, &l.Assessments},
		{"optimizationApplies", p.OptimizationApplies, 0, &l.OptimizationApplies},
		{"benchmarkRuns", p.BenchmarkRuns, 0, &l.BenchmarkRuns},
		{"benchmarkBuilds", p.BenchmarkBuilds, 0, &l.BenchmarkBuilds},
		{"firstLooks", p.FirstLooks.allowance(), 0, &l.FirstLooks},
		{"members", p.Members.allowance(), 1, &l.Members},
	} {
		d.limit(join(at, a.name), a.doc, a.least, a.of)
	}
	return l
}

func (t totalDoc) allowance() allowanceDoc {
	return allowanceDoc{Limit: t.Limit, Unlimited: t.Unlimited}
}

func (d *decoder) limit(at string, doc allowanceDoc, least int, of *account.Allowance) {
	switch {
	case doc.Limit != nil && optional.Or(doc.Unlimited, false):
		d.report(at+".limit", "cannot be combined with unlimited: true")
	case doc.Limit != nil && *doc.Limit < least:
		d.report(at+".limit", fmt.Sprintf("must be at least %d", least))
	case doc.Limit != nil:
		of.Limit = doc.Limit
	case doc.Unlimited != nil && !*doc.Unlimited:
		d.report(at+".unlimited", "is false, so a limit must be given")
	case doc.Unlimited != nil:
		of.Limit = nil
	}
	if doc.Period == nil {
		return
	}
	switch period := account.Period(*doc.Period); period {
	case account.Day, account.Month, account.Lifetime:
		of.Period = period
	default:
		known := []string{string(account.Day), string(account.Month), string(account.Lifetime)}
		d.reportProblem(at, account.Problem{Member: "period",
			Message: fmt.Sprintf("must be one of %s, not %q", strings.Join(known, ", "), *doc.Period), Value: *doc.Period, Known: known})
	}
}
