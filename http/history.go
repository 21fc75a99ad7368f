package http

import (
	"context"
	"net/url"

	"readiness/domain/item"
	"readiness/http/api"
	"readiness/http/paging"
	"readiness/internal/lists"
	"readiness/projections"
)

// GetHistory handles GET …/semanticModels/{semanticModelId}/aiReadiness/history.
func (s *Server) GetHistory(ctx context.Context, r api.GetHistoryRequestObject) (*api.History, error) {
	who := callerOf(ctx)
	path := "/v1/workspaces/" + r.WorkspaceID.String() + "/semanticModels/" + r.SemanticModelID.String() + "/aiReadiness/history"
	p, err := paging.Open[projections.AssessmentCursor](s.lists, who.Account, path, url.Values{}, r.Params.MaxResults,
		r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	if _, err := s.commands.Workspaces.Item(ctx, who, r.WorkspaceID, item.SemanticModel, r.SemanticModelID); err != nil {
		return nil, err
	}
	found, err := s.views.History(ctx, projections.AssessmentsQuery{
		AccountID: who.Account, WorkspaceID: r.WorkspaceID, ModelID: r.SemanticModelID, Before: p.After, Limit: p.Limit + 1,
	})
	if err != nil {
		return nil, err
	}
	list := api.History{}
	cursor := func(a projections.Assessed) projections.AssessmentCursor {
		return projections.AssessmentCursor{AssessedAt: a.AssessedAt, ID: a.AssessmentID}
	}
	found, list.ContinuationToken, list.ContinuationURI, err = paging.Of(p, found, cursor)
	list.Value = make([]api.HistoryPoint, len(found))
	for i, a := range found {
		list.Value[i] = historyPoint(a)
	}
	if err != nil || p.After != nil {
		return new(list), err
	}
	since, err := s.views.Latest(ctx, who.Account, r.WorkspaceID, r.SemanticModelID)
	if err != nil {
		return nil, err
	}
	if since.Failure != nil {
		list.Failure = new(failedAssessment(*since.Failure))
	}
	list.Writes = historyWrites(since.Writes)
	return new(list), nil
}

func historyPoint(a projections.Assessed) api.HistoryPoint {
	return api.HistoryPoint{
		AssessmentID: a.AssessmentID, AssessedAtUtc: a.AssessedAt.UTC(), Score: a.Score, ScoreDataAgent: a.ScoreDataAgent,
		ScoreComplete: a.ScoreComplete, Dimensions: dimensions(a.Assessment), FindingsCount: a.FindingsCount,
		FindingsBySeverity: severities(a.Assessment), RegimeID: a.RegimeID, UsageInScoring: a.UsageInScoring,
		ComparableWithPrevious: a.ComparableWithPrevious, Writes: historyWrites(a.Writes),
	}
}

func historyWrites(writes []projections.Write) []api.HistoryWrite {
	return lists.Map(writes, func(w projections.Write) api.HistoryWrite {
		return api.HistoryWrite{
			OperationID: w.OperationID, OperationType: api.HistoryWriteOperationType(w.Type), EndedAtUtc: w.EndedAt.UTC(),
		}
	})
}

func failedAssessment(f projections.Failure) api.FailedAssessment {
	return api.FailedAssessment{WorkspaceID: f.WorkspaceID, WorkspaceName: f.WorkspaceName, SemanticModelID: f.ModelID,
		SemanticModelName: f.ModelName, OperationID: f.OperationID, FailedAtUtc: f.FailedAt,
		Error: f.Failure}
}
