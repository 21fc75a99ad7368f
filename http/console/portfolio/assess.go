package portfolio

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/console/page"
)

var (
	chooseView   = page.NewView(files, "choose.html")
	progressView = page.NewView(files, "progress.html")
)

// nothingChosen is the problem of a form without a model.
var nothingChosen = &page.Problem{Status: http.StatusBadRequest, Title: "No model is chosen",
	Text: "Check the models to assess, and press Assess again.", Link: "/assess", LinkText: "Choose models"}

// choice is what the page shows on which people choose models, also those that were never assessed.
type choice struct {
	Workspaces []client.Workspace
	Workspace  *client.Workspace
	Models     []client.SemanticModel
	Next       string
}

// choose lists the workspaces that the person sees, and the models of one.
func choose(v *page.Visit) error {
	q := v.Request.URL.Query()
	workspaces, err := v.API.ListWorkspacesWithResponse(v.Request.Context(), &client.ListWorkspacesParams{MaxResults: new(500)})
	if err != nil {
		return err
	}
	c := choice{Workspaces: workspaces.JSON200.Value}
	for _, w := range c.Workspaces {
		if w.WorkspaceID.String() == q.Get("workspaceId") {
			c.Workspace = &w
		}
	}
	if c.Workspace != nil {
		params := &client.ListSemanticModelsParams{MaxResults: new(maxChosen)}
		if token := q.Get("continuationToken"); token != "" {
			params.ContinuationToken = &token
		}
		got, err := v.API.ListSemanticModelsWithResponse(v.Request.Context(), c.Workspace.WorkspaceID, params)
		if err != nil {
			return err
		}
		c.Models = got.JSON200.Value
		if next := got.JSON200.ContinuationToken; next != nil {
			c.Next = "/assess?" + url.Values{"workspaceId": {q.Get("workspaceId")}, "continuationToken": {*next}}.Encode()
		}
	}
	return v.Show(chooseView, page.Page{Title: "Assess models", In: "/", Data: c})
}

// maxChosen is how many models of a workspace one call assesses at most.
const maxChosen = 100

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
	return start(v, order, chosen)
}

// outdated starts the assessment of the models of the portfolio that were scored by earlier rules, the lowest scores first: at most
// maxChosen of each workspace, in at most maxShown workspaces, and as many as the account's assessments of the day allow, if those allow
// one. What is left waits for the next press.
func outdated(v *page.Visit) error {
	account, err := v.API.GetAccountWithResponse(v.Request.Context())
	if err != nil {
		return err
	}
	left := exported
	if of := account.JSON200.Allowances.Assessments; of.Limit != nil && of.Used != nil {
		left = max(1, *of.Limit-*of.Used) // where none is left, the service says so
	}
	got, err := v.API.GetPortfolioWithResponse(v.Request.Context(), &client.GetPortfolioParams{Outdated: new(true), MaxResults: new(exported)})
	if err != nil {
		return err
	}
	chosen := map[uuid.UUID][]uuid.UUID{}
	var order []uuid.UUID
	for _, m := range got.JSON200.Value {
		of := chosen[m.WorkspaceID]
		if left == 0 || len(of) == maxChosen || of == nil && len(order) == maxShown {
			continue
		}
		if of == nil {
			order = append(order, m.WorkspaceID)
		}
		chosen[m.WorkspaceID] = append(of, m.SemanticModelID)
		left--
	}
	if len(order) == 0 {
		return v.See("/")
	}
	return start(v, order, chosen)
}

// start starts the assessment of models: one operation for each workspace, in the given order.
func start(v *page.Visit, order []uuid.UUID, chosen map[uuid.UUID][]uuid.UUID) error {
	started := url.Values{}
	for _, workspaceID := range order {
		got, err := v.API.AssessSemanticModelsWithResponse(v.Request.Context(), workspaceID, nil,
			client.BulkAssessRequest{SemanticModelIds: chosen[workspaceID]})
		if err != nil && len(started) > 0 { // some work has begun, and the page of its progress says that some has not
			started.Set("refused", "yes")
			break
		}
		if err != nil {
			return err
		}
		started.Add("id", got.JSON202.OperationID.String())
	}
	return v.See("/assessing?" + started.Encode())
}

// progress is what the page of running assessments shows.
type progress struct {
	Operations []client.Operation
	Running    bool
	Refused    bool
}

// maxShown bounds the operations of one page of progress.
const maxShown = 20

// follow shows how far assessments are. Until they have ended, the page loads itself again.
func follow(v *page.Visit) error {
	q := v.Request.URL.Query()
	p := progress{Refused: q.Get("refused") != ""}
	for _, text := range q["id"] {
		id, err := uuid.Parse(text)
		if err != nil || len(p.Operations) == maxShown {
			return page.NotFound
		}
		got, err := v.API.GetOperationWithResponse(v.Request.Context(), id, nil)
		if err != nil {
			return err
		}
		p.Operations = append(p.Operations, *got.JSON200)
	}
	if len(p.Operations) == 0 {
		return page.NotFound
	}
	running := slices.IndexFunc(p.Operations, func(o client.Operation) bool { return !o.Ended() })
	p.Running = running >= 0
	with := page.Page{Title: "Assessing", In: "/", Data: p}
	if p.Running {
		with.Refresh = page.Again(p.Operations[running].CreatedTimeUtc)
	}
	return v.Show(progressView, with)
}
