package abtest_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain/abtest"
)

// The family of a comparison are those of the 30 days up to it.
func TestFamily(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, n) }
	var f abtest.Family
	join := func(run byte, p float64, at time.Time, others int) error {
		events, err := abtest.Join{Tested: abtest.Tested{RunID: uuid.UUID{run}, MidP: p, At: at}, Others: others}.Decide(f)
		for _, e := range events {
			f = abtest.EvolveFamily(f, e)
		}
		return err
	}
	for i, tt := range []struct {
		run    byte
		p      float64
		at     time.Time
		others []float64
	}{
		{1, 0.1, day(0), []float64{}},
		{2, 0.2, day(1), []float64{0.1}},
		{3, 0.3, day(30), []float64{0.1, 0.2}}, // to the instant
		{4, 0.4, day(31), []float64{0.2, 0.3}},
		{5, 0.5, day(90), []float64{}},
	} {
		if got := f.Others(tt.at); !slices.Equal(got, tt.others) {
			t.Errorf("comparison %d: got others %v, want %v", i, got, tt.others)
		}
		before := len(f.Tests)
		if err := join(tt.run, tt.p, tt.at, len(tt.others)+1); !errors.Is(err, abtest.ErrFamilyMoved) || len(f.Tests) != before {
			t.Errorf("comparison %d joins another family: %v, %v", i, err, f)
		}
		if err := join(tt.run, tt.p, tt.at, len(tt.others)); err != nil {
			t.Errorf("comparison %d: %v", i, err)
		}
	}
	if len(f.Tests) != 1 {
		t.Errorf("an ended run is kept: %v", f)
	}
	if err := join(5, 0.9, day(91), 7); err != nil || len(f.Tests) != 1 {
		t.Errorf("a run joins twice: %v, %v", err, f)
	}
}
