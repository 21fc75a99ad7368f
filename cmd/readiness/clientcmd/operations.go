package clientcmd

import (
	"context"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/internal/optional"
)

func (c *calls) operationsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "operations",
		Short: "List, show, stop or wait for operations",
		RunE:  cli.NeedsSubcommand,
	}
	cmd.AddCommand(c.operationsListCommand(), c.operationsShowCommand(), c.operationsCancelCommand(), c.operationsWaitCommand())
	return cmd
}

// operationArgument accepts the id of one operation.
var operationArgument = ids(0, 1, "an operation", "readiness client operations list")

func (c *calls) operationsListCommand() *cobra.Command {
	var status string
	var atMost int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the newest operations of the account, from the last 7 days",
		Args:  cobra.NoArgs,
	}
	call := c.run(func(ctx context.Context, s *client.Service, _ []string) error {
		params := &client.ListOperationsParams{}
		if status != "" {
			params.Status = new(client.OperationStatus(status))
		}
		left := atMost
		pages := client.Pages(func(token *string) (*client.ListOperationsResponse, *string, error) {
			params.MaxResults, params.ContinuationToken = new(min(left, client.PageSize)), token
			page, err := s.ListOperationsWithResponse(ctx, params)
			if err != nil {
				return nil, nil, err
			}
			if left -= len(page.JSON200.Value); left <= 0 {
				return page, nil, nil
			}
			return page, page.JSON200.ContinuationToken, nil
		})
		return listed(c, pages, func(s *sheet.Sheet, p client.OperationList) {
			for _, o := range p.Value {
				s.Row(o.ID.String(), optional.Text(o.OperationType), string(o.Status), sheet.Count(o.PercentComplete),
					sheet.Moment(&o.CreatedTimeUtc), sheet.Failure(o.Error))
			}
		}, "OPERATION", "TYPE", "STATUS", "%", "STARTED", "WHY")
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if atMost < 1 {
			return cli.Usage("--limit must be at least 1")
		}
		return call(cmd, args)
	}
	cmd.Flags().StringVar(&status, "status", "", "list only those that are NotStarted, Running, Succeeded, Failed or Cancelled")
	cmd.Flags().IntVar(&atMost, "limit", 20, "maximum number of operations")
	return cmd
}

func (c *calls) operationsShowCommand() *cobra.Command {
	var result bool
	cmd := &cobra.Command{
		Use:     "show OPERATION_ID",
		Short:   "Show the state of an operation, or its result",
		Example: "  readiness client operations show --result 01a1fe19-b4e6-73d6-a5f4-307239dadc95",
		Args:    operationArgument,
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			got, err := s.GetOperationWithResponse(ctx, uuid.MustParse(args[0]), nil)
			if err != nil {
				return err
			}
			if result {
				return c.result(ctx, s, *got.JSON200)
			}
			return c.answered(got.Body, func(s *sheet.Sheet) { operationTable(s, *got.JSON200) })
		}),
	}
	cmd.Flags().BoolVar(&result, "result", false, "show the result instead of the state")
	return cmd
}

func operationTable(s *sheet.Sheet, o client.Operation) {
	s.Rows("OPERATION", o.ID.String())
	line := s.Lines()
	line("Type", optional.Text(o.OperationType))
	line("Status", string(o.Status))
	line("Complete, %", sheet.Count(o.PercentComplete))
	line("Started", sheet.Moment(&o.CreatedTimeUtc))
	line("Last changed", sheet.Moment(&o.LastUpdatedTimeUtc))
	if r := o.Resource; r != nil {
		line("Workspace", optional.Text(r.WorkspaceID))
		line("Item", optional.Text(r.ItemID))
	}
	line("Why", sheet.Failure(o.Error))
}

func (c *calls) operationsCancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel OPERATION_ID",
		Short: "Stop a benchmark run or an A/B run",
		Long:  "Stops a benchmark run or an A/B run. Other operations cannot be stopped. An operation that has ended does not change.",
		Args:  operationArgument,
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			operationID := uuid.MustParse(args[0])
			got, err := s.CancelOperationWithResponse(ctx, operationID, nil)
			if err != nil || c.json {
				if err == nil {
					err = c.answered(got.Body, nil)
				}
				return err
			}
			now, err := s.GetOperationWithResponse(ctx, operationID, nil)
			if err != nil {
				return err
			}
			return c.answered(now.Body, func(s *sheet.Sheet) { operationTable(s, *now.JSON200) })
		}),
	}
}

func (c *calls) operationsWaitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "wait OPERATION_ID",
		Short: "Wait for an operation and print its result",
		Long: `Waits until the operation has ended and prints its result. The exit code is 1 if it failed or was stopped. An operation
with several writes, and side B of an A/B run, continue only while the person who started them waits.`,
		Args: operationArgument,
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			return c.wait(ctx, s, uuid.MustParse(args[0]), 0)
		}),
	}
}
