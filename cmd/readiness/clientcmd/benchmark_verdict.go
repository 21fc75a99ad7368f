package clientcmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/offline/show"
)

func (c *calls) benchmarkVerdictCommand() *cobra.Command {
	var reason string
	var ask int
	cmd := &cobra.Command{
		Use:   "verdict WORKSPACE MODEL RUN_ID QUESTION correct|incorrect|unclear|refused",
		Short: "Overrule the verdict on an answer",
		Long: `Gives the answers to a question of a run your verdict, with a reason. QUESTION is an id that questions lists. The service's
own verdict stays next to yours; the score, and the A/B tests that the run is a side of, are computed with yours. Only the
person who started the run and administrators may.`,
		Example: `  readiness client benchmark verdict "Corporate Functions" "Support Tickets" 01a1fe19-b4e6-73d6-a5f4-307239dadc95 q7 correct \
    --reason "The answer is rounded, and right."`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := cobra.ExactArgs(5)(cmd, args); err != nil {
				return err
			}
			if strings.TrimSpace(reason) == "" {
				return cli.Usage("--reason is missing: explain in your words why you overrule the verdict")
			}
			return areIDs(args[2:3], "a run", "readiness client benchmark runs WORKSPACE MODEL")
		},
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, modelID, err := semanticModel(ctx, s, args)
			if err != nil {
				return err
			}
			body := client.OverruleVerdictRequest{Verdict: client.OverruleVerdictRequestVerdict(args[4]), Reason: reason}
			if ask > 0 {
				body.N = &ask
			}
			got, err := s.OverruleVerdictWithResponse(ctx, workspaceID, modelID, args[2], args[3], body)
			if err != nil {
				return err
			}
			return c.answered(got.Body, func(s *sheet.Sheet) {
				s.Say("Recorded. The score is %s of 100", show.Number(got.JSON200.Score))
			})
		}),
	}
	cmd.Flags().StringVar(&reason, "reason", "", "the reason, in your words")
	cmd.Flags().IntVar(&ask, "ask", 0, "number of the ask to overrule, 1 to 20; by default all that have an answer")
	return cmd
}
