package http_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// nearly is how many calls are made out of one that is accepted, at least.
const nearly = 12

// fuzzedRoute is a route that calls are sent to.
type fuzzedRoute struct {
	*fuzzed
	caller *caller
	good   func(n int) routed // prepares a call that is accepted; nil where there is none
	number int                // of the route
}

// sends sends as many calls, of few one half and of many a quarter nearly right.
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

// near prepares a call and sends it with one or two things wrong with it, as often as count says. When none of those was accepted, nothing
// has happened: the call itself comes last, and is accepted.
func (r fuzzedRoute) near(t *testing.T, n, count int) {
	number := r.number + 1000*(1+n)
	good := r.good(number)
	r.asListed(good)
	started := map[uuid.UUID]string{} // by whom
	changed := false
	for i := range count {
		wrong := 1 + i%4/3
		if i == count-1 && !changed {
			wrong = 0
		}
		call := r.caller.near(good, wrong)
		answer := r.one(t, n+i, call)
		if wrong == 0 && answer.status != good.status {
			t.Errorf("%v\nis answered %d %s after nothing but refusals, want %d", call, answer.status, answer.text, good.status)
		}
		if answer.status == 0 || answer.status >= 400 || call.method == http.MethodGet || call.method == http.MethodHead {
			continue
		}
		if id, err := uuid.Parse(answer.header.Get("X-Ms-Operation-Id")); err == nil && good.of != r.calling.memory {
			started[id] = strings.TrimPrefix(call.header.Get("Authorization"), "Bearer ")
			if changed { // one is carried out
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
	r.calling.gone(t, good, number)
}

// asListed makes known the continuation token and the ETag that the route answers, and what is like them.
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

// gone takes away what a call was prepared with, so that lists do not grow.
func (c *calling) gone(t *testing.T, good routed, n int) {
	for _, dir := range []string{fmt.Sprintf("Model %d.SemanticModel", n), fmt.Sprintf("Report %d.Report", n)} {
		check(t, os.RemoveAll(filepath.Join(c.disk.dir, "Sales", dir)))
	}
	for _, of := range []string{providersPath + "/", abTestsPath + "/"} {
		if id, ok := strings.CutPrefix(good.path, of); ok {
			id, _, _ = strings.Cut(id, "/")
			good.of.send(http.MethodDelete, of+id, good.of.as("ada"), "")
		}
	}
}

// unsaved takes away the AI provider that a call saved.
func (c *calling) unsaved(saved answered) {
	var body struct{ ProviderID string }
	if json.Unmarshal(saved.text, &body) == nil && body.ProviderID != "" {
		c.memory.send(http.MethodDelete, providersPath+"/"+body.ProviderID, c.memory.as("ada"), "")
	}
}
