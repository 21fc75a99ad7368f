package projections_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"readiness/eventstore"
	"readiness/projections"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"
)

// Sixteen writers append, some pause or roll back, while the view is rebuilt and switched repeatedly:
// no row ever differs and no append fails.
func TestRebuildUnderLoad(t *testing.T) {
	t.Parallel()
	p := start(t, nil, toy(1, true))
	p.fill(t, 3000)
	undone := errors.New("undone")
	stop := make(chan struct{})
	var writers sync.WaitGroup
	var appended atomic.Int64
	for w := range 16 {
		writers.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(w)))
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				fail := rng.IntN(10) == 0
				err := p.append(t.Context(), fmt.Sprintf("toy-%d", w), func(ctx context.Context, tx pgx.Tx) error {
					_, err := tx.Exec(ctx, `SELECT pg_sleep($1)`, rng.Float64()*0.003)
					if fail {
						return undone
					}
					return err
				}, changed{[]op{{Kind: 'd', Key: i % 5}, {Kind: 'i', Key: i % 5, Name: "x", N: i}}}, changed{[]op{{Kind: 'a', Key: i % 7, N: 1}}})
				switch {
				case fail && errors.Is(err, undone):
				case err != nil:
					t.Error(err)
					return
				default:
					appended.Add(2)
				}
			}
		})
	}
	for range 5 {
		r := p.rebuild(t, projections.RebuildOptions{Diff: true})
		if r.Diff == nil || !r.Diff.None() || r.Diff.Same == 0 {
			t.Errorf("under load the rows differ: %+v", r.Diff)
		}
	}
	close(stop)
	writers.Wait()
	p.same(t)
	var events, want int64
	err := p.pool.QueryRow(t.Context(), `SELECT (SELECT sum(events) FROM sums_v1),
		(SELECT sum(json_array_length(data->'Ops')) FROM events)`).Scan(&events, &want)
	if err != nil {
		t.Fatal(err)
	}
	if events != want || appended.Load() == 0 {
		t.Errorf("%d changes are counted, the log has %d", events, want)
	}
}

// For any changes, a rebuild makes the rows that inline projection made.
func TestRebuildMakesTheSameRows(t *testing.T) {
	t.Parallel()
	p := start(t, nil, toy(1, true))
	const rebuilds = 30 // out of the 100 that rapid tries: each creates and drops tables
	run, failed := 0, false
	rapid.Check(t, func(rt *rapid.T) {
		if run++; run > rebuilds && !failed {
			return
		}
		defer func() { failed = failed || rt.Failed() }()
		for range rapid.IntRange(1, 12).Draw(rt, "events") {
			var ops []op
			for range rapid.IntRange(0, 4).Draw(rt, "ops") {
				o := op{Kind: rapid.SampledFrom([]byte("isnawed")).Draw(rt, "kind"), Key: rapid.IntRange(0, 2).Draw(rt, "key"), N: rapid.IntRange(-3, 9).Draw(rt, "n"),
					Name: rapid.SampledFrom([]string{"", "a", "é\t\\N", "NULL", "a\x00\xff"}).Draw(rt, "name")}
				if rapid.Bool().Draw(rt, "more") {
					o.More = map[string]int{"x": o.N}
				}
				if o.Kind == 'i' { // an insert needs a free key
					ops = append(ops, op{Kind: 'd', Key: o.Key})
				}
				ops = append(ops, o)
			}
			stream := fmt.Sprintf("toy-%d-%d", run, rapid.IntRange(0, 1).Draw(rt, "stream"))
			if err := p.append(t.Context(), stream, nil, changed{ops}); err != nil {
				rt.Fatal(err)
			}
		}
		r, err := p.engine.Rebuild(t.Context(), p.log, "toy", projections.RebuildOptions{Diff: true})
		if err != nil {
			rt.Fatal(err)
		}
		if !r.Diff.None() {
			rt.Fatalf("the rows differ: %+v", r.Diff)
		}
		if _, err := p.engine.Retire(t.Context(), "toy"); err != nil {
			rt.Fatal(err)
		}
	})
}

// A rebuild that its caller or the server interrupts has no effect on callers, and is resumed where it
// stopped.
func TestRebuildIsResumed(t *testing.T) {
	t.Parallel()
	const events = 45_000
	without := start(t, nil) // the view is built afterwards: faster
	without.fill(t, events)
	p := start(t, without.pool, toy(1, true))
	p.rebuild(t, projections.RebuildOptions{})
	for name, end := range map[string]func(p program, cancel func()){
		"canceled": func(_ program, cancel func()) { cancel() },
		"its connection cut": func(p program, _ func()) {
			_, _ = p.pool.Exec(context.Background(), `SELECT pg_terminate_backend(pid) FROM pg_locks
				WHERE locktype = 'advisory' AND objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := p.engine.Retire(t.Context(), "toy"); err != nil {
				t.Fatal(err)
			}
			before, err := p.engine.Status(t.Context(), p.log)
			if err != nil || len(before) != 1 {
				t.Fatalf("before: got %+v, %v", before, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var ended projections.Progress
			first, err := p.engine.Rebuild(ctx, p.log, "toy", projections.RebuildOptions{Progress: func(at projections.Progress) {
				if ended = at; at.Position < at.Target {
					end(p, cancel)
				}
			}})
			if err == nil {
				t.Fatal("got no error from a rebuild that was ended")
			}
			if ended.Position == 0 || ended.Position >= events || ended.Target != events || ended.View != "toy" {
				t.Errorf("ended at %+v, want in the middle", ended)
			}
			status, err := p.engine.Status(t.Context(), p.log)
			if err != nil || len(status) != 2 || status[0].State != projections.Live || status[0].Generation != before[0].Generation ||
				status[1].State != projections.Building || status[1].Position != ended.Position || status[1].Error == "" {
				t.Errorf("after the end: got %+v, %v", status, err)
			}
			second := p.rebuild(t, projections.RebuildOptions{})
			if second.Resumed != ended.Position || second.Generation != first.Generation || first.Events+second.Events != events {
				t.Errorf("first %+v, then %+v", first, second)
			}
			if n := p.count(t, "things_v1 WHERE name = CASE key % 5000 WHEN 4999 THEN 'new' ELSE 'before ' || key + 1 END"); n != events {
				t.Errorf("%d rows are right, want %d", n, events)
			}
			p.same(t)
		})
	}
}

// A row that was changed by anything other than the projection is found.
func TestDiffFindsTampering(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		sql  string
		want projections.TableDiff
	}{
		{`UPDATE things_v1 SET name = NULL WHERE key = 3`, projections.TableDiff{Different: 1, First: []string{`["toy-fill0", 3]`}}},
		{`UPDATE things_v1 SET more = '{"a":1}' WHERE key IN (3, 4)`, projections.TableDiff{Different: 2, First: []string{`["toy-fill0", 3]`, `["toy-fill0", 4]`}}},
		{`DELETE FROM things_v1 WHERE key = 5`, projections.TableDiff{OnlyNew: 1, First: []string{`["toy-fill0", 5]`}}},
		{`INSERT INTO things_v1 (stream, key) VALUES ('toy-x', 1)`, projections.TableDiff{OnlyLive: 1, First: []string{`["toy-x", 1]`}}},
		{`UPDATE totals_v1 SET n = 0`, projections.TableDiff{Table: "totals", Different: 1, First: []string{`["toy-fill0"]`}}},
	} {
		p := start(t, nil, toy(1, true))
		p.fill(t, 20)
		if _, err := p.pool.Exec(t.Context(), test.sql); err != nil {
			t.Fatal(err)
		}
		r := p.rebuild(t, projections.RebuildOptions{Diff: true})
		if test.want.Table == "" {
			test.want.Table = "things"
		}
		want := []projections.TableDiff{{Table: "things"}, {Table: "sums"}, {Table: "totals"}}
		want[slices.IndexFunc(want, func(d projections.TableDiff) bool { return d.Table == test.want.Table })] = test.want
		if diff := cmp.Diff(want, r.Diff.Tables, cmpopts.EquateEmpty()); diff != "" || r.Diff.None() {
			t.Errorf("%s: %s", test.sql, diff)
		}
		p.same(t) // the rebuild has repaired it
	}
}

func TestOneRebuildAtATime(t *testing.T) {
	t.Parallel()
	p := start(t, nil, toy(1, true))
	p.fill(t, 10)
	tried := false
	p.rebuild(t, projections.RebuildOptions{Progress: func(projections.Progress) {
		tried = true
		if _, err := p.engine.Rebuild(t.Context(), p.log, "toy", projections.RebuildOptions{}); !errors.Is(err, projections.ErrRebuilding) {
			t.Errorf("got %v, want ErrRebuilding", err)
		}
	}})
	if !tried {
		t.Error("no progress was reported")
	}
	if _, err := p.engine.Rebuild(t.Context(), p.log, "other", projections.RebuildOptions{}); err == nil {
		t.Error("a view that does not exist was rebuilt")
	}
	p.same(t)
}

// A new version goes live by a rebuild. From then on an older program can neither append, because the
// new tables would miss its appends, nor rebuild.
func TestNewVersion(t *testing.T) {
	t.Parallel()
	old := start(t, nil, toy(1, true))
	old.fill(t, 2000)
	new := start(t, old.pool, toy(2, true))
	if err := new.engine.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "version 2 of the view toy") {
		t.Errorf("before the rebuild: got %v, want an error that names the view", err)
	}
	if err := new.append(t.Context(), "toy-1", nil, changed{[]op{{Kind: 'i'}}}); err == nil {
		t.Error("before the rebuild an append went through")
	}
	old.mustAppend(t, "toy-2", changed{[]op{{Kind: 'i', Name: "by the old program"}}})
	report := new.rebuild(t, projections.RebuildOptions{Diff: true})
	if report.Version != 2 || report.Generation != 1 || report.Diff != nil {
		t.Errorf("got %+v", report)
	}
	if err := new.engine.Check(t.Context()); err != nil {
		t.Error(err)
	}
	before := new.count(t, "events")
	if err := old.append(t.Context(), "toy-3", nil, changed{[]op{{Kind: 'i'}}}); err == nil || new.count(t, "events") != before {
		t.Errorf("the old program appended: %v", err)
	}
	if _, err := old.engine.Rebuild(t.Context(), old.log, "toy", projections.RebuildOptions{}); err == nil || !strings.Contains(err.Error(), "version 2 is live") {
		t.Errorf("the old program rebuilt: %v", err)
	}
	new.mustAppend(t, "toy-3", changed{[]op{{Kind: 'i', Name: "by the new program"}}})
	if n := new.count(t, "things_v2"); n != 2002 {
		t.Errorf("got %d rows, want 2002", n)
	}
	new.same(t)
	if n, err := new.engine.Retire(t.Context(), "toy"); n != 2 || err != nil {
		t.Errorf("retired %d, %v, want the old version's generation and the one before this", n, err)
	}
	if n := new.count(t, "pg_class WHERE relname ~ '^(things|sums)_v[0-9]+_g[0-9]+$'"); n != 2 {
		t.Errorf("%d tables are left, want those of the live generation", n)
	}
	new.same(t)
}

// A view that is new in a program is built on a log with events by a rebuild too.
func TestNewViewOnAnOldLog(t *testing.T) {
	t.Parallel()
	before := start(t, nil)
	before.fill(t, 100)
	p := start(t, before.pool, toy(1, true))
	if err := p.engine.Check(t.Context()); err == nil {
		t.Error("the view counts as built")
	}
	status, err := p.engine.Status(t.Context(), p.log)
	want := []projections.Status{{View: "toy", Version: 1, Inline: true, State: projections.Missing, Lag: 100}}
	if diff := cmp.Diff(want, status); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	p.rebuild(t, projections.RebuildOptions{})
	if n := p.count(t, "things_v1"); n != 100 {
		t.Errorf("got %d rows, want 100", n)
	}
	p.mustAppend(t, "toy-1", changed{[]op{{Kind: 'i'}}})
	p.same(t)
}

// follow runs the views that follow the log until t ends.
func (p program) follow(t testing.TB) {
	t.Helper()
	r, err := message.NewRouter(message.RouterConfig{}, watermill.NopLogger{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.engine.Follow(p.log, r); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() { _ = r.Run(context.Background()) })
	<-r.Running()
	t.Cleanup(func() { _ = r.Close(); done.Wait() })
}

// caughtUp waits until the follower of version 1 has handled every event.
func (p program) caughtUp(t testing.TB) {
	t.Helper()
	for caught := false; !caught; {
		err := p.pool.QueryRow(t.Context(), `SELECT position >= (SELECT max(position) FROM events) FROM followers, pg_sleep(0.005) WHERE name = 'toy_v1'`).Scan(&caught)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A view that follows the log is rebuilt and switched while it follows.
func TestRebuildOfAFollower(t *testing.T) {
	t.Parallel()
	p := start(t, nil, toy(1, false))
	p.fill(t, 1000)
	p.follow(t)
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				ops := []op{{Kind: 'd', Key: i % 5}, {Kind: 'i', Key: i % 5, N: i}, {Kind: 'a', Key: i % 3, N: 2}}
				if err := p.append(t.Context(), fmt.Sprintf("toy-%d", w), nil, changed{ops}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 4 {
		if r := p.rebuild(t, projections.RebuildOptions{Diff: true}); r.Diff == nil || !r.Diff.None() {
			t.Errorf("under load the rows differ: %+v", r.Diff)
		}
	}
	close(stop)
	writers.Wait()
	p.caughtUp(t)
	p.same(t)
	var events, want int64
	err := p.pool.QueryRow(t.Context(), `SELECT (SELECT sum(events) FROM sums_v1), (SELECT sum(json_array_length(data->'Ops')) FROM events)`).Scan(&events, &want)
	if err != nil || events != want {
		t.Errorf("%d changes are counted, the log has %d; %v", events, want, err)
	}
	status, err := p.engine.Status(t.Context(), p.log)
	if err != nil {
		t.Fatal(err)
	}
	if s := status[len(status)-1]; s.State != projections.Live || s.Lag != 0 || s.Position == 0 || s.Rows == 0 || s.Inline {
		t.Errorf("got %+v", s)
	}
}

// A follower whose view was never built waits, visibly, and resumes where the rebuild ended.
func TestFollowerOfANewVersion(t *testing.T) {
	t.Parallel()
	old := start(t, nil, toy(1, false))
	old.fill(t, 300)
	old.follow(t)
	old.caughtUp(t)
	p := start(t, old.pool, toy(2, false))
	p.follow(t)
	p.rebuild(t, projections.RebuildOptions{})
	p.mustAppend(t, "toy-1", changed{[]op{{Kind: 'i'}}})
	for done := false; !done; {
		if err := p.pool.QueryRow(t.Context(), `SELECT position >= (SELECT max(position) FROM events) FROM followers, pg_sleep(0.005) WHERE name = 'toy_v2'`).Scan(&done); err != nil {
			t.Fatal(err)
		}
	}
	if n := p.count(t, "things_v2"); n != 301 {
		t.Errorf("got %d rows, want 301", n)
	}
	p.same(t)
}

// A change that does not fit its table fails the entire append, and fails a rebuild with the names of
// the view and the event.
func TestChangesThatDoNotFit(t *testing.T) {
	t.Parallel()
	other := &projections.Table{Name: "other", Columns: []projections.Column{{"id", "int"}}, Key: []string{"id"}}
	for name, project := range map[string]func(*projections.Rows){
		"an unknown column":     func(r *projections.Rows) { r.Set(things, projections.Key{"a", 1}, projections.Row{"none": 1}) },
		"a short key":           func(r *projections.Rows) { r.Delete(things, projections.Key{"a"}) },
		"a key column set":      func(r *projections.Rows) { r.Set(things, projections.Key{"a", 1}, projections.Row{"key": 2}) },
		"a row without its key": func(r *projections.Rows) { r.Insert(things, projections.Row{"stream": "a"}) },
		"nothing set":           func(r *projections.Rows) { r.Set(things, projections.Key{"a", 1}, nil) },
		"another view's table":  func(r *projections.Rows) { r.Insert(other, projections.Row{"id": 1}) },
		"the same row inserted": func(r *projections.Rows) {
			for range 2 {
				r.Insert(things, projections.Row{"stream": "a", "key": 1})
			}
		},
		"text added to a number": func(r *projections.Rows) {
			for range 2 {
				r.Add(things, projections.Key{"a", 1}, projections.Row{"n": "x"})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := &projections.View{Name: "toy", Version: 1, Inline: true, Tables: []*projections.Table{things, sums},
				Project: func(r *projections.Rows, _ eventstore.Recorded) error { project(r); return nil }}
			p := start(t, nil, view)
			if err := p.append(t.Context(), "toy-1", nil, changed{}); err == nil || p.count(t, "events") != 0 {
				t.Errorf("inline: got %v and %d events", err, p.count(t, "events"))
			}
			idle := *view // the event is in the log because another program's view makes nothing of it
			idle.Project = func(*projections.Rows, eventstore.Recorded) error { return nil }
			start(t, p.pool, &idle).mustAppend(t, "toy-1", changed{})
			if _, err := p.engine.Rebuild(t.Context(), p.log, "toy", projections.RebuildOptions{}); err == nil || !strings.Contains(err.Error(), "toy") {
				t.Errorf("rebuild: got %v", err)
			}
			if n := p.count(t, "things_v1"); n != 0 {
				t.Errorf("the live table has %d rows", n)
			}
		})
	}
}

func TestProjectFails(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	view := toy(1, true)
	view.Project = func(*projections.Rows, eventstore.Recorded) error { return boom }
	p := start(t, nil, view)
	if err := p.append(t.Context(), "toy-1", nil, changed{}); !errors.Is(err, boom) || p.count(t, "events") != 0 {
		t.Errorf("got %v and %d events, want boom and none", err, p.count(t, "events"))
	}
}
