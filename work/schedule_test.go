package work_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/schedule"
	"readiness/projections"
	"readiness/work"
)

// planned is a bench with a schedule that is due at b.Now(), and has been for a
// while.
func planned(t *testing.T) (*bench, schedule.Schedule) {
	t.Helper()
	b := newBench(t)
	b.Clock.Set(time.Now().UTC())
	_, err := b.Accounts.Apply(t.Context(), []account.Declaration{{
		AccountID: "contoso", Plan: account.Team, Status: account.Active, Settings: account.Settings{AIFeatures: true, DefinitionCopies: account.CopiesNone},
		People: []account.Person{{Person: item.Person{ID: "ana"}, Role: account.Member}},
	}})
	check(t, err)
	who := b.ana()
	who.TokenExpires = b.Now().Add(96 * time.Hour) // for every slot of the test
	made, err := b.Schedules.Create(t.Context(), who, workspace, good, schedule.Timing{Frequency: schedule.Daily, TimeUTC: "06:00"}, true)
	check(t, err)
	b.Clock.Set(made.NextRunAt().Add(30 * time.Hour))
	return b, made
}

func (b *bench) operations(t *testing.T) []projections.Operation {
	t.Helper()
	all, err := b.Views.Operations(t.Context(), projections.OperationsQuery{AccountID: "contoso", Limit: 100})
	check(t, err)
	return all
}

// Two processes that look at the same moment start a slot once.
func TestTwoJobsStartSlotOnce(t *testing.T) {
	t.Parallel()
	b, _ := planned(t)
	queues := make([]*work.Queue, 2)
	looks := make([]work.Options, 2)
	for i := range queues {
		var err error
		if queues[i], err = work.NewQueue(b.Work); err != nil {
			t.Fatal(err)
		}
		wired := b.Process(t, b.Pool)
		wired.Commands.Jobs = queues[i]
		looks[i] = b.Work
		looks[i].StartDue = wired.Commands.Schedules.StartDue
	}
	var wg sync.WaitGroup
	begin := make(chan struct{})
	failed := make([]error, 2*len(looks))
	for i := range failed {
		wg.Go(func() {
			<-begin
			failed[i] = work.LookForDue(context.Background(), looks[i%len(looks)])
		})
	}
	close(begin)
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		t.Error(err)
	}
	if n := len(b.operations(t)); n != 1 {
		t.Errorf("%d operations were started", n)
	}
	if n := b.Count(t, `SELECT count(*) FROM river_job WHERE kind = 'assess-semantic-model'`); n != 1 {
		t.Errorf("%d steps were enqueued", n)
	}
}

// Workers that start or restart look for missed slots, and one of them starts each.
func TestWorkersStartWhatIsDue(t *testing.T) {
	t.Parallel()
	b, made := planned(t)
	b.Work.Now = time.Now
	run := func(what string, until func() bool) {
		t.Helper()
		for range 2 {
			queue, err := work.NewQueue(b.Work)
			check(t, err)
			b.Jobs = queue
			check(t, queue.Start(t.Context()))
			defer stop(t, queue)
		}
		defer func() {
			if t.Failed() {
				t.Logf("operations: %+v", b.operations(t))
			}
		}()
		eventually(t, what, until)
	}
	ended := func(n int) func() bool {
		return func() bool {
			all := b.operations(t)
			return len(all) == n && all[0].Status.Ended() && all[len(all)-1].Status.Ended()
		}
	}
	run("the first has ended", ended(1))
	if all := b.operations(t); all[0].Status != operation.StatusSucceeded || all[0].Owner != "ana" {
		t.Errorf("the assessment ended as %+v", all[0])
	}
	s, _, err := b.Schedules.Schedule(t.Context(), "contoso", made.ScheduleID)
	if err != nil || s.LastRun.Outcome != schedule.Started || !s.LastRun.Slot.Equal(*made.NextRunAt()) || !s.NextRunAt().After(b.Now()) {
		t.Errorf("the schedule reads %+v, last %+v, %v", s, s.LastRun, err)
	}
	looks := `SELECT count(*) FROM river_job WHERE kind = 'start-due-schedules' AND state = 'completed'`
	before := b.Count(t, looks)
	run("it is looked again", func() bool { return b.Count(t, looks) > before })
	if n := len(b.operations(t)); n != 1 {
		t.Errorf("after a restart there are %d operations", n)
	}
	b.Clock.Set(s.NextRunAt().Add(time.Minute))
	run("the second has ended", ended(2))
	if n := b.Count(t, `SELECT count(*) FROM river_job WHERE kind = 'start-due-schedules' AND state <> 'completed'`); n != 0 {
		t.Errorf("%d jobs are left", n)
	}
}
