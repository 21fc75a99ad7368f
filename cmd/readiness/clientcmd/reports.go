package clientcmd

import (
	"context"

	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/internal/optional"
)

func (c *calls) reportsCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "reports WORKSPACE",
		Short:   "List the reports of a workspace and the status of their Pixies",
		Example: `  readiness client reports "Retail Analytics"`,
		Args:    cobra.ExactArgs(1),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, err := workspace(ctx, s, args[0])
			if err != nil {
				return err
			}
			pages := s.ListReportsPages(ctx, workspaceID, client.ListReportsParams{})
			return listed(c, pages, func(s *sheet.Sheet, p client.WorkspaceReportList) {
				for _, r := range p.Value {
					s.Row(optional.Text(r.ReportName), r.ReportID.String(), string(r.PixiesStatus), sheet.Yes(r.TrackedItem),
						sheet.Moment(r.LastChangedUtc))
				}
			}, "REPORT", "ID", "PIXIES", "TRACKED ITEM", "LAST CHANGED")
		}),
	}
}
