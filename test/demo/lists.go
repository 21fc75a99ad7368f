package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

type workspace struct {
	ID   string `json:"workspaceId"`
	Name string `json:"workspaceName"`
}

type model struct {
	ID          string  `json:"semanticModelId"`
	Name        string  `json:"semanticModelName"`
	WorkspaceID string  `json:"workspaceId"`
	Description *string `json:"description"`
	Maintained  bool    `json:"maintainedByService"`
}

func (d *demo) lists(ctx context.Context) error {
	d.screen.step("GET /v1/workspaces, and the semantic models of each")
	var list struct {
		Value []workspace `json:"value"`
	}
	if _, err := d.ada.call(ctx, http.StatusOK, http.MethodGet, "/v1/workspaces", nil, &list); err != nil {
		return err
	}
	d.workspaces = map[string]string{}
	var rows []table.Row
	for _, w := range list.Value {
		d.workspaces[w.Name] = w.ID
		models, err := d.models(ctx, w.Name)
		if err != nil {
			return err
		}
		for _, m := range models {
			rows = append(rows, table.Row{w.Name, m.Name, m.ID})
		}
	}
	d.screen.table(table.Row{"Workspace", "Semantic model", "Id"}, rows)
	if len(d.workspaces) != 3 || len(rows) != 10 {
		return fmt.Errorf("got %d workspaces and %d models, want the 3 and 10 of the samples", len(d.workspaces), len(rows))
	}
	return nil
}

// models lists the models of a workspace, two at a time to test paging.
func (d *demo) models(ctx context.Context, workspace string) ([]model, error) {
	var all []model
	next := "/v1/workspaces/" + d.workspaces[workspace] + "/semanticModels?maxResults=2"
	for next != "" {
		var page struct {
			Value []model `json:"value"`
			Token *string `json:"continuationToken"`
			URI   *string `json:"continuationUri"`
		}
		if _, err := d.ada.call(ctx, http.StatusOK, http.MethodGet, next, nil, &page); err != nil {
			return nil, err
		}
		if (page.Token == nil) != (page.URI == nil) || len(page.Value) > 2 {
			return nil, fmt.Errorf("%s: a page holds at most 2 and both paging members or none", next)
		}
		all, next = append(all, page.Value...), ""
		if page.URI != nil {
			next = *page.URI
		}
	}
	if !slices.IsSortedFunc(all, func(a, b model) int { return strings.Compare(a.Name, b.Name) }) {
		return nil, fmt.Errorf("the models of %s are not listed by name", workspace)
	}
	return all, nil
}

func (d *demo) model(ctx context.Context, workspace, name string) (model, error) {
	models, err := d.models(ctx, workspace)
	if err != nil {
		return model{}, err
	}
	i := slices.IndexFunc(models, func(m model) bool { return m.Name == name })
	if i < 0 {
		return model{}, fmt.Errorf("workspace %s lists no model %s", workspace, name)
	}
	return models[i], nil
}
