package http

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/google/uuid"

	"readiness/http/api"
	"readiness/projections"
)

const (
	// maxCompared bounds the models whose changes are counted for one call.
	maxCompared = 10_000
	// maxSummarized bounds the workspaces of a summary.
	maxSummarized = 50
)

// GetPortfolioSummary handles GET /v1/aiReadiness/portfolio/summary.
func (s *Server) GetPortfolioSummary(ctx context.Context, r api.GetPortfolioSummaryRequestObject) (*api.PortfolioSummary, error) {
	who, of := callerOf(ctx), r.Params
	q, _, err := s.portfolioQuery(ctx, api.GetPortfolioParams{Q: of.Q, WorkspaceID: of.WorkspaceID, ScoreBelow: of.ScoreBelow,
		NotAssessedSince: of.NotAssessedSince, Outdated: of.Outdated, Owner: of.Owner})
	if err != nil {
		return nil, err
	}
	names, err := s.visible.workspaces(ctx, who)
	if err != nil {
		return nil, err
	}
	for id := range names {
		if of.WorkspaceID == nil || id == *of.WorkspaceID {
			q.Workspaces = append(q.Workspaces, id)
		}
	}
	found, err := s.views.PortfolioScores(ctx, q)
	if err != nil {
		return nil, err
	}
	out := summary(found, names)
	if out.Models <= maxCompared {
		c := api.PortfolioChanges{}
		if c.Higher, c.Lower, c.Same, err = s.views.PortfolioChanges(ctx, q); err != nil {
			return nil, err
		}
		out.Changes = &c
	}
	return &out, nil
}

// summary adds the scores of workspaces, whose names are given.
func summary(found []projections.WorkspaceScores, names map[uuid.UUID]string) api.PortfolioSummary {
	out := api.PortfolioSummary{WorkspacesCount: len(found), Scores: make(api.ScoreBands, 10), Workspaces: []api.WorkspaceSummary{},
		Dimensions: []api.DimensionSummary{}}
	sum := 0
	var dimensions [len(projections.Dimensions)]projections.DimensionScores
	for _, w := range found {
		one := api.WorkspaceSummary{WorkspaceID: w.WorkspaceID, WorkspaceName: names[w.WorkspaceID], Models: w.Models, Scores: w.Bands[:]}
		for i, n := range w.Bands {
			one.Scored += n
			out.Scores[i] += n
		}
		one.Mean = mean(w.Sum, one.Scored)
		out.Workspaces = append(out.Workspaces, one)
		out.Models += w.Models
		out.Scored += one.Scored
		out.NotAssessedFor30Days += w.Late
		out.Outdated += w.Outdated
		out.FindingsBySeverity.High += w.Severities.High
		out.FindingsBySeverity.Medium += w.Severities.Medium
		out.FindingsBySeverity.Low += w.Severities.Low
		sum += w.Sum
		for i, d := range w.Dimensions {
			dimensions[i].Sum += d.Sum
			dimensions[i].Models += d.Models
		}
	}
	out.Mean = mean(sum, out.Scored)
	for i, d := range dimensions {
		if m := mean(d.Sum, d.Models); m != nil {
			out.Dimensions = append(out.Dimensions, api.DimensionSummary{Dimension: projections.Dimensions[i], Mean: *m, Models: d.Models})
		}
	}
	slices.SortFunc(out.Workspaces, lowestFirst)
	out.Workspaces = out.Workspaces[:min(len(out.Workspaces), maxSummarized)]
	return out
}

// mean returns the mean of so many scores, rounded to two decimals; nil of none.
func mean(sum, of int) *float64 {
	if of == 0 {
		return nil
	}
	return new(math.Round(float64(sum)/float64(of)*100) / 100)
}

// lowestFirst orders workspaces by their mean scores.
func lowestFirst(a, b api.WorkspaceSummary) int {
	rank := func(w api.WorkspaceSummary) float64 {
		if w.Mean == nil {
			return math.Inf(1)
		}
		return *w.Mean
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.WorkspaceName, b.WorkspaceName),
		slices.Compare(a.WorkspaceID[:], b.WorkspaceID[:]))
}
