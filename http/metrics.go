package http

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"readiness/http/routing"
)

// metrics are the metrics of the HTTP side. No label contains a value that a caller chooses.
type metrics struct {
	requests  *prometheus.CounterVec
	duration  *prometheus.HistogramVec
	refusals  *prometheus.CounterVec
	blocked   *prometheus.CounterVec
	uncounted *prometheus.CounterVec
	panics    prometheus.Counter
	images    map[string]images // by method
}

// images are the metrics of answered images.
type images struct {
	answered prometheus.Counter
	took     prometheus.Observer
}

func (i images) note(took time.Duration) {
	i.answered.Inc()
	i.took.Observe(took.Seconds())
}

func newMetrics(registry prometheus.Registerer, others ...prometheus.Collector) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "readiness_http_requests_total", Help: "Calls answered, by route and status."}, []string{"method", "route", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "readiness_http_request_duration_seconds", Help: "How long calls took to answer.",
			Buckets: []float64{.002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}}, []string{"method", "route"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "readiness_http_refusals_total", Help: "Calls refused, by error code, including exhausted allowances."},
			[]string{"code"}),
		blocked: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "readiness_http_rate_blocked_total", Help: "Calls refused for their rate, by counting group."}, []string{"group"}),
		uncounted: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "readiness_http_rate_uncounted_total", Help: "Calls whose rate could not be counted, by counting group."},
			[]string{"group"}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "readiness_http_panics_total", Help: "Handlers that panicked."}),
	}
	// Series that exist from the start show the first call as an increase.
	for _, g := range []routing.Group{routing.Start, routing.Read, routing.Operations, routing.Pixies} {
		m.uncounted.WithLabelValues(g.Name)
	}
	for _, c := range append(others, m.requests, m.duration, m.refusals, m.blocked, m.uncounted, m.panics) {
		if err := registry.Register(c); err != nil {
			return nil, fmt.Errorf("http: metrics: %w", err)
		}
	}
	m.images = map[string]images{}
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		m.images[method] = images{m.requests.WithLabelValues(method, pixiePath, "200"), m.duration.WithLabelValues(method, pixiePath)}
	}
	return m, nil
}

func (m *metrics) note(method, path string, c *call, status int, took time.Duration) {
	m.requests.WithLabelValues(method, path, strconv.Itoa(status)).Inc()
	m.duration.WithLabelValues(method, path).Observe(took.Seconds())
	if c.refused != "" {
		m.refusals.WithLabelValues(c.refused).Inc()
	}
}
