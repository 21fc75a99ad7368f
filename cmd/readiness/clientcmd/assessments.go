package clientcmd

import (
	"context"

	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
)

func (c *calls) assessmentsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "assessments",
		Short: "List and pin the assessments of a semantic model",
		Long: `Lists the stored assessments of a semantic model, and pins those that the account wants to find again. A pin is shared by
the account. While an assessment is pinned, the result of its operation stays readable after 7 days.`,
		RunE: cli.NeedsSubcommand,
	}
	cmd.AddCommand(c.assessmentsListCommand(), c.assessmentsPinCommand(), c.assessmentsUnpinCommand())
	return cmd
}

// anAssessment accepts a workspace, a semantic model and the id of one of its assessments.
var anAssessment = ids(2, 1, "an assessment", "readiness client assessments list WORKSPACE MODEL")

func (c *calls) assessmentsListCommand() *cobra.Command {
	var pinned bool
	cmd := &cobra.Command{
		Use:   "list WORKSPACE MODEL",
		Short: "List the assessments, newest first",
		Example: `  readiness client assessments list "Retail Analytics" Inventory
  readiness client assessments list "Retail Analytics" Inventory --pinned`,
		Args: cobra.ExactArgs(2),
	}
	cmd.RunE = c.run(func(ctx context.Context, s *client.Service, args []string) error {
		workspaceID, modelID, err := semanticModel(ctx, s, args)
		if err != nil {
			return err
		}
		pages := s.ListAssessmentsPages(ctx, workspaceID, modelID, client.ListAssessmentsParams{Pinned: given(cmd, "pinned", pinned)})
		return listed(c, pages, func(s *sheet.Sheet, p client.AssessmentSummaryList) {
			for _, a := range p.Value {
				s.Row(a.AssessmentID, sheet.Moment(a.AssessedAtUtc), sheet.Number(a.Score), sheet.Count(a.FindingsCount), a.RegimeID,
					sheet.Yes(a.Pinned))
			}
		}, "ASSESSMENT", "ASSESSED", "SCORE", "FINDINGS", "REGIME", "PINNED")
	})
	cmd.Flags().BoolVar(&pinned, "pinned", false, "list only pinned assessments; --pinned=false lists only the others")
	return cmd
}

func (c *calls) assessmentsPinCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "pin WORKSPACE MODEL ASSESSMENT_ID",
		Short:   "Pin an assessment",
		Example: `  readiness client assessments pin "Retail Analytics" Inventory 01a1fe19-b4e6-73d6-a5f4-307239dadc95`,
		Args:    anAssessment,
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, modelID, err := semanticModel(ctx, s, args)
			if err != nil {
				return err
			}
			got, err := s.PinAssessmentWithResponse(ctx, workspaceID, modelID, args[2])
			return shown(c, got, err, func(s *sheet.Sheet, got client.AssessmentPin) { s.Say("Assessment %s is pinned", got.AssessmentID) })
		}),
	}
}

func (c *calls) assessmentsUnpinCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "unpin WORKSPACE MODEL ASSESSMENT_ID",
		Short: "Unpin an assessment; it stays stored",
		Args:  anAssessment,
		RunE: c.run(func(ctx context.Context, s *client.Service, args []string) error {
			workspaceID, modelID, err := semanticModel(ctx, s, args)
			if err != nil {
				return err
			}
			got, err := s.UnpinAssessmentWithResponse(ctx, workspaceID, modelID, args[2])
			return shown(c, got, err, func(s *sheet.Sheet, got client.AssessmentPin) {
				s.Say("Assessment %s is no longer pinned", got.AssessmentID)
			})
		}),
	}
}
