package work_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/riverqueue/river"

	"readiness/domain/item"
	"readiness/work"
)

func TestOutcomesOfSteps(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		err  error
		want string
	}{
		"done":                   {nil, "done"},
		"waits for its turn":     {river.JobSnooze(time.Second), "later"},
		"waits, reported inside": {fmt.Errorf("step: %w", river.JobSnooze(0)), "later"},
		"waits for a read":       {&item.Pending{After: time.Second}, "later"},
		"failed":                 {errors.New("boom"), "failed"},
		"did not end in time":    {context.DeadlineExceeded, "failed"},
		"cancelled for a reason": {river.JobCancel(errors.New("boom")), "failed"},
	} {
		if got := work.OutcomeOf(row.err); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

// A process that works measures its steps, and one of those that work leads. A process that does not work never does.
func TestMetricsOfWork(t *testing.T) {
	t.Parallel()
	b, _ := planned(t)
	idle, err := work.NewQueue(b.Work)
	check(t, err)
	queues := make([]*work.Queue, 2)
	for i := range queues {
		o := b.Work
		o.Life = nil
		queues[i], err = work.NewQueue(o)
		check(t, err)
		check(t, queues[i].Start(t.Context()))
		defer queues[i].Stop(context.WithoutCancel(t.Context()))
	}
	leaders := func() (n int) {
		for _, q := range queues {
			leads, err := q.Leads(t.Context())
			check(t, err)
			if leads {
				n++
			}
		}
		return n
	}
	eventually(t, "a worker leads", func() bool { return leaders() == 1 })
	if leads, err := idle.Leads(t.Context()); err != nil || leads {
		t.Errorf("a process that does not work leads: %t, %v", leads, err)
	}
	eventually(t, "the job that looks for due schedules is measured", func() bool { // by either
		var families []*dto.MetricFamily
		for _, q := range queues {
			registry := prometheus.NewRegistry()
			registry.MustRegister(q.Metrics()...)
			of, err := registry.Gather()
			check(t, err)
			families = append(families, of...)
		}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				if f.GetName() == "readiness_step_duration_seconds" && m.GetLabel()[0].GetValue() == "start-due-schedules" && m.GetLabel()[1].GetValue() == "done" && m.GetHistogram().GetSampleCount() > 0 {
					return true
				}
			}
		}
		return false
	})
}
