package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

var operationID = uuid.MustParse("01a1fe19-b4e6-73d6-a5f4-307239dadc95")

// state returns a response with the state of an operation.
func state(status, more string, headers ...string) func(http.ResponseWriter) {
	return answer(200, fmt.Sprintf(`{"id":%q,"status":%q,"operationType":"PreviewOptimizations","createdTimeUtc":"2026-11-21T10:00:00Z","lastUpdatedTimeUtc":"2026-11-21T10:00:00Z","percentComplete":5%s}`,
		operationID, status, more), headers...)
}

// States are read at the intervals that Retry-After names, until the operation has ended.
func TestWait(t *testing.T) {
	t.Parallel()
	a := serve(t,
		state("NotStarted", "", "Retry-After", "1"), state("Running", "", "Retry-After", "30"), state("Running", ""), state("Paused", "", "Retry-After", "3600"),
		state("Succeeded", ""), answer(200, `{"previewId":"p","kinds":[]}`))
	s, waited := open(t, a)
	got, err := Result[BundlePreview](t.Context(), s, operationID)
	if err != nil || got.PreviewID != "p" {
		t.Errorf("got %+v, error %v", got, err)
	}
	if want := []time.Duration{time.Second, 30 * time.Second, time.Second, time.Minute}; !slices.Equal(*waited, want) || len(a.asked()) != len(a.give) {
		t.Errorf("asked %d times and waited %v, want %v", len(a.asked()), *waited, want)
	}
	for _, r := range a.asked() {
		if r.Method != http.MethodGet {
			t.Errorf("%s %s changes something", r.Method, r.URL)
		}
	}
}

// An operation that ended without a result is an error with the reason, and its result is not requested.
func TestResultOfUnsuccessfulOperation(t *testing.T) {
	t.Parallel()
	for status, tt := range map[string]struct{ more, want string }{
		"Failed":    {`,"error":{"errorCode":"ItemChanged","message":"it was changed"}`, "ended as Failed: ItemChanged: it was changed"},
		"Cancelled": {"", "ended as Cancelled"},
	} {
		s, _ := open(t, serve(t, state(status, tt.more)))
		_, err := Result[Preview](t.Context(), s, operationID)
		if ended, ok := errors.AsType[*NotSucceededError](err); !ok || ended.ID != operationID || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v", status, err)
		}
	}
	s, _ := open(t, serve(t, state("Succeeded", ""), answer(200, `{"previewId":7}`)))
	if _, err := Result[Preview](t.Context(), s, operationID); err == nil || !strings.Contains(err.Error(), operationID.String()+", a PreviewOptimizations") {
		t.Errorf("a result of another shape: got %v", err)
	}
}

// Waiting ends with the context.
func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s, _ := open(t, serve(t, func(w http.ResponseWriter) { state("Running", "", "Retry-After", "1")(w); cancel() }))
	seen := 0
	var last error
	for o, err := range s.States(ctx, operationID) {
		if last = err; err == nil {
			seen++
			if o.Ended() {
				t.Errorf("%s has ended", o.Status)
			}
		}
	}
	if !errors.Is(last, context.Canceled) || seen > 1 {
		t.Errorf("saw %d states, then %v", seen, last)
	}
	// Breaking out of the loop ends reading.
	s, waited := open(t, serve(t, state("Running", "")))
	for range s.States(t.Context(), operationID) {
		break
	}
	if len(*waited) != 0 {
		t.Errorf("waited %v", *waited)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	next := map[string]*string{"": new("b"), "b": new("c"), "c": nil}
	var got []string
	for page, err := range Pages(func(token *string) (string, *string, error) {
		at := ""
		if token != nil {
			at = *token
		}
		return at, next[at], nil
	}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page)
	}
	if !slices.Equal(got, []string{"", "b", "c"}) {
		t.Errorf("got pages %q", got)
	}
	calls := 0
	for _, err := range Pages(func(*string) (int, *string, error) { calls++; return 0, new("same"), nil }) {
		if calls > 2 || calls == 2 && err == nil {
			t.Fatalf("page %d of a list without end: %v", calls, err)
		}
	}
	for _, err := range Pages(func(*string) (int, *string, error) { return 0, nil, errors.New("lost") }) {
		if err == nil {
			t.Error("an error was lost")
		}
	}
}
