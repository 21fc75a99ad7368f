package http

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"readiness/domain/assessment"
	"readiness/domain/usage"
	"readiness/http/api"
	"readiness/http/paging"
	"readiness/internal/lists"
	"readiness/internal/optional"
	"readiness/projections"
)

const (
	portfolioPath = "/v1/aiReadiness/portfolio"
	// earlierAge is how old the score is that the newest one is compared with, in days.
	earlierAge = 30
	// maxBatch bounds the models that are read at once to fill a page with those that the caller sees.
	maxBatch = 1000
)

// GetPortfolio handles GET /v1/aiReadiness/portfolio.
func (s *Server) GetPortfolio(ctx context.Context, r api.GetPortfolioRequestObject) (*api.Portfolio, error) {
	q, filters, err := s.portfolioQuery(ctx, r.Params)
	if err != nil {
		return nil, err
	}
	p, err := paging.Open[projections.PortfolioCursor](s.lists, q.AccountID, portfolioPath, filters, r.Params.MaxResults,
		r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	q.After, q.Limit = p.After, p.Limit+1
	found, err := s.portfolio(ctx, q, r.Params.WorkspaceID)
	if err != nil {
		return nil, err
	}
	list := api.Portfolio{}
	found, list.ContinuationToken, list.ContinuationURI, err = paging.Of(p, found, projections.PortfolioModel.Cursor)
	list.Value = make([]api.PortfolioModel, len(found))
	for i, m := range found {
		list.Value[i] = portfolioModel(m)
		list.Value[i].Owner = s.member(ctx, m.Owner)
		list.Value[i].Outdated = m.Newest.RegimeID != q.Regime
	}
	if err == nil && q.After == nil && q.ScoreBelow == nil && q.NotAssessedSince == nil && !q.Outdated && r.Params.Owner == nil {
		list.Failures, err = s.failures(ctx, q, r.Params.WorkspaceID)
	}
	return new(list), err
}

// failures returns the models whose newest assessment failed that the caller sees on the platform.
func (s *Server) failures(ctx context.Context, q projections.PortfolioQuery, in *uuid.UUID) (all []api.FailedAssessment, err error) {
	who := callerOf(ctx)
	if q.Workspaces, err = s.seen(ctx, in); err != nil {
		return nil, err
	}
	found, err := s.views.Failures(ctx, who.Account, q.Workspaces, q.Text)
	if err != nil {
		return nil, err
	}
	of := lists.SetOf(found, func(f projections.Failure) uuid.UUID { return f.WorkspaceID })
	seen, err := s.visible.models(ctx, who, slices.Collect(maps.Keys(of)))
	for _, f := range found {
		if _, ok := seen[f.WorkspaceID][f.ModelID]; ok && err == nil {
			all = append(all, failedAssessment(f))
		}
	}
	return all, err
}

// seen returns the workspaces that the caller sees, or the one of them.
func (s *Server) seen(ctx context.Context, one *uuid.UUID) ([]uuid.UUID, error) {
	all, err := s.visible.inWorkspaces(ctx, callerOf(ctx))
	if one != nil {
		all = slices.DeleteFunc(all, func(id uuid.UUID) bool { return id != *one })
	}
	return all, err
}

// portfolioQuery returns the query of a call without its page, and its filters.
func (s *Server) portfolioQuery(ctx context.Context, params api.GetPortfolioParams) (q projections.PortfolioQuery, filters url.Values,
	err error) {
	who := callerOf(ctx)
	q = projections.PortfolioQuery{
		AccountID: who.Account, ScoreBelow: params.ScoreBelow, NotAssessedSince: params.NotAssessedSince, Sort: projections.PortfolioByScore,
		Regime: s.commands.RegimeID(who),
		// Pages of a list compare with the same scores all day.
		Earlier: s.now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -earlierAge),
	}
	q.From, q.To = usage.Window(s.now())
	filters = url.Values{}
	if params.Q != nil && *params.Q != "" {
		q.Text = *params.Q
		filters.Set("q", q.Text)
	}
	if params.WorkspaceID != nil {
		filters.Set("workspaceId", params.WorkspaceID.String())
	}
	if q.ScoreBelow != nil {
		filters.Set("scoreBelow", strconv.Itoa(*q.ScoreBelow))
	}
	if q.NotAssessedSince != nil {
		filters.Set("notAssessedSince", q.NotAssessedSince.Format(time.RFC3339Nano))
	}
	if params.Outdated != nil && *params.Outdated {
		q.Outdated = true
		filters.Set("outdated", "true")
	}
	if params.Sort != nil && *params.Sort != api.GetPortfolioParamsSortScore {
		q.Sort = projections.PortfolioSort(*params.Sort)
		filters.Set("sort", string(q.Sort))
	}
	if params.Owner != nil {
		filters.Set("owner", *params.Owner)
		switch *params.Owner {
		case "none":
			q.Unowned = true
		case "me":
			q.Owner = who.PersonID
		default:
			q.Owner, err = s.commands.ModelNotes.Member(ctx, who, *params.Owner)
		}
	}
	return q, filters, err
}

// portfolio returns the models of the query that the caller sees on the platform, at most its limit. Where the caller
// sees all that an account has assessed in the workspaces, one query finds them.
func (s *Server) portfolio(ctx context.Context, q projections.PortfolioQuery, in *uuid.UUID) (page []projections.PortfolioModel,
	err error) {
	who := callerOf(ctx)
	if q.Workspaces, err = s.seen(ctx, in); err != nil {
		return nil, err
	}
	for limit := q.Limit; len(q.Workspaces) > 0; q.Limit = min(2*q.Limit, maxBatch) {
		found, err := s.views.Portfolio(ctx, q)
		if err != nil {
			return nil, err
		}
		var of []uuid.UUID
		for _, m := range found {
			of = append(of, m.Newest.WorkspaceID)
		}
		slices.SortFunc(of, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
		seen, err := s.visible.models(ctx, who, slices.Compact(of))
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			if _, ok := seen[m.Newest.WorkspaceID][m.Newest.ModelID]; ok {
				page = append(page, m)
			}
		}
		if len(page) >= limit || len(found) < q.Limit {
			return page[:min(len(page), limit)], nil
		}
		q.After = new(found[len(found)-1].Cursor())
	}
	return page, nil
}

func portfolioModel(m projections.PortfolioModel) api.PortfolioModel {
	a := m.Newest
	out := api.PortfolioModel{
		WorkspaceID: a.WorkspaceID, WorkspaceName: a.WorkspaceName, SemanticModelID: a.ModelID, SemanticModelName: a.ModelName,
		AssessmentID: a.AssessmentID, AssessedAtUtc: a.AssessedAt.UTC(), Score: a.Score, ScoreDataAgent: a.ScoreDataAgent,
		ScoreComplete: a.ScoreComplete, Dimensions: dimensions(a), FindingsCount: a.FindingsCount, FindingsBySeverity: severities(a),
		RegimeID: a.RegimeID, Scores: m.Scores, Views: m.Views, ViewsWindowDays: usage.Days, TrackedReports: m.Reports,
	}
	if b := m.Before; b != nil && a.Score != nil && b.Score != nil {
		out.Earlier = &api.EarlierScore{
			AssessmentID: b.AssessmentID, AssessedAtUtc: b.AssessedAt.UTC(), Score: *b.Score, Change: *a.Score - *b.Score,
		}
	}
	out.Evidence = evidence(m.Evidence, a.DefinitionHash)
	if a.AIFormat != "" {
		out.AiFormat = new(api.PortfolioModelAiFormat(a.AIFormat))
	}
	out.LeavingQnA = leavingQnA(a.LeavingQnA)
	if m.Tracked != "" {
		out.TrackedItemStatus = new(api.PortfolioModelTrackedItemStatus(m.Tracked))
	}
	if m.Running != nil {
		out.Running = &api.RunningOperation{OperationID: m.Running.ID, OperationType: string(m.Running.Type)}
	}
	return out
}

func leavingQnA(l *assessment.LeavingQnA) *api.LeavingQnA {
	if l == nil {
		return nil
	}
	out := &api.LeavingQnA{
		Synonyms: l.Synonyms, SuggestedSynonyms: l.Suggested, GeneratedSynonyms: l.Generated, DeletedSynonyms: l.Deleted, Entities: l.Entities,
		HiddenObjects: l.Hidden, Relationships: l.Relationships, Phrasings: l.Phrasings, SuggestedQuestions: l.Questions,
		Instructions: l.Instructions, Invalid: optional.Of(l.Invalid), Losses: l.Losses, ReportsUnlisted: optional.Of(l.ReportsUnlisted),
	}
	if l.ReportsRead == nil {
		return out
	}
	out.ReportsRead, out.ReportsUnread, out.Reports = l.ReportsRead, &l.ReportsUnread, make([]api.QnAReport, 0, len(l.Reports))
	for _, r := range l.Reports {
		out.Reports = append(out.Reports, api.QnAReport{ReportID: r.ReportID, ReportName: r.ReportName, Visuals: r.Visuals, Bookmarks: r.Bookmarks,
			Pages: append([]string{}, r.Pages...)})
	}
	return out
}

func severities(a assessment.Assessment) *api.Severities {
	if a.Severities == nil {
		return nil
	}
	return &api.Severities{High: a.Severities.High, Medium: a.Severities.Medium, Low: a.Severities.Low}
}

func dimensions(a assessment.Assessment) *api.Dimensions {
	if a.Dimensions == nil {
		return nil
	}
	return new(api.Dimensions(a.Dimensions))
}
