package documents

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"readiness/internal/bucket"
)

// metrics are those of the calls to a bucket.
type metrics struct {
	seconds *prometheus.HistogramVec
	bytes   *prometheus.CounterVec
}

func newMetrics() *metrics {
	return &metrics{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "readiness_documents_bucket_seconds",
			Help:    "Time of calls to the bucket of documents, by call (put, get, delete, list) and result.",
			Buckets: []float64{.002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20},
		}, []string{"call", "result"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "readiness_documents_bucket_bytes_total", Help: "Compressed bytes put into and read from the bucket of documents.",
		}, []string{"call"}),
	}
}

// observe measures a call that began then.
func (m *metrics) observe(c call, began time.Time, size int, err error) {
	result := "ok"
	if err != nil && !errors.Is(err, bucket.ErrMissing) && !errors.Is(err, bucket.ErrExists) {
		result, size = "failed", 0
	}
	m.seconds.WithLabelValues(string(c), result).Observe(time.Since(began).Seconds())
	if c == puts || c == gets {
		m.bytes.WithLabelValues(string(c)).Add(float64(size))
	}
}
