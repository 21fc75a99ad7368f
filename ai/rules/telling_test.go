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
		"Total Amount":      {"SUM(FactSales[Net Amount])", ""},
		"Ordered Value":     {"SUM(FactSales[Net Amount])", ""},
		"Largest":           {"MAX(FactSales[Qty])", "Highest Qty in FactSales."},
		"Max Qty":           {"MAX(FactSales[Qty])", ""},
		"Buyers":            {"DISTINCTCOUNT(FactSales[CustomerKey])", "Number of different values of CustomerKey in FactSales."},
		"Distinct Buyers":   {"DISTINCTCOUNT(FactSales[CustomerKey])", ""},
		"Units LY":          {"CALCULATE([Units], SAMEPERIODLASTYEAR('Date'[Date]))", ""},
		"Units YTD":         {"TOTALYTD([Units], 'Date'[Date])", ""},
		"Units FYTD":        {`CALCULATE([Units], DATESYTD('Date'[Date], "6/30"))`, "[Units] from the start of the year that ends on 6/30 to the latest date selected."},
		"Web Units":         {`CALCULATE([Units], FactSales[Sales Channel] = "Web")`, ""},
		"Direct Units":      {`CALCULATE([Units], FactSales[Sales Channel] = "Web")`, `[Units] where Sales Channel of FactSales is "Web".`},
		"Big Units":         {"CALCULATE([Units], FactSales[Qty] > 10)", "[Units] where Qty of FactSales is more than 10."},
		"Web Pieces":        {`CALCULATE(SUM(FactSales[Qty]), FactSales[Sales Channel] = "Web")`, `Sum of Qty in FactSales where Sales Channel is "Web"; in all: [Units].`},
		"Gift Orders":       {"CALCULATE([Orders], FactSales[IsGift] = TRUE())", ""},
		"Units per Order":   {"DIVIDE([Units], [Orders])", ""},
		"Basket":            {"DIVIDE([Units], [Orders])", "[Units] divided by [Orders]."},
		"Units safe":        {"DIVIDE([Units], [Orders], 0)", "[Units] divided by [Orders], 0 if the divisor is zero."},
		"Picked":            {"SELECTEDVALUE(FactSales[Sales Channel])", ""},
		"Limit 100":         {"100", ""},
		"Limit":             {"100", "Always 100, whatever is selected."},
		"Units or none":     {"[Units] + 0", ""},
		"Selected Channel":  {"SELECTEDVALUE(FactSales[Sales Channel])", ""},
		"Units YoY":         {"[Units] - [Units PY]", ""},
		"Units var":         {"-[Units]", "[Units], with the sign reversed."},
		"Units by ShipDate": {"CALCULATE([Units], USERELATIONSHIP(FactSales[ShipDate], 'Date'[Date]))", ""},
		"Units sent":        {"CALCULATE([Units], USERELATIONSHIP(FactSales[ShipDate], 'Date'[Date]))", "[Units], dated by ShipDate of FactSales."},
	} {
		m := shop(func(m *semanticmodel.Model) {
			f := tableOf(m, "FactSales")
			f.Measures = append(f.Measures, semanticmodel.Measure{Name: "Units PY", Expression: "CALCULATE([Units], SAMEPERIODLASTYEAR('Date'[Date]))"},
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
	for _, row := range []struct{ name, format, want string }{
		{"Total Amount", "#,0 €", "Sum of Net Amount in FactSales, in euro."},
		{"Amount EUR", "#,0 €", ""},
		{"Total Amount", "#,0 $", ""},
		{"Total Amount", "#,0", ""},
	} {
		m := shop(func(m *semanticmodel.Model) {
			f := tableOf(m, "FactSales")
			f.Measures = append(f.Measures, semanticmodel.Measure{Name: row.name, Expression: "SUM(FactSales[Net Amount])", FormatString: row.format})
		})
		o := object(m, "FactSales["+row.name+"]")
		if got := byObject(rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: []proposal.Object{o}}))[o].Value; got != row.want {
			t.Errorf("%s in %s: %q, want %q", row.name, row.format, got, row.want)
		}
	}
}
