//go:build hard

package soak_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"readiness/test/scenarios/program"
)

// person makes one request after another, at any process.
type person struct {
	soak      *soak
	tenant    *tenant
	id, token string
	random    *rand.Rand
	keys      int
	open      map[uuid.UUID]task // accepted, and not yet seen to have ended
	later     []task             // not answered yet
}

// task is a call that starts work, under a key with which it is repeated until it is answered.
type task struct {
	what, path, key string
	body            any
	taken           bool                                             // it may be refused because others used the object meanwhile
	done            func(operation uuid.UUID, result map[string]any) // with the result if it succeeded
}

// atOnce is the largest number of operations that one person has in progress: those waiting for the owner's reads would
// block the others.
const atOnce = 5

// live makes requests until its time is over.
func (p *person) live(ctx context.Context) {
	for _, model := range p.tenant.models {
		p.run(ctx, p.saveQuestions(model))
	}
	for ctx.Err() == nil {
		p.soak.Wait(ctx, time.Duration(p.random.Int64N(int64(*soakPause))))
		switch n := p.random.IntN(100); {
		case n < 40 && len(p.open) > 0 || len(p.open) > atOnce:
			p.poll(ctx)
		case n < 55:
			p.list(ctx)
		case n < 62:
			p.misbehave(ctx)
		case n < 68:
			p.change(ctx)
		case n < 72 && len(p.later) > 0:
			e := p.later[0]
			p.later = p.later[1:]
			p.run(ctx, e)
		default:
			p.run(ctx, p.task())
		}
	}
}

func of[T any](random *rand.Rand, some []T) T { return some[random.IntN(len(some))] }

func (p *person) inModel(model uuid.UUID, rest string) string {
	return fmt.Sprintf("/v1/workspaces/%s/semanticModels/%s/aiReadiness/%s", p.tenant.WorkspaceID, model, rest)
}

func (p *person) inWorkspace(rest string) string {
	return fmt.Sprintf("/v1/workspaces/%s/%s", p.tenant.WorkspaceID, rest)
}

// task returns the next work that the person starts.
func (p *person) task() task {
	model, report := of(p.random, p.tenant.models), of(p.random, p.tenant.reports)
	switch n := p.random.IntN(100); {
	case n < 12:
		return task{what: "assess", path: p.inModel(model, "assess")}
	case n < 16:
		return task{what: "assess many", path: p.inWorkspace("aiReadiness/assess"), body: map[string]any{"semanticModelIds": p.tenant.models}}
	case n < 34:
		kind := of(p.random, []string{"descriptions", "properties", "aiDataSchema"})
		return task{what: "preview", path: p.inModel(model, kind+"/preview"), done: func(_ uuid.UUID, result map[string]any) {
			if changes, _ := result["changes"].([]any); len(changes) == 0 && p.random.IntN(10) > 0 {
				return // nothing to write
			}
			p.tenant.mu.Lock()
			defer p.tenant.mu.Unlock()
			p.tenant.previews = append(p.tenant.previews, prepared{model, kind + "/apply", result["previewId"]})
		}}
	case n < 50:
		return p.apply(model)
	case n < 64:
		return p.revert(model)
	case n < 68:
		return task{what: "optimize", path: p.inModel(model, "optimize"), body: map[string]any{"approval": "none"}, done: p.revertible(model, "optimize/revert")}
	case n < 71:
		return task{what: "preview all", path: p.inModel(model, "optimize"), body: map[string]any{"approval": "required"}}
	case n < 75:
		return task{what: "add Pixies", path: p.inWorkspace("reports/" + report.String() + "/addPixies")}
	case n < 77:
		return task{what: "add Pixies to many", path: p.inWorkspace("reports/addPixies"), body: map[string]any{"reportIds": p.tenant.reports}}
	case n < 80:
		return task{what: "remove Pixies", path: p.inWorkspace("reports/" + report.String() + "/removePixies")}
	case n < 84:
		return task{what: "generate questions", path: p.inModel(model, "benchmark/questions/generate"), body: map[string]any{"count": 3}}
	case n < 86:
		return p.saveQuestions(model)
	case n < 91:
		return task{what: "benchmark", path: p.inModel(model, "benchmark/runs"), body: map[string]any{"answeredBy": map[string]any{"kind": "PlatformAssistant"}}}
	case n < 96:
		return p.abTest(model, of(p.random, p.tenant.models))
	default:
		return p.again(model)
	}
}

func (p *person) saveQuestions(model uuid.UUID) task {
	var questions []map[string]any
	n := slices.Index(p.tenant.models, model)
	for i := range 3 {
		name := fmt.Sprintf("Revenue %d of %d", i, n)
		questions = append(questions, map[string]any{
			"text": "What is " + name + "?", "expected": map[string]any{"fields": []map[string]any{{"role": "measure", "table": fmt.Sprintf("Sales %d", n), "name": name}}},
		})
	}
	return task{what: "save questions", path: p.inModel(model, "benchmark/questions/save"), body: map[string]any{"questions": questions, "repeats": 1}}
}

// revertible records an apply once it is done.
func (p *person) revertible(model uuid.UUID, route string) func(uuid.UUID, map[string]any) {
	return func(_ uuid.UUID, result map[string]any) {
		objects, _ := result["applied"].([]any)
		kinds, _ := result["kinds"].([]any)
		wrote := func(kind any) bool { return member(kind, "revertOperationId") != nil }
		if len(objects) == 0 && !slices.ContainsFunc(kinds, wrote) && p.random.IntN(10) > 0 {
			return // nothing was written, and a revert would be refused
		}
		p.tenant.mu.Lock()
		defer p.tenant.mu.Unlock()
		p.tenant.applies = append(p.tenant.applies, applied{model, route, result["revertOperationId"]})
	}
}

// apply applies a preview that any person of the account made, or lets the service propose and write.
func (p *person) apply(model uuid.UUID) task {
	p.tenant.mu.Lock()
	defer p.tenant.mu.Unlock()
	if len(p.tenant.previews) == 0 {
		return task{what: "apply unattended", path: p.inModel(model, "descriptions/apply"), body: map[string]any{"approval": "none"}, done: p.revertible(model, "revert")}
	}
	i := p.random.IntN(len(p.tenant.previews))
	taken := p.tenant.previews[i]
	if p.random.IntN(4) > 0 { // the others are used twice
		p.tenant.previews = slices.Delete(p.tenant.previews, i, i+1)
	}
	return task{what: "apply", path: p.inModel(taken.model, taken.route), body: map[string]any{"previewId": taken.id}, taken: true, done: p.revertible(taken.model, "revert")}
}

// revert reverts an apply.
func (p *person) revert(model uuid.UUID) task {
	p.tenant.mu.Lock()
	defer p.tenant.mu.Unlock()
	if len(p.tenant.applies) == 0 {
		return task{what: "assess", path: p.inModel(model, "assess")}
	}
	i := p.random.IntN(len(p.tenant.applies))
	taken := p.tenant.applies[i]
	if p.random.IntN(4) > 0 {
		p.tenant.applies = slices.Delete(p.tenant.applies, i, i+1)
	}
	return task{what: taken.route, path: p.inModel(taken.model, taken.route), body: map[string]any{"operationId": taken.id}, taken: true}
}

func (p *person) abTest(a, b uuid.UUID) task {
	side := func(model uuid.UUID) map[string]any {
		return map[string]any{"semanticModelId": model, "workspaceId": p.tenant.WorkspaceID, "answeredBy": map[string]any{"kind": "PlatformAssistant"}}
	}
	return task{
		what: "A/B test", path: "/v1/aiReadiness/abTests",
		body: map[string]any{"name": fmt.Sprintf("Test %d", p.keys), "sideA": side(a), "sideB": side(b), "source": map[string]any{"kind": "Questions"}},
		done: func(_ uuid.UUID, result map[string]any) {
			p.tenant.mu.Lock()
			defer p.tenant.mu.Unlock()
			if id, ok := result["abTestId"].(string); ok {
				p.tenant.tests[id] = true
			}
		},
	}
}

// again runs an A/B test again.
func (p *person) again(model uuid.UUID) task {
	test := p.test()
	if test == "" {
		return p.abTest(model, model)
	}
	return task{what: "A/B test again", path: "/v1/aiReadiness/abTests/" + test + "/runs"}
}

// test returns one of the account's A/B tests, "" while it has none.
func (p *person) test() string {
	p.tenant.mu.Lock()
	defer p.tenant.mu.Unlock()
	for test := range p.tenant.tests {
		return test
	}
	return ""
}

// ask makes a call at one of the processes and counts the outcome.
func (p *person) ask(ctx context.Context, what, method, path string, body any, headers ...string) (status int, got map[string]any) {
	began := time.Now()
	status, got, err := program.Exchange(ctx, p.soak.somewhere(p.random), p.token, method, path, body, headers...)
	for p.soak.repeats && status == http.StatusServiceUnavailable && program.AgainLater(status, got) && time.Since(began) < program.Patience {
		p.soak.calls.count(what + ": called again as Retry-After says")
		p.soak.Wait(ctx, time.Second)
		status, got, err = program.Exchange(ctx, p.soak.somewhere(p.random), p.token, method, path, body, headers...)
	}
	switch {
	case status == 0:
		if ctx.Err() == nil {
			p.soak.calls.count(what + ": no answer, " + reason(err))
		}
	case err != nil && status != http.StatusNoContent && status != http.StatusNotModified: // cut off within the answer
		p.soak.calls.count(what + ": cut off")
		return 0, nil
	default:
		outcome := fmt.Sprintf("%s: %d", what, status)
		if code, ok := got["errorCode"].(string); ok {
			outcome += " " + code
		}
		p.soak.calls.count(outcome)
		if status >= http.StatusInternalServerError {
			p.soak.calls.failed(fmt.Sprintf("%s: %s %s: %v", outcome, method, path, got))
		}
	}
	return status, got
}

// reason returns a short reason why there is no answer.
func reason(err error) string {
	for _, known := range []error{syscall.ECONNREFUSED, syscall.ECONNRESET, io.EOF, io.ErrUnexpectedEOF, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return fmt.Sprintf("%T", err)
}

// run starts work. A call that was not answered, or could not be answered yet, is repeated under the same key.
func (p *person) run(ctx context.Context, e task) {
	if e.key == "" {
		e.key = fmt.Sprintf("%s-%d", p.id, p.keys)
		p.keys++
	}
	for range 4 {
		status, got := p.ask(ctx, e.what, http.MethodPost, e.path, e.body, "Idempotency-Key", e.key)
		switch {
		case status == http.StatusAccepted:
			p.accepted(e, got)
			if p.random.IntN(10) == 0 { // also sometimes when the answer was received
				if status, got := p.ask(ctx, "repeated", http.MethodPost, e.path, e.body, "Idempotency-Key", e.key); status == http.StatusAccepted {
					p.accepted(e, got)
				}
			}
			return
		case status == 0 || status >= http.StatusInternalServerError || keyIsBusy(got):
			p.soak.Wait(ctx, time.Duration(p.random.Int64N(int64(200*time.Millisecond))))
		case status == http.StatusTooManyRequests || status == http.StatusConflict || refusals[fmt.Sprint(got["errorCode"])],
			e.taken && status == http.StatusBadRequest:
			return
		default:
			p.soak.T.Errorf("%s (%s %v) was answered %d %v", e.what, e.path, e.body, status, got)
			return
		}
		if ctx.Err() != nil {
			break
		}
	}
	p.later = append(p.later, e)
}

// keyIsBusy reports whether the call with this key is being handled, or was when its process was killed.
func keyIsBusy(got map[string]any) bool {
	return got["errorCode"] == "OperationInProgress" && strings.Contains(fmt.Sprint(got["message"]), "Idempotency-Key")
}

// refusals are the refusals that a well-behaved person may get, in addition to those of statuses 409 and 429.
var refusals = map[string]bool{
	"AssessmentNotFound": true, "BenchmarkQuestionsMissing": true, "AbTestNotFound": true, "PreviewNotFound": true, "InvalidPreview": true,
	"TrackedItemLimitReached": true, "FeatureNotInPlan": true, "OperationNotFound": true,
}

// accepted records the accepted operation; the same call must have the same operation.
func (p *person) accepted(e task, got map[string]any) {
	id := uuid.MustParse(got["operationId"].(string))
	p.tenant.mu.Lock()
	defer p.tenant.mu.Unlock()
	if before, twice := p.tenant.answered[e.key]; twice && before != id {
		p.soak.T.Errorf("%s under key %s was operation %s, and %s when it was asked again", e.what, e.key, before, id)
	}
	p.tenant.answered[e.key] = id
	p.open[id] = e
}

// poll reads an operation in progress; when it has ended its result is read.
func (p *person) poll(ctx context.Context) {
	var id uuid.UUID
	for id = range p.open {
		break
	}
	at := "/v1/operations/" + id.String()
	if p.random.IntN(30) == 0 {
		p.ask(ctx, "cancel", http.MethodPost, at+"/cancel", nil)
	}
	status, state := p.ask(ctx, "poll", http.MethodGet, at, nil)
	if status == http.StatusNotFound {
		p.soak.T.Errorf("%s: operation %s was accepted and is not there: %v", p.id, id, state)
	}
	switch state["status"] {
	case "Failed", "Cancelled":
		p.soak.calls.count(fmt.Sprintf("ended: %s %v %v", p.open[id].what, state["status"], member(state["error"], "errorCode")))
		delete(p.open, id)
	case "Succeeded":
		status, result := p.ask(ctx, "result", http.MethodGet, at+"/result", nil)
		if status == http.StatusOK || status == http.StatusGone {
			p.soak.calls.count("ended: " + p.open[id].what + " Succeeded")
			if done := p.open[id].done; done != nil && status == http.StatusOK {
				done(id, result)
			}
			delete(p.open, id)
		}
	}
}

func member(object any, name string) any {
	fields, _ := object.(map[string]any)
	return fields[name]
}

// ofAccount are the lists of an account.
var ofAccount = []string{
	"/v1/operations?maxResults=20", "/v1/account", "/v1/account/permissions", "/v1/trackedItems?maxResults=2", "/v1/workspaces", "/v1/licenses",
	"/v1/aiReadiness/abTests?maxResults=3", "/v1/aiReadiness/schedules", "/v1/aiProviders", "/v1/audit/events?maxResults=50", "/v1/audit/checkpoint",
}

// list reads all pages of a list.
func (p *person) list(ctx context.Context) {
	model, report := of(p.random, p.tenant.models), of(p.random, p.tenant.reports)
	path := of(p.random, append([]string{
		p.inWorkspace("semanticModels?maxResults=2"), p.inWorkspace("dataAgents"), p.inWorkspace("reports?maxResults=2"), p.inWorkspace("reports/" + report.String() + "/pixies"),
		p.inModel(model, "assessments?maxResults=5"), p.inModel(model, "benchmark/questions"), p.inModel(model, "benchmark/runs?maxResults=3"), p.inModel(model, "schedules"),
	}, ofAccount...))
	for page := 0; page < 5 && ctx.Err() == nil; page++ {
		status, got := p.ask(ctx, "list", http.MethodGet, path, nil)
		if status >= http.StatusBadRequest && status < http.StatusInternalServerError && status != http.StatusTooManyRequests && got["errorCode"] != "FeatureNotInPlan" {
			p.soak.T.Errorf("GET %s was answered %d %v", path, status, got)
		}
		next, _ := got["continuationUri"].(string)
		at, err := url.Parse(next)
		if next == "" || err != nil {
			return
		}
		path = at.RequestURI() // at any process
	}
}

// change makes a call that starts no work but counts as starting.
func (p *person) change(ctx context.Context) {
	model := of(p.random, p.tenant.models)
	switch n := p.random.IntN(20); {
	case n < 6:
		at := time.Now().UTC().Add(time.Minute) // due during the soak, if it lasts long enough
		p.ask(ctx, "schedule", http.MethodPost, p.inModel(model, "schedules"), map[string]any{"frequency": "Daily", "timeUtc": at.Format("15:04")})
	case n < 9:
		p.schedules(ctx, func(id string) {
			at := time.Now().UTC().Add(time.Minute)
			p.ask(ctx, "change schedule", http.MethodPatch, "/v1/aiReadiness/schedules/"+id, map[string]any{"timeUtc": at.Format("15:04"), "enabled": p.random.IntN(4) > 0})
		})
	case n < 11:
		p.schedules(ctx, func(id string) {
			p.ask(ctx, "delete schedule", http.MethodDelete, "/v1/aiReadiness/schedules/"+id, nil)
		})
	case n < 13:
		p.ask(ctx, "delete results", http.MethodDelete, p.inModel(model, "assessments"), nil)
	case n < 16:
		if test := p.test(); test != "" {
			p.ask(ctx, "reword A/B test", http.MethodPatch, "/v1/aiReadiness/abTests/"+test, map[string]any{"name": fmt.Sprintf("Named %d", p.keys), "description": nil})
		}
	case n < 17:
		if test := p.test(); test != "" {
			if status, _ := p.ask(ctx, "delete A/B test", http.MethodDelete, "/v1/aiReadiness/abTests/"+test, nil); status < http.StatusInternalServerError && status != 0 {
				p.tenant.mu.Lock()
				delete(p.tenant.tests, test)
				p.tenant.mu.Unlock()
			}
		}
	default:
		_, got := p.ask(ctx, "list", http.MethodGet, p.inModel(model, "benchmark/runs"), nil)
		if runs, _ := got["value"].([]any); len(runs) > 0 {
			p.ask(ctx, "delete run", http.MethodDelete, p.inModel(model, fmt.Sprintf("benchmark/runs/%v", member(of(p.random, runs), "runId"))), nil)
		}
	}
}

// schedules calls do for each schedule of the account.
func (p *person) schedules(ctx context.Context, do func(id string)) (asked bool) {
	status, got := p.ask(ctx, "list", http.MethodGet, "/v1/aiReadiness/schedules", nil)
	all, _ := got["value"].([]any)
	for _, schedule := range all {
		do(fmt.Sprint(member(schedule, "scheduleId")))
	}
	return (status == http.StatusOK || status == http.StatusForbidden) && len(all) == 0
}

// misbehave makes a call that must be refused.
func (p *person) misbehave(ctx context.Context) {
	model, other := of(p.random, p.tenant.models), of(p.random, p.soak.tenants)
	type call struct {
		method, path string
		body         any
		want         int
	}
	calls := []call{
		{http.MethodPost, p.inModel(model, "assess?x=%zz"), `{"usage":`, http.StatusBadRequest},
		{http.MethodPost, p.inWorkspace("aiReadiness/assess"), `{"semanticModelIds": [], "semanticModelIds": []}`, http.StatusBadRequest},
		{http.MethodPost, p.inWorkspace("aiReadiness/assess"), `[1`, http.StatusBadRequest},
		{http.MethodPost, p.inModel(uuid.New(), "assess"), nil, http.StatusNotFound},
		{http.MethodPost, p.inModel(model, "colors/preview"), nil, http.StatusBadRequest},
		{http.MethodPost, p.inModel(model, "descriptions/apply"), `{"previewId": 7}`, http.StatusBadRequest},
		{http.MethodPost, p.inModel(model, "benchmark/questions/save"), `{"questions": [{"text": ""}]}`, http.StatusBadRequest},
		{http.MethodPost, "/v1/aiReadiness/abTests", `{"name": ""}`, http.StatusBadRequest},
		{http.MethodGet, "/v1/operations/" + uuid.NewString(), nil, http.StatusNotFound},
		{http.MethodGet, "/v1/operations?maxResults=0", nil, http.StatusBadRequest},
		{http.MethodGet, "/v1/operations?continuationToken=Zm9yZ2Vk", nil, http.StatusBadRequest},
		{http.MethodGet, "/v1/nowhere", nil, http.StatusNotFound},
		{http.MethodDelete, "/v1/operations", nil, http.StatusMethodNotAllowed},
	}
	if other != p.tenant { // an object of another account
		calls = append(calls,
			call{http.MethodGet, fmt.Sprintf("/v1/workspaces/%s/reports", other.WorkspaceID), nil, http.StatusNotFound},
			call{http.MethodPost, fmt.Sprintf("/v1/workspaces/%s/semanticModels/%s/aiReadiness/assess", other.WorkspaceID, other.models[0]), nil, http.StatusNotFound},
		)
		if theirs := other.anyOperation(); theirs != uuid.Nil {
			calls = append(calls, call{http.MethodGet, "/v1/operations/" + theirs.String(), nil, http.StatusNotFound})
		}
	}
	c := of(p.random, calls)
	status, got := p.ask(ctx, "wrong", c.method, c.path, c.body)
	if status != 0 && status < http.StatusInternalServerError && status != c.want && status != http.StatusTooManyRequests {
		p.soak.T.Errorf("%s %s (%v) was answered %d %v, want %d", c.method, c.path, c.body, status, got, c.want)
	}
}

// anyOperation returns one of the account's operations.
func (a *tenant) anyOperation() uuid.UUID {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range a.answered {
		return id
	}
	return uuid.Nil
}
