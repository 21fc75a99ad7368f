// Package evaluations is the screen that shows whether one side answers better than another, and how certain that is: A/B tests with
// their runs, and benchmark runs with every answer, its verdict and the reason. Package questions has the question sets.
package evaluations

import (
	"cmp"
	"embed"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/domain/verdict"
	"readiness/http/console/page"
	"readiness/internal/optional"
)

//go:embed *.html
var files embed.FS

var (
	listView   = page.NewView(files, "list.html")
	testView   = page.NewView(files, "test.html")
	resultView = page.NewView(files, "result.html", "answers.html")
	runView    = page.NewView(files, "run.html", "answers.html")
)

// path is where the navigation leads.
const path = "/evaluations"

// Screen returns the screen.
func Screen() page.Screen {
	return page.Screen{Name: "Evaluation", Path: path, Routes: []page.Route{
		{Pattern: "GET /evaluations", Serve: list}, {Pattern: "GET /evaluations/{id}", Serve: showTest},
		{Pattern: "POST /evaluations/{id}/runs", Serve: runAgain}, {Pattern: "GET /evaluations/{id}/runs/{run}", Serve: showResult},
		{Pattern: "GET /models/{w}/{m}/runs/{run}", Serve: showRun}, {Pattern: "POST /models/{w}/{m}/runs/{run}/verdict", Serve: overrule},
	}}
}

const (
	// rows is how many tests a page of the list has, and maxModels how many models of a workspace it offers.
	rows      = 50
	maxModels = 500
)

// content is what the list shows.
type content struct {
	Text       string
	Tests      []test
	Next       string
	Workspaces []client.Workspace
	Workspace  *client.Workspace
	Models     []client.SemanticModel
}

// list shows the A/B tests, and leads to the questions and the runs of a model.
func list(v *page.Visit) error {
	q, ctx := v.Request.URL.Query(), v.Request.Context()
	c := content{Text: q.Get("q")}
	params := &client.ListAbTestsParams{MaxResults: new(rows)}
	if c.Text != "" {
		params.Q = &c.Text
	}
	if token := q.Get("continuationToken"); token != "" {
		params.ContinuationToken = &token
	}
	got, err := v.API.ListAbTestsWithResponse(ctx, params)
	if err != nil {
		return err
	}
	for _, t := range got.JSON200.Value {
		c.Tests = append(c.Tests, test{t})
	}
	if next := got.JSON200.ContinuationToken; next != nil {
		c.Next = path + "?" + url.Values{"q": {c.Text}, "continuationToken": {*next}}.Encode()
	}
	workspaces, err := v.API.ListWorkspacesWithResponse(ctx, &client.ListWorkspacesParams{MaxResults: new(500)})
	if err != nil {
		return err
	}
	c.Workspaces = workspaces.JSON200.Value
	for _, w := range c.Workspaces {
		if w.WorkspaceID.String() == q.Get("workspaceId") {
			c.Workspace = &w
		}
	}
	if c.Workspace != nil {
		models, err := v.API.ListSemanticModelsWithResponse(ctx, c.Workspace.WorkspaceID,
			&client.ListSemanticModelsParams{MaxResults: new(maxModels)})
		if err != nil {
			return err
		}
		c.Models = models.JSON200.Value
	}
	return v.Show(listView, page.Page{Title: "Evaluation", In: path, Data: c})
}

// test is an A/B test as the pages show it.
type test struct{ client.AbTest }

// Latest returns the aggregate of the newest run; the zero value without one.
func (t test) Latest() aggregate {
	if t.LatestRun == nil {
		return aggregate{}
	}
	return aggregateOf(t.LatestRun.Aggregate)
}

// State returns the status of the newest run; "" without one.
func (t test) State() string {
	if t.LatestRun == nil || t.LatestRun.Status == nil {
		return ""
	}
	return string(*t.LatestRun.Status)
}

// A and B return the sides.
func (t test) A() side { return side{t.SideA} }

// B returns the other side.
func (t test) B() side { return side{t.SideB} }

// side is a side of a test.
type side struct{ client.AbTestSide }

// Model returns the model's name.
func (s side) Model() string {
	if s.SemanticModelName != nil {
		return *s.SemanticModelName
	}
	return optional.Text(s.SemanticModelID)
}

// Asked returns who is asked, in words.
func (s side) Asked() string { return Asked(s.AnsweredBy) }

// Asked returns who is asked, in words.
func Asked(a client.AnsweredBy) string {
	name := func(of *string) string {
		if of == nil || *of == "" {
			return ""
		}
		return " " + *of
	}
	switch kind := verdict.AgentKind(optional.Text(a.Kind)); kind {
	case verdict.DataAgent:
		return "data agent" + name(a.DataAgentName)
	case verdict.ServiceTestAgent:
		return "draft of data agent" + name(a.DataAgentName)
	case verdict.PlatformAssistant:
		return "the platform's assistant"
	case verdict.GenericAgent:
		return "AI provider" + name(a.ProviderName)
	case verdict.Imported:
		return optional.Text(a.Who) + ", elsewhere (imported)"
	default:
		return cmp.Or(string(kind), "unknown")
	}
}

// simulated is the service's name of the embedded engine.
const simulated = "embedded"

// Simulated reports whether no AI was asked.
func Simulated(answerer string) bool { return strings.HasPrefix(answerer, simulated) }

// parsed returns an id of the page's address.
func parsed(v *page.Visit, name string) (uuid.UUID, error) {
	id, err := uuid.Parse(v.Request.PathValue(name))
	if err != nil {
		return id, page.NotFound
	}
	return id, nil
}

// runAgain starts another run of a test.
func runAgain(v *page.Visit) error {
	id, err := parsed(v, "id")
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	if form.Get("once") == "" {
		return &page.Problem{Status: http.StatusBadRequest, Title: "The form is incomplete",
			Text: "Open the test, and press Run again there."}
	}
	body := client.RunAbTestAgainRequest{}
	if set := form.Get("questions"); set != "" {
		body.QuestionSet = &set
	}
	got, err := v.API.RunAbTestAgainWithResponse(v.Request.Context(), id.String(),
		&client.RunAbTestAgainParams{IdempotencyKey: new("console-run-" + form.Get("once"))}, body)
	if err != nil {
		return err
	}
	return v.See(path + "/" + id.String() + "/runs/" + got.JSON202.OperationID.String())
}
