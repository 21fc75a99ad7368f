package quota

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the limiter's metrics. Their only label is the bucket, so no person or route is in them.
type metrics struct {
	calls, held *prometheus.CounterVec
	waited      *prometheus.HistogramVec
}

func newMetrics() *metrics {
	labels := []string{"bucket"}
	m := &metrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "readiness_quota_calls_total", Help: "Calls to the platform that the quota admitted, by bucket."}, labels),
		held: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "readiness_quota_holds_total", Help: "Calls that the platform refused with 429, by bucket."}, labels),
		waited: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "readiness_quota_wait_seconds", Help: "How long admitted calls waited for the quota, by bucket.",
			Buckets: []float64{.01, .1, .5, 1, 2, 5, 10, 20, 30, 60, 300}}, labels),
	}
	for bucket := range published {
		m.calls.WithLabelValues(bucket)
		m.held.WithLabelValues(bucket)
		m.waited.WithLabelValues(bucket)
	}
	return m
}

func (m *metrics) register(r prometheus.Registerer) error {
	for _, c := range []prometheus.Collector{m.calls, m.held, m.waited} {
		if err := r.Register(c); err != nil {
			return fmt.Errorf("quota: metrics: %w", err)
		}
	}
	return nil
}
