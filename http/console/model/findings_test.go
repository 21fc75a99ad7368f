package model

import (
	"testing"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

// A finding of an account's own rule is shown by the words of the rule, also if it is outside of the score.
func TestGroupsOfOwnRules(t *testing.T) {
	t.Parallel()
	found := func(dimension, rule, object string) readiness.Finding {
		return readiness.Finding{Dimension: dimension, RuleIDs: []string{rule}, Key: finding.Key{ObjectName: object}, Severity: finding.Low, Violation: 1}
	}
	shown, _ := groups(readiness.Result{
		Dimensions: []readiness.Dimension{{ID: "types", Name: "Data types"}},
		Findings:   []readiness.Finding{found("own/OWN-01", "OWN-01", "A"), found("own/OWN-01", "OWN-01", "B"), found("types", "OWN-02", "C"), found("measures", "MEA-03", "D")},
		Own: []readiness.OwnOutcome{{OwnRule: readiness.OwnRule{ID: "OWN-01", Title: "Floating point", Fix: "Use decimal.", Effort: "minutes", Severity: finding.Low}},
			{OwnRule: readiness.OwnRule{ID: "OWN-02", Title: "Amount", Effort: "minutes", Severity: finding.Low, Dimension: "types"}}},
	})
	got := map[string]group{}
	for _, g := range shown {
		got[g.Rule] = g
	}
	if g := got["OWN-01"]; g.Title != "Floating point (2)" || g.Fix != "Use decimal." || g.Dimension != "outside of the score" || g.Own == nil {
		t.Errorf("outside of the score: %+v", g)
	}
	if g := got["OWN-02"]; g.Title != "Amount" || g.Fix != "" || g.Dimension != "Data types" || g.Own == nil {
		t.Errorf("in a dimension: %+v", g)
	}
	if g := got["MEA-03"]; g.Title != "1 measure without a format string" || g.Fix == "" || g.Own != nil {
		t.Errorf("of the regime: %+v", g)
	}
}
