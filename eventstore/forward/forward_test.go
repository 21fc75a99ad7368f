package forward_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"readiness/domain"
	"readiness/domain/pixies"
	"readiness/eventstore"
	"readiness/eventstore/forward"
	"readiness/test/natstest"
	"readiness/test/pgtest"
)

type noted struct {
	Text string `json:"text"`
}

func (noted) EventType() string { return "note.noted" }

// recorded is an event that the example of docs/forwarding.md counts.
type recorded struct{}

func (recorded) EventType() string { return "assessment.recorded" }

type adds []domain.Event

func (a adds) Decide(struct{}) ([]domain.Event, error) { return a, nil }

const (
	// limit bounds each wait. It only ends a test that would wait indefinitely.
	limit = 5 * time.Minute
	// callLimit bounds each call of the broker, which is then tried again.
	callLimit = 5 * time.Second
)

// world is a log, and servers to which it is forwarded.
type world struct {
	testing.TB
	url     string // of the database
	pool    *pgxpool.Pool
	store   *eventstore.Store
	cluster *natstest.Cluster
	epoch   atomic.Int64
	js      jetstream.JetStream
}

func newWorld(t testing.TB, servers int, sync string) *world {
	t.Helper()
	w := &world{TB: t, url: pgtest.URL(t), cluster: natstest.Start(t, servers, sync)}
	w.epoch.Store(1)
	var err error
	w.pool, err = pgxpool.New(t.Context(), w.url)
	w.must(err)
	t.Cleanup(w.pool.Close)
	codec, err := eventstore.NewCodec(eventstore.Events(noted{}, recorded{}, pixies.Seen{})...)
	w.must(err)
	w.store = eventstore.New(w.pool, codec, eventstore.Options{})
	conn, err := nats.Connect(w.cluster.URL(), nats.MaxReconnects(-1), nats.Timeout(callLimit))
	w.must(err)
	t.Cleanup(conn.Close)
	w.js, err = jetstream.New(conn, jetstream.WithDefaultTimeout(callLimit))
	w.must(err)
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// add appends n events to a stream of an account, together.
func (w *world) add(account, stream string, n int, text string) {
	w.Helper()
	past := eventstore.Tail("note-" + stream)
	events := make(adds, n)
	for i := range events {
		events[i] = noted{text}
	}
	w.must(w.store.Change(w.Context(), eventstore.Metadata{Account: account, Person: "ada"}, []eventstore.Loadable{past},
		func(c *eventstore.Change) error { return eventstore.Decide(c, past, events) }))
}

func (w *world) target() forward.Target {
	return forward.Target{URL: w.cluster.URL(), System: w.cluster.System(), Stream: "readiness", Replicas: min(3, strings.Count(w.cluster.URL(), ",")+1)}
}

func (w *world) forwarder(change func(*forward.Target)) *forward.Forwarder {
	o := forward.Options{Target: w.target(), Pool: w.pool, Store: w.store, Log: slog.New(slog.DiscardHandler),
		Epoch: func(context.Context) (int, error) { return int(w.epoch.Load()), nil }}
	if change != nil {
		change(&o.Target)
	}
	return forward.New(o)
}

// reached waits until the log's last event was forwarded.
func (w *world) reached(last int64) {
	w.Helper()
	w.until(func() bool {
		var position int64
		w.must(w.pool.QueryRow(w.Context(), `SELECT coalesce((SELECT position FROM followers WHERE name = 'forward'), 0)`).Scan(&position))
		return position >= last
	})
}

func (w *world) last() int64 {
	w.Helper()
	last, err := w.store.Watermark(w.Context())
	w.must(err)
	return last
}

// running forwards until the returned function is called, which waits for its end.
func (w *world) running(change func(*forward.Target)) (stop func()) {
	ctx, cancel := context.WithCancel(w.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.forwarder(change).Keep(ctx)
	}()
	return func() { cancel(); <-ended }
}

// consumed reads the stream by the consumer's rule, and compares it with the log: every event once, and in order. It returns how many
// messages the stream has.
func (w *world) consumed() uint64 {
	w.Helper()
	messages := w.read()
	var at forward.Place
	taken := slices.DeleteFunc(slices.Clone(messages), func(msg jetstream.Msg) bool {
		p, err := forward.PlaceOf(msg.Headers())
		w.must(err)
		if !p.After(at) {
			return true
		}
		at = p
		return false
	})
	for r, err := range w.store.ReadStored(w.Context(), eventstore.Selection{}) {
		w.must(err)
		if len(taken) == 0 {
			w.Fatalf("the stream ends before position %d", r.Position)
		}
		w.same(taken[0], &r)
		taken = taken[1:]
	}
	if len(taken) != 0 {
		w.Errorf("after the log's last event the stream has %d messages more", len(taken))
	}
	return uint64(len(messages))
}

// same compares a message with the event that it must be.
func (w *world) same(msg jetstream.Msg, r *eventstore.Recorded) {
	w.Helper()
	p, err := forward.PlaceOf(msg.Headers())
	w.must(err)
	body, err := r.CloudEvent()
	w.must(err)
	if p.Position != r.Position || string(p.Hash) != string(r.Hash) || string(msg.Data()) != string(body) && msg.Headers().Get(forward.HeaderCut) == "" ||
		msg.Headers().Get(nats.MsgIdHdr) != r.ID.String() || msg.Subject() != forward.Subject(r.Account, r.Type) {
		w.Fatalf("a message is %+v of %s, want position %d of %s", p, msg.Subject(), r.Position, forward.Subject(r.Account, r.Type))
	}
}

// read returns all messages of the stream.
func (w *world) read() (messages []jetstream.Msg) {
	w.Helper()
	w.try(func(ctx context.Context) error {
		messages = nil
		stream, err := w.js.Stream(ctx, "readiness")
		if err != nil {
			return err
		}
		all, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
		if err != nil {
			return err
		}
		next, err := all.Messages()
		if err != nil {
			return err
		}
		defer next.Stop()
		for range stream.CachedInfo().State.Msgs {
			msg, err := next.Next(jetstream.NextMaxWait(time.Minute))
			if err != nil {
				return err
			}
			messages = append(messages, msg)
		}
		return nil
	})
	return messages
}

// try repeats a call of the broker until it succeeds: servers that elect a leader, or are busy, answer nothing.
func (w *world) try(call func(context.Context) error) {
	w.Helper()
	var err error
	for began := time.Now(); ; <-time.After(20 * time.Millisecond) {
		if err = call(w.Context()); err == nil {
			return
		}
		if time.Since(began) > limit {
			w.Fatalf("not done after %s: %v", limit, err)
		}
	}
}

func TestForwarded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, "always")
	w.add("contoso", "a", 3, "before")
	stop := w.running(nil)
	w.add("fabrikam.eu *", "b", 700, "while")
	w.add("contoso", "c", 1, strings.Repeat("much", 1<<18-100)) // above what the broker takes
	w.reached(w.last())
	stop()
	if n := w.consumed(); n != 704 {
		t.Errorf("the stream has %d messages, want 704", n)
	}
	w.add("contoso", "a", 2, "after")
	other := w.running(nil)
	third := w.running(nil) // waits for its turn
	w.reached(w.last())
	other()
	w.add("contoso", "a", 2, "by the third")
	w.reached(w.last())
	third()
	if n := w.consumed(); n != 708 {
		t.Errorf("the stream has %d messages, want 708", n)
	}
}

func TestSubject(t *testing.T) {
	t.Parallel()
	for account, want := range map[string]string{
		"contoso": "events.contoso.x.y", "a.b": "events.a=2Eb.x.y", "*": "events.=2A.x.y", "ü >": "events.=C3=BC=20=3E.x.y", "a=2Eb": "events.a=3D2Eb.x.y",
	} {
		if got := forward.Subject(account, "x.y"); got != want {
			t.Errorf("%q: got %s, want %s", account, got, want)
		}
	}
}

func TestAfter(t *testing.T) {
	t.Parallel()
	at := forward.Place{Epoch: 2, Position: 10}
	for p, want := range map[[2]int64]bool{{2, 10}: false, {2, 9}: false, {2, 11}: true, {1, 11}: false, {3, 1}: true} {
		if got := (forward.Place{Epoch: int(p[0]), Position: p[1]}).After(at); got != want {
			t.Errorf("%v after %v: got %t", p, at, got)
		}
	}
}

// refused runs a forwarder that must end with an Unfit that says want, and publish nothing.
func (w *world) refused(change func(*forward.Target), want string) {
	w.Helper()
	before := w.messages()
	ctx, cancel := context.WithTimeout(w.Context(), limit)
	defer cancel()
	err := w.forwarder(change).KeepOrFail(ctx) // servers that elect a leader answer nothing
	unfit, is := errors.AsType[*forward.Unfit](err)
	if !is || !strings.Contains(unfit.What, want) || unfit.Do == "" {
		w.Errorf("got %v, want one that says %q", err, want)
	}
	if after := w.messages(); after != before {
		w.Errorf("%s: %d messages were published", want, after-before)
	}
}

// messages returns how many messages the stream has; 0 without a stream.
func (w *world) messages() (n uint64) {
	w.Helper()
	w.until(func() bool { // servers that elect a leader answer nothing
		s, err := w.js.Stream(w.Context(), "readiness")
		if err == nil {
			n = s.CachedInfo().State.Msgs
		}
		return err == nil || errors.Is(err, jetstream.ErrStreamNotFound)
	})
	return n
}

func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, "always")
	w.add("contoso", "a", 3, "x")
	w.refused(func(o *forward.Target) { o.System = "" }, "it cannot be checked whether")
	for what, c := range map[string]jetstream.StreamConfig{
		"kept in memory": {Storage: jetstream.MemoryStorage}, "removes events": {MaxAge: time.Hour}, "events.>": {Subjects: []string{"events.contoso.>"}},
	} {
		c.Name = "readiness"
		if c.Subjects == nil {
			c.Subjects = []string{"events.>"}
		}
		w.try(func(ctx context.Context) error { _, err := w.js.CreateStream(ctx, c); return err })
		w.refused(nil, what)
		w.try(func(ctx context.Context) error {
			if err := w.js.DeleteStream(ctx, "readiness"); !errors.Is(err, jetstream.ErrStreamNotFound) {
				return err
			}
			return nil // an earlier try, whose answer came too late
		})
	}
	w.try(w.forwarder(nil).Rebuild)
	w.try(func(ctx context.Context) error {
		_, err := w.js.Publish(ctx, "events.contoso.forged", []byte("{}"))
		return err
	})
	w.refused(nil, "another program publishes")
	w.try(w.forwarder(nil).Rebuild)
	stop := w.running(nil)
	w.reached(w.last())
	if err := w.forwarder(nil).Rebuild(t.Context()); !errors.Is(err, forward.ErrBusy) {
		t.Errorf("a rebuild while a forwarder runs: got %v", err)
	}
	if err := w.forwarder(nil).Forget(t.Context()); !errors.Is(err, forward.ErrBusy) {
		t.Errorf("forget while a forwarder runs: got %v", err)
	}
	stop()
	w.consumed()

	w.epoch.Store(2)
	w.refused(nil, "has epoch 1 of the log, but the log is in epoch 2")
	w.try(w.forwarder(nil).Rebuild)
	stop = w.running(nil)
	w.reached(w.last())
	stop()
	if n := w.consumed(); n != 3 {
		t.Errorf("the rebuilt stream has %d messages", n)
	}

	other := newWorld(t, 1, "always") // another log, as after a restore to an earlier time
	other.add("contoso", "a", 5, "other")
	other.cluster = w.cluster
	other.epoch.Store(2)
	other.js = w.js
	other.refused(nil, "is not in the log")
	w.must(w.forwarder(nil).Forget(t.Context()))
	var rows int
	w.must(w.pool.QueryRow(t.Context(), `SELECT count(*) FROM followers WHERE name = 'forward'`).Scan(&rows))
	if rows != 0 {
		t.Error("the forgotten position is still stored")
	}
}

// TestFlushes: servers that confirm writes before they are on disk are refused.
func TestFlushes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, "2m")
	w.add("contoso", "a", 3, "x")
	w.refused(nil, "before they are on disk, and flushes them every 2m0s")
	var said string
	w.must(w.pool.QueryRow(t.Context(), `SELECT error FROM followers WHERE name = 'forward'`).Scan(&said))
	if !strings.Contains(said, "sync_interval: always") {
		t.Errorf("the row says %q", said)
	}
	if err := w.forwarder(func(o *forward.Target) { o.System = o.URL }).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "system account") {
		t.Errorf("with the address of another account: got %v", err)
	}
}

// TestLateMessage: a message that was published for an earlier end of the stream does not get into it.
func TestLateMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, "always")
	w.add("contoso", "a", 3, "x")
	stop := w.running(nil)
	w.reached(w.last())
	stop()
	msg := nats.NewMsg(forward.Subject("contoso", "note.noted"))
	msg.Header.Set(nats.ExpectedLastSeqHdr, "2")
	msg.Header.Set(nats.MsgIdHdr, "late")
	if _, err := w.js.PublishMsg(t.Context(), msg); err == nil {
		t.Error("the broker took a message that was late")
	}
	if n := w.consumed(); n != 3 {
		t.Errorf("the stream has %d messages", n)
	}
}
