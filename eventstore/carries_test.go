package eventstore_test

import (
	"strings"
	"testing"

	"readiness/domain"
	"readiness/eventstore"
)

// note records an event that carries no budget, on a stream of budgets.
type note struct{}

func (note) Decide(budget) ([]domain.Event, error) { return []domain.Event{noted{"n"}}, nil }

// An event that does not carry the state never resets it: as the last event it is an error when
// loaded, which names the stream, the event and the state.
func TestALastEventWithoutTheState(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	mustAdd(t, s, "budget-1", spent{Units: 2, Total: 2}, noted{"n"})
	past := eventstore.FoldLast[budget]("budget-1")
	for how, err := range map[string]error{
		"load": s.Load(t.Context(), past),
		"change": s.Change(t.Context(), meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
			t.Error("it decided without a state")
			return eventstore.Decide(c, past, spend{units: 1})
		}),
	} {
		for _, part := range []string{"budget-1 version 2", "note.noted", "eventstore_test.budget"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: got %v, which does not name %s", how, err, part)
			}
		}
	}
	mustAdd(t, s, "budget-1", spent{Units: 3, Total: 5})
	if err := s.Load(t.Context(), past); err != nil || past.State != (budget{5, 1}) {
		t.Errorf("after an event that carries it: %+v, %v", past.State, err)
	}
	if n := count(t, pool, "events"); n != 3 {
		t.Errorf("got %d events, want 3", n)
	}
}

// An event that does not carry its stream's state, or that belongs to another type of stream, is never
// recorded, even when decide ignores the error.
func TestEventsThatDoNotBelongAreNotRecorded(t *testing.T) {
	t.Parallel()
	_, pool := open(t)
	types, err := eventstore.NewCodec(append(eventstore.Events(spent{}), eventstore.Of("note", noted{})...)...)
	if err != nil {
		t.Fatal(err)
	}
	anywhere, strict := eventstore.New(pool, codec(t), eventstore.Options{}), eventstore.New(pool, types, eventstore.Options{})
	for name, test := range map[string]struct {
		store *eventstore.Store
		past  *eventstore.Stream[budget]
		want  string
	}{
		"without the state":   {anywhere, eventstore.FoldLast[budget]("budget-1"), "does not carry eventstore_test.budget"},
		"on another's stream": {strict, eventstore.Fold("budget-1", evolveBudget), "belongs on note streams"},
	} {
		for _, minds := range []bool{true, false} {
			err := test.store.Change(t.Context(), meta, []eventstore.Loadable{test.past}, func(c *eventstore.Change) error {
				if err := eventstore.Decide(c, test.past, spend{units: 1}); err != nil {
					return err
				}
				if err := eventstore.Decide(c, test.past, note{}); minds {
					return err
				}
				return nil
			})
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "note.noted") {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
	if n := count(t, pool, "events"); n != 0 {
		t.Errorf("%d events were recorded", n)
	}
	mustAdd(t, strict, "note-1", noted{"n"}) // its own type of stream
	if err := add(t.Context(), anywhere, "budget-1", noted{"n"}); err != nil {
		t.Fatal(err)
	}
	if err := strict.Load(t.Context(), eventstore.Fold("budget-1", evolveBudget)); err == nil || !strings.Contains(err.Error(), "belongs on note streams") {
		t.Errorf("loaded: %v", err)
	}
}
