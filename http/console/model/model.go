// Package model is the screen of one semantic model: its findings, and the most helpful changes.
package model

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"readiness/client"
	"readiness/domain/readiness"
	"readiness/http/console/chart"
	"readiness/http/console/page"
	"readiness/internal/optional"
)

//go:embed *.html
var files embed.FS

var view = page.NewView(files, "model.html", "notes.html")

// Screen returns the screen.
func Screen() page.Screen {
	return page.Screen{Routes: []page.Route{
		{Pattern: "GET /models/{w}/{m}", Serve: show}, {Pattern: "GET /models/{w}/{m}/findings.csv", Serve: exportCSV},
		{Pattern: "GET /models/{w}/{m}/findings.md", Serve: exportMarkdown},
		{Pattern: "GET /models/{w}/{m}/findings.sarif", Serve: exportSARIF},
		{Pattern: "POST /models/{w}/{m}/owner", Serve: setOwner}, {Pattern: "POST /models/{w}/{m}/notes", Serve: addNote},
		{Pattern: "POST /models/{w}/{m}/schedules", Serve: addSchedule},
		{Pattern: "POST /models/{w}/{m}/notes/{n}", Serve: changeNote},
	}}
}

// points is how many assessments the history shows, and maxReports how many reports.
const (
	points     = 100
	maxReports = 100
)

// ids returns the workspace and the model of the page.
func ids(v *page.Visit) (workspaceID, modelID uuid.UUID, err error) {
	workspaceID, wrong := uuid.Parse(v.Request.PathValue("w"))
	modelID, err = uuid.Parse(v.Request.PathValue("m"))
	if errors.Join(wrong, err) != nil {
		return uuid.Nil, uuid.Nil, page.NotFound
	}
	return workspaceID, modelID, nil
}

// content is what the template gets.
type content struct {
	Workspace, Model    uuid.UUID
	Name, WorkspaceName string
	// Assessment is the newest one; nil before the first.
	Assessment *client.Assessment
	Score      *int
	Change     *int // since the assessment before, if the two are comparable
	Previous   string
	// Break says why the score does not compare with the one before; "" if it does, or is the first.
	Break      string
	Dimensions chart.Bars
	Caps       []limit
	// Refused are places for which Power BI refuses the model.
	Refused []string
	// OwnRules are the account's own rules outside of the score that were left out.
	OwnRules []readiness.OwnOutcome
	Filter   filter
	Groups   []group
	// Rest is how many groups are not listed.
	Rest    int
	Kinds   []kind
	History chart.Line
	// Failure says why the newest assessment failed; nil if it did not. Written is the newest write after the assessment; nil for none.
	Failure *client.FailedAssessment
	Written *client.HistoryWrite
	// Past are the newest assessments, newest first, with the writes before each.
	Past    []client.HistoryPoint
	Reports []client.WorkspaceReport
	// NoReports says why the reports could not be read.
	NoReports string
	Agents    agents
	// People has the owner and the notes.
	People people
}

func show(v *page.Visit) error {
	w, m, err := ids(v)
	if err != nil {
		return err
	}
	c := content{Workspace: w, Model: m, Name: "Model", Filter: filterOf(v.Request.URL.Query())}
	// A failed call does not cancel the others: the service would log a canceled call as an internal error.
	ctx, together := v.Request.Context(), errgroup.Group{}
	together.Go(func() error { return c.assessed(ctx, v.API) })
	together.Go(func() error { return c.reports(ctx, v.API) })
	together.Go(func() error { return c.readers(ctx, v.API) })
	together.Go(func() error { return c.about(ctx, v.API) })
	if err := together.Wait(); err != nil {
		return err
	}
	return v.Show(view, page.Page{Title: c.Name, In: "/", Data: c})
}

// assessed reads the history and the newest assessment.
func (c *content) assessed(ctx context.Context, api *client.Service) error {
	history, err := api.GetHistoryWithResponse(ctx, c.Workspace, c.Model, &client.GetHistoryParams{MaxResults: new(points)})
	if err != nil {
		return err
	}
	if c.Failure = history.JSON200.Failure; c.Failure != nil {
		c.Name, c.WorkspaceName = cmp.Or(c.Failure.SemanticModelName, c.Name), c.Failure.WorkspaceName
	}
	all := history.JSON200.Value
	if len(all) == 0 {
		return nil
	}
	if writes := history.JSON200.Writes; len(writes) > 0 {
		c.Written = &writes[len(writes)-1]
	}
	c.Past = all[:min(len(all), maxPast)]
	got, err := api.GetAssessmentWithResponse(ctx, c.Workspace, c.Model, all[0].AssessmentID.String())
	if err != nil {
		return err
	}
	report, err := reportOf(got.JSON200)
	if err != nil {
		return err
	}
	a := got.JSON200
	c.Assessment, c.Score, c.Caps, c.Refused = a, report.Score, limits(report), report.Refused
	c.Name, c.WorkspaceName = cmp.Or(optional.Text(a.SemanticModelName), c.Name), optional.Text(a.WorkspaceName)
	for _, o := range report.Own {
		if o.LeftOut != "" && o.Dimension == "" { // NotAssessable has those in a dimension
			c.OwnRules = append(c.OwnRules, o)
		}
	}
	c.Dimensions = dimensions(report)
	c.Groups, c.Rest = groups(c.Filter.of(report))
	c.Kinds = kinds(report)
	if len(all) > 1 {
		c.Previous = all[1].AssessmentID.String()
		if all[0].ComparableWithPrevious && all[0].Score != nil && all[1].Score != nil {
			c.Change = new(*all[0].Score - *all[1].Score)
		}
		c.Break = broken(all[0], all[1])
	}
	c.History = line(all)
	return nil
}

// reportOf returns what the rules found.
func reportOf(a *client.Assessment) (readiness.Result, error) {
	var document struct {
		Report readiness.Result `json:"report"`
	}
	err := json.Unmarshal(a.Document, &document)
	return document.Report, err
}

// maxPast is how many assessments the page lists.
const maxPast = 10

// broken says why a score does not compare with the one before; "" if it does.
func broken(p, before client.HistoryPoint) string {
	switch {
	case p.RegimeID != before.RegimeID:
		return "The assessment before was scored by the rules " + before.RegimeID + ", so the two scores do not compare."
	case p.ComparableWithPrevious:
		return ""
	}
	return "The score does not compare with the one before: usage weighted only one of them, or other rules could not judge."
}

// reports reads the reports on the model. If the platform does not list them, the rest of the page is still shown.
func (c *content) reports(ctx context.Context, api *client.Service) error {
	got, err := api.ListReportsWithResponse(ctx, c.Workspace, &client.ListReportsParams{SemanticModelID: &c.Model,
		MaxResults: new(maxReports)})
	if message, ok := refusal(err); ok {
		c.NoReports = message
		return nil
	}
	if err != nil {
		return err
	}
	c.Reports = got.JSON200.Value
	return nil
}

// line returns the history of the score, with applies and reverts marked.
func line(newestFirst []client.HistoryPoint) chart.Line {
	c := chart.Line{Caption: "Score over time", Head: "Score", High: 100}
	for i, p := range slices.Backward(newestFirst) {
		point := chart.Point{At: p.AssessedAtUtc, Missing: p.Score == nil, Break: !p.ComparableWithPrevious,
			Note: "regime " + p.RegimeID}
		if p.Score != nil {
			point.Value = float64(*p.Score)
		}
		if !p.ComparableWithPrevious && i < len(newestFirst)-1 {
			point.Note += ", not comparable with the one before"
		}
		c.Points = append(c.Points, point)
		for _, w := range p.Writes {
			c.Marks = append(c.Marks, chart.Mark{At: w.EndedAtUtc, Label: page.Words(string(w.OperationType))})
		}
	}
	return c
}
