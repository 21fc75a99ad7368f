package forward_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"readiness/cmd/readinessd/wiring"
	"readiness/commands"
	"readiness/domain/assessment"
	"readiness/domain/pixies"
	"readiness/eventstore"
	"readiness/eventstore/forward"
	"readiness/projections"
	"readiness/test/pgtest"
)

// separate is views in a separate database.
type separate struct {
	*world
	*projections.SeparateViews
	url  string
	pool *pgxpool.Pool
	full *eventstore.Codec
}

func newSeparate(w *world) *separate {
	w.Helper()
	a := &separate{world: w, url: pgtest.URL(w)}
	var err error
	a.full, err = eventstore.NewCodec(commands.Events()...)
	w.must(err)
	a.pool, err = pgxpool.New(w.Context(), a.url)
	w.must(err)
	w.Cleanup(a.pool.Close)
	a.SeparateViews, err = projections.OpenSeparateViews(w.Context(), a.pool, a.full)
	w.must(err)
	return a
}

// seen appends page views of a report, and other events, together.
func (w *world) seen(account string, report uuid.UUID, n int) {
	w.Helper()
	past := eventstore.Tail("pixieviews-" + report.String())
	var events adds
	for i := range n {
		events = append(events, pixies.Seen{ReportID: report, Day: fmt.Sprintf("2026-11-%02d", 1+i%28), Views: map[string]int{"Sales": 1 + i%5, "Ü/b": 2}},
			noted{"<between>"})
	}
	meta := eventstore.Metadata{Account: account, Person: uuid.NewString(), OperationID: uuid.NewString()}
	w.must(w.store.Change(w.Context(), meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error { return eventstore.Decide(c, past, events) }))
}

// assessed appends a second assessment of a model, and that a report on it has Pixies.
func (w *world) assessed(account string, report uuid.UUID) {
	w.Helper()
	codec, err := eventstore.NewCodec(commands.Events()...)
	w.must(err)
	model, workspace, score := uuid.New(), uuid.New(), 61
	made := assessment.Assessment{OperationID: uuid.New(), WorkspaceID: workspace, WorkspaceName: "Sales/ü", ModelID: model, ModelName: "Größe", Score: &score}
	scores, placed := eventstore.Tail(assessment.Stream(account, model)), eventstore.Tail(pixies.Stream(account, report))
	w.must(eventstore.New(w.pool, codec, eventstore.Options{}).Change(w.Context(), eventstore.Metadata{Account: account, Person: uuid.NewString()},
		[]eventstore.Loadable{scores, placed}, func(c *eventstore.Change) error {
			first, second := made, made
			first.AssessmentID, second.AssessmentID, second.Score = uuid.New(), uuid.New(), nil
			if err := eventstore.Decide(c, scores, adds{assessment.Recorded{Assessment: first, Standing: assessment.Standing{Recorded: 1}},
				assessment.Recorded{Assessment: second, Standing: assessment.Standing{Recorded: 2}}}); err != nil {
				return err
			}
			return eventstore.Decide(c, placed, adds{pixies.Added{Report: pixies.Report{ReportID: report, WorkspaceID: workspace, ReportName: "R", ModelID: &model,
				Placed: []pixies.Placed{{ID: uuid.NewString(), Page: "P"}}}}})
		}))
}

// consuming keeps the views until the returned function is called, which returns how the consumer ended.
func (a *separate) consuming(from forward.Target) (c *forward.Consumer, stop func() error) {
	ctx, cancel := context.WithCancel(a.Context())
	c = forward.NewConsumer(forward.ConsumerOptions{Target: from, Sink: wiring.SeparateViewsSink{SeparateViews: a.SeparateViews}, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	ended := make(chan error, 1)
	go func() { ended <- c.KeepOrFail(ctx) }()
	return c, func() error { cancel(); return <-ended }
}

// have waits until the views have an event.
func (a *separate) have(epoch int, position int64) {
	a.Helper()
	a.until(func() bool {
		at, err := a.Place(a.Context())
		a.must(err)
		return at.Epoch == epoch && at.Position >= position
	})
}

// end is the position of the log's last event.
func (w *world) end() (position int64) {
	w.Helper()
	w.must(w.pool.QueryRow(w.Context(), `SELECT max(position) FROM events`).Scan(&position))
	return position
}

// same compares the views with what follows from the log.
func (a *separate) same(when string) {
	a.Helper()
	log, engine := eventstore.New(a.world.pool, a.full, eventstore.Options{}), projections.NewEngine(a.world.pool, projections.All()...)
	for _, view := range a.Names() {
		var got, want bytes.Buffer
		at, err := a.Write(a.Context(), &got, view)
		a.must(err)
		a.must(engine.WriteAsOf(a.Context(), log, &want, projections.AsOf{View: view, Position: at.Position}))
		if got.String() != want.String() || want.Len() == 0 {
			a.Errorf("%s, as of %d: %s has\n%.2000s\nwant\n%.2000s", when, at.Position, view, &got, &want)
		}
	}
}

// TestSeparateViews keeps views from the stream: they equal those of the log after restarts, with two consumers, after the stream was built
// again, in a new epoch, and after they were emptied.
func TestSeparateViews(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, "always")
	a := newSeparate(w)
	report := uuid.New()
	w.seen("con/tö so", report, 40)
	w.assessed("con/tö so", report)
	w.add("fabrikam", "a", 30, "x")
	stop := w.running(nil)
	c, one := a.consuming(w.target())
	_, two := a.consuming(w.target())
	a.have(1, w.end())
	a.same("at first")
	w.until(func() bool { return c.Lag() < 10*time.Second })
	w.must(one())
	w.seen("con/tö so", report, 10)
	w.assessed("fabrikam", uuid.New())
	a.have(1, w.end())
	w.must(two())
	a.same("after a restart")

	stop()
	w.must(w.forwarder(nil).Rebuild(t.Context()))
	w.seen("contoso", uuid.New(), 5)
	stop = w.running(nil)
	_, one = a.consuming(w.target())
	a.have(1, w.end())
	a.same("after the stream was built again")
	w.must(a.Empty(t.Context()))
	a.have(1, w.end())
	a.same("after they were emptied")

	w.epoch.Store(2)
	stop()
	w.must(w.forwarder(nil).Rebuild(t.Context()))
	stop = w.running(nil)
	a.have(2, w.end())
	a.same("in another epoch")
	w.must(one())
	stop()

	again, err := projections.OpenSeparateViews(t.Context(), a.pool, a.full)
	w.must(err)
	if at, err := again.Place(t.Context()); err != nil || at.Epoch != 2 {
		t.Errorf("opened again they are at %+v, %v", at, err)
	}
}

// TestSeparateViewsRefuse: what would mix two logs, or count too little, is refused.
func TestSeparateViewsRefuse(t *testing.T) {
	t.Parallel()
	w, other := newWorld(t, 1, "always"), newWorld(t, 1, "always")
	a := newSeparate(w)
	report := uuid.New()
	for _, log := range []*world{w, other} {
		log.seen("contoso", report, 3)
		log.assessed("contoso", report)
		stop := log.running(nil)
		log.reached(log.end())
		stop()
	}
	_, stop := a.consuming(w.target())
	a.have(1, w.end())
	w.must(stop())

	unfit := func(from forward.Target, says string) {
		t.Helper()
		c := forward.NewConsumer(forward.ConsumerOptions{Target: from, Sink: wiring.SeparateViewsSink{SeparateViews: a.SeparateViews}, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		if err := c.KeepOrFail(ctx); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
	other.seen("contoso", report, 3)
	forwards := other.running(nil)
	other.reached(other.end())
	forwards()
	unfit(other.target(), "another log")
	js, err := w.js.Publish(t.Context(), "events.contoso.x", []byte("{}"))
	w.must(err)
	unfit(w.target(), "no place in the log")
	a.same("after what was refused, at " + fmt.Sprint(js.Sequence))

	at, err := a.Place(t.Context())
	w.must(err)
	if err := a.Add(t.Context(), []projections.ViewsEvent{{ViewsPlace: projections.ViewsPlace{Epoch: 1, Position: at.Position + 9, Hash: []byte{1},
		Sequence: at.Sequence + 2}}}); err == nil || !strings.Contains(err.Error(), "are missing") {
		t.Errorf("got %v of messages after a gap", err)
	}
	next := projections.ViewsEvent{ViewsPlace: projections.ViewsPlace{Epoch: 1, Position: at.Position + 1, Hash: []byte{1}, Sequence: at.Sequence + 1}, Cut: true,
		Event: eventstore.Recorded{Type: pixies.Seen{}.EventType(), SchemaVersion: 1, Account: "contoso", RecordedAt: time.Now(), Data: []byte("null")}}
	if err := a.Add(t.Context(), []projections.ViewsEvent{next}); err == nil || !strings.Contains(err.Error(), "lacks the data") {
		t.Errorf("got %v of page views without data", err)
	}
	a.same("after page views without data")
	for what, err := range map[string]error{
		"a service on the views":              projections.NewEngine(a.pool, projections.All()...).Create(t.Context()),
		"a rebuild of the views":              second(projections.NewEngine(a.pool, projections.Activity).Rebuild(t.Context(), eventstore.New(a.pool, a.full, eventstore.Options{}), "activity", projections.RebuildOptions{})),
		"views in the database of the events": second(projections.OpenSeparateViews(t.Context(), w.pool, a.full)),
	} {
		if err == nil || !strings.Contains(err.Error(), "name ") {
			t.Errorf("%s: got %v", what, err)
		}
	}
	a.same("at last")
}

func second[T any](_ T, err error) error { return err }

// A text that is no event stops the consumer before anything is used.
func TestHostileMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, "always")
	a := newSeparate(w)
	w.add("contoso", "a", 1, "x")
	stop := w.running(nil)
	w.reached(w.end())
	stop()
	msg := nats.NewMsg("events.contoso.x")
	msg.Header.Set(forward.HeaderEpoch, "1")
	msg.Header.Set(forward.HeaderPosition, fmt.Sprint(w.end()+1))
	msg.Header.Set(forward.HeaderHash, "00")
	msg.Data = []byte(`{"specversion":"1.0","id":"x","source":"/accounts/contoso","type":"pixies.seen"}`)
	_, err := w.js.PublishMsg(t.Context(), msg)
	w.must(err)
	_, ends := a.consuming(w.target())
	a.have(1, w.end())
	w.must(ends())
	if at, err := a.Place(t.Context()); err != nil || at.Position != w.end() {
		t.Errorf("the place is %+v, %v", at, err)
	}
}
