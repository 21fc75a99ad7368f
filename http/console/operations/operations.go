// Package operations is the screen of running, waiting, ended and failed operations. An operation that waits for its owner continues
// while one of its pages is open, because the page reads it.
package operations

import (
	"cmp"
	"embed"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"readiness/client"
	"readiness/http/console/page"
	"readiness/internal/lists"
	"readiness/internal/optional"
)

//go:embed *.html
var files embed.FS

var (
	listView   = page.NewView(files, "list.html")
	oneView    = page.NewView(files, "operation.html", "written.html")
	revertView = page.NewView(files, "revert.html", "written.html")
)

// Screen returns the screen.
func Screen() page.Screen {
	return page.Screen{Name: "Operations", Path: "/operations", Routes: []page.Route{
		{Pattern: "GET /operations", Serve: list}, {Pattern: "GET /operations/{id}", Serve: show},
		{Pattern: "POST /operations/{id}/cancel", Serve: cancel},
		{Pattern: "GET /operations/{id}/revert", Serve: showRevert}, {Pattern: "POST /operations/{id}/revert", Serve: revert},
	}}
}

const (
	// rows is how many operations a page of the list has.
	rows = 50
	// maxRead is how many waiting operations a page of the list reads, so that they continue, and how many reports it names.
	maxRead = 10
)

// statuses are what a list can be restricted to.
var statuses = []client.OperationStatus{client.OperationStatusNotStarted, client.OperationStatusRunning, client.OperationStatusSucceeded,
	client.OperationStatusFailed, client.OperationStatusCancelled}

// content is what the list shows.
type content struct {
	Status     string
	Statuses   []client.OperationStatus
	Operations []row
	Next       string
	// Live is whether the page loads itself again; Running whether something runs, so that it would.
	Live, Running bool
}

// Address returns the address of the list with or without loading itself again.
func (c content) Address(live string) string {
	q := url.Values{}
	if c.Status != "" {
		q.Set("status", c.Status)
	}
	if live != "" {
		q.Set("live", live)
	}
	return "/operations?" + q.Encode()
}

func list(v *page.Visit) error {
	q := v.Request.URL.Query()
	c := content{Status: q.Get("status"), Statuses: statuses}
	params := &client.ListOperationsParams{MaxResults: new(rows)}
	if c.Status != "" {
		params.Status = new(client.OperationStatus(c.Status))
	}
	if token := q.Get("continuationToken"); token != "" {
		params.ContinuationToken = &token
	}
	got, err := v.API.ListOperationsWithResponse(v.Request.Context(), params)
	if err != nil {
		return err
	}
	all := got.JSON200.Value
	if err := readWaiting(v, all); err != nil {
		return err
	}
	if c.Operations, err = named(v, all); err != nil {
		return err
	}
	if err := nameReports(v, c.Operations); err != nil {
		return err
	}
	if next := got.JSON200.ContinuationToken; next != nil {
		q.Set("continuationToken", *next)
		c.Next = "/operations?" + q.Encode()
	}
	running := slices.IndexFunc(all, func(o client.Operation) bool { return !o.Ended() })
	c.Running = running >= 0
	c.Live = c.Running && q.Get("live") != "no"
	p := page.Page{Title: "Operations", In: "/operations", Data: c}
	if c.Live {
		p.Refresh = page.Again(all[running].CreatedTimeUtc)
	}
	return v.Show(listView, p)
}

// readWaiting reads operations that wait for a read by the person who started them. A read by someone else changes nothing.
func readWaiting(v *page.Visit, all []client.Operation) error {
	left := maxRead
	for i, o := range all {
		if o.WaitingFor == nil || left == 0 {
			continue
		}
		left--
		got, err := v.API.GetOperationWithResponse(v.Request.Context(), o.ID, nil)
		if err != nil {
			return err
		}
		all[i] = *got.JSON200
	}
	return nil
}

// nameReports names the reports whose Pixies the newest operations change.
func nameReports(v *page.Visit, all []row) error {
	left := maxRead
	for i := range all {
		if left == 0 || !strings.HasSuffix(all[i].Type(), "Pixies") {
			continue
		}
		left--
		if err := all[i].nameReport(v); err != nil {
			return err
		}
	}
	return nil
}

// row is an operation with the name of its item.
type row struct {
	client.Operation
	// Item is the item's name, Link where a model leads and Report where a report does; "" if they are not known.
	Item, Link, Report string
}

const (
	// maxWorkspaces bounds in how many workspaces a list looks up the names of items, and maxModels how many models of one.
	maxWorkspaces, maxModels = 25, 500
	// atOnce is in how many at once.
	atOnce = 4
)

// named returns operations with the names of their items, as far as the portfolio has them.
func named(v *page.Visit, all []client.Operation) ([]row, error) {
	var workspaces []string
	for _, o := range all {
		if w, _ := ids(o); w != "" && !slices.Contains(workspaces, w) {
			workspaces = append(workspaces, w)
		}
	}
	names, err := readNames(v, workspaces[:min(len(workspaces), maxWorkspaces)])
	return lists.Map(all, func(o client.Operation) row {
		workspace, item := ids(o)
		r := row{Operation: o, Item: names[cmp.Or(item, workspace)]}
		if workspace != "" && item != "" && optional.Text(o.Resource.ItemType) == "SemanticModel" {
			r.Link = "/models/" + workspace + "/" + item
		}
		return r
	}), err
}

// things are what people call an item whose name is not known, by its type.
var things = map[string]string{"SemanticModel": "a model", "Report": "a report", "DataAgent": "a data agent", "": "a workspace"}

// Thing returns what the operation is about: the name of its item, or what it is; "" for nothing.
func (r row) Thing() string {
	if r.Resource == nil {
		return ""
	}
	return cmp.Or(r.Item, things[optional.Text(r.Resource.ItemType)])
}

// ids returns the ids of the workspace and the item of an operation, as far as it has them.
func ids(o client.Operation) (workspace, item string) {
	if o.Resource == nil {
		return "", ""
	}
	if o.Resource.WorkspaceID != nil {
		workspace = *o.Resource.WorkspaceID
	}
	if o.Resource.ItemID != nil {
		item = *o.Resource.ItemID
	}
	return workspace, item
}

// readNames reads the names of workspaces and their assessed models, also of those whose assessment failed, by their ids.
func readNames(v *page.Visit, workspaces []string) (map[string]string, error) {
	var (
		lock     sync.Mutex
		together errgroup.Group // a failed call does not cancel the others
	)
	names := map[string]string{}
	together.SetLimit(atOnce)
	for _, workspace := range workspaces {
		id, err := uuid.Parse(workspace)
		if err != nil {
			continue // a workspace of another platform has no name here
		}
		together.Go(func() error {
			got, err := v.API.GetPortfolioWithResponse(v.Request.Context(), &client.GetPortfolioParams{WorkspaceID: &id, MaxResults: new(maxModels)})
			if err != nil {
				return err
			}
			lock.Lock()
			defer lock.Unlock()
			for _, m := range got.JSON200.Value {
				names[m.SemanticModelID.String()], names[workspace] = m.SemanticModelName, m.WorkspaceName
			}
			for _, f := range got.JSON200.Failures {
				names[f.SemanticModelID.String()], names[workspace] = f.SemanticModelName, f.WorkspaceName
			}
			return nil
		})
	}
	return names, together.Wait()
}

// operationID returns the id of the page's operation.
func operationID(v *page.Visit) (uuid.UUID, error) {
	id, err := uuid.Parse(v.Request.PathValue("id"))
	if err != nil {
		return id, page.NotFound
	}
	return id, nil
}

// cancel stops a run.
func cancel(v *page.Visit) error {
	id, err := operationID(v)
	if err != nil {
		return err
	}
	if _, err := v.API.CancelOperationWithResponse(v.Request.Context(), id, nil); err != nil {
		return err
	}
	return v.See("/operations/" + id.String())
}

// gone reports whether an error is that of something that is no longer kept.
func gone(err error) bool { return hasStatus(err, http.StatusGone) }
