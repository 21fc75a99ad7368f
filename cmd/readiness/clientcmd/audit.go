package clientcmd

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
)

func (c *calls) auditCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Read the account's log, for administrators",
		RunE:  cli.NeedsSubcommand,
	}
	cmd.AddCommand(c.auditViewCommand())
	return cmd
}

func (c *calls) auditViewCommand() *cobra.Command {
	var position int64
	var at string
	cmd := c.noWaitFlag(&cobra.Command{
		Use:   "view VIEW",
		Short: "List the rows of a view as they were at a position or a time",
		Long: `Lists the rows of a view as they follow from the events of the account up to a position of the log, one JSON text a line. A
time means the last head of the log that was signed at or before it, because only signed heads show what was recorded by then. --json
also prints the head.`,
		Example: `  readiness client audit view assessments --time 2026-06-30T22:00:00Z
  readiness client audit view accounts --position 1200`,
		Args: cobra.ExactArgs(1),
	})
	var body client.ListViewAsOfJSONRequestBody
	cmd.PreRunE = func(*cobra.Command, []string) error {
		moment, err := time.Parse(time.RFC3339, at)
		switch {
		case cmd.Flags().Changed("position") == (at != ""):
			return cli.Usage("name either --position or --time")
		case at == "":
			body.AsOf.Position = &position
		case err != nil:
			return cli.Usage("--time must be like 2026-06-30T22:00:00Z: %w", err)
		default:
			body.AsOf.TimeUtc = &moment
		}
		return nil
	}
	cmd.RunE = c.run(func(ctx context.Context, s *client.Service, args []string) error {
		answer, err := s.ListViewAsOfWithResponse(ctx, args[0], nil, body)
		return c.started(ctx, s, answer, err)
	})
	cmd.Flags().Int64Var(&position, "position", 0, "the last position of the log that counts")
	cmd.Flags().StringVar(&at, "time", "", "time (RFC 3339) at which the log must have been sealed")
	return cmd
}

// viewRows prints the rows of a view, one a line.
func viewRows(s *sheet.Sheet, v struct {
	client.AuditView
	Value []json.RawMessage `json:"value"`
},
) {
	under := "no head covers it yet"
	if v.SignedAtUtc != nil {
		under = "under the head signed at " + v.SignedAtUtc.UTC().Format(time.RFC3339Nano)
	}
	s.Say("%s as of position %d, %s", cli.Printable(v.View), v.Position, under)
	for _, row := range v.Value {
		s.Say("%s", cli.Printable(string(row)))
	}
}
