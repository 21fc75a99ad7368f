package offline_test

import (
	"fmt"
	"strings"
	"testing"

	"readiness/offline"
)

// manyMeasures returns a model of n measures in one table, with a fact table for each hundred: they sum, filter, divide, compare years, go through
// rows, and refer to those before them. Some have a display folder, a format or a description.
func manyMeasures(tb testing.TB, n int) []offline.Item {
	tb.Helper()
	facts := max(2, n/100)
	subjects, amounts := strings.Fields("Sales Orders Shipments Invoices Visits Claims Stock Leads Trips Loans"), strings.Fields("Net Gross Quantity Discount Tax Freight")
	name := func(i int) string { return fmt.Sprintf("%s %d", subjects[i%len(subjects)], i/len(subjects)+1) }
	byPath := map[string]string{
		"Large.SemanticModel/definition/database.tmdl": "database\n\tcompatibilityLevel: 1604\n",
		"Large.SemanticModel/definition/model.tmdl":    "model Model\n\tculture: en-US\n",
		"Large.SemanticModel/definition/tables/Date.tmdl": "table Date\n\tdataCategory: Time\n\n\tcolumn Date\n\t\tdataType: dateTime\n\t\tisKey\n\t\tsourceColumn: Date\n\n" +
			"\tcolumn Year\n\t\tdataType: int64\n\t\tsummarizeBy: none\n\t\tsourceColumn: Year\n",
		"Large.SemanticModel/definition/tables/Product.tmdl": "table Product\n\n\tcolumn 'Product Key'\n\t\tdataType: int64\n\t\tisHidden\n\t\tsourceColumn: K\n\n\tcolumn Segment\n\t\tdataType: string\n\t\tsourceColumn: S\n",
	}
	var related strings.Builder
	for i := range facts {
		text := "table '" + name(i) + "'\n\n\tcolumn 'Product Key'\n\t\tdataType: int64\n\t\tsourceColumn: K\n\n\tcolumn Posted\n\t\tdataType: dateTime\n\t\tsourceColumn: P\n\n"
		for _, a := range amounts {
			text += "\tcolumn " + a + "\n\t\tdataType: decimal\n\t\tsummarizeBy: sum\n\t\tsourceColumn: " + a + "\n\n"
		}
		byPath["Large.SemanticModel/definition/tables/"+name(i)+".tmdl"] = text
		fmt.Fprintf(&related, "relationship p%d\n\tfromColumn: '%s'.'Product Key'\n\ttoColumn: Product.'Product Key'\n\nrelationship d%d\n\tfromColumn: '%s'.Posted\n\ttoColumn: Date.Date\n\n",
			i, name(i), i, name(i))
	}
	byPath["Large.SemanticModel/definition/relationships.tmdl"] = related.String()
	var measures strings.Builder
	measures.WriteString("table Metrics\n\n")
	titles := make([]string, n)
	for i := range n {
		fact, amount := name(i%facts), amounts[i/facts%len(amounts)]
		of, before := fmt.Sprintf("'%s'[%s]", fact, amount), "1"
		if i >= facts {
			before = "[" + titles[i-facts] + "]"
		}
		kind := []struct{ title, dax, format string }{
			{"Total", "SUM(" + of + ")", "#,0.00"},
			{"Open", "CALCULATE(SUM(" + of + "), Product[Segment] = \"Open\", 'Date'[Year] >= 2020)", ""},
			{"%", "DIVIDE(SUM(" + of + "), CALCULATE(SUM(" + of + "), ALL(Product)))", "0.0%"},
			{"YTD", "TOTALYTD(" + before + ", 'Date'[Date])", ""},
			{"Weighted", "SUMX('" + fact + "', " + of + " * '" + fact + "'[Quantity])", ""},
			{"Growth", "VAR now = SUM(" + of + ") VAR then = CALCULATE(" + before + ", DATEADD('Date'[Date], -1, YEAR)) RETURN now - then // a year", ""},
		}[(i/facts+i)%6]
		titles[i] = fmt.Sprintf("%s %s %s %d", fact, amount, kind.title, i/facts)
		if i%10 == 0 {
			fmt.Fprintf(&measures, "\t/// %s of %s as finance reports it, number %d.\n", amount, fact, i)
		}
		fmt.Fprintf(&measures, "\tmeasure '%s' = %s\n\t\tlineageTag: %08x-0000-4000-8000-000000000000\n", titles[i], kind.dax, i)
		if kind.format != "" {
			measures.WriteString("\t\tformatString: " + kind.format + "\n")
		}
		if i%4 == 0 {
			fmt.Fprintf(&measures, "\t\tdisplayFolder: %s\\%s\n", fact, amount)
		}
		measures.WriteString("\n")
	}
	byPath["Large.SemanticModel/definition/tables/Metrics.tmdl"] = measures.String()
	root := files(tb, byPath)
	return find(tb, root, root)
}

// preview proposes everything for the only item.
func preview(tb testing.TB, items []offline.Item) offline.Proposal {
	tb.Helper()
	all, _, err := offline.Propose(tb.Context(), items, embedded())
	if err != nil || all[0].Error != nil {
		tb.Fatal(err, all[0].Error)
	}
	return all[0]
}

// The work of a preview and of an assessment grows as the model does, also if all measures are in one table.
func TestWorkGrowsAsTheModel(t *testing.T) {
	small, four := manyMeasures(t, 400), manyMeasures(t, 1600)
	for name, do := range map[string]func([]offline.Item){
		"preview": func(items []offline.Item) {
			if preview(t, items).Changes() == 0 {
				t.Error("nothing is proposed")
			}
		},
		"assess": func(items []offline.Item) {
			if _, err := offline.Assess(t.Context(), items, offline.AssessOptions{}); err != nil {
				t.Error(err)
			}
		},
	} {
		one, more := testing.AllocsPerRun(1, func() { do(small) }), testing.AllocsPerRun(1, func() { do(four) })
		if more > 5*one {
			t.Errorf("%s: %.0f allocations for 400 measures, %.0f for 1600", name, one, more)
		}
	}
}

// BenchmarkLarge proposes for, and assesses, a model of 12,000 measures in one table.
func BenchmarkLarge(b *testing.B) {
	items := manyMeasures(b, 12_000)
	b.Run("preview", func(b *testing.B) {
		for b.Loop() {
			preview(b, items)
		}
	})
	b.Run("assess", func(b *testing.B) {
		for b.Loop() {
			if _, err := offline.Assess(b.Context(), items, offline.AssessOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
