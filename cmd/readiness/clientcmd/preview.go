package clientcmd

import (
	"context"

	"github.com/spf13/cobra"

	"readiness/client"
)

func (c *calls) previewCommand() *cobra.Command {
	return c.noWaitFlag(&cobra.Command{
		Use:   "preview WORKSPACE MODEL [KIND]",
		Short: "Propose an optimization of a semantic model",
		Long: `Proposes one kind of optimization (aiInstructions, descriptions, properties or aiDataSchema), or without KIND all of
them. Nothing is written. apply accepts the preview's id for 24 hours.`,
		Example: `  readiness client preview "Retail Analytics" Inventory descriptions`,
		Args:    cobra.RangeArgs(2, 3),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, modelID, err := semanticModel(ctx, s, args)
			if err != nil {
				return err
			}
			if len(args) == 3 {
				answer, err := s.PreviewOptimizationWithResponse(ctx, workspaceID, modelID, args[2], nil)
				return c.started(ctx, s, answer, err)
			}
			answer, err := s.OptimizeWithResponse(ctx, workspaceID, modelID, nil, client.OptimizeRequest{Approval: "required"})
			return c.started(ctx, s, answer, err)
		}),
	})
}
