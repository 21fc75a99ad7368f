package files_test

import (
	"os"
	"strings"
	"testing"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/ownrules"
	"readiness/mcp"
	"readiness/test/samples"
)

// An agent gets findings of a team's own rules with their words, and the explanation of such a rule.
func TestOwnRules(t *testing.T) {
	t.Parallel()
	set, problems := ownrules.Compile([]ownrules.Definition{{OwnRule: readiness.OwnRule{ID: "CON-01", Title: "Measure without a format", Why: "Numbers look odd.",
		Fix: "Set one.", Effort: "minutes", Severity: finding.High, File: "rules.yaml", Line: 3}, Scope: "measure", When: `measure.formatString == ""`,
		Message: "format {measure.name}"}}, readiness.Current())
	if problems != nil {
		t.Fatal(problems)
	}
	regime, err := readiness.Current().WithOwn("", set)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(samples.Workspaces(t))); err != nil {
		t.Fatal(err)
	}
	s := onWith(t, root, false, regime)
	a := get[mcp.AssessmentSummary](t, s, "assess", args{"model": inventory})
	found := false
	for _, r := range a.Rules {
		found = found || r.Rule == "CON-01" && r.Title == "Measure without a format (2)" && r.Points == 0 && r.Findings == 2
	}
	if !found {
		t.Errorf("got %+v", a.Rules)
	}
	e := get[mcp.Explanation](t, s, "explain", args{"rule": "con-01", "model": inventory, "assessmentId": a.AssessmentID})
	if e.Title != "Measure without a format" || e.Why != "Numbers look odd." || e.Fix != "Set one." || !strings.Contains(e.Source, "rules.yaml, line 3") || e.Findings == nil ||
		len(e.Findings.Rows) != 2 || e.Findings.Rows[0].Title != "Measure without a format" || !strings.HasPrefix(e.Findings.Rows[0].Message, "Measure [") {
		t.Errorf("got %+v", e)
	}
	s.refuse(t, "explain", args{"rule": "CON-01"}, "There is no rule with this id.")
}
