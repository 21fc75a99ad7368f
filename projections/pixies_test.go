package projections_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/pixies"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/test/pgtest"
)

// observer appends events of reports and of their page views, and reads the views.
type observer struct {
	log    *eventstore.Store
	engine *projections.Engine
	views  *projections.Views
	codec  *eventstore.Codec
}

func newObserver(t *testing.T) observer {
	t.Helper()
	pool := pgtest.Pool(t)
	codec, err := eventstore.NewCodec(eventstore.Events(
		pixies.Locked{}, pixies.Added{}, pixies.Removed{}, pixies.Unchanged{}, pixies.ReportDeleted{},
		pixies.RunAccepted{}, pixies.ChangeIntended{}, pixies.Seen{}, operation.Accepted{},
	)...)
	if err != nil {
		t.Fatal(err)
	}
	views := *projections.PageViews
	views.Inline = true // so that no test waits for it
	o := observer{engine: projections.NewEngine(pool, projections.Pixies, &views)}
	o.codec = codec
	o.log = eventstore.New(pool, codec, eventstore.Options{Inline: o.engine.Inline})
	o.views = &projections.Views{Pool: pool, Store: o.log}
	if err := o.engine.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	return o
}

// same rebuilds the view and fails if a row differs.
func (o observer) same(t *testing.T, view string) {
	t.Helper()
	r, err := o.engine.Rebuild(t.Context(), o.log, view, projections.RebuildOptions{Diff: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Diff == nil || !r.Diff.None() || r.Diff.Same == 0 {
		t.Errorf("a rebuild of %s differs: %+v", view, r.Diff)
	}
}

func decideOn[S any](t *testing.T, o observer, accountID string, past *eventstore.Stream[S], commands ...domain.Command[S]) S {
	t.Helper()
	err := o.log.Change(t.Context(), eventstore.Metadata{Account: accountID}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		for _, command := range commands {
			if err := eventstore.Decide(c, past, command); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return past.State
}

func (o observer) report(t *testing.T, accountID string, id uuid.UUID, commands ...domain.Command[pixies.Report]) pixies.Report {
	t.Helper()
	return decideOn(t, o, accountID, eventstore.FoldLast[pixies.Report](pixies.Stream(accountID, id)), commands...)
}

// The row of a report is the report in its last event. Ids of removed Pixies still lead to their page.
// A rebuild makes the same rows.
func TestPixiesRows(t *testing.T) {
	t.Parallel()
	o := newObserver(t)
	at := time.Date(2026, 11, 21, 12, 0, 0, 1000, time.UTC)
	workspace, op, model, other := uuid.New(), uuid.New(), uuid.New(), uuid.New()
	hold := func(id uuid.UUID) pixies.Hold {
		return pixies.Hold{OperationID: op, ReportID: id, WorkspaceID: workspace, ReportName: "Report " + id.String()[:4]}
	}
	again := pixies.Hold{} // of the same report
	add := func(on *uuid.UUID, ids ...string) pixies.Add {
		c := pixies.Add{OperationID: op, ModelID: on, Pages: len(ids), Visuals: 7, At: at}
		for i, id := range ids {
			c.Placed = append(c.Placed, pixies.Placed{Page: fmt.Sprint("page ", i), ID: id})
		}
		return c
	}
	remove := pixies.Remove{OperationID: op, At: at.Add(time.Hour)}
	gone := pixies.MarkDeleted{WorkspaceID: workspace, At: at.Add(2 * time.Hour)}
	var ids []uuid.UUID
	want := map[uuid.UUID]pixies.Report{}
	for _, commands := range [][]domain.Command[pixies.Report]{
		{},
		{pixies.Release{OperationID: op}},
		{add(&model, "a0", "a1")},
		{add(nil, "b0"), again, add(&model, "b0", "b1")},
		{add(&model, "c0"), again, remove},
		{add(&model, "d0"), again, remove, again, add(&other, "d1")},
		{add(&model, "e0"), gone},
	} {
		id := uuid.New()
		ids = append(ids, id)
		all := []domain.Command[pixies.Report]{hold(id)}
		for _, c := range commands {
			if _, held := c.(pixies.Hold); held {
				c = hold(id)
			}
			all = append(all, c)
		}
		want[id] = o.report(t, "acme", id, all...)
	}
	theirs := o.report(t, "other", ids[0], hold(ids[0]), add(&model, "t0"))
	asked := append([]uuid.UUID{uuid.New()}, ids...)
	placed := cmpopts.IgnoreFields(pixies.Report{}, "Placed")
	check := func() {
		t.Helper()
		got, err := o.views.Pixies(t.Context(), "acme", asked)
		if d := gocmp.Diff(want, got, placed); err != nil || d != "" {
			t.Errorf("error %v, reports (-want +got):\n%s", err, d)
		}
		got, err = o.views.Pixies(t.Context(), "other", asked)
		if d := gocmp.Diff(map[uuid.UUID]pixies.Report{ids[0]: theirs}, got, placed); err != nil || d != "" {
			t.Errorf("error %v, the other account's (-want +got):\n%s", err, d)
		}
		on, err := o.views.ReportsOnModel(t.Context(), "acme", model)
		if err != nil || len(on) != 2 || want[on[0].ReportID].Status != pixies.StatusHasPixies || want[on[1].ReportID].Status != pixies.StatusHasPixies {
			t.Errorf("got %v (%v), want the two reports on the model", on, err)
		}
		found, err := o.views.PixieIDs(t.Context(), []string{"a1", "b0", "b1", "c0", "d0", "d1", "e0", "t0", "x"})
		if d := gocmp.Diff(map[string]projections.PixieID{
			"a1": {"acme", ids[2], "page 1"}, "b0": {"acme", ids[3], "page 0"}, "b1": {"acme", ids[3], "page 1"}, "c0": {"acme", ids[4], "page 0"},
			"d0": {"acme", ids[5], "page 0"}, "d1": {"acme", ids[5], "page 0"}, "e0": {"acme", ids[6], "page 0"}, "t0": {"other", ids[0], "page 0"},
		}, found); err != nil || d != "" {
			t.Errorf("error %v, ids (-want +got):\n%s", err, d)
		}
		for account, want := range map[string]map[string]bool{"acme": {"a1": true, "b0": true}, "other": {"t0": true}, "third": {}} {
			own, err := o.views.OwnPixies(t.Context(), account, []string{"a1", "b0", "t0", "x"})
			if d := gocmp.Diff(want, own); err != nil || d != "" {
				t.Errorf("error %v, the ids of %s (-want +got):\n%s", err, account, d)
			}
		}
	}
	check()
	o.same(t, "pixies")
	check()
}

// A copy is listed once its operation has recorded its hash.
func TestReportCopies(t *testing.T) {
	t.Parallel()
	o := newObserver(t)
	workspace, one, two := uuid.New(), uuid.New(), uuid.New()
	run := func(keeps bool, events ...pixies.ChangeIntended) uuid.UUID {
		id := uuid.New()
		commands := []domain.Command[pixies.Run]{pixies.RemovePixies{
			Operation: operation.Accepted{OperationID: id, AccountID: "acme", Owner: item.PersonID("ada"), Resource: operation.Resource{WorkspaceID: workspace}},
			Run:       pixies.RunAccepted{WorkspaceID: workspace, Reports: []pixies.Named{{ReportID: one, ReportName: "One"}, {ReportID: two, ReportName: "Two"}}, KeepCopies: keeps},
		}}
		for _, e := range events {
			commands = append(commands, pixies.Intend{Intended: e})
		}
		decideOn(t, o, "acme", eventstore.Fold(operation.Stream(id), pixies.EvolveRun), commands...)
		return id
	}
	run(false, pixies.ChangeIntended{ReportID: one})
	run(true)
	kept := run(true, pixies.ChangeIntended{ReportID: two, CopyHash: "h"}, pixies.ChangeIntended{ReportID: two}) // repeated after a crash: the first copy counts
	check := func() {
		t.Helper()
		began := time.Now().Add(-time.Hour)
		got, err := o.views.ReportCopies(t.Context(), "acme", began, 10)
		want := []projections.ReportCopy{{OperationID: kept, ReportID: two, WorkspaceID: workspace, ReportName: "Two", Hash: "h"}}
		if d := gocmp.Diff(want, got, cmpopts.IgnoreFields(projections.ReportCopy{}, "At")); err != nil || d != "" {
			t.Fatalf("error %v, copies (-want +got):\n%s", err, d)
		}
		if got[0].At.Before(began) {
			t.Errorf("made at %v", got[0].At)
		}
		if c, ok, err := o.views.ReportCopy(t.Context(), "acme", kept, two); err != nil || !ok || c != got[0] {
			t.Errorf("got %+v, %v, %v, want %+v", c, ok, err, got[0])
		}
		for _, none := range []struct {
			account string
			report  uuid.UUID
			since   time.Time
		}{{"other", two, began}, {"acme", one, time.Now().Add(time.Hour)}} {
			if c, ok, err := o.views.ReportCopy(t.Context(), none.account, kept, none.report); err != nil || ok {
				t.Errorf("%+v: got %+v, %v", none, c, err)
			}
			if got, err := o.views.ReportCopies(t.Context(), none.account, none.since, 10); err != nil || len(got) > 0 {
				t.Errorf("%+v: got %v, %v", none, got, err)
			}
		}
	}
	check()
	o.same(t, "pixies")
	check()
}

// see records page views.
type see []domain.Event

// Decide implements domain.Command.
func (c see) Decide(struct{}) ([]domain.Event, error) { return c, nil }

// Views add up by report, page and day, between two days, and a rebuild makes the same sums.
func TestPageViews(t *testing.T) {
	t.Parallel()
	o := newObserver(t)
	one, two := uuid.New(), uuid.New()
	day := time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC)
	look := func(accountID string, id uuid.UUID, on time.Time, views map[string]int) {
		past := eventstore.Tail(pixies.SeenStream(accountID, id, on))
		decideOn(t, o, accountID, past, see{pixies.Seen{ReportID: id, Day: on.Format(time.DateOnly), Views: views}})
	}
	look("acme", one, day, map[string]int{"a": 1, "b": 2})
	look("acme", one, day, map[string]int{"a": 10})
	look("acme", one, day.AddDate(0, 0, 1), map[string]int{"a": 100})
	look("acme", two, day, map[string]int{"a": 1000})
	look("other", one, day, map[string]int{"a": 10000})
	check := func() {
		t.Helper()
		for _, tt := range []struct {
			from, to int
			want     map[uuid.UUID]map[string]int64
		}{
			{0, 0, map[uuid.UUID]map[string]int64{one: {"a": 11, "b": 2}, two: {"a": 1000}}},
			{-27, 1, map[uuid.UUID]map[string]int64{one: {"a": 111, "b": 2}, two: {"a": 1000}}},
			{1, 1, map[uuid.UUID]map[string]int64{one: {"a": 100}}},
			{2, 9, map[uuid.UUID]map[string]int64{}},
		} {
			got, err := o.views.PageViews(t.Context(), "acme", []uuid.UUID{one, two, uuid.New()}, day.AddDate(0, 0, tt.from), day.AddDate(0, 0, tt.to))
			if d := gocmp.Diff(tt.want, got); err != nil || d != "" {
				t.Errorf("days %d to %d: error %v, views (-want +got):\n%s", tt.from, tt.to, err, d)
			}
		}
	}
	check()
	o.same(t, "page_views")
	check()
	for _, tt := range []struct {
		account  string
		from, to int
		want     []projections.PageDays
	}{
		{"acme", 0, 1, []projections.PageDays{{Page: "a", Views: []int64{11, 100}}, {Page: "b", Views: []int64{2, 0}}}},
		{"acme", 1, 2, []projections.PageDays{{Page: "a", Views: []int64{100, 0}}}},
		{"other", -1, 0, []projections.PageDays{{Page: "a", Views: []int64{0, 10000}}}},
		{"nobody", 0, 1, nil},
	} {
		got, err := o.views.PageDays(t.Context(), tt.account, one, day.AddDate(0, 0, tt.from), day.AddDate(0, 0, tt.to))
		if d := gocmp.Diff(tt.want, got); err != nil || d != "" {
			t.Errorf("%s, days %d to %d: error %v, views (-want +got):\n%s", tt.account, tt.from, tt.to, err, d)
		}
	}
}

// Events that the view has not reached, and counters that have no event yet, are also read, and only
// once.
//
// proves: decisions/9/10-hours
func TestPageViewsOfThisHour(t *testing.T) {
	t.Parallel()
	o := newObserver(t)
	o.engine = projections.NewEngine(o.views.Pool, projections.PageViews) // this view follows the log
	one, two := uuid.New(), uuid.New()
	today := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	read := func(want map[uuid.UUID]map[string]int64, days ...int) {
		t.Helper()
		got, err := o.views.PageViews(t.Context(), "acme", []uuid.UUID{one, two}, today.AddDate(0, 0, days[0]), today.AddDate(0, 0, days[1]))
		if d := gocmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("error %v, views (-want +got):\n%s", err, d)
		}
	}
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := o.views.Pool.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`INSERT INTO followers (name) VALUES ('page_views_v2')`)
	o.log = eventstore.New(o.views.Pool, o.codec, eventstore.Options{})
	look := func(accountID string, id uuid.UUID, on time.Time, views map[string]int) {
		hour := on.Hour()
		decideOn(t, o, accountID, eventstore.Tail(pixies.SeenStream(accountID, id, on)), see{pixies.Seen{ReportID: id, Day: on.Format(time.DateOnly), Hour: &hour, Views: views}})
	}
	count := func(accountID string, id uuid.UUID, hour time.Time, page string, views int) {
		exec(`INSERT INTO page_view_hours VALUES ($1, $2, $3, $4, $5)`, accountID, id, hour, page, views)
	}
	look("acme", one, today, map[string]int{"a": 1, "b": 2})
	look("acme", one, today.AddDate(0, 0, -1), map[string]int{"a": 10})
	look("other", one, today, map[string]int{"a": 10000})
	count("acme", one, today, "a", 100)
	count("acme", one, today.Add(-time.Hour), "a", 1000)
	count("acme", two, today.Add(23*time.Hour), "b", 5)
	count("acme", two, today.Add(24*time.Hour), "b", 7)
	count("other", one, today, "a", 20000)
	readAll := func() {
		t.Helper()
		read(map[uuid.UUID]map[string]int64{one: {"a": 101, "b": 2}, two: {"b": 5}}, 0, 0)
		read(map[uuid.UUID]map[string]int64{one: {"a": 1111, "b": 2}, two: {"b": 12}}, -1, 1)
		read(map[uuid.UUID]map[string]int64{one: {"a": 1010}}, -1, -1)
	}
	readAll()
	router, err := message.NewRouter(message.RouterConfig{}, watermill.NopLogger{})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.engine.Follow(o.log, router); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() { _ = router.Run(context.Background()) })
	<-router.Running()
	defer func() { _ = router.Close(); done.Wait() }()
	for viewed := 0; viewed < 4; { // wait until the view has reached the end of the log
		readAll()
		if err := o.views.Pool.QueryRow(t.Context(), `SELECT count(*) FROM page_views_v2`).Scan(&viewed); err != nil {
			t.Fatal(err)
		}
	}
	readAll()
}
