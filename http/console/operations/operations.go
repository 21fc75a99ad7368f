// Package operations is the screen of running, waiting, ended and failed operations. An operation that waits for its owner continues
// while one of its pages is open, because the page reads it.
package operations

import (
	"cmp"
	"embed"
	"net/http"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/console/page"
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
	// maxRead is how many waiting operations a page of the list reads, so that they continue.
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

// row is an operation with the name of its item.
type row struct {
	client.Operation
	// Item is the item's name, Link where a model leads and Report where a report does; "" if they are not known.
	Item, Link, Report string
}

// maxWorkspaces bounds in how many workspaces a list looks up the names of items.
const maxWorkspaces = 5

// named returns operations with the names of their items, as far as the portfolio has them.
func named(v *page.Visit, all []client.Operation) ([]row, error) {
	names := map[string]string{}
	var read []string
	out := make([]row, len(all))
	for i, o := range all {
		out[i].Operation = o
		workspace, item := ids(o)
		if workspace != "" && !slices.Contains(read, workspace) && len(read) < maxWorkspaces {
			read = append(read, workspace)
			if err := readNames(v, workspace, names); err != nil {
				return nil, err
			}
		}
		out[i].Item = names[cmp.Or(item, workspace)]
		if workspace != "" && item != "" && o.Resource.ItemType != nil && *o.Resource.ItemType == "SemanticModel" {
			out[i].Link = "/models/" + workspace + "/" + item
		}
	}
	return out, nil
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

// readNames reads the names of a workspace and its assessed models by their ids.
func readNames(v *page.Visit, workspace string, names map[string]string) error {
	id, err := uuid.Parse(workspace)
	if err != nil {
		return nil //nolint:nilerr // a workspace of another platform has no name here
	}
	got, err := v.API.GetPortfolioWithResponse(v.Request.Context(), &client.GetPortfolioParams{WorkspaceID: &id, MaxResults: new(100)})
	if err != nil {
		return err
	}
	for _, m := range got.JSON200.Value {
		names[m.SemanticModelID.String()], names[workspace] = m.SemanticModelName, m.WorkspaceName
	}
	return nil
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
