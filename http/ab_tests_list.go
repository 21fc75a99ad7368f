package http

import (
	"context"
	"net/url"

	"readiness/http/api"
	"readiness/http/paging"
	"readiness/internal/lists"
	"readiness/projections"
)

const abTestsPath = "/v1/aiReadiness/abTests"

// ListAbTests handles GET /v1/aiReadiness/abTests.
func (s *Server) ListAbTests(ctx context.Context, r api.ListAbTestsRequestObject) (*api.AbTestList, error) {
	q := projections.AbTestsQuery{AccountID: callerOf(ctx).Account, Sort: projections.AbTestsLatest, WorkspaceID: r.Params.WorkspaceID}
	filters := url.Values{}
	if r.Params.Q != nil && *r.Params.Q != "" {
		q.Text = *r.Params.Q
		filters.Set("q", q.Text)
	}
	if q.WorkspaceID != nil {
		filters.Set("workspaceId", q.WorkspaceID.String())
	}
	if r.Params.Sort != nil && *r.Params.Sort != api.ListAbTestsParamsSortLatest {
		q.Sort = projections.AbTestSort(*r.Params.Sort)
		filters.Set("sort", string(q.Sort))
	}
	p, err := paging.Open[projections.AbTestCursor](s.lists, q.AccountID, abTestsPath, filters, r.Params.MaxResults,
		r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	q.After, q.Limit = p.After, p.Limit+1
	found, err := s.views.AbTests(ctx, q)
	if err != nil {
		return nil, err
	}
	found, token, uri, err := paging.Of(p, found, projections.AbTest.Cursor)
	if err != nil {
		return nil, err
	}
	return &api.AbTestList{Value: abTests(found), ContinuationToken: token, ContinuationURI: uri}, nil
}

// ListAbTestsOfSemanticModel handles GET …/semanticModels/{semanticModelId}/abTests.
func (s *Server) ListAbTestsOfSemanticModel(ctx context.Context,
	r api.ListAbTestsOfSemanticModelRequestObject) (*api.AbTestsOfItem, error) {
	found, err := s.views.AbTests(ctx, projections.AbTestsQuery{
		AccountID: callerOf(ctx).Account, Model: &projections.InWorkspace{WorkspaceID: r.WorkspaceID, ID: r.SemanticModelID},
	})
	if err != nil {
		return nil, err
	}
	return &api.AbTestsOfItem{Value: abTests(found)}, nil
}

// ListAbTestsOfDataAgent handles GET …/dataAgents/{dataAgentId}/abTests.
func (s *Server) ListAbTestsOfDataAgent(ctx context.Context, r api.ListAbTestsOfDataAgentRequestObject) (*api.AbTestsOfItem, error) {
	found, err := s.views.AbTests(ctx, projections.AbTestsQuery{
		AccountID: callerOf(ctx).Account, Agent: &projections.InWorkspace{WorkspaceID: r.WorkspaceID, ID: r.DataAgentID},
	})
	if err != nil {
		return nil, err
	}
	return &api.AbTestsOfItem{Value: abTests(found)}, nil
}

func abTests(found []projections.AbTest) []api.AbTest {
	return lists.Map(found, abTest)
}
