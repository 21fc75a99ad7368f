package portfolio

import (
	"context"
	"fmt"
	"math"
	"time"

	"golang.org/x/sync/errgroup"

	"readiness/client"
	"readiness/http/console/chart"
	"readiness/http/console/page"
)

// summary has the scores of the models of the account, the lowest one, and the changes.
type summary struct {
	client.PortfolioSummary
	// Worst has the lowest score, and Fell lost most; nil for none.
	Worst, Fell *client.PortfolioModel
	Spread      chart.Spread
}

// Score returns the mean score as the page shows it; nil without a score.
func (s *summary) Score() *int { return rounded(s.Mean) }

func rounded(mean *float64) *int {
	if mean == nil {
		return nil
	}
	return new(int(math.Round(*mean)))
}

// name finds the models that the summary names. The first of the models that are listed is the worst if they are in that order.
func (s *summary) name(ctx context.Context, api *client.Service, listed []client.PortfolioModel, sort string) error {
	var together errgroup.Group
	first := func(of **client.PortfolioModel, sort string) {
		together.Go(func() error {
			got, err := api.GetPortfolioWithResponse(ctx, query{Sort: sort}.params(time.Now(), 1))
			if err == nil && len(got.JSON200.Value) > 0 {
				*of = &got.JSON200.Value[0]
			}
			return err
		})
	}
	switch {
	case s.Scored == 0:
	case sort == "score":
		s.Worst = &listed[0]
	default:
		first(&s.Worst, "score")
	}
	if s.Changes != nil && s.Changes.Lower > 0 {
		first(&s.Fell, "change")
	}
	err := together.Wait()
	if s.Worst != nil && s.Worst.Score == nil {
		s.Worst = nil
	}
	if s.Fell != nil && (s.Fell.Earlier == nil || s.Fell.Earlier.Change >= 0) {
		s.Fell = nil
	}
	return err
}

// spread returns the distribution of scores by workspace, the workspace with the lowest mean first.
func spread(s client.PortfolioSummary) chart.Spread {
	c := chart.Spread{Caption: "Scores by workspace", LabelHead: "Workspace", CountHead: "Models", MiddleHead: "Mean"}
	for _, w := range s.Workspaces[:min(len(s.Workspaces), maxGroups)] {
		mean := rounded(w.Mean)
		if mean == nil {
			continue
		}
		c.Rows = append(c.Rows, chart.SpreadRow{Label: w.WorkspaceName, Link: query{}.In(w.WorkspaceID.String()), Middle: *mean,
			Tone: page.Tone(*mean), Counts: [10]int(w.Scores)})
	}
	if s.WorkspacesCount > maxGroups {
		c.Caption += fmt.Sprintf(", the %d lowest of %d", len(c.Rows), s.WorkspacesCount)
	}
	return c
}

// maxGroups bounds the workspaces of the distribution.
const maxGroups = 8
