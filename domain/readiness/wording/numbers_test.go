package wording_test

import (
	"testing"

	"readiness/domain/readiness/wording"
)

func TestUnadded(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Quarter": "quarter", "Quarter Number": "quarter", "Quarter Rate": "rate", "Target Rate": "rate", "Incentive Pct": "pct",
		"QuarterTarget": "", "QuarterIncentive": "", "Month Budget": "", "Year Quota": "", "Week Bonus": "",
	} {
		if got := wording.Unadded(wording.Words(name)); (got == "") != (want == "") {
			t.Errorf("%s: %q does not add up, want %q", name, got, want)
		}
	}
}
