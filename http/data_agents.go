package http

import (
	"context"

	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/http/api"
)

// AssessDataAgent answers POST …/dataAgents/{dataAgentId}/aiReadiness/assess.
func (s *Server) AssessDataAgent(ctx context.Context, r api.AssessDataAgentRequestObject) (api.AssessDataAgentResponseObject, error) {
	done, err := s.commands.StartAgentAssessment(ctx, of(ctx).who, r.WorkspaceID, r.DataAgentID)
	if err != nil {
		return nil, err
	}
	return api.AssessDataAgent202JSONResponse{AcceptedJSONResponse: s.accepted(done)}, nil
}

// ListDataAgentAssessments answers GET …/dataAgents/{dataAgentId}/aiReadiness/assessments.
func (s *Server) ListDataAgentAssessments(ctx context.Context, r api.ListDataAgentAssessmentsRequestObject) (api.ListDataAgentAssessmentsResponseObject, error) {
	list, err := s.assessmentsOf(ctx, r.WorkspaceID, item.DataAgent, r.DataAgentID, "dataAgents", r.Params.MaxResults, r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	return api.ListDataAgentAssessments200JSONResponse(list), nil
}

// GetDataAgentAssessment answers GET …/dataAgents/{dataAgentId}/aiReadiness/assessments/{assessmentId}.
func (s *Server) GetDataAgentAssessment(ctx context.Context, r api.GetDataAgentAssessmentRequestObject) (api.GetDataAgentAssessmentResponseObject, error) {
	a, err := s.assessmentOf(ctx, r.WorkspaceID, item.DataAgent, r.DataAgentID, r.AssessmentID)
	if err != nil {
		return nil, err
	}
	body, err := s.agentAssessment(ctx, a, false)
	if err != nil {
		return nil, err
	}
	return api.GetDataAgentAssessment200JSONResponse(body), nil
}

// agentAssessment is a stored assessment of a data agent, whole (decisions 6): that of a model, with the agent and its
// sources in place of the model.
func (s *Server) agentAssessment(ctx context.Context, a assessment.Assessment, result bool) (api.DataAgentAssessment, error) {
	whole, err := s.assessment(ctx, a, result)
	if err != nil {
		return api.DataAgentAssessment{}, err
	}
	out := api.DataAgentAssessment{
		AssessmentID: whole.AssessmentID, AssessedAtUtc: whole.AssessedAtUtc, WorkspaceID: whole.WorkspaceID, WorkspaceName: whole.WorkspaceName,
		DataAgentID: whole.SemanticModelID, DataAgentName: whole.SemanticModelName, Stage: api.DataAgentAssessmentStage(a.DataAgent.Stage),
		Score: whole.Score, ScoreDataAgent: whole.ScoreDataAgent, FindingsCount: whole.FindingsCount, Usage: whole.Usage, Regime: whole.Regime,
		Stored: whole.Stored, Document: whole.Document, SchemaVersion: whole.SchemaVersion,
		Sources: make([]api.DataAgentSource, len(a.DataAgent.Sources)),
	}
	for i, source := range a.DataAgent.Sources {
		out.Sources[i] = api.DataAgentSource{
			SourceID: source.ID, Name: source.Name, Type: source.Type, WorkspaceID: source.WorkspaceID.String(), Scored: source.Scored,
			Reason: text(string(source.Reason)), Message: text(source.Message),
		}
		if source.Usage != nil {
			out.Sources[i].Usage = new(s.usage(*source.Usage, false))
		}
	}
	return out, nil
}
