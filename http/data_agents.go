package http

import (
	"context"

	"readiness/domain/item"
	"readiness/http/api"
	"readiness/internal/optional"
	"readiness/projections"
)

// AssessDataAgent handles POST …/dataAgents/{dataAgentId}/aiReadiness/assess.
func (s *Server) AssessDataAgent(ctx context.Context, r api.AssessDataAgentRequestObject) (*api.AcceptedJSONResponse, error) {
	return s.accepted(s.commands.Assessments.StartAgent(ctx, callerOf(ctx), r.WorkspaceID, r.DataAgentID))
}

// ListDataAgentAssessments handles GET …/dataAgents/{dataAgentId}/aiReadiness/assessments.
func (s *Server) ListDataAgentAssessments(ctx context.Context,
	r api.ListDataAgentAssessmentsRequestObject) (*api.AssessmentSummaryList, error) {
	list, err := s.assessmentsOf(ctx, r.WorkspaceID, item.DataAgent, r.DataAgentID, "dataAgents", nil, r.Params.MaxResults,
		r.Params.ContinuationToken)
	return &list, err
}

// GetDataAgentAssessment handles GET …/dataAgents/{dataAgentId}/aiReadiness/assessments/{assessmentId}.
func (s *Server) GetDataAgentAssessment(ctx context.Context, r api.GetDataAgentAssessmentRequestObject) (*api.DataAgentAssessment, error) {
	a, err := s.assessmentOf(ctx, r.WorkspaceID, item.DataAgent, r.DataAgentID, r.AssessmentID)
	if err != nil {
		return nil, err
	}
	body, err := s.agentAssessment(ctx, a, false)
	return &body, err
}

// agentAssessment converts a stored assessment of a data agent, with its document, to its API form. It is that of a model, with the
// agent and its sources instead of the model.
func (s *Server) agentAssessment(ctx context.Context, a projections.Assessment, result bool) (api.DataAgentAssessment, error) {
	stored, err := s.assessment(ctx, a, result)
	if err != nil {
		return api.DataAgentAssessment{}, err
	}
	out := api.DataAgentAssessment{
		AssessmentID: stored.AssessmentID, AssessedAtUtc: stored.AssessedAtUtc, WorkspaceID: stored.WorkspaceID,
		WorkspaceName: stored.WorkspaceName,
		DataAgentID:   stored.SemanticModelID, DataAgentName: stored.SemanticModelName,
		Stage: api.DataAgentAssessmentStage(a.DataAgent.Stage),
		Score: stored.Score, ScoreDataAgent: stored.ScoreDataAgent, FindingsCount: stored.FindingsCount, Usage: stored.Usage,
		Regime: stored.Regime, ScoreComplete: stored.ScoreComplete, NotAssessable: stored.NotAssessable,
		Stored: stored.Stored, Document: stored.Document, SchemaVersion: stored.SchemaVersion,
		Sources: make([]api.DataAgentSource, len(a.DataAgent.Sources)),
	}
	for i, source := range a.DataAgent.Sources {
		out.Sources[i] = api.DataAgentSource{
			SourceID: source.ID, Name: source.Name, Type: source.Type, WorkspaceID: source.WorkspaceID.String(), Scored: source.Scored,
			Reason: optional.Of(string(source.Reason)), Message: optional.Of(source.Message),
		}
		if source.Usage != nil {
			out.Sources[i].Usage = new(s.usage(*source.Usage, false))
		}
	}
	return out, nil
}
