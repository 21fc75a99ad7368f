package work

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// startDue is the periodic job that starts the assessments of schedules that are
// due. Whichever worker River has elected enqueues it, any worker carries it out.
type startDue struct{}

// Kind implements river.JobArgs. It is stored.
func (startDue) Kind() string { return "start-due-schedules" }

// InsertOpts implements river.JobArgsWithInsertOpts: one look at a time, and none
// is repeated, for the next comes within a minute.
func (startDue) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: schedules, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable, rivertype.JobStateScheduled,
	}}}
}

const (
	// schedules is the queue of these jobs, which have no turns: no step keeps them
	// waiting, and they keep no step waiting.
	schedules = "schedules"
	// dueEvery is how often due schedules are looked for.
	dueEvery = time.Minute
	// dueTimeout bounds a look. What is left is found by the next.
	dueTimeout = 4 * time.Minute
)

// periodic are the jobs that no call enqueues. Schedules that were missed while
// nobody worked are looked for at once.
func periodic() []*river.PeriodicJob {
	look := func() (river.JobArgs, *river.InsertOpts) { return startDue{}, nil }
	return []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(dueEvery), look, &river.PeriodicJobOpts{ID: "start_due_schedules", RunOnStart: true})}
}

// scheduler carries startDue jobs out.
type scheduler struct {
	river.WorkerDefaults[startDue]
	Options
	shared *shared
}

// Timeout implements river.Worker.
func (w *scheduler) Timeout(*river.Job[startDue]) time.Duration { return dueTimeout }

// Work implements river.Worker. A schedule that meets a fault of ours is still due
// at the next look.
func (w *scheduler) Work(ctx context.Context, job *river.Job[startDue]) error {
	defer w.shared.begin(job.ID)()
	if err := w.StartDue(ctx); err != nil && ctx.Err() == nil {
		w.Log.Error("schedules that are due could not all be started; they are looked for again in a minute", "error", err)
	}
	return nil
}
