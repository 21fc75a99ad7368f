package portfolio

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/console/page"
)

// nothingChosen is the problem of a form without a model.
var nothingChosen = &page.Problem{Status: http.StatusBadRequest, Title: "No model is chosen",
	Text: "Check the models to assess, and press Assess again.",
	Link: "/", LinkText: "Go to the portfolio"}

// assess starts the assessment of the chosen models: one operation for each workspace.
func assess(v *page.Visit) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	chosen := map[uuid.UUID][]uuid.UUID{}
	var order []uuid.UUID
	for _, pair := range form["model"] {
		first, second, _ := strings.Cut(pair, "/")
		workspaceID, wrong := uuid.Parse(first)
		modelID, err := uuid.Parse(second)
		if wrong != nil || err != nil {
			return nothingChosen
		}
		if chosen[workspaceID] == nil {
			order = append(order, workspaceID)
		}
		chosen[workspaceID] = append(chosen[workspaceID], modelID)
	}
	if len(order) == 0 {
		return nothingChosen
	}
	for _, workspaceID := range order {
		_, err := v.API.AssessSemanticModelsWithResponse(v.Request.Context(), workspaceID, nil,
			client.BulkAssessRequest{SemanticModelIds: chosen[workspaceID]})
		if err != nil {
			return err
		}
	}
	return v.See("/")
}
