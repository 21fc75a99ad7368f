package schedule_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/schedule"
)

var (
	first  = uuid.UUID{15: 1}
	second = uuid.UUID{15: 2}
	run    = uuid.UUID{15: 9}
	model  = schedule.Model{WorkspaceID: uuid.UUID{15: 3}, ModelID: uuid.UUID{15: 4}, WorkspaceName: "Retail", ModelName: "Sales"}
	ana    = item.PersonID("ana")
	bob    = item.PersonID("bob")
	noon   = time.Date(2026, 11, 21, 12, 0, 0, 123456789, time.UTC) // a Saturday
	six    = time.Date(2026, 11, 22, 6, 0, 0, 0, time.UTC)          // the first slot
	passes = domain.Refuse(domain.AssessmentDailyLimitReached, "used up")
	gone   = schedule.Reason{Code: domain.ItemNotFound, Message: "gone"}
)

const account = "contoso"

func create(enabled bool) schedule.Create {
	return schedule.Create{ScheduleID: first, Model: model, Timing: daily("06:00"), Enabled: enabled, Owner: ana, At: noon}
}

// failer is a test, of package testing or rapid.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// decide folds the events of commands, and fails when a command is refused.
func decide(t failer, s schedule.Schedule, all ...domain.Command[schedule.Schedule]) (schedule.Schedule, []domain.Event) {
	t.Helper()
	var caused []domain.Event
	for _, c := range all {
		events, err := c.Decide(s)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		for _, e := range events {
			s = e.(domain.Carries[schedule.Schedule]).After()
		}
		caused = append(caused, events...)
	}
	return s, caused
}

func made(t failer, all ...domain.Command[schedule.Schedule]) schedule.Schedule {
	t.Helper()
	s, _ := decide(t, schedule.Schedule{}, create(true))
	s, _ = decide(t, s, all...)
	return s
}

func slot(at time.Time) schedule.Slot {
	return schedule.Slot{AccountID: account, ModelID: model.ModelID, ScheduleID: first, At: at}
}

func start(at, now time.Time) schedule.StartSlot {
	return schedule.StartSlot{Slot: slot(at), OperationID: run, Model: model, At: now}
}

func pause(at, now time.Time) schedule.Pause {
	return schedule.Pause{Slot: slot(at), Reason: gone, At: now}
}

func change(p schedule.Patch, by item.PersonID, at time.Time) schedule.Change {
	c := schedule.Change{ScheduleID: first, Patch: p, By: by, At: at}
	if p.Enables() {
		c.Model = &model
	}
	return c
}

func TestOneSchedulePerModel(t *testing.T) {
	t.Parallel()
	s := made(t)
	if !s.Exists() || s.Status() != schedule.StatusActive || !s.NextRunAt().Equal(six) || s.LastRun != nil || s.CreatedAt.Nanosecond() != 123456000 || s.ChangedAt != s.CreatedAt {
		t.Errorf("made as %+v", s)
	}
	again := create(true)
	again.ScheduleID = second
	events, err := again.Decide(s)
	if r, ok := domain.Refused(err); !ok || r.Code != domain.ScheduleConflict || !cmp.Equal(r.Params, []domain.Param{{Name: "scheduleId", Value: first.String()}}) || len(events) > 0 {
		t.Errorf("a second one: %v, %v", events, err)
	}
	s, _ = decide(t, s, schedule.Delete{ScheduleID: first})
	if s.Exists() || s.Due(slot(six), six) {
		t.Errorf("deleted, it is %+v", s)
	}
	if s, _ = decide(t, s, again); s.ScheduleID != second {
		t.Errorf("made again as %+v", s)
	}
	for name, c := range map[string]domain.Command[schedule.Schedule]{
		"delete": schedule.Delete{ScheduleID: first}, "change": change(schedule.Patch{Enabled: new(false)}, ana, noon),
	} {
		if events, err := c.Decide(s); !domain.IsRefused(err, domain.ScheduleNotFound) || len(events) > 0 {
			t.Errorf("%s the first one: %v, %v", name, events, err)
		}
		if events, err := c.Decide(schedule.Schedule{}); !domain.IsRefused(err, domain.ScheduleNotFound) || len(events) > 0 {
			t.Errorf("%s where there is none: %v, %v", name, events, err)
		}
	}
	off, _ := decide(t, schedule.Schedule{}, create(false))
	if off.Status() != schedule.StatusDisabled || off.NextAt != nil || off.NextRunAt() != nil {
		t.Errorf("made turned off: %+v", off)
	}
	bad := create(true)
	bad.Timing.TimeUTC = "25:00"
	if _, err := bad.Decide(schedule.Schedule{}); !domain.IsRefused(err, domain.InvalidRequest) {
		t.Errorf("without slots: %v", err)
	}
}

// A due slot is started, refused or missed once. No slot runs before its time, for
// another schedule or for one that is not active.
func TestSlotIsHandledOnce(t *testing.T) {
	t.Parallel()
	late := six.Add(time.Minute)
	for name, c := range map[string]domain.Command[schedule.Schedule]{
		"start": start(six, late), "refuse": schedule.RefuseSlot{Slot: slot(six), Refusal: passes, At: late}, "pause": pause(six, late),
	} {
		s, events := decide(t, made(t), c)
		if len(events) != 1 {
			t.Errorf("%s: %v", name, events)
		}
		for again, c := range map[string]domain.Command[schedule.Schedule]{
			"start": start(six, late), "refuse": schedule.RefuseSlot{Slot: slot(six), Refusal: passes, At: late}, "pause": pause(six, late),
		} {
			if _, events := decide(t, s, c); len(events) > 0 {
				t.Errorf("%s, then %s: %v", name, again, events)
			}
		}
	}
	other := start(six, late)
	other.Slot.ScheduleID = second
	for name, c := range map[string]struct {
		given schedule.Schedule
		when  schedule.StartSlot
	}{
		"too early":         {made(t), start(six, six.Add(-1))},
		"no slot of its":    {made(t), start(six.Add(-time.Minute), late)},
		"another schedule":  {made(t), other},
		"none":              {schedule.Schedule{}, start(six, late)},
		"paused":            {made(t, pause(six, six)), start(six, late)},
		"turned off":        {made(t, change(schedule.Patch{Enabled: new(false)}, ana, noon)), start(six, late)},
		"of another timing": {made(t, change(schedule.Patch{TimeUTC: new("07:00")}, ana, noon)), start(six, late)},
	} {
		if _, events := decide(t, c.given, c.when); len(events) > 0 {
			t.Errorf("%s: %v", name, events)
		}
	}
}

func TestSlotOutcomes(t *testing.T) {
	t.Parallel()
	renamed := model
	renamed.WorkspaceName, renamed.ModelName = "Shops", "Revenue"
	begin := start(six, six.Add(time.Minute))
	begin.Model = renamed
	s := made(t, begin)
	want := &schedule.Run{Slot: six, OperationID: &run, Outcome: schedule.Started}
	if !cmp.Equal(s.LastRun, want) || !s.NextRunAt().Equal(six.AddDate(0, 0, 1)) || s.ModelName != "Revenue" || s.WorkspaceName != "Shops" || !s.ChangedAt.Equal(s.CreatedAt) {
		t.Errorf("started: %+v, last %+v", s, s.LastRun)
	}

	s = made(t, schedule.RefuseSlot{Slot: slot(six), Refusal: passes, At: six})
	want = &schedule.Run{Slot: six, Outcome: schedule.Refused, Code: passes.Code, Message: passes.Message}
	if !cmp.Equal(s.LastRun, want) || s.Status() != schedule.StatusActive || !s.NextRunAt().Equal(six.AddDate(0, 0, 1)) {
		t.Errorf("refused: %+v, last %+v", s, s.LastRun)
	}

	// When no process looked for days, one run stands for all missed slots.
	s = made(t, start(six, six.AddDate(0, 0, 5).Add(time.Hour)))
	if !s.LastRun.Slot.Equal(six) || !s.NextRunAt().Equal(six.AddDate(0, 0, 6)) {
		t.Errorf("late: next %s, last %+v", s.NextRunAt(), s.LastRun)
	}

	s = made(t, pause(six, six.Add(time.Minute)))
	want = &schedule.Run{Slot: six, Outcome: schedule.Missed, Code: gone.Code, Message: gone.Message}
	if !cmp.Equal(s.LastRun, want) || s.Status() != schedule.StatusPaused || !cmp.Equal(s.Paused, &gone) || !s.PausedAt.Equal(six.Add(time.Minute)) || s.NextRunAt() != nil {
		t.Errorf("paused: %+v, last %+v", s, s.LastRun)
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	later := six.Add(50 * time.Hour) // two slots later, at eight
	on, off := schedule.Patch{Enabled: new(true)}, schedule.Patch{Enabled: new(false)}
	monday := schedule.Patch{Frequency: new(schedule.Weekly), DayOfWeek: new("Monday")}
	for name, c := range map[string]struct {
		given  schedule.Schedule
		patch  schedule.Patch
		by     item.PersonID
		status schedule.Status
		owner  item.PersonID
		timing schedule.Timing
		next   time.Time // when it runs next; zero for never
	}{
		"the time":                         {made(t), schedule.Patch{TimeUTC: new("09:00")}, bob, schedule.StatusActive, ana, daily("09:00"), time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)},
		"to weekly":                        {made(t), monday, ana, schedule.StatusActive, ana, weekly("Monday", "06:00"), time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)},
		"the day":                          {made(t, change(monday, ana, noon)), schedule.Patch{DayOfWeek: new("Tuesday")}, ana, schedule.StatusActive, ana, weekly("Tuesday", "06:00"), time.Date(2026, 12, 1, 6, 0, 0, 0, time.UTC)},
		"to daily, the day goes":           {made(t, change(monday, ana, noon)), schedule.Patch{Frequency: new(schedule.Daily)}, ana, schedule.StatusActive, ana, daily("06:00"), time.Date(2026, 11, 25, 6, 0, 0, 0, time.UTC)},
		"to daily, the day cleared":        {made(t, change(monday, ana, noon)), schedule.Patch{Frequency: new(schedule.Daily), DayOfWeek: new("")}, ana, schedule.StatusActive, ana, daily("06:00"), time.Date(2026, 11, 25, 6, 0, 0, 0, time.UTC)},
		"off":                              {made(t), off, bob, schedule.StatusDisabled, ana, daily("06:00"), time.Time{}},
		"off while it is paused":           {made(t, pause(six, six)), off, bob, schedule.StatusDisabled, ana, daily("06:00"), time.Time{}},
		"on again missed nothing":          {made(t, change(off, ana, noon)), on, bob, schedule.StatusActive, bob, daily("06:00"), time.Date(2026, 11, 25, 6, 0, 0, 0, time.UTC)},
		"off, paused before, missed none":  {made(t, pause(six, six), change(off, ana, six)), on, ana, schedule.StatusActive, ana, daily("06:00"), time.Date(2026, 11, 25, 6, 0, 0, 0, time.UTC)},
		"taken up, its missed slot is due": {made(t, pause(six, six)), on, ana, schedule.StatusActive, ana, daily("06:00"), six},
		"taken up by another":              {made(t, pause(six, six)), on, bob, schedule.StatusActive, bob, daily("06:00"), six},
		"taken over while it is active":    {made(t), on, bob, schedule.StatusActive, bob, daily("06:00"), six},
		"taken up with another time":       {made(t, pause(six, six)), schedule.Patch{Enabled: new(true), TimeUTC: new("07:00")}, ana, schedule.StatusActive, ana, daily("07:00"), time.Date(2026, 11, 25, 7, 0, 0, 0, time.UTC)},
		"the time while it is paused":      {made(t, pause(six, six)), schedule.Patch{TimeUTC: new("07:00")}, ana, schedule.StatusPaused, ana, daily("07:00"), time.Time{}},
		"the time while it is off":         {made(t, change(off, ana, noon)), schedule.Patch{TimeUTC: new("07:00")}, ana, schedule.StatusDisabled, ana, daily("07:00"), time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, events := decide(t, c.given, change(c.patch, c.by, later))
			if len(events) != 1 || !s.ChangedAt.Equal(later) {
				t.Fatalf("caused %v", events)
			}
			next := time.Time{}
			if at := s.NextRunAt(); at != nil {
				next = *at
			}
			if s.Status() != c.status || s.Owner != c.owner || s.Timing != c.timing || !next.Equal(c.next) {
				t.Errorf("it is %s, owned by %v, %+v, next %s", s.Status(), s.Owner, s.Timing, next)
			}
			if (s.Status() == schedule.StatusPaused) != (s.Paused != nil && s.PausedAt != nil) {
				t.Errorf("%s because of %v since %v", s.Status(), s.Paused, s.PausedAt)
			}
			if _, events := decide(t, s, change(c.patch, c.by, later.Add(time.Hour))); len(events) > 0 {
				t.Errorf("a second time: %v", events)
			}
		})
	}
	for name, p := range map[string]schedule.Patch{
		"nothing": {}, "what it is": {Frequency: new(schedule.Daily), TimeUTC: new("06:00")}, "on by its owner": on, "no day": {DayOfWeek: new("")},
	} {
		if _, events := decide(t, made(t), change(p, ana, later)); len(events) > 0 {
			t.Errorf("%s: %v", name, events)
		}
	}
	for name, c := range map[string]struct {
		given schedule.Schedule
		patch schedule.Patch
	}{
		"weekly without a day": {made(t), schedule.Patch{Frequency: new(schedule.Weekly)}},
		"daily with a day":     {made(t), schedule.Patch{DayOfWeek: new("Monday")}},
		"the day cleared":      {made(t, change(monday, ana, noon)), schedule.Patch{DayOfWeek: new("")}},
		"no time":              {made(t), schedule.Patch{TimeUTC: new("")}},
	} {
		if events, err := change(c.patch, ana, later).Decide(c.given); !domain.IsRefused(err, domain.InvalidRequest) || len(events) > 0 {
			t.Errorf("%s: %v, %v", name, events, err)
		}
	}
}

// In any order of commands, no slot is started twice or before its time, and the next
// slot of an active schedule is after every slot it has run.
func TestNoSlotTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, now := made(t), noon
		started := map[time.Time]bool{}
		var last time.Time
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "hours")) * time.Hour)
			due := six
			if s.NextAt != nil {
				due = *s.NextAt
			}
			c := rapid.SampledFrom([]domain.Command[schedule.Schedule]{
				start(due, now), start(last, now), schedule.RefuseSlot{Slot: slot(due), Refusal: passes, At: now}, pause(due, now),
				change(schedule.Patch{Enabled: new(true)}, bob, now), change(schedule.Patch{Enabled: new(false)}, ana, now),
				change(schedule.Patch{TimeUTC: new("06:00")}, ana, now), change(schedule.Patch{TimeUTC: new("18:30")}, ana, now),
			}).Draw(t, "command")
			var events []domain.Event
			s, events = decide(t, s, c)
			for _, e := range events {
				if e, ok := e.(schedule.SlotStarted); ok {
					if started[e.Slot] || e.Slot.After(now) {
						t.Fatalf("at %s slot %s was started", now, e.Slot)
					}
					started[e.Slot], last = true, e.Slot
				}
			}
			if next := s.NextRunAt(); next != nil && !next.After(last) {
				t.Fatalf("slot %s was started, and the next is %s", last, next)
			}
		}
	})
}

// A stored token that the platform refuses pauses like one that has expired.
func TestReasonOfARefusedToken(t *testing.T) {
	t.Parallel()
	for _, code := range []domain.Code{domain.Unauthorized, domain.TokenExpired} {
		if r, pauses := schedule.ReasonOf(domain.Refuse(code, "why")); !pauses || r.Code != schedule.CredentialExpired || len(r.Message) < 20 {
			t.Errorf("%s: %v, %+v", code, pauses, r)
		}
	}
}

// Causes that may pass by themselves leave the next slot; every other one says what to
// do.
func TestReasonOf(t *testing.T) {
	t.Parallel()
	for _, code := range []domain.Code{
		schedule.CredentialExpired, domain.UserNotRegistered, domain.AccountNotActive, domain.FeatureNotInPlan, domain.FeatureTurnedOff,
		domain.PlatformConsentRequired, domain.PlatformAccessDenied, domain.WorkspaceNotFound, domain.ItemNotFound,
		domain.RegionNotReady, domain.CapacityUnpaid, domain.CapacityRequired, domain.StoreNotConnected, domain.OperationNotSupportedForItem,
	} {
		if r, pauses := schedule.ReasonOf(domain.Refuse(code, "why")); !pauses || r.Code != code || len(r.Message) < 20 {
			t.Errorf("%s: %v, %+v", code, pauses, r)
		}
	}
	for _, code := range []domain.Code{
		domain.AssessmentDailyLimitReached, domain.FirstLookLimitReached, domain.TrackedItemLimitReached, domain.LicenseTrackedItemLimitReached,
		domain.CapacityPaused, domain.OperationInProgress, domain.PlatformUnavailable,
	} {
		if r, pauses := schedule.ReasonOf(domain.Refuse(code, "why")); pauses || r != (schedule.Reason{}) {
			t.Errorf("%s pauses: %+v", code, r)
		}
	}
}
