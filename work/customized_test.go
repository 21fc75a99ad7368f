package work_test

import (
	"encoding/json"
	"strings"
	"testing"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/readiness"
	"readiness/work"
)

// An assessment under changed rules states their id in the log and the document. It is not compared with one under the
// published rules or under other changes, and stays readable without the changes.
func TestAssessUnderChangedRules(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	regime := func(changes map[string]readiness.Setting) *readiness.Regime {
		r, err := readiness.Current().Customized(changes)
		check(t, err)
		return r
	}
	off, low := regime(map[string]readiness.Setting{"DSC-01": readiness.Off}), regime(map[string]readiness.Setting{"DSC-01": "low"})
	var ids []string
	for _, step := range []struct {
		regime     *readiness.Regime
		comparable bool
	}{{nil, false}, {off, false}, {off, true}, {low, false}, {regime(nil), false}, {readiness.Current(), true}} {
		o := b.Work
		b.Regime, o.Regime = step.regime, step.regime
		a := b.assessed(t, o)
		want := readiness.Current().ID
		if step.regime != nil {
			want = step.regime.ID
		}
		if a.RegimeID != want || a.ComparableWithPrevious != step.comparable {
			t.Errorf("got regime %s, comparable %v; want %s, %v", a.RegimeID, a.ComparableWithPrevious, want, step.comparable)
		}
		ids = append(ids, a.DocumentHash)
	}
	b.Regime, b.steps = off, nil
	id := b.start(t, good)
	if err := work.Carry(t.Context(), b.Work, b.steps[0], 0); err == nil || domain.IsRefused(err, domain.AssessmentFailed) {
		t.Errorf("a process with other rules: got %v", err)
	}
	if op := b.operation(t, id); op.Status != operation.StatusRunning {
		t.Errorf("a process with other rules: the operation reads %+v", op)
	}
	for i, hash := range ids {
		text, err := b.Views.Document(t.Context(), hash)
		check(t, err)
		var d struct {
			Report struct{ Regime string }
			Regime struct{ ID string }
		}
		check(t, json.Unmarshal(text, &d))
		if d.Report.Regime != d.Regime.ID || strings.Contains(d.Regime.ID, "+") != (i > 0 && i < 4) {
			t.Errorf("document %d states %s and %s", i, d.Report.Regime, d.Regime.ID)
		}
		if judged := strings.Contains(string(text), `"DSC-01"`); judged != (i != 1 && i != 2) {
			t.Errorf("document %d has DSC-01: %v", i, judged)
		}
	}
}
