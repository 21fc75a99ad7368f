package monitor_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"readiness/cmd/readinessd/monitor"
	"readiness/cmd/readinessd/wiring"
	"readiness/commands"
	"readiness/domain/account"
	"readiness/eventstore"
	"readiness/eventstore/audit"
	"readiness/storage/people"
	"readiness/test/testlog"
)

// world is a database with a monitor of it.
type world struct {
	*testing.T
	pool     *pgxpool.Pool
	log      *wiring.Log
	now      time.Time
	leads    bool
	next     time.Duration // as the last measurement returned
	monitor  *monitor.Monitor
	registry *prometheus.Registry
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, pool: testlog.Pool(t), now: time.Now().UTC().Truncate(time.Second), leads: true, registry: prometheus.NewRegistry()}
	who, err := people.New(w.pool, make([]byte, people.KeySize))
	w.must(err)
	w.log, err = wiring.OpenLog(w.pool, who, func() time.Time { return w.now }, slog.New(slog.DiscardHandler))
	w.must(err)
	w.monitor = monitor.New(monitor.Options{
		Pool: w.pool, Store: w.log.Store, Engine: w.log.Engine, Views: w.log.Views, Now: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler),
		Leads: func(context.Context) (bool, error) { return w.leads, nil },
	})
	w.registry.MustRegister(w.monitor)
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) exec(sql string, args ...any) {
	w.Helper()
	_, err := w.pool.Exec(w.Context(), sql, args...)
	w.must(err)
}

// events appends some events of accounts.
func (w *world) events() {
	w.Helper()
	_, err := commands.New(commands.Options{Store: w.log.Store, People: w.log.People, Plans: account.DefaultPlans()}).Accounts.Apply(w.Context(),
		[]account.Declaration{{AccountID: "contoso", Plan: account.Team, Status: account.Active,
			Settings: account.Settings{AIFeatures: true, DefinitionCopies: account.CopiesNone}}})
	w.must(err)
}

// measured measures and returns every series, as in the text format, without comments.
func (w *world) measured() map[string]float64 {
	w.Helper()
	var err error
	w.next, err = w.monitor.Measure(w.Context())
	w.must(err)
	return w.series()
}

func (w *world) series() map[string]float64 {
	w.Helper()
	families, err := w.registry.Gather()
	w.must(err)
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := strings.TrimPrefix(f.GetName(), "readiness_")
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			got[name] = m.GetGauge().GetValue()
		}
	}
	return got
}

func (w *world) wants(got map[string]float64, want map[string]float64) {
	w.Helper()
	for name, v := range want {
		if g, ok := got[name]; !ok || g != v {
			w.Errorf("%s is %v (%t), want %v", name, g, ok, v)
		}
	}
}

func TestNumbersOfTheDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := w.measured()
	w.wants(got, map[string]float64{
		"log_position": 0, "log_watermark_lag": 0, "view_lag_events audit": 0, "view_lag_seconds audit": 0, "view_error audit": 0,
		"view_unbuilt audit": 0, "view_unbuilt accounts": 0, "operations_waiting owner": 0, "operations_waiting work": 0, "schedules_late": 0,
		"verify_last_success_timestamp_seconds": 0, "webhook_waiting": 0, "webhook_oldest_seconds": 0,
	})
	if got["database_size_bytes events"] <= 0 {
		t.Errorf("the table events has %v bytes", got["database_size_bytes events"])
	}
	if problems, err := testutil.GatherAndLint(w.registry); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}

	if _, named := got["checkpoint_age_seconds"]; named {
		t.Error("trees that have no name yet have an age")
	}
	trees := audit.New(audit.Options{Pool: w.pool, Watermark: w.log.Store.Watermark, Key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)),
		Now: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler)})
	w.must(trees.Begin(t.Context(), "readiness.example.com/audit"))
	w.now = w.now.Add(30 * time.Second)
	w.wants(w.measured(), map[string]float64{"checkpoint_age_seconds": 30})
	w.must(trees.Seal(t.Context())) // nothing is new
	w.wants(w.measured(), map[string]float64{"checkpoint_age_seconds": 0})

	w.events() // inline views have them; nothing follows in this test
	appended := w.now
	w.now = w.now.Add(90 * time.Second)
	w.exec(`INSERT INTO followers (name, error) SELECT view || '_v' || version, 'boom' FROM view_generations WHERE view = 'audit'
		ON CONFLICT (name) DO UPDATE SET error = excluded.error`)
	w.exec(`DELETE FROM view_generations WHERE view = 'activity'`)
	w.exec(`INSERT INTO river_job (kind, args, state, max_attempts, created_at, scheduled_at) VALUES
		('assess-semantic-model', '{}', 'available', 3, $1, now()), ('assess-semantic-model', '{}', 'scheduled', 3, $2, now()),
		('ask-questions', '{}', 'retryable', 3, $2, now())`, time.Now().Add(-10*time.Hour), time.Now().Add(-time.Hour)) // by the database's clock
	w.exec(`INSERT INTO river_job (kind, args, state, max_attempts, created_at, scheduled_at, finalized_at)
		VALUES ('ask-questions', '{}', 'completed', 3, $1, now(), now())`, w.now.Add(-time.Hour))
	w.exec(`INSERT INTO operations_v6 (id, account_id, person, type, status, created_at, updated_at, workspace_id, item_type, impact, waits)
		SELECT gen_random_uuid(), 'contoso', 'ana', 'AssessSemanticModel', s, now(), now(), gen_random_uuid(), '', '{}', w
		FROM (VALUES ('Running', true), ('Running', false), ('NotStarted', false), ('Succeeded', false)) AS v (s, w)`)
	for _, late := range []time.Duration{-time.Hour, -5*time.Minute - time.Second, -5 * time.Minute, time.Hour} {
		w.exec(`INSERT INTO schedules_v2 (account_id, schedule_id, semantic_model_id, created_at, next_at, schedule)
			VALUES ('contoso', gen_random_uuid(), gen_random_uuid(), now(), $1, '{}')`, w.now.Add(late))
	}
	for state, since := range map[string]time.Duration{"Waiting": -90 * time.Second, "Parked": -time.Hour, "Delivered": -2 * time.Hour} {
		w.exec(`INSERT INTO webhook_deliveries (account_id, webhook_id, id, message, made_at, since, state)
			SELECT 'contoso', gen_random_uuid(), gen_random_uuid(), '{}', $1, s, $2 FROM (VALUES ($1::timestamptz), ($1 + interval '1 minute')) AS v (s)`,
			w.now.Add(since), state)
	}
	if _, named := w.measured()["forward_lag_events"]; named {
		t.Error("a log that was never forwarded is behind")
	}
	w.must(w.log.Store.Forwarded(w.Context(), 0))
	w.must(w.log.Store.Verified(w.Context(), eventstore.Verification{Events: 1}))
	_, err := trees.Restart(t.Context(), "a restore", nil) // the age is that of the present epoch
	w.must(err)
	w.exec(`UPDATE audit_trees SET sealed_at = $1 WHERE epoch = 2`, w.now.Add(-7*time.Second))
	got = w.measured()
	last := got["log_position"]
	if last < 1 {
		t.Fatalf("the log is at %v", last)
	}
	w.wants(got, map[string]float64{
		"log_watermark_lag": 0, "view_lag_events audit": last, "view_lag_seconds audit": w.now.Sub(appended).Seconds(), "view_error audit": 1,
		"forward_lag_events": last, "forward_lag_seconds": w.now.Sub(appended).Seconds(),
		"view_lag_events accounts": 0, "view_error accounts": 0, "view_unbuilt activity": 1, "checkpoint_age_seconds": 7, "view_unbuilt audit": 0,
		"steps assess-semantic-model available": 1, "steps assess-semantic-model scheduled": 1, "steps ask-questions retryable": 1,
		"operations_waiting owner": 1, "operations_waiting work": 2, "schedules_late": 2, "webhook_waiting": 2, "webhook_oldest_seconds": 90,
		"verify_last_success_timestamp_seconds": float64(w.now.UnixMilli()) / 1000,
	})
	if a, b := got["steps_oldest_seconds assess-semantic-model"], got["steps_oldest_seconds ask-questions"]; b < 3600 || a-b < 9*3600 || b > 2*3600 {
		t.Errorf("the oldest steps are %v and %v seconds old, want ten hours and one", a, b)
	}
	if _, counted := got["steps ask-questions completed"]; counted {
		t.Error("a completed step counts as unfinished")
	}
}

// A running append holds the watermark back, and the lag says so.
func TestRunningAppend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.events()
	before := w.measured()["log_position"]
	tx, err := w.pool.Begin(t.Context())
	w.must(err)
	_, err = tx.Exec(t.Context(), `SELECT pg_advisory_xact_lock_shared((17747::bigint << 44) + last_value), nextval('events_position_seq')
		FROM events_position_seq`)
	w.must(err)
	w.wants(w.measured(), map[string]float64{"log_position": before + 1, "log_watermark_lag": 1})
	w.must(tx.Rollback(t.Context()))
	w.wants(w.measured(), map[string]float64{"log_position": before + 1, "log_watermark_lag": 0})
}

// Only the process that leads has numbers, and no process has old ones.
func TestWhoAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if len(w.series()) > 0 {
		t.Error("there are numbers before any were read")
	}
	if len(w.measured()) == 0 || w.next != monitor.Every {
		t.Fatalf("the process that leads has no numbers, or measures again in %s", w.next)
	}
	w.now = w.now.Add(time.Minute)
	if len(w.series()) == 0 {
		t.Error("numbers of a minute ago are gone")
	}
	w.now = w.now.Add(time.Millisecond)
	if got := w.series(); len(got) > 0 {
		t.Errorf("numbers of more than a minute ago are shown: %v", got)
	}
	if len(w.measured()) == 0 {
		t.Error("the process that leads has no numbers again")
	}
	w.leads = false
	if got := w.measured(); len(got) > 0 || w.next != time.Second {
		t.Errorf("a process that does not lead says %v, and looks again in %s", got, w.next)
	}
	w.leads = true
	if len(w.measured()) == 0 || w.next != monitor.Every {
		t.Errorf("a process that leads again has no numbers, or measures again in %s", w.next)
	}
}

// Sizes are read every five minutes, everything else each time.
func TestSizesAreReadRarely(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.measured()
	w.exec(`CREATE TABLE more (x int)`)
	w.now = w.now.Add(5*time.Minute - time.Second)
	if _, read := w.measured()["database_size_bytes more"]; read {
		t.Error("sizes were read after less than five minutes")
	}
	w.now = w.now.Add(time.Second)
	if _, read := w.measured()["database_size_bytes more"]; !read {
		t.Error("sizes were not read after five minutes")
	}
}

// A failure to measure is returned, and the numbers before it stay until they are old.
func TestFailureToMeasure(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.measured()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if next, err := w.monitor.Measure(ctx); !errors.Is(err, context.Canceled) || next != monitor.Every {
		t.Errorf("got %v, again in %s", err, next)
	}
	if len(w.series()) == 0 {
		t.Error("the numbers before the failure are gone")
	}
	w.now = w.now.Add(2 * time.Minute)
	if len(w.series()) > 0 {
		t.Error("old numbers are shown")
	}
}
