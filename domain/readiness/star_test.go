package readiness_test

import (
	"fmt"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
)

// things are what the dimensions of star hold.
var things = []string{"customer", "product", "branch", "campaign", "invoice", "employee", "supplier", "contract", "region", "currency", "hotel", "project", "season", "vehicle"}

// star returns a model in which no rule fails: a fact table with two dates, dimensions,
// a marked date table and a calculation group, all described, with a schema,
// instructions, verified answers and synonyms.
func star(dimensions int) *semanticmodel.Model {
	none := summarized("none")
	m := model(
		table("Sales", described("One row for each line of an invoice."),
			date("Order Date", hidden, none), date("Ship Date", hidden, none),
			text("Line Note", none, about("What the clerk wrote on the line of the invoice.")),
			amount("Net Amount", summarized("sum"), about("Price of the line after discounts, in euro.")),
			measure("Revenue", "SUM(Sales[Net Amount])", formatted("#,0"), says("Net amount of all invoiced lines, in euro.")),
			measure("Revenue YTD", "TOTALYTD([Revenue], 'Date'[Date])", formatted("#,0"), says("What was invoiced since the first of January.")),
			measure("Shipped Revenue", "CALCULATE([Revenue])", formatted("#,0"), says("What was invoiced, by the day it left the house.")),
		),
		table("Date", described("One row for each day from 2020 on."), tableCategory("Time"),
			date("Date", key, none, about("One day.")), whole("Year", none, about("Four digits of the Gregorian calendar.")),
			text("Month", none, sorted("Month Number"), defaultLabel, about("January to December, in full.")),
			whole("Month Number", none, hidden),
			hierarchy("Calendar", "Year", "Month"),
		),
		table("Periods", described("How a measure is compared: with the previous year, or year to date."), items("CALCULATE(SELECTEDMEASURE(), USERELATIONSHIP(Sales[Ship Date], 'Date'[Date]))"),
			text("Calculation", none, source("Name"), about("calculate(selectedmeasure(), userelationship(sales[ship date], 'date'[date])): by shipping.")),
			whole("Ordinal", none, hidden),
		),
		related("Sales[Order Date] -> Date[Date]"),
		related("Sales[Ship Date] -> Date[Date]", "inactive"),
		schema("Sales[Net Amount] Visible", "Sales[Line Note] Hidden"),
		instructed("# Time\nThe fiscal year is the calendar year. By default use Order Date, unless shipping is meant.\n"+
			"# Measures\nUse the measure [Revenue] for questions about sales; turnover means 'Sales'[Revenue].\n"+
			"# Periods\nTake Periods to compare, so that measures need not be written again.\n"),
		answered("a1", phrases(5), "Sales[Revenue]"),
		synonyms("Sales[Revenue]", "Authored", "turnover"),
		synonyms("Sales[Revenue YTD]", "Authored", "turnover this year"),
		synonyms("Sales[Shipped Revenue]", "Authored", "turnover by shipping"),
		synonyms("Date[Month]", "Authored", "month of year"),
	)
	for i := range dimensions {
		name := fmt.Sprintf("Dimension %c%c", 'Q'+i/10, '0'+i%10)
		m.Tables[0].Columns = append(m.Tables[0].Columns, whole(name+" Id", hidden, none))
		m.Tables = append(m.Tables, table(name, described("One row per "+things[i]+"."),
			whole(name+" Number", key, none),
			text(name+" Title", none, defaultLabel, about("Who or what it is called by a "+things[len(things)-1-i]+".")),
		))
		related(fmt.Sprintf("Sales[%s Id] -> %s[%s Number]", name, name, name))
		m.Relationships = append(m.Relationships, related(fmt.Sprintf("Sales[%s Id] -> %s[%s Number]", name, name, name)))
		synonyms(name+"["+name+" Title]", "Authored", "heading "+name[10:])(m)
	}
	return m
}

func TestPerfectModel(t *testing.T) {
	t.Parallel()
	for _, dimensions := range []int{0, 1, 12} {
		r := readiness.Current().Assess(star(dimensions), readiness.Options{})
		if len(r.Findings) > 0 || r.Score == nil || *r.Score != 100 || *r.Raw != 100 || len(r.Caps) > 0 {
			t.Errorf("%d dimensions: got score %v, caps %v, findings %+v", dimensions, r.Score, r.Caps, r.Findings)
		}
		for _, d := range r.Dimensions {
			if d.Score == nil || *d.Score != 100 || *d.Raw != 100 {
				t.Errorf("%s: got %v, want 100", d.ID, d.Score)
			}
		}
	}
}
