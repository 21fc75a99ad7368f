package http_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// nearly is the least number of spoiled calls per accepted call.
const nearly = 12

// fuzzedRoute is a route under test.
type fuzzedRoute struct {
	*fuzzed
	caller *caller
	good   func(n int) routed // prepares a call that is accepted; nil if there is none
	number int                // index of the route
}

// sends sends a number of calls. A quarter of them, or half when there are few, are nearly right.
func (r fuzzedRoute) sends(t *testing.T, calls int) {
	size := max(nearly, min(calls/50, 100))
	for n := 0; n < calls; {
		if r.good == nil || n/size%4 != 1 {
			r.one(t, n, r.caller.described(r.calling.memory))
			n++
			continue
		}
		count := min(size, calls-n)
		r.near(t, n, count)
		n += count
	}
}

func (r fuzzedRoute) one(t *testing.T, n int, call fuzzedCall) answered {
	answer := r.send(t, fmt.Sprint(r.caller.op.OperationID, " ", n), call)
	if answer.status > 0 && answer.status < 400 && call.method == r.caller.method {
		r.mu.Lock()
		defer r.mu.Unlock()
		name := r.caller.op.OperationID
		delete(r.never, name)
		if empty := bytes.Contains(answer.text, []byte(`"value":[]`)); empty || bytes.Contains(answer.text, []byte(`"value":[{`)) {
			was, known := r.empty[name]
			r.empty[name] = empty && (was || !known)
		}
	}
	return answer
}

// near prepares a call and sends it count times with one or two faults. If none of those was accepted, nothing has
// changed, so the call itself, sent last, must be accepted.
func (r fuzzedRoute) near(t *testing.T, n, count int) {
	number := r.number + 1000*(1+n)
	good := r.good(number)
	r.asListed(good)
	started := map[uuid.UUID]string{} // who started each operation
	changed := false
	for i := range count {
		wrong := 1 + i%4/3
		if i == count-1 && !changed {
			wrong = 0
		}
		call := r.caller.near(good, wrong)
		answer := r.one(t, n+i, call)
		if wrong == 0 && answer.status != good.status {
			t.Errorf("%v\nreturns %d %s after refusals only, want %d", call, answer.status, answer.text, good.status)
		}
		if answer.status == 0 || answer.status >= 400 || call.method == http.MethodGet || call.method == http.MethodHead {
			continue
		}
		if id, err := uuid.Parse(answer.header.Get("X-Ms-Operation-Id")); err == nil && good.of != r.calling.memory {
			started[id] = strings.TrimPrefix(call.header.Get("Authorization"), "Bearer ")
			if changed { // one of them is executed
				r.stop(t, call, id.String())
			}
		}
		changed = true
		r.calling.unsaved(answer)
	}
	for id, token := range started {
		for !r.calling.disk.resting(id).Status.Ended() {
			good.of.get(operationPath(id), token).ok(http.StatusOK)
		}
	}
	r.calling.cleanUp(t, good, number)
}

// asListed adds the continuation token and the ETag that the route returns, and manipulated copies, to the known
// values.
func (r fuzzedRoute) asListed(good routed) {
	c := r.caller
	for _, p := range c.parameters {
		path, _, _ := strings.Cut(good.path, "?")
		switch p.Value.Name {
		case "continuationToken":
			if token, ok := good.of.get(path+"?maxResults=1", good.of.as("ada")).body["continuationToken"].(string); ok {
				c.known[p.Value.In+" "+p.Value.Name] = c.tampered(token)
			}
		case "If-None-Match", "If-Match":
			if tag := good.of.get(path, good.of.as("ada")).header.Get("ETag"); tag != "" {
				c.known[p.Value.In+" "+p.Value.Name] = []string{tag, "W/" + tag, "*", strings.Trim(tag, `"`), `"x", ` + tag, tag + ",", strings.ToLower(tag), `""`}
			}
		}
	}
}

// cleanUp deletes what a call was prepared with, so that lists do not grow.
func (c *calling) cleanUp(t *testing.T, good routed, n int) {
	for _, dir := range []string{fmt.Sprintf("Model %d.SemanticModel", n), fmt.Sprintf("Report %d.Report", n)} {
		c.disk.Remove(t, "Sales", dir)
	}
	for _, of := range []string{providersPath + "/", abTestsPath + "/"} {
		if id, ok := strings.CutPrefix(good.path, of); ok {
			id, _, _ = strings.Cut(id, "/")
			good.of.delete(of+id, good.of.as("ada"))
		}
	}
}

// unsaved deletes the AI provider that a call saved.
func (c *calling) unsaved(saved answered) {
	var body struct{ ProviderID string }
	if json.Unmarshal(saved.text, &body) == nil && body.ProviderID != "" {
		c.memory.delete(providersPath+"/"+body.ProviderID, c.memory.as("ada"))
	}
}
