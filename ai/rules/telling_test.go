package rules_test

import (
	"testing"

	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
)

// A text that only follows from the name and the expression is not proposed, and a person is asked. One that says which rows
// count, which period or date is meant or what divides is.
func TestTrivialTexts(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ expression, want string }{
		"Total Amount":             {"SUM(FactSales[Net Amount])", ""},
		"Ordered Value":            {"SUM(FactSales[Net Amount])", ""},
		"Largest":                  {"MAX(FactSales[Qty])", "Highest Qty in FactSales."},
		"Max Qty":                  {"MAX(FactSales[Qty])", ""},
		"Buyers":                   {"DISTINCTCOUNT(FactSales[CustomerKey])", "Number of different values of CustomerKey in FactSales."},
		"# Customers (with Sales)": {"DISTINCTCOUNT(FactSales[CustomerKey])", ""},
		"All customers":            {"DISTINCTCOUNT(Customers[CustomerKey])", ""},
		"Distinct Buyers":          {"DISTINCTCOUNT(FactSales[CustomerKey])", ""},
		"Units LY":                 {"CALCULATE([Units], SAMEPERIODLASTYEAR('Date'[Date]))", ""},
		"Units YTD":                {"TOTALYTD([Units], 'Date'[Date])", ""},
		"Units FYTD":               {`CALCULATE([Units], DATESYTD('Date'[Date], "6/30"))`, "[Units] from the start of the year that ends on 6/30 to the latest date selected."},
		"Web Units":                {`CALCULATE([Units], FactSales[Sales Channel] = "Web")`, ""},
		"Direct Units":             {`CALCULATE([Units], FactSales[Sales Channel] = "Web")`, `[Units] where Sales Channel of FactSales is "Web".`},
		"Big Units":                {"CALCULATE([Units], FactSales[Qty] > 10)", "[Units] where Qty of FactSales is more than 10."},
		"Web Pieces":               {`CALCULATE(SUM(FactSales[Qty]), FactSales[Sales Channel] = "Web")`, `Sum of Qty in FactSales where Sales Channel is "Web"; in all: [Units].`},
		"Gift Orders":              {"CALCULATE([Orders], FactSales[IsGift] = TRUE())", ""},
		"Gross Margin":             {"[Net Sales] - [Total Cost]", ""},
		"Gross Margin %":           {"DIVIDE([Gross Profit], [Net Sales])", ""},
		"Sales Margin %":           {"DIVIDE([Margin], [Sales Amount])", ""},
		"Gold Sales":               {"CALCULATE([Sales Amount], Customers[IsGold] = TRUE())", ""},
		"Avg Order Value":          {"DIVIDE([Net Sales], [Orders])", ""},
		"Average Order Value":      {"DIVIDE([Gross Profit], [Orders])", "[Gross Profit] divided by [Orders]."},
		"Avg Customer Value":       {"DIVIDE([Sales Amount], [Orders])", "[Sales Amount] divided by [Orders]."},
		"Red Sales":                {`CALCULATE([Sales Amount], Product[Product] = "Red")`, ""},
		"Own Margin":               {"[Net Sales] - [Units]", "[Net Sales] minus [Units]."},
		"Fixed share":              {"([Units] + 1) / 2", "([Units] plus 1) divided by 2."},
		"Units per Order":          {"DIVIDE([Units], [Orders])", ""},
		"Basket":                   {"DIVIDE([Units], [Orders])", "[Units] divided by [Orders]."},
		"Profit per order":         {"DIVIDE([Gross Profit], [Orders])", ""},
		"Profit per head":          {"DIVIDE([Gross Profit], [Orders])", "[Gross Profit] divided by [Orders]."},
		"Gifted Order %":           {"DIVIDE([Gifted Orders], [Orders])", ""},
		"Refund rate":              {"DIVIDE([Gifted Orders], [Units])", "[Gifted Orders] divided by [Units]."},
		"Units vs PY":              {"[Units] - [Units PY]", ""},
		"Units growth %":           {"DIVIDE([Units] - [Units PY], [Units PY])", ""},
		"Growth":                   {"DIVIDE([Units] - [Units PY], [Units PY])", "Relative change from [Units PY] to [Units]."},
		"Units Year to Date":       {"TOTALYTD([Units], 'Date'[Date])", ""},
		"Total orders":             {"COUNT(FactSales[CustomerKey])", "Number of rows of FactSales with a value in CustomerKey."},
		"Total customers":          {"COUNT(Customers[CustomerKey])", ""},
		"Web Units sold":           {`CALCULATE(SUM(FactSales[Qty]), FactSales[Sales Channel] = "Web")`, ""},
		"Units safe":               {"DIVIDE([Units], [Orders], 0)", "[Units] divided by [Orders], 0 if the divisor is zero or empty."},
		"Picked":                   {"SELECTEDVALUE(FactSales[Sales Channel])", ""},
		"Limit 100":                {"100", ""},
		"Nothing":                  {"0", ""},
		"Limit":                    {"100", "Always 100, whatever is selected."},
		"Units or none":            {"[Units] + 0", ""},
		"Selected Channel":         {"SELECTEDVALUE(FactSales[Sales Channel])", ""},
		"Units YoY":                {"[Units] - [Units PY]", ""},
		"Units var":                {"-[Units]", "[Units], with the sign reversed."},
		"Units by ShipDate":        {"CALCULATE([Units], USERELATIONSHIP(FactSales[ShipDate], 'Date'[Date]))", ""},
		"Units sent":               {"CALCULATE([Units], USERELATIONSHIP(FactSales[ShipDate], 'Date'[Date]))", "[Units], dated by ShipDate of FactSales."},
	} {
		m := shop(func(m *semanticmodel.Model) {
			c := tableOf(m, "Customers")
			c.Columns = append(c.Columns, semanticmodel.Column{Name: "IsGold", DataType: semanticmodel.Boolean})
			f := tableOf(m, "FactSales")
			f.Measures = append(f.Measures, semanticmodel.Measure{Name: "Units PY", Expression: "CALCULATE([Units], SAMEPERIODLASTYEAR('Date'[Date]))"},
				semanticmodel.Measure{Name: "Total Cost", Expression: "1"}, semanticmodel.Measure{Name: "Gross Profit", Expression: "1"}, semanticmodel.Measure{Name: "Gifted Orders", Expression: "1"},
				semanticmodel.Measure{Name: "Sales Amount", Expression: "1"}, semanticmodel.Measure{Name: "Margin", Expression: "1"},
				semanticmodel.Measure{Name: name, Expression: row.expression})
		})
		o := object(m, "FactSales["+name+"]")
		a := rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: []proposal.Object{o}})
		got := ""
		for _, p := range a.Proposals {
			got = p.Value
		}
		if got != row.want || row.want != "" && len(a.Questions) > 0 || name == "Units YTD" && len(a.Questions) != 1 {
			t.Errorf("%s = %s: got %q, want %q; asked %v", name, row.expression, got, row.want, a.Questions)
		}
	}
}

// A sum is described if the format says its currency, and the name does not.
func TestCurrencyTells(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, format, others, column, want string }{
		{"Total Amount", "#,0 €", "", "", "Sum of Net Amount in FactSales, in euro."},
		{"Total Amount", "#,0 €", "#,0 €", "Current State", "Sum of Net Amount in FactSales, in euro."},
		{"Total Amount", "#,0 €", "$#,0", "", ""},              // a default of whoever wrote it
		{"Total Amount", "#,0 €", "#,0 €", "CurrencyCode", ""}, // of each row
		{"Amount EUR", "#,0 €", "", "", ""},
		{"Total Amount", "#,0 $", "", "", ""},
		{"Total Amount", "#,0", "", "", ""},
	} {
		m := shop(func(m *semanticmodel.Model) {
			f := tableOf(m, "FactSales")
			for _, t := range m.Tables {
				for i := range t.Columns {
					t.Columns[i].FormatString = ""
				}
				for i := range t.Measures {
					t.Measures[i].FormatString = row.others
				}
			}
			measure(m, "FactSales", "Net Sales").Expression = "1" // of two with one expression, one is left out
			if row.column != "" {
				f.Columns = append(f.Columns, semanticmodel.Column{Name: row.column, DataType: semanticmodel.String})
			}
			f.Measures = append(f.Measures, semanticmodel.Measure{Name: row.name, Expression: "SUM(FactSales[Net Amount])", FormatString: row.format})
		})
		o := object(m, "FactSales["+row.name+"]")
		if got := byObject(rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: []proposal.Object{o}}))[o].Value; got != row.want {
			t.Errorf("%s in %s: %q, want %q", row.name, row.format, got, row.want)
		}
	}
}

// A calculated column is described unless its name and the structure say it: what it takes from another table under that name, a flag,
// a part of a date. CALCULATE turns its row into a filter, so that no text about the table would be true.
func TestTrivialColumns(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ expression, want string }{
		"City":          {"RELATED(Customers[City])", ""},
		"CityName":      {"RELATED(Customers[City])", ""},
		"CustomerName":  {"RELATED(Customers[Customer Name])", ""},
		"Town":          {"RELATED(Customers[City])", "City of the related Customers row."},
		"No Channel":    {"IF(ISBLANK(FactSales[Sales Channel]), 1)", ""},
		"Lost":          {"IF(ISBLANK(FactSales[Sales Channel]), 1)", "1 if Sales Channel is empty, else empty."},
		"Order Month":   {"MONTH(FactSales[OrderDate])", ""},
		"Short Month":   {`FORMAT(FactSales[OrderDate], "MMM")`, ""},
		"Stamp":         {`FORMAT(FactSales[OrderDate], "MMM yyyy")`, `OrderDate as text, such as "Feb 2026".`},
		"Month":         {"MONTH(FactSales[OrderDate])", "Month of OrderDate, from 1 to 12."},
		"Repeated":      {"VAR c = FactSales[Sales Channel] RETURN COUNTROWS(FILTER(FactSales, FactSales[Sales Channel] = c))", "Number of rows of FactSales where Sales Channel is Sales Channel of the row itself."},
		"Of the order":  {"CALCULATE(SUM(FactSales[Qty]), ALLEXCEPT(FactSales, FactSales[Xq]))", ""},
		"Large for sum": {"CALCULATE(SUM(FactSales[Qty]), FactSales[Qty] > 10)", ""},
		"Age":           {"DATEDIFF(FactSales[OrderDate], TODAY(), YEAR)", "Number of year ends from OrderDate to today, not full years."},
	} {
		m := shop(func(m *semanticmodel.Model) {
			f := tableOf(m, "FactSales")
			f.Columns = append(f.Columns, semanticmodel.Column{Name: name, Expression: row.expression, DataType: semanticmodel.String})
		})
		o := object(m, "FactSales["+name+"]")
		if got := byObject(rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: []proposal.Object{o}}))[o].Value; got != row.want {
			t.Errorf("%s = %s: got %q, want %q", name, row.expression, got, row.want)
		}
	}
}

// A person's description is not replaced by one that says no more.
func TestWrittenTextStays(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"Migration":                          "[Reports Migrated] divided by [Legacy Reports], as a percentage.",
		"Reports Migrated / Legacy Reports.": "",
		"Net Sales divided by Units":         "", // of which nothing here knows
	} {
		m := shop(func(m *semanticmodel.Model) {
			m.Tables = append(m.Tables, semanticmodel.Table{Name: "Legacy Report Inventory", Columns: []semanticmodel.Column{{Name: "Title", DataType: semanticmodel.String}}})
			f := tableOf(m, "FactSales")
			f.Measures = append(f.Measures, semanticmodel.Measure{Name: "Reports Migrated", Expression: "COUNTROWS(FactSales)"},
				semanticmodel.Measure{Name: "Legacy Reports", Expression: "COUNTROWS(FactSales)"},
				semanticmodel.Measure{Name: "Migration % Complete", Expression: "DIVIDE([Reports Migrated], [Legacy Reports])", FormatString: "0%", Description: written})
		})
		o := object(m, "FactSales[Migration % Complete]")
		if got := byObject(rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: []proposal.Object{o}}))[o].Value; got != want {
			t.Errorf("%s: got %q, want %q", written, got, want)
		}
	}
}
