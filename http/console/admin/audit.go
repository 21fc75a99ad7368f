package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"readiness/client"
	"readiness/http/console/page"
	"readiness/internal/lists"
)

const (
	// rows is how many events a page has.
	rows = 50
	// perCall and maxCalls bound the events of a file.
	perCall  = 500
	maxCalls = 40
	// lines is the media type of events as the tree has them.
	lines = "application/x-ndjson"
)

// filter is what the list is restricted to, as the address has it.
type filter struct{ Item, Type, Person, Operation, Stream, Since, Until string }

func filterOf(q url.Values) filter {
	return filter{q.Get("itemId"), q.Get("type"), q.Get("person"), q.Get("operationId"), q.Get("stream"), q.Get("since"), q.Get("until")}
}

// Query returns the filter as the query of an address.
func (f filter) Query() string {
	q := url.Values{}
	for name, value := range map[string]string{"itemId": f.Item, "type": f.Type, "person": f.Person, "operationId": f.Operation, "stream": f.Stream,
		"since": f.Since, "until": f.Until} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q.Encode()
}

// malformed is the problem of a filter that is not well formed.
func malformed(what string) error {
	return &page.Problem{Status: http.StatusBadRequest, Title: "The filter is not well formed", Text: what, Link: path + "/audit",
		LinkText: "Show all events"}
}

// params returns the filter as the interface takes it. The last day is included.
func (f filter) params(n int) (*client.ListAuditEventsParams, error) {
	p := &client.ListAuditEventsParams{MaxResults: &n}
	for _, text := range []struct {
		value string
		to    **string
	}{{f.Type, &p.Type}, {f.Person, &p.Person}, {f.Stream, &p.Stream}} {
		if text.value != "" {
			*text.to = &text.value
		}
	}
	for _, text := range []struct {
		value, of string
		to        **uuid.UUID
	}{{f.Operation, "an operation", &p.OperationID}, {f.Item, "a model or report", &p.ItemID}} {
		if text.value == "" {
			continue
		}
		id, err := uuid.Parse(strings.TrimSpace(text.value))
		if err != nil {
			return nil, malformed("The id of " + text.of + " has 32 hexadecimal digits.")
		}
		*text.to = &id
	}
	for _, day := range []struct {
		value string
		more  int
		to    **time.Time
	}{{f.Since, 0, &p.Since}, {f.Until, 1, &p.Until}} {
		if day.value == "" {
			continue
		}
		at, err := time.Parse(time.DateOnly, day.value)
		if err != nil {
			return nil, malformed("A day is written like 2026-11-21.")
		}
		*day.to = new(at.AddDate(0, 0, day.more))
	}
	return p, nil
}

// event is an event of the list.
type event struct {
	client.AuditEvent
	// Item is what it is about; nil if that is no item with a name. Names are of what its data have ids of.
	Item  *called
	Names []called
}

// About returns what people call what it is about, if that has no name.
func (e event) About() string { return streamName(e.Stream) }

// Content returns the data of the event, indented.
func (e event) Content() string {
	var b bytes.Buffer
	if err := json.Indent(&b, e.Data, "", "  "); err != nil {
		return string(e.Data)
	}
	return b.String()
}

// audit is what the list shows.
type audit struct {
	filter
	*names
	Head   string // the newest signed head of the account's tree; "" before the first
	Events []event
	Next   string
}

// Types returns the types of the events on the page.
func (a audit) Types() []string {
	return slices.Compact(slices.Sorted(slices.Values(lists.Map(a.Events, func(e event) string { return e.Type }))))
}

// File returns the address of all events of the list as a file.
func (a audit) File() string { return path + "/audit/events.jsonl?" + a.Query() }

// By returns the address of the list with another value of one filter.
func (a audit) By(name, value string) string {
	q, _ := url.ParseQuery(a.Query()) // it is well formed
	q.Set(name, value)
	return path + "/audit?" + q.Encode()
}

// ItemUnlisted and PersonUnlisted report whether the list is restricted to what cannot be chosen.
func (a audit) ItemUnlisted() bool {
	return a.Item != "" && !slices.ContainsFunc(a.Choices, func(g group) bool {
		return slices.ContainsFunc(g.Items, func(c called) bool { return c.ID == a.Item })
	})
}

// PersonUnlisted is ItemUnlisted for persons.
func (a audit) PersonUnlisted() bool {
	return a.Person != "" && !slices.ContainsFunc(a.Members, func(m called) bool { return m.Name == a.Person })
}

// events lists the events of the account's log, newest first, and the newest signed head of its tree.
func events(v *page.Visit) error {
	ctx, q := v.Request.Context(), v.Request.URL.Query()
	a := audit{filter: filterOf(q)}
	params, err := a.params(rows)
	if err != nil {
		return err
	}
	params.Sort = new(client.ListAuditEventsParamsSortLatest)
	if token := q.Get("continuationToken"); token != "" {
		params.ContinuationToken = &token
	}
	// A failed call does not cancel the other one: the service would log a canceled call as an internal error.
	var together errgroup.Group
	var got *client.ListAuditEventsResponse
	together.Go(func() (err error) {
		got, err = v.API.ListAuditEventsWithResponse(ctx, params)
		return err
	})
	together.Go(func() (err error) {
		a.names, err = readNames(ctx, v.API)
		return err
	})
	together.Go(func() error {
		head, err := v.API.GetAccountTreeWithResponse(ctx, v.Who.Account, "checkpoint", accept("text/plain"))
		if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status == http.StatusNotFound {
			return nil
		}
		if err == nil {
			a.Head = string(head.Body)
		}
		return err
	})
	if err := together.Wait(); err != nil {
		return err
	}
	a.learn(got.JSON200.Value)
	for _, e := range got.JSON200.Value {
		a.Events = append(a.Events, event{e, a.about(e), a.in(e.Data)})
	}
	if next := got.JSON200.ContinuationToken; next != nil {
		q.Set("continuationToken", *next)
		a.Next = path + "/audit?" + q.Encode()
	}
	return v.Show(auditView, page.Page{Title: "Log of events", In: path, Data: a})
}

// exportEvents sends the events of the filter as the lines that the account's tree has.
func exportEvents(v *page.Visit) error {
	params, err := filterOf(v.Request.URL.Query()).params(perCall)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for range maxCalls {
		got, err := v.API.ListAuditEventsWithResponse(v.Request.Context(), params, accept(lines))
		if err != nil {
			return err
		}
		b.Write(got.Body)
		next := after(got.HTTPResponse.Header.Get("Link"))
		if next == "" {
			break
		}
		params.ContinuationToken = &next
	}
	return v.File("events.jsonl", lines, b.Bytes())
}

// accept asks for a media type.
func accept(kind string) client.RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set("Accept", kind)
		return nil
	}
}

// after returns the token of the next page that a header Link names; "" on the last one.
func after(link string) string {
	address, _, _ := strings.Cut(strings.TrimPrefix(link, "<"), ">")
	to, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return to.Query().Get("continuationToken")
}

// proof sends the proof that an event is in the account's log.
func proof(v *page.Visit) error {
	id, err := uuid.Parse(v.Request.PathValue("id"))
	if err != nil {
		return page.NotFound
	}
	got, err := v.API.GetAuditProofWithResponse(v.Request.Context(), id, accept("text/plain"))
	if err != nil {
		return err
	}
	return v.File("event-"+id.String()+".tlog-proof", "text/plain; charset=utf-8", got.Body)
}
