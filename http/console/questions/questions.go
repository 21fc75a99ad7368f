// Package questions is the screen of a model's benchmark questions: to edit them, import and export them as files, generate them, ask one
// side, and set up a test of two. Package evaluations shows the answers.
package questions

import (
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/domain"
	"readiness/http/console/page"
	"readiness/internal/optional"
)

//go:embed *.html
var files embed.FS

var (
	modelView    = page.NewView(files, "model.html")
	editView     = page.NewView(files, "edit.html")
	importView   = page.NewView(files, "import.html")
	proposedView = page.NewView(files, "proposed.html")
)

// Screen returns the screen.
func Screen() page.Screen {
	return page.Screen{Routes: []page.Route{
		{Pattern: "GET /models/{w}/{m}/evaluation", Serve: show},
		{Pattern: "POST /models/{w}/{m}/evaluation/runs", Serve: start}, {Pattern: "POST /models/{w}/{m}/evaluation/tests", Serve: create},
		{Pattern: "POST /models/{w}/{m}/evaluation/import", Serve: importAnswers},
		{Pattern: "GET /models/{w}/{m}/questions", Serve: edit}, {Pattern: "POST /models/{w}/{m}/questions", Serve: save},
		{Pattern: "GET /models/{w}/{m}/questions.csv", Serve: export},
		{Pattern: "GET /models/{w}/{m}/questions/import", Serve: showImport},
		{Pattern: "POST /models/{w}/{m}/questions/import", Serve: importFile},
		{Pattern: "POST /models/{w}/{m}/questions/generate", Serve: generate},
		{Pattern: "GET /models/{w}/{m}/questions/proposed", Serve: proposed},
		{Pattern: "POST /models/{w}/{m}/questions/proposed", Serve: keep},
	}}
}

const (
	// in is the screen in the navigation that the pages belong to.
	in = "/evaluations"
	// again is after how many seconds a page of something that runs loads itself again.
	again = 2
	// maxRuns, maxAgents and maxModels bound the lists of a page.
	maxRuns   = 20
	maxAgents = 100
	maxModels = 200
)

// model is the model of a page.
type model struct {
	Workspace, Model uuid.UUID
	Name             string
}

// Base returns the address of the model.
func (m model) Base() string { return "/models/" + m.Workspace.String() + "/" + m.Model.String() }

// modelOf returns the model of the page, with its name, if the platform lists it among the first of its workspace.
func modelOf(v *page.Visit) (model, error) {
	w, wrong := uuid.Parse(v.Request.PathValue("w"))
	m, err := uuid.Parse(v.Request.PathValue("m"))
	if errors.Join(wrong, err) != nil {
		return model{}, page.NotFound
	}
	of := model{w, m, "a model"}
	got, err := v.API.ListSemanticModelsWithResponse(v.Request.Context(), w, &client.ListSemanticModelsParams{MaxResults: new(500)})
	if err != nil {
		return of, err
	}
	for _, listed := range got.JSON200.Value {
		if listed.SemanticModelID == m {
			of.Name = listed.SemanticModelName
		}
	}
	return of, nil
}

// choice is a value of a field, and what people read.
type choice struct{ Value, Name string }

// content is what the page of a model shows.
type content struct {
	model
	Set       client.BenchmarkQuestions
	Runs      []client.BenchmarkRun
	Tests     []client.AbTest
	Answerers []choice
	// Sides are who can answer for a side of a test: the answerers, and those of imported runs.
	Sides  []choice
	Models []choice
	// Once marks the forms, so that each can be sent twice and starts one thing.
	Once string
}

// Self returns the value of the page's own model.
func (c content) Self() string { return c.Workspace.String() + "/" + c.Model.String() }

// show shows the questions of a model, what was asked, and what can be.
func show(v *page.Visit) error {
	of, err := modelOf(v)
	if err != nil {
		return err
	}
	c, ctx := content{model: of, Once: rand.Text()}, v.Request.Context()
	set, err := v.API.GetBenchmarkQuestionsWithResponse(ctx, of.Workspace, of.Model, nil)
	if err != nil {
		return err
	}
	c.Set = *set.JSON200
	runs, err := v.API.ListBenchmarkRunsWithResponse(ctx, of.Workspace, of.Model, &client.ListBenchmarkRunsParams{MaxResults: new(maxRuns)})
	if err != nil {
		return err
	}
	c.Runs = runs.JSON200.Value
	tests, err := v.API.ListAbTestsOfSemanticModelWithResponse(ctx, of.Workspace, of.Model)
	if err != nil {
		return err
	}
	c.Tests = tests.JSON200.Value[:min(len(tests.JSON200.Value), maxRuns)]
	if c.Answerers, err = answerers(ctx, v.API, of.Workspace); err != nil {
		return err
	}
	c.Sides = c.Answerers
	for _, r := range c.Runs {
		if r.Agent.RunID != nil && r.Status == client.OperationStatusSucceeded {
			c.Sides = append(c.Sides, choice{"Imported/" + r.RunID, optional.Text(r.Agent.Who) + ", imported " + r.CreatedAtUtc.Format("2006-01-02 15:04")})
		}
	}
	portfolio, err := v.API.GetPortfolioWithResponse(ctx, &client.GetPortfolioParams{MaxResults: new(maxModels),
		Sort: new(client.GetPortfolioParamsSort("name"))})
	if err != nil {
		return err
	}
	c.Models = []choice{{c.Self(), of.Name}}
	for _, m := range portfolio.JSON200.Value {
		if m.SemanticModelID != of.Model {
			c.Models = append(c.Models, choice{m.WorkspaceID.String() + "/" + m.SemanticModelID.String(),
				m.SemanticModelName + ", " + m.WorkspaceName})
		}
	}
	return v.Show(modelView, page.Page{Title: "Evaluation of " + of.Name, In: in, Data: c})
}

// answerers returns who can be asked: the assistant, the data agents of the workspace, and the account's AI providers.
func answerers(ctx context.Context, api *client.Service, workspaceID uuid.UUID) ([]choice, error) {
	all := []choice{{"PlatformAssistant", "The platform's assistant"}}
	agents, err := api.ListDataAgentsWithResponse(ctx, workspaceID, &client.ListDataAgentsParams{MaxResults: new(maxAgents)})
	if err != nil {
		return nil, err
	}
	for _, a := range agents.JSON200.Value {
		id := a.WorkspaceID.String() + "/" + a.DataAgentID.String()
		all = append(all, choice{"DataAgent/" + id, "Data agent " + a.DataAgentName},
			choice{"ServiceTestAgent/" + id, "Draft of data agent " + a.DataAgentName})
	}
	providers, err := api.ListAIProvidersWithResponse(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range providers.JSON200.Value {
		if p.Enabled {
			all = append(all, choice{"GenericAgent/" + p.ProviderID, "AI provider " + p.Name})
		}
	}
	return all, nil
}

// incomplete is the problem of a form with a field that is missing or not well formed.
var incomplete = &page.Problem{Status: http.StatusBadRequest, Title: "The form is incomplete",
	Text: "Open the page of the model, and send the form there."}

// answererOf returns who a field names.
func answererOf(text string) (client.AnsweredByRequest, error) {
	kind, rest, _ := strings.Cut(text, "/")
	by := client.AnsweredByRequest{Kind: kind}
	switch kind {
	case "PlatformAssistant":
		return by, nil
	case "GenericAgent":
		by.ProviderID = &rest
		return by, nil
	case "Imported":
		id, err := uuid.Parse(rest)
		if err != nil {
			return by, incomplete
		}
		by.RunID = &id
		return by, nil
	}
	first, second, _ := strings.Cut(rest, "/")
	w, wrong := uuid.Parse(first)
	id, err := uuid.Parse(second)
	if errors.Join(wrong, err) != nil {
		return by, incomplete
	}
	by.WorkspaceID, by.DataAgentID = &w, &id
	return by, nil
}

// repeatsOf returns how often each question is asked; nil for as saved.
func repeatsOf(text string) *int {
	if n, err := strconv.Atoi(text); err == nil {
		return &n
	}
	return nil
}

// start starts a run that asks one side.
func start(v *page.Visit) error {
	of, form, err := sent(v)
	if err != nil {
		return err
	}
	by, err := answererOf(form.Get("answerer"))
	if err != nil {
		return err
	}
	got, err := v.API.StartBenchmarkRunWithResponse(v.Request.Context(), of.Workspace, of.Model,
		&client.StartBenchmarkRunParams{IdempotencyKey: new("console-bench-" + form.Get("once"))},
		client.StartBenchmarkRunRequest{AnsweredBy: by, Repeats: repeatsOf(form.Get("repeats"))})
	if err != nil {
		return err
	}
	return v.See(of.Base() + "/runs/" + got.JSON202.OperationID.String())
}

// importAnswers starts judging the answers of a file.
func importAnswers(v *page.Visit) error {
	form, err := v.Upload()
	if err != nil {
		return err
	}
	of, err := modelOf(v)
	if err != nil {
		return err
	}
	if form.Get("answers") == "" {
		return &page.Problem{Status: http.StatusBadRequest, Title: "No file was chosen", Text: "Go back, and choose a file with answers."}
	}
	name := form.Get("answers.name")
	got, err := v.API.ImportBenchmarkRunWithResponse(v.Request.Context(), of.Workspace, of.Model,
		&client.ImportBenchmarkRunParams{IdempotencyKey: new("console-import-" + form.Get("once"))},
		client.ImportBenchmarkRunRequest{AnsweredBy: optional.Of(form.Get("who")), Files: []client.AnswersFile{{
			Name: domain.FirstCharacters(cmp.Or(name, "answers"), 200), Content: form.Get("answers")}}})
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status == http.StatusBadRequest {
		return &page.Problem{Status: refused.Status, Title: "The answers were not imported", Text: refused.Message}
	}
	if err != nil {
		return err
	}
	return v.See(of.Base() + "/runs/" + got.JSON202.OperationID.String())
}

// create sets up a test of two sides and starts its first run.
func create(v *page.Visit) error {
	of, form, err := sent(v)
	if err != nil {
		return err
	}
	a, wrong := answererOf(form.Get("answererA"))
	b, err := answererOf(form.Get("answererB"))
	first, second, _ := strings.Cut(form.Get("modelB"), "/")
	w, bad := uuid.Parse(first)
	m, worse := uuid.Parse(second)
	if errors.Join(wrong, err, bad, worse) != nil {
		return incomplete
	}
	got, err := v.API.CreateAbTestWithResponse(v.Request.Context(),
		&client.CreateAbTestParams{IdempotencyKey: new("console-test-" + form.Get("once"))},
		client.CreateAbTestRequest{Name: form.Get("name"), Repeats: repeatsOf(form.Get("repeats")),
			Source: client.AbTestSourceRequest{Kind: "Questions"},
			SideA:  client.AbTestSideRequest{WorkspaceID: of.Workspace, SemanticModelID: of.Model, AnsweredBy: a},
			SideB:  client.AbTestSideRequest{WorkspaceID: w, SemanticModelID: m, AnsweredBy: b}})
	if err != nil {
		return err
	}
	tests, err := v.API.ListAbTestsOfSemanticModelWithResponse(v.Request.Context(), of.Workspace, of.Model)
	if err != nil {
		return err
	}
	run := got.JSON202.OperationID.String()
	for _, t := range tests.JSON200.Value {
		if t.LatestRun != nil && t.LatestRun.RunID == run {
			return v.See(in + "/" + t.AbTestID + "/runs/" + run)
		}
	}
	return v.See("/operations/" + run)
}
