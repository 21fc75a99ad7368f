// Package search is the screen that finds models, workspaces, reports, A/B tests and operations by their names.
package search

import (
	"context"
	"embed"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"readiness/client"
	"readiness/http/console/operations"
	"readiness/http/console/page"
	"readiness/internal/optional"
)

//go:embed *.html
var files embed.FS

var view = page.NewView(files, "search.html")

// Screen returns the screen.
func Screen() page.Screen {
	return page.Screen{Name: "Search", Path: "/search", Routes: []page.Route{{Pattern: "GET /search", Serve: show}}}
}

const (
	// shown is how many of each kind are shown.
	shown = 20
	// maxWorkspaces bounds how many workspaces are read, maxListed in how many of them the reports are read, as each is a call of the platform.
	maxWorkspaces, maxListed = 500, 20
	// atOnce is how many workspaces' reports are read at once, and maxReports how many of one.
	atOnce, maxReports = 4, 100
)

// hit is something that was found.
type hit struct {
	Name, Where, State, Address string
}

// found is what was found of a kind. More leads to all of them; "" if these are all, or no page has them.
type found struct {
	ID, Name string
	Hits     []hit
	More     string
}

// content is what the page shows.
type content struct {
	Text  string
	Found []found
	// Unread says what was not looked at; "" for nothing.
	Unread string
}

// Any reports whether something was found.
func (c content) Any() bool {
	for _, f := range c.Found {
		if len(f.Hits) > 0 {
			return true
		}
	}
	return false
}

// finding is a search in progress.
type finding struct {
	api                                            *client.Service
	text                                           string
	models, workspaces, reports, tests, operations found
	unread                                         string
}

func show(v *page.Visit) error {
	c := content{Text: strings.TrimSpace(v.Request.URL.Query().Get("q"))}
	if c.Text != "" {
		f := &finding{api: v.API, text: c.Text}
		ctx, together := v.Request.Context(), errgroup.Group{} // a failed call does not cancel the others
		together.Go(func() error { return f.findModels(ctx) })
		together.Go(func() error { return f.findPlaces(ctx) })
		together.Go(func() error { return f.findTests(ctx) })
		together.Go(func() error { return f.findOperations(v) })
		if err := together.Wait(); err != nil {
			return err
		}
		c.Found, c.Unread = []found{f.models, f.workspaces, f.reports, f.tests, f.operations}, strings.TrimSpace(f.unread)
	}
	return v.Show(view, page.Page{Title: "Search", In: "/search", Data: c})
}

// fits reports whether a name has the text in it.
func (f *finding) fits(name string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(f.text))
}

func (f *finding) findModels(ctx context.Context) error {
	f.models = found{ID: "models", Name: "Models"}
	got, err := f.api.GetPortfolioWithResponse(ctx, &client.GetPortfolioParams{Q: &f.text, MaxResults: new(shown)})
	if err != nil {
		return err
	}
	failed := map[uuid.UUID]bool{}
	for _, m := range got.JSON200.Failures {
		failed[m.SemanticModelID] = true
		if len(f.models.Hits) < shown {
			f.models.Hits = append(f.models.Hits, hit{m.SemanticModelName, m.WorkspaceName, "last assessment failed",
				fmt.Sprintf("/models/%s/%s", m.WorkspaceID, m.SemanticModelID)})
		}
	}
	for _, m := range got.JSON200.Value {
		if !failed[m.SemanticModelID] && len(f.models.Hits) < shown {
			f.models.Hits = append(f.models.Hits, hit{m.SemanticModelName, m.WorkspaceName, "", fmt.Sprintf("/models/%s/%s", m.WorkspaceID,
				m.SemanticModelID)})
		}
	}
	if got.JSON200.ContinuationToken != nil || len(f.models.Hits) == shown {
		f.models.More = "/?" + url.Values{"q": {f.text}}.Encode()
	}
	return nil
}

// findPlaces finds workspaces, and the reports of the first ones.
func (f *finding) findPlaces(ctx context.Context) error {
	f.workspaces, f.reports = found{ID: "workspaces", Name: "Workspaces"}, found{ID: "reports", Name: "Reports"}
	got, err := f.api.ListWorkspacesWithResponse(ctx, &client.ListWorkspacesParams{MaxResults: new(maxWorkspaces)})
	if err != nil {
		return err
	}
	all := got.JSON200.Value
	for _, w := range all {
		if f.fits(w.WorkspaceName) && len(f.workspaces.Hits) < shown {
			f.workspaces.Hits = append(f.workspaces.Hits, hit{Name: w.WorkspaceName, Address: "/assess?workspaceId=" + w.WorkspaceID.String()})
		}
	}
	if len(all) > maxListed {
		f.unread = fmt.Sprintf("Reports were looked for in the first %d of %d workspaces.", maxListed, len(all))
		all = all[:maxListed]
	}
	var together errgroup.Group
	together.SetLimit(atOnce)
	reports := make([][]hit, len(all)) // by workspace; nil for one whose reports cannot be listed
	for i, w := range all {
		together.Go(func() error {
			got, err := f.api.ListReportsWithResponse(ctx, w.WorkspaceID, &client.ListReportsParams{MaxResults: new(maxReports)})
			if err != nil {
				return nil //nolint:nilerr // said below
			}
			reports[i] = []hit{}
			for _, r := range got.JSON200.Value {
				if name := optional.Text(r.ReportName); f.fits(name) {
					reports[i] = append(reports[i], hit{Name: name, Where: w.WorkspaceName, Address: fmt.Sprintf("/pixies/%s/%s",
						w.WorkspaceID, r.ReportID)})
				}
			}
			return nil
		})
	}
	_ = together.Wait() // none fails
	unlisted := 0
	for _, hits := range reports {
		if hits == nil {
			unlisted++
		}
		f.reports.Hits = append(f.reports.Hits, hits[:min(len(hits), shown-len(f.reports.Hits))]...)
	}
	if unlisted > 0 {
		f.unread += fmt.Sprintf(" The reports of %d of %d workspaces could not be listed.", unlisted, len(all))
	}
	return nil
}

func (f *finding) findTests(ctx context.Context) error {
	f.tests = found{ID: "tests", Name: "A/B tests"}
	got, err := f.api.ListAbTestsWithResponse(ctx, &client.ListAbTestsParams{Q: &f.text, MaxResults: new(shown)})
	if err != nil {
		return err
	}
	for _, t := range got.JSON200.Value {
		f.tests.Hits = append(f.tests.Hits, hit{Name: t.Name, Address: "/evaluations/" + t.AbTestID})
	}
	if got.JSON200.ContinuationToken != nil {
		f.tests.More = "/evaluations?" + url.Values{"q": {f.text}}.Encode()
	}
	return nil
}

func (f *finding) findOperations(v *page.Visit) error {
	f.operations = found{ID: "operations", Name: "Operations"}
	matches, err := operations.Search(v, f.text)
	for _, m := range matches[:min(len(matches), shown)] {
		f.operations.Hits = append(f.operations.Hits, hit{Name: m.Name, Where: strings.TrimPrefix(m.Item+" · "+m.Status, " · "), Address: m.Address})
	}
	return err
}
