package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
)

// visibilities lists the proposals, such as "Sales[Net] Hidden!", where ! means recommended.
func visibilities(m *semanticmodel.Model, usage map[string]map[string]int64, value string) string {
	var out []string
	for _, p := range rules.Propose(proposal.Ask{Type: proposal.AIDataSchema, Model: m, Usage: usage}).Proposals {
		if p.Value != value {
			continue
		}
		name := p.Table
		if p.Name != "" {
			name += "[" + p.Name + "]"
		}
		if p.Recommended {
			name += "!"
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// Technical objects are hidden, and each hiding is recommended. Keys that a measure is computed from
// stay, with the measure.
//
// proves: 2.12/preview/recommended
func TestSchemaHides(t *testing.T) {
	t.Parallel()
	const usual = "Category[CategoryId]!, Customers[CustomerKey]!, FactSales[ETL Batch]!, FactSales[OrderDate]!, FactSales[ProductKey]!, FactSales[Revenue]!, FactSales[_tooltip text]!, " +
		"Product[CategoryId]!, Product[ProductKey]!, Returns[ProductKey]!, Returns[Return Date]!, Time Comparison[Ordinal]!"
	with := func(more string) string {
		all := append(strings.Split(usual, ", "), strings.Split(more, ", ")...)
		slices.Sort(all)
		return strings.Join(all, ", ")
	}
	without := func(less string) string {
		return strings.Join(slices.DeleteFunc(strings.Split(usual, ", "), func(s string) bool { return s == less }), ", ")
	}
	for name, row := range map[string]struct {
		change func(*semanticmodel.Model)
		usage  map[string]map[string]int64
		want   string
	}{
		"the shop": {want: usual},
		"a repeated measure": {
			change: func(m *semanticmodel.Model) {
				measure(m, "FactSales", "Goal").Expression = " sum( factsales[Net Amount])"
			}, want: with("FactSales[Goal]!"),
		},
		"unless another is computed from it": {
			change: func(m *semanticmodel.Model) {
				measure(m, "FactSales", "Goal").Expression = "[_tooltip text] + 1"
			}, want: without("FactSales[_tooltip text]!"),
		},
		"a repeated measure for one group": {
			change: func(m *semanticmodel.Model) {
				t := tableOf(m, "FactSales")
				t.Measures = append(t.Measures, semanticmodel.Measure{Name: "Clients by Plan", Expression: "COUNTROWS(Customers) + 1"},
					semanticmodel.Measure{Name: "Total Clients", Expression: "COUNTROWS(Customers) + 1"})
			}, want: with("FactSales[Clients by Plan]!"),
		},
		"the key of a relationship that is not active": {
			change: func(m *semanticmodel.Model) {
				for i := range m.Relationships {
					if m.Relationships[i].ToTable == "Customers" {
						m.Relationships[i].IsActive = false
					}
				}
			}, want: sorted(without("Customers[CustomerKey]!") + ", Customers, Customers[City], Customers[Customer Name], Customers[CustomerKey], Customers[Segment], Customers[Website]"),
		},
		"not every measure": {
			change: func(m *semanticmodel.Model) {
				tableOf(m, "FactSales").Measures = []semanticmodel.Measure{{Name: "_a", Expression: "1"}}
				tableOf(m, "Returns").Measures = nil
			}, want: sorted(strings.ReplaceAll(without("FactSales[_tooltip text]!"), "FactSales[Revenue]!", "FactSales[CustomerKey]!")),
		},
		"a key that may be a number of the business": {
			change: func(m *semanticmodel.Model) {
				column(m, "Customers", "CustomerKey").DataType = semanticmodel.String
			}, want: strings.Replace(usual, "Customers[CustomerKey]!", "Customers[CustomerKey]", 1),
		},
		"the only name of a row": {
			change: func(m *semanticmodel.Model) {
				c := column(m, "Customers", "Customer Name")
				c.Name, c.IsDefaultLabel = "Gender", false
			}, want: without("Customers[CustomerKey]!"),
		},
		"what nothing joins": {
			change: func(m *semanticmodel.Model) {
				m.Tables = append(m.Tables, semanticmodel.Table{Name: "Notes", Columns: []semanticmodel.Column{{Name: "Note", DataType: semanticmodel.String}}})
			}, want: with("Notes, Notes[Note]"),
		},
		"an automatic date table": {
			change: func(m *semanticmodel.Model) {
				m.Tables = append(m.Tables, semanticmodel.Table{Name: "LocalDateTable_1", Columns: []semanticmodel.Column{{Name: "Date", DataType: semanticmodel.DateTime}}})
			}, want: with("LocalDateTable_1!"),
		},
		"a private one, which nothing sees": {
			change: func(m *semanticmodel.Model) {
				m.Tables = append(m.Tables, semanticmodel.Table{Name: "DateTableTemplate_1", IsPrivate: true, Columns: []semanticmodel.Column{{Name: "Date", DataType: semanticmodel.DateTime}}})
			}, want: without("what is not there"),
		},
		"a key that neither side has once": {
			change: func(m *semanticmodel.Model) { m.Relationships[1].ToCardinality = semanticmodel.Many }, want: without("FactSales[ProductKey]!"),
		},
		"a model in which only keys can be counted": {
			change: func(m *semanticmodel.Model) {
				for i := range m.Tables {
					m.Tables[i].Measures, m.Tables[i].CalculationGroup = nil, nil
				}
				m.Tables = m.Tables[:len(m.Tables)-2]
			}, want: "Category[CategoryId]!, Customers[CustomerKey]!, FactSales[ETL Batch]!, Product[ProductKey]!",
		},
		"a table that refers to itself": {
			change: func(m *semanticmodel.Model) {
				t := tableOf(m, "Customers")
				t.Columns = append(t.Columns, semanticmodel.Column{Name: "Parent Customer", DataType: semanticmodel.Int64})
			}, want: without("Customers[CustomerKey]!"),
		},
		"a bridge": {
			change: func(m *semanticmodel.Model) {
				m.Tables = append(m.Tables, semanticmodel.Table{Name: "Baskets", Columns: []semanticmodel.Column{
					{Name: "CustomerKey", DataType: semanticmodel.Int64}, {Name: "ProductKey", DataType: semanticmodel.Int64}}})
				m.Relationships = append(m.Relationships, related("Baskets[CustomerKey]", "Customers[CustomerKey]", true), related("Baskets[ProductKey]", "Product[ProductKey]", true))
			}, want: usual,
		},
		"what is in no report and nothing uses": {
			usage: map[string]map[string]int64{"FactSales": {"Net Sales": 9, "Sales Channel": 4, "Revenue": 1}, "customers": {"SEGMENT": 1}},
			want: with("Category, Category[Category Name], Customers[City], Customers[Customer Name], Customers[Website], FactSales[IsGift], FactSales[Line Total], FactSales[Xq], " +
				"Date[Fiscal Year], Product, Product[Product]"),
		},
	} {
		m := shop()
		if row.change != nil {
			row.change(m)
		}
		got := visibilities(m, row.usage, proposal.Hidden)
		if got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, row.want)
		}
	}
}

func sorted(list string) string {
	all := strings.Split(list, ", ")
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// A hidden object of the model is shown when a shown measure is computed from it, directly or through
// measures, even if it is a key.
func TestSchemaShowsWhatMeasuresNeed(t *testing.T) {
	t.Parallel()
	m := shop(func(m *semanticmodel.Model) {
		for _, name := range []string{"CustomerKey", "Net Amount", "Qty", "ETL Batch"} {
			column(m, "FactSales", name).IsHidden = true
		}
		measure(m, "FactSales", "Net Sales").IsHidden = true
	})
	column(m, "FactSales", "ShipDate").IsHidden = true // [Shipped Sales] only switches its relationship
	got := visibilities(m, nil, proposal.Visible)
	if strings.Contains(got, "ShipDate") {
		t.Errorf("shown: %s", got)
	}
	for _, want := range []string{"FactSales[CustomerKey]!", "FactSales[Net Amount]!", "FactSales[Net Sales]!", "FactSales[Qty]!"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not shown: %s", want, got)
		}
	}
	reason := byObject(rules.Propose(proposal.Ask{Type: proposal.AIDataSchema, Model: m}))[object(m, "FactSales[CustomerKey]")].Reason
	for _, want := range []string{"[Customers]", "Microsoft asks for everything", "VIS-04", "People still do not see it."} {
		if !strings.Contains(reason, want) {
			t.Errorf("the reason to show a hidden key does not say %q: %s", want, reason)
		}
	}
	if strings.Contains(got, "ETL Batch") {
		t.Errorf("a hidden column that nothing needs is shown: %s", got)
	}
}

// A schema that a person chose changes only where a rule is clear.
func TestSchemaKeepsChoices(t *testing.T) {
	t.Parallel()
	base := func(m *semanticmodel.Model) {
		for _, o := range rules.Propose(proposal.Ask{Type: proposal.AIDataSchema, Model: m}).Proposals {
			show(m, o)
		}
	}
	set := func(name, value string) func(*semanticmodel.Model) {
		return func(m *semanticmodel.Model) { show(m, proposal.Proposal{Object: object(m, name), Value: value}) }
	}
	for name, row := range map[string]struct {
		changes         []func(*semanticmodel.Model)
		visible, hidden string
	}{
		"as proposed":           {},
		"an attribute left out": {changes: []func(*semanticmodel.Model){set("Customers[City]", proposal.Hidden)}},
		"a table left out":      {changes: []func(*semanticmodel.Model){set("Customers", proposal.Hidden)}},
		"a measure left out":    {changes: []func(*semanticmodel.Model){set("FactSales[Goal]", proposal.Hidden)}},
		"a helper shown":        {changes: []func(*semanticmodel.Model){set("FactSales[_tooltip text]", proposal.Visible)}, hidden: "FactSales[_tooltip text]!"},
		"a foreign key shown":   {changes: []func(*semanticmodel.Model){set("Returns[ProductKey]", proposal.Visible)}, hidden: "Returns[ProductKey]!"},
		"a foreign key of another type shown": {changes: []func(*semanticmodel.Model){set("Returns[ProductKey]", proposal.Visible), func(m *semanticmodel.Model) {
			column(m, "Returns", "ProductKey").DataType = semanticmodel.String
		}}},
		"what a measure needs left out":       {changes: []func(*semanticmodel.Model){set("FactSales[Qty]", proposal.Hidden)}, visible: "FactSales[Qty]!"},
		"a key that a measure needs left out": {changes: []func(*semanticmodel.Model){set("FactSales[CustomerKey]", proposal.Hidden)}},
		"a helper that a verified answer shows": {changes: []func(*semanticmodel.Model){set("FactSales[_tooltip text]", proposal.Visible), func(m *semanticmodel.Model) {
			m.Copilot.VerifiedAnswers = []semanticmodel.VerifiedAnswer{{Fields: []semanticmodel.FieldRef{{Table: "FactSales", Name: "_tooltip text"}}}}
		}}},
		"a table of a needed column left out": {
			changes: []func(*semanticmodel.Model){set("FactSales", proposal.Hidden), func(m *semanticmodel.Model) {
				tableOf(m, "FactSales").Measures = nil
				tableOf(m, "Returns").Measures = []semanticmodel.Measure{{Name: "Units", Expression: "SUM(FactSales[Qty])"}}
			}}, visible: "FactSales!",
			hidden: "FactSales[IsGift]!, FactSales[Line Total]!, FactSales[Net Amount]!, FactSales[Sales Channel]!, FactSales[Unit Price]!, FactSales[Xq]!",
		},
	} {
		m := shop(base)
		for _, change := range row.changes {
			change(m)
		}
		visible, hidden := visibilities(m, nil, proposal.Visible), visibilities(m, nil, proposal.Hidden)
		if name == "a table of a needed column left out" {
			hidden = strings.Join(slices.DeleteFunc(strings.Split(hidden, ", "), func(s string) bool { return strings.Contains(s, "Key") || strings.Contains(s, "Date") }), ", ")
		}
		if visible != row.visible || hidden != row.hidden {
			t.Errorf("%s: shows %q and hides %q, want %q and %q", name, visible, hidden, row.visible, row.hidden)
		}
	}
}

// Of more than 25 tables, those stay that measures and relationships need most.
func TestSchemaShowsFewTables(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		related bool
		views   int64 // of each of the others; 0 for an unknown use
		of      int64 // of the table that could go
		want    string
	}{
		"nothing relates to it":                   {want: "Extra 20!"},
		"it is joined, and its use is unknown":    {related: true, want: "Extra 20"},
		"it is joined and used, though the least": {related: true, views: 2, of: 1, want: "Extra 20"},
		"it is joined, and nobody uses it":        {related: true, views: 1, want: "Extra 20!"},
	} {
		m := shop(func(m *semanticmodel.Model) {
			for i := range 22 {
				name := fmt.Sprintf("Extra %02d", i)
				m.Tables = append(m.Tables, semanticmodel.Table{Name: name, Columns: []semanticmodel.Column{{Name: "Id", DataType: semanticmodel.Int64}, {Name: "Text", DataType: semanticmodel.String}}})
				if row.related || i != 20 {
					tableOf(m, "FactSales").Columns = append(tableOf(m, "FactSales").Columns, semanticmodel.Column{Name: name, DataType: semanticmodel.Int64})
					m.Relationships = append(m.Relationships, related("FactSales["+name+"]", name+"[Id]", true))
				}
			}
		})
		used := map[string]map[string]int64{}
		for i := range 22 {
			if row.views > 0 && i != 20 {
				used[fmt.Sprintf("Extra %02d", i)] = map[string]int64{"Text": row.views}
			}
		}
		if row.of > 0 {
			used["Extra 20"] = map[string]int64{"Text": row.of}
		}
		hidden := strings.Split(visibilities(m, used, proposal.Hidden), ", ")
		for _, kept := range []string{"FactSales", "Date", "Extra 21"} {
			if slices.Contains(hidden, kept+"!") {
				t.Errorf("%s: %s is hidden", name, kept)
			}
		}
		if !slices.Contains(hidden, row.want) {
			t.Errorf("%s: want %s; hidden are %v", name, row.want, hidden)
		}
	}
}

// A measure goes only with its table: where that is for a person to decide, so is the measure.
func TestSchemaKeepsMeasuresOfManyTables(t *testing.T) {
	t.Parallel()
	m := shop(func(m *semanticmodel.Model) {
		for i := range 25 {
			name := fmt.Sprintf("Extra %02d", i)
			m.Tables = append(m.Tables, semanticmodel.Table{Name: name, Columns: []semanticmodel.Column{{Name: "Id", DataType: semanticmodel.Int64}, {Name: "Text", DataType: semanticmodel.String}},
				Measures: []semanticmodel.Measure{{Name: "Longest " + name, Expression: "MAX('" + name + "'[Text])"}}})
			tableOf(m, "FactSales").Columns = append(tableOf(m, "FactSales").Columns, semanticmodel.Column{Name: name, DataType: semanticmodel.Int64})
			m.Relationships = append(m.Relationships, related("FactSales["+name+"]", name+"[Id]", true))
		}
	})
	hidden := 0
	for _, x := range strings.Split(visibilities(m, nil, proposal.Hidden), ", ") {
		if strings.Contains(x, "[Longest ") {
			hidden++
			if strings.HasSuffix(x, "!") {
				t.Errorf("%s is hidden by recommendation", x)
			}
		}
	}
	if hidden == 0 {
		t.Error("no measure could go")
	}
}

// In a model whose every field is useful, nothing is recommended: an AI without a schema sees the same.
func TestSchemaOfUsefulFields(t *testing.T) {
	t.Parallel()
	sales := semanticmodel.Table{Name: "Sales"}
	for i := range 40 {
		sales.Columns = append(sales.Columns, semanticmodel.Column{Name: fmt.Sprintf("Amount %02d", i), DataType: semanticmodel.Decimal})
	}
	for _, visibility := range []string{proposal.Visible, proposal.Hidden} {
		if got := visibilities(&semanticmodel.Model{Tables: []semanticmodel.Table{sales}}, nil, visibility); strings.Contains(got, "!") {
			t.Errorf("%s: got %s", visibility, got)
		}
	}
}
