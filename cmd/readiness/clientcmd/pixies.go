package clientcmd

import (
	"context"

	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/cli"
)

func (c *calls) pixiesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pixies",
		Short: "Add Pixies to reports, or remove them",
		RunE:  cli.NeedsSubcommand,
	}
	cmd.AddCommand(c.pixiesAddCommand(), c.pixiesRemoveCommand())
	return cmd
}

func (c *calls) pixiesAddCommand() *cobra.Command {
	return c.noWaitFlag(&cobra.Command{
		Use:   "add WORKSPACE REPORT…",
		Short: "Add Pixies to reports, or update existing ones",
		Long: `Adds Pixies to one report, or to up to 100 in one run, which the service accepts completely or not at all. A report that
never had Pixies becomes a tracked item. The exit code is 4 if one of them could not be changed.`,
		Example: `  readiness client pixies add "Retail Analytics" "Sales Overview"`,
		Args:    cobra.MinimumNArgs(2),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, err := workspace(ctx, s, args[0])
			if err != nil {
				return err
			}
			ids, err := reports(ctx, s, workspaceID, args[1:]...)
			if err != nil {
				return err
			}
			if len(ids) == 1 {
				answer, err := s.AddPixiesWithResponse(ctx, workspaceID, ids[0], nil)
				return c.started(ctx, s, answer, err)
			}
			answer, err := s.AddPixiesToReportsWithResponse(ctx, workspaceID, nil, client.PixiesBulkRequest{ReportIds: ids})
			return c.started(ctx, s, answer, err)
		}),
	})
}

func (c *calls) pixiesRemoveCommand() *cobra.Command {
	return c.noWaitFlag(&cobra.Command{
		Use:     "remove WORKSPACE REPORT…",
		Short:   "Remove the Pixies from reports",
		Long:    "Removes the Pixies from one report, or from up to 100 in one run. The reports stay counted as tracked items.",
		Example: `  readiness client pixies remove "Retail Analytics" "Sales Overview"`,
		Args:    cobra.MinimumNArgs(2),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, err := workspace(ctx, s, args[0])
			if err != nil {
				return err
			}
			ids, err := reports(ctx, s, workspaceID, args[1:]...)
			if err != nil {
				return err
			}
			if len(ids) == 1 {
				answer, err := s.RemovePixiesWithResponse(ctx, workspaceID, ids[0], nil)
				return c.started(ctx, s, answer, err)
			}
			answer, err := s.RemovePixiesFromReportsWithResponse(ctx, workspaceID, nil, client.PixiesBulkRequest{ReportIds: ids})
			return c.started(ctx, s, answer, err)
		}),
	})
}
