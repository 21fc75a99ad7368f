package benchmark_test

import (
	"strings"
	"testing"

	"readiness/domain"
	"readiness/domain/benchmark"
)

// The message names questions by their place as far as it is bounded, and is read back as it was written.
func TestCannotRun(t *testing.T) {
	t.Parallel()
	why := func(reason string) benchmark.Checked { return benchmark.Checked{Reason: &reason} }
	can, long := benchmark.Checked{CanRun: true}, why(strings.Repeat("x", 500))
	for name, tt := range map[string]struct {
		all  []benchmark.Checked
		head string
		want map[int]string
	}{
		"none":       {nil, "", nil},
		"all can":    {[]benchmark.Checked{can, can}, "", nil},
		"some":       {[]benchmark.Checked{can, why("One."), can, why("Two.")}, "2 of 4 questions cannot run, and none is saved. The first 2:", map[int]string{1: "One.", 3: "Two."}},
		"too long":   {[]benchmark.Checked{long, long, why("Three.")}, "3 of 3 questions cannot run, and none is saved. The first 1:", map[int]string{0: *long.Reason}},
		"one longer": {[]benchmark.Checked{why(strings.Repeat("y", 1500))}, "1 of 1 questions cannot run, and none is saved. The first 1:", map[int]string{0: strings.Repeat("y", 1500)}},
	} {
		err := benchmark.CheckRunnable(tt.all)
		if tt.want == nil {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		refusal, _ := domain.Refused(err)
		if refusal == nil || refusal.Code != domain.InvalidRequest {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, head := benchmark.Cannot(refusal.Message)
		if head != tt.head || len(got) != len(tt.want) {
			t.Errorf("%s: read %q %v", name, head, got)
		}
		for n, reason := range tt.want {
			if got[n] != reason {
				t.Errorf("%s: question %d has %q", name, n, got[n])
			}
		}
	}
	if got, head := benchmark.Cannot("the capacity is paused"); got != nil || head != "the capacity is paused" {
		t.Errorf("another message is read as %q %v", head, got)
	}
}
