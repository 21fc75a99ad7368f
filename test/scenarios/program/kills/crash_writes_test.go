package kills_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/test/scenarios/program"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

// TestKilledWrites kills the program at random instants of applies, reverts and bundles of one model. After each of
// them the files are as before or as written, to the byte, the record says which, and everything was counted once.
//
// proves: 4.5/apply/4 4.5/apply/8 4.5/revert/1 8/allowance-optimizationApplies decisions/8/20
func TestKilledWrites(t *testing.T) {
	t.Parallel()
	killWrites(t, 2)
}

func killWrites(t *testing.T, kills int) {
	t.Helper()
	w := newWriter(t, "--database-url", testlog.URL(t))
	w.Life(w.rehearse)
	w.Strike(kills, 400*time.Millisecond, func(lasts time.Duration) bool {
		inProgress := w.op != uuid.Nil
		w.Life(func(ctx context.Context) { w.live(ctx, lasts) })
		return inProgress || w.asked || w.op != uuid.Nil // a kill before the request does not count
	})
	p := w.Launch()
	defer p.Kill()
	w.finishWrites()
	t.Logf("seed %d: %d kills, %d applies and reverts of %d writes; failed: %v", w.Seed, kills, w.ended, w.writes, w.failed)
	w.verify()
}

// writer alternately applies and reverts, in every way there is.
type writer struct {
	*program.Program
	model  uuid.UUID
	tokens []string // of people, each of whom may start only so many calls a minute
	ways   []way
	before map[string]string

	way   int       // the way in use
	apply uuid.UUID // the current apply, or none
	op    uuid.UUID // the current operation, or none
	asked bool      // whether a request was not answered

	ended, writes int
	failed        map[string]int
}

// way is a way to write.
type way struct {
	route, revert string
	body          map[string]any
	writes        int
	written       map[string]string // files
}

func newWriter(t *testing.T, database ...string) *writer {
	t.Helper()
	var people []string
	for i := range 12 {
		people = append(people, fmt.Sprintf("p%d", i))
	}
	w := &writer{Program: program.New(t, people, database...), model: uuid.New(), failed: map[string]int{}}
	w.Item(w.T, "Retail", "Sales.SemanticModel", "Sales", w.model)
	for i := range 10 {
		w.Put(program.SalesTable(i), "Sales.SemanticModel", "definition", "tables", fmt.Sprintf("Sales %d.tmdl", i))
	}
	w.before = w.files()
	return w
}

func (w *writer) files() map[string]string {
	w.T.Helper()
	all, err := testworld.Files(w.Root)
	testworld.Check(w.T, err)
	return all
}

// ask makes a call as the next person.
func (w *writer) ask(ctx context.Context, method, path string, want int, body any, headers ...string) (map[string]any, bool) {
	w.Token = w.tokens[w.Key%len(w.tokens)]
	return w.Call(ctx, method, path, want, body, headers...)
}

func (w *writer) route(name string) string {
	return fmt.Sprintf("/v1/workspaces/%s/semanticModels/%s/aiReadiness/%s", w.WorkspaceID, w.model, name)
}

// rehearse performs the writes once without kills and records what they write.
func (w *writer) rehearse(ctx context.Context) {
	for i := range 12 {
		w.tokens = append(w.tokens, w.Mint(fmt.Sprintf("p%d", i)))
	}
	w.rehearsed(ctx, "assess", nil)
	for _, kind := range []string{"descriptions", "properties", "aiDataSchema"} {
		preview := w.rehearsed(ctx, kind+"/preview", nil)
		if changes, _ := preview["changes"].([]any); len(changes) == 0 {
			w.T.Fatalf("the preview of %s proposes nothing: %v", kind, preview)
		}
		w.ways = append(w.ways, way{route: kind + "/apply", revert: "revert", body: map[string]any{"previewId": preview["previewId"]}, writes: 1})
	}
	w.ways[1].writes = 2
	w.ways = append(w.ways, way{route: "optimize", revert: "optimize/revert", body: map[string]any{"approval": "none"}, writes: 4})
	for i := range w.ways {
		record := w.rehearsed(ctx, w.ways[i].route, w.ways[i].body)
		w.ways[i].written = w.files()
		w.rehearsed(ctx, w.ways[i].revert, map[string]any{"operationId": record["revertOperationId"]})
		if diff := testworld.Difference(w.before, w.files()); diff != "" {
			w.T.Fatalf("%s was not put back undisturbed:\n%s", w.ways[i].route, diff)
		}
		w.writes += 2 * w.ways[i].writes
	}
}

// rehearsed runs one operation to its end.
func (w *writer) rehearsed(ctx context.Context, route string, body any) (result map[string]any) {
	w.T.Helper()
	accepted, ok := w.ask(ctx, http.MethodPost, w.route(route), http.StatusAccepted, body)
	if !ok {
		w.T.Fatalf("%s was not accepted: %v", route, w.Last)
	}
	at := "/v1/operations/" + accepted["operationId"].(string)
	w.Await(route+" ends", func() bool {
		state, _ := w.ask(ctx, http.MethodGet, at, http.StatusOK, nil)
		return state["status"] == "Succeeded"
	})
	result, _ = w.ask(ctx, http.MethodGet, at+"/result", http.StatusOK, nil)
	w.Key++
	return result
}

// live makes one request after another until its time is over.
func (w *writer) live(ctx context.Context, lasts time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, lasts)
	defer cancel()
	for ctx.Err() == nil {
		if w.op == uuid.Nil {
			w.start(ctx)
		} else {
			w.follow(ctx)
		}
		w.Wait(ctx, program.PollPause)
	}
}

// finishWrites ends the current operation and waits until nothing is left to do.
func (w *writer) finishWrites() {
	w.T.Helper()
	w.Await("what was asked for has ended", func() bool {
		switch {
		case w.op != uuid.Nil:
			w.follow(w.T.Context())
		case w.asked:
			w.start(w.T.Context())
		}
		return w.op == uuid.Nil && !w.asked
	})
	w.Await("every step is done", func() bool {
		left, ok := program.Query[int](w.Program, `SELECT count(*) FROM river_job WHERE finalized_at IS NULL`)
		return ok && left == 0
	})
}

// start makes the next request, under a key. A call without an answer is repeated.
func (w *writer) start(ctx context.Context) {
	now := w.ways[w.way]
	route, body := now.route, now.body
	if w.apply != uuid.Nil {
		route, body = now.revert, map[string]any{"operationId": w.apply}
	}
	w.asked = true
	got, ok := w.ask(ctx, http.MethodPost, w.route(route), http.StatusAccepted, body, "Idempotency-Key", fmt.Sprintf("write-%d", w.Key))
	switch {
	case ok:
		w.op, w.asked = uuid.MustParse(got["operationId"].(string)), false
		w.Runs = append(w.Runs, w.op)
	case got["errorCode"] == "RequestBlocked":
		w.asked = false
	case got != nil && got["isRetriable"] != true:
		w.T.Fatalf("%s was refused: %v", route, got)
	}
}

// follow reads the current operation. Once it has ended, it compares the files and the record with it.
func (w *writer) follow(ctx context.Context) {
	at := "/v1/operations/" + w.op.String()
	state, ok := w.ask(ctx, http.MethodGet, at, http.StatusOK, nil)
	if !ok || state["status"] != "Succeeded" && state["status"] != "Failed" {
		return
	}
	now, reverts := w.ways[w.way], w.apply != uuid.Nil
	want := now.written
	if reverts {
		want = w.before
	}
	if state["status"] == "Failed" { // nothing was written
		if want = w.before; reverts {
			want = now.written
		}
		w.failed[fmt.Sprint(state["error"].(map[string]any)["errorCode"])]++
	} else {
		record, ok := w.ask(ctx, http.MethodGet, at+"/result", http.StatusOK, nil)
		if !ok {
			return // killed meanwhile; read again later
		}
		w.recorded(ctx, record, reverts)
		w.writes += now.writes
		switch {
		case !reverts:
			w.apply = w.op
		default:
			w.apply, w.way = uuid.Nil, (w.way+1)%len(w.ways)
		}
	}
	if diff := testworld.Difference(want, w.files()); diff != "" {
		w.T.Fatalf("operation %s of %s (revert: %t) is %v and the files are not as it says:\n%s", w.op, now.route, reverts, state["status"], diff)
	}
	w.op = uuid.Nil
	w.ended++
	w.Key++
}

// recorded checks that the record of an apply or of its revert is complete.
func (w *writer) recorded(ctx context.Context, record map[string]any, reverts bool) {
	w.T.Helper()
	if skipped, _ := record["skipped"].([]any); len(skipped) > 0 {
		w.T.Errorf("operation %s skipped %v", w.op, skipped)
	}
	standing := "Applied"
	if reverts {
		standing = "Reverted"
		var ok bool
		if record, ok = w.ask(ctx, http.MethodGet, "/v1/operations/"+w.apply.String()+"/result", http.StatusOK, nil); !ok {
			return
		}
	}
	if record["standing"] != standing {
		w.T.Errorf("operation %s stands %v, want %s: %v", w.op, record["standing"], standing, record)
	}
}

// verify compares the log with the operations that ended: each write happened once and was counted once, and nothing is
// left over.
func (w *writer) verify() {
	w.T.Helper()
	count := w.Count
	type counts struct{ Spent, Landed, Locked, Tokens int }
	got := counts{
		Spent: count(`SELECT coalesce(sum((data->>'amount')::int * CASE type WHEN 'allowance.spent' THEN 1 ELSE -1 END), 0)
			FROM events WHERE type IN ('allowance.spent', 'allowance.refunded') AND data->>'kind' = 'optimizationApplies'`),
		Landed: count(`SELECT count(*) FROM events WHERE type = 'optimization.write-landed'`),
		Locked: count(`SELECT count(*) FILTER (WHERE type = 'optimization.lock-taken') - count(*) FILTER (WHERE type = 'optimization.lock-released') FROM events`),
		Tokens: count(`SELECT count(*) FROM step_tokens`),
	}
	want := counts{Spent: w.writes, Landed: w.writes}
	if len(w.failed) > 0 {
		want.Spent = got.Spent // a failed one may or may not be refunded
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.T.Errorf("the log after %d applies and reverts (-want +got):\n%s", w.ended, diff)
	}
	w.Operate("events", "verify")
	w.Operate("projections", "rebuild", "--diff")
}
