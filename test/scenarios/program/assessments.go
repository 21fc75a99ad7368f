package program

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

// WithModels returns a service with that many models to assess, of that many tables each.
func WithModels(t *testing.T, models, tables int, database ...string) *Program {
	t.Helper()
	c := New(t, []string{"ada"}, database...)
	for i := range models {
		id, folder := uuid.New(), fmt.Sprintf("Model %03d.SemanticModel", i)
		c.Models = append(c.Models, id)
		c.Item(t, "Retail", folder, fmt.Sprintf("Model %03d", i), id)
		for j := range tables {
			c.Put(Table(j), folder, "definition", "tables", fmt.Sprintf("T%d.tmdl", j))
		}
	}
	return c
}

// Accept starts a run unless one is in progress. A call without an answer is repeated under its key; the service knows
// whether it accepted the first one.
func (c *Program) Accept(ctx context.Context) {
	if c.Unfinished() {
		return
	}
	got, ok := c.Call(ctx, http.MethodPost, "/v1/workspaces/"+c.WorkspaceID.String()+"/aiReadiness/assess", http.StatusAccepted,
		map[string]any{"semanticModelIds": c.Models}, "Idempotency-Key", fmt.Sprintf("run-%d", c.Key))
	switch {
	case ok:
		c.Key++
		c.Runs = append(c.Runs, uuid.MustParse(got["operationId"].(string)))
	case got != nil && got["isRetriable"] != true:
		c.T.Fatalf("the run was refused: %v", got)
	}
}

// Unfinished reports whether the newest run is in progress. While the database does not answer, it returns the last
// known state.
func (c *Program) Unfinished() bool {
	if len(c.Runs) == c.done {
		return false
	}
	if ended, ok := Query[bool](c, `SELECT EXISTS (SELECT FROM events WHERE stream = $1 AND type IN ('operation.succeeded', 'operation.failed'))`, "operation-"+c.Runs[c.done].String()); ok && ended {
		c.done++
		return false
	}
	return true
}

// Finish gives the service one more life, in which the rest of the last run ends.
func (c *Program) Finish() {
	c.T.Helper()
	p := c.Launch()
	defer p.Kill()
	c.Settle()
}

// Settle waits until every run has ended and every step is done.
func (c *Program) Settle() {
	c.T.Helper()
	c.Await("the last run ends", func() bool { return !c.Unfinished() })
	c.Await("every step is done", func() bool {
		left, ok := Query[int](c, `SELECT count(*) FROM river_job WHERE state <> 'completed'`)
		return ok && left == 0
	})
	for _, id := range c.Runs {
		var result map[string]any
		c.Await("the result is read", func() (ok bool) {
			result, ok = c.Call(c.T.Context(), http.MethodGet, "/v1/operations/"+id.String()+"/result", http.StatusOK, nil)
			return ok
		})
		if result["succeeded"] != float64(len(c.Models)) || len(result["value"].([]any)) != len(c.Models) {
			c.T.Errorf("run %s: got %v of %d assessed, %d rows", id, result["succeeded"], len(c.Models), len(result["value"].([]any)))
		}
	}
}

// Verify compares the log with the calls: every run once, every model of it once, everything spent once.
func (c *Program) Verify() {
	c.T.Helper()
	count := c.Count
	runs := len(c.Runs)
	type counts struct {
		Accepted, Started, Succeeded, Failed, Ended, EndedTwice, Recorded, RecordedTwice int
		Spends, Spent, GivenBack, FirstLooks, Tokens, Rows                               int
	}
	of := func(kind string) int { return count(`SELECT count(*) FROM events WHERE type = $1`, kind) }
	got := counts{
		Accepted: of("operation.accepted"), Started: of("operation.started"), Succeeded: of("operation.succeeded"), Failed: of("operation.failed"),
		Ended:         of("assessment.model-ended"),
		EndedTwice:    count(`SELECT count(*) FROM (SELECT FROM events WHERE type = 'assessment.model-ended' GROUP BY stream, data->>'semanticModelId' HAVING count(*) > 1) twice`),
		Recorded:      of("assessment.recorded"),
		RecordedTwice: count(`SELECT count(*) FROM (SELECT FROM events WHERE type = 'assessment.recorded' GROUP BY stream, data->>'operationId' HAVING count(*) > 1) twice`),
		Spends:        count(`SELECT count(*) FROM events WHERE type = 'allowance.spent' AND data->>'kind' = 'assessments'`),
		Spent:         count(`SELECT coalesce(sum((data->>'amount')::int), 0) FROM events WHERE type = 'allowance.spent' AND data->>'kind' = 'assessments'`),
		GivenBack:     of("allowance.refunded"),
		FirstLooks:    count(`SELECT coalesce(sum((data->>'amount')::int), 0) FROM events WHERE type = 'allowance.spent' AND data->>'kind' = 'firstLooks'`),
		Tokens:        count(`SELECT count(*) FROM step_tokens`),
		Rows:          count(`SELECT count(*) FROM assessments_v6`),
	}
	all := runs * len(c.Models)
	want := counts{Accepted: runs, Started: runs, Succeeded: runs, Ended: all, Recorded: all, Spends: runs, Spent: all, FirstLooks: len(c.Models), Rows: all}
	if diff := cmp.Diff(want, got); diff != "" {
		c.T.Errorf("the log after %d runs (-want +got):\n%s", runs, diff)
	}
	c.Operate("events", "verify")
	c.Operate("projections", "rebuild", "--diff")
}
