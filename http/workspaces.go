package http

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/http/api"
	"readiness/http/paging"
	"readiness/internal/optional"
)

// byName is the sort key of lists ordered by name.
type byName struct {
	Name string    `json:"n"`
	ID   uuid.UUID `json:"i"`
}

func (a byName) compare(b byName) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), slices.Compare(a.ID[:], b.ID[:]))
}

// named returns the page of a complete list ordered by name.
func named[T any](p paging.Page[byName], all []T, key func(T) byName) (value []T, token, uri *string, err error) {
	if p.After != nil {
		at := slices.IndexFunc(all, func(v T) bool { return key(v).compare(*p.After) > 0 })
		if at < 0 {
			at = len(all)
		}
		all = all[at:]
	}
	return paging.Of(p, all, key)
}

// ListWorkspaces handles GET /v1/workspaces.
func (s *Server) ListWorkspaces(ctx context.Context, r api.ListWorkspacesRequestObject) (*api.WorkspaceList, error) {
	who := callerOf(ctx)
	p, err := paging.Open[byName](s.lists, who.Account, "/v1/workspaces", nil, r.Params.MaxResults, r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	all, err := s.commands.Workspaces.List(ctx, who)
	if err != nil {
		return nil, err
	}
	found, token, uri, err := named(p, all, func(w item.Workspace) byName { return byName{w.DisplayName, w.ID} })
	if err != nil {
		return nil, err
	}
	list := api.WorkspaceList{Value: make([]api.Workspace, len(found)), ContinuationToken: token, ContinuationURI: uri}
	for i, w := range found {
		list.Value[i] = api.Workspace{WorkspaceID: w.ID, WorkspaceName: w.DisplayName}
	}
	return &list, nil
}

// ListSemanticModels handles GET /v1/workspaces/{workspaceId}/semanticModels.
func (s *Server) ListSemanticModels(ctx context.Context, r api.ListSemanticModelsRequestObject) (*api.SemanticModelList, error) {
	found, token, uri, err := s.items(ctx, r.WorkspaceID, item.SemanticModel, "semanticModels", r.Params.MaxResults,
		r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	list := api.SemanticModelList{Value: make([]api.SemanticModel, len(found)), ContinuationToken: token, ContinuationURI: uri}
	for i, it := range found {
		list.Value[i] = api.SemanticModel{
			SemanticModelID: it.ID, SemanticModelName: it.DisplayName, WorkspaceID: it.WorkspaceID,
			Description: optional.Of(it.Description), MaintainedByService: it.Maintained,
		}
	}
	return &list, nil
}

// ListDataAgents handles GET /v1/workspaces/{workspaceId}/dataAgents.
func (s *Server) ListDataAgents(ctx context.Context, r api.ListDataAgentsRequestObject) (*api.DataAgentList, error) {
	found, token, uri, err := s.items(ctx, r.WorkspaceID, item.DataAgent, "dataAgents", r.Params.MaxResults, r.Params.ContinuationToken)
	if err != nil {
		return nil, err
	}
	list := api.DataAgentList{Value: make([]api.DataAgent, len(found)), ContinuationToken: token, ContinuationURI: uri}
	for i, it := range found {
		list.Value[i] = api.DataAgent{DataAgentID: it.ID, DataAgentName: it.DisplayName, WorkspaceID: it.WorkspaceID,
			Description: optional.Of(it.Description)}
	}
	return &list, nil
}

// items returns a page of the items of a type in a workspace.
func (s *Server) items(ctx context.Context, workspaceID uuid.UUID, t item.Type, segment string, maxResults *int,
	continuation *string) (found []item.Item, token, uri *string, err error) {
	who := callerOf(ctx)
	p, err := paging.Open[byName](s.lists, who.Account, "/v1/workspaces/"+workspaceID.String()+"/"+segment, nil, maxResults, continuation)
	if err != nil {
		return nil, nil, nil, err
	}
	all, err := s.commands.Workspaces.Items(ctx, who, workspaceID, t)
	if err != nil {
		return nil, nil, nil, err
	}
	return named(p, all, func(it item.Item) byName { return byName{it.DisplayName, it.ID} })
}
