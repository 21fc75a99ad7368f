package http

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/http/api"
	"readiness/projections"
)

// AssessSemanticModel answers POST …/semanticModels/{semanticModelId}/aiReadiness/assess.
func (s *Server) AssessSemanticModel(ctx context.Context, r api.AssessSemanticModelRequestObject) (api.AssessSemanticModelResponseObject, error) {
	done, err := s.commands.StartAssessment(ctx, of(ctx).who, r.WorkspaceID, r.SemanticModelID)
	if err != nil {
		return nil, err
	}
	return api.AssessSemanticModel202JSONResponse{AcceptedJSONResponse: s.accepted(done)}, nil
}

// AssessSemanticModels answers POST /v1/workspaces/{workspaceId}/aiReadiness/assess.
func (s *Server) AssessSemanticModels(ctx context.Context, r api.AssessSemanticModelsRequestObject) (api.AssessSemanticModelsResponseObject, error) {
	done, err := s.commands.StartBulkAssessment(ctx, of(ctx).who, r.WorkspaceID, r.Body.SemanticModelIds)
	if err != nil {
		return nil, err
	}
	return api.AssessSemanticModels202JSONResponse{AcceptedJSONResponse: s.accepted(done)}, nil
}

// ListAssessments answers GET …/aiReadiness/assessments.
func (s *Server) ListAssessments(ctx context.Context, r api.ListAssessmentsRequestObject) (api.ListAssessmentsResponseObject, error) {
	who := of(ctx).who
	path := "/v1/workspaces/" + r.WorkspaceID.String() + "/semanticModels/" + r.SemanticModelID.String() + "/aiReadiness/assessments"
	p, err := openPage[projections.AssessmentCursor](s, who.Account, path, nil, r.Params.MaxResults, r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	if _, err := s.commands.Item(ctx, who, r.WorkspaceID, item.SemanticModel, r.SemanticModelID); err != nil {
		return nil, err
	}
	found, err := s.views.Assessments(ctx, projections.AssessmentsQuery{
		AccountID: who.Account, WorkspaceID: r.WorkspaceID, ModelID: r.SemanticModelID, Before: p.After, Limit: p.Limit + 1,
	})
	if err != nil {
		return nil, err
	}
	found, token, uri, err := cut(p, found, func(a assessment.Assessment) projections.AssessmentCursor {
		return projections.AssessmentCursor{AssessedAt: a.AssessedAt, ID: a.AssessmentID}
	})
	if err != nil {
		return nil, err
	}
	list := api.AssessmentSummaryList{Value: make([]api.AssessmentSummary, len(found)), ContinuationToken: token, ContinuationURI: uri}
	for i, a := range found {
		list.Value[i] = api.AssessmentSummary{
			AssessmentID: a.AssessmentID.String(), AssessedAtUtc: new(a.AssessedAt.UTC()),
			Score: a.Score, ScoreDataAgent: a.ScoreDataAgent, FindingsCount: new(a.FindingsCount),
			RegimeID: a.RegimeID, UsageInScoring: new(a.UsageInScoring), ComparableWithPrevious: new(a.ComparableWithPrevious),
		}
	}
	return api.ListAssessments200JSONResponse(list), nil
}

// GetAssessment answers GET …/aiReadiness/assessments/{assessmentId}. The id is a string: one that no assessment could
// have is not found (decisions 8.12).
func (s *Server) GetAssessment(ctx context.Context, r api.GetAssessmentRequestObject) (api.GetAssessmentResponseObject, error) {
	who := of(ctx).who
	if _, err := s.commands.Item(ctx, who, r.WorkspaceID, item.SemanticModel, r.SemanticModelID); err != nil {
		return nil, err
	}
	var a assessment.Assessment
	found := false
	if id, err := parseID(r.AssessmentID); err == nil {
		if a, found, err = s.views.Assessment(ctx, who.Account, r.WorkspaceID, r.SemanticModelID, id); err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, notAssessed(r.SemanticModelID, r.AssessmentID)
	}
	body, err := s.assessment(ctx, a, false)
	if err != nil {
		return nil, err
	}
	return api.GetAssessment200JSONResponse(body), nil
}

// DeleteAssessments answers DELETE …/aiReadiness/assessments (decisions 7, 8.17).
func (s *Server) DeleteAssessments(ctx context.Context, r api.DeleteAssessmentsRequestObject) (api.DeleteAssessmentsResponseObject, error) {
	deleted, err := s.commands.DeleteResults(ctx, of(ctx).who, r.WorkspaceID, r.SemanticModelID)
	if err != nil {
		return nil, err
	}
	return api.DeleteAssessments200JSONResponse{SemanticModelID: r.SemanticModelID, DeletedAssessments: deleted}, nil
}

func notAssessed(modelID uuid.UUID, assessmentID string) error {
	return domain.Refuse(domain.AssessmentNotFound, "semantic model %s has no assessment %s in this account", modelID, shown(assessmentID)).
		About("assessmentId", shown(assessmentID))
}

// assessment is a stored assessment, whole (spec 2.9). The result of an operation also says how the person stood to the
// usage permission.
func (s *Server) assessment(ctx context.Context, a assessment.Assessment, result bool) (api.Assessment, error) {
	document, err := s.views.Document(ctx, a.DocumentHash)
	if err != nil {
		return api.Assessment{}, err
	}
	return api.Assessment{
		AssessmentID: new(a.AssessmentID.String()), AssessedAtUtc: new(a.AssessedAt.UTC()),
		WorkspaceID: new(a.WorkspaceID.String()), WorkspaceName: &a.WorkspaceName,
		SemanticModelID: new(a.ModelID.String()), SemanticModelName: &a.ModelName,
		Score: a.Score, ScoreDataAgent: a.ScoreDataAgent, FindingsCount: &a.FindingsCount,
		Usage:    s.usage(a.Usage, result),
		Regime:   api.AssessmentRegime{ID: a.RegimeID, UsageInScoring: &a.UsageInScoring, ComparableWithPrevious: &a.ComparableWithPrevious},
		Stored:   api.AssessmentStored{Location: api.AssessmentStoredLocationService},
		Document: document, SchemaVersion: a.SchemaVersion,
	}, nil
}

func (s *Server) usage(u assessment.Usage, result bool) api.AssessmentUsage {
	out := api.AssessmentUsage{Applied: u.Applied, State: text(string(u.State)), Reason: text(u.Reason), WindowDays: u.WindowDays, TrackedReportCount: u.TrackedReportCount}
	if !result || u.Access == "" {
		return out
	}
	out.Access = new(api.AssessmentUsageAccess(u.Access))
	switch u.Access {
	case item.Granted:
	case item.ConsentRequired:
		out.Permission, out.ConsentURL = new(usagePermission), new(s.consentURL(usagePermission))
		out.Message = new("Usage was not read because you have not granted " + usagePermission + ". The score weighs every object alike, so it does not say which findings touch what people look at most. Grant the permission on the page of consentUrl and assess again.")
	case item.Unavailable:
		out.Permission = new(usagePermission)
		out.Message = new("Usage was not read because " + usagePermission + " could not be used just now: the platform did not answer, or your organization's sign-in policy did not allow it. The score weighs every object alike. Assess again later.")
	}
	return out
}

// text is a string that is left out when it is empty.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
