package clientcmd

import (
	"context"
	"iter"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/readiness/clientcmd/sheet"
)

func modelPages(ctx context.Context, s *client.Service, workspaceID uuid.UUID) iter.Seq2[*client.ListSemanticModelsResponse, error] {
	return client.Pages(func(token *string) (*client.ListSemanticModelsResponse, *string, error) {
		page, err := s.ListSemanticModelsWithResponse(ctx, workspaceID,
			&client.ListSemanticModelsParams{MaxResults: new(pageSize), ContinuationToken: token})
		if err != nil {
			return nil, nil, err
		}
		return page, page.JSON200.ContinuationToken, nil
	})
}

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
			return listed(c, modelPages(ctx, s, workspaceID), func(p *client.ListSemanticModelsResponse) []byte { return p.Body },
				func(s *sheet.Sheet, p *client.ListSemanticModelsResponse) {
					for _, m := range p.JSON200.Value {
						s.Row(m.SemanticModelName, m.SemanticModelID.String(), sheet.Yes(m.MaintainedByService))
					}
				}, "SEMANTIC MODEL", "ID", "MAINTAINED BY THE SERVICE")
		}),
	}
}
