package eventstore

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics count the appends of a Store.
type metrics struct {
	appended  *prometheus.CounterVec
	duration  prometheus.Histogram
	conflicts prometheus.Counter
}

func newMetrics() metrics {
	return metrics{
		appended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "readiness_events_appended_total", Help: "Events that this process appended to the log, by type."}, []string{"type"}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "readiness_append_duration_seconds", Help: "How long successful appends took, with decision and repetitions.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}}),
		conflicts: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "readiness_append_conflicts_total", Help: "Appends that another writer overtook, so that the decision was repeated."}),
	}
}

// note counts what a Change has appended.
func (m metrics) note(appended []Recorded, began time.Time) {
	if len(appended) == 0 {
		return
	}
	for _, r := range appended {
		m.appended.WithLabelValues(r.Type).Inc()
	}
	m.duration.Observe(time.Since(began).Seconds())
}

// Metrics returns the metrics of this Store's appends, for a registry.
func (s *Store) Metrics() []prometheus.Collector {
	return []prometheus.Collector{s.metrics.appended, s.metrics.duration, s.metrics.conflicts}
}
