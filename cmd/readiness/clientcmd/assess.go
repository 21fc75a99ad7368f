package clientcmd

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/cli"
)

// noWaitFlag adds --no-wait to a command that starts work.
func (c *calls) noWaitFlag(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&c.noWait, "no-wait", false, "print the operation's id and do not wait")
	return cmd
}

func (c *calls) assessCommand() *cobra.Command {
	var all bool
	cmd := c.noWaitFlag(&cobra.Command{
		Use:   "assess WORKSPACE {MODEL… | --all}",
		Short: "Assess semantic models of a workspace",
		Long: `Assesses one semantic model, or up to 100 in one run, which the service accepts completely or not at all. --all assesses
all of the workspace, except those that the service maintains, in one run for each 100. Each model counts against the day's
assessments. The exit code is 4 if one of them could not be assessed.`,
		Example: `  readiness client assess "Retail Analytics" Inventory "Retail Sales"
  readiness client assess "Retail Analytics" --all`,
		Args: func(cmd *cobra.Command, args []string) error {
			if all {
				return cobra.ExactArgs(1)(cmd, args)
			}
			return cobra.MinimumNArgs(2)(cmd, args)
		},
	})
	cmd.RunE = c.run(func(ctx context.Context, s *client.Service, args []string) error {
		workspaceID, err := workspace(ctx, s, args[0])
		if err != nil {
			return err
		}
		if all {
			return c.assessAll(ctx, s, workspaceID)
		}
		ids, err := semanticModels(ctx, s, workspaceID, args[1:]...)
		if err != nil {
			return err
		}
		if len(ids) == 1 {
			answer, err := s.AssessSemanticModel(ctx, workspaceID, ids[0], nil)
			return c.started(ctx, s, answer, err)
		}
		answer, err := s.AssessSemanticModels(ctx, workspaceID, nil, client.BulkAssessRequest{SemanticModelIds: ids})
		return c.started(ctx, s, answer, err)
	})
	cmd.Flags().BoolVar(&all, "all", false, "assess all semantic models of the workspace")
	return cmd
}

// maxRun is how many semantic models the service assesses in one run.
const maxRun = 100

// assessAll assesses all semantic models of a workspace, run after run. A run in which some could not be assessed does not
// stop it; a refused one does.
func (c *calls) assessAll(ctx context.Context, s *client.Service, workspaceID uuid.UUID) (partly error) {
	var ids []uuid.UUID
	for page, err := range modelPages(ctx, s, workspaceID) {
		if err != nil {
			return err
		}
		for _, m := range page.JSON200.Value {
			if !m.MaintainedByService {
				ids = append(ids, m.SemanticModelID)
			}
		}
	}
	if len(ids) == 0 {
		return errors.New("the workspace has no semantic model to assess")
	}
	for run := range slices.Chunk(ids, maxRun) {
		answer, err := s.AssessSemanticModels(ctx, workspaceID, nil, client.BulkAssessRequest{SemanticModelIds: run})
		if err = c.started(ctx, s, answer, err); err != nil && !cli.IsPartly(err) {
			return err
		}
		partly = cmp.Or(partly, err)
	}
	return partly
}
