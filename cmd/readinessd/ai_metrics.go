package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"readiness/ai/openai"
	"readiness/domain/aiprovider"
)

// aiMetrics count the requests to language models. A kind of provider is one of a few; names and addresses, which accounts choose,
// are not labels.
type aiMetrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newAIMetrics(to *prometheus.Registry) aiMetrics {
	m := aiMetrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "readiness_ai_requests_total", Help: "Requests to language models, by kind of provider and by how they ended."},
			[]string{"provider_kind", "outcome"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "readiness_ai_request_duration_seconds", Help: "How long language models took to answer, or to fail.",
			Buckets: []float64{.1, .25, .5, 1, 2.5, 5, 10, 20, 30, 60, 120}}, []string{"provider_kind"}),
	}
	to.MustRegister(m.requests, m.duration)
	return m
}

func (m aiMetrics) observe(kind aiprovider.Kind, o openai.Outcome, took time.Duration) {
	m.requests.WithLabelValues(string(kind), string(o)).Inc()
	if o != openai.Silenced {
		m.duration.WithLabelValues(string(kind)).Observe(took.Seconds())
	}
}
