package http

import (
	"context"

	"readiness/domain/optimization"
	"readiness/http/api"
)

// PreviewOptimization handles POST …/aiReadiness/{kind}/preview.
func (s *Server) PreviewOptimization(ctx context.Context, r api.PreviewOptimizationRequestObject) (*api.AcceptedJSONResponse, error) {
	return s.accepted(s.commands.Optimizations.StartPreview(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.Kind))
}

// ApplyOptimization handles POST …/aiReadiness/{kind}/apply.
func (s *Server) ApplyOptimization(ctx context.Context, r api.ApplyOptimizationRequestObject) (*api.AcceptedJSONResponse, error) {
	body := optimization.ApplyPreview{
		PreviewID: r.Body.PreviewID, Keys: given(r.Body.Keys), Approval: r.Body.Approval,
		Values: r.Body.Values, ValuesGiven: r.Body.Values != nil,
	}
	return s.accepted(s.commands.Optimizations.StartApply(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.Kind, body))
}

// ScorePreview handles POST …/aiReadiness/{kind}/score.
func (s *Server) ScorePreview(ctx context.Context, r api.ScorePreviewRequestObject) (*api.PartScore, error) {
	body := optimization.ApplyPreview{PreviewID: &r.Body.PreviewID, Keys: given(r.Body.Keys), Values: r.Body.Values,
		ValuesGiven: r.Body.Values != nil}
	score, err := s.commands.Optimizations.ScorePreview(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.Kind, body)
	return &score, err
}

// given returns a pointer to a list of the body, or nil when the body has none. An empty list differs from none.
func given(list []string) *[]string {
	if list == nil {
		return nil
	}
	return &list
}

// RevertOptimization handles POST …/aiReadiness/revert.
func (s *Server) RevertOptimization(ctx context.Context, r api.RevertOptimizationRequestObject) (*api.AcceptedJSONResponse, error) {
	return s.accepted(s.commands.Optimizations.StartRevert(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.Body.OperationID))
}

// Optimize handles POST …/aiReadiness/optimize.
func (s *Server) Optimize(ctx context.Context, r api.OptimizeRequestObject) (*api.AcceptedJSONResponse, error) {
	return s.accepted(s.commands.Optimizations.StartBundle(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, given(r.Body.Kinds),
		r.Body.Approval))
}

// ApplyOptimizations handles POST …/aiReadiness/optimize/apply.
func (s *Server) ApplyOptimizations(ctx context.Context, r api.ApplyOptimizationsRequestObject) (*api.AcceptedJSONResponse, error) {
	return s.accepted(s.commands.Optimizations.StartBundleApply(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.Body.PreviewID,
		given(r.Body.Kinds)))
}

// RevertOptimizations handles POST …/aiReadiness/optimize/revert.
func (s *Server) RevertOptimizations(ctx context.Context, r api.RevertOptimizationsRequestObject) (*api.AcceptedJSONResponse, error) {
	return s.accepted(s.commands.Optimizations.StartBundleRevert(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.Body.OperationID))
}
