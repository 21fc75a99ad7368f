package eventstore_test

import (
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"readiness/eventstore"
)

// Only committed events count as appended; an append that another writer overtook counts as a conflict, and its events once as appended.
func TestMetricsOfAppends(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	registry := prometheus.NewRegistry()
	registry.MustRegister(s.Metrics()...)
	want := func(spent, noted, durations, conflicts float64) {
		t.Helper()
		got := map[string]float64{}
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				name := f.GetName()
				for _, l := range m.GetLabel() {
					name += " " + l.GetValue()
				}
				got[name] = m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
		for name, n := range map[string]float64{
			"readiness_events_appended_total budget.spent": spent, "readiness_events_appended_total note.noted": noted,
			"readiness_append_duration_seconds": durations, "readiness_append_conflicts_total": conflicts,
		} {
			if got[name] != n {
				t.Errorf("%s is %v, want %v", name, got[name], n)
			}
		}
	}
	want(0, 0, 0, 0)
	if err := add(t.Context(), s, "note-a", noted{"one"}, noted{"two"}); err != nil {
		t.Fatal(err)
	}
	want(0, 2, 1, 0)

	boom := errors.New("boom")
	a := eventstore.Fold("budget-a", evolveBudget)
	refused := s.Change(t.Context(), meta, []eventstore.Loadable{a}, func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, a, spend{units: 1}); err != nil {
			return err
		}
		return boom
	})
	nothing := s.Change(t.Context(), meta, []eventstore.Loadable{a}, func(*eventstore.Change) error { return nil })
	if !errors.Is(refused, boom) || nothing != nil {
		t.Fatal(refused, nothing)
	}
	want(0, 2, 1, 0)

	overtaken := false
	err := s.Change(t.Context(), meta, []eventstore.Loadable{a}, func(c *eventstore.Change) error {
		if !overtaken {
			overtaken = true
			other := eventstore.Fold("budget-a", evolveBudget)
			if err := s.Change(t.Context(), meta, []eventstore.Loadable{other}, func(c *eventstore.Change) error {
				return eventstore.Decide(c, other, spend{units: 5})
			}); err != nil {
				return err
			}
		}
		return eventstore.Decide(c, a, spend{units: 1})
	})
	if err != nil || a.State.Total != 6 {
		t.Fatal(a.State, err)
	}
	want(2, 2, 3, 1)
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
}
