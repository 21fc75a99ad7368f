package benchmark_test

import (
	"testing"

	"readiness/domain/benchmark"
)

func TestPeriodNames(t *testing.T) {
	t.Parallel()
	units := []benchmark.Unit{benchmark.Day, benchmark.Week, benchmark.Month, benchmark.Quarter, benchmark.Year}
	seen := map[string]bool{}
	for _, u := range units {
		twelve, _ := benchmark.LastUnits(12, u)
		for _, p := range []benchmark.Period{benchmark.This(u), benchmark.Last(u), benchmark.ToDate(u), twelve} {
			seen[p.String()] = true
			if got, ok := benchmark.ParsePeriod(p.String()); !ok || got != p {
				t.Errorf("ParsePeriod(%q) = %v, %v", p, got, ok)
			}
		}
	}
	if len(seen) != 4*len(units)-1 { // "day to date" is "today"
		t.Errorf("%d names: %v", len(seen), seen)
	}
	for _, name := range []string{"", "this", "this fortnight", "this day", "last day", "last 1 months", "last 0 months", "last 012 months", "last 10001 days", "last 12 month", "Last month", "day to date", "month to now"} {
		if p, ok := benchmark.ParsePeriod(name); ok {
			t.Errorf("ParsePeriod(%q) = %v", name, p)
		}
	}
	if p, ok := benchmark.LastUnits(1, benchmark.Month); !ok || p != benchmark.Last(benchmark.Month) {
		t.Errorf("the last 1 month is %v, %v", p, ok)
	}
}
