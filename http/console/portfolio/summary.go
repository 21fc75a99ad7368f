package portfolio

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"readiness/client"
	"readiness/http/console/chart"
	"readiness/http/console/page"
)

// summarized is how many models the summary above the list covers: as many as one call of the interface returns.
const summarized = 500

// summary says where the models stand, which is worst, and what changed.
type summary struct {
	// Models is how many models the summary covers. Partial is that there are more.
	Models  int
	Partial bool
	// Median is the median score; nil without a score.
	Median *int
	// High counts the findings of high severity.
	High int
	// Worst has the lowest score, and Fell lost most; nil for none.
	Worst, Fell  *client.PortfolioModel
	Better, Less int
	Spread       chart.Spread
}

func summarize(models []client.PortfolioModel, partial bool) *summary {
	s := &summary{Models: len(models), Partial: partial}
	var scores []int
	for i := range models {
		m := &models[i]
		if m.FindingsBySeverity != nil {
			s.High += m.FindingsBySeverity.High
		}
		if m.Score == nil {
			continue
		}
		scores = append(scores, *m.Score)
		if s.Worst == nil || *m.Score < *s.Worst.Score {
			s.Worst = m
		}
		switch {
		case m.Earlier == nil || m.Earlier.Change == 0:
		case m.Earlier.Change > 0:
			s.Better++
		default:
			s.Less++
			if s.Fell == nil || m.Earlier.Change < s.Fell.Earlier.Change {
				s.Fell = m
			}
		}
	}
	if len(scores) > 0 {
		slices.Sort(scores)
		s.Median = &scores[(len(scores)-1)/2]
	}
	s.Spread = spread(models)
	if partial {
		s.Spread.Caption += fmt.Sprintf(", of the %d models with the lowest scores", len(models))
	}
	return s
}

// spread returns the distribution of scores by workspace, the workspace with the lowest median first.
func spread(models []client.PortfolioModel) chart.Spread {
	type group struct {
		name, id string
		scores   []int
	}
	groups := map[string]*group{}
	for _, m := range models {
		if m.Score == nil {
			continue
		}
		id := m.WorkspaceID.String()
		if groups[id] == nil {
			groups[id] = &group{name: m.WorkspaceName, id: id}
		}
		groups[id].scores = append(groups[id].scores, *m.Score)
	}
	all := make([]*group, 0, len(groups))
	for _, g := range groups {
		slices.Sort(g.scores)
		all = append(all, g)
	}
	median := func(g *group) int { return g.scores[(len(g.scores)-1)/2] }
	slices.SortFunc(all, func(a, b *group) int {
		return cmp.Or(cmp.Compare(median(a), median(b)), strings.Compare(a.name, b.name), strings.Compare(a.id, b.id))
	})
	c := chart.Spread{Caption: "Scores by workspace",
		LabelHead: "Workspace", CountHead: "Models", MiddleHead: "Median"}
	for _, g := range all[:min(len(all), maxGroups)] {
		row := chart.SpreadRow{Label: g.name, Link: query{}.In(g.id), Middle: median(g), Tone: page.Tone(median(g))}
		for _, score := range g.scores {
			row.Counts[min(score/10, 9)]++
		}
		c.Rows = append(c.Rows, row)
	}
	if left := len(all) - len(c.Rows); left > 0 {
		c.Caption += fmt.Sprintf(", the %d lowest of %d", len(c.Rows), len(all))
	}
	return c
}

// maxGroups bounds the workspaces of the distribution.
const maxGroups = 8
