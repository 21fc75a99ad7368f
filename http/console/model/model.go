// Package model is the screen of one semantic model: what is wrong with it, and what would help most.
package model

import (
	"embed"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/console/page"
)

//go:embed model.html
var files embed.FS

var view = page.NewView(files, "model.html")

// Screen returns the screen.
func Screen() page.Screen {
	return page.Screen{Routes: []page.Route{{Pattern: "GET /models/{w}/{m}", Serve: show}}}
}

// ids returns the workspace and the model of the page.
func ids(v *page.Visit) (workspaceID, modelID uuid.UUID, err error) {
	workspaceID, wrong := uuid.Parse(v.Request.PathValue("w"))
	modelID, err = uuid.Parse(v.Request.PathValue("m"))
	if errors.Join(wrong, err) != nil {
		return uuid.Nil, uuid.Nil, page.NotFound
	}
	return workspaceID, modelID, nil
}

func show(v *page.Visit) error {
	w, m, err := ids(v)
	if err != nil {
		return err
	}
	history, err := v.API.GetHistoryWithResponse(v.Request.Context(), w, m, &client.GetHistoryParams{MaxResults: new(100)})
	if err != nil {
		return err
	}
	c := content{Workspace: w, Model: m}
	if len(history.JSON200.Value) > 0 {
		got, err := v.API.GetAssessmentWithResponse(v.Request.Context(), w, m, history.JSON200.Value[0].AssessmentID.String())
		if err != nil {
			return err
		}
		if err := c.read(got.JSON200, history.JSON200.Value); err != nil {
			return err
		}
	}
	return v.Show(view, page.Page{Title: c.Name, In: "/", Status: http.StatusOK, Data: c})
}

// content is what the template gets.
type content struct {
	Workspace, Model uuid.UUID
	Name             string
	Assessment       *client.Assessment
}

func (c *content) read(a *client.Assessment, _ []client.HistoryPoint) error {
	c.Assessment = a
	if a.SemanticModelName != nil {
		c.Name = *a.SemanticModelName
	}
	return json.Unmarshal(a.Document, &struct{}{})
}
