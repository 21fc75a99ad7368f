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
	"strings"
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

// Breaks says what of the reports on the model breaks once Q&A is off; "" if the newest assessment did not record it.
func (m model) Breaks() string {
	l := m.LeavingQnA
	if l == nil {
		return ""
	}
	var said []string
	visuals, bookmarks := m.needing()
	switch {
	case optional.Value(l.ReportsUnlisted):
		said = append(said, "the reports could not be listed")
	case l.ReportsRead == nil:
		said = append(said, "not looked for")
	case visuals+bookmarks > 0:
		said = append(said, text.Count(visuals, "Q&A visual")+" in "+text.Count(len(l.Reports), "report"))
	case *l.ReportsRead > 0 || optional.Value(l.ReportsUnread) == 0:
		said = append(said, "none in "+text.Count(*l.ReportsRead, "report"))
	}
	if bookmarks > 0 {
		said = append(said, text.Count(bookmarks, "bookmark"))
	}
	if unread := optional.Value(l.ReportsUnread); unread > 0 {
		said = append(said, text.Count(unread, "report")+" not read")
	}
	return strings.Join(said, ", ")
}

// needing counts the Q&A visuals of the reports on the model, and the bookmarks that keep one.
func (m model) needing() (visuals, bookmarks int) {
	if m.LeavingQnA == nil {
		return 0, 0
	}
	for _, r := range m.LeavingQnA.Reports {
		visuals, bookmarks = visuals+r.Visuals, bookmarks+r.Bookmarks
	}
	return visuals, bookmarks
}

// Holds says what the linguistic schemas of the model hold; "" if the newest assessment did not record it.
func (m model) Holds() string {
	l := m.LeavingQnA
	if l == nil {
		return ""
	}
	if reason := optional.Text(l.Invalid); reason != "" {
		return "cannot be read, which stops an upgrade: " + reason
	}
	said := text.Count(l.Synonyms, "synonym") + ", " + text.Count(l.SuggestedSynonyms, "suggested one") + ", " + text.Count(l.Phrasings, "phrasing") +
		", " + text.Count(l.SuggestedQuestions, "question")
	if l.Instructions {
		said += ", AI instructions"
	}
	if l.Losses != nil {
		said += "; an upgrade loses " + text.Count(*l.Losses, "thing")
	}
	return said
}

// cells returns what the file says of what the model leaves, empty where the newest assessment did not record it.
func (m model) cells() []string {
	l := m.LeavingQnA
	if l == nil {
		return make([]string, len(leaving))
	}
	visuals, bookmarks := m.needing()
	read, unread, found, number := "", "", "", ""
	if l.ReportsRead != nil {
		read, unread = strconv.Itoa(*l.ReportsRead), strconv.Itoa(optional.Value(l.ReportsUnread))
		if *l.ReportsRead > 0 || unread == "0" {
			found, number = strconv.Itoa(visuals), strconv.Itoa(bookmarks)
		}
	}
	var names []string
	for _, r := range l.Reports {
		names = append(names, r.ReportName+" ("+strings.Join(r.Pages, ", ")+")")
	}
	losses := ""
	if l.Losses != nil {
		losses = strconv.Itoa(*l.Losses)
	}
	return []string{strconv.Itoa(l.Synonyms), strconv.Itoa(l.SuggestedSynonyms), strconv.Itoa(l.GeneratedSynonyms), strconv.Itoa(l.DeletedSynonyms),
		strconv.Itoa(l.Entities), strconv.Itoa(l.HiddenObjects), strconv.Itoa(l.Relationships), strconv.Itoa(l.Phrasings),
		strconv.Itoa(l.SuggestedQuestions), strconv.FormatBool(l.Instructions), text.InCell(optional.Text(l.Invalid)), losses,
		found, number, text.InCell(strings.Join(names, "; ")), read, unread}
}

// leaving are the columns of cells.
var leaving = []string{"synonyms", "suggestedSynonyms", "generatedSynonyms", "deletedSynonyms", "entities", "hiddenObjects", "relationships",
	"phrasings", "suggestedQuestions", "instructions", "invalid", "losses", "qnaVisuals", "qnaBookmarks", "qnaReports", "reportsRead", "reportsUnread"}

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
	c.Models = slices.DeleteFunc(c.Models, func(m model) bool {
		return !m.Format.Leaves && optional.Text(optional.Value(m.LeavingQnA).Invalid) == ""
	})
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
	lines := [][]string{append([]string{"workspace", "model", "aiFormat", "meaning", "views28Days", "trackedReports", "owner", "assessedAtUtc", "workspaceId",
		"semanticModelId", "assessmentId"}, leaving...)}
	for _, m := range c.Models {
		lines = append(lines, append([]string{text.InCell(m.WorkspaceName), text.InCell(m.SemanticModelName), cmp.Or(m.Format.Value, "unknown"), m.Format.Sense,
			strconv.FormatInt(m.Views, 10), strconv.Itoa(m.TrackedReports), text.InCell(optional.Text(optional.Value(m.Owner).Person)),
			m.AssessedAtUtc.UTC().Format(time.RFC3339), m.WorkspaceID.String(), m.SemanticModelID.String(), m.AssessmentID.String()}, m.cells()...))
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(lines); err != nil {
		return err
	}
	return v.File("leaving-qna.csv", "text/csv; charset=utf-8", b.Bytes())
}
