package work

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// startDue is the periodic job that starts the due assessments of schedules. The
// worker that River has elected enqueues it; any worker carries it out.
type startDue struct{}

// Kind implements river.JobArgs. The name is stored.
func (startDue) Kind() string { return "start-due-schedules" }

// InsertOpts implements river.JobArgsWithInsertOpts: one job at a time and no
// retries, because the next job follows within a minute.
func (startDue) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: schedules, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable,
		rivertype.JobStateScheduled,
	}}}
}

const (
	// schedules is the queue of these jobs. They take no turns, so they do not wait
	// for steps and steps do not wait for them.
	schedules = "schedules"
	// dueEvery is how often due schedules are looked for.
	dueEvery = time.Minute
	// dueTimeout bounds one job. The next one finds what is left.
	dueTimeout = 4 * time.Minute
)

// periodic returns the jobs that no call enqueues. At a start it looks immediately
// for schedules missed while no worker ran.
func periodic() []*river.PeriodicJob {
	look := func() (river.JobArgs, *river.InsertOpts) { return startDue{}, nil }
	return []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(dueEvery), look,
		&river.PeriodicJobOpts{ID: "start_due_schedules", RunOnStart: true})}
}

// scheduler carries out startDue jobs.
type scheduler struct {
	river.WorkerDefaults[startDue]
	Options
	shared *shared
}

// Timeout implements river.Worker.
func (w *scheduler) Timeout(*river.Job[startDue]) time.Duration { return dueTimeout }

// Work implements river.Worker. A schedule that meets an internal error is still due
// for the next job.
func (w *scheduler) Work(ctx context.Context, job *river.Job[startDue]) error {
	defer w.shared.begin(job.ID)()
	if err := w.StartDue(ctx); err != nil && ctx.Err() == nil {
		w.Log.Error("not all due schedules could be started; they are retried in a minute", "error", err)
	}
	return nil
}
