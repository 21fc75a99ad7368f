package kills_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/test/scenarios/program"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

// crashReports is enough that a run over them takes several lives of the process.
const crashReports = 60

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
	r.Life(r.prepare)
	kill := func(kills int, longest time.Duration) {
		r.Strike(kills, longest, func(lasts time.Duration) bool {
			inProgress := r.op != uuid.Nil
			r.Life(func(ctx context.Context) { r.live(ctx, lasts) })
			return inProgress || r.op != uuid.Nil
		})
	}
	kill(kills-kills/4, 400*time.Millisecond)
	kill(kills/4, 3*time.Second) // long enough that views are recorded
	p := r.Launch()
	defer p.Kill()
	r.finish()
	t.Logf("seed %d: %d kills, %d runs over %d reports, %d views, %d lost", r.Seed, kills, len(r.Runs), crashReports, r.seen.Load(), r.seen.Load()-r.counted())

	lost := r.seen.Load() - r.counted()
	if lost < 0 {
		t.Errorf("%d views were seen, and %d more are counted", r.seen.Load(), -lost)
	}
	for range 50 {
		r.look(t.Context())
	}
	testworld.Check(t, p.Cmd.Process.Signal(syscall.SIGTERM))
	r.Await("the service stops", p.Over)
	if now := r.seen.Load() - r.counted(); now != lost {
		t.Errorf("a graceful stop lost %d views", now-lost)
	}
	r.verify()
}

// reporter alternately adds Pixies to reports and removes them.
type reporter struct {
	*program.Program
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
	r := &reporter{Program: program.New(t, []string{"ada"}, database...), watched: uuid.New()}
	// Each process listens on its own address; the address of a Pixie stays the same.
	accounts := r.Args[slices.Index(r.Args, "--accounts")+1]
	text, err := os.ReadFile(accounts)
	testworld.Check(t, err)
	setup := fmt.Sprintf("    trackingSetups:\n      - {workspaceId: %s, collectorBaseUrl: 'https://collector.example'}\n", r.WorkspaceID)
	testworld.Check(t, os.WriteFile(accounts, append(text, setup...), 0o644))
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
	r.Report(r.T, "Retail", dir, name, id, "Sales")
	for n := range pages {
		r.Put(fmt.Sprintf(`{"name":"p%d","displayName":"Page","displayOption":"FitToPage","height":720,"width":1280}`, n), dir, "definition", "pages", fmt.Sprintf("p%d", n), "page.json")
	}
}

// of returns the files of the reports that runs change.
func (r *reporter) of(all map[string]string) map[string]string {
	maps.DeleteFunc(all, func(path, _ string) bool { return strings.Contains(path, "/Watched.Report/") })
	return all
}

func (r *reporter) files() map[string]string {
	r.T.Helper()
	all, err := testworld.Files(r.Root)
	testworld.Check(r.T, err)
	return all
}

func (r *reporter) route(rest string) string {
	return fmt.Sprintf("/v1/workspaces/%s/reports/%s", r.WorkspaceID, rest)
}

// prepare adds a Pixie to the report that is viewed.
func (r *reporter) prepare(ctx context.Context) {
	accepted, ok := r.Call(ctx, http.MethodPost, r.route(r.watched.String()+"/addPixies"), http.StatusAccepted, nil)
	if !ok {
		r.T.Fatalf("adding Pixies was not accepted: %v", r.Last)
	}
	r.Await("the report has a Pixie", func() bool {
		state, _ := r.Call(ctx, http.MethodGet, "/v1/operations/"+accepted["operationId"].(string), http.StatusOK, nil)
		return state["status"] == "Succeeded"
	})
	all := r.files()
	for _, text := range all {
		if found := program.PixieAddress.FindString(text); found != "" {
			r.address = strings.TrimPrefix(found, "https://collector.example")
		}
	}
	if r.address == "" {
		r.T.Fatal("no address is in the report")
	}
	r.before = r.of(all)
}

// look requests the Pixie once.
func (r *reporter) look(ctx context.Context) {
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, r.Base+r.address, http.NoBody)
	testworld.Check(r.T, err)
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
	r.T.Helper()
	n, ok := program.Query[int64](r.Program, `SELECT (SELECT coalesce(sum(v.value::int), 0) FROM events, json_each_text(data->'views') v WHERE type = 'pixies.seen')
		+ (SELECT coalesce(sum(views), 0) FROM page_view_hours)::bigint`)
	if !ok {
		r.T.Fatal("the database does not answer")
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
			r.Wait(ctx, 2*time.Millisecond)
		}
	})
	defer viewer.Wait()
	for ctx.Err() == nil {
		if r.op == uuid.Nil {
			r.start(ctx)
		} else {
			r.follow(ctx)
		}
		r.Wait(ctx, program.PollPause)
	}
}

// start starts the next run under a key. A call without an answer is repeated.
func (r *reporter) start(ctx context.Context) {
	verb := "addPixies"
	if r.has {
		verb = "removePixies"
	}
	// This replaces waiting for the minute that ten such calls fill.
	_, _ = program.Query[int](r.Program, `WITH emptied AS (DELETE FROM rate_windows RETURNING 1) SELECT count(*)::int FROM emptied`)
	got, ok := r.Call(ctx, http.MethodPost, r.route(verb), http.StatusAccepted, map[string]any{"reportIds": r.reports}, "Idempotency-Key", fmt.Sprintf("run-%d", r.Key))
	switch {
	case ok:
		r.op = uuid.MustParse(got["operationId"].(string))
		r.Runs = append(r.Runs, r.op)
		r.Key++
	case got != nil && got["isRetriable"] != true:
		r.T.Fatalf("the run was refused: %v", got)
	}
}

// follow reads the current run. Once it has ended, it compares the run's result with the files.
func (r *reporter) follow(ctx context.Context) {
	result, ok := r.Result(ctx, r.op.String())
	if !ok {
		return // read again later
	}
	if result["succeeded"] != float64(crashReports) || result["failed"] != 0. {
		r.T.Errorf("operation %s changed %v and not %v: %v", r.op, result["succeeded"], result["failed"], result["value"])
	}
	now := r.of(r.files())
	if r.has = !r.has; !r.has {
		if diff := testworld.Difference(r.before, now); diff != "" {
			r.T.Fatalf("operation %s left something behind:\n%s", r.op, diff)
		}
	} else if added := len(now) - len(r.before); added != 2*crashReports {
		r.T.Fatalf("operation %s added %d files, want one for each of %d pages", r.op, added, 2*crashReports)
	}
	r.op = uuid.Nil
}

// finish ends the current run, removes the remaining Pixies, and waits until nothing is left to do.
func (r *reporter) finish() {
	r.T.Helper()
	r.Await("the last run has ended", func() bool {
		switch {
		case r.op != uuid.Nil:
			r.follow(r.T.Context())
		case r.has:
			r.start(r.T.Context())
		}
		return r.op == uuid.Nil && !r.has
	})
	r.Await("every step is done", func() bool {
		left, ok := program.Query[int](r.Program, `SELECT count(*) FROM river_job WHERE finalized_at IS NULL`)
		return ok && left == 0
	})
}

// verify compares the log with the calls: every run once, every report of it once, every tracked item once.
func (r *reporter) verify() {
	r.T.Helper()
	count := r.Count
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
	runs := len(r.Runs) + 1
	want := counts{Accepted: runs, Succeeded: runs, Ended: len(r.Runs)*crashReports + 1, Tracked: crashReports + 1}
	if diff := cmp.Diff(want, got); diff != "" {
		r.T.Errorf("the log after %d runs (-want +got):\n%s", runs, diff)
	}
	r.Operate("events", "verify")
	r.Operate("projections", "rebuild", "--diff")
}
