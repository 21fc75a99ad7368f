package commands_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/readiness"
	"readiness/domain/schedule"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/test/testworld"
)

// planner is a service whose account contoso has the people ana and bob and all
// that schedules need.
type planner struct {
	*service
	declared account.Declaration
}

func newPlanner(t *testing.T, models int) *planner {
	t.Helper()
	p := &planner{newService(t, models), declaration("contoso", "ana", "bob")}
	p.withPermissions(t)
	p.declared.Settings.AIFeatures, p.declared.Settings.CapacityDetails = true, true
	p.declare(t, func(*account.Declaration) {})
	return p
}

// declare changes the account.
func (p *planner) declare(t *testing.T, change func(d *account.Declaration)) {
	t.Helper()
	change(&p.declared)
	if _, err := p.Accounts.Apply(t.Context(), []account.Declaration{p.declared}); err != nil {
		t.Fatal(err)
	}
}

// caller is a person whose token is valid for life from now.
func (p *planner) caller(name string, life time.Duration) commands.Caller {
	caller := p.Person("contoso", name, account.Team)
	caller.MayWrite, caller.Token, caller.TokenExpires = true, "eyJ."+name, p.Now().Add(life)
	return caller
}

// plan creates ana's schedule of a model for six every morning. Its first slot is
// tomorrow's, in eighteen hours.
func (p *planner) plan(t *testing.T, workspaceID, modelID uuid.UUID, life time.Duration) schedule.Schedule {
	t.Helper()
	made, err := p.Schedules.Create(t.Context(), p.caller("ana", life), workspaceID, modelID, schedule.Timing{Frequency: schedule.Daily, TimeUTC: "06:00"}, true)
	check(t, err)
	return made
}

func (p *planner) takeUp(t *testing.T, by string, id uuid.UUID) schedule.Schedule {
	t.Helper()
	s, err := p.Schedules.Change(t.Context(), p.caller(by, week), id, schedule.Patch{Enabled: new(true)})
	check(t, err)
	return s
}

// look looks for due schedules at an instant.
func (p *planner) look(t *testing.T, at time.Time) {
	t.Helper()
	p.Clock.Set(at)
	check(t, p.Schedules.StartDue(t.Context()))
}

func (p *planner) read(t *testing.T, id uuid.UUID) schedule.Schedule {
	t.Helper()
	s, found, err := p.Schedules.Schedule(t.Context(), "contoso", id)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	return s
}

// operations returns the operations of the account, oldest first.
func (p *planner) operations(t *testing.T) []projections.Operation {
	t.Helper()
	all, err := p.Views.Operations(t.Context(), projections.OperationsQuery{AccountID: "contoso", Limit: 100})
	check(t, err)
	slices.Reverse(all)
	return all
}

func (p *planner) keeps(t *testing.T, id uuid.UUID) bool {
	t.Helper()
	_, ok, err := p.Vault.Token(t.Context(), p.read(t, id).TokenID(), p.Now())
	check(t, err)
	return ok
}

const week = 7 * 24 * time.Hour

// six is the first slot of a schedule created at noon.
var six = time.Date(2026, 11, 22, 6, 0, 0, 0, time.UTC)

// A slot starts an assessment as its owner's call would and records it on the
// schedule in the same append. A model's second assessment makes it a tracked item.
func TestSlotStartsAssessment(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, 2)
	made := p.plan(t, retail, model(0), week)
	before := p.Left(t)
	p.look(t, six.Add(-time.Microsecond))
	p.Unchanged(t, before)

	p.look(t, six.Add(20*time.Second))
	all := p.operations(t)
	if len(all) != 1 || all[0].Type != operation.AssessSemanticModel || all[0].Owner != "ana" || *all[0].Resource.ItemID != model(0) || !*all[0].Impact.FirstLook {
		t.Fatalf("the slot started %+v", all)
	}
	s := p.read(t, made.ScheduleID)
	if r := s.LastRun; r == nil || r.Outcome != schedule.Started || !r.Slot.Equal(six) || *r.OperationID != all[0].ID || !s.NextRunAt().Equal(six.AddDate(0, 0, 1)) {
		t.Errorf("the schedule reads %+v, last %+v", s, s.LastRun)
	}
	if a, f := p.Used(t, "contoso", account.Assessments, account.Day), p.Used(t, "contoso", account.FirstLooks, account.Lifetime); a != 1 || f != 1 {
		t.Errorf("%d assessments and %d first looks are spent", a, f)
	}
	if run, err := p.Views.Run(t.Context(), all[0].ID); err != nil || run.RegimeID != readiness.Current().ID {
		t.Errorf("the run reads %+v, %v", run, err)
	}
	if token, ok, err := p.Vault.Token(t.Context(), all[0].ID, p.Now()); token != "eyJ.ana" || !ok || err != nil {
		t.Errorf("the step's token: %v, %v", ok, err)
	}
	var positions, streams int
	err := p.Pool.QueryRow(t.Context(), `SELECT max(position) - min(position) + 1 - count(*), count(DISTINCT stream) FROM events WHERE metadata->>'operationId' = $1`, all[0].ID.String()).Scan(&positions, &streams)
	if err != nil || positions != 0 || streams < 4 {
		t.Errorf("acceptance and slot are not one append: %d positions, %d streams, %v", positions, streams, err)
	}
	after := p.Left(t)
	if after.Jobs != before.Jobs+1 {
		t.Errorf("%d steps were enqueued", after.Jobs-before.Jobs)
	}
	p.look(t, six.Add(time.Hour))
	p.Unchanged(t, after)

	p.look(t, six.AddDate(0, 0, 1))
	if all = p.operations(t); len(all) != 2 || *all[1].Impact.FirstLook || !*all[1].Impact.TrackedItem {
		t.Errorf("the second slot started %+v", all)
	}
	p.claims(t, "contoso", trackeditem.ViaAssessment, all[1].ID, model(0))
	tracked, err := p.TrackedIn(t.Context(), "contoso", retail, item.SemanticModel)
	if err != nil || len(tracked) != 1 || tracked[0].ItemID != model(0) || tracked[0].ClaimedVia != trackeditem.ViaAssessment {
		t.Errorf("tracked: %+v, %v", tracked, err)
	}
}

// A slot starts and counts once, however many processes try at once.
func TestSlotStartsOnce(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, 1)
	made := p.plan(t, retail, model(0), week)
	at := six.Add(time.Minute)
	p.Clock.Set(at)
	slot := schedule.Slot{AccountID: "contoso", ModelID: model(0), ScheduleID: made.ScheduleID, At: six}
	var wg sync.WaitGroup
	begin := make(chan struct{})
	failed := make([]error, 8)
	for i := range failed {
		wg.Go(func() {
			<-begin
			failed[i] = p.Schedules.StartSlot(context.Background(), slot)
		})
	}
	close(begin)
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		t.Error(err)
	}
	if all := p.operations(t); len(all) != 1 {
		t.Errorf("%d operations were started", len(all))
	}
	if used := p.Used(t, "contoso", account.Assessments, account.Day); used != 1 {
		t.Errorf("%d assessments are spent", used)
	}
	if n := p.Left(t); n.Jobs != 1 || n.Tokens != 2 { // the step's and the schedule's
		t.Errorf("left behind: %+v", n)
	}
}

// Missed slots run once, and the next slot lies in the future.
func TestMissedSlotsRunOnce(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, 1)
	made := p.plan(t, retail, model(0), week)
	late := six.AddDate(0, 0, 4).Add(5 * time.Hour)
	p.look(t, late)
	p.look(t, late)
	s := p.read(t, made.ScheduleID)
	if n := len(p.operations(t)); n != 1 || !s.LastRun.Slot.Equal(six) || !s.NextRunAt().Equal(six.AddDate(0, 0, 5)) {
		t.Errorf("%d operations; next %s, last %+v", n, s.NextRunAt(), s.LastRun)
	}
}

// A refusal that may pass is recorded, and the next slot is kept.
func TestRefusedSlots(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, 1)
	p.Plans = account.DefaultPlans()
	limits := p.Plans[account.Team]
	limits.Assessments.Limit = new(1)
	p.Plans[account.Team] = limits
	first, asleep := p.plan(t, retail, model(0), week), p.plan(t, paused, model(900), week)
	p.look(t, six.Add(-time.Hour))
	if _, err := p.Assessments.Start(t.Context(), p.caller("bob", time.Hour), retail, model(0)); err != nil {
		t.Fatal(err)
	}
	before := p.Left(t)
	p.look(t, six.Add(time.Minute))
	for id, code := range map[uuid.UUID]domain.Code{first.ScheduleID: domain.AssessmentDailyLimitReached, asleep.ScheduleID: domain.CapacityPaused} {
		s := p.read(t, id)
		if r := s.LastRun; s.Status() != schedule.StatusActive || r == nil || r.Outcome != schedule.Refused || r.Code != code || r.Message == "" || r.OperationID != nil || !r.Slot.Equal(six) || !s.NextRunAt().Equal(six.AddDate(0, 0, 1)) {
			t.Errorf("%s: the schedule reads %+v, last %+v", code, s, r)
		}
		if !p.keeps(t, id) {
			t.Errorf("%s: the token is gone", code)
		}
	}
	after := p.Left(t)
	before.Events += 2
	if after != before {
		t.Errorf("left behind: %+v, want %+v", after, before)
	}
	p.look(t, six.AddDate(0, 0, 1))
	if s := p.read(t, first.ScheduleID); s.LastRun.Outcome != schedule.Started {
		t.Errorf("the day after: %+v", s.LastRun)
	}
}

// refusing is a platform that answers for one model with an error.
type refusing struct {
	commands.Platform
	model uuid.UUID
	err   error
}

func (r *refusing) Item(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error) {
	it, err := r.Platform.Item(ctx, as, workspaceID, t, id)
	if id == r.model && r.err != nil {
		return it, r.err
	}
	return it, err
}

// maintaining is a platform all of whose models are maintained by the service.
type maintaining struct{ commands.Platform }

func (m maintaining) Item(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error) {
	it, err := m.Platform.Item(ctx, as, workspaceID, t, id)
	it.Maintained = true
	return it, err
}

// A lasting refusal pauses the schedule with advice, deletes its token and spends
// nothing. Once the cause is gone, resuming the schedule starts the missed slot,
// once.
func TestPausedSlots(t *testing.T) {
	t.Parallel()
	license := func(l account.License) func(*testing.T, *planner) {
		l.ID, l.Default = "main", true
		return func(t *testing.T, p *planner) {
			p.declare(t, func(d *account.Declaration) { d.Licenses = []account.License{l} })
		}
	}
	active := license(account.License{Status: account.LicenseActive})
	for name, c := range map[string]struct {
		code      domain.Code
		life      time.Duration // of the token; a week by default
		breaks    func(*testing.T, *planner)
		mends     func(*testing.T, *planner)
		takenUpBy string
	}{
		"the token expired":          {code: schedule.CredentialExpired, life: time.Hour, breaks: func(*testing.T, *planner) {}, mends: func(*testing.T, *planner) {}},
		"the token expired just now": {code: schedule.CredentialExpired, life: 18 * time.Hour, breaks: func(*testing.T, *planner) {}, mends: func(*testing.T, *planner) {}, takenUpBy: "bob"},
		"the owner left": {code: domain.UserNotRegistered, breaks: func(t *testing.T, p *planner) {
			p.declare(t, func(d *account.Declaration) { d.People = d.People[1:] })
		}, mends: func(*testing.T, *planner) {}, takenUpBy: "bob"},
		"a suspended account": {code: domain.AccountNotActive, breaks: func(t *testing.T, p *planner) {
			p.declare(t, func(d *account.Declaration) { d.Status = account.Suspended })
		}, mends: func(t *testing.T, p *planner) {
			p.declare(t, func(d *account.Declaration) { d.Status = account.Active })
		}},
		"another plan": {code: domain.FeatureNotInPlan, breaks: func(t *testing.T, p *planner) {
			p.declare(t, func(d *account.Declaration) { d.Plan, d.People = account.Free, d.People[:1] })
		}, mends: func(t *testing.T, p *planner) {
			p.declare(t, func(d *account.Declaration) { d.Plan = account.Team })
		}},
		"AI features off": {code: domain.FeatureTurnedOff, breaks: func(t *testing.T, p *planner) {
			p.declare(t, func(d *account.Declaration) { d.Settings.AIFeatures = false })
		}, mends: func(t *testing.T, p *planner) {
			p.declare(t, func(d *account.Declaration) { d.Settings.AIFeatures = true })
		}},
		"an expired license":       {code: domain.CapacityUnpaid, breaks: license(account.License{Status: account.LicenseExpired}), mends: active},
		"a license for capacities": {code: domain.CapacityRequired, breaks: license(account.License{Status: account.LicenseActive, CapacityRequired: true}), mends: active},
		"consent withdrawn": {code: domain.PlatformConsentRequired, breaks: func(t *testing.T, p *planner) {
			p.declare(t, func(d *account.Declaration) {
				d.People[0].Permissions = map[item.Permission]item.Access{item.PermissionPlatform: item.ConsentRequired}
			})
		}, mends: func(t *testing.T, p *planner) {
			p.declare(t, func(d *account.Declaration) { d.People[0].Permissions = nil })
		}},
		"access denied": {code: domain.PlatformAccessDenied, breaks: func(_ *testing.T, p *planner) {
			p.Platform = &refusing{p.Platform, model(0), domain.Refuse(domain.PlatformAccessDenied, "no")}
		}, mends: func(_ *testing.T, p *planner) { p.Platform = p.Platform.(*refusing).Platform }},
		"a model of the service's own": {code: domain.OperationNotSupportedForItem, breaks: func(_ *testing.T, p *planner) { p.Platform = maintaining{p.Platform} },
			mends: func(_ *testing.T, p *planner) { p.Platform = p.Platform.(maintaining).Platform }},
		"the model is gone": {code: domain.ItemNotFound, breaks: func(t *testing.T, p *planner) {
			p.Remove(t, "Retail", "Model 000.SemanticModel")
		}, mends: func(t *testing.T, p *planner) { p.has(t, "Retail", "Model 000", model(0)) }},
		"the workspace is not visible any more": {code: domain.WorkspaceNotFound, breaks: func(t *testing.T, p *planner) {
			p.Workspace(t, testworld.Workspace{ID: retail, Name: "Retail", Members: []string{"bob"}})
		}, mends: func(*testing.T, *planner) {}, takenUpBy: "bob"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.life == 0 {
				c.life = week
			}
			if c.takenUpBy == "" {
				c.takenUpBy = "ana"
			}
			p := newPlanner(t, 2)
			id := p.plan(t, retail, model(0), c.life).ScheduleID
			if c.code == domain.ItemNotFound { // results deleted earlier do not affect the schedule
				if _, err := p.Assessments.DeleteResults(t.Context(), p.caller("ana", week), retail, model(0)); err != nil {
					t.Fatal(err)
				}
			}
			c.breaks(t, p)
			p.look(t, six.Add(time.Minute))
			s := p.read(t, id)
			if s.Status() != schedule.StatusPaused || s.Paused.Code != c.code || s.Paused.Message == "" || !s.PausedAt.Equal(six.Add(time.Minute)) || s.NextRunAt() != nil || !s.Enabled {
				t.Fatalf("the schedule reads %+v, paused because of %+v", s, s.Paused)
			}
			if r := s.LastRun; r.Outcome != schedule.Missed || !r.Slot.Equal(six) || r.Code != c.code || r.OperationID != nil {
				t.Errorf("its last run is %+v", r)
			}
			if p.keeps(t, id) {
				t.Error("it keeps a token")
			}
			if a, f := p.Used(t, "contoso", account.Assessments, account.Day), p.Used(t, "contoso", account.FirstLooks, account.Lifetime); len(p.operations(t)) != 0 || a+f != 0 {
				t.Errorf("%d assessments and %d first looks are spent", a, f)
			}
			before := p.Left(t)
			p.look(t, six.AddDate(0, 0, 2)) // no one resumed it
			p.Unchanged(t, before)

			c.mends(t, p)
			if s = p.takeUp(t, c.takenUpBy, id); s.Status() != schedule.StatusActive || s.Owner != item.PersonID(c.takenUpBy) || s.Paused != nil || s.PausedAt != nil || !s.NextRunAt().Equal(six) {
				t.Fatalf("resumed, it reads %+v", s)
			}
			p.look(t, six.AddDate(0, 0, 2).Add(time.Hour))
			p.look(t, six.AddDate(0, 0, 2).Add(2*time.Hour))
			all := p.operations(t)
			if s = p.read(t, id); len(all) != 1 || all[0].Owner != item.PersonID(c.takenUpBy) || *s.LastRun.OperationID != all[0].ID || s.LastRun.Outcome != schedule.Started || !s.NextRunAt().Equal(six.AddDate(0, 0, 3)) {
				t.Errorf("%d operations were started; the schedule reads %+v, last %+v", len(all), s, s.LastRun)
			}
		})
	}
}

// A fault of ours at one slot leaves it due and does not stop the others. The same
// holds for a token that can no longer be decrypted.
func TestFaultsLeaveSlotsDue(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, 3)
	ids := []uuid.UUID{p.plan(t, retail, model(0), week).ScheduleID, p.plan(t, retail, model(1), week).ScheduleID, p.plan(t, retail, model(2), week).ScheduleID}
	fault := errors.New("disk on fire")
	whole := p.Platform
	p.Platform = &refusing{whole, model(0), fault}
	if _, err := p.Pool.Exec(t.Context(), `UPDATE step_tokens SET sealed = '\x00112233445566778899aabbccddeeff00112233445566778899' WHERE operation_id = $1`, p.read(t, ids[2]).TokenID()); err != nil {
		t.Fatal(err)
	}
	at := six.Add(time.Minute)
	p.Clock.Set(at)
	if err := p.Schedules.StartDue(t.Context()); !errors.Is(err, fault) {
		t.Errorf("got %v", err)
	}
	if s := p.read(t, ids[0]); s.LastRun != nil || !s.NextRunAt().Equal(six) || !p.keeps(t, ids[0]) {
		t.Errorf("the schedule reads %+v", s)
	}
	if s := p.read(t, ids[1]); s.LastRun == nil || s.LastRun.Outcome != schedule.Started {
		t.Errorf("the other schedule's last run is %+v", s.LastRun)
	}
	if s := p.read(t, ids[2]); s.Paused == nil || s.Paused.Code != schedule.CredentialExpired {
		t.Errorf("the schedule whose token cannot be decrypted reads %+v", s)
	}
	p.Platform = whole
	p.look(t, at.Add(time.Minute))
	if s := p.read(t, ids[0]); s.LastRun == nil || s.LastRun.Outcome != schedule.Started || !s.LastRun.Slot.Equal(six) {
		t.Errorf("after the repair, its last run is %+v", s.LastRun)
	}
}

// DueSlots returns the slots of active schedules, earliest first, page by page.
func TestDueSlotsInOrder(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, 6)
	at := func(n int, time string) schedule.Slot {
		s, err := p.Schedules.Change(t.Context(), p.caller("ana", week), p.plan(t, retail, model(n), week).ScheduleID, schedule.Patch{TimeUTC: &time})
		check(t, err)
		return schedule.Slot{AccountID: "contoso", ModelID: model(n), ScheduleID: s.ScheduleID, At: *s.NextRunAt()}
	}
	third, first, second, off, later, deleted := at(0, "05:00"), at(1, "03:00"), at(2, "05:00"), at(3, "04:00"), at(4, "06:01"), at(5, "04:00")
	if second.ScheduleID.String() > third.ScheduleID.String() {
		second, third = third, second
	}
	if _, err := p.Schedules.Change(t.Context(), p.caller("bob", week), off.ScheduleID, schedule.Patch{Enabled: new(false)}); err != nil {
		t.Fatal(err)
	}
	check(t, p.Schedules.Delete(t.Context(), p.caller("bob", week), deleted.ScheduleID))
	var got []schedule.Slot
	var last schedule.Slot
	for {
		page, err := p.Schedules.DueSlots(t.Context(), six, last, 1)
		check(t, err)
		if len(page) == 0 {
			break
		}
		got, last = append(got, page...), page[0]
	}
	if want := []schedule.Slot{first, second, third}; !slices.Equal(got, want) {
		t.Errorf("%v are due, want %v", got, want)
	}
	if page, err := p.Schedules.DueSlots(t.Context(), later.At, schedule.Slot{}, 100); err != nil || len(page) != 4 || page[3] != later {
		t.Errorf("a minute later: %v, %v", page, err)
	}
}

// Two people who create the schedule of a model at once create one. Two who resume
// a schedule at once leave its owner's token.
func TestOneSchedulePerModel(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, 1)
	var wg sync.WaitGroup
	people := []string{"ana", "bob", "ana", "bob"}
	failed := make([]error, len(people))
	for i, name := range people {
		wg.Go(func() {
			_, failed[i] = p.Schedules.Create(context.Background(), p.caller(name, week), retail, model(0), schedule.Timing{Frequency: schedule.Daily, TimeUTC: "06:00"}, true)
		})
	}
	wg.Wait()
	made := 0
	for _, err := range failed {
		if err == nil {
			made++
		} else if !domain.IsRefused(err, domain.ScheduleConflict) {
			t.Error(err)
		}
	}
	if n := p.Left(t); made != 1 || n.Tokens != 1 || n.Events != 4 { // the account, its two people, the schedule
		t.Errorf("%d were created; left behind: %+v", made, n)
	}
	past := eventstore.FoldLast[schedule.Schedule](schedule.Stream("contoso", model(0)))
	check(t, p.Store.Load(t.Context(), past))
	for i, name := range people {
		wg.Go(func() {
			_, failed[i] = p.Schedules.Change(context.Background(), p.caller(name, week), past.State.ScheduleID, schedule.Patch{Enabled: new(true)})
		})
	}
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		t.Error(err)
	}
	now := p.read(t, past.State.ScheduleID)
	if token, _, err := p.Vault.Token(t.Context(), now.TokenID(), p.Now()); err != nil || token != "eyJ."+string(now.Owner) {
		t.Errorf("its owner is %s and the token is another person's (%v)", now.Owner, err)
	}
}
