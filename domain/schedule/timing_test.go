package schedule_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"readiness/domain"
	"readiness/domain/schedule"
)

func instant(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func daily(at string) schedule.Timing {
	return schedule.Timing{Frequency: schedule.Daily, TimeUTC: at}
}

func weekly(day, at string) schedule.Timing {
	return schedule.Timing{Frequency: schedule.Weekly, DayOfWeek: day, TimeUTC: at}
}

// Slots across the ends of days, months and years, on leap days, and in the hours that
// other time zones repeat or skip.
func TestNext(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		timing      schedule.Timing
		after, want string
	}{
		{daily("06:30"), "2026-11-21T06:29:59.999999Z", "2026-11-21T06:30:00Z"},
		{daily("06:30"), "2026-11-21T06:30:00Z", "2026-11-22T06:30:00Z"},
		{daily("06:30"), "2026-11-21T06:30:00.000001Z", "2026-11-22T06:30:00Z"},
		{daily("00:00"), "2026-11-30T00:00:00Z", "2026-12-01T00:00:00Z"},
		{daily("23:59"), "2026-12-31T23:59:00Z", "2027-01-01T23:59:00Z"},
		{daily("12:00"), "2028-02-28T12:00:00Z", "2028-02-29T12:00:00Z"},
		{daily("12:00"), "2028-02-29T12:00:00Z", "2028-03-01T12:00:00Z"},
		{daily("12:00"), "2026-02-28T12:00:00Z", "2026-03-01T12:00:00Z"},
		{daily("01:30"), "2026-03-29T00:00:00+02:00", "2026-03-29T01:30:00Z"},
		{daily("01:30"), "2026-10-25T02:30:00+01:00", "2026-10-26T01:30:00Z"},
		{daily("23:00"), "2026-11-22T00:30:00+02:00", "2026-11-21T23:00:00Z"}, // yesterday in UTC
		{weekly("Saturday", "12:00"), "2026-11-21T11:59:00Z", "2026-11-21T12:00:00Z"},
		{weekly("Saturday", "12:00"), "2026-11-21T12:00:00Z", "2026-11-28T12:00:00Z"},
		{weekly("Sunday", "12:00"), "2026-11-21T12:00:00Z", "2026-11-22T12:00:00Z"},
		{weekly("Friday", "12:00"), "2026-11-21T12:00:00Z", "2026-11-27T12:00:00Z"},
		{weekly("Tuesday", "00:00"), "2026-11-29T23:59:59Z", "2026-12-01T00:00:00Z"},
		{weekly("Friday", "08:15"), "2026-12-26T00:00:00Z", "2027-01-01T08:15:00Z"},
		{weekly("Tuesday", "08:15"), "2028-02-23T00:00:00Z", "2028-02-29T08:15:00Z"},
		{weekly("Tuesday", "08:15"), "2028-02-29T08:15:00Z", "2028-03-07T08:15:00Z"},
		{weekly("Monday", "00:30"), "2026-11-23T01:00:00+02:00", "2026-11-23T00:30:00Z"}, // still Sunday in UTC
	} {
		if got := c.timing.Next(instant(t, c.after)); !got.Equal(instant(t, c.want)) || got.Location() != time.UTC {
			t.Errorf("%+v after %s: got %s, want %s", c.timing, c.after, got, c.want)
		}
	}
}

// The next slot is later by at most one period, on the day and at the time of the
// timing, and no slot lies between.
func TestNextIsTheNextSlot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		day := time.Weekday(rapid.IntRange(0, 6).Draw(t, "day"))
		hour, minute := rapid.IntRange(0, 23).Draw(t, "hour"), rapid.IntRange(0, 59).Draw(t, "minute")
		timing, period := daily(fmt.Sprintf("%02d:%02d", hour, minute)), 24*time.Hour
		if rapid.Bool().Draw(t, "weekly") {
			timing, period = weekly(day.String(), timing.TimeUTC), 7*24*time.Hour
		}
		if err := timing.Check(); err != nil {
			t.Fatal(err)
		}
		zone := time.FixedZone("", 60*rapid.IntRange(-14*60, 14*60).Draw(t, "zone"))
		after := time.UnixMicro(rapid.Int64Range(0, 4e15).Draw(t, "after")).In(zone)
		next := timing.Next(after)
		if !next.After(after) || next.Sub(after) > period {
			t.Fatalf("after %s comes %s", after, next)
		}
		if timing.Frequency == schedule.Weekly && next.UTC().Weekday() != day {
			t.Fatalf("%s is a %s, want %s", next, next.Weekday(), day)
		}
		if got := next.UTC().Format("15:04:05.999999999"); got != timing.TimeUTC+":00" {
			t.Fatalf("at %s, want %s", got, timing.TimeUTC)
		}
		if again := timing.Next(next.Add(-1)); !again.Equal(next) {
			t.Fatalf("just before %s comes %s", next, again)
		}
	})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, good := range []schedule.Timing{daily("00:00"), daily("23:59"), weekly("Monday", "09:05"), weekly("Sunday", "12:00")} {
		if err := good.Check(); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	for _, bad := range []schedule.Timing{
		{}, {Frequency: "Monthly", TimeUTC: "12:00"}, {Frequency: "daily", TimeUTC: "12:00"},
		daily(""), daily("24:00"), daily("12:60"), daily("9:05"), daily("12:00:00"), daily("12.00"), daily(" 12:00"), daily("-1:00"),
		weekly("", "12:00"), weekly("monday", "12:00"), weekly("Mon", "12:00"), weekly("Montag", "12:00"),
		{Frequency: schedule.Daily, DayOfWeek: "Monday", TimeUTC: "12:00"},
	} {
		if err := bad.Check(); !domain.IsRefused(err, domain.InvalidRequest) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
