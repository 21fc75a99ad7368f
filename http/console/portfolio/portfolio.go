// Package portfolio is the screen of all models: their scores, the lowest one, and the changes.
package portfolio

import (
	"cmp"
	"embed"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"readiness/client"
	"readiness/http/console/chart"
	"readiness/http/console/page"
)

//go:embed *.html
var files embed.FS

var view = page.NewView(files, "portfolio.html")

// Screen returns the screen.
func Screen() page.Screen {
	return page.Screen{Name: "Portfolio", Path: "/", Routes: []page.Route{
		{Pattern: "GET /{$}", Serve: show}, {Pattern: "GET /portfolio.csv", Serve: export},
		{Pattern: "GET /assess", Serve: choose}, {Pattern: "POST /assess", Serve: assess},
		{Pattern: "POST /assess/all", Serve: everything}, {Pattern: "POST /assess/outdated", Serve: outdated}, {Pattern: "GET /assessing", Serve: follow},
	}}
}

// rows is how many models a page of the list has.
const rows = 50

// query is what the list shows, as the address of the page has it.
type query struct {
	Text, Workspace, Below, Since, Outdated, Owner, Sort, Token string
	// Failed shows the models whose newest assessment failed, and no others.
	Failed bool
}

// named is a value of a field, and what people read.
type named struct{ Value, Name string }

// sorts are the orders of the list.
var sorts = []named{{"score", "Lowest score"}, {"change", "Largest loss"}, {"views", "Most viewed"}, {"name", "Name"}}

// Owners returns the choices of whose models are listed. Any other member is chosen by the address.
func (q query) Owners() []named {
	all := []named{{"", "Anyone"}, {"me", "You"}, {"none", "Nobody"}}
	if !slices.ContainsFunc(all, func(n named) bool { return n.Value == q.Owner }) {
		all = append(all, named{q.Owner, q.Owner})
	}
	return all
}

func queryOf(q url.Values) query {
	return query{Text: q.Get("q"), Workspace: q.Get("workspaceId"), Below: q.Get("scoreBelow"), Since: q.Get("days"), Outdated: q.Get("outdated"),
		Owner: q.Get("owner"), Sort: cmp.Or(q.Get("sort"), "score"), Token: q.Get("continuationToken"), Failed: q.Get("state") == "failed"}
}

// values returns the query as parameters of an address, without the page.
func (q query) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"q": q.Text, "workspaceId": q.Workspace, "scoreBelow": q.Below, "days": q.Since,
		"outdated": q.Outdated, "owner": q.Owner} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if q.Sort != "score" {
		v.Set("sort", q.Sort)
	}
	if q.Failed {
		v.Set("state", "failed")
	}
	return v
}

// Filtered reports whether the list leaves models out.
func (q query) Filtered() bool {
	return q.Text != "" || q.Workspace != "" || q.Below != "" || q.Since != "" || q.Outdated != "" || q.Owner != "" || q.Failed
}

// By returns the address of the list in another order.
func (q query) By(sort string) string {
	v := q.values()
	v.Set("sort", sort)
	return "/?" + v.Encode()
}

// In returns the address of the list of one workspace.
func (q query) In(workspaceID string) string {
	return "/?" + url.Values{"workspaceId": {workspaceID}}.Encode()
}

// CSV returns the address of the list as a file.
func (q query) CSV() string { return "/portfolio.csv?" + q.values().Encode() }

// params returns the query of the interface, for a page of n models. A value that is not a number is left out.
func (q query) params(now time.Time, n int) *client.GetPortfolioParams {
	p := &client.GetPortfolioParams{MaxResults: &n}
	if q.Text != "" {
		p.Q = &q.Text
	}
	if id, err := uuid.Parse(q.Workspace); err == nil {
		p.WorkspaceID = &id
	}
	if below, err := strconv.Atoi(q.Below); err == nil && below >= 1 && below <= 100 {
		p.ScoreBelow = &below
	}
	if days, err := strconv.Atoi(q.Since); err == nil && days > 0 && days <= 3650 {
		p.NotAssessedSince = new(now.AddDate(0, 0, -days).UTC().Truncate(24 * time.Hour))
	}
	if q.Outdated != "" {
		p.Outdated = new(true)
	}
	if q.Owner != "" {
		p.Owner = &q.Owner
	}
	if slices.ContainsFunc(sorts, func(s named) bool { return s.Value == q.Sort }) {
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
	Sorts  []named
	Models []client.PortfolioModel
	Next   string
	// Failures are the models whose newest assessment failed and that Models does not have, MoreFailures how many others there are.
	Failures     []client.FailedAssessment
	MoreFailures int
	failed       map[uuid.UUID]client.FailedAssessment
	// Summary is nil where the list leaves models out, and on later pages.
	Summary *summary
}

func show(v *page.Visit) error {
	ctx, q := v.Request.Context(), queryOf(v.Request.URL.Query())
	var got *client.GetPortfolioResponse
	var all *client.GetPortfolioSummaryResponse
	// A call that fails does not end the other: the service would log that as an internal error.
	var together errgroup.Group
	together.Go(func() (err error) {
		got, err = v.API.GetPortfolioWithResponse(ctx, q.params(time.Now(), rows))
		return err
	})
	if !q.Filtered() && q.Token == "" {
		together.Go(func() (err error) {
			all, err = v.API.GetPortfolioSummaryWithResponse(ctx, nil)
			return err
		})
	}
	if err := together.Wait(); err != nil {
		return err
	}
	c := content{query: q, Sorts: sorts, Models: got.JSON200.Value}
	if q.Failed {
		c.Models, got.JSON200.ContinuationToken = nil, nil
	}
	c.fail(got.JSON200.Failures)
	if next := got.JSON200.ContinuationToken; next != nil {
		values := q.values()
		values.Set("continuationToken", *next)
		c.Next = "/?" + values.Encode()
	}
	if all == nil || len(c.Models) == 0 && len(c.Failures) == 0 {
		return c.show(v)
	}
	c.Summary = &summary{PortfolioSummary: *all.JSON200, Spread: spread(*all.JSON200)}
	if err := c.Summary.name(ctx, v.API, c.Models, q.Sort); err != nil {
		return err
	}
	return c.show(v)
}

// maxFailures is how many failures the first page has above the models; a list of them alone has as many as a page has rows.
const maxFailures = 3

// fail takes the failures: those of listed models are shown in their rows.
func (c *content) fail(all []client.FailedAssessment) {
	c.failed = map[uuid.UUID]client.FailedAssessment{}
	for _, f := range all {
		c.failed[f.SemanticModelID] = f
		if !slices.ContainsFunc(c.Models, func(m client.PortfolioModel) bool { return m.SemanticModelID == f.SemanticModelID }) {
			c.Failures = append(c.Failures, f)
		}
	}
	most := maxFailures
	if c.Filtered() {
		most = rows
	}
	c.MoreFailures = max(0, len(c.Failures)-most)
	c.Failures = c.Failures[:min(len(c.Failures), most)]
}

// AllFailed returns how many models of the list have a newest assessment that failed.
func (c content) AllFailed() int { return len(c.failed) }

// State returns what people call a failure.
func (content) State(f client.FailedAssessment) string {
	return page.Failed{OperationError: f.Error}.State()
}

// Why returns what failed, without the beginning that State says already.
func (content) Why(f client.FailedAssessment) string {
	return strings.TrimPrefix(f.Error.Message, "the definition cannot be read: ")
}

// FailedOf returns the failure of a listed model; nil if there is none.
func (c content) FailedOf(id uuid.UUID) *client.FailedAssessment {
	if f, ok := c.failed[id]; ok {
		return &f
	}
	return nil
}

func (c content) show(v *page.Visit) error {
	return v.Show(view, page.Page{Title: "Portfolio", In: "/", Data: c})
}

// Trend returns the small line of a model's scores.
func (content) Trend(m client.PortfolioModel) chart.Spark {
	c := chart.Spark{What: "Scores", High: 100}
	for _, score := range m.Scores {
		c.Values = append(c.Values, float64(score))
	}
	return c
}
