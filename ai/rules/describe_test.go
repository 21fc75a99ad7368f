package rules_test

import (
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
		"FactSales":       "Dated by OrderDate by default, and by ShipDate only where a measure asks for it, as [Shipped Sales] does.",
		"Returns":         "",
		"Customers":       "",
		"Product":         "",
		"Date":            "Filters FactSales by OrderDate and Returns by Return Date; FactSales by ShipDate only where a measure asks for it.",
		"Time Comparison": "Calculation group: applies Current and Prior Year to whichever measure is asked for.",

		// Columns: keys, numbers, order, address, calculated ones. Nothing for what only repeats the name, and for what an AI
		// should not see.
		"FactSales[CustomerKey]":      "",
		"Customers[CustomerKey]":      "",
		"FactSales[OrderDate]":        "",
		"FactSales[ShipDate]":         "Joins FactSales to the row of Date with the same Date only where a measure asks for it, as [Shipped Sales] does.",
		"FactSales[Qty]":              "",
		"FactSales[Net Amount]":       "",
		"FactSales[Line Total]":       "Qty times Unit Price.",
		"FactSales[IsGift]":           "",
		"FactSales[Sales Channel]":    "",
		"FactSales[ETL Batch]":        "",
		"FactSales[Xq]":               "",
		"Customers[Customer Name]":    "",
		"Customers[Website]":          "",
		"Date[Date]":                  "",
		"Date[Year]":                  "",
		"Date[Month]":                 "",
		"Date[MonthNo]":               "",
		"Time Comparison[Comparison]": "Changes how a measure is calculated: Current, Prior Year.",
		"Time Comparison[Ordinal]":    "",

		// Measures, by the content of their expressions.
		"FactSales[Net Sales]":       "",
		"FactSales[Orders]":          "",
		"FactSales[Customers]":       "Number of different values of CustomerKey in FactSales.",
		"FactSales[Average Price]":   "[Net Sales] divided by [Units], in dollars.",
		"FactSales[Net Sales YTD]":   "",
		"FactSales[Net Sales YoY %]": "",
		"FactSales[Shipped Sales]":   "[Net Sales], dated by ShipDate of FactSales.",
		"FactSales[Line Value]":      "Sum of (Qty times Unit Price) over the rows of FactSales.",
		"FactSales[Product Share]":   "Share of [Net Sales] in its total regardless of filters on Product and Category, as a percentage.",
		"FactSales[Goal]":            "Always 1000, whatever is selected.",
		"FactSales[Revenue]":         "",
		"FactSales[_tooltip text]":   "",
		"Returns[After Returns]":     "[Net Sales] minus [Refunds].",
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
			g.Items = append(g.Items, semanticmodel.CalculationItem{Name: "Item number " + strings.Repeat("i", len(g.Items)), Expression: "SELECTEDMEASURE()"})
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
		"words of the name are no text": {func(m *semanticmodel.Model) {
			measure(m, "FactSales", "Average Price").Description = "This is the average price."
		}, "FactSales[Average Price]", "[Net Sales] divided by [Units], in dollars."},
		"a short one that says something is kept": {func(m *semanticmodel.Model) { column(m, "Customers", "Segment").Description = "Gold or not" }, "Customers[Segment]", ""},
		"words of tables may say how it differs from its like": {func(m *semanticmodel.Model) {
			measure(m, "FactSales", "Average Price").Description = "The average price of each customer and date"
		}, "FactSales[Average Price]", ""},
		"a sum of numbers alone has no sense that we know": {func(m *semanticmodel.Model) {
			measure(m, "FactSales", "Goal").Expression = "55 * 6138"
		}, "FactSales[Goal]", ""},
		"a long one is not cut": {func(m *semanticmodel.Model) { measure(m, "FactSales", "Net Sales").Description = long }, "FactSales[Net Sales]", ""},
		"a rounded fraction is no rounded percentage": {func(m *semanticmodel.Model) {
			measure(m, "FactSales", "Goal").Expression, measure(m, "FactSales", "Goal").FormatString = "ROUND([Units] / [Orders], 2)", "0.00%"
		}, "FactSales[Goal]", "[Units] divided by [Orders], rounded to full percents, as a percentage."},
		"a fraction rounded to more is none": {func(m *semanticmodel.Model) {
			measure(m, "FactSales", "Goal").Expression, measure(m, "FactSales", "Goal").FormatString = "ROUND([Units] / [Orders], 4)", "0.00%"
		}, "FactSales[Goal]", "[Units] divided by [Orders], as a percentage."},
		"praise is not replaced": {func(m *semanticmodel.Model) {
			measure(m, "FactSales", "Orders").Description = "The most important and reliable figure, validated by the team."
		}, "FactSales[Orders]", ""},
		"a shared one is continued": {func(m *semanticmodel.Model) {
			tableOf(m, "Returns").Description, measure(m, "Returns", "After Returns").Description = "Money that was given back", "Money that was given back"
		}, "Returns[After Returns]", "Money that was given back. [Net Sales] minus [Refunds]."},
		"a shared one of which nothing else is known": {func(m *semanticmodel.Model) {
			tableOf(m, "Customers").Description, column(m, "Customers", "Segment").Description = "Whoever bought", "Whoever bought"
		}, "Customers[Segment]", ""},
		"a shared one in two lines is not joined": {func(m *semanticmodel.Model) {
			tableOf(m, "Returns").Description, measure(m, "Returns", "After Returns").Description = "Money that\nwas given back", "Money that\nwas given back"
		}, "Returns[After Returns]", ""},
		"a shared one is not only punctuated": {func(m *semanticmodel.Model) {
			text := "Money that was given back to whoever returned a thing" + strings.Repeat(", in whatever way", 8)
			tableOf(m, "Returns").Description, measure(m, "Returns", "After Returns").Description = text, text
		}, "Returns[After Returns]", ""},
		"none in English where the model is in Spanish": {func(m *semanticmodel.Model) {
			measure(m, "FactSales", "Units").Description = "El número de las unidades que se venden en la tienda por día y por cliente"
			measure(m, "FactSales", "Net Sales").Description = "El importe de las ventas netas de las tiendas sin el impuesto en la moneda del país"
		}, "FactSales[Average Price]", ""},
		"of twins, the first": {func(m *semanticmodel.Model) {
			measure(m, "FactSales", "Goal").Expression = "[Units] / [Orders]"
			tableOf(m, "Returns").Measures = append(tableOf(m, "Returns").Measures, semanticmodel.Measure{Name: "Target", Expression: "DIVIDE([Units], [Orders])"})
		}, "FactSales[Goal]", "[Units] divided by [Orders]."},
		"a group's names its items": {
			func(m *semanticmodel.Model) {
				column(m, "Time Comparison", "Comparison").Description = "Choose what to compare with."
			}, "Time Comparison[Comparison]", "Choose what to compare with. Its items are Current and Prior Year.",
		},
		"as many items as fit":     {items, "Time Comparison[Comparison]", "Changes how a measure is calculated: Current, Prior Year, Item number ii, Item number iii, Item number iiii, Item number iiiii, Item number iiiiii, Item number iiiiiii, Item number iiiiiiii."},
		"a name that says nothing": {func(m *semanticmodel.Model) { column(m, "Customers", "Segment").Name = "Column1" }, "Customers[Column1]", ""},
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

// No two objects get the same text.
func TestTwins(t *testing.T) {
	t.Parallel()
	m := shop(func(m *semanticmodel.Model) {
		tableOf(m, "Returns").Measures = nil
		for _, name := range []string{"A", "B"} {
			tableOf(m, "Returns").Measures = append(tableOf(m, "Returns").Measures, semanticmodel.Measure{Name: name, Expression: "[Net Sales] / [Units] -- " + name})
		}
	})
	a := rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: []proposal.Object{object(m, "Returns[B]"), object(m, "Returns[A]")}})
	if len(a.Proposals) != 1 || a.Proposals[0].Name != "A" || len(a.Skipped) != 1 || len(a.Questions) != 1 || a.Questions[0].Name != "B" {
		t.Errorf("got %+v", a)
	}
}

// With a limit, the first objects that have something to state get a text, and the others are counted.
func TestLimit(t *testing.T) {
	t.Parallel()
	m := shop()
	asked := []proposal.Object{object(m, "FactSales[Xq]"), object(m, "FactSales[Customers]"), object(m, "FactSales[Average Price]"), object(m, "FactSales[Goal]"), object(m, "FactSales[IsGift]")}
	a := rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: asked, Limit: 2})
	var given []string
	for _, p := range a.Proposals {
		given = append(given, p.Name)
	}
	if d := cmp.Diff([]string{"Customers", "Average Price"}, given); d != "" || a.More != 1 || len(a.Skipped) != 2 || len(a.Questions) != 2 {
		t.Errorf("%s; got %+v", d, a)
	}
}

// Each kind of object that the definition says nothing about has a question that a person can answer.
func TestQuestionsForWords(t *testing.T) {
	t.Parallel()
	m := shop(func(m *semanticmodel.Model) {
		f := tableOf(m, "FactSales")
		f.Columns = append(f.Columns, semanticmodel.Column{Name: "Column1"}, semanticmodel.Column{Name: "Is Paid", DataType: semanticmodel.Int64}, semanticmodel.Column{Name: "Order Code", DataType: semanticmodel.String},
			semanticmodel.Column{Name: "Weight", DataType: semanticmodel.Double}, semanticmodel.Column{Name: "Paid On", DataType: semanticmodel.DateTime}, semanticmodel.Column{Name: "Has Tax", DataType: semanticmodel.String},
			semanticmodel.Column{Name: "Voucher Id", DataType: semanticmodel.String}, semanticmodel.Column{Name: "Tax Rate", DataType: semanticmodel.Double},
			semanticmodel.Column{Name: "Fee", DataType: semanticmodel.Double, Description: "What was due at the gate, in euro."}, semanticmodel.Column{Name: "Toll", DataType: semanticmodel.Double, Description: "What was due at the gate, in euro."},
			semanticmodel.Column{Name: "Long\nName" + strings.Repeat("x", 100), DataType: semanticmodel.String, Description: strings.Repeat("y", 300) + " in euro per order, without tax"})
		f.Measures = append(f.Measures, semanticmodel.Measure{Name: "Odd", Expression: "UNKNOWN(1)"}, semanticmodel.Measure{Name: "Odd in Euro", Expression: "UNKNOWN(1) + 1", FormatString: "0 €"}, semanticmodel.Measure{Name: "# Odd", Expression: "UNKNOWN(2)"})
	})
	long := "'Long Name" + strings.Repeat("x", 71) + "…'"
	want := map[string]string{
		"Returns":                  "What does one row of 'Returns' stand for: a transaction, a line of one, a day?",
		"FactSales[Sales Channel]": "What does 'Sales Channel' hold? An example of its values?",
		"FactSales[IsGift]":        "When is 'IsGift' true?",
		"FactSales[Xq]":            "What is 'Xq' short for, and what does it hold?",
		"FactSales[Column1]":       "What does 'Column1' hold, and what is a better name for it?",
		"FactSales[Is Paid]":       "When is 'Is Paid' 1, and when is it 0?",
		"FactSales[Has Tax]":       "Which values does 'Has Tax' have, and what does each of them mean?",
		"FactSales[Order Code]":    "Which codes does 'Order Code' hold, and what does each of them stand for?",
		"FactSales[Weight]":        "What does 'Weight' measure, and in which unit?",
		"FactSales[Tax Rate]":      "Which numbers does 'Tax Rate' hold? An example of its values?",
		"FactSales[Paid On]":       "What happens at 'Paid On', and in which time zone is it?",
		"FactSales[Voucher Id]":    "What does 'Voucher Id' identify, and where do people meet it?",
		"FactSales[Fee]":           "How does 'Fee' differ from 'Toll', which has the same description?",
		"FactSales[Toll]":          "How does 'Toll' differ from 'Fee', which has the same description?",
		"FactSales[Odd]":           "What does 'Odd' measure, in which unit, and when is it the right measure to use?",
		"FactSales[Odd in Euro]":   "What does 'Odd in Euro' measure, and when is it the right measure to use?",
		"FactSales[# Odd]":         "What does '# Odd' count, and when is it the right measure to use?",
		"FactSales[Long\nName" + strings.Repeat("x", 100) + "]": "Which 200 characters of the description of " + long + " matter most?",
		// What has a text, is described, or is not to be seen, needs no words.
		"FactSales[Average Price]": "", "FactSales[Revenue]": "", "FactSales[_tooltip text]": "", "FactSales[ProductKey]": "",
	}
	got := map[string]string{}
	var asked []proposal.Object
	for name := range want {
		got[name] = ""
		asked = append(asked, object(m, name))
	}
	a := rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: asked})
	for _, q := range a.Questions {
		name := q.Table
		if q.Name != "" {
			name += "[" + q.Name + "]"
		}
		got[name] = q.Text
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for o, text := range rules.Words(m, asked) {
		if name := o.Table + "[" + o.Name + "]"; o.Name != "Average Price" && got[name] != text && got[o.Table] != text {
			t.Errorf("%s: %q, want %q", name, text, got[name])
		}
	}
}

// TestGroups tells which items of a calculation group take the place of the measure. If only some do, a person has to say what for.
func TestGroups(t *testing.T) {
	t.Parallel()
	group := proposal.Object{Table: "Time Comparison", Type: proposal.Table}
	column := proposal.Object{Table: "Time Comparison", Name: "Comparison", Type: proposal.Column}
	for name, row := range map[string]struct {
		items                   [2]string
		group, column, instruct string
	}{
		"all": {[2]string{"[Net Sales]", "[Units]"}, "Calculation group: shows one of Current and Prior Year in place of the measure that is asked for.",
			"Changes how a measure is calculated: Current, Prior Year.", "to one item to show it in place of a measure; its items are Current and Prior Year."},
		"one": {[2]string{"SELECTEDMEASURE()", "1"}, "", "", "to one item to apply it to a measure; its items are Current and Prior Year, of which Prior Year takes the place of the measure."},
		"none": {[2]string{"SELECTEDMEASURE()", "-SELECTEDMEASURE()"}, "Calculation group: applies Current and Prior Year to whichever measure is asked for.",
			"Changes how a measure is calculated: Current, Prior Year.", "to one item to apply it to a measure; its items are Current and Prior Year."},
	} {
		m := shop(func(m *semanticmodel.Model) {
			items := tableOf(m, "Time Comparison").CalculationGroup.Items
			items[0].Expression, items[1].Expression = row.items[0], row.items[1]
		})
		a := rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: []proposal.Object{group, column}})
		if got := byObject(a); got[group].Value != row.group || got[column].Value != row.column || len(a.Proposals)+len(a.Questions) != 2 {
			t.Errorf("%s: %+v", name, a)
		}
		if got := strings.Join(sectionOf(m, "Calculation groups and parameters"), "\n"); !strings.Contains(got, row.instruct) {
			t.Errorf("%s: %s", name, got)
		}
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
	before := *readiness.Current().Assess(m, readiness.Options{}).Raw
	for _, ask := range asks(m) {
		after := *readiness.Current().Assess(applied(m, ask.Type, rules.Propose(ask).Proposals), readiness.Options{}).Raw
		if after <= before {
			t.Errorf("%s: %v to %v", ask.Type, before, after)
		}
	}
	if after := *readiness.Current().Assess(optimized(m, false), readiness.Options{}).Raw; after < before+23 {
		t.Errorf("all: %v to %v", before, after)
	}
}

// A table that nothing refers to is described by its key and its attributes, if it has both.
func TestDescribeUnrelatedTable(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		columns []semanticmodel.Column
		want    string
	}{
		"key and attributes": {[]semanticmodel.Column{{Name: "Line Key", IsKey: true, IsHidden: true}, {Name: "Region"}, {Name: "Channel"},
			{Name: "Amount", DataType: semanticmodel.Decimal}}, "One row for each Line Key, with Region and Channel."},
		"all its columns, of 3": {[]semanticmodel.Column{{Name: "Line Key", IsKey: true}, {Name: "Region"}, {Name: "Channel"}}, ""},
		"a key of the name":     {[]semanticmodel.Column{{Name: "Sales Key", IsKey: true, IsHidden: true}, {Name: "Region"}, {Name: "Channel"}}, ""},
		"no key":                {[]semanticmodel.Column{{Name: "Line Key"}, {Name: "Region"}}, ""},
		"nothing but numbers":   {[]semanticmodel.Column{{Name: "Line Key", IsKey: true}, {Name: "Amount", DataType: semanticmodel.Decimal}}, ""},
	} {
		for i := range test.columns {
			if c := &test.columns[i]; c.DataType == "" {
				c.DataType = semanticmodel.String
			}
		}
		m := &semanticmodel.Model{Tables: []semanticmodel.Table{{Name: "Sales", Columns: test.columns}}}
		o := proposal.Object{Table: "Sales", Type: proposal.Table}
		got := ""
		for _, p := range rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: []proposal.Object{o}}).Proposals {
			got = p.Value
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
