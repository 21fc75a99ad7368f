package rulesengine_test

import (
	"strings"
	"testing"
	"time"

	"readiness/ai/rulesengine"
)

// warehouse is a catalog with a table that counts the same things again on each day.
func warehouse() rulesengine.Catalog {
	text := func(names ...string) (all []rulesengine.Column) {
		for _, n := range names {
			all = append(all, rulesengine.Column{Name: n, DataType: "string"})
		}
		return all
	}
	over := []string{"Stock Levels"}
	return rulesengine.Catalog{Tables: []rulesengine.Table{
		{Name: "Stock Levels", CountedOn: "Snapshot Date", FilteredBy: []string{"Calendar", "Products", "Stock Levels"},
			Columns: []rulesengine.Column{{Name: "Snapshot Date", DataType: "dateTime", Key: true, Dated: true},
				{Name: "Reserved Pieces", DataType: "int64", SummarizeBy: "sum"}, {Name: "Pallet Weight", DataType: "double", SummarizeBy: "average"}},
			Measures: []rulesengine.Measure{
				{Name: "Inventory Value", Over: over, Stock: &rulesengine.Stock{Table: "Stock Levels", Date: "Snapshot Date", Sums: true}},
				{Name: "Pieces on Hand", Over: over, Stock: &rulesengine.Stock{Table: "Stock Levels", Date: "Snapshot Date"}},
				{Name: "Days of Cover", Over: over, Stock: &rulesengine.Stock{Table: "Stock Levels", Sums: true}},
				{Name: "Damaged Pieces", Over: over, Stock: &rulesengine.Stock{Table: "Stock Levels", Date: "Snapshot Date", Sums: true}},
				{Name: "Damaged Pieces on the last day", Over: over},
				{Name: "Mean Age", Over: over},
			}},
		{Name: "Products", FilteredBy: []string{"Products"}, Columns: text("Product Name", "Category")},
		{Name: "Calendar", Dates: true, FilteredBy: []string{"Calendar"}, Columns: []rulesengine.Column{
			{Name: "Date", DataType: "dateTime", Key: true}, {Name: "Year", DataType: "int64"}, {Name: "Month", DataType: "string"}}},
	}}
}

// Stock is never added up over the days that count it: an answer has its value on the last day and says so, or the question is declined.
func TestStockOnTheLastDay(t *testing.T) {
	t.Parallel()
	const (
		value = "VAR LastDay = CALCULATE(MAX('Stock Levels'[Snapshot Date]), REMOVEFILTERS('Products')) " +
			"RETURN CALCULATE([Inventory Value], 'Stock Levels'[Snapshot Date] = LastDay)"
		pieces = "RETURN CALCULATE([Pieces on Hand], 'Calendar'[Date] = LastDay)"
	)
	engine := rulesengine.New(warehouse()).WithValues([]rulesengine.Values{
		{FieldRef: rulesengine.FieldRef{Table: "Products", Name: "Category"}, Texts: []string{"Garden", "Kitchen"}},
	}, time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))
	for _, c := range []struct{ question, fields, query string }{
		{"inventory value", "[Inventory Value on the last day]", value},
		{"inventory value by category", "[Inventory Value on the last day]; by Products.Category", value},
		{"inventory value of garden", "Products.Category = Garden; [Inventory Value on the last day]", value},
		{"inventory value today", "[Inventory Value on the last day]", value},
		{"inventory value by month", "[Inventory Value on the last day]; by Calendar.Month", value},
		{"inventory value in 2025", "Calendar.Year = 2025; [Inventory Value on the last day]", value},
		{"top 3 products by inventory value",
			"[Inventory Value on the last day]; [Inventory Value on the last day] top 3; by Products.Product Name", value},
		{"share of inventory value by category", "[Share of Inventory Value]; by Products.Category", "= DIVIDE([Inventory Value on the last day], " +
			"CALCULATE([Inventory Value on the last day], REMOVEFILTERS('Products'[Category])))"},
		{"inventory value in May 2026 versus May 2025", "[Inventory Value in May 2025]; [Inventory Value in May 2026]",
			"= CALCULATE([Inventory Value on the last day], FILTER("},
		{"pieces on hand by product", "[Pieces on Hand on the last day]; by Products.Product Name", pieces},
		{"pieces on hand today", "[Pieces on Hand on the last day]", pieces},
		{"pieces on hand in 2025", "Calendar.Year = 2025; [Pieces on Hand]", "[Pieces on Hand]"},
		{"pieces on hand by month", "[Pieces on Hand]; by Calendar.Month", "[Pieces on Hand]"},
		{"total reserved pieces by category", "[total Reserved Pieces on the last day]; by Products.Category",
			"RETURN CALCULATE([total Reserved Pieces], 'Stock Levels'[Snapshot Date] = LastDay)"},
		{"average pallet weight", "[average Pallet Weight]", "= AVERAGE('Stock Levels'[Pallet Weight])"},
		{"mean age by category", "[Mean Age]; by Products.Category", "[Mean Age]"},
		{"days of cover", none, ""},
		{"damaged pieces", none, ""}, // the name is taken
	} {
		got := engine.Answer(c.question)
		if fieldsOf(got) != c.fields || !strings.Contains(got.Query, c.query) {
			t.Errorf("%q\n got %s\nwant %s in\n%s\n%s", c.question, fieldsOf(got), c.fields, got.Query, got.Text)
		}
		if says := strings.Contains(got.Text, "The last day is the latest of 'Stock Levels'[Snapshot Date] in the data."); says !=
			strings.Contains(got.Query, "LastDay") {
			t.Errorf("%q: says the day: %v, in %s", c.question, says, got.Text)
		}
	}
	if why := engine.Answer("days of cover").Text; !strings.Contains(why, "I do not know by which column") {
		t.Error(why)
	}
}

// The question is unclear if a word names another measure than the one found, or contradicts it.
func TestDoubtfulMeasures(t *testing.T) {
	t.Parallel()
	over := []string{"Sales"}
	engine := rulesengine.New(rulesengine.Catalog{Tables: []rulesengine.Table{
		{Name: "Sales", FilteredBy: []string{"Sales", "Customers"}, Measures: []rulesengine.Measure{
			{Name: "Net Sales", Over: over, Synonyms: []string{"sales"}}, {Name: "Shipped Sales", Over: over, Synonyms: []string{"shipments"}},
			{Name: "Number of Orders", Over: over}, {Name: "Purchase Cost", Over: over},
		}},
		{Name: "Customers", FilteredBy: []string{"Customers"}, Columns: []rulesengine.Column{{Name: "Customer Name", DataType: "string"}}},
	}}).WithValues([]rulesengine.Values{
		{FieldRef: rulesengine.FieldRef{Table: "Customers", Name: "Customer Name"}, Texts: []string{"Alva Adler"}},
	}, time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))
	for question, want := range map[string]string{
		"orders":                               "[Number of Orders]",
		"shipped sales":                        "[Shipped Sales]",
		"orders shipped":                       none, // neither Shipped Sales nor Number of Orders
		"what have we sold":                    "[Net Sales]",
		"how much did we sell to Alva Adler":   "Customers.Customer Name = Alva Adler; [Net Sales]",
		"how many did we sell to Alva Adler":   none, // pieces, and not revenue
		"purchase cost by customer":            "[Purchase Cost]; by Customers.Customer Name",
		"purchase cost":                        "[Purchase Cost]",
		"how much did we spend on purchases":   "[Purchase Cost]",
		"how much purchase spend per customer": none, // what they spend is revenue
	} {
		if got := engine.Answer(question); fieldsOf(got) != want {
			t.Errorf("%q\n got %s\nwant %s\n %s", question, fieldsOf(got), want, got.Text)
		}
	}
}
