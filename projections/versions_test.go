package projections_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"readiness/eventstore"
	"readiness/projections"
)

// later is an inline view that only a newer program has.
func later() *projections.View {
	table := &projections.Table{Name: "arrivals", Columns: []projections.Column{{Name: "stream", Type: "text"}, {Name: "n", Type: "bigint"}},
		Key: []string{"stream"}}
	view := toy(1, true)
	view.Name, view.Tables = "later", []*projections.Table{table}
	view.Project = func(rows *projections.Rows, r eventstore.Recorded) error {
		rows.Add(table, projections.Key{r.Stream}, projections.Row{"n": 1})
		return nil
	}
	return view
}

// While an older program appends, a newer one builds an inline view that the older does not have. From the switch on the older
// program's appends are refused, so that no row is missed; after the view is withdrawn they go through again, and
// building it once more brings their rows.
func TestNewInlineViewWhileAnOlderProgramAppends(t *testing.T) {
	t.Parallel()
	old := start(t, nil, toy(1, true))
	old.fill(t, 500)
	newer := start(t, old.pool, toy(1, true), later())
	if err := newer.append(t.Context(), "toy-early", nil, changed{[]op{{Kind: 'e'}}}); err == nil {
		t.Error("the newer program appended before its view was built")
	}
	var writers sync.WaitGroup
	var refused atomic.Int64
	for range 4 {
		writers.Go(func() {
			for t.Context().Err() == nil {
				err := old.append(t.Context(), "toy-old", nil, changed{[]op{{Kind: 'e', Key: 7}}})
				if err != nil && !strings.Contains(err.Error(), "RV001") {
					if strings.Contains(err.Error(), "faster every time") {
						continue
					}
					t.Errorf("an append failed otherwise: %v", err)
					return
				}
				if err != nil {
					refused.Add(1)
					return
				}
			}
		})
	}
	if _, err := newer.engine.Rebuild(t.Context(), newer.log, "later", projections.RebuildOptions{}); err != nil {
		t.Fatal(err)
	}
	writers.Wait()
	if refused.Load() != 4 {
		t.Errorf("%d of 4 writers were refused", refused.Load())
	}
	complete := func() {
		t.Helper()
		if events, rows := old.count(t, "events"), old.count(t, "(SELECT FROM arrivals_v1, generate_series(1, n)) r"); events != rows {
			t.Errorf("the new view has %d rows of %d events", rows, events)
		}
	}
	complete()
	if err := old.engine.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "projections withdraw --view later") {
		t.Errorf("the older program's check: %v, want what to do", err)
	}
	if err := newer.engine.Check(t.Context()); err != nil {
		t.Error(err)
	}
	newer.mustAppend(t, "toy-new", changed{[]op{{Kind: 'e'}}})
	complete()

	if n, err := old.engine.Withdraw(t.Context(), "later"); n != 1 || err != nil {
		t.Fatalf("withdrew %d, %v, want 1", n, err)
	}
	if _, err := old.engine.Withdraw(t.Context(), "later"); err == nil {
		t.Error("withdrew what is not live")
	}
	old.mustAppend(t, "toy-old2", changed{[]op{{Kind: 'e'}}})
	if err := newer.append(t.Context(), "toy-new", nil, changed{[]op{{Kind: 'e'}}}); err == nil {
		t.Error("the newer program appended without its view")
	}
	if err := old.engine.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := newer.engine.Rebuild(t.Context(), newer.log, "later", projections.RebuildOptions{}); err != nil {
		t.Fatal(err)
	}
	complete()
	old.same(t)
}

// A version is left again by withdrawing it and building the one before.
func TestBackToTheVersionBefore(t *testing.T) {
	t.Parallel()
	old := start(t, nil, toy(1, true))
	old.fill(t, 100)
	newer := start(t, old.pool, toy(2, true))
	newer.rebuild(t, projections.RebuildOptions{})
	newer.mustAppend(t, "toy-1", changed{[]op{{Kind: 'i'}}})
	if n, err := old.engine.Withdraw(t.Context(), "toy"); n != 1 || err != nil {
		t.Fatalf("withdrew %d, %v, want 1", n, err)
	}
	if err := newer.append(t.Context(), "toy-2", nil, changed{[]op{{Kind: 'i'}}}); err == nil {
		t.Error("an append went through without any version of the view")
	}
	old.rebuild(t, projections.RebuildOptions{})
	if err := old.engine.Check(t.Context()); err != nil {
		t.Error(err)
	}
	old.mustAppend(t, "toy-3", changed{[]op{{Kind: 'i'}}})
	if n := old.count(t, "things_v1"); n != 102 {
		t.Errorf("got %d rows, want 102", n)
	}
	old.same(t)
}
