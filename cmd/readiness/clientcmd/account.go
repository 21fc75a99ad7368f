package clientcmd

import (
	"context"

	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/internal/optional"
	"readiness/offline/show"
)

func (c *calls) accountCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "account",
		Short: "Show the account, what it has used of its allowances, and what the person may do",
		Args:  cobra.NoArgs,
		RunE: c.run(func(ctx context.Context, s *client.Service, _ []string) error {
			got, err := s.GetAccountWithResponse(ctx)
			return shown(c, got, err, accountTable)
		}),
	}
}

func accountTable(s *sheet.Sheet, a client.Account) {
	may := "yes"
	if !a.API.WritesAllowed {
		may = "no: " + optional.Text(a.API.WriteRefusal)
	}
	s.Say("Account %s of plan %s in %s is %s", cli.Printable(a.AccountID), cli.Printable(a.Plan),
		sheet.OrID(a.Region, "no region"), cli.Printable(a.Status))
	s.Say("Called as %s; may start work: %s", cli.Printable(string(a.API.Role)), cli.Printable(may))
	s.Say("Pixies may be added: %s; AI features: %s", sheet.Yes(a.Settings.Features.AddPixies), sheet.Yes(a.Settings.Features.AiFeatures))
	s.Rows("ALLOWANCE", "USED", "LIMIT", "PERIOD")
	s.Row("Tracked items", sheet.Count(a.Allowances.TrackedItems.Used), show.Number(a.Allowances.TrackedItems.Limit))
	period := func(name string, p *client.PeriodAllowance) {
		if p != nil {
			s.Row(name, sheet.Count(p.Used), show.Number(p.Limit), string(p.Period))
		}
	}
	period("Assessments", &a.Allowances.Assessments)
	period("Optimization applies", &a.Allowances.OptimizationApplies)
	period("Benchmark runs", a.Allowances.BenchmarkRuns)
	if f := a.Allowances.FirstLooks; f != nil {
		s.Row("First looks", sheet.Count(f.Used), show.Number(f.Limit))
	}
}
