package explained_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
)

// found returns n findings of some rules that cost a number of points together.
func found(rules string, n int, severity finding.Severity, points float64) (all []readiness.Finding) {
	for range n {
		all = append(all, readiness.Finding{RuleIDs: strings.Fields(rules), Severity: severity, Impact: points / float64(n)})
	}
	return all
}

// What limits the score or makes answers wrong comes first, then faults of the structure that can be mended at once, then what
// gives the most points for the effort.
func TestOrderOfTasks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		caps     []string
		findings [][]readiness.Finding
		want     string
	}{
		"truths before texts": {nil, [][]readiness.Finding{found("INS-01", 1, "high", 11), found("MEA-09", 1, "high", 1), found("REL-08", 1, "high", 2)},
			"REL-08 MEA-09 INS-01"},
		"caps and truths by points": {[]string{"CAP-NOMEASURE"}, [][]readiness.Finding{found("REL-08", 1, "high", 1), found("MEA-01", 1, "high", 15)},
			"MEA-01 REL-08"},
		"the same rule without a cap": {nil, [][]readiness.Finding{found("INS-01", 1, "high", 11), found("MEA-01", 4, "high", 15)}, "INS-01 MEA-01"},
		"structure before texts":      {nil, [][]readiness.Finding{found("INS-01", 1, "high", 11), found("MEA-03", 2, "medium", 1)}, "MEA-03 INS-01"},
		"but not what takes days":     {nil, [][]readiness.Finding{found("REL-07", 1, "medium", 7), found("INS-01", 1, "high", 11)}, "INS-01 REL-07"},
		"nor what is no matter":       {nil, [][]readiness.Finding{found("TIM-05", 1, "low", 1), found("INS-01", 1, "high", 11)}, "INS-01 TIM-05"},
		"points for the effort":       {nil, [][]readiness.Finding{found("NAM-01", 80, "medium", 4), found("SYN-01", 1, "low", 1)}, "SYN-01 NAM-01"},
		"proposals are less work":     {nil, [][]readiness.Finding{found("NAM-01", 40, "medium", 4), found("DSC-02", 40, "medium", 4)}, "DSC-02 NAM-01"},
		"by the rule that leads":      {nil, [][]readiness.Finding{found("MEA-03 MEA-07", 1, "high", 1), found("DSC-02", 1, "medium", 4)}, "MEA-07 DSC-02"},
	} {
		var order []string
		for _, task := range explained.Tasks(readiness.Result{Caps: c.caps}, slices.Concat(c.findings...)) {
			order = append(order, task.Rule)
		}
		if got := strings.Join(order, " "); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// How long the findings of a rule take depends on their number, and on whether changes are proposed.
func TestEffort(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		n    int
		want explained.Effort
	}{
		{"NAM-01", 1, "minutes"}, {"NAM-01", 10, "hour"}, {"NAM-01", 80, "days"}, {"DSC-02", 80, "minutes"}, {"INS-01", 1, "minutes"},
		{"INS-07", 1, "hour"}, {"REL-07", 1, "days"},
		{"TIM-01", 1, "minutes"}, {"REL-11", 1, "days"},
	} {
		if got := explained.Tasks(readiness.Result{}, found(c.rule, c.n, "low", 1))[0].Effort(); got != c.want {
			t.Errorf("%d of %s: got %s, want %s", c.n, c.rule, got, c.want)
		}
	}
	none := found("TIM-01", 1, "medium", 1)
	none[0].Violation = 1
	if got := explained.Tasks(readiness.Result{}, none)[0].Effort(); got != explained.Hour {
		t.Errorf("no date table: got %s", got)
	}
	for rule, want := range map[string]bool{"REL-02": true, "REL-11": false, "TIM-01": false} {
		if got := explained.Tasks(readiness.Result{}, found(rule, 1, "high", 1))[0].Misleads(); got != want {
			t.Errorf("%s misleads: got %v", rule, got)
		}
	}
}

// The points of all tasks and the score are 100, and each gain is what the formula says: less while a cap limits the score.
func TestGain(t *testing.T) {
	t.Parallel()
	for _, id := range explained.Rules() {
		e, _ := explained.Rule(id)
		r, err := e.Fails.Assess(readiness.Current(), readiness.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Raw == nil {
			continue
		}
		tasks := explained.Tasks(r, r.Findings)
		sum := 0.0
		for _, task := range tasks {
			sum += task.Points
			if gain := explained.Gain(r, task); gain < 0 || len(r.Caps) == 0 && math.Abs(gain-task.Points) > 1e-3 {
				t.Errorf("%s: %s gains %v of %v", id, task.Rule, gain, task.Points)
			}
		}
		if math.Abs(sum+*r.RawUncapped-100) > 1e-3 || math.Abs(explained.Gain(r, tasks...)-(100-*r.Raw)) > 1e-3 {
			t.Errorf("%s: the points add up to %v with a score of %v, and the gain is %v", id, sum, *r.RawUncapped, explained.Gain(r, tasks...))
		}
	}
	of := func(caps ...string) readiness.Result {
		raw := 70.0
		for _, id := range caps {
			most, _ := readiness.CapLimit(id)
			raw = min(raw, most)
		}
		return readiness.Result{Caps: caps, Scores: readiness.Scores{Raw: &raw, RawUncapped: new(70.0)},
			Findings: slices.Concat(found("DSC-02", 1, "medium", 4), found("MEA-01", 1, "high", 5), found("REL-01", 1, "high", 6))}
	}
	for name, c := range map[string]struct {
		r    readiness.Result
		done []string
		want float64
	}{
		"no cap":                {of(), []string{"DSC-02"}, 4},
		"under a cap":           {of("CAP-NOMEASURE"), []string{"DSC-02"}, 0},
		"what lifts the cap":    {of("CAP-NOMEASURE"), []string{"MEA-01"}, 15},
		"what lifts one of two": {of("CAP-NOMEASURE", "CAP-NOREL"), []string{"MEA-01"}, 0},
		"what lifts both":       {of("CAP-NOMEASURE", "CAP-NOREL"), []string{"MEA-01", "REL-01"}, 21},
		"no score":              {readiness.Result{}, nil, 0},
	} {
		var done []explained.Task
		for _, task := range explained.Tasks(c.r, c.r.Findings) {
			if slices.Contains(c.done, task.Rule) {
				done = append(done, task)
			}
		}
		if got := explained.Gain(c.r, done...); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
