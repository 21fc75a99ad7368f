package readiness_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/rules/meanings"
)

// Violations are those of the findings.
func TestViolationsAgreeWithFindings(t *testing.T) {
	t.Parallel()
	ids := []string{"VIS-01", "VIS-02", "VIS-04", "VIS-07", "REL-01", "MEA-05", "INS-09"}
	rapid.Check(t, func(t *rapid.T) {
		m := wideModel().Draw(t, "model")
		usage := wideUsage(t)
		o := readiness.Options{Usage: usage, Ignore: ignoring().Draw(t, "ignore")}
		r := readiness.Current()
		want, got := map[readiness.Violation]bool{}, map[readiness.Violation]bool{}
		for _, f := range r.Assess(m, o).Findings {
			for _, id := range f.RuleIDs {
				if slices.Contains(ids, id) {
					want[readiness.Violation{Rule: id, Type: f.ObjectType, Key: f.Key}] = true
				}
			}
		}
		for k, v := range r.Read(m, o).Violations(ids...) {
			got[k] = true
			if v <= 0 || v > 1 {
				t.Fatalf("%v: %v", k, v)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%s: %s", r.ID, d)
		}
	})
}

func TestNamed(t *testing.T) {
	t.Parallel()
	m := model(
		table("Sales", whole("Qty"), whole("Id"), whole("Hour"), measure("Net", "1")),
		table("Returns", whole("Qty")),
	)
	text := "Use [Net], never [Id]. Group by 'Sales'[Hour], sum [qty], and again [Net] or [Gone].\n"
	m.Copilot.Instructions = &text
	m.Copilot.VerifiedAnswers = []semanticmodel.VerifiedAnswer{{Fields: []semanticmodel.FieldRef{{Table: "sales", Name: "id"}}}}
	var got []string
	for _, s := range meanings.Named(m) {
		got = append(got, s.Table+"["+s.Name+"]")
	}
	slices.Sort(got)
	if d := cmp.Diff([]string{"Returns[Qty]", "Sales[Hour]", "Sales[Id]", "Sales[Net]", "Sales[Qty]"}, got); d != "" {
		t.Error(d)
	}
}

func TestMeanings(t *testing.T) {
	t.Parallel()
	m := model(table("Sales", whole("Qty"), measure("Net", "1"), measure("Gross", "2")))
	read := meanings.Of(m)
	var got []string
	for _, one := range read.In("- Turnover, Net-Net or sales means [Net].\nUse [Gross] for the top line: it is [Net].\nNever use [Net] for tax\nQty is [Qty].") {
		got = append(got, one.Words+" = "+one.Measure.Name)
	}
	if d := cmp.Diff([]string{"turnover = Net", "net net = Net", "sales = Net", "the top line = Gross"}, got); d != "" {
		t.Error(d)
	}
}
