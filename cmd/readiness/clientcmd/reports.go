package clientcmd

import (
	"context"
	"iter"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/internal/optional"
)

func reportPages(ctx context.Context, s *client.Service, workspaceID uuid.UUID) iter.Seq2[*client.ListReportsResponse, error] {
	return client.Pages(func(token *string) (*client.ListReportsResponse, *string, error) {
		page, err := s.ListReportsWithResponse(ctx, workspaceID,
			&client.ListReportsParams{MaxResults: new(pageSize), ContinuationToken: token})
		if err != nil {
			return nil, nil, err
		}
		return page, page.JSON200.ContinuationToken, nil
	})
}

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
			return listed(c, reportPages(ctx, s, workspaceID), func(p *client.ListReportsResponse) []byte { return p.Body },
				func(s *sheet.Sheet, p *client.ListReportsResponse) {
					for _, r := range p.JSON200.Value {
						s.Row(optional.Text(r.ReportName), r.ReportID.String(), string(r.PixiesStatus), sheet.Yes(r.TrackedItem),
							sheet.Moment(r.LastChangedUtc))
					}
				}, "REPORT", "ID", "PIXIES", "TRACKED ITEM", "LAST CHANGED")
		}),
	}
}
