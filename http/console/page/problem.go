package page

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"readiness/client"
)

// Problem is an error with the words of its page.
type Problem struct {
	Status      int
	Title, Text string
	// Link and LinkText lead to a page that helps; "" for none.
	Link, LinkText string
	// Code and RequestID name the refusal and the call, for support.
	Code, RequestID string
	// Again is after how many seconds a retry may succeed; 0 if waiting does not help.
	Again int
}

func (p *Problem) Error() string { return p.Title + ": " + p.Text }

// NotFound is the problem of an address without a page.
var NotFound = &Problem{Status: http.StatusNotFound, Title: "There is no such page",
	Text: "The address may be mistyped, or what it showed was deleted.", Link: "/", LinkText: "Go to the portfolio"}

var problemView = NewView(layouts, "problem.html")

// Fail sends the page of an error. Words of the service are shown as they are; of other errors, only the log has the text.
func (v *Visit) Fail(err error) {
	p := problemOf(err)
	if _, known := errors.AsType[*Problem](err); !known && p.Status >= http.StatusInternalServerError && p.Code == "" {
		v.Site.Log.ErrorContext(v.Request.Context(), "a page failed", "path", v.Request.URL.Path, "err", err)
	}
	if err := v.Show(problemView, Page{Title: p.Title, Status: p.Status, Data: p}); err != nil {
		v.Site.Log.ErrorContext(v.Request.Context(), "the page of a problem failed", "err", err)
		http.Error(v.Writer, p.Title, p.Status)
	}
}

// titles are the headings of refusals by status.
var titles = map[int]string{
	http.StatusBadRequest: "The service could not use that", http.StatusForbidden: "You may not see or do this",
	http.StatusNotFound: "Nothing is there, or you cannot see it", http.StatusConflict: "That cannot be done now",
	http.StatusGone: "That is no longer kept", http.StatusTooManyRequests: "That is too much for now",
	http.StatusPreconditionFailed: "Someone else changed it in the meantime",
	http.StatusBadGateway:         "The platform did not answer", http.StatusServiceUnavailable: "The service cannot answer now",
}

// Refusal returns what is wrong with a form that was refused, "" if err says something else. The form is shown with it, as it was sent.
func Refusal(err error) string {
	if p := problemOf(err); err != nil && p.Status == http.StatusBadRequest {
		return p.Text
	}
	return ""
}

func problemOf(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	e, ok := errors.AsType[*client.Error](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &Problem{Status: http.StatusGatewayTimeout, Title: "That took too long", Text: "Load the page again in a moment."}
	case !ok:
		return &Problem{Status: http.StatusInternalServerError, Title: "The page failed",
			Text: "The service has an internal error. Load the page again; if it keeps failing, report the time and the address."}
	}
	p := &Problem{Status: e.Status, Title: titles[e.Status], Text: e.Message, Code: e.ErrorCode, RequestID: e.RequestID.String(),
		Again: int((e.RetryAfter + time.Second - 1) / time.Second)}
	p.Title = cmp.Or(p.Title, "The service refused")
	for _, parameter := range e.Parameters {
		to, err := url.Parse(parameter.Value)
		if parameter.Name == "consentUrl" && err == nil && (to.Scheme == "https" || to.Scheme == "http") {
			p.Link, p.LinkText = parameter.Value, "Grant the permission"
		}
	}
	return p
}
