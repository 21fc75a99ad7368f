package work

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"readiness/domain/item"
)

// newDuration returns the histogram of the steps that this process carried out.
func newDuration() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "readiness_step_duration_seconds",
		Help:    "How long steps of work took in this process, with the wait for their turn, by kind and outcome.",
		Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300}}, []string{"kind", "outcome"})
}

// measure observes how long each step takes. The outcome is done, later (the step waits for its turn, for the platform or for an answer),
// or failed (it is tried again).
func measure(durations *prometheus.HistogramVec) rivertype.Middleware {
	return river.WorkerMiddlewareFunc(func(ctx context.Context, job *rivertype.JobRow, work func(context.Context) error) error {
		began := time.Now()
		outcome := "failed" // a panic is too
		defer func() { durations.WithLabelValues(job.Kind, outcome).Observe(time.Since(began).Seconds()) }()
		err := work(ctx)
		outcome = outcomeOf(err)
		return err
	})
}

func outcomeOf(err error) string {
	if err == nil {
		return "done"
	}
	_, snoozed := errors.AsType[*river.JobSnoozeError](err)
	_, pending := errors.AsType[*item.Pending](err)
	if snoozed || pending {
		return "later"
	}
	return "failed"
}

// Metrics returns the metrics of the steps that this process carries out, for a registry.
func (q *Queue) Metrics() []prometheus.Collector {
	return []prometheus.Collector{q.durations, q.clock.metric()}
}

// Leads reports whether River has elected this process among the living workers. A process that does not work never leads.
func (q *Queue) Leads(ctx context.Context) (leads bool, err error) {
	err = q.o.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM river_leader WHERE leader_id = $1 AND expires_at > now())`, q.id).Scan(&leads)
	return leads, err
}
