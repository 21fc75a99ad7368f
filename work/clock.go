package work

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"readiness/internal/database"
)

// clock is the database's clock, as this process last compared it with its own. River takes jobs that are due by the database's clock, so
// what says when a job is due must be of that clock too. It implements rivertype.TimeGenerator.
type clock struct{ ahead atomic.Int64 }

// compare asks the database for its time.
func (c *clock) compare(ctx context.Context, pool *pgxpool.Pool) error {
	ahead, err := database.Ahead(ctx, pool)
	if err == nil {
		c.ahead.Store(int64(ahead))
	}
	return err
}

// Now implements rivertype.TimeGenerator.
func (c *clock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// NowOrNil implements rivertype.TimeGenerator: where nil means now, the database takes its own time.
func (*clock) NowOrNil() *time.Time { return nil }

// metric shows how far the clocks are apart.
func (c *clock) metric() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "readiness_database_clock_skew_seconds",
		Help: "How far the database's clock is ahead of the clock of this process, which carries out work; negative if it is behind.",
	}, func() float64 { return time.Duration(c.ahead.Load()).Seconds() })
}

// dueNow lets the database date a job that is inserted without a time. River's driver would take the time of this process.
var dueNow = river.HookInsertBeginFunc(func(_ context.Context, job *rivertype.JobInsertParams) error {
	job.CreatedAt = new(time.Time)
	if job.ScheduledAt == nil {
		job.ScheduledAt = new(time.Time)
	}
	return nil
})
