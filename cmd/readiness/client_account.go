package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/internal/optional"
)

func (c *clientCalls) accountCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "account",
		Short: "Show the account, what it has used of its allowances, and what the person may do",
		Args:  cobra.NoArgs,
		RunE: c.run(func(ctx context.Context, s *client.Service, _ []string) error {
			got, err := s.GetAccountWithResponse(ctx)
			if err != nil {
				return err
			}
			return c.answered(got.Body, func(s *sheet) { accountTable(s, *got.JSON200) })
		}),
	}
}

func accountTable(s *sheet, a client.Account) {
	may := "yes"
	if !a.API.WritesAllowed {
		may = "no: " + optional.Text(a.API.WriteRefusal)
	}
	s.say("Account %s of plan %s in %s is %s", printable(a.AccountID), printable(a.Plan), orID(a.Region, "no region"), printable(a.Status))
	s.say("Called as %s; may start work: %s", printable(string(a.API.Role)), printable(may))
	s.say("Pixies may be added: %s; AI features: %s", yes(a.Settings.Features.AddPixies), yes(a.Settings.Features.AiFeatures))
	s.rows("ALLOWANCE", "USED", "LIMIT", "PERIOD")
	s.row("Tracked items", count(a.Allowances.TrackedItems.Used), limit(a.Allowances.TrackedItems.Limit))
	period := func(name string, p *client.PeriodAllowance) {
		if p != nil {
			s.row(name, count(p.Used), limit(p.Limit), string(p.Period))
		}
	}
	period("Assessments", &a.Allowances.Assessments)
	period("Optimization applies", &a.Allowances.OptimizationApplies)
	period("Benchmark runs", a.Allowances.BenchmarkRuns)
	if f := a.Allowances.FirstLooks; f != nil {
		s.row("First looks", count(f.Used), limit(f.Limit))
	}
}

func limit(n *int) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprint(*n)
}
