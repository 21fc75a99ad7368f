package clientcmd

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/cli"
)

func (c *calls) revertCommand() *cobra.Command {
	return c.noWaitFlag(&cobra.Command{
		Use:   "revert OPERATION_ID",
		Short: "Undo what an apply wrote",
		Long: "Restores every object that the apply wrote, of one kind or of several, and nothing else. Possible for 30 days " +
			"after the apply.",
		Example: "  readiness client revert 01a1fe19-b4e6-73d6-a5f4-307239dadc95",
		Args:    operationArgument,
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			operationID := uuid.MustParse(args[0])
			of, err := workOf(ctx, s, operationID)
			if err != nil {
				return err
			}
			request := client.RevertRequest{OperationID: operationID.String()}
			switch of.operationType {
			case "ApplyOptimization":
				answer, err := s.RevertOptimizationWithResponse(ctx, of.workspaceID, of.itemID, nil, request)
				return c.started(ctx, s, answer, err)
			case "ApplyOptimizations":
				answer, err := s.RevertOptimizationsWithResponse(ctx, of.workspaceID, of.itemID, nil, request)
				return c.started(ctx, s, answer, err)
			}
			return fmt.Errorf("operation %s is not an apply; its type is %s", operationID, cli.Printable(of.operationType))
		}),
	})
}
