package readiness_test

import (
	"slices"
	"testing"

	"readiness/domain/readiness"
)

// Every rule that an assessment reports is published once, with its dimension.
func TestPublishedRules(t *testing.T) {
	t.Parallel()
	ids := map[string]string{}
	for _, r := range readiness.Current().Rules() {
		if ids[r.ID] != "" {
			t.Errorf("%s is published twice", r.ID)
		}
		ids[r.ID] = r.Dimension
		if r.Severity == "" || r.DimensionName == "" || r.Weight == 0 || r.AgentWeight == 0 || (r.ModelWeight == 0) != (r.Dimension == "agent") {
			t.Errorf("%+v is incomplete", r)
		}
	}
	for _, d := range readiness.Assess(model(table("T", text("Name"))), readiness.Options{}).Dimensions {
		for _, r := range d.Rules {
			if ids[r.ID] != d.ID {
				t.Errorf("%s is published for %q, and assessed for %q", r.ID, ids[r.ID], d.ID)
			}
		}
	}
	if ids["AGT-05"] != "agent" {
		t.Error("the rules about data agents are not published")
	}
	rules := readiness.Current().Rules()
	i := slices.IndexFunc(rules, func(r readiness.PublishedRule) bool { return len(r.FixKinds) > 0 })
	rules[i].FixKinds[0] = "changed"
	if readiness.Current().Rules()[i].FixKinds[0] == "changed" {
		t.Error("a caller can change a published rule")
	}
}
