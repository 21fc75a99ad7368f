package clientcmd

import (
	"context"

	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/readiness/clientcmd/sheet"
)

func (c *calls) modelsCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "models WORKSPACE",
		Short:   "List the semantic models of a workspace",
		Example: `  readiness client models "Retail Analytics"`,
		Args:    cobra.ExactArgs(1),
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, err := workspace(ctx, s, args[0])
			if err != nil {
				return err
			}
			pages := s.ListSemanticModelsPages(ctx, workspaceID, client.ListSemanticModelsParams{})
			return listed(c, pages, func(s *sheet.Sheet, p client.SemanticModelList) {
				for _, m := range p.Value {
					s.Row(m.SemanticModelName, m.SemanticModelID.String(), sheet.Yes(m.MaintainedByService))
				}
			}, "SEMANTIC MODEL", "ID", "MAINTAINED BY THE SERVICE")
		}),
	}
}
