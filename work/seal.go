package work

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// sealLog is the periodic job that adds the new events to the trees of the log and signs their heads.
type sealLog struct{}

// Kind implements river.JobArgs. The name is stored.
func (sealLog) Kind() string { return "seal-log" }

// InsertOpts implements river.JobArgsWithInsertOpts: one job at a time and no retries, because the next job follows soon.
func (sealLog) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: sealLog{}.queue(), MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable,
		rivertype.JobStateScheduled,
	}}}
}

// queue is the queue of these jobs. They take no turns.
func (sealLog) queue() string { return "seals" }

// periodic returns the job as it follows itself: every 10 seconds.
func (j sealLog) periodic() *river.PeriodicJob {
	seal := func() (river.JobArgs, *river.InsertOpts) { return j, nil }
	return river.NewPeriodicJob(river.PeriodicInterval(10*time.Second), seal, &river.PeriodicJobOpts{ID: "seal_log", RunOnStart: true})
}

// sealer carries out sealLog jobs.
type sealer struct {
	river.WorkerDefaults[sealLog]
	Options
	shared *shared
}

// Timeout implements river.Worker. The next job adds the events that one did not.
func (w *sealer) Timeout(*river.Job[sealLog]) time.Duration { return 4 * time.Minute }

// Work implements river.Worker.
func (w *sealer) Work(ctx context.Context, job *river.Job[sealLog]) error {
	defer w.shared.begin(job.ID)()
	if err := w.Seal(ctx); err != nil && ctx.Err() == nil {
		w.Log.Error("the log was not sealed; it is tried again in 10 seconds", "error", err)
	}
	return nil
}
