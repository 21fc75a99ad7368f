package rules_test

import (
	"slices"
	"strings"
	"testing"

	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
	"readiness/domain/readiness"

	"github.com/google/go-cmp/cmp"
)

// TestDescriptions shows one text for each sentence pattern.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	m := shop()
	want := map[string]string{
		// Tables, by purpose.
		"FactSales":       "Facts about sales with Qty, Net Amount, Unit Price and others of each row, to be grouped and filtered by Customers, Date and Product.",
		"Returns":         "Facts about returns with Refund of each row, to be grouped and filtered by Date and Product.",
		"Customers":       "Each row is a customer, identified by CustomerKey; used to group and filter FactSales by Customer Name, Segment, City and Website.",
		"Product":         "Each row is a product, identified by ProductKey; used to group and filter FactSales and Returns by Product. Itself grouped by Category.",
		"Date":            "Calendar by which FactSales and Returns are filtered and grouped, with Year, Fiscal Year and Month of each date.",
		"Time Comparison": "Calculation group: applies Current and Prior Year to whichever measure is asked for.",
		"Shown Measure":   "Field parameter: lets the reader of a report choose what a visual shows, among [Net Sales] and [Units].",

		// Columns: keys, dates, numbers, flags, attributes, helpers.
		"FactSales[CustomerKey]":      "Key that ties each sales row to its row of Customers; not for display.",
		"Customers[CustomerKey]":      "Identifies each customer; FactSales refers to it.",
		"FactSales[OrderDate]":        "Order date of each sales row; the date by which Date filters it by default.",
		"FactSales[ShipDate]":         "Ship date of each sales row; related to Date only where a measure asks for it, as [Shipped Sales] does.",
		"FactSales[Qty]":              "Quantity of each sales row. Used by [Units] and [Line Value].",
		"FactSales[Net Amount]":       "Net amount of each sales row, in dollars. Used by [Net Sales].",
		"FactSales[Line Total]":       "Line total of each sales row. Calculated from Qty and Unit Price.",
		"FactSales[IsGift]":           "True when the sales row is gift.",
		"FactSales[Sales Channel]":    "Sales channel of each sales row, to group and filter by.",
		"FactSales[ETL Batch]":        "Record-keeping value of each sales row, from loading the data; not for analysis.",
		"Customers[Customer Name]":    "Name of each customer, to group and filter FactSales by. The label to show for a customer.",
		"Customers[Website]":          "Website of each customer, to group and filter FactSales by. Holds a web address.",
		"Product[Product]":            "Name or code that distinguishes one product from another, to group and filter FactSales and Returns by.",
		"Date[Date]":                  "The day itself; filter periods on it, as it is the key of the calendar.",
		"Date[Year]":                  "Year of each date. Top level of the hierarchy Calendar.",
		"Date[Month]":                 "Month of each date, to group and filter FactSales and Returns by. In the hierarchy Calendar below Year. Sorted by MonthNo.",
		"Date[MonthNo]":               "Gives the order in which Month is sorted; a number for display, not for analysis.",
		"Time Comparison[Comparison]": "Changes how a measure is calculated: Current, Prior Year.",
		"Time Comparison[Ordinal]":    "Order in which the items of the calculation group are shown.",

		// Measures, by the content of their expressions.
		"FactSales[Net Sales]":       "Sum of Net Amount over the rows of FactSales, in dollars. Can be split by Customers, Date and Product.",
		"FactSales[Orders]":          "Number of rows of FactSales. Can be split by Customers, Date and Product.",
		"FactSales[Customers]":       "Number of different values of CustomerKey over the rows of FactSales. Can be split by Customers, Date and Product.",
		"FactSales[Average Price]":   "[Net Sales] divided by [Units], in dollars. Can be split by Customers, Date and Product.",
		"FactSales[Net Sales YTD]":   "[Net Sales] from the start of the year to date, in dollars. Can be split by Customers, Date and Product.",
		"FactSales[Net Sales PY]":    "[Net Sales] in the same period of the year before, in dollars. Can be split by Customers, Date and Product.",
		"FactSales[Net Sales 12M]":   "[Net Sales] over the last 12 months. Can be split by Customers, Date and Product.",
		"FactSales[Net Sales YoY %]": "Change of [Net Sales] against [Net Sales PY], as a percentage. Can be split by Customers, Date and Product.",
		"FactSales[Shipped Sales]":   "[Net Sales] by ShipDate rather than by the default date. Can be split by Customers, Date and Product.",
		"FactSales[Line Value]":      "Line value: sum over rows, calculated from Qty and Unit Price. Can be split by Customers, Date and Product.",
		"FactSales[Product Share]":   "Share of [Net Sales] in its total without some of the filters, as a percentage. Can be split by Customers, Date and Product.",
		"FactSales[Revenue]":         "The same value as [Net Sales], under another name. Can be split by Customers, Date and Product.",
		"FactSales[Goal]":            "A fixed value that is the same whatever is grouped or filtered.",
		"FactSales[_tooltip text]":   "Tooltip text: calculated from [Net Sales]. A helper for report visuals rather than an answer.",
		"Returns[After Returns]":     "[Net Sales] minus [Refunds]. Can be split by Date and Product.",

		// Objects about which the definition says nothing beyond the name.
		"FactSales[Xq]": "",
	}
	got := map[string]string{}
	texts := byObject(rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: everything(m)}))
	for name := range want {
		got[name] = texts[object(m, name)].Value
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestDescriptionInPlace shows how people's descriptions are kept, repaired or replaced.
func TestDescriptionInPlace(t *testing.T) {
	t.Parallel()
	long := "Money invoiced, after discounts. " + strings.Repeat("It is told at length. ", 10)
	items := func(m *semanticmodel.Model) {
		g := tableOf(m, "Time Comparison").CalculationGroup
		for range 40 {
			g.Items = append(g.Items, semanticmodel.CalculationItem{Name: "Item number " + strings.Repeat("i", len(g.Items))})
		}
	}
	for name, row := range map[string]struct {
		change func(*semanticmodel.Model)
		object string
		want   string // "" is none
	}{
		"one that serves is kept": {func(m *semanticmodel.Model) {
			measure(m, "FactSales", "Units").Description = "Pieces that left the shop."
		}, "FactSales[Units]", ""},
		"words of the name are no text": {func(m *semanticmodel.Model) { measure(m, "FactSales", "Orders").Description = "This is the orders." }, "FactSales[Orders]", "Number of rows of FactSales. Can be split by Customers, Date and Product."},
		"a short one is continued":      {func(m *semanticmodel.Model) { column(m, "Customers", "Segment").Description = "Gold or not" }, "Customers[Segment]", "Gold or not. Segment of each customer, to group and filter FactSales by."},
		"a long one keeps its first sentences": {
			func(m *semanticmodel.Model) { measure(m, "FactSales", "Net Sales").Description = long }, "FactSales[Net Sales]",
			"Money invoiced, after discounts. It is told at length. It is told at length. It is told at length. It is told at length. It is told at length. It is told at length. It is told at length.",
		},
		"a shared one says where": {func(m *semanticmodel.Model) {
			tableOf(m, "Returns").Description, column(m, "Returns", "Refund").Description = "Money that was given back", "Money that was given back"
		}, "Returns[Refund]", "Money that was given back. Belongs to Returns."},
		"a group's names its items": {
			func(m *semanticmodel.Model) {
				column(m, "Time Comparison", "Comparison").Description = "Choose what to compare with."
			}, "Time Comparison[Comparison]", "Choose what to compare with. Its items are Current and Prior Year.",
		},
		"as many items as fit":         {items, "Time Comparison[Comparison]", "Changes how a measure is calculated: Current, Prior Year, Item number ii, Item number iii, Item number iiii, Item number iiiii, Item number iiiiii, Item number iiiiiii, Item number iiiiiiii."},
		"a name that says nothing":     {func(m *semanticmodel.Model) { column(m, "Customers", "Segment").Name = "Column1" }, "Customers[Column1]", ""},
		"a column of no known purpose": {func(m *semanticmodel.Model) { column(m, "Customers", "City").Name = "Column1" }, "Customers[Column1]", "Holds a city. Belongs to Customers."},
	} {
		m := shop(row.change)
		a := rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: []proposal.Object{object(m, row.object)}})
		got := ""
		if len(a.Proposals) > 0 {
			got = a.Proposals[0].Value
		}
		if got != row.want || len(a.Proposals)+len(a.Skipped) != 1 {
			t.Errorf("%s: got %q (%+v), want %q", name, got, a.Skipped, row.want)
		}
	}
}

// TestTwins checks that similar objects get different descriptions, as far as 200 characters allow.
func TestTwins(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 58)
	m := shop(func(m *semanticmodel.Model) {
		r := tableOf(m, "Returns")
		r.Columns = append(r.Columns, semanticmodel.Column{Name: long + "y"})
		r.Measures = nil
		for _, name := range []string{"A", "B", "C", long + "z"} {
			r.Measures = append(r.Measures, semanticmodel.Measure{Name: name, Expression: "SUM(Returns[" + long + "y])", FormatString: "0%"})
		}
	})
	var got []string
	a := rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: slices.DeleteFunc(measuresOf(m), func(o proposal.Object) bool { return o.Table != "Returns" })})
	for _, p := range a.Proposals {
		got = append(got, p.Value)
	}
	const sum = "um of xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxy over the rows of Returns, as a percentage. Can be split by Date and Product."
	if d := cmp.Diff([]string{"S" + sum, "S" + sum + " Belongs to Returns.", "C: s" + sum}, got); d != "" || len(a.Skipped) != 1 || a.Skipped[0].Name != long+"z" {
		t.Errorf("%s; skipped %+v", d, a.Skipped)
	}
}

// TestAnswer covers objects that do not exist, duplicates, and types without proposals.
func TestAnswer(t *testing.T) {
	t.Parallel()
	m := shop()
	gone := proposal.Object{Table: "FactSales", Name: "Gone", Type: proposal.Measure}
	units := object(m, "FactSales[Units]")
	for _, typ := range []proposal.Type{proposal.Description, proposal.DisplayFolder, proposal.SummarizeBy} {
		a := rules.Propose(proposal.Ask{Type: typ, Model: m, Objects: []proposal.Object{gone, units, gone, units}})
		if n := len(a.Proposals) + len(a.Skipped); n != 2 || a.Provider != (proposal.Provider{Kind: "rules", Name: "Embedded rules"}) {
			t.Errorf("%s: %d answers by %+v, want 2", typ, n, a.Provider)
		}
		for _, s := range a.Skipped {
			if s.Reason != proposal.NothingProposed {
				t.Errorf("%s: %+v", typ, s)
			}
		}
	}
	empty := &semanticmodel.Model{}
	for _, typ := range []proposal.Type{proposal.AIInstructions, proposal.AIDataSchema} {
		a := rules.Propose(proposal.Ask{Type: typ, Model: empty})
		if len(a.Proposals) != 0 || len(a.Skipped) != 1 || a.Skipped[0].Type != proposal.Model {
			t.Errorf("%s of an empty model: %+v", typ, a)
		}
	}
}

// The shop's score rises with each kind, and most with all.
func TestShopImproves(t *testing.T) {
	t.Parallel()
	m := shop(caption("de-DE", "FactSales[Orders]", "Bestellungen"))
	before := *readiness.Assess(m, readiness.Options{}).Raw
	for _, ask := range asks(m) {
		after := *readiness.Assess(applied(m, ask.Type, rules.Propose(ask).Proposals), readiness.Options{}).Raw
		if after <= before {
			t.Errorf("%s: %v to %v", ask.Type, before, after)
		}
	}
	if after := *readiness.Assess(optimized(m, false), readiness.Options{}).Raw; after < before+25 {
		t.Errorf("all: %v to %v", before, after)
	}
}
