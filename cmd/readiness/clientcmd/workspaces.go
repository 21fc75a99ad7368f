package clientcmd

import (
	"context"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/readiness/clientcmd/sheet"
)

// pageSize is how many elements each call for a list requests; it is the service's maximum.
const pageSize = 500

func workspacePages(ctx context.Context, s *client.Service) iter.Seq2[*client.ListWorkspacesResponse, error] {
	return client.Pages(func(token *string) (*client.ListWorkspacesResponse, *string, error) {
		page, err := s.ListWorkspacesWithResponse(ctx, &client.ListWorkspacesParams{MaxResults: new(pageSize), ContinuationToken: token})
		if err != nil {
			return nil, nil, err
		}
		return page, page.JSON200.ContinuationToken, nil
	})
}

// listed prints a list: its pages as received, or one table of all rows.
func listed[P any](c *calls, pages iter.Seq2[P, error], body func(P) []byte, rows func(*sheet.Sheet, P), head ...string) error {
	var all []P
	for page, err := range pages {
		if err != nil {
			return err
		}
		all = append(all, page)
	}
	if c.json {
		for _, page := range all {
			if err := c.answered(body(page), nil); err != nil {
				return err
			}
		}
		return nil
	}
	s := &sheet.Sheet{Profile: c.profileFlag()}
	s.Rows(head...)
	for _, page := range all {
		rows(s, page)
	}
	_, err := io.WriteString(c.program.Stdout, s.String())
	return err
}

func (c *calls) workspacesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "workspaces",
		Short: "List the workspaces that the person can see",
		Args:  cobra.NoArgs,
		RunE: c.run(func(ctx context.Context, s *client.Service, _ []string) error {
			return listed(c, workspacePages(ctx, s), func(p *client.ListWorkspacesResponse) []byte { return p.Body },
				func(s *sheet.Sheet, p *client.ListWorkspacesResponse) {
					for _, w := range p.JSON200.Value {
						s.Row(w.WorkspaceName, w.WorkspaceID.String())
					}
				}, "WORKSPACE", "ID")
		}),
	}
}
