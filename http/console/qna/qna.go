// Package qna is the screen of what Q&A's retirement means: where each model has what it tells an AI.
package qna

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/csv"
	"slices"
	"strconv"
	"time"

	"readiness/client"
	"readiness/http/console/page"
	"readiness/internal/optional"
	text "readiness/offline/show"
)

//go:embed qna.html
var files embed.FS

var view = page.NewView(files, "qna.html")

// Screen returns the screen.
func Screen() page.Screen {
	return page.Screen{Routes: []page.Route{{Pattern: "GET /leaving-qna", Serve: show}, {Pattern: "GET /leaving-qna.csv", Serve: export}}}
}

const (
	// exported is how many models one call of the interface returns, and maxExported bounds them all. rows is how many the page lists.
	exported    = 500
	maxExported = 10_000
	rows        = 100
)

// format is a format of what models tell an AI.
type format struct {
	Value, Name string
	// Sense says what Q&A's retirement means for such a model.
	Sense string
	// Leaves says that a model of the format has to be upgraded, or looked at.
	Leaves bool
	Count  int
}

// formats are the formats, those that need work first.
func formats() []format {
	return []format{
		{Value: "linguistic", Name: "Linguistic schema", Leaves: true, Sense: "lost unless it is upgraded: finding INS-10 counts what it holds"},
		{Value: "both", Name: "Both", Leaves: true, Sense: "the folder Copilot counts; compare what only the linguistic schema has"},
		{Value: "", Name: "Not known", Leaves: true, Sense: "the platform does not show it, or the assessment is from before it was recorded: assess again"},
		{Value: "copilot", Name: "Folder Copilot", Sense: "nothing to do; Q&A is off for good"},
		{Value: "none", Name: "None", Sense: "nothing is lost: it tells an AI nothing"},
	}
}

// model is a model, and the format that it has.
type model struct {
	client.PortfolioModel
	Format format
}

// content is what the template gets.
type content struct {
	Formats []format
	Models  []model
	// More is how many models that need work are not listed.
	More int
	// Cut says that there are more models than were looked at.
	Cut bool
}

// read returns the models of the account that the person sees, those that need work first, and of these the most viewed.
func read(ctx context.Context, api *client.Service) (c content, err error) {
	c.Formats = formats()
	params := client.GetPortfolioParams{MaxResults: new(exported), Sort: new(client.GetPortfolioParamsSort("views"))}
	for page, err := range api.GetPortfolioPages(ctx, params) {
		if err != nil {
			return c, err
		}
		for _, m := range page.JSON200.Value {
			i := slices.IndexFunc(c.Formats, func(f format) bool { return f.Value == optional.Text(m.AiFormat) })
			c.Formats[i].Count++
			c.Models = append(c.Models, model{m, c.Formats[i]})
		}
		if c.Cut = len(c.Models) >= maxExported && page.JSON200.ContinuationToken != nil; c.Cut {
			break
		}
	}
	order := func(m model) int {
		return slices.IndexFunc(c.Formats, func(f format) bool { return f.Value == m.Format.Value })
	}
	slices.SortStableFunc(c.Models, func(a, b model) int { return cmp.Compare(order(a), order(b)) })
	return c, nil
}

func show(v *page.Visit) error {
	c, err := read(v.Request.Context(), v.API)
	if err != nil {
		return err
	}
	c.Models = slices.DeleteFunc(c.Models, func(m model) bool { return !m.Format.Leaves })
	c.More = max(0, len(c.Models)-rows)
	c.Models = c.Models[:min(len(c.Models), rows)]
	return v.Show(view, page.Page{Title: "Leaving Q&A", In: "/", Data: c})
}

// export sends all models as a file.
func export(v *page.Visit) error {
	c, err := read(v.Request.Context(), v.API)
	if err != nil {
		return err
	}
	lines := [][]string{{"workspace", "model", "aiFormat", "meaning", "views28Days", "trackedReports", "owner", "assessedAtUtc", "workspaceId",
		"semanticModelId", "assessmentId"}}
	for _, m := range c.Models {
		lines = append(lines, []string{text.InCell(m.WorkspaceName), text.InCell(m.SemanticModelName), cmp.Or(m.Format.Value, "unknown"), m.Format.Sense,
			strconv.FormatInt(m.Views, 10), strconv.Itoa(m.TrackedReports), text.InCell(optional.Text(optional.Value(m.Owner).Person)),
			m.AssessedAtUtc.UTC().Format(time.RFC3339), m.WorkspaceID.String(), m.SemanticModelID.String(), m.AssessmentID.String()})
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(lines); err != nil {
		return err
	}
	return v.File("leaving-qna.csv", "text/csv; charset=utf-8", b.Bytes())
}
