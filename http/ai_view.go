package http

import (
	"context"

	"readiness/http/api"
	"readiness/internal/optional"
)

// GetAIView handles GET …/semanticModels/{semanticModelId}/aiReadiness/view.
func (s *Server) GetAIView(ctx context.Context, r api.GetAIViewRequestObject) (*api.AIView, error) {
	it, seen, err := s.commands.Assessments.View(ctx, callerOf(ctx), r.WorkspaceID, r.SemanticModelID)
	if err != nil {
		return nil, err
	}
	objects := seen.Objects()
	out := api.AIView{SemanticModelID: it.ID, SemanticModelName: it.DisplayName, Instructions: optional.Of(seen.Instructions),
		Objects: make([]api.AIViewObject, len(objects))}
	for i, o := range objects {
		out.Objects[i] = api.AIViewObject{Type: o.Type, Table: optional.Of(o.Table), Name: optional.Of(o.Name),
			Description: optional.Of(o.Description), Synonyms: o.Terms}
	}
	return &out, nil
}
