package program_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/internal/testlog"
	"readiness/internal/testworld"
)

// crashReports is enough that a run over them takes several lives of the process.
const crashReports = 60

var pixieAddress = regexp.MustCompile(`https?://[^"'\s]+/p/[0-9a-f]+\.gif`)

// TestKilledPixies kills the program at random instants of runs that add Pixies to many reports and remove them again,
// while one more report is viewed. Each run ends, and each of its reports ends once. Removal leaves no byte, no view
// counts twice, and a process that stops gracefully loses no view.
//
// proves: 4.7/bulk/4 3.3/tracked
func TestKilledPixies(t *testing.T) {
	t.Parallel()
	killPixies(t, 2)
}

func killPixies(t *testing.T, kills int) {
	t.Helper()
	r := newReporter(t, "--database-url", testlog.URL(t))
	r.life(r.prepare)
	kill := func(kills int, longest time.Duration) {
		r.strike(kills, longest, func(lasts time.Duration) bool {
			inProgress := r.op != uuid.Nil
			r.life(func(ctx context.Context) { r.live(ctx, lasts) })
			return inProgress || r.op != uuid.Nil
		})
	}
	kill(kills-kills/4, 400*time.Millisecond)
	kill(kills/4, 3*time.Second) // long enough that views are recorded
	p := r.launch()
	defer p.kill()
	r.finish()
	t.Logf("seed %d: %d kills, %d runs over %d reports, %d views, %d lost", r.seed, kills, len(r.runs), crashReports, r.seen.Load(), r.seen.Load()-r.counted())

	lost := r.seen.Load() - r.counted()
	if lost < 0 {
		t.Errorf("%d views were seen, and %d more are counted", r.seen.Load(), -lost)
	}
	for range 50 {
		r.look(t.Context())
	}
	check(t, p.cmd.Process.Signal(syscall.SIGTERM))
	r.await("the service stops", p.over)
	if now := r.seen.Load() - r.counted(); now != lost {
		t.Errorf("a graceful stop lost %d views", now-lost)
	}
	r.verify()
}

// reporter alternately adds Pixies to reports and removes them.
type reporter struct {
	*crash
	reports []uuid.UUID
	watched uuid.UUID // the report that is viewed and that no run changes
	address string    // address of the Pixie in it
	before  map[string]string
	seen    atomic.Int64 // views that were answered

	has bool      // whether Pixies are in the reports
	op  uuid.UUID // the current operation, or none
}

func newReporter(t *testing.T, database ...string) *reporter {
	t.Helper()
	r := &reporter{crash: newProgram(t, []string{"ada"}, database...), watched: uuid.New()}
	// Each process listens on its own address; the address of a Pixie stays the same.
	accounts := r.args[slices.Index(r.args, "--accounts")+1]
	text, err := os.ReadFile(accounts)
	check(t, err)
	setup := fmt.Sprintf("    trackingSetups:\n      - {workspaceId: %s, collectorBaseUrl: 'https://collector.example'}\n", r.workspace)
	check(t, os.WriteFile(accounts, append(text, setup...), 0o644))
	r.report("Watched", r.watched, 1)
	for i := range crashReports {
		id := uuid.New()
		r.reports = append(r.reports, id)
		r.report(fmt.Sprintf("Report %03d", i), id, 1+i%3)
	}
	return r
}

func (r *reporter) report(name string, id uuid.UUID, pages int) {
	dir := name + ".Report"
	r.Report(r.t, "Retail", dir, name, id, "Sales")
	for n := range pages {
		r.put(fmt.Sprintf(`{"name":"p%d","displayName":"Page","displayOption":"FitToPage","height":720,"width":1280}`, n), dir, "definition", "pages", fmt.Sprintf("p%d", n), "page.json")
	}
}

// of returns the files of the reports that runs change.
func (r *reporter) of(all map[string]string) map[string]string {
	maps.DeleteFunc(all, func(path, _ string) bool { return strings.Contains(path, "/Watched.Report/") })
	return all
}

func (r *reporter) files() map[string]string {
	r.t.Helper()
	all, err := testworld.Files(r.Root)
	check(r.t, err)
	return all
}

func (r *reporter) route(rest string) string {
	return fmt.Sprintf("/v1/workspaces/%s/reports/%s", r.workspace, rest)
}

// prepare adds a Pixie to the report that is viewed.
func (r *reporter) prepare(ctx context.Context) {
	accepted, ok := r.call(ctx, http.MethodPost, r.route(r.watched.String()+"/addPixies"), http.StatusAccepted, nil)
	if !ok {
		r.t.Fatalf("adding Pixies was not accepted: %v", r.last)
	}
	r.await("the report has a Pixie", func() bool {
		state, _ := r.call(ctx, http.MethodGet, "/v1/operations/"+accepted["operationId"].(string), http.StatusOK, nil)
		return state["status"] == "Succeeded"
	})
	all := r.files()
	for _, text := range all {
		if found := pixieAddress.FindString(text); found != "" {
			r.address = strings.TrimPrefix(found, "https://collector.example")
		}
	}
	if r.address == "" {
		r.t.Fatal("no address is in the report")
	}
	r.before = r.of(all)
}

// look requests the Pixie once.
func (r *reporter) look(ctx context.Context) {
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+r.address, http.NoBody)
	check(r.t, err)
	got, err := http.DefaultClient.Do(ask)
	if err != nil {
		return // killed
	}
	defer got.Body.Close()
	if _, err := io.Copy(io.Discard, got.Body); err == nil && got.StatusCode == http.StatusOK {
		r.seen.Add(1)
	}
}

// counted returns the views in the log and those of unfinished hours.
func (r *reporter) counted() int64 {
	r.t.Helper()
	n, ok := query[int64](r.crash, `SELECT (SELECT coalesce(sum(v.value::int), 0) FROM events, json_each_text(data->'views') v WHERE type = 'pixies.seen')
		+ (SELECT coalesce(sum(views), 0) FROM page_view_hours)::bigint`)
	if !ok {
		r.t.Fatal("the database does not answer")
	}
	return n
}

// live performs one run after another until its time is over, and views the one report meanwhile.
func (r *reporter) live(ctx context.Context, lasts time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, lasts)
	defer cancel()
	var viewer sync.WaitGroup
	viewer.Go(func() {
		for ctx.Err() == nil {
			r.look(ctx)
			r.wait(ctx, 2*time.Millisecond)
		}
	})
	defer viewer.Wait()
	for ctx.Err() == nil {
		if r.op == uuid.Nil {
			r.start(ctx)
		} else {
			r.follow(ctx)
		}
		r.wait(ctx, pollPause)
	}
}

// start starts the next run under a key. A call without an answer is repeated.
func (r *reporter) start(ctx context.Context) {
	verb := "addPixies"
	if r.has {
		verb = "removePixies"
	}
	// This replaces waiting for the minute that ten such calls fill.
	_, _ = query[int](r.crash, `WITH emptied AS (DELETE FROM rate_windows RETURNING 1) SELECT count(*)::int FROM emptied`)
	got, ok := r.call(ctx, http.MethodPost, r.route(verb), http.StatusAccepted, map[string]any{"reportIds": r.reports}, "Idempotency-Key", fmt.Sprintf("run-%d", r.key))
	switch {
	case ok:
		r.op = uuid.MustParse(got["operationId"].(string))
		r.runs = append(r.runs, r.op)
		r.key++
	case got != nil && got["isRetriable"] != true:
		r.t.Fatalf("the run was refused: %v", got)
	}
}

// follow reads the current run. Once it has ended, it compares the run's result with the files.
func (r *reporter) follow(ctx context.Context) {
	at := "/v1/operations/" + r.op.String()
	state, ok := r.call(ctx, http.MethodGet, at, http.StatusOK, nil)
	if !ok || state["status"] != "Succeeded" && state["status"] != "Failed" {
		return
	}
	result, ok := r.call(ctx, http.MethodGet, at+"/result", http.StatusOK, nil)
	switch {
	case !ok && ctx.Err() == nil && r.last["errorCode"] != nil:
		r.t.Fatalf("operation %s is %v and has no result: %v", r.op, state["status"], r.last)
	case !ok:
		return // killed meanwhile; read again later
	}
	if result["succeeded"] != float64(crashReports) || result["failed"] != 0. {
		r.t.Errorf("operation %s changed %v and not %v: %v", r.op, result["succeeded"], result["failed"], result["value"])
	}
	now := r.of(r.files())
	if r.has = !r.has; !r.has {
		if diff := testworld.Difference(r.before, now); diff != "" {
			r.t.Fatalf("operation %s left something behind:\n%s", r.op, diff)
		}
	} else if added := len(now) - len(r.before); added != 2*crashReports {
		r.t.Fatalf("operation %s added %d files, want one for each of %d pages", r.op, added, 2*crashReports)
	}
	r.op = uuid.Nil
}

// finish ends the current run, removes the remaining Pixies, and waits until nothing is left to do.
func (r *reporter) finish() {
	r.t.Helper()
	r.await("the last run has ended", func() bool {
		switch {
		case r.op != uuid.Nil:
			r.follow(r.t.Context())
		case r.has:
			r.start(r.t.Context())
		}
		return r.op == uuid.Nil && !r.has
	})
	r.await("every step is done", func() bool {
		left, ok := query[int](r.crash, `SELECT count(*) FROM river_job WHERE finalized_at IS NULL`)
		return ok && left == 0
	})
}

// verify compares the log with the calls: every run once, every report of it once, every tracked item once.
func (r *reporter) verify() {
	r.t.Helper()
	count := func(sql string) int {
		r.t.Helper()
		n, ok := query[int](r.crash, sql)
		if !ok {
			r.t.Fatalf("the database does not answer: %s", sql)
		}
		return n
	}
	type counts struct{ Accepted, Succeeded, Ended, EndedTwice, Tracked, Held, Tokens int }
	got := counts{
		Accepted:   count(`SELECT count(*) FROM events WHERE type = 'pixies.run-accepted'`),
		Succeeded:  count(`SELECT count(*) FROM events WHERE type = 'operation.succeeded'`),
		Ended:      count(`SELECT count(*) FROM events WHERE type = 'pixies.report-ended'`),
		EndedTwice: count(`SELECT count(*) FROM (SELECT FROM events WHERE type = 'pixies.report-ended' GROUP BY stream, data->>'reportId' HAVING count(*) > 1) twice`),
		Tracked:    count(`SELECT count(*) FROM events WHERE type = 'trackeditem.claimed'`),
		Held:       count(`SELECT count(*) FROM pixies_v1 WHERE holder IS NOT NULL`),
		Tokens:     count(`SELECT count(*) FROM step_tokens`),
	}
	runs := len(r.runs) + 1
	want := counts{Accepted: runs, Succeeded: runs, Ended: len(r.runs)*crashReports + 1, Tracked: crashReports + 1}
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("the log after %d runs (-want +got):\n%s", runs, diff)
	}
	r.operate("events", "verify")
	r.operate("projections", "rebuild", "--diff")
}
