package clientcmd

import (
	"context"

	"github.com/spf13/cobra"

	"readiness/client"
)

// noWaitFlag adds --no-wait to a command that starts work.
func (c *calls) noWaitFlag(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&c.noWait, "no-wait", false, "print the operation's id and do not wait")
	return cmd
}

func (c *calls) assessCommand() *cobra.Command {
	var regime string
	cmd := c.noWaitFlag(&cobra.Command{
		Use:   "assess WORKSPACE MODEL…",
		Short: "Assess semantic models of a workspace",
		Long: `Assesses one semantic model, or up to 100 in one run, which the service accepts completely or not at all. Each counts
against the day's assessments. The exit code is 4 if one of them could not be assessed. Scores of different regimes are not
compared.`,
		Example: `  readiness client assess "Retail Analytics" Inventory "Retail Sales"`,
		Args:    cobra.MinimumNArgs(2),
	})
	cmd.RunE = c.run(func(ctx context.Context, s *client.Service, args []string) error {
		workspaceID, err := workspace(ctx, s, args[0])
		if err != nil {
			return err
		}
		ids, err := semanticModels(ctx, s, workspaceID, args[1:]...)
		if err != nil {
			return err
		}
		by := given(cmd, "regime", regime)
		if len(ids) == 1 {
			answer, err := s.AssessSemanticModel(ctx, workspaceID, ids[0], nil, client.AssessRequest{RegimeID: by})
			return c.started(ctx, s, answer, err)
		}
		answer, err := s.AssessSemanticModels(ctx, workspaceID, nil, client.BulkAssessRequest{SemanticModelIds: ids, RegimeID: by})
		return c.started(ctx, s, answer, err)
	})
	cmd.Flags().StringVar(&regime, "regime", "", "score by the regime with this id instead of the current one")
	return cmd
}
