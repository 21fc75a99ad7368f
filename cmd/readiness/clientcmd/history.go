package clientcmd

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/internal/lists"
	"readiness/offline/show"
)

func (c *calls) historyCommand() *cobra.Command {
	var asCSV bool
	cmd := &cobra.Command{
		Use:   "history WORKSPACE MODEL",
		Short: "List the scores of a semantic model over time, and the writes between them",
		Long: `Lists the stored assessments of a semantic model, newest first, each with the applies and reverts that succeeded between
the previous assessment and it. A score is comparable with the previous one if the same rules and weighting made both.`,
		Example: `  readiness client history "Retail Analytics" Inventory
  readiness client history "Retail Analytics" Inventory --csv > inventory.csv`,
		Args: cobra.ExactArgs(2),
	}
	cmd.RunE = c.run(func(ctx context.Context, s *client.Service, args []string) error {
		if asCSV && c.json {
			return errTwoFormats
		}
		workspaceID, modelID, err := semanticModel(ctx, s, args)
		if err != nil {
			return err
		}
		pages := s.GetHistoryPages(ctx, workspaceID, modelID, client.GetHistoryParams{})
		if !asCSV {
			return listed(c, pages, func(s *sheet.Sheet, p client.History) {
				for _, a := range p.Value {
					s.Row(sheet.Moment(&a.AssessedAtUtc), show.Number(a.Score), sheet.Yes(a.ComparableWithPrevious),
						bySeverity(a.FindingsBySeverity, a.FindingsCount), a.RegimeID, writes(a.Writes))
				}
			}, "ASSESSED", "SCORE", "COMPARABLE", "FINDINGS", "REGIME", "WRITES BEFORE")
		}
		out, row := c.csvWriter()
		row("assessed_at", "score", "score_data_agent", "comparable_with_previous", "findings", "regime", "assessment_id", "writes_before")
		for page, err := range pages {
			if err != nil {
				return err
			}
			for _, a := range page.JSON200.Value {
				row(sheet.Moment(&a.AssessedAtUtc), sheet.Count(a.Score), sheet.Count(a.ScoreDataAgent),
					strconv.FormatBool(a.ComparableWithPrevious), strconv.Itoa(a.FindingsCount), a.RegimeID, a.AssessmentID.String(),
					writes(a.Writes))
			}
		}
		out.Flush()
		return out.Error()
	})
	cmd.Flags().BoolVar(&asCSV, "csv", false, "print CSV")
	return cmd
}

// writes returns the writes as their types and operations.
func writes(all []client.HistoryWrite) string {
	texts := lists.Map(all, func(w client.HistoryWrite) string { return string(w.OperationType) + " " + w.OperationID.String() })
	return strings.Join(texts, "; ")
}
