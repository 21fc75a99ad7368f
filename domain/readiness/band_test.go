package readiness_test

import (
	"testing"

	"readiness/domain/readiness"
)

func TestBandOf(t *testing.T) {
	t.Parallel()
	for score, want := range map[int]readiness.Band{
		0: "not ready", 49: "not ready", 50: "needs work", 69: "needs work", 70: "nearly ready", 84: "nearly ready", 85: "ready", 100: "ready",
	} {
		if got := readiness.BandOf(score); got != want {
			t.Errorf("%d: got %q, want %q", score, got, want)
		}
	}
	for id, want := range map[string]float64{"CAP-NOMEASURE": 60, "CAP-NOREL": 60, "CAP-BROKEN": 49, "CAP-BROKEN-DAX": 84, "CAP-X": 0} {
		if got, ok := readiness.CapLimit(id); got != want || ok != (want > 0) {
			t.Errorf("%s: got %v, %t, want %v", id, got, ok, want)
		}
	}
	for _, b := range readiness.Bands() {
		if got := readiness.BandOf(b.From()); got != b {
			t.Errorf("the lowest score of %q is %d, which is %q", b, b.From(), got)
		}
	}
}
