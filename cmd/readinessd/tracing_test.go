package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"readiness/test/pgtest"
)

// With OpenTelemetry's variables the metrics of the registry go to the endpoint too, at the latest when the process ends.
func TestMetricsOverOTLP(t *testing.T) {
	got := make(chan []byte, 16)
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			if unpacked, err := gzip.NewReader(r.Body); err == nil {
				body = unpacked
			}
		}
		if text, err := io.ReadAll(body); err == nil && r.URL.Path == "/v1/metrics" {
			select {
			case got <- text:
			default:
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	defer endpoint.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", endpoint.URL+"/v1/metrics")
	s := serve(t, "--database-url", pgtest.URL(t), "--data", t.TempDir())
	s.stop()
	close(got)
	all := bytes.Join(func() (texts [][]byte) {
		for text := range got {
			texts = append(texts, text)
		}
		return texts
	}(), nil)
	for _, want := range []string{"readiness_build_info", "readiness_database_connections", "service.name"} {
		if !bytes.Contains(all, []byte(want)) {
			t.Errorf("%s was not sent; %d bytes were", want, len(all))
		}
	}
}
