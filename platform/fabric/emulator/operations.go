package emulator

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// retryAfter is the Retry-After of almost every long-running operation of the platform.
const retryAfter = 20 * time.Second

// operation is a long-running operation. Its result is computed when it begins.
type operation struct {
	person      string
	begun, ends time.Time
	result      any       // nil for none
	next        time.Time // the earliest next poll
	failed      map[string]any
}

// maxOperations bounds the operations that are kept.
const maxOperations = 10_000

// accept answers 202 with an operation that has the result after Options.Lasts. A Fail fault makes it fail.
func (c *call) accept(result any) *operation {
	now := c.o.Now()
	o := &operation{person: c.person.ID, begun: now, ends: now.Add(c.o.Lasts), result: result}
	o.next = now.Add(c.o.RetryAfter)
	id := uuid.NewString()
	c.mu.Lock()
	if f := c.take(func(f *Fault) bool { return f.Operation != nil && f.matches(c.r) }); f != nil {
		o.failed, o.result = f.Operation, nil
	}
	if len(c.operations) >= maxOperations {
		clear(c.operations)
	}
	c.operations[id] = o
	c.mu.Unlock()
	common(c.w, "Location", "Retry-After", "x-ms-operation-id")
	setClusterHeaders(c.w)
	h := c.w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Location", clusterURL+"/v1/operations/"+id)
	h["x-ms-operation-id"] = []string{id}
	h.Set("Retry-After", strconv.Itoa(int(c.o.RetryAfter.Seconds())))
	c.w.WriteHeader(http.StatusAccepted)
	_, _ = c.w.Write([]byte("null"))
	return o
}

func (c *call) known() *operation {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.operations[strings.ToLower(c.id("o").String())]
	if o == nil || o.person != c.person.ID {
		return nil
	}
	known := *o // an update that cannot be made fails later
	return &known
}

// moment formats a time as the platform does: without a zone, with up to seven digits.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.9999999") }

func (c *call) operation() {
	o := c.known()
	if o == nil {
		fail(c.w, http.StatusNotFound, "OperationNotFound", "The operation could not be found")
		return
	}
	now := c.o.Now()
	if c.o.Unknown.BlocksEarlyPolls && now.Before(o.next) {
		blocked(c.w, now, o.next.Sub(now))
		return
	}
	state := map[string]any{"status": "Running", "createdTimeUtc": moment(o.begun), "lastUpdatedTimeUtc": moment(now),
		"percentComplete": nil, "error": nil}
	at := clusterURL + "/v1/operations/" + c.id("o").String()
	exposed := []string{}
	h := c.w.Header()
	switch {
	case now.Before(o.ends):
		h.Set("Location", at)
		h.Set("Retry-After", strconv.Itoa(int(c.o.RetryAfter.Seconds())))
		exposed = []string{"Location", "Retry-After", "x-ms-operation-id"}
	case o.failed != nil:
		state["status"], state["error"] = "Failed", o.failed
		exposed = []string{"x-ms-operation-id"}
	default:
		state["status"], state["percentComplete"], state["lastUpdatedTimeUtc"] = "Succeeded", 100, moment(o.ends)
		if o.result != nil {
			h.Set("Location", at+"/result")
			exposed = []string{"Location", "x-ms-operation-id"}
		}
	}
	if len(exposed) > 0 {
		h["x-ms-operation-id"] = []string{c.id("o").String()}
	}
	common(c.w, exposed...)
	h.Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(c.w).Encode(state)
}

func (c *call) result() {
	o := c.known()
	switch {
	case o == nil:
		fail(c.w, http.StatusNotFound, "OperationNotFound", "The operation could not be found")
	case o.result == nil || c.o.Now().Before(o.ends):
		fail(c.w, http.StatusBadRequest, "OperationHasNoResult", "The operation has no result")
	default:
		common(c.w)
		c.w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(c.w).Encode(o.result)
	}
}
