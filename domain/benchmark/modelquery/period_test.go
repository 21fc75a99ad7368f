package modelquery_test

import (
	"testing"

	"readiness/domain/benchmark/modelquery"
)

func TestPeriodNames(t *testing.T) {
	t.Parallel()
	units := []modelquery.Unit{modelquery.Day, modelquery.Week, modelquery.Month, modelquery.Quarter, modelquery.Year}
	seen := map[string]bool{}
	for _, u := range units {
		twelve, _ := modelquery.LastUnits(12, u)
		for _, p := range []modelquery.Period{modelquery.This(u), modelquery.Last(u), modelquery.ToDate(u), twelve} {
			seen[p.String()] = true
			if got, ok := modelquery.ParsePeriod(p.String()); !ok || got != p {
				t.Errorf("ParsePeriod(%q) = %v, %v", p, got, ok)
			}
		}
	}
	if len(seen) != 4*len(units)-1 { // "day to date" is "today"
		t.Errorf("%d names: %v", len(seen), seen)
	}
	for _, name := range []string{"", "this", "this fortnight", "this day", "last day", "last 1 months", "last 0 months", "last 012 months", "last 10001 days", "last 12 month", "Last month", "day to date", "month to now"} {
		if p, ok := modelquery.ParsePeriod(name); ok {
			t.Errorf("ParsePeriod(%q) = %v", name, p)
		}
	}
	if p, ok := modelquery.LastUnits(1, modelquery.Month); !ok || p != modelquery.Last(modelquery.Month) {
		t.Errorf("the last 1 month is %v, %v", p, ok)
	}
}
