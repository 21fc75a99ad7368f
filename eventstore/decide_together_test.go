package eventstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/eventstore/sealed"
	"readiness/internal/database"
	"readiness/test/pgtest"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"
)

// contended is a log of which account acme is contended.
type contended struct {
	*eventstore.Store
	appending, held chan struct{}
	appends         [][]string // the streams of the events of each append, while no other caller appends
}

func contend(pool *pgxpool.Pool, codec *eventstore.Codec) *contended {
	k := &contended{appending: make(chan struct{}), held: make(chan struct{})}
	k.Store = eventstore.New(pool, codec, eventstore.Options{Inline: func(_ *pgx.Batch, recorded []eventstore.Recorded) error {
		if strings.HasSuffix(recorded[0].Stream, "-gate") {
			close(k.appending)
			<-k.held
			return nil
		}
		streams := make([]string, len(recorded))
		for i, r := range recorded {
			streams[i] = r.Stream
		}
		k.appends = append(k.appends, streams)
		return nil
	}})
	k.NeverLate()
	k.Contend("acme")
	return k
}

// together lets the changes wait behind one that appends to a stream of its own, in this order, and returns their errors.
func (k *contended) together(ctx context.Context, gate string, changes ...func() error) []error {
	errs := make([]error, len(changes)+1)
	var done sync.WaitGroup
	done.Go(func() { errs[len(changes)] = add(ctx, k.Store, gate+"-gate", spent{}) })
	<-k.appending
	for i, change := range changes {
		done.Go(func() { errs[i] = change() })
		for k.Deciding("acme") <= i {
			runtime.Gosched()
		}
	}
	close(k.held)
	done.Wait()
	if err := errs[len(changes)]; err != nil {
		return []error{err}
	}
	return errs[:len(changes)]
}

// touch is what a change does with one stream.
type touch struct {
	stream, units int
	how           string
}

// scripted is a change that does what it is told, and tells what it saw.
type scripted struct {
	touches []touch
	refused bool // after it has recorded
	saw     []string
	events  []string
}

var limit = 5

func (w *scripted) run(ctx context.Context, s *eventstore.Store, prefix string, by int) error {
	type step struct {
		past eventstore.Loadable
		do   func(c *eventstore.Change) error
	}
	steps := make([]step, len(w.touches))
	for i, t := range w.touches {
		name := fmt.Sprint("budget-", prefix, "-", t.stream)
		spending := func(p *eventstore.Stream[budget]) step {
			return step{p, func(c *eventstore.Change) error {
				w.saw = append(w.saw, fmt.Sprint(t.how, p.State, p.Version))
				if strings.HasSuffix(t.how, "guarded") {
					return nil
				}
				return eventstore.Decide(c, p, spend{units: t.units, limit: limit, by: fmt.Sprint(by)})
			}}
		}
		switch t.how {
		case "last":
			steps[i] = spending(eventstore.FoldLast[budget](name))
		case "all":
			steps[i] = spending(eventstore.Fold(name, evolveBudget))
		case "cached":
			steps[i] = spending(eventstore.FoldCached(name, evolveBudget))
		case "last guarded":
			steps[i] = spending(eventstore.FoldLast[budget](name).Guarded())
		case "cached guarded":
			steps[i] = spending(eventstore.FoldCached(name, evolveBudget).Guarded())
		case "list":
			p := eventstore.FoldCached(name, evolveEvents)
			steps[i] = step{p, func(*eventstore.Change) error {
				w.saw = append(w.saw, fmt.Sprint(t.how, p.State, p.Version))
				return nil
			}}
		}
	}
	var pasts []eventstore.Loadable
	for _, s := range steps {
		pasts = append(pasts, s.past)
	}
	var change *eventstore.Change
	err := s.Change(ctx, eventstore.Metadata{Account: "acme", Person: fmt.Sprint("p-", by)}, pasts, func(c *eventstore.Change) error {
		change, w.saw = c, nil
		for _, s := range steps {
			if err := s.do(c); err != nil {
				return err
			}
		}
		if w.refused {
			return domain.Refuse(domain.InvalidRequest, "No.")
		}
		return nil
	})
	if err == nil {
		for _, r := range change.Recorded() {
			w.events = append(w.events, fmt.Sprint(r.Stream, r.Version, r.Event, r.Position > 0, len(r.Hash)))
		}
	}
	return err
}

// logged returns the events of streams with a prefix in the order of the log.
func logged(t interface{ Fatal(...any) }, s *eventstore.Store, prefix string) (events []string) {
	for r, err := range s.ReadAll(context.Background(), 0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(r.Stream, "budget-"+prefix) && !strings.HasSuffix(r.Stream, "-gate") {
			events = append(events, fmt.Sprint(r.Stream, r.Version, r.Event, r.Metadata.Person))
		}
	}
	return events
}

// Changes of one account that wait at once see, record and are refused what they would one after another. The log is theirs one after
// another, in one transaction.
func TestTogetherAsOneAfterAnother(t *testing.T) {
	t.Parallel()
	ours, theirs := pgtest.Pool(t), pgtest.Pool(t)
	round := 0
	rapid.Check(t, func(r *rapid.T) {
		round++
		k, other := contend(ours, codec(t)), eventstore.New(theirs, codec(t), eventstore.Options{})
		prefix := fmt.Sprint("r", round)
		touches := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) touch {
			how := []string{"last", "all", "last guarded", "cached", "cached guarded", "list"}
			stream := rapid.IntRange(0, 2).Draw(r, "stream")
			if stream == 2 { // it has no events
				how = how[:3]
			}
			return touch{stream, rapid.IntRange(0, 2).Draw(r, "units"), rapid.SampledFrom(how).Draw(r, "how")}
		}), 0, 4)
		for _, s := range []*eventstore.Store{k.Store, other} {
			for n := range 2 { // two streams have events, and then states are cached; nobody waits for another to fold them first
				first := &scripted{touches: []touch{{0, 1 - n, "cached"}, {0, 0, "list"}, {1, 1 - n, "cached"}, {1, 0, "list"}}, refused: n == 1}
				if err := first.run(context.Background(), s, prefix, -1); err != nil && n == 0 {
					r.Fatal(err)
				}
			}
		}
		var together, single []*scripted
		for range rapid.IntRange(2, 8).Draw(r, "changes") {
			w := scripted{touches: touches.Draw(r, "touches"), refused: rapid.IntRange(0, 4).Draw(r, "refused") == 0}
			together, single = append(together, &w), append(single, &scripted{touches: w.touches, refused: w.refused})
		}
		var changes []func() error
		for i, w := range together {
			changes = append(changes, func() error { return w.run(context.Background(), k.Store, prefix, i) })
		}
		k.appends = nil
		errs := k.together(context.Background(), "budget-"+prefix, changes...)
		for i, w := range single {
			err := w.run(context.Background(), other, prefix, i)
			if got := errs[i]; fmt.Sprint(got) != fmt.Sprint(err) || !cmp.Equal(w.saw, together[i].saw) || !cmp.Equal(w.events, together[i].events) {
				r.Errorf("%d: got %v, which saw %v and recorded %v; want %v, %v, %v", i, got, together[i].saw, together[i].events, err, w.saw,
					w.events)
			}
		}
		if len(k.appends) > 1 {
			r.Errorf("got appends to %v, want one", k.appends)
		}
		if got, want := logged(r, k.Store, prefix), logged(r, other, prefix); !cmp.Equal(got, want) {
			r.Errorf("got the log %v, want %v", got, want)
		}
		again := &scripted{touches: []touch{{0, 0, "list"}, {0, 0, "cached guarded"}}} // what is cached is what was committed
		wanted := *again
		if err := errors.Join(again.run(context.Background(), k.Store, prefix, 0), wanted.run(context.Background(), other, prefix, 0)); err != nil ||
			!cmp.Equal(again.saw, wanted.saw) {
			r.Errorf("later: saw %v, want %v (%v)", again.saw, wanted.saw, err)
		}
	})
	for _, pool := range []*pgxpool.Pool{ours, theirs} {
		if v, err := eventstore.New(pool, codec(t), eventstore.Options{}).Verify(t.Context(), eventstore.VerifyOptions{}); err != nil || v.Mismatches != 0 {
			t.Errorf("got %+v, %v", v, err)
		}
	}
}

// A change that cannot be appended with the others goes alone, whatever the reason, and the others lose nothing.
func TestChangeOfAContendedAccountGoesAlone(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for name, test := range map[string]struct {
		decide func(ctx context.Context, c *eventstore.Change) error
		says   string // the error; empty: none
		events int    // of all, the gate's too
	}{
		"a statement fails": {decide: func(_ context.Context, c *eventstore.Change) error {
			c.Queue(database.Statement{SQL: "SELECT 1/$1::int", Args: []any{0}})
			return nil
		}, says: "division by zero", events: 3},
		"a function fails": {decide: func(_ context.Context, c *eventstore.Change) error {
			c.QueueOf(func(context.Context, pgx.Tx) error { return boom })
			return nil
		}, says: "boom", events: 3},
		"work in the transaction": {decide: func(_ context.Context, c *eventstore.Change) error {
			c.InTx(func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Exec(ctx, "SELECT 1"); return err })
			return nil
		}, events: 4},
		"work in the transaction fails": {decide: func(_ context.Context, c *eventstore.Change) error {
			c.InTx(func(context.Context, pgx.Tx) error { return boom })
			return nil
		}, says: "boom", events: 3},
		"no other append may run": {decide: func(_ context.Context, c *eventstore.Change) error { c.Alone(); return nil }, events: 4},
		"many statements": {decide: func(_ context.Context, c *eventstore.Change) error {
			for range 20 {
				c.Queue(database.Statement{SQL: "SELECT 1"})
			}
			return nil
		}, events: 4},
		"refused": {decide: func(context.Context, *eventstore.Change) error { return boom }, says: "boom", events: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := pgtest.Pool(t)
			k := contend(pool, codec(t))
			spending := func(units int, then func(context.Context, *eventstore.Change) error) func() error {
				p := eventstore.FoldLast[budget]("budget-1")
				return func() error {
					return k.Change(t.Context(), meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
						return errors.Join(eventstore.Decide(c, p, spend{units: units}), then(t.Context(), c))
					})
				}
			}
			fine := func(context.Context, *eventstore.Change) error { return nil }
			errs := k.together(t.Context(), "budget", spending(1, fine), spending(10, test.decide), spending(100, fine))
			if errs[0] != nil || errs[2] != nil || (errs[1] == nil) != (test.says == "") || test.says != "" && !strings.Contains(errs[1].Error(), test.says) {
				t.Errorf("got %v", errs)
			}
			if n := count(t, pool, "events"); n != test.events {
				t.Errorf("%d events, want %d", n, test.events)
			}
			last := eventstore.FoldLast[budget]("budget-1")
			must(t, k.Load(t.Context(), last))
			if want := 101 + 10*(test.events-3); last.State.Total != want {
				t.Errorf("got the total %d, want %d", last.State.Total, want)
			}
		})
	}
}

// A decision that panics does so where its caller sees it, and harms no other.
func TestPanicOfOneOfABatch(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	k := contend(pool, codec(t))
	errs := k.together(t.Context(), "budget",
		func() error { return add(t.Context(), k.Store, "budget-1", spent{}) },
		func() (err error) {
			defer func() { err = fmt.Errorf("panicked: %v", recover()) }()
			p := eventstore.Tail("budget-1")
			return k.Change(t.Context(), meta, []eventstore.Loadable{p}, func(*eventstore.Change) error { panic("mine") })
		},
		func() error { return add(t.Context(), k.Store, "budget-1", spent{}) })
	if errs[0] != nil || errs[2] != nil || errs[1] == nil || errs[1].Error() != "panicked: mine" {
		t.Errorf("got %v", errs)
	}
	if n := count(t, pool, "events"); n != 3 {
		t.Errorf("%d events, want 3", n)
	}
}

// A caller whose time is over when its batch decides appends nothing, and the others do.
func TestCallerLeavesABatch(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	k := contend(pool, codec(t))
	leaving, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	decided := false
	recording := func(ctx context.Context, before func()) error {
		p := eventstore.Tail("budget-1")
		return k.Change(ctx, meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
			before()
			return eventstore.Decide(c, p, record{spent{}})
		})
	}
	errs := k.together(t.Context(), "budget",
		func() error { return recording(t.Context(), func() { leave(); <-left }) },
		func() error { defer close(left); return recording(leaving, func() { decided = true }) },
		func() error { return recording(t.Context(), func() {}) })
	if errs[0] != nil || !errors.Is(errs[1], context.Canceled) || errs[2] != nil {
		t.Errorf("got %v", errs)
	}
	if n := count(t, pool, "events"); n != 3 || decided {
		t.Errorf("%d events, want 3; decided: %v", n, decided)
	}
}

// A text that one change seals is open to the next one of the batch.
func TestSealedTextsInABatch(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	c, err := eventstore.NewCodec(eventstore.Events(spent{}, worded{})...)
	must(t, err)
	k := contend(pool, c)
	k.Keys, err = sealed.New(bytes.Repeat([]byte{1}, sealed.KeySize))
	must(t, err)
	var seen [][]domain.Event
	wording := func(text string) func() error {
		p, to := eventstore.Fold("note-1", evolveEvents), eventstore.Tail("note-1")
		return func() error {
			return k.Change(t.Context(), meta, []eventstore.Loadable{p, to}, func(c *eventstore.Change) error {
				seen = append(seen, slices.Clone(p.State))
				return eventstore.Decide(c, to, record{worded{Text: text}})
			})
		}
	}
	must(t, errors.Join(k.together(t.Context(), "budget", wording("one"), wording("two"), wording("three"))...))
	want := [][]domain.Event{nil, {worded{Text: "one"}}, {worded{Text: "one"}, worded{Text: "two"}}}
	if !cmp.Equal(seen, want) {
		t.Errorf("got %v, want %v", seen, want)
	}
	if n := count(t, pool, "events WHERE data::text LIKE '%two%'"); n != 0 {
		t.Errorf("%d events have an open text", n)
	}
}

// Of more spenders than an allowance covers, in three processes, exactly as many are accepted, and the others are refused with its code.
func TestStormOnOneAccount(t *testing.T) {
	t.Parallel()
	const units, callers, each, processes = 150, 24, 10, 3
	pool := pgtest.Pool(t)
	var stores []*eventstore.Store
	for range processes {
		own, err := pgxpool.NewWithConfig(t.Context(), pool.Config())
		must(t, err)
		t.Cleanup(own.Close)
		stores = append(stores, eventstore.New(own, codec(t), eventstore.Options{}))
	}
	var spenders sync.WaitGroup
	outcomes := make([][]error, callers)
	for i := range callers {
		spenders.Go(func() {
			for n := range each {
				by := fmt.Sprintf("%d-%d", i, n)
				shared, own := eventstore.FoldLast[budget]("budget-shared"), eventstore.FoldCached(fmt.Sprint("budget-of-", by), evolveBudget)
				decide := func(c *eventstore.Change) error {
					return errors.Join(eventstore.Decide(c, own, spend{units: 1, by: by}), eventstore.Decide(c, shared, spend{units: 1, limit: units, by: by}))
				}
				err := eventstore.ErrConflict
				for errors.Is(err, eventstore.ErrConflict) { // as callers are asked to
					err = stores[i%processes].Change(t.Context(), meta, []eventstore.Loadable{shared, own}, decide)
				}
				outcomes[i] = append(outcomes[i], err)
			}
		})
	}
	spenders.Wait()
	accepted := 0
	for _, err := range slices.Concat(outcomes...) {
		if err == nil {
			accepted++
		} else if joined, ok := err.(interface{ Unwrap() []error }); !ok || !domain.IsRefused(joined.Unwrap()[0], domain.AssessmentDailyLimitReached) {
			t.Errorf("got %v, want a refusal", err)
		}
	}
	if accepted != units {
		t.Errorf("%d accepted, want %d", accepted, units)
	}
	if n := count(t, pool, "events WHERE stream = 'budget-shared'"); n != units {
		t.Errorf("%d events of the allowance, want %d", n, units)
	}
	if n := count(t, pool, "events WHERE stream LIKE 'budget-of-%'"); n != units {
		t.Errorf("%d events of the callers, want %d: the refused ones left something", n, units)
	}
	if v, err := stores[0].Verify(t.Context(), eventstore.VerifyOptions{}); err != nil || v.Mismatches != 0 || v.Events != 2*units {
		t.Errorf("got %+v, %v", v, err)
	}
}
