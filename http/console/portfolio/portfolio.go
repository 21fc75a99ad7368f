// Package portfolio is the screen that says where all models stand, which is worst, and what changed.
package portfolio

import (
	"embed"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/console/page"
)

//go:embed portfolio.html
var files embed.FS

var view = page.NewView(files, "portfolio.html")

// Screen returns the screen.
func Screen() page.Screen {
	return page.Screen{Name: "Portfolio", Path: "/", Routes: []page.Route{
		{Pattern: "GET /{$}", Serve: show}, {Pattern: "POST /assess", Serve: assess},
	}}
}

// rows is how many models a page of the list has.
const rows = 50

// query is what the list shows, as the address of the page has it.
type query struct {
	Text, Workspace, Below, Since, Sort, Token string
}

// sorts are the orders of the list, with their names.
var sorts = []struct{ Value, Name string }{
	{"score", "Lowest score"}, {"change", "Largest loss"}, {"views", "Most viewed"}, {"name", "Name"},
}

func queryOf(q url.Values) query {
	return query{Text: q.Get("q"), Workspace: q.Get("workspaceId"), Below: q.Get("scoreBelow"), Since: q.Get("days"), Sort: q.Get("sort"),
		Token: q.Get("continuationToken")}
}

// with returns the address of the list in another order, or of another page of it.
func (q query) with(name, value string) string {
	v := url.Values{}
	for name, value := range map[string]string{"q": q.Text, "workspaceId": q.Workspace, "scoreBelow": q.Below, "days": q.Since,
		"sort": q.Sort} {
		if value != "" {
			v.Set(name, value)
		}
	}
	v.Set(name, value)
	return "/?" + v.Encode()
}

// params returns the query of the interface. A value that is not a number is left out.
func (q query) params(now time.Time) *client.GetPortfolioParams {
	p := &client.GetPortfolioParams{MaxResults: new(rows)}
	if q.Text != "" {
		p.Q = &q.Text
	}
	if id, err := uuid.Parse(q.Workspace); err == nil {
		p.WorkspaceID = &id
	}
	if below, err := strconv.Atoi(q.Below); err == nil && below >= 0 && below <= 101 {
		p.ScoreBelow = &below
	}
	if days, err := strconv.Atoi(q.Since); err == nil && days > 0 && days < 3660 {
		p.NotAssessedSince = new(now.AddDate(0, 0, -days).UTC().Truncate(24 * time.Hour))
	}
	if q.Sort != "" {
		p.Sort = new(client.GetPortfolioParamsSort(q.Sort))
	}
	if q.Token != "" {
		p.ContinuationToken = &q.Token
	}
	return p
}

// content is what the template gets.
type content struct {
	query
	Sorts  []struct{ Value, Name string }
	Models []client.PortfolioModel
	Next   string
}

func show(v *page.Visit) error {
	q := queryOf(v.Request.URL.Query())
	got, err := v.API.GetPortfolioWithResponse(v.Request.Context(), q.params(time.Now()))
	if err != nil {
		return err
	}
	c := content{query: q, Sorts: sorts, Models: got.JSON200.Value}
	if next := got.JSON200.ContinuationToken; next != nil {
		c.Next = q.with("continuationToken", *next)
	}
	return v.Show(view, page.Page{Title: "Portfolio", In: "/", Data: c})
}
