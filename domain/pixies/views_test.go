package pixies_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/pixies"
)

func TestRecordHour(t *testing.T) {
	t.Parallel()
	report := uuid.New()
	hour := time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC)
	viewed := func(page string, n int) pixies.Viewed {
		return pixies.Viewed{AccountID: "acme", ReportID: report, Hour: hour.In(time.FixedZone("", -7*60*60)), Page: page, Views: n}
	}
	last := 23
	for name, tt := range map[string]struct {
		command pixies.RecordHour
		want    []domain.Event
	}{
		"nothing":    {nil, nil},
		"one page":   {pixies.RecordHour{viewed("a", 3)}, []domain.Event{pixies.Seen{ReportID: report, Day: "2026-11-21", Hour: &last, Views: map[string]int{"a": 3}}}},
		"many pages": {pixies.RecordHour{viewed("a", 3), viewed("b", 1), viewed("a", 2)}, []domain.Event{pixies.Seen{ReportID: report, Day: "2026-11-21", Hour: &last, Views: map[string]int{"a": 5, "b": 1}}}},
	} {
		got, err := tt.command.Decide(struct{}{})
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: error %v, events (-want +got):\n%s", name, err, diff)
		}
	}
}

// An hour is recorded one minute after its end.
func TestRecordedUntil(t *testing.T) {
	t.Parallel()
	ten := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for after, want := range map[time.Duration]time.Time{
		0: ten.Add(-time.Hour), time.Minute - 1: ten.Add(-time.Hour), time.Minute: ten, 59*time.Minute + 59*time.Second: ten, time.Hour + time.Minute: ten.Add(time.Hour),
	} {
		if got := pixies.RecordedUntil(ten.Add(after)); !got.Equal(want) {
			t.Errorf("%v after ten: until %v, want %v", after, got, want)
		}
	}
}
