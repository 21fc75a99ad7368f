package offline_test

import (
	"os"
	"testing"

	"readiness/offline"
)

// BenchmarkAssess finds, reads and scores every model and data agent of READINESS_CORPUS or, where it is not set, of the samples.
func BenchmarkAssess(b *testing.B) {
	root := os.Getenv("READINESS_CORPUS")
	if root == "" {
		root = "../samples"
	}
	items := 0
	for b.Loop() {
		found, _, err := offline.Find(b.Context(), root, []string{root})
		if err != nil {
			b.Fatal(err)
		}
		assessed, err := offline.Assess(b.Context(), found, offline.AssessOptions{})
		if err != nil {
			b.Fatal(err)
		}
		items += len(assessed.Items)
	}
	b.ReportMetric(float64(items)/float64(b.N), "items")
	b.ReportMetric(float64(items)/b.Elapsed().Seconds(), "items/s")
}
