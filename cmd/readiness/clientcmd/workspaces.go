package clientcmd

import (
	"context"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/readiness/clientcmd/sheet"
)

// listed prints a list: its pages as received, or one table of all rows.
func listed[P any](c *calls, pages iter.Seq2[*client.OK[P], error], rows func(*sheet.Sheet, P), head ...string) error {
	var all []*client.OK[P]
	for page, err := range pages {
		if err != nil {
			return err
		}
		all = append(all, page)
	}
	if c.json {
		for _, page := range all {
			if err := c.answered(page.Body, nil); err != nil {
				return err
			}
		}
		return nil
	}
	s := &sheet.Sheet{Profile: c.profileFlag()}
	s.Rows(head...)
	for _, page := range all {
		rows(s, *page.JSON200)
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
			return listed(c, s.ListWorkspacesPages(ctx, client.ListWorkspacesParams{}), func(s *sheet.Sheet, p client.WorkspaceList) {
				for _, w := range p.Value {
					s.Row(w.WorkspaceName, w.WorkspaceID.String())
				}
			}, "WORKSPACE", "ID")
		}),
	}
}
