package stock_test

import (
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/benchmark/stock"
)

// world is a model with a table that has a column of days, related to a calendar.
func world(table, description, day string) *semanticmodel.Model {
	date := semanticmodel.Column{Name: day, DataType: semanticmodel.DateTime}
	return &semanticmodel.Model{
		Tables: []semanticmodel.Table{
			{Name: table, Description: description, Columns: []semanticmodel.Column{date, {Name: "Pieces", DataType: semanticmodel.Int64}}},
			{Name: "Calendar", Columns: []semanticmodel.Column{{Name: "Date", DataType: semanticmodel.DateTime}}},
		},
		Relationships: []semanticmodel.Relationship{{
			FromTable: table, FromColumn: day, ToTable: "Calendar", ToColumn: "Date", IsActive: true,
		}},
	}
}

func find(m *semanticmodel.Model, over ...string) stock.Stocks {
	return stock.Find(m, []string{"Calendar"}, func(string) []string { return over })
}

func TestTablesOfStock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		table, description, day string
		measure                 string // of the sum of its pieces
		isTable, isMeasure      bool
	}{
		{table: "Stock Levels", day: "Snapshot Date", isTable: true, isMeasure: true},
		{table: "StockLevels", day: "SnapshotDate", isTable: true, isMeasure: true},
		{table: "Fact Inventory", day: "Date Key", isTable: true, isMeasure: true},
		{table: "Account Balances", day: "Month End", isTable: true, isMeasure: true},
		{table: "Levels", day: "Snapshot Date", isTable: true, isMeasure: true},
		{table: "Levels", description: "A snapshot of each evening.", day: "Day", isTable: true, isMeasure: true},
		{table: "Employment", day: "Month", measure: "Headcount", isMeasure: true},
		{table: "Employment", day: "Employment Month", measure: "Full Time Equivalents", isMeasure: true},
		{table: "Employment", day: "Month"},                          // nothing says it
		{table: "Employees", day: "Hire Date", measure: "Headcount"}, // the day of an event
		{table: "Stock Movements", day: "Date", measure: "Stock"},    // a sum of movements is a stock
		{table: "Inventory Transactions", day: "Date"},               //
		{table: "Ledger Entries", day: "Posting Date", measure: "Ledger Balance"},
		{table: "Stock", day: "Order Date"},
		{table: "Sales", day: "Date"},
		{table: "Visitors", description: "One row for each store and day.", day: "Day"},
	} {
		m := world(c.table, c.description, c.day)
		name := c.measure
		if name == "" {
			name = "Number"
		}
		m.Tables[0].Measures = []semanticmodel.Measure{{Name: name, Expression: "SUM('" + c.table + "'[Pieces])"}}
		got := find(m, c.table)
		if day := got.CountedOn(c.table); (day == c.day) != c.isTable || !c.isTable && day != "" {
			t.Errorf("%s by %s: counted on %q", c.table, c.day, day)
		}
		of, is := got.Of(name)
		if is != c.isMeasure || is && of != (stock.Measure{Table: c.table, Date: c.day, Sums: true}) {
			t.Errorf("[%s] of %s by %s: %+v %v", name, c.table, c.day, of, is)
		}
	}
}

func TestMeasuresOfStock(t *testing.T) {
	t.Parallel()
	sums, needs := "adds up", "needs a time"
	for expression, want := range map[string]string{
		"SUM(Stock[Pieces])":                                                                               sums,
		"SUMX(Stock, Stock[Pieces] * 2)":                                                                   sums,
		"COUNTROWS(FILTER(Stock, Stock[Pieces] < 3))":                                                      sums,
		"[Pieces in Stock] * 2":                                                                            sums,
		"CALCULATE(SUM(Stock[Pieces]), LASTDATE('Calendar'[Date]))":                                        needs,
		"CLOSINGBALANCEMONTH(SUM(Stock[Pieces]), 'Calendar'[Date])":                                        needs,
		"CALCULATE([Pieces in Stock], SAMEPERIODLASTYEAR(Calendar[Date]))":                                 needs,
		"DISTINCTCOUNT(Stock[Pieces])":                                                                     needs,
		"DIVIDE(SUM(Stock[Pieces]), COUNTROWS(Stock))":                                                     needs,
		"CALCULATE(SUM(Stock[Pieces]), LASTNONBLANK('Calendar'[Date], 1))":                                 "",
		"CALCULATE(SUM(Stock[Pieces]), LASTDATE(Stock[Snapshot Date]))":                                    "",
		"VAR D = MAX(Stock[Snapshot Date]) RETURN CALCULATE(SUM(Stock[Pieces]), Stock[Snapshot Date] = D)": "",
		"AVERAGEX(VALUES('Calendar'[Date]), [Pieces in Stock])":                                            "",
		"AVERAGE(Stock[Pieces])":                                                                           "",
		"MAX(Stock[Pieces])":                                                                               "",
		"1":                                                                                                "",
	} {
		m := world("Stock", "", "Snapshot Date")
		m.Tables[0].Measures = []semanticmodel.Measure{
			{Name: "Pieces in Stock", Expression: "SUM(Stock[Pieces])"}, {Name: "Asked", Expression: expression},
		}
		of, is := find(m, "Stock").Of("asked")
		got := map[bool]string{true: sums, false: needs}[of.Sums]
		if !is {
			got = ""
		}
		if got != want {
			t.Errorf("%s: %q, want %q", expression, got, want)
		}
	}
}

// Two columns that could be the day, or another table that the measure reads, leave no day that could be chosen.
func TestNoDayOfStock(t *testing.T) {
	t.Parallel()
	two := world("Stock", "", "Snapshot Date")
	two.Tables[0].Columns = append(two.Tables[0].Columns, semanticmodel.Column{Name: "Count Date", DataType: semanticmodel.DateTime})
	two.Relationships = append(two.Relationships, semanticmodel.Relationship{
		FromTable: "Stock", FromColumn: "Count Date", ToTable: "Calendar", ToColumn: "Date", IsActive: true,
	})
	two.Tables[0].Measures = []semanticmodel.Measure{{Name: "Pieces in Stock", Expression: "SUM(Stock[Pieces])"}}
	if of, is := find(two, "Stock").Of("Pieces in Stock"); !is || of.Date != "" {
		t.Errorf("two days: %+v %v", of, is)
	}
	m := world("Stock", "", "Snapshot Date")
	m.Tables[0].Measures = []semanticmodel.Measure{{Name: "Cover", Expression: "SUM(Stock[Pieces]) + SUM(Sales[Units])"}}
	if of, is := find(m, "Sales", "Stock").Of("Cover"); !is || of.Date != "" {
		t.Errorf("two tables: %+v %v", of, is)
	}
}

func TestMisleads(t *testing.T) {
	t.Parallel()
	m := world("Stock", "", "Snapshot Date")
	m.Tables[0].Measures = []semanticmodel.Measure{
		{Name: "Pieces", Expression: "SUM(Stock[Pieces])"}, {Name: "Average", Expression: "AVERAGE(Stock[Pieces])"},
		{Name: "At the End", Expression: "CALCULATE(SUM(Stock[Pieces]), LASTDATE('Calendar'[Date]))"},
	}
	all := find(m, "Stock")
	day := modelquery.Field{Table: "Calendar", Name: "Date"}
	for _, c := range []struct {
		measure       string
		groups, times bool
		want          bool
	}{
		{"Pieces", false, false, true}, {"Pieces", true, true, true}, {"At the End", false, false, true}, {"At the End", true, false, false},
		{"At the End", false, true, false}, {"Average", false, false, false}, {"Unknown", false, false, false},
	} {
		q := modelquery.Query{Measures: []modelquery.Field{{Table: "Stock", Name: c.measure}}}
		if c.groups {
			q.Groupings = []modelquery.Field{day}
		}
		if c.times {
			q.Filters = []modelquery.Filter{{Field: day}}
		}
		if got := all.Misleads(q); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
