package commands_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/schedule"
)

// lasting is a platform that has tokens which outlast the caller's, each with a number.
type lasting struct {
	commands.Platform
	p       *planner
	fails   error
	gave    int
	instead []string // the tokens in whose place it gave one
	saw     string   // the token of the last look-up
}

func (l *lasting) Lasting(_ context.Context, as item.Caller, life time.Duration) (string, time.Time, error) {
	if l.fails != nil {
		return "", time.Time{}, l.fails
	}
	l.gave++
	l.instead = append(l.instead, as.Token)
	return fmt.Sprintf("lasting %d", l.gave), l.p.Now().Add(life), nil
}

func (l *lasting) Item(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error) {
	l.saw = as.Token
	return l.Platform.Item(ctx, as, workspaceID, t, id)
}

func (p *planner) lasting() *lasting {
	l := &lasting{Platform: p.Platform, p: p}
	p.Platform = l
	return l
}

// stored returns the token that a schedule keeps, and for how long.
func (p *planner) stored(t *testing.T, s schedule.Schedule) (string, time.Duration) {
	t.Helper()
	token, expires, _, err := p.Vault.Kept(t.Context(), s.TokenID(), p.Now())
	check(t, err)
	return token, expires.Sub(p.Now())
}

const quarter = 90 * 24 * time.Hour

// A schedule runs after its owner's token has ended, with one that the platform gave for it, for as long as slots replace it. It is
// deleted with the schedule.
//
// proves: decisions/7/schedule-token
func TestScheduleOutlastsTheToken(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, 1)
	l := p.lasting()
	plan := p.caller("ana", time.Hour)
	made, err := p.Schedules.Create(t.Context(), plan, retail, model(0), schedule.Timing{Frequency: schedule.Daily, TimeUTC: "06:00"}, true)
	check(t, err)
	if token, life := p.stored(t, made); token != "lasting 1" || life != quarter {
		t.Fatalf("the schedule keeps %q for %s", token, life)
	}
	p.look(t, made.NextAt.Add(time.Minute))
	now := p.read(t, made.ScheduleID)
	if now.LastRun == nil || now.LastRun.Outcome != schedule.Started || l.saw != "lasting 1" || l.gave != 1 {
		t.Fatalf("a day later the schedule reads %+v; the platform saw %q and gave %d tokens", now.LastRun, l.saw, l.gave)
	}
	if token, kept, err := p.Vault.Token(t.Context(), *now.LastRun.OperationID, p.Now()); !kept || err != nil || token != "lasting 1" {
		t.Errorf("the step's token is %q, %v", token, err)
	}
	p.Clock.Set(p.Now().Add(quarter/2 + time.Hour)) // no process ran for 45 days
	check(t, p.Schedules.StartDue(t.Context()))
	if token, life := p.stored(t, made); token != "lasting 2" || life != quarter || l.instead[1] != "lasting 1" {
		t.Errorf("after half of its life the token is %q for %s, in place of %q", token, life, l.instead)
	}
	check(t, p.Schedules.Delete(t.Context(), p.caller("bob", time.Hour), made.ScheduleID))
	if token, _ := p.stored(t, made); token != "" {
		t.Error("the token outlives the schedule")
	}
}

// A token that may not start work, and one for which the platform gives none, is not replaced; a schedule that is turned off or paused
// keeps none; a refusal of the token at a slot pauses the schedule.
//
// proves: decisions/7/schedule-token
func TestScheduleTokenThatDoesNotLast(t *testing.T) {
	t.Parallel()
	p := newPlanner(t, 2)
	l := p.lasting()
	l.fails = errors.New("no refresh token for eyJ.ana")
	made := p.plan(t, retail, model(0), week)
	if token, life := p.stored(t, made); token != "eyJ.ana" || life != week {
		t.Errorf("the schedule keeps %q for %s", token, life)
	}
	l.fails = nil
	reader := p.caller("ana", 4*week)
	reader.MayWrite = false
	check(t, p.Schedules.Renew(t.Context(), reader, made))
	if token, _ := p.stored(t, made); token != "eyJ.ana" || l.gave != 0 {
		t.Errorf("a token that may not write was replaced by %q", token)
	}
	check(t, p.Schedules.Renew(t.Context(), p.caller("ana", 4*week), made))
	if token, _ := p.stored(t, made); token != "lasting 1" {
		t.Errorf("a read left %q", token)
	}
	if _, err := p.Schedules.Change(t.Context(), p.caller("ana", week), made.ScheduleID, schedule.Patch{Enabled: new(false)}); err != nil {
		t.Fatal(err)
	}
	if token, _ := p.stored(t, made); token != "" || l.gave != 1 {
		t.Errorf("a schedule that is off keeps %q", token)
	}
	p.takeUp(t, "ana", made.ScheduleID)
	p.Platform = &refusing{l, model(0), domain.Refuse(domain.TokenExpired, "revoked")}
	p.look(t, made.NextAt.Add(time.Minute))
	now := p.read(t, made.ScheduleID)
	if token, _ := p.stored(t, made); token != "" || now.Paused == nil || now.Paused.Code != schedule.CredentialExpired || p.Used(t, "contoso", account.Assessments, account.Day) != 0 {
		t.Errorf("a revoked token: the schedule keeps %q and reads %+v", token, now)
	}
}
