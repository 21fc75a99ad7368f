package readiness_test

import (
	"slices"
	"testing"

	"readiness/domain/readiness"
)

// Every rule that an assessment by a regime reports is published once, with its dimension.
func TestPublishedRules(t *testing.T) {
	t.Parallel()
	regime := readiness.Current()
	ids := map[string]string{}
	for _, r := range regime.Rules() {
		if ids[r.ID] != "" {
			t.Errorf("%s: %s is published twice", regime.ID, r.ID)
		}
		ids[r.ID] = r.Dimension
		if r.Severity == "" || r.DimensionName == "" || r.Weight == 0 || r.AgentWeight == 0 || (r.ModelWeight == 0) != (r.Dimension == "agent") {
			t.Errorf("%s: %+v is incomplete", regime.ID, r)
		}
	}
	for _, d := range regime.Assess(model(table("T", text("Name"))), readiness.Options{}).Dimensions {
		for _, r := range d.Rules {
			if ids[r.ID] != d.ID {
				t.Errorf("%s: %s is published for %q, and assessed for %q", regime.ID, r.ID, ids[r.ID], d.ID)
			}
		}
	}
	if ids["AGT-05"] != "agent" {
		t.Errorf("%s: the rules about data agents are not published", regime.ID)
	}
	rules := regime.Rules()
	i := slices.IndexFunc(rules, func(r readiness.PublishedRule) bool { return len(r.FixKinds) > 0 })
	rules[i].FixKinds[0] = "changed"
	if regime.Rules()[i].FixKinds[0] == "changed" {
		t.Errorf("%s: a caller can change a published rule", regime.ID)
	}
}
