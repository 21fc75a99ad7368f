package schedule

import (
	"time"

	"readiness/domain"
)

// Frequency is how often a schedule runs.
type Frequency string

// The frequencies.
const (
	Daily  Frequency = "Daily"
	Weekly Frequency = "Weekly"
)

// Timing is when a schedule runs, in UTC. Its slots are the instants at which it runs,
// each at second zero of a minute.
type Timing struct {
	// Frequency is how often it runs.
	Frequency Frequency `json:"frequency"`
	// DayOfWeek is an English name, Monday to Sunday; empty exactly when Frequency is
	// Daily.
	DayOfWeek string `json:"dayOfWeek,omitempty"`
	// TimeUTC is "HH:MM", 00:00 to 23:59.
	TimeUTC string `json:"timeUtc"`
}

// Check refuses, with InvalidRequest, a timing that has no slots.
func (t Timing) Check() error {
	_, named := weekday(t.DayOfWeek)
	switch {
	case t.Frequency != Daily && t.Frequency != Weekly:
		return domain.Refuse(domain.InvalidRequest, "frequency must be %s or %s", Daily, Weekly)
	case t.Frequency == Weekly && t.DayOfWeek == "":
		return domain.Refuse(domain.InvalidRequest, "dayOfWeek is missing; a %s schedule needs one of Monday to Sunday", Weekly)
	case t.Frequency == Weekly && !named:
		return domain.Refuse(domain.InvalidRequest, "dayOfWeek must be one of Monday to Sunday")
	case t.Frequency == Daily && t.DayOfWeek != "":
		return domain.Refuse(domain.InvalidRequest, "dayOfWeek is for %s schedules; leave it out, or make the frequency %s", Weekly, Weekly)
	}
	if _, _, ok := clock(t.TimeUTC); !ok {
		return domain.Refuse(domain.InvalidRequest, "timeUtc must be HH:MM, from 00:00 to 23:59")
	}
	return nil
}

// Next returns the first slot after the instant. The timing must be one that Check
// accepts.
func (t Timing) Next(after time.Time) time.Time {
	hour, minute, _ := clock(t.TimeUTC)
	y, m, d := after.UTC().Date()
	slot := time.Date(y, m, d, hour, minute, 0, 0, time.UTC)
	step := 1
	if t.Frequency == Weekly {
		day, _ := weekday(t.DayOfWeek)
		slot = slot.AddDate(0, 0, int(day-slot.Weekday()+7)%7)
		step = 7
	}
	if !slot.After(after) {
		slot = slot.AddDate(0, 0, step)
	}
	return slot
}

func weekday(name string) (time.Weekday, bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if d.String() == name {
			return d, true
		}
	}
	return 0, false
}

func clock(text string) (hour, minute int, ok bool) {
	const layout = "15:04"
	at, err := time.Parse(layout, text)
	return at.Hour(), at.Minute(), err == nil && at.Format(layout) == text
}
