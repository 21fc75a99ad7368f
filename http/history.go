package http

import (
	"context"
	"net/url"

	"readiness/domain/item"
	"readiness/http/api"
	"readiness/http/paging"
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
	return new(list), err
}

func historyPoint(a projections.Assessed) api.HistoryPoint {
	out := api.HistoryPoint{
		AssessmentID: a.AssessmentID, AssessedAtUtc: a.AssessedAt.UTC(), Score: a.Score, ScoreDataAgent: a.ScoreDataAgent,
		ScoreComplete: a.ScoreComplete, Dimensions: dimensions(a.Assessment), FindingsCount: a.FindingsCount,
		FindingsBySeverity: severities(a.Assessment), RegimeID: a.RegimeID, UsageInScoring: a.UsageInScoring,
		ComparableWithPrevious: a.ComparableWithPrevious, Writes: make([]api.HistoryWrite, len(a.Writes)),
	}
	for i, w := range a.Writes {
		out.Writes[i] = api.HistoryWrite{
			OperationID: w.OperationID, OperationType: api.HistoryWriteOperationType(w.Type), EndedAtUtc: w.EndedAt.UTC(),
		}
	}
	return out
}
