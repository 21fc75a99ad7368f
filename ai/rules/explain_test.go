package rules_test

import (
	"testing"

	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"

	"github.com/google/go-cmp/cmp"
)

// lead returns what a measure with the expression computes, "" if that is not understood.
func lead(expression string) string {
	m := shop(func(m *semanticmodel.Model) {
		f := tableOf(m, "FactSales")
		f.Columns = append(f.Columns, semanticmodel.Column{Name: "Status", DataType: semanticmodel.String}, semanticmodel.Column{Name: "Is Late", DataType: semanticmodel.Boolean})
		m.Tables = append(m.Tables, semanticmodel.Table{Name: "Out", Measures: []semanticmodel.Measure{{Name: "Zz", Expression: expression}}})
	})
	return rules.Explained(m, "Out", "Zz")
}

// TestExplain shows in what words expressions are explained. Whatever is not understood is not explained.
func TestExplain(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for expression := range explained {
		got[expression] = lead(expression)
	}
	if d := cmp.Diff(explained, got); d != "" {
		t.Error(d)
	}
}

var explained = map[string]string{
	// Aggregates.
	"SUM(FactSales[Unit Price])":                          "", // no sum (rule MEA-10)
	"SUM(FactSales[Net Amount])":                          "Sum of Net Amount in FactSales",
	"sum ( factsales[qty] ) // of all":                    "Sum of Qty in FactSales",
	"AVERAGE(FactSales[Qty])":                             "Average of Qty in FactSales",
	"MIN(FactSales[OrderDate])":                           "Earliest OrderDate in FactSales",
	"MAX(FactSales[Qty])":                                 "Highest Qty in FactSales",
	"MAX(FactSales[Status])":                              "Last value of Status by alphabet in FactSales",
	"MAX([Units], 3)":                                     "Larger of [Units] and 3",
	"COUNT(FactSales[Status])":                            "Number of rows of FactSales with a value in Status",
	"COUNTBLANK(FactSales[Status])":                       "Number of rows of FactSales without a value in Status",
	"DISTINCTCOUNT(FactSales[Status])":                    "Number of different values of Status in FactSales",
	"COUNTROWS('FactSales')":                              "Number of rows of FactSales",
	"COUNTROWS(VALUES(FactSales[Status]))":                "Number of different values of Status in FactSales",
	"COUNTROWS(SUMMARIZE(FactSales, FactSales[Status]))":  "Number of different values of Status of FactSales",
	"COUNTROWS(SUMMARIZE(FactSales, Customers[Segment]))": "Number of different values of Segment of Customers that occur in FactSales",
	"COUNTROWS(ALL(FactSales))":                           "Number of rows of FactSales, regardless of filters",
	"SUM(FactSales[Gone])":                                "",

	// Rows of ALL: what is computed from their own columns counts all of it, what a measure computes is still filtered by the rest.
	"SUMX(ALL(FactSales), FactSales[Qty])":                          "Sum of Qty over the rows of FactSales, regardless of filters",
	"SUMX(ALL(FactSales), [Units])":                                 "Sum of [Units] over the rows of FactSales, regardless of filters on FactSales and on all tables that it refers to",
	"MAXX(ALL(Customers[City]), [Units])":                           "Highest [Units] over the values of City of Customers, regardless of filters on City of Customers",
	"COUNTROWS(FILTER(ALL(Customers), [Units] > 5))":                "Number of rows of Customers where [Units] is more than 5, regardless of filters on Customers",
	`COUNTROWS(FILTER(ALL(Customers), Customers[City] = "Rome"))`:   `Number of rows of Customers where City is "Rome", regardless of filters`,
	"SUMX(ALL(Customers[City]), CALCULATE(SUM(FactSales[Qty])))":    "Sum of sum of Qty in FactSales over the values of City of Customers, regardless of filters on City of Customers",
	"AVERAGEX(VALUES('Date'[Month]), COALESCE([Units], 0))":         "Average of ([Units], 0 if there is none) over the values of Month of Date",
	"AVERAGEX(VALUES('Date'[Month]), [Units] + 0)":                  "Average of ([Units], 0 if there is none) over the values of Month of Date",
	"IF(ISBLANK(SELECTEDVALUE(Customers[City])), BLANK(), [Units])": "Empty if not exactly one City of Customers is selected, else [Units]",
	"IF(NOT ISBLANK(SELECTEDVALUE(Customers[City])), [Units])":      "[Units] if exactly one City of Customers is selected, else empty",
	"IF(SELECTEDVALUE(Customers[City]) = BLANK(), [Units])":         "[Units] if not exactly one City of Customers is selected, else empty",

	// An empty value is 0, and the earliest date.
	"CALCULATE([Units], FactSales[Qty] < 10)":                                                         "[Units] where Qty of FactSales is less than 10 or empty",
	"CALCULATE([Units], 'Date'[Date] < TODAY())":                                                      "[Units] where Date of Date is before today", // a calendar has no empty date
	"CALCULATE([Units], FactSales[Qty] < 0)":                                                          "[Units] where Qty of FactSales is less than 0",
	"CALCULATE([Units], FactSales[Qty] <= 0)":                                                         "[Units] where Qty of FactSales is at most 0 or empty",
	"CALCULATE([Units], FactSales[Qty] >= 0)":                                                         "[Units] where Qty of FactSales is at least 0 or empty",
	"CALCULATE([Units], FactSales[Qty] > -1)":                                                         "[Units] where Qty of FactSales is more than -1 or empty",
	"CALCULATE([Units], FactSales[Qty] >= 1)":                                                         "[Units] where Qty of FactSales is at least 1",
	"CALCULATE([Units], FactSales[Qty] < 10, FactSales[Qty] > 0)":                                     "[Units] where Qty of FactSales is less than 10 and Qty of FactSales is more than 0",
	"COUNTROWS(FILTER(FactSales, FactSales[ShipDate] < FactSales[OrderDate]))":                        "Number of rows of FactSales where ShipDate is before OrderDate or empty",
	"COUNTROWS(FILTER(FactSales, FactSales[ShipDate] < TODAY() && NOT ISBLANK(FactSales[ShipDate])))": "Number of rows of FactSales where ShipDate is before today and ShipDate is not empty",
	"COUNTROWS(FILTER(FactSales, FactSales[Qty] < 9 && FactSales[Qty] <> 3))":                         "Number of rows of FactSales where Qty is less than 9 or empty and Qty is not 3",
	"COUNTROWS(FILTER(Customers, [Units] < 5))":                                                       "Number of rows of Customers where [Units] is less than 5 or empty",
	`CALCULATE(COUNT(FactSales[Sales Channel]), FactSales[Sales Channel] = "Web")`:                    `Number of rows of FactSales where Sales Channel is "Web"`,
	`CALCULATE(COUNT(FactSales[Status]), FactSales[Sales Channel] = "Web")`:                           `Number of rows of FactSales with a value in Status where Sales Channel is "Web"`,
	`CALCULATE(COUNTBLANK(FactSales[Sales Channel]), FactSales[Sales Channel] = "Web")`:               `Number of rows of FactSales without a value in Sales Channel where Sales Channel is "Web"`,
	"CALCULATE([Units], USERELATIONSHIP(FactSales[CustomerKey], Customers[CustomerKey]))":             "[Units], joined to Customers by CustomerKey of FactSales",
	"CALCULATE(SUM(FactSales[Qty]), USERELATIONSHIP(Product[ProductKey], FactSales[ProductKey]))":     "Sum of Qty in FactSales, joined to Product by ProductKey",
	"SUM([Qty])":                             "",
	"PERCENTILE.INC(FactSales[Qty], 0.5)":    "",
	"SUM(FactSales[Qty], FactSales[Status])": "",

	// Arithmetic.
	"[Units] - [Orders] - 1":                           "[Units] minus [Orders] minus 1",
	"[Units] - ([Orders] - 1)":                         "[Units] minus ([Orders] minus 1)",
	"([Units] + [Orders]) * 2":                         "([Units] plus [Orders]) times 2",
	"[Units] * 2 * [Orders]":                           "[Units] times 2 times [Orders]",
	"[Units] / [Orders] / 2":                           "([Units] divided by [Orders]) divided by 2",
	"SUM(FactSales[Qty]) + SUM(FactSales[Net Amount])": "Sum of Qty in FactSales plus the sum of Net Amount in FactSales",
	"[Units] + 0":                                      "[Units], 0 if there is none",
	"-[Units]":                                         "[Units], with the sign reversed",
	"DIVIDE([Units], [Orders])":                        "[Units] divided by [Orders]",
	"DIVIDE([Units], [Orders], 0)":                     "[Units] divided by [Orders], 0 if the divisor is zero or empty",
	"DIVIDE([Units] - [Orders], [Orders])":             "Relative change from [Orders] to [Units]",
	"([Units] - [Orders]) / [Orders]":                  "Relative change from [Orders] to [Units]",
	"DIVIDE([Units] - [Orders], [Customers])":          "([Units] minus [Orders]) divided by [Customers]",
	"[Units] ^ 2":                                      "",
	"ROUND([Units] * 2, 0)":                            "[Units] times 2, rounded to an integer",
	"COALESCE([Units], 0)":                             "[Units], 0 if there is none",
	"IFERROR([Units], BLANK())":                        "[Units], empty on an error",
	"ABS([Units])":                                     "Absolute value of [Units]",
	"DATEDIFF(MIN(FactSales[OrderDate]), MAX(FactSales[ShipDate]), DAY)": "Number of days from the earliest OrderDate in FactSales to the latest ShipDate in FactSales",

	"DATEDIFF(MIN(FactSales[OrderDate]), TODAY(), YEAR)": "Number of year ends from the earliest OrderDate in FactSales to today, not full years",
	"DATEDIFF(TODAY(), MAX(FactSales[ShipDate]), month)": "Number of month ends from today to the latest ShipDate in FactSales, not full months",
	"DATEDIFF(TODAY(), TODAY(), CENTURY)":                "",

	// Conditions.
	`CALCULATE([Units], FactSales[Status] = "Open")`:                                        `[Units] where Status of FactSales is "Open"`,
	`CALCULATE(SUM(FactSales[Qty]), FactSales[Status] <> "Open", Customers[City] = "Bern")`: `Sum of Qty in FactSales where Status is not "Open" and City of Customers is "Bern"`,
	"CALCULATE([Units], FactSales[Is Late] = TRUE())":                                       "[Units] where Is Late of FactSales is true",
	"CALCULATE([Units], FactSales[Is Late])":                                                "[Units] where Is Late of FactSales is true",
	"CALCULATE([Units], FactSales[Is Late] = FALSE())":                                      "[Units] where Is Late of FactSales is false or empty",
	"CALCULATE([Units], FactSales[Is Late] == FALSE())":                                     "[Units] where Is Late of FactSales is false",
	"CALCULATE([Units], FactSales[Is Late] <> FALSE())":                                     "[Units] where Is Late of FactSales is true",
	"CALCULATE([Units], NOT FactSales[Is Late])":                                            "[Units] where Is Late of FactSales is false or empty",
	"CALCULATE([Units], ISBLANK(FactSales[Status]))":                                        "[Units] where Status of FactSales is empty",
	"CALCULATE([Units], NOT ISBLANK(FactSales[Status]))":                                    "[Units] where Status of FactSales is not empty",
	"CALCULATE([Units], FactSales[Qty] = BLANK())":                                          "[Units] where Qty of FactSales is empty or 0",
	"CALCULATE([Units], FactSales[Qty] == BLANK())":                                         "[Units] where Qty of FactSales is empty",
	"CALCULATE([Units], FactSales[Qty] = 0)":                                                "[Units] where Qty of FactSales is 0 or empty",
	"CALCULATE([Units], FactSales[Qty] == 0)":                                               "[Units] where Qty of FactSales is 0",
	"CALCULATE([Units], FactSales[Qty] <> 0)":                                               "[Units] where Qty of FactSales is neither 0 nor empty",
	"CALCULATE([Units], FactSales[Qty] <> BLANK())":                                         "[Units] where Qty of FactSales is neither empty nor 0",
	"CALCULATE([Units], FactSales[Is Late] = BLANK())":                                      "[Units] where Is Late of FactSales is empty or false",
	"CALCULATE([Units], FactSales[Status] <> BLANK())":                                      "[Units] where Status of FactSales is not empty",
	`CALCULATE([Units], FactSales[Status] IN {"a", "b"})`:                                   `[Units] where Status of FactSales is "a" or "b"`,
	`CALCULATE([Units], NOT FactSales[Status] IN {"a"})`:                                    `[Units] where Status of FactSales is not "a"`,
	"CALCULATE([Units], FactSales[Qty] > 2 && FactSales[Qty] <= 9)":                         "[Units] where Qty of FactSales is more than 2 and Qty of FactSales is at most 9",
	"CALCULATE([Units], FactSales[Qty] > 9 || FactSales[Qty] < 2)":                          "[Units] where (Qty of FactSales is more than 9 or Qty of FactSales is less than 2 or empty)",
	"CALCULATE([Units], FILTER(FactSales, FactSales[Qty] > FactSales[Unit Price]))":         "[Units] where Qty of FactSales is more than Unit Price of FactSales",
	"CALCULATE([Units], FILTER(ALL(FactSales[Qty]), FactSales[Qty] > 2))":                   "[Units] where Qty of FactSales is more than 2, regardless of other filters on Qty of FactSales",
	"CALCULATE([Units], FILTER(ALL(FactSales), FactSales[Qty] > 2))":                        "[Units] where Qty of FactSales is more than 2, regardless of other filters on FactSales and on all tables that it refers to",
	"CALCULATE([Units], KEEPFILTERS(FactSales[Qty] > 2))":                                   "[Units] where Qty of FactSales is more than 2",
	"CALCULATE([Units], FactSales[OrderDate] >= TODAY() - 7)":                               "[Units] where OrderDate of FactSales is not before 7 days before today",
	"VAR d = MAX(FactSales[OrderDate]) RETURN CALCULATE([Units], FactSales[OrderDate] = d)": "[Units] where OrderDate of FactSales is the latest selected OrderDate in FactSales",
	"CALCULATE(CALCULATE([Units], FactSales[Qty] > 2), Customers[City] = \"Bern\")":         `[Units] where Qty of FactSales is more than 2 and City of Customers is "Bern"`,
	"CALCULATE(CALCULATE([Units], FactSales[Qty] > 2), FactSales[Qty] > 3)":                 "", // the inner one counts
	"DIVIDE(CALCULATE([Units], FactSales[Qty] > 2), [Units])":                               "Share of [Units] where Qty of FactSales is more than 2",
	"DIVIDE(CALCULATE([Units], FactSales[Qty] > 2), [Orders])":                              "([Units] where Qty of FactSales is more than 2) divided by [Orders]",
	"CALCULATE([Units], FILTER(VALUES(FactSales[Status]), [Orders] > 2))":                   "", // each value on its own
	"CALCULATE([Units], TREATAS({1}, FactSales[Qty]))":                                      "",
	"CALCULATE([Units], VALUES(FactSales[Qty]))":                                            "",
	"CALCULATE([Units], FactSales)":                                                         "",
	"CALCULATE([Units], CROSSFILTER(FactSales[CustomerKey], Customers[CustomerKey], BOTH))": "",

	"VAR q = MAX(FactSales[Qty]) RETURN CALCULATE([Units], FactSales[Qty] = q)":                       "[Units] where Qty of FactSales is the highest selected Qty in FactSales",
	"SUMX(FactSales, VAR q = FactSales[Qty] RETURN COUNTROWS(FILTER(FactSales, FactSales[Qty] = q)))": "Sum of (number of rows of FactSales where Qty is Qty of the row itself) over the rows of FactSales",
	"IF(SELECTEDVALUE(FactSales[Status]) = \"Open\", [Units])":                                        `[Units] if the selected Status of FactSales is "Open", else empty`,

	// Filters that do not reach what is computed: nothing relates Returns to customers, nor any fact to Shown Measure.
	"CALCULATE([Refunds], Customers[City] = \"Bern\")":             "",
	"CALCULATE([Refunds], SAMEPERIODLASTYEAR('Date'[Date]))":       "[Refunds] in the same period one year earlier",
	"CALCULATE([After Returns], Customers[City] = \"Bern\")":       "",
	"CALCULATE(COUNTROWS(Customers), Product[Product] = \"Pen\")":  "",
	"CALCULATE(COUNTROWS(Customers), PREVIOUSMONTH('Date'[Date]))": "",
	"TOTALYTD(COUNTROWS(Customers), 'Date'[Date])":                 "",
	"CALCULATE([Units], Category[Category Name] = \"Pens\")":       `[Units] where Category Name of Category is "Pens"`,

	// A period of a fact's own dates, which filters on the calendar cut unless they are set aside.
	"CALCULATE([Units], DATESINPERIOD(FactSales[OrderDate], MAX(FactSales[OrderDate]), -7, DAY))":              "",
	"CALCULATE([Units], ALL('Date'), DATESINPERIOD(FactSales[OrderDate], MAX(FactSales[OrderDate]), -7, DAY))": "[Units] over the last 7 days up to the latest date selected, regardless of filters on Date",
	"CALCULATE([Units], LASTDATE(FactSales[OrderDate]))":                                                       "[Units] on the last date selected",
	"CALCULATE([Units], ALL('Date'), SAMEPERIODLASTYEAR('Date'[Date]))":                                        "[Units] in the same period one year earlier",
	"TOTALYTD([Units], 'Date'[Date], ALL('Date'))":                                                             "[Units] from the start of the year to the latest date selected",
	"TOTALYTD([Units], FactSales[OrderDate])":                                                                  "",

	// Filters that are set aside.
	"CALCULATE([Units], ALL(FactSales))":                                     "[Units], regardless of filters on FactSales and on all tables that it refers to",
	"CALCULATE([Units], ALLEXCEPT(Product, Product[Product]))":               "[Units], regardless of filters on Product and Category other than those on Product",
	"CALCULATE([Units], ALL(Product))":                                       "[Units], regardless of filters on Product and Category",
	"CALCULATE([Units], REMOVEFILTERS(Customers[City], Customers[Segment]))": "[Units], regardless of filters on City and Segment of Customers",
	"CALCULATE([Units], ALL())":                                              "[Units], regardless of all filters",
	"CALCULATE([Units], ALLSELECTED())":                                      "[Units], for everything that is selected in the report",
	"CALCULATE([Units], ALLEXCEPT(Customers, Customers[City]))":              "[Units], regardless of filters on Customers other than those on City",
	"DIVIDE([Units], CALCULATE([Units], ALLSELECTED(Customers)))":            "[Units] divided by ([Units], for all rows of Customers selected in the report)",

	// Periods.
	"CALCULATE([Units], SAMEPERIODLASTYEAR('Date'[Date]))":                                  "[Units] in the same period one year earlier",
	"CALCULATE([Units], DATEADD('Date'[Date], -3, MONTH))":                                  "[Units] in the same period 3 months earlier",
	"CALCULATE([Units], DATEADD('Date'[Date], 1, YEAR))":                                    "[Units] in the same period one year later",
	"CALCULATE([Units], PARALLELPERIOD('Date'[Date], -1, MONTH))":                           "[Units] in the full months that lie one month earlier",
	"CALCULATE([Units], PREVIOUSMONTH('Date'[Date]))":                                       "[Units] in the previous month",
	"CALCULATE([Units], DATESYTD('Date'[Date]))":                                            "[Units] from the start of the year to the latest date selected",
	`CALCULATE([Units], DATESYTD('Date'[Date], "06-30"))`:                                   "[Units] from the start of the year that ends on 06-30 to the latest date selected",
	`TOTALYTD([Units], 'Date'[Date], "6/30")`:                                               "[Units] from the start of the year that ends on 6/30 to the latest date selected",
	"TOTALMTD([Units], 'Date'[Date])":                                                       "[Units] from the start of the month to the latest date selected",
	"CALCULATE([Units], DATESINPERIOD('Date'[Date], MAX('Date'[Date]), -1, MONTH))":         "[Units] over the last month up to the latest date selected",
	"CALCULATE([Units], LASTDATE('Date'[Date]))":                                            "[Units] on the last date selected",
	"CALCULATE([Units], FILTER(ALL('Date'[Date]), 'Date'[Date] <= MAX('Date'[Date])))":      "[Units] accumulated up to the latest Date selected",
	"CALCULATE([Units], SAMEPERIODLASTYEAR('Date'[Date]), FactSales[Qty] > 2)":              "[Units] where Qty of FactSales is more than 2, in the same period one year earlier",
	"CALCULATE([Units], SAMEPERIODLASTYEAR('Date'[Date]), LASTDATE('Date'[Date]))":          "",
	"CALCULATE([Units], SAMEPERIODLASTYEAR(Customers[City]))":                               "",
	"CALCULATE([Units], DATESBETWEEN('Date'[Date], 1, 2))":                                  "",
	"VAR p = CALCULATE([Units], PREVIOUSMONTH('Date'[Date])) RETURN DIVIDE([Units] - p, p)": "Relative change from [Units] in the previous month to [Units]",

	// Rows.
	"SUMX(FactSales, FactSales[Unit Price] * FactSales[Qty])":            "Sum of (Unit Price times Qty) over the rows of FactSales",
	"SUMX(FILTER(FactSales, FactSales[Qty] > 2), FactSales[Net Amount])": "Sum of Net Amount over the rows of FactSales where Qty is more than 2",
	"SUMX(FactSales, FactSales[Qty] * RELATED(Product[ProductKey]))":     "Sum of (Qty times the ProductKey of the related Product row) over the rows of FactSales",
	"AVERAGEX(VALUES('Date'[Month]), [Units])":                           "Average of [Units] over the values of Month of Date, not counting those where it is empty",
	"MAXX(SUMMARIZE(FactSales, FactSales[Status], \"n\", [Units]), [n])": "Highest [Units] over the values of Status of FactSales",
	"SUMX(FactSales, IF(FactSales[Is Late], 1, 0))":                      "Number of rows of FactSales where Is Late is true",
	"SUMX(FactSales, 1)": "Number of rows of FactSales",
	"COUNTROWS(FILTER(FactSales, FactSales[Qty] > 2))":        "Number of rows of FactSales where Qty is more than 2",
	"RANKX(ALL(Customers[City]), [Units])":                    "Rank by [Units] among all values of City of Customers, highest first",
	"RANKX(ALL(Customers[City]), [Units], , ASC, Dense)":      "Rank by [Units] among all values of City of Customers, lowest first",
	"SUMX(FactSales, Customers[City])":                        "",
	"SUMX(TOPN(3, FactSales), FactSales[Qty])":                "",
	"VAR x = [Units] RETURN SUMX(FactSales, x)":               "",
	"VAR x = [Units] RETURN CALCULATE(x, FactSales[Qty] > 2)": "",

	// Choices and selections.
	`IF([Units] > 2, "many", "few")`:                          `"many" if [Units] is more than 2, else "few"`,
	"IF(ISBLANK([Units]), BLANK(), [Orders])":                 "Empty if [Units] is empty, else [Orders]",
	`SWITCH(TRUE(), [Units] > 9, "a", [Units] > 5, "b", "c")`: `"a" if [Units] is more than 9, "b" if [Units] is more than 5, else "c"`,
	`SWITCH([Units], 1, "a", "b")`:                            "",
	"[Units] > [Orders]":                                      "True when [Units] is more than [Orders]",
	"SELECTEDVALUE(Customers[City])":                          "Selected City of Customers, empty unless exactly one is selected",
	`SELECTEDVALUE(Customers[City], "all")`:                   `Selected City of Customers, "all" unless exactly one is selected`,
	`IF(HASONEVALUE(Customers[City]), [Units])`:               "[Units] if City of Customers has exactly one value, else empty",
	"1001":     "1001",
	`"2026.1"`: `"2026.1"`,
	"VAR x = [Units] VAR y = x + 1 RETURN y * 2": "([Units] plus 1) times 2",
	"GrossMargin([Units])":                       "",
	"((":                                         "",
	"":                                           "",
}

// TestCalculated shows what calculated columns are stated to hold.
func TestCalculated(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"FactSales[Qty] * [Unit Price]":            "Qty times Unit Price.",
		"FactSales[Qty] > 10":                      "True when Qty is more than 10.",
		`IF(FactSales[Qty] > 10, "L", "S")`:        `"L" if Qty is more than 10, else "S".`,
		"MONTH(FactSales[OrderDate])":              "Month of OrderDate, from 1 to 12.",
		"WEEKDAY(FactSales[OrderDate], 2)":         "Weekday of OrderDate, from 1 for Monday to 7.",
		`FORMAT(FactSales[OrderDate], "MMM yyyy")`: `OrderDate as text, such as "Feb 2026".`,
		`FORMAT(FactSales[OrderDate], "w")`:        "",
		`"Q" & QUARTER(FactSales[OrderDate])`:      `"Q" followed by (the quarter of OrderDate, from 1 to 4).`,
		"RELATED(Customers[City])":                 "City of the related Customers row.",
		"COUNTROWS(RELATEDTABLE(Returns))":         "Number of rows of Returns that belong to the row.",
		"Product[Product]":                         "",
		"MAX(FactSales[Qty])":                      "Highest Qty in FactSales.",
	}
	got := map[string]string{}
	for expression := range want {
		m := shop(func(m *semanticmodel.Model) {
			f := tableOf(m, "FactSales")
			f.Columns = append(f.Columns, semanticmodel.Column{Name: "Zz", Expression: expression})
		})
		got[expression] = byObject(rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: []proposal.Object{object(m, "FactSales[Zz]")}}))[object(m, "FactSales[Zz]")].Value
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestMadeTables shows the words for tables that an expression makes: a table from GENERATESERIES is a what-if
// parameter, and no field parameter.
func TestMadeTables(t *testing.T) {
	t.Parallel()
	made := func(name, expression string, columns ...semanticmodel.Column) func(*semanticmodel.Model) {
		return func(m *semanticmodel.Model) {
			m.Tables = append(m.Tables, semanticmodel.Table{Name: name, Columns: columns, Partitions: []semanticmodel.Partition{{SourceType: "calculated", Expression: expression}}})
		}
	}
	parameter := map[string]string{"ParameterMetadata": "{}"}
	for name, row := range map[string]struct {
		change       func(*semanticmodel.Model)
		object, want string
	}{
		"a what-if parameter": {func(m *semanticmodel.Model) {
			made("Discount", "GENERATESERIES(0, 0.5, 0.05)", semanticmodel.Column{Name: "Discount", SourceColumn: "[Value]", ExtendedProperties: parameter})(m)
			tableOf(m, "FactSales").Measures = append(tableOf(m, "FactSales").Measures, semanticmodel.Measure{Name: "Chosen", Expression: "SELECTEDVALUE(Discount[Discount], 0)"})
		}, "Discount", "What-if parameter: numbers from 0 to 0.5 in steps of 0.05 to choose from; [Chosen] returns the chosen one."},
		"a what-if parameter that a measure uses": {func(m *semanticmodel.Model) {
			made("Discount", "GENERATESERIES(0, 0.5, 0.05)", semanticmodel.Column{Name: "Discount", SourceColumn: "[Value]", ExtendedProperties: parameter})(m)
			tableOf(m, "FactSales").Measures = append(tableOf(m, "FactSales").Measures,
				semanticmodel.Measure{Name: "Reduced", Expression: "[Net Sales] * (1 - SELECTEDVALUE(Discount[Discount], 0))"})
		}, "Discount", "What-if parameter: numbers from 0 to 0.5 in steps of 0.05 to choose from; [Reduced] uses the chosen one."},
		"its column":                {made("Discount", "GENERATESERIES(-1, 1)", semanticmodel.Column{Name: "Discount", SourceColumn: "[Value]"}), "Discount[Discount]", ""},
		"slack at its end":          {made("Discount", "GENERATESERIES(-0.2, 0.3001, 0.01)", semanticmodel.Column{Name: "Discount", SourceColumn: "[Value]"}), "Discount", "What-if parameter: numbers from -0.2 to 0.3 in steps of 0.01 to choose from."},
		"an end that no step meets": {made("Discount", "GENERATESERIES(0, 10, 4)", semanticmodel.Column{Name: "Discount", SourceColumn: "[Value]"}), "Discount", "What-if parameter: numbers from 0 to 8 in steps of 4 to choose from."},
		"an end at zero":            {made("Discount", "GENERATESERIES(-1.5, 0.0001, 0.1)", semanticmodel.Column{Name: "Discount", SourceColumn: "[Value]"}), "Discount", "What-if parameter: numbers from -1.5 to 0 in steps of 0.1 to choose from."},
		"a power of ten, not read":  {made("Discount", "GENERATESERIES(0, 1E999999999, 1)", semanticmodel.Column{Name: "Discount", SourceColumn: "[Value]"}), "Discount[Discount]", ""},
		"another power of ten":      {made("Discount", "GENERATESERIES(1e-999999999, 9e999999999)", semanticmodel.Column{Name: "Discount", SourceColumn: "[Value]"}), "Discount[Discount]", ""},
		"very many":                 {made("Discount", "GENERATESERIES(0, 9000000, 0.5)", semanticmodel.Column{Name: "Discount", SourceColumn: "[Value]"}), "Discount", "What-if parameter: numbers from 0 to 9000000 in steps of 0.5 to choose from."},
		"steps of nothing":          {made("Discount", "GENERATESERIES(0, 9, 0)", semanticmodel.Column{Name: "Discount", SourceColumn: "[Value]"}), "Discount", "What-if parameter: numbers from 0 to 9 in steps of 0 to choose from."},
		"another series":            {made("Discount", "GENERATESERIES([Units], 1)", semanticmodel.Column{Name: "Discount", ExtendedProperties: parameter}), "Discount", ""},
		"numbers that facts refer to": {func(m *semanticmodel.Model) {
			made("Hours", "GENERATESERIES(0, 23)", semanticmodel.Column{Name: "Hour", DataType: semanticmodel.Int64})(m)
			m.Relationships = append(m.Relationships, related("FactSales[Qty]", "Hours[Hour]", true))
		}, "Hours[Hour]", "Numbers from 0 to 23."},
		"fixed rows":       {made("Units of Size", `DATATABLE("Key", INTEGER, "Unit", STRING, {{1, "byte"}, {2, "kilobyte"}})`, semanticmodel.Column{Name: "Unit", SourceColumn: "[Unit]"}), "Units of Size", `2 fixed rows that are written in the model, by Unit: "byte" and "kilobyte".`},
		"fixed values":     {made("Units of Size", `DATATABLE("Key", INTEGER, "Unit", STRING, {{1, "byte"}, {2, "kilobyte"}})`, semanticmodel.Column{Name: "Unit", SourceColumn: "[Unit]"}), "Units of Size[Unit]", `One of "byte" or "kilobyte".`},
		"days":             {made("Days", "CALENDAR(DATE(2020, 1, 1), DATE(2026, 12, 31))", semanticmodel.Column{Name: "Date", SourceColumn: "[Date]"}), "Days", "Every day from 2020-01-01 to 2026-12-31."},
		"one day":          {made("Days", "CALENDAR(TODAY(), TODAY())", semanticmodel.Column{Name: "Date", SourceColumn: "[Date]"}), "Days", ""},
		"days of the data": {made("Days", `ADDCOLUMNS(CALENDARAUTO(), "x", 1)`, semanticmodel.Column{Name: "Date", SourceColumn: "[Date]"}), "Days", ""},
		"other days":       {made("Days", "CALENDAR(MIN(FactSales[OrderDate]), TODAY())", semanticmodel.Column{Name: "Date", SourceColumn: "[Date]"}), "Days", ""},
		"measures only": {func(m *semanticmodel.Model) {
			m.Tables = append(m.Tables, semanticmodel.Table{Name: "Figures", Columns: []semanticmodel.Column{{Name: "Dummy"}}, Measures: []semanticmodel.Measure{{Name: "Gap", Expression: "[Units] - 1"}}})
		}, "Figures", ""},
	} {
		m := shop(row.change)
		if got := byObject(rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: []proposal.Object{object(m, row.object)}}))[object(m, row.object)].Value; got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}
