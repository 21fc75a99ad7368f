package readiness_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/additions"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/rules/meanings"
)

// A text adds something to an object exactly when it does not violate DSC-04 of 2026-12 as
// the object's description.
func TestAddAgreesWithTheRule(t *testing.T) {
	t.Parallel()
	december := regime(t, "2026-12")
	rapid.Check(t, func(t *rapid.T) {
		m := wideModel().Draw(t, "model")
		d := additions.Of(m)
		faulted := december.Violations(m, noOptions, "DSC-04")
		for _, table := range m.Tables {
			check := func(typ finding.ObjectType, name, description string, hidden, key bool) {
				_, bad := faulted[readiness.Violation{Rule: "DSC-04", Type: typ, Key: finding.Key{Table: table.Name, ObjectName: name}}]
				if add := d.Add(finding.Subject{Type: typ, Table: table.Name, Name: name}, description); bad && add {
					t.Fatalf("%s %s[%s]: %q adds, and violates DSC-04", typ, table.Name, name, description)
				} else if !bad && !add && !hidden && !key && judgedTable(m, table.Name) {
					t.Fatalf("%s %s[%s]: %q adds nothing, and does not violate DSC-04", typ, table.Name, name, description)
				}
			}
			check(finding.TableObject, "", table.Description, table.IsHidden, m.Copilot.Schema != nil)
			for _, c := range table.Columns {
				check(finding.ColumnObject, c.Name, c.Description, true, true) // some are keys
			}
			for _, x := range table.Measures {
				check(finding.MeasureObject, x.Name, x.Description, x.IsHidden || table.IsHidden, m.Copilot.Schema != nil)
			}
		}
	})
}

// judgedTable reports whether rules see a table of the name, and no other of that name.
func judgedTable(m *semanticmodel.Model, name string) bool {
	n := 0
	for _, t := range m.Tables {
		if t.Name == name {
			n++
		}
	}
	return n == 1 && slices.ContainsFunc(readiness.Expose(m).Tables, func(t readiness.ExposedTable) bool { return t.Name == name })
}

func TestAdd(t *testing.T) {
	t.Parallel()
	m := model(
		table("Date", tableCategory("Time"), date("Date"), whole("Year")),
		table("Order Lines", whole("Qty"), measure("Net Sales", "SUM('Order Lines'[Qty])")),
	)
	d := additions.Of(m)
	net := finding.Subject{Type: finding.MeasureObject, Table: "Order Lines", Name: "Net Sales"}
	for text, want := range map[string]bool{
		"": false, "  ": false, "in euro": false, "Net Sales.": false, "The net sale of each order line": false,
		"Revenue after discounts": true, " Net sales in euro ": true,
	} {
		if got := d.Add(net, text); got != want {
			t.Errorf("%q adds: %v, want %v", text, got, want)
		}
	}
	for subject, want := range map[finding.Subject]bool{
		{Type: finding.TableObject, Table: "Date"}:                                   false,
		{Type: finding.ColumnObject, Table: "Date", Name: "Year"}:                    false,
		{Type: finding.ColumnObject, Table: "Order Lines", Name: "Qty"}:              true,  // calendar is no frame word there
		{Type: finding.ColumnObject, Table: "Order Lines", Name: "Net Sales"}:        false, // a measure
		{Type: finding.MeasureObject, Table: "Order Lines", Name: "Gone"}:            false,
		{Type: finding.MeasureObject, Table: "Order Lines", Name: net.Name + "Gone"}: false,
	} {
		if got := d.Add(subject, "The calendar date of the row"); got != want {
			t.Errorf("%v: adds %v, want %v", subject, got, want)
		}
	}
}

// Violations are those of the findings.
func TestViolationsAgreeWithFindings(t *testing.T) {
	t.Parallel()
	ids := []string{"VIS-01", "VIS-02", "VIS-04", "VIS-07", "REL-01", "MEA-05", "INS-09"}
	rapid.Check(t, func(t *rapid.T) {
		m := wideModel().Draw(t, "model")
		usage := wideUsage(t)
		o := readiness.Options{Usage: usage, Ignore: ignoring().Draw(t, "ignore")}
		for _, r := range readiness.Regimes() {
			want, got := map[readiness.Violation]bool{}, map[readiness.Violation]bool{}
			for _, f := range r.Assess(m, o).Findings {
				for _, id := range f.RuleIDs {
					if slices.Contains(ids, id) {
						want[readiness.Violation{Rule: id, Type: f.ObjectType, Key: f.Key}] = true
					}
				}
			}
			for k, v := range r.Violations(m, o, ids...) {
				got[k] = true
				if v <= 0 || v > 1 {
					t.Fatalf("%v: %v", k, v)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("%s: %s", r.ID, d)
			}
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
