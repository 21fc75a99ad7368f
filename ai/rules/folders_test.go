package rules_test

import (
	"strings"
	"testing"

	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
)

func TestFolders(t *testing.T) {
	t.Parallel()
	filed := func(name, folder string) func(*semanticmodel.Model) {
		return func(m *semanticmodel.Model) { measure(m, "FactSales", name).DisplayFolder = folder }
	}
	for name, row := range map[string]struct {
		change         func(*semanticmodel.Model)
		measure        string
		byName, byRule string // by Folders and by Propose; "" is none
	}{
		"a period":                       {nil, "FactSales[Net Sales YTD]", "Time Intelligence", "Time Intelligence"},
		"a period, in the model's words": {filed("Net Sales PY", "time intelligence"), "FactSales[Net Sales YTD]", "time intelligence", "time intelligence"},
		"a period alone": {func(m *semanticmodel.Model) {
			for _, name := range []string{"Net Sales PY", "Net Sales 12M", "Net Sales YoY %"} {
				measure(m, "FactSales", name).Name, measure(m, "FactSales", name).Expression = "About "+name[len(name)-1:]+" things", "1"
			}
		}, "FactSales[Net Sales YTD]", "", ""},
		"a folder of trials":             {filed("Net Sales", "Testordner"), "FactSales[Shipped Sales]", "", ""},
		"a folder of what was":           {filed("Net Sales", `Old\Net`), "FactSales[Shipped Sales]", "", ""},
		"a ratio":                        {filed("Units", "Ratios"), "FactSales[Product Share]", "Ratios", "Ratios"},
		"a ratio, without such a folder": {nil, "FactSales[Product Share]", "", ""},
		"a ratio of periods":             {filed("Units", "Ratios"), "FactSales[Net Sales YoY %]", "Time Intelligence", "Time Intelligence"},
		"an average":                     {filed("Units", "averages"), "FactSales[Average Price]", "averages", "averages"},
		"a margin in money":              {func(m *semanticmodel.Model) { measure(m, "FactSales", "Line Value").Name = "Margin" }, "FactSales[Margin]", "", ""},
		"a count, by a sign": {func(m *semanticmodel.Model) {
			measure(m, "FactSales", "Line Value").Name = "# Lines"
			filed("Units", "Counts")(m)
		}, "FactSales[# Lines]", "Counts", "Counts"},
		"a sign of all measures": {func(m *semanticmodel.Model) { measure(m, "FactSales", "Line Value").Name = "## Worth" }, "FactSales[## Worth]", "", ""},
		"of two folders, none": {func(m *semanticmodel.Model) {
			measure(m, "FactSales", "Goal").Expression = "[Average Price] + [Net Sales]"
		}, "FactSales[Goal]", "", ""},
		"a helper":                        {filed("Units", "Report Helpers"), "FactSales[_tooltip text]", "Report Helpers", "Report Helpers"},
		"a shared word":                   {nil, "FactSales[Shipped Sales]", "", ""},
		"the folder that the name names":  {filed("Units", `Basket\Price`), "FactSales[Average Price]", `Basket\Price`, `Basket\Price`},
		"the folder of its siblings":      {filed("Net Sales", "Revenue Numbers"), "FactSales[Shipped Sales]", "Revenue Numbers", "Revenue Numbers"},
		"not one that their names have":   {filed("Net Sales", "Net"), "FactSales[Shipped Sales]", "", ""},
		"three levels are not taken over": {filed("Net Sales", `A\B\C`), "FactSales[Shipped Sales]", "", ""},
		"two folders are not taken over":  {filed("Net Sales", "A;B"), "FactSales[Shipped Sales]", "", ""},
		"a count, by its expression":      {filed("Units", "Counts"), "FactSales[Orders]", "", "Counts"},
		"a sum, by its expression":        {nil, "FactSales[Units]", "", ""},
		"with what it is computed from":   {filed("Net Sales", "Money"), "FactSales[Revenue]", "", "Money"},
		"not with measures of a purpose":  {filed("Net Sales", "ratios"), "FactSales[Shipped Sales]", "", ""},
		"nothing to go by":                {nil, "FactSales[Goal]", "", ""},
		"in a folder already":             {filed("Goal", "Goals"), "FactSales[Goal]", "", ""},
		"a fact in capitals": {func(m *semanticmodel.Model) {
			m.Tables[0].Name = "VMI-FC"
			measure(m, "Returns", "Refunds").Expression = "SUM('VMI-FC'[Qty])"
			for i := range m.Relationships {
				m.Relationships[i].FromTable = strings.Replace(m.Relationships[i].FromTable, "FactSales", "VMI-FC", 1)
			}
		}, "Returns[Refunds]", "", "VMI FC"},
		"a fact that is not its own table": {func(m *semanticmodel.Model) { measure(m, "Returns", "Refunds").Expression = "SUM(FactSales[Qty])" }, "Returns[Refunds]", "", "Sales"},
		"the folders have an order of their own": {func(m *semanticmodel.Model) {
			measure(m, "Returns", "Refunds").Expression = "SUM(FactSales[Qty])"
			measure(m, "Returns", "After Returns").DisplayFolder = "In use"
		}, "Returns[Refunds]", "", ""},
		"the folders are named for tables": {func(m *semanticmodel.Model) {
			measure(m, "Returns", "Refunds").Expression = "SUM(FactSales[Qty])"
			measure(m, "Returns", "After Returns").DisplayFolder = "Returns"
		}, "Returns[Refunds]", "", "Sales"},
	} {
		m := shop()
		if row.change != nil {
			row.change(m)
		}
		asked := []proposal.Object{object(m, row.measure)}
		byName, byRule := "", ""
		if p := rules.Folders(m, asked); len(p) > 0 {
			byName = p[0].Value
		}
		a := rules.Propose(proposal.Ask{Type: proposal.DisplayFolder, Model: m, Objects: asked})
		if len(a.Proposals) > 0 {
			byRule = a.Proposals[0].Value
		}
		if unfiled := row.byRule == "" && name != "in a folder already"; unfiled != (len(a.Questions) == 1) || (len(a.Skipped) == 1) != (row.byRule == "") {
			t.Errorf("%s: asks %+v, skips %+v", name, a.Questions, a.Skipped)
		}
		if byName != row.byName || byRule != row.byRule {
			t.Errorf("%s: got %q and %q, want %q and %q", name, byName, byRule, row.byName, row.byRule)
		}
	}
}
