package http

import (
	"context"

	"readiness/domain/optimization"
	"readiness/http/api"
)

// PreviewOptimization handles POST …/aiReadiness/{kind}/preview.
func (s *Server) PreviewOptimization(ctx context.Context, r api.PreviewOptimizationRequestObject) (api.PreviewOptimizationResponseObject,
	error) {
	done, err := s.commands.Optimizations.StartPreview(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.Kind)
	if err != nil {
		return nil, err
	}
	return api.PreviewOptimization202JSONResponse{AcceptedJSONResponse: s.accepted(done)}, nil
}

// ApplyOptimization handles POST …/aiReadiness/{kind}/apply.
func (s *Server) ApplyOptimization(ctx context.Context, r api.ApplyOptimizationRequestObject) (api.ApplyOptimizationResponseObject, error) {
	body := optimization.ApplyPreview{
		PreviewID: r.Body.PreviewID, Keys: given(r.Body.Keys), Approval: r.Body.Approval,
		Values: r.Body.Values, ValuesGiven: r.Body.Values != nil,
	}
	done, err := s.commands.Optimizations.StartApply(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.Kind, body)
	if err != nil {
		return nil, err
	}
	return api.ApplyOptimization202JSONResponse{AcceptedJSONResponse: s.accepted(done)}, nil
}

// ScorePreview handles POST …/aiReadiness/{kind}/score.
func (s *Server) ScorePreview(ctx context.Context, r api.ScorePreviewRequestObject) (api.ScorePreviewResponseObject, error) {
	body := optimization.ApplyPreview{PreviewID: &r.Body.PreviewID, Keys: given(r.Body.Keys), Values: r.Body.Values,
		ValuesGiven: r.Body.Values != nil}
	score, err := s.commands.Optimizations.ScorePreview(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.Kind, body)
	if err != nil {
		return nil, err
	}
	return api.ScorePreview200JSONResponse(score), nil
}

// given returns a pointer to a list of the body, or nil when the body has none. An empty list differs from none.
func given(list []string) *[]string {
	if list == nil {
		return nil
	}
	return &list
}

// RevertOptimization handles POST …/aiReadiness/revert.
func (s *Server) RevertOptimization(ctx context.Context, r api.RevertOptimizationRequestObject) (api.RevertOptimizationResponseObject,
	error) {
	done, err := s.commands.Optimizations.StartRevert(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.Body.OperationID)
	if err != nil {
		return nil, err
	}
	return api.RevertOptimization202JSONResponse{AcceptedJSONResponse: s.accepted(done)}, nil
}

// Optimize handles POST …/aiReadiness/optimize.
func (s *Server) Optimize(ctx context.Context, r api.OptimizeRequestObject) (api.OptimizeResponseObject, error) {
	done, err := s.commands.Optimizations.StartBundle(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, given(r.Body.Kinds),
		r.Body.Approval)
	if err != nil {
		return nil, err
	}
	return api.Optimize202JSONResponse{AcceptedJSONResponse: s.accepted(done)}, nil
}

// ApplyOptimizations handles POST …/aiReadiness/optimize/apply.
func (s *Server) ApplyOptimizations(ctx context.Context, r api.ApplyOptimizationsRequestObject) (api.ApplyOptimizationsResponseObject,
	error) {
	done, err := s.commands.Optimizations.StartBundleApply(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.Body.PreviewID,
		given(r.Body.Kinds))
	if err != nil {
		return nil, err
	}
	return api.ApplyOptimizations202JSONResponse{AcceptedJSONResponse: s.accepted(done)}, nil
}

// RevertOptimizations handles POST …/aiReadiness/optimize/revert.
func (s *Server) RevertOptimizations(ctx context.Context, r api.RevertOptimizationsRequestObject) (api.RevertOptimizationsResponseObject,
	error) {
	done, err := s.commands.Optimizations.StartBundleRevert(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID, r.Body.OperationID)
	if err != nil {
		return nil, err
	}
	return api.RevertOptimizations202JSONResponse{AcceptedJSONResponse: s.accepted(done)}, nil
}
