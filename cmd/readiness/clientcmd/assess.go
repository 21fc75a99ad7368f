package clientcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	var all, outdated bool
	cmd := c.noWaitFlag(&cobra.Command{
		Use:   "assess {WORKSPACE {MODEL… | --all} | --outdated}",
		Short: "Assess semantic models of a workspace",
		Long: `Assesses one semantic model, or up to 100 in one run, which the service accepts completely or not at all. --all assesses
all of the workspace, except those that the service maintains, in one run for each 100. --outdated assesses all models of the
portfolio that were scored by earlier rules, of all workspaces or of the one that is named, so that their scores compare
again. Each model counts against the day's assessments. The exit code is 4 if one of them could not be assessed.`,
		Example: `  readiness client assess "Retail Analytics" Inventory "Retail Sales"
  readiness client assess "Retail Analytics" --all
  readiness client assess --outdated`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case all && outdated:
				return errAllOrOutdated
			case outdated:
				return cobra.MaximumNArgs(1)(cmd, args)
			case all:
				return cobra.ExactArgs(1)(cmd, args)
			}
			return cobra.MinimumNArgs(2)(cmd, args)
		},
	})
	cmd.RunE = c.run(func(ctx context.Context, s *client.Service, args []string) error {
		if outdated {
			return c.assessOutdated(ctx, s, args)
		}
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
			answer, err := s.AssessSemanticModelWithResponse(ctx, workspaceID, ids[0], nil)
			return c.started(ctx, s, answer, err)
		}
		answer, err := s.AssessSemanticModelsWithResponse(ctx, workspaceID, nil, client.BulkAssessRequest{SemanticModelIds: ids})
		return c.started(ctx, s, answer, err)
	})
	cmd.Flags().BoolVar(&all, "all", false, "assess all semantic models of the workspace")
	cmd.Flags().BoolVar(&outdated, "outdated", false, "assess the models of the portfolio that were scored by earlier rules")
	return cmd
}

// maxRun is how many semantic models the service assesses in one run.
const maxRun = 100

var errAllOrOutdated = cli.Usage("give --all or --outdated, not both")

// assessOutdated assesses the models that were scored by earlier rules, workspace by workspace: all of the portfolio, or of the
// workspace that args name.
func (c *calls) assessOutdated(ctx context.Context, s *client.Service, args []string) (partly error) {
	params := client.GetPortfolioParams{Outdated: new(true), Sort: new(client.GetPortfolioParamsSort("name"))}
	if len(args) > 0 {
		id, err := workspace(ctx, s, args[0])
		if err != nil {
			return err
		}
		params.WorkspaceID = &id
	}
	models := map[uuid.UUID][]uuid.UUID{}
	var order []uuid.UUID
	for page, err := range s.GetPortfolioPages(ctx, params) {
		if err != nil {
			return err
		}
		for _, m := range page.JSON200.Value {
			if models[m.WorkspaceID] == nil {
				order = append(order, m.WorkspaceID)
			}
			models[m.WorkspaceID] = append(models[m.WorkspaceID], m.SemanticModelID)
		}
	}
	if len(order) == 0 {
		_, err := fmt.Fprintln(c.program.Stdout, "No model waits to be assessed anew: the rules of today scored all of them.")
		return err
	}
	for _, workspaceID := range order {
		err := c.assessRuns(ctx, s, workspaceID, models[workspaceID])
		if err != nil && !cli.IsPartly(err) {
			return err
		}
		partly = cmp.Or(partly, err)
	}
	return partly
}

// assessAll assesses all semantic models of a workspace, except those that the service maintains.
func (c *calls) assessAll(ctx context.Context, s *client.Service, workspaceID uuid.UUID) error {
	var ids []uuid.UUID
	for page, err := range s.ListSemanticModelsPages(ctx, workspaceID, client.ListSemanticModelsParams{}) {
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
	return c.assessRuns(ctx, s, workspaceID, ids)
}

// assessRuns assesses semantic models of a workspace, run after run. A run in which some could not be assessed does not stop it;
// a refused one does.
func (c *calls) assessRuns(ctx context.Context, s *client.Service, workspaceID uuid.UUID, ids []uuid.UUID) (partly error) {
	for run := range slices.Chunk(ids, maxRun) {
		answer, err := s.AssessSemanticModelsWithResponse(ctx, workspaceID, nil, client.BulkAssessRequest{SemanticModelIds: run})
		if err = c.started(ctx, s, answer, err); err != nil && !cli.IsPartly(err) {
			return err
		}
		partly = cmp.Or(partly, err)
	}
	return partly
}
