// Package pixies is the screen of page views: which reports have Pixies, and how often their pages are viewed.
package pixies

import (
	"context"
	"embed"
	"errors"
	"net/http"
	"net/url"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"readiness/client"
	"readiness/http/console/chart"
	"readiness/http/console/page"
)

//go:embed *.html
var files embed.FS

var (
	listView   = page.NewView(files, "list.html")
	reportView = page.NewView(files, "report.html")
	sureView   = page.NewView(files, "sure.html")
)

// path is where the navigation leads.
const path = "/pixies"

// Screen returns the screen.
func Screen() page.Screen {
	return page.Screen{Name: "Pixies", Path: path, Routes: []page.Route{
		{Pattern: "GET /pixies", Serve: list}, {Pattern: "POST /pixies/{w}", Serve: change}, {Pattern: "GET /pixies/{w}/{r}", Serve: show},
	}}
}

const (
	// rows is how many reports a page has, and how many one form changes at most.
	rows = 100
	// maxCovered is how many workspaces the coverage is shown of.
	maxCovered = 8
	// maxCalendars is how many pages of a report have a calendar.
	maxCalendars = 6
)

// content is what the list shows.
type content struct {
	Workspaces []client.Workspace
	Workspace  *client.Workspace
	Coverage   chart.Bars
	Reports    []client.WorkspaceReport
	Next       string
}

// list shows the coverage of the first workspaces, and the reports of one.
func list(v *page.Visit) error {
	ctx, q := v.Request.Context(), v.Request.URL.Query()
	got, err := v.API.ListWorkspacesWithResponse(ctx, &client.ListWorkspacesParams{MaxResults: new(500)})
	if err != nil {
		return err
	}
	c := content{Workspaces: got.JSON200.Value}
	c.Coverage = chart.Bars{Caption: "Reports with Pixies", LabelHead: "Workspace", ValueHead: "Share", NoteHead: "Reports", Max: 100}
	c.Coverage.Bars = make([]chart.Bar, min(len(c.Workspaces), maxCovered))
	// A failed call does not cancel the others: the service would log a canceled call as an internal error.
	var together errgroup.Group
	for i, w := range c.Workspaces {
		if w.WorkspaceID.String() == q.Get("workspaceId") || i == 0 && q.Get("workspaceId") == "" {
			c.Workspace = &w
		}
		if i < maxCovered {
			together.Go(func() (err error) {
				c.Coverage.Bars[i], err = covered(ctx, v.API, w)
				return err
			})
		}
	}
	if c.Workspace != nil {
		together.Go(func() error { return c.reports(v, q) })
	}
	if err := together.Wait(); err != nil {
		return err
	}
	return v.Show(listView, page.Page{Title: "Pixies", In: path, Data: c})
}

// covered returns a row of the coverage. If the platform does not list the reports of a workspace, the others are still shown.
func covered(ctx context.Context, api *client.Service, w client.Workspace) (chart.Bar, error) {
	bar := chart.Bar{Label: w.WorkspaceName, Link: path + "?workspaceId=" + w.WorkspaceID.String()}
	got, err := api.ListReportsWithResponse(ctx, w.WorkspaceID, &client.ListReportsParams{MaxResults: new(500)})
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status != http.StatusUnauthorized {
		bar.Missing, bar.Text, bar.Note = true, "–", refused.Message
		return bar, nil
	}
	if err != nil {
		return bar, err
	}
	all, with := len(got.JSON200.Value), 0
	for _, r := range got.JSON200.Value {
		if r.HasPixies {
			with++
		}
	}
	if all == 0 {
		bar.Missing, bar.Text, bar.Note = true, "–", "no report"
	} else {
		share := 100 * with / all
		bar.Value, bar.Text, bar.Note = float64(share), chart.Decimal(float64(share))+" %",
			chart.Decimal(float64(with))+" of "+chart.Decimal(float64(all))
	}
	return bar, nil
}

// reports reads a page of the reports of the workspace.
func (c *content) reports(v *page.Visit, q url.Values) error {
	params := &client.ListReportsParams{MaxResults: new(rows)}
	if token := q.Get("continuationToken"); token != "" {
		params.ContinuationToken = &token
	}
	got, err := v.API.ListReportsWithResponse(v.Request.Context(), c.Workspace.WorkspaceID, params)
	if err != nil {
		return err
	}
	c.Reports = got.JSON200.Value
	if next := got.JSON200.ContinuationToken; next != nil {
		c.Next = path + "?" + url.Values{"workspaceId": {c.Workspace.WorkspaceID.String()}, "continuationToken": {*next}}.Encode()
	}
	return nil
}

// sure is what the page shows on which a change is confirmed.
type sure struct {
	WorkspaceID uuid.UUID
	Add         bool
	Reports     []client.WorkspaceReport
	// New is how many of them have no Pixies.
	New int
}

// confirm shows what a change would do to the reports, before anything is started.
func confirm(v *page.Visit, w uuid.UUID, ids []uuid.UUID, add bool) error {
	params := &client.ListReportsParams{MaxResults: new(500)}
	s, left := sure{WorkspaceID: w, Add: add}, map[uuid.UUID]bool{}
	for _, id := range ids {
		left[id] = true
	}
	for len(left) > 0 {
		got, err := v.API.ListReportsWithResponse(v.Request.Context(), w, params)
		if err != nil {
			return err
		}
		for _, r := range got.JSON200.Value {
			if !left[r.ReportID] {
				continue
			}
			delete(left, r.ReportID)
			s.Reports = append(s.Reports, r)
			if !r.HasPixies {
				s.New++
			}
		}
		if params.ContinuationToken = got.JSON200.ContinuationToken; params.ContinuationToken == nil {
			break
		}
	}
	if len(left) > 0 {
		return &page.Problem{Status: http.StatusNotFound, Title: "A report is not there, or you cannot see it", Text: "Nothing was changed.",
			Link: path + "?workspaceId=" + w.String(), LinkText: "Choose reports"}
	}
	return v.Show(sureView, page.Page{Title: "Pixies", In: path, Data: s})
}

// change adds Pixies to the chosen reports, or removes them, once the person has confirmed it.
func change(v *page.Visit) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	w, err := uuid.Parse(v.Request.PathValue("w"))
	if err != nil {
		return page.NotFound
	}
	var ids []uuid.UUID
	for _, text := range form["report"] {
		id, err := uuid.Parse(text)
		if err != nil {
			ids = nil
			break
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return &page.Problem{Status: http.StatusBadRequest, Title: "No report is chosen", Text: "Check the reports to change.",
			Link: path + "?workspaceId=" + w.String(), LinkText: "Choose reports"}
	}
	if do := form.Get("do"); (do == "add" || do == "remove") && form.Get("sure") == "" {
		return confirm(v, w, ids, do == "add")
	}
	body, ctx := client.PixiesBulkRequest{ReportIds: ids}, v.Request.Context()
	var started *client.Accepted
	switch form.Get("do") {
	case "add":
		got, err := v.API.AddPixiesToReportsWithResponse(ctx, w, nil, body)
		if err != nil {
			return err
		}
		started = got.JSON202
	case "remove":
		got, err := v.API.RemovePixiesFromReportsWithResponse(ctx, w, nil, body)
		if err != nil {
			return err
		}
		started = got.JSON202
	default:
		return &page.Problem{Status: http.StatusBadRequest, Title: "The form is incomplete", Text: "Press Add Pixies or Remove Pixies."}
	}
	return v.See("/operations/" + started.OperationID.String())
}

// report is what the page of a report shows.
type report struct {
	client.ReportPixies
	Views     client.PageViews
	All       chart.Calendar
	Calendars []chart.Calendar
}

// Name returns the name of the report.
func (r report) Name() string {
	if r.ReportName != nil {
		return *r.ReportName
	}
	return "a report"
}

// More returns how many listed pages have no calendar.
func (r report) More() []client.ViewedPage {
	return r.Views.Value[min(len(r.Views.Value), maxCalendars):]
}

// show shows how often the pages of a report are viewed.
func show(v *page.Visit) error {
	w, wrong := uuid.Parse(v.Request.PathValue("w"))
	id, err := uuid.Parse(v.Request.PathValue("r"))
	if errors.Join(wrong, err) != nil {
		return page.NotFound
	}
	// A failed call does not cancel the other one: the service would log a canceled call as an internal error.
	ctx, together := v.Request.Context(), errgroup.Group{}
	var views *client.GetPageViewsResponse
	var got *client.GetReportPixiesResponse
	together.Go(func() (err error) {
		views, err = v.API.GetPageViewsWithResponse(ctx, w, id)
		return err
	})
	together.Go(func() (err error) {
		got, err = v.API.GetReportPixiesWithResponse(ctx, w, id)
		return err
	})
	if err := together.Wait(); err != nil {
		return err
	}
	r := report{ReportPixies: *got.JSON200, Views: *views.JSON200}
	var sums []int64
	for i, p := range r.Views.Value {
		if i == 0 {
			sums = make([]int64, len(p.Days))
		}
		for day, n := range p.Days {
			sums[day] += n
		}
		if i < maxCalendars {
			r.Calendars = append(r.Calendars, r.calendar("Page "+p.Page, p.Days))
		}
	}
	r.All = r.calendar("All pages", sums)
	return v.Show(reportView, page.Page{Title: r.Name(), In: path, Data: r})
}

// calendar returns the views of days as a calendar.
func (r report) calendar(caption string, days []int64) chart.Calendar {
	c := chart.Calendar{Caption: caption, Head: "Views"}
	for i, n := range days {
		c.Days = append(c.Days, chart.Day{At: r.Views.FromUtc.AddDate(0, 0, i), Value: int(n)})
	}
	return c
}
