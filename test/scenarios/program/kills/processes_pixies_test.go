//go:build hard

package kills_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/test/scenarios/program"
	"readiness/test/testlog"
)

// TestHardTwoProcessesOnReports lets two processes on one folder add Pixies to the same few reports and remove them,
// all at once. One operation at a time has a report, whichever process runs it. The records match the files, and
// removal leaves no byte.
//
// proves: 4.7/add/5 4.7/bulk/3 3.3/tracked
func TestHardTwoProcessesOnReports(t *testing.T) {
	t.Parallel()
	const calls = 40 // per caller, of four
	r := newReporter(t, "--database-url", testlog.URL(t))
	var bases []string
	for range 2 {
		p := r.Launch()
		defer p.Kill()
		bases = append(bases, r.Base)
	}
	r.prepare(t.Context())
	var callers sync.WaitGroup
	took := make([]int, 4)
	for i := range took {
		caller := *r.Program
		caller.Base, caller.Random = bases[i%2], rand.New(rand.NewPCG(r.Seed, uint64(i)+1))
		callers.Go(func() {
			for range calls {
				if contend(t.Context(), &caller, r.route, r.reports[:6]) {
					took[i]++
				}
			}
		})
	}
	callers.Wait()
	t.Logf("seed %d: of %d calls each were accepted %v", r.Seed, calls, took)
	r.quiet()

	r.Base = bases[0]
	r.carryOut() // adds
	placed, ok := program.Query[map[string]string](r.Program, `SELECT json_object_agg(id, page) FROM (SELECT p->>'id' AS id, p->>'page' AS page
		FROM (SELECT DISTINCT ON (stream) data FROM events WHERE type = 'pixies.added' ORDER BY stream, version DESC) e, json_array_elements(data->'placed') p) all_placed`)
	if !ok {
		t.Fatal("the database does not answer")
	}
	inFiles := map[string]string{}
	for path, text := range r.files() {
		if found := program.PixieAddress.FindString(text); found != "" {
			id := strings.TrimSuffix(found[strings.LastIndex(found, "/")+1:], ".gif")
			_, page, _ := strings.Cut(path, "/pages/")
			inFiles[id], _, _ = strings.Cut(page, "/")
		}
	}
	if diff := cmp.Diff(placed, inFiles); diff != "" || len(placed) == 0 {
		t.Errorf("the Pixies in the files are not those on record (-record +files):\n%s", diff)
	}
	r.Base = bases[1]
	r.carryOut() // removes, and checks that the files are as they were
	r.quiet()

	count := r.Count
	type counts struct{ Taken, Interleaved, EndedTwice, Tracked, Failed, Held, Tokens int }
	got := counts{
		Taken: count(`SELECT count(*) FILTER (WHERE type = 'pixies.locked') - count(*) FILTER (WHERE type IN ('pixies.added', 'pixies.removed', 'pixies.unchanged')) FROM events`),
		Interleaved: count(`SELECT count(*) FROM (SELECT type, data->>'lastOperation' AS operation, lag(type) OVER w AS type_before, lag(data->>'lastOperation') OVER w AS operation_before
			FROM events WHERE type LIKE 'pixies.%' AND data->>'lastOperation' IS NOT NULL WINDOW w AS (PARTITION BY stream ORDER BY version)) e
			WHERE (type = 'pixies.locked') = (type_before = 'pixies.locked') OR type <> 'pixies.locked' AND operation <> operation_before`),
		EndedTwice: count(`SELECT count(*) FROM (SELECT FROM events WHERE type = 'pixies.report-ended' GROUP BY stream, data->>'reportId' HAVING count(*) > 1) twice`),
		Tracked:    count(`SELECT count(*) FROM events WHERE type = 'trackeditem.claimed'`),
		Failed:     count(`SELECT count(*) FROM events WHERE type = 'operation.failed'`),
		Held:       count(`SELECT count(*) FROM pixies_v1 WHERE holder IS NOT NULL`),
		Tokens:     count(`SELECT count(*) FROM step_tokens`),
	}
	if diff := cmp.Diff(counts{Tracked: crashReports + 1}, got); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
	r.Operate("events", "verify")
	r.Operate("projections", "rebuild", "--diff")
}

// contend adds Pixies to some of the reports, or removes them, and reports whether it was accepted. A call for reports
// that another operation works on is refused, naming that operation.
func contend(ctx context.Context, c *program.Program, route func(string) string, reports []uuid.UUID) bool {
	verb := []string{"addPixies", "removePixies"}[c.Random.IntN(2)]
	from := c.Random.IntN(len(reports))
	some := reports[from : from+1+c.Random.IntN(len(reports)-from)]
	_, _ = program.Query[int](c, `WITH emptied AS (DELETE FROM rate_windows RETURNING 1) SELECT count(*)::int FROM emptied`)
	var got map[string]any
	var ok bool
	if len(some) == 1 {
		got, ok = c.Call(ctx, http.MethodPost, route(some[0].String()+"/"+verb), http.StatusAccepted, nil)
	} else {
		got, ok = c.Call(ctx, http.MethodPost, route(verb), http.StatusAccepted, map[string]any{"reportIds": some})
	}
	if ok {
		return true
	}
	if got["errorCode"] != "OperationInProgress" || !strings.Contains(fmt.Sprint(got["parameters"]), "operationId") {
		c.T.Errorf("%s of %d reports was refused: %v", verb, len(some), got)
	}
	return false
}

// quiet waits until nothing is in progress.
func (r *reporter) quiet() {
	r.T.Helper()
	r.Await("every step is done", func() bool {
		left, ok := program.Query[int](r.Program, `SELECT count(*) FROM river_job WHERE finalized_at IS NULL`)
		return ok && left == 0
	})
}

// carryOut runs the next run over all reports.
func (r *reporter) carryOut() {
	r.T.Helper()
	had := r.has
	r.Await("the run has ended", func() bool {
		if r.op == uuid.Nil {
			r.start(r.T.Context())
		} else {
			r.follow(r.T.Context())
		}
		return r.has != had
	})
}
