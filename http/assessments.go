package http

import (
	"context"
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/http/api"
	"readiness/http/paging"
	"readiness/http/validate"
	"readiness/internal/optional"
	"readiness/projections"
)

// AssessSemanticModel handles POST …/semanticModels/{semanticModelId}/aiReadiness/assess.
func (s *Server) AssessSemanticModel(ctx context.Context, r api.AssessSemanticModelRequestObject) (*api.AcceptedJSONResponse, error) {
	return s.accepted(s.commands.Assessments.Start(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID))
}

// AssessSemanticModels handles POST /v1/workspaces/{workspaceId}/aiReadiness/assess.
func (s *Server) AssessSemanticModels(ctx context.Context, r api.AssessSemanticModelsRequestObject) (*api.AcceptedJSONResponse, error) {
	return s.accepted(s.commands.Assessments.StartBulk(ctx, callerOf(ctx), r.WorkspaceID, r.Body.SemanticModelIds))
}

// ListAssessments handles GET …/semanticModels/{semanticModelId}/aiReadiness/assessments.
func (s *Server) ListAssessments(ctx context.Context, r api.ListAssessmentsRequestObject) (*api.AssessmentSummaryList, error) {
	list, err := s.assessmentsOf(ctx, r.WorkspaceID, item.SemanticModel, r.SemanticModelID, "semanticModels", r.Params.Pinned,
		r.Params.MaxResults, r.Params.ContinuationToken)
	return &list, err
}

// assessmentsOf returns a page of the assessments of a model or an agent, newest first: all, or only those that are
// pinned or not.
func (s *Server) assessmentsOf(ctx context.Context, workspaceID uuid.UUID, t item.Type, id uuid.UUID, segment string, pinned *bool,
	maxResults *int, continuation *string) (list api.AssessmentSummaryList, err error) {
	who := callerOf(ctx)
	path := "/v1/workspaces/" + workspaceID.String() + "/" + segment + "/" + id.String() + "/aiReadiness/assessments"
	filters := url.Values{}
	if pinned != nil {
		filters.Set("pinned", strconv.FormatBool(*pinned))
	}
	p, err := paging.Open[projections.AssessmentCursor](s.lists, who.Account, path, filters, maxResults, continuation)
	if err != nil {
		return list, err
	}
	if _, err := s.commands.Workspaces.Item(ctx, who, workspaceID, t, id); err != nil {
		return list, err
	}
	found, err := s.views.Assessments(ctx, projections.AssessmentsQuery{
		AccountID: who.Account, WorkspaceID: workspaceID, ModelID: id, Pinned: pinned, Before: p.After, Limit: p.Limit + 1,
	})
	if err != nil {
		return list, err
	}
	cursor := func(a projections.Assessment) projections.AssessmentCursor {
		return projections.AssessmentCursor{AssessedAt: a.AssessedAt, ID: a.AssessmentID}
	}
	found, list.ContinuationToken, list.ContinuationURI, err = paging.Of(p, found, cursor)
	list.Value = make([]api.AssessmentSummary, len(found))
	for i, a := range found {
		list.Value[i] = api.AssessmentSummary{
			AssessmentID: a.AssessmentID.String(), AssessedAtUtc: new(a.AssessedAt.UTC()), Pinned: a.Pinned,
			Score: a.Score, ScoreDataAgent: a.ScoreDataAgent, FindingsCount: new(a.FindingsCount),
			RegimeID: a.RegimeID, UsageInScoring: new(a.UsageInScoring), ComparableWithPrevious: new(a.ComparableWithPrevious),
			ScoreComplete: a.ScoreComplete,
		}
	}
	return list, err
}

// GetAssessment handles GET …/semanticModels/{semanticModelId}/aiReadiness/assessments/{assessmentId}.
func (s *Server) GetAssessment(ctx context.Context, r api.GetAssessmentRequestObject) (*api.Assessment, error) {
	a, err := s.assessmentOf(ctx, r.WorkspaceID, item.SemanticModel, r.SemanticModelID, r.AssessmentID)
	if err != nil {
		return nil, err
	}
	body, err := s.assessment(ctx, a, false)
	return &body, err
}

// evidence converts what was measured to its API form, beside the assessment of a definition.
func evidence(e *projections.Evidence, definitionHash string) *api.Evidence {
	if e == nil || e.Outcome.Score == nil || e.Outcome.Accuracy == nil {
		return nil
	}
	return &api.Evidence{RunID: e.RunID, FinishedAtUtc: e.EndedAt.UTC(), Answerer: e.Outcome.Answerer, Score: *e.Outcome.Score,
		Low: e.Outcome.Accuracy.Low.Percent(), High: e.Outcome.Accuracy.High.Percent(), Questions: e.Outcome.Scored,
		Outdated: e.Outcome.DefinitionHash != definitionHash}
}

// assessmentOf returns a stored assessment of a model or an agent. A malformed id is refused as not found
// (docs/decisions.md 8.12).
func (s *Server) assessmentOf(ctx context.Context, workspaceID uuid.UUID, t item.Type, itemID uuid.UUID,
	assessmentID string) (a projections.Assessment, err error) {
	who := callerOf(ctx)
	if _, err := s.commands.Workspaces.Item(ctx, who, workspaceID, t, itemID); err != nil {
		return a, err
	}
	found := false
	if id, ok := domain.ParseID(assessmentID); ok {
		if a, found, err = s.views.Assessment(ctx, who.Account, workspaceID, itemID, id); err != nil {
			return a, err
		}
	}
	if !found {
		return a, assessment.NotFound(t, itemID, validate.Truncated(assessmentID))
	}
	return a, nil
}

// PinAssessment handles POST …/semanticModels/{semanticModelId}/aiReadiness/assessments/{assessmentId}/pin.
func (s *Server) PinAssessment(ctx context.Context, r api.PinAssessmentRequestObject) (*api.AssessmentPin, error) {
	id, err := s.commands.Assessments.Pin(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, validate.Truncated(r.AssessmentID), true)
	if err != nil {
		return nil, err
	}
	return &api.AssessmentPin{AssessmentID: id.String(), Pinned: true}, nil
}

// UnpinAssessment handles DELETE …/semanticModels/{semanticModelId}/aiReadiness/assessments/{assessmentId}/pin.
func (s *Server) UnpinAssessment(ctx context.Context, r api.UnpinAssessmentRequestObject) (*api.AssessmentPin, error) {
	id, err := s.commands.Assessments.Pin(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, validate.Truncated(r.AssessmentID), false)
	if err != nil {
		return nil, err
	}
	return &api.AssessmentPin{AssessmentID: id.String(), Pinned: false}, nil
}

// DeleteAssessments handles DELETE …/aiReadiness/assessments.
func (s *Server) DeleteAssessments(ctx context.Context, r api.DeleteAssessmentsRequestObject) (*api.DeletedAssessments, error) {
	deleted, err := s.commands.Assessments.DeleteResults(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID)
	if err != nil {
		return nil, err
	}
	return &api.DeletedAssessments{SemanticModelID: r.SemanticModelID, DeletedAssessments: deleted}, nil
}

// assessment converts a stored assessment, with its document, to its API form. With result, it also reports the state
// of the person's usage permission, as the result of an operation does.
func (s *Server) assessment(ctx context.Context, a projections.Assessment, result bool) (api.Assessment, error) {
	document, err := s.views.Document(ctx, a.DocumentHash)
	if err != nil {
		return api.Assessment{}, err
	}
	return api.Assessment{
		AssessmentID: new(a.AssessmentID.String()), AssessedAtUtc: new(a.AssessedAt.UTC()), Pinned: a.Pinned,
		WorkspaceID: new(a.WorkspaceID.String()), WorkspaceName: &a.WorkspaceName,
		SemanticModelID: new(a.ModelID.String()), SemanticModelName: &a.ModelName,
		Score: a.Score, ScoreDataAgent: a.ScoreDataAgent, FindingsCount: &a.FindingsCount,
		ScoreComplete: a.ScoreComplete, NotAssessable: notAssessable(a.NotAssessable),
		Usage: s.usage(a.Usage, result),
		Regime: api.AssessmentRegime{ID: a.RegimeID, UsageInScoring: &a.UsageInScoring,
			ComparableWithPrevious: &a.ComparableWithPrevious, Outdated: a.RegimeID != s.commands.RegimeID(callerOf(ctx))},
		Stored:   api.AssessmentStored{Location: api.AssessmentStoredLocationService},
		Document: document, SchemaVersion: a.SchemaVersion, Evidence: evidence(a.Evidence, a.DefinitionHash),
	}, nil
}

// notAssessable converts the rules that could not judge to their API form.
func notAssessable(all []assessment.NotAssessable) (out []api.NotAssessable) {
	for _, n := range all {
		out = append(out, api.NotAssessable{SourceModelID: optional.Of(n.SourceModelID), RuleIds: n.RuleIDs, Why: n.Why})
	}
	return out
}

func (s *Server) usage(u assessment.Usage, result bool) api.AssessmentUsage {
	out := api.AssessmentUsage{Applied: u.Applied, State: optional.Of(string(u.State)), Reason: optional.Of(u.Reason),
		WindowDays: u.WindowDays, TrackedReportCount: u.TrackedReportCount}
	if !result || u.Access == "" {
		return out
	}
	out.Access = new(api.AssessmentUsageAccess(u.Access))
	permission := account.VendorName(item.PermissionUsage)
	switch u.Access {
	case item.Granted:
	case item.ConsentRequired:
		out.Permission, out.ConsentURL = new(permission), new(s.consentURL(permission))
		out.Message = new("Usage was not read because you have not granted " + permission +
			". The score weighs every object alike, so it does not say which findings touch what people look at most. Grant the " +
			"permission on the page of consentUrl and assess again.")
	case item.Unavailable:
		out.Permission = new(permission)
		out.Message = new("Usage was not read because " + permission +
			" could not be used just now: the platform did not answer, or your organization's sign-in policy did not allow it. The score " +
			"weighs every object alike. Assess again later.")
	}
	return out
}
