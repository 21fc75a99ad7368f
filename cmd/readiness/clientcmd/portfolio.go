package clientcmd

import (
	"context"
	"encoding/csv"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/internal/optional"
	"readiness/offline/show"
)

var (
	errTwoFormats    = cli.Usage("give --csv or --json, not both")
	errSummaryIsNone = cli.Usage("give --summary without --csv and --sort: it has no list of models")
)

func (c *calls) portfolioCommand() *cobra.Command {
	var workspaceName, text, since, owner, sort string
	var below int
	var asCSV, asSummary, outdated bool
	cmd := &cobra.Command{
		Use:   "portfolio",
		Short: "List all assessed semantic models of the account that the person can see",
		Long: `Lists the newest assessment of each semantic model that the account has assessed and the person can see, the lowest score
first. CHANGE is the difference to the newest comparable score that is at least 30 days old. VIEWS are those of the reports
with Pixies in 28 days. MEASURED is the share of questions that an AI answered right in the newest benchmark run, with its 95 %
interval; without one the score is an estimate. RULES are those that scored; a model that was scored by earlier ones waits to be assessed anew, because
its score does not compare with those of today. Models whose newest assessment failed follow, with the reason, unless a filter other
than --workspace and --q is given; --csv has the reason as failure. --summary counts all of them instead: by score, dimension and workspace.`,
		Example: `  readiness client portfolio --score-below 60
  readiness client portfolio --workspace "Retail Analytics" --sort change
  readiness client portfolio --not-assessed-since 2026-11-01
  readiness client portfolio --outdated
  readiness client portfolio --owner me
  readiness client portfolio --summary
  readiness client portfolio --csv > portfolio.csv`,
		Args: cobra.NoArgs,
	}
	cmd.RunE = c.run(func(ctx context.Context, s *client.Service, _ []string) error {
		switch {
		case asCSV && c.json:
			return errTwoFormats
		case asSummary && (asCSV || cmd.Flags().Changed("sort")):
			return errSummaryIsNone
		}
		params := client.GetPortfolioParams{Q: given(cmd, "q", text), ScoreBelow: given(cmd, "score-below", below),
			Outdated: given(cmd, "outdated", outdated), Owner: given(cmd, "owner", owner),
			Sort: given(cmd, "sort", client.GetPortfolioParamsSort(sort))}
		if cmd.Flags().Changed("workspace") {
			id, err := workspace(ctx, s, workspaceName)
			if err != nil {
				return err
			}
			params.WorkspaceID = &id
		}
		if cmd.Flags().Changed("not-assessed-since") {
			at, err := dayOrTime(since)
			if err != nil {
				return err
			}
			params.NotAssessedSince = &at
		}
		if asSummary {
			return c.portfolioSummary(ctx, s, params)
		}
		if asCSV {
			return c.portfolioCSV(s.GetPortfolioPages(ctx, params))
		}
		var failed []client.FailedAssessment // of the first page
		return listed(c, s.GetPortfolioPages(ctx, params), func(s *sheet.Sheet, p client.Portfolio) {
			failed = append(failed, p.Failures...)
			modelRows(s, p)
			if p.ContinuationToken == nil {
				failureRows(s, failed)
			}
		},
			"WORKSPACE", "SEMANTIC MODEL", "SCORE", "CHANGE", "MEASURED", "FINDINGS", "VIEWS", "ASSESSED", "RULES", "OWNER")
	})
	flags := cmd.Flags()
	flags.StringVar(&workspaceName, "workspace", "", "list only models of this workspace")
	flags.StringVar(&text, "q", "", "list only models whose name, or whose workspace's name, contains this text")
	flags.IntVar(&below, "score-below", 0, "list only models with a score below this number")
	flags.StringVar(&since, "not-assessed-since", "", "list only models last assessed before this day (2026-11-01) or time (RFC 3339)")
	flags.BoolVar(&outdated, "outdated", false, "list only models that were scored by earlier rules, which assess --outdated assesses anew")
	flags.StringVar(&owner, "owner", "", "list only models that this member looks after; me, or none for those of nobody")
	flags.StringVar(&sort, "sort", "score", "score, change, views or name")
	flags.BoolVar(&asSummary, "summary", false, "count the models instead of listing them")
	flags.BoolVar(&asCSV, "csv", false, "print CSV")
	return cmd
}

func modelRows(s *sheet.Sheet, p client.Portfolio) {
	for _, m := range p.Value {
		s.Row(m.WorkspaceName, m.SemanticModelName, show.Number(m.Score), change(m.Earlier), measured(m.Evidence),
			bySeverity(m.FindingsBySeverity, m.FindingsCount), strconv.FormatInt(m.Views, 10), sheet.Moment(&m.AssessedAtUtc),
			rulesOf(m), ownerOf(m))
	}
}

// failureRows prints the models whose newest assessment failed.
func failureRows(s *sheet.Sheet, all []client.FailedAssessment) {
	if len(all) == 0 {
		return
	}
	s.Say("\n%s could not be assessed; a score above is of an earlier assessment", show.Count(len(all), "model"))
	s.Rows("WORKSPACE", "SEMANTIC MODEL", "FAILED", "WHY")
	for _, f := range all {
		s.Row(f.WorkspaceName, f.SemanticModelName, sheet.Moment(&f.FailedAtUtc), sheet.Failure(&f.Error))
	}
}

// rulesOf returns the rules that scored a model, and whether it waits to be assessed anew.
func rulesOf(m client.PortfolioModel) string {
	if m.Outdated {
		return m.RegimeID + ", assess anew"
	}
	return m.RegimeID
}

// ownerOf returns who looks after a model, or "".
func ownerOf(m client.PortfolioModel) string {
	if m.Owner == nil {
		return ""
	}
	return called(*m.Owner)
}

// csvWriter returns a writer of CSV (RFC 4180) to stdout and a function that writes a row; Error of the writer returns
// the errors of both.
func (c *calls) csvWriter() (*csv.Writer, func(cells ...string)) {
	out := csv.NewWriter(c.program.Stdout)
	out.UseCRLF = true
	return out, func(cells ...string) { _ = out.Write(cells) }
}

// portfolioCSV prints the portfolio as CSV (RFC 4180), page by page.
func (c *calls) portfolioCSV(pages iter.Seq2[*client.GetPortfolioResponse, error]) error {
	out, row := c.csvWriter()
	head := []string{"workspace_id", "workspace", "semantic_model_id", "semantic_model", "score", "score_data_agent", "change_30_days",
		"high", "medium", "low", "findings", "views_28_days", "tracked_reports", "assessed_at", "regime", "assessment_id", "outdated",
		"measured", "measured_low", "measured_high", "measured_questions", "measured_outdated", "owner", "ai_format", "failure"}
	failureAt := len(head) - 1
	head = append(head, leavingColumns...)
	var dimensions []string
	columns := 0
	var failed []client.FailedAssessment // of the first page; then those without a model in the list
	for page, err := range pages {
		if err != nil {
			return err
		}
		if head != nil {
			dimensions = dimensionsOf(page.JSON200.Value)
			columns = len(head) + len(dimensions)
			row(slices.Concat(head, dimensions)...)
			failed, head = page.JSON200.Failures, nil
		}
		for _, m := range page.JSON200.Value {
			high, medium, low, failure := "", "", "", ""
			if n := slices.IndexFunc(failed, func(f client.FailedAssessment) bool { return f.SemanticModelID == m.SemanticModelID }); n >= 0 {
				failure, failed = sheet.Failure(&failed[n].Error), slices.Delete(failed, n, n+1)
			}
			if f := m.FindingsBySeverity; f != nil {
				high, medium, low = strconv.Itoa(f.High), strconv.Itoa(f.Medium), strconv.Itoa(f.Low)
			}
			row(slices.Concat([]string{
				m.WorkspaceID.String(), show.InCell(m.WorkspaceName), m.SemanticModelID.String(), show.InCell(m.SemanticModelName),
				sheet.Count(m.Score), sheet.Count(m.ScoreDataAgent), change(m.Earlier), high, medium, low, strconv.Itoa(m.FindingsCount),
				strconv.FormatInt(m.Views, 10), strconv.Itoa(m.TrackedReports), sheet.Moment(&m.AssessedAtUtc), m.RegimeID,
				m.AssessmentID.String(), strconv.FormatBool(m.Outdated),
			}, measuredCells(m.Evidence), []string{show.InCell(optional.Text(optional.Value(m.Owner).Person)), optional.Text(m.AiFormat),
				show.InCell(failure)}, leavingCells(m.LeavingQnA),
				scoresOf(m.Dimensions, dimensions))...)
		}
		out.Flush()
	}
	for _, f := range failed {
		cells := make([]string, columns)
		copy(cells, []string{f.WorkspaceID.String(), show.InCell(f.WorkspaceName), f.SemanticModelID.String(), show.InCell(f.SemanticModelName)})
		cells[failureAt] = show.InCell(sheet.Failure(&f.Error))
		row(cells...)
	}
	out.Flush()
	return out.Error()
}

// leavingColumns are the columns of leavingCells.
var leavingColumns = []string{"linguistic_synonyms", "suggested_synonyms", "generated_synonyms", "deleted_synonyms", "linguistic_entities", "hidden_objects",
	"linguistic_relationships", "phrasings", "suggested_questions", "ai_instructions", "invalid_linguistic_schema", "losses", "qna_visuals", "qna_bookmarks",
	"reports_read", "reports_unread"}

// leavingCells returns what of a model leaves with Q&A; a cell is empty if it is not known.
func leavingCells(l *client.LeavingQnA) []string {
	if l == nil {
		return make([]string, len(leavingColumns))
	}
	var visuals, bookmarks *int
	if l.ReportsRead != nil && (*l.ReportsRead > 0 || optional.Value(l.ReportsUnread) == 0) {
		visuals, bookmarks = new(0), new(0)
		for _, r := range l.Reports {
			*visuals, *bookmarks = *visuals+r.Visuals, *bookmarks+r.Bookmarks
		}
	}
	return []string{strconv.Itoa(l.Synonyms), strconv.Itoa(l.SuggestedSynonyms), strconv.Itoa(l.GeneratedSynonyms), strconv.Itoa(l.DeletedSynonyms),
		strconv.Itoa(l.Entities), strconv.Itoa(l.HiddenObjects), strconv.Itoa(l.Relationships), strconv.Itoa(l.Phrasings), strconv.Itoa(l.SuggestedQuestions),
		strconv.FormatBool(l.Instructions), show.InCell(optional.Text(l.Invalid)), sheet.Count(l.Losses), sheet.Count(visuals), sheet.Count(bookmarks),
		sheet.Count(l.ReportsRead), sheet.Count(l.ReportsUnread)}
}

// dimensionsOf returns the ids of the dimensions of the models, sorted.
func dimensionsOf(models []client.PortfolioModel) []string {
	ids := map[string]bool{}
	for _, m := range models {
		for id := range optional.Value(m.Dimensions) {
			ids[id] = true
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

func scoresOf(of *client.Dimensions, ids []string) (cells []string) {
	for _, id := range ids {
		cells = append(cells, sheet.Count(optional.Value(of)[id]))
	}
	return cells
}

// dayOrTime reads a day, which begins in UTC, or a time.
func dayOrTime(text string) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, cli.Usage("--not-assessed-since %q is neither a day such as 2026-11-01 nor a time such as 2026-11-01T08:00:00Z",
		text)
}

// change returns the change of a score with its sign, or "" without an earlier score.
func change(e *client.EarlierScore) string {
	if e == nil {
		return ""
	}
	if e.Change > 0 {
		return "+" + strconv.Itoa(e.Change)
	}
	return strconv.Itoa(e.Change)
}

// measured returns what a benchmark run measured, or "".
func measured(e *client.Evidence) string {
	if e == nil {
		return ""
	}
	text := fmt.Sprintf("%d %% (%d to %d %%)", e.Score, e.Low, e.High)
	if e.Outdated {
		text += " before a change"
	}
	return text
}

func measuredCells(e *client.Evidence) []string {
	if e == nil {
		return make([]string, 5)
	}
	return []string{strconv.Itoa(e.Score), strconv.Itoa(e.Low), strconv.Itoa(e.High), strconv.Itoa(e.Questions), strconv.FormatBool(e.Outdated)}
}

// bySeverity returns the numbers of findings of high, medium and low severity, or their sum where they are unknown.
func bySeverity(f *client.Severities, all int) string {
	if f == nil {
		return strconv.Itoa(all)
	}
	return strconv.Itoa(f.High) + " high, " + strconv.Itoa(f.Medium) + " medium, " + strconv.Itoa(f.Low) + " low"
}
