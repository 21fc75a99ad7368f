package clientcmd

import (
	"context"
	"strconv"

	"readiness/client"
	"readiness/cmd/readiness/clientcmd/sheet"
)

// portfolioSummary prints the counts of the models that the query of a list selects.
func (c *calls) portfolioSummary(ctx context.Context, s *client.Service, of client.GetPortfolioParams) error {
	got, err := s.GetPortfolioSummaryWithResponse(ctx, &client.GetPortfolioSummaryParams{Q: of.Q, WorkspaceID: of.WorkspaceID,
		ScoreBelow: of.ScoreBelow, NotAssessedSince: of.NotAssessedSince, Outdated: of.Outdated})
	return shown(c, got, err, summarySheet)
}

func summarySheet(s *sheet.Sheet, p client.PortfolioSummary) {
	s.Say("%d models in %d workspaces, %d with a score; mean score %s", p.Models, p.WorkspacesCount, p.Scored, sheet.Number(p.Mean))
	f := p.FindingsBySeverity
	s.Say("%d findings of high severity, %d medium, %d low", f.High, f.Medium, f.Low)
	s.Say("%d not assessed for 30 days", p.NotAssessedFor30Days)
	if p.Outdated > 0 {
		s.Say("%d scored by earlier rules, so that their scores do not compare; readiness client assess --outdated assesses them anew", p.Outdated)
	}
	if c := p.Changes; c != nil {
		s.Say("In 30 days: %d with a higher score, %d lower, %d the same", c.Higher, c.Lower, c.Same)
	}
	if p.Models == 0 {
		return
	}
	s.Rows("SCORE", "MODELS")
	for i, n := range p.Scores {
		last := 10*i + 9
		if i == len(p.Scores)-1 {
			last = 100
		}
		s.Row(strconv.Itoa(10*i)+" to "+strconv.Itoa(last), strconv.Itoa(n))
	}
	s.Rows("DIMENSION", "MEAN", "MODELS")
	for _, d := range p.Dimensions {
		s.Row(d.Dimension, sheet.Number(&d.Mean), strconv.Itoa(d.Models))
	}
	s.Rows("WORKSPACE", "MEAN", "MODELS")
	for _, w := range p.Workspaces {
		s.Row(w.WorkspaceName, sheet.Number(w.Mean), strconv.Itoa(w.Models))
	}
}
