package main

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"readiness/client"
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
func listed[P any](c *clientCalls, pages iter.Seq2[P, error], body func(P) []byte, rows func(*sheet, P), head ...string) error {
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
	s := c.newSheet()
	s.rows(head...)
	for _, page := range all {
		rows(s, page)
	}
	return s.writeTo(c.r.stdout)
}

func (c *clientCalls) workspacesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "workspaces",
		Short: "List the workspaces that the person can see",
		Args:  cobra.NoArgs,
		RunE: c.run(func(ctx context.Context, s *client.Service, _ []string) error {
			return listed(c, workspacePages(ctx, s), func(p *client.ListWorkspacesResponse) []byte { return p.Body },
				func(s *sheet, p *client.ListWorkspacesResponse) {
					for _, w := range p.JSON200.Value {
						s.row(w.WorkspaceName, w.WorkspaceID.String())
					}
				}, "WORKSPACE", "ID")
		}),
	}
}
