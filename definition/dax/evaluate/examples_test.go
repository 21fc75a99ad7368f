package evaluate_test

import "testing"

// Each group is what the page shows or states.
//
// proves: decisions/10/sample-examples
func TestWorkedExamplesOfValues(t *testing.T) {
	t.Parallel()
	m := shop(t).model(t)
	for page, examples := range map[string][]example{
		"https://www.sqlbi.com/articles/blank-handling-in-dax/": values(
			"BLANK()", "", "BLANK() = 0", "TRUE", "BLANK() && TRUE", "FALSE", "BLANK() || TRUE", "TRUE",
			"BLANK() + 4", "4", "BLANK() - 4", "-4", "4 / BLANK()", "+Inf", "BLANK() * 4", "", "BLANK() / 4", "", "INT(BLANK())", "",
			`IF(BLANK(), "true", "false")`, "false", `IF(ISBLANK(BLANK()), "true", "false")`, "true",
			`IF(BLANK() = TRUE, "true", "false")`, "false", `IF(BLANK() = FALSE, "true", "false")`, "true",
			`IF(BLANK() = 0, "true", "false")`, "true", `IF(BLANK() = "", "true", "false")`, "true",
		),
		"https://www.sqlbi.com/articles/how-to-handle-blank-in-dax-measures/": { // Soda has no transactions
			{`DEFINE MEASURE Sales[Amount] = CALCULATE(SUM(Sales[Amount]), Sales[Key] > 99) MEASURE Sales[Discount] = CALCULATE(SUM(Sales[Quantity]), Sales[Key] > 99)
				EVALUATE ROW("1", 1 - ([Discount] / [Amount]), "2", ([Amount] - [Discount]) / [Amount])`, "1|"},
		},
		"https://learn.microsoft.com/dax/dax-operator-reference": values(
			"5 + 2 * 3", "11", "(5 + 2) * 3", "21", "-2^2", "-4", "(-2)^2", "4", "16^4", "65536", "3 - 1 - 1", "1",
			"BLANK() == 0", "FALSE", "BLANK() == BLANK()", "TRUE", `BLANK() = DATE(1900, 3, 1)`, "FALSE", `BLANK() == ""`, "FALSE",
			`"Red" IN {"red", "Blue"}`, "TRUE", `NOT "Green" IN {"Red", "Blue"}`, "TRUE", `"a" & "b" & 1`, "ab1",
		),
		"https://learn.microsoft.com/dax/divide-function-dax": values(
			"DIVIDE(5, 2)", "2.5", "DIVIDE(5, 0)", "", "DIVIDE(5, 0, 1)", "1", "DIVIDE(5, BLANK(), 7)", "7", "DIVIDE(BLANK(), 5)", "",
		),
		"https://learn.microsoft.com/dax/coalesce-function-dax": values(
			"COALESCE(BLANK(), 10, DATE(2008, 3, 3))", "10", "COALESCE(BLANK(), BLANK())", "",
		),
		"https://learn.microsoft.com/dax/int-function-dax, round-function-dax, abs-function-dax": values(
			"INT(1.5)", "1", "INT(-1.5)", "-2", "ROUND(2.15, 1)", "2.2", "ROUND(21.5, -1)", "20", "ROUND(-2.5, 0)", "-3", "ABS(-4)", "4",
			"MOD(3, 2)", "1", "MOD(-3, -2)", "-1", "MOD(-3, 2)", "1",
		),
		"https://learn.microsoft.com/dax/date-function-dax": values(
			"DATE(2009, 7, 8)", "2009-07-08", "DATE(2008, 14, 2)", "2009-02-02", "DATE(2008, 1, 35)", "2008-02-04",
			"DATE(2008, -3, 2)", "2007-09-02",
		),
		"https://learn.microsoft.com/dax/weekday-function-dax, weeknum-function-dax, eomonth-function-dax": values(
			"WEEKDAY(DATE(2024, 7, 14))", "1", "WEEKDAY(DATE(2024, 7, 14), 2)", "7", "WEEKDAY(DATE(2024, 7, 15), 3)", "0",
			"WEEKNUM(DATE(2012, 3, 9))", "10", "WEEKNUM(DATE(2012, 3, 9), 2)", "11", "WEEKNUM(DATE(2021, 1, 3), 21)", "53",
			"EOMONTH(DATE(2008, 3, 3), 1)", "2008-04-30", "EDATE(DATE(2024, 3, 31), -1)", "2024-02-29", "QUARTER(DATE(2024, 6, 1))", "2",
			"DATEDIFF(DATE(2012, 12, 31), DATE(2013, 1, 1), YEAR)", "1", "TODAY() - WEEKDAY(TODAY(), 2) + 1", "2024-07-15",
		),
		"https://learn.microsoft.com/dax/switch-function-dax, if-function-dax": values(
			`SWITCH(2, 1, "January", 2, "February", "Unknown")`, "February", `SWITCH(13, 1, "January", "Unknown")`, "Unknown",
			`SWITCH(13, 1, "January", 2, "February")`, "", `SWITCH(TRUE(), 1 > 2, "a", 2 > 1, "b")`, "b", `IF(1 > 2, "a")`, "",
		),
		"https://learn.microsoft.com/dax/format-function-dax": values(
			`FORMAT(DATE(2024, 7, 5), "yyyy-mm-dd")`, "2024-07-05", `FORMAT(DATE(2024, 7, 5), "MMMM")`, "July",
			`FORMAT(DATE(2024, 7, 5), "ddd d mmm yy")`, "Fri 5 Jul 24", `FORMAT(0.126, "0.0%")`, "12.6%", `FORMAT(2.345, "0.00")`, "2.35",
		),
		"https://learn.microsoft.com/dax/containsstring-function-dax": values(
			`CONTAINSSTRING("abcd", "BC")`, "TRUE", `CONTAINSSTRING("abcd", "x")`, "FALSE",
		),
	} {
		holds(t, m, page, examples)
	}
}

// proves: decisions/10/sample-examples
func TestWorkedExamplesOfTables(t *testing.T) {
	t.Parallel()
	m := shop(t).model(t)
	for page, examples := range map[string][]example{
		"https://www.sqlbi.com/articles/blank-row-in-dax/": { // orphans add a blank row, which VALUES returns and DISTINCT does not
			{"EVALUATE SUMMARIZECOLUMNS(Product[Product Name], \"d\", COUNTROWS(DISTINCT(Product[Price])), \"v\", COUNTROWS(VALUES(Product[Price])))",
				"Bread|1|1; Butter|1|1; Cake|1|1; Dates|1|1; ||1"},
			{"EVALUATE ROW(\"d\", COUNTROWS(DISTINCT(Product[Price])), \"v\", COUNTROWS(VALUES(Product[Price])))", "4|5"},
		},
		"https://learn.microsoft.com/dax/values-function-dax": { // a blank member stands for the sale of no product
			{"EVALUATE ROW(\"v\", COUNTROWS(VALUES(Product[Product Key])), \"d\", COUNTROWS(DISTINCT(Product[Product Key])))", "5|4"},
			{"EVALUATE ROW(\"v\", COUNTROWS(VALUES(Product)), \"d\", COUNTROWS(DISTINCT(Product)), \"t\", COUNTROWS(Product))", "5|4|4"},
			{"EVALUATE ROW(\"v\", COUNTROWS(VALUES(Product[Color])))", "3"}, // Red and red are one; the blank member is BLANK too
			{"EVALUATE ROW(\"a\", COUNTROWS(ALL(Product)), \"s\", COUNTROWS(VALUES(Store[City])))", "5|4"},
			{"EVALUATE CALCULATETABLE(VALUES(Store[City]), Sales[Quantity] > 6)", "Rome; Oslo; Bonn; "},
		},
		"https://learn.microsoft.com/dax/summarizecolumns-function-dax": { // groups without a value are left out
			{"EVALUATE SUMMARIZECOLUMNS(Product[Product Name], \"t\", [Total])", "Bread|110; Butter|70; Cake|50; |70"},
			{"EVALUATE SUMMARIZECOLUMNS(Product[Product Name], \"t\", [Total], \"n\", COUNTROWS(Sales) + 0)",
				"Bread|110|3; Butter|70|2; Cake|50|2; Dates||0; |70|1"},
			{"EVALUATE SUMMARIZECOLUMNS(Store[City], Product[Color], \"t\", [Total])",
				"Rome|Red|60; Rome|Blue|30; Rome||70; Oslo|Red|20; Oslo|Blue|40; |Red|80"},
			{"EVALUATE SUMMARIZECOLUMNS(Store[City], FILTER(ALL(Product[Color]), Product[Color] = \"BLUE\"), \"t\", [Total])", "Rome|30; Oslo|40"},
			{"EVALUATE SUMMARIZECOLUMNS(Store[City], TREATAS({\"Blue\", \"Pink\"}, Product[Color]), \"t\", [Total])", "Rome|30; Oslo|40"},
			{"EVALUATE SUMMARIZECOLUMNS(Product[Color])", "Red; Blue; "},
			{"EVALUATE SUMMARIZECOLUMNS('Store'[City], FILTER(Product, Product[Price] = 2))", "Rome; Oslo; Bonn; "}, // not related: no effect
			{"EVALUATE SUMMARIZECOLUMNS(Product[Color], FILTER(Product, Product[Price] = 2))", "Blue"},
			{"EVALUATE SUMMARIZECOLUMNS(Sales[Store Key], \"q\", SUM(Sales[Quantity]), \"x\", IF(SUM(Sales[Quantity]) = 16, 5))", "1|16|5; 2|12|; |8|"},
		},
		"https://learn.microsoft.com/dax/topn-function-dax": { // ties with the last row are returned too
			{"EVALUATE TOPN(1, Product, Product[Color] = \"red\", DESC)", "1|Bread|Red|1; 3|Cake|Red|3"},
			{"EVALUATE TOPN(2, SUMMARIZECOLUMNS(Product[Product Name], \"t\", [Total]), [t], DESC)", "Bread|110; Butter|70; |70"},
			{"EVALUATE TOPN(1, SUMMARIZECOLUMNS(Product[Product Name], \"t\", [Total]), [t])", "Bread|110"},
			{"EVALUATE TOPN(1, SUMMARIZECOLUMNS(Product[Product Name], \"t\", [Total]), [t], ASC)", "Cake|50"},
			{"EVALUATE TOPN(1, SUMMARIZECOLUMNS(Product[Product Name], \"t\", [Total]), [t], 1) ORDER BY [t]", "Cake|50"},
			{"EVALUATE TOPN(0, Product, Product[Price])", ""},
		},
		"https://learn.microsoft.com/dax/addcolumns-function-dax, selectcolumns-function-dax, row-function-dax": {
			{"EVALUATE ADDCOLUMNS(VALUES(Store[City]), \"t\", [Total]) ORDER BY [t] DESC, Store[City]", "Rome|160; |80; Oslo|60; Bonn|"},
			{"EVALUATE SELECTCOLUMNS(FILTER(Product, Product[Price] > 2), \"n\", Product[Product Name], \"p\", Product[Price] * 2)", "Cake|6; Dates|8"},
			{"EVALUATE {(1, \"a\"), (2, \"b\")}", "1|a; 2|b"},
			{"EVALUATE CROSSJOIN({1, 2}, VALUES(Product[Color])) ORDER BY [Value], Product[Color] DESC", "1|Red; 1|Blue; 1|; 2|Red; 2|Blue; 2|"},
		},
		"https://learn.microsoft.com/dax/summarize-function-dax": {
			{"EVALUATE SUMMARIZE(Sales, Product[Color], Store[City])", "Red|Rome; Red|Oslo; Blue|Rome; Blue|Oslo; |Rome; Red|"},
			{"EVALUATE SUMMARIZE(Sales, Store[City], \"t\", SUM(Sales[Amount]))", "Rome|160; Oslo|60; |80"},
		},
		"https://learn.microsoft.com/dax/related-function-dax, relatedtable-function-dax": {
			{"EVALUATE ROW(\"x\", SUMX(Sales, Sales[Quantity] * RELATED(Product[Price])))", "58"},
			{"EVALUATE ADDCOLUMNS(VALUES(Product[Product Name]), \"n\", COUNTROWS(RELATEDTABLE(Sales)))", "Bread|3; Butter|2; Cake|2; Dates|; |1"},
		},
		"https://learn.microsoft.com/dax/count-function-dax, countblank-function-dax, distinctcount-function-dax": values(
			"COUNT(Sales[Amount])", "7", "COUNTBLANK(Sales[Amount])", "1", "COUNTBLANK(Sales[Quantity])", "0",
			"CALCULATE(COUNTBLANK(Sales[Quantity]), Sales[Key] > 99)", "", "DISTINCTCOUNT(Sales[Store Key])", "3",
			"CALCULATE(DISTINCTCOUNT(Sales[Key]), Sales[Key] > 99)", "", "CALCULATE(COUNTROWS(Sales), Sales[Key] > 99)", "",
			"AVERAGE(Sales[Amount])", "42.857142857142854", "MIN(Sales[Amount])", "10", "MAX(Sales[Order Date])", "2024-12-31",
			"AVERAGEX(Sales, Sales[Amount])", "42.857142857142854", "COUNTX(Sales, Sales[Amount])", "7", "MAXX(Product, Product[Price])", "4",
			"CALCULATE(SUM(Sales[Amount]), Sales[Key] = 6)", "", "CALCULATE(MAX(Product[Product Name]))", "Dates", "MIN(2, 1)", "1",
		),
	} {
		holds(t, m, page, examples)
	}
}

// proves: decisions/10/sample-examples
func TestWorkedExamplesOfFilterContext(t *testing.T) {
	t.Parallel()
	f := shop(t)
	f.measure("Always Red", `CALCULATE([Total], 'Product'[Color] = "Red")`)
	f.measure("Only Red", `CALCULATE([Total], KEEPFILTERS('Product'[Color] = "Red"))`)
	f.measure("Share", "DIVIDE([Total], CALCULATE([Total], ALL(Product)))")
	m := f.model(t)
	for page, examples := range map[string][]example{
		"https://dax.guide/keepfilters": {
			{"EVALUATE SUMMARIZECOLUMNS(Product[Color], \"a\", [Always Red], \"o\", [Only Red])", "Red|160|160; Blue|160|; |160|"},
		},
		"https://dax.guide/calculate": { // a condition is FILTER(ALL(column)), and replaces the filter on that column only
			{"EVALUATE SUMMARIZECOLUMNS(Product[Product Name], \"r\", [Always Red])", "Bread|110; Cake|50"},
			{"EVALUATE CALCULATETABLE(ROW(\"t\", [Total]), FILTER(ALL(Product[Color]), Product[Color] = \"Red\"))", "160"},
			{"EVALUATE CALCULATETABLE(ROW(\"t\", [Total]), Product[Color] = \"Red\", Store[City] = \"Rome\")", "60"},
			{"EVALUATE CALCULATETABLE(ROW(\"t\", CALCULATE([Total], Product[Color] = \"Blue\")), Product[Color] = \"Red\")", "70"},
			{"EVALUATE CALCULATETABLE(ROW(\"t\", CALCULATE([Total], KEEPFILTERS(Product[Color] = \"Blue\"))), Product[Color] = \"Red\")", ""},
			{"EVALUATE CALCULATETABLE(ROW(\"t\", CALCULATE([Total], REMOVEFILTERS())), Product[Color] = \"Red\")", "300"},
			{"EVALUATE CALCULATETABLE(ROW(\"t\", CALCULATE([Total], ALL(Product[Color]))), Product[Color] = \"Red\", Store[City] = \"Rome\")", "160"},
			{"EVALUATE CALCULATETABLE(ROW(\"t\", CALCULATE([Total], ALL(Sales))), Product[Color] = \"Red\")", "300"}, // with the tables it finds
			{"EVALUATE CALCULATETABLE(ROW(\"t\", CALCULATE([Total], ALLEXCEPT(Sales, Store[City]))), Product[Color] = \"Red\", Store[City] = \"Rome\")", "160"},
			{"EVALUATE ROW(\"t\", CALCULATE([Total], Sales[Quantity] > 1 && Sales[Quantity] < 4))", "50"},
			{"EVALUATE ROW(\"t\", CALCULATE([Total], Product[Color] IN {\"red\"} || Product[Price] = 2))", "230"},
		},
		"https://learn.microsoft.com/dax/all-function-dax": {
			{"EVALUATE SUMMARIZECOLUMNS(Product[Color], \"s\", ROUND([Share], 2))", "Red|0.53; Blue|0.23; |0.23"},
		},
		"https://blog.enterprisedna.co/what-is-context-transition-and-why-does-it-matter/": {
			{"EVALUATE ADDCOLUMNS(VALUES(Product[Color]), \"no\", SUM(Sales[Amount]), \"yes\", CALCULATE(SUM(Sales[Amount])))",
				"Red|300|160; Blue|300|70; |300|70"},
			{"EVALUATE ROW(\"x\", SUMX(VALUES(Product[Color]), [Total] * 2), \"y\", MAXX(VALUES(Store[City]), [Total]))", "600|160"},
			{"EVALUATE ROW(\"x\", SUMX(Product, SUMX(Store, [Total])))", "150"}, // neither the sale of no product nor of no store
		},
		"https://blog.enterprisedna.co/expanded-tables-in-power-bi/": {
			{"EVALUATE ROW(\"n\", CALCULATE(COUNTROWS(Product), Sales))", "3"},
			{"EVALUATE ROW(\"n\", CALCULATE(DISTINCTCOUNT(Product[Color]), FILTER(Sales, Sales[Quantity] < 4)))", "2"},
		},
		"https://dax.guide/st/define, https://www.daxpatterns.com/cumulative-total/": {
			{"DEFINE MEASURE Sales[Total] = COUNTROWS(Sales) VAR y = 2024 EVALUATE CALCULATETABLE(ROW(\"n\", [Total]), 'Date'[Year] = y)", "5"},
			{"EVALUATE CALCULATETABLE(ROW(\"t\", CALCULATE([Total], 'Date'[Date] <= MAX('Date'[Date]))), 'Date'[Year] = 2024, 'Date'[Month] = 2)", "150"},
			{"EVALUATE VAR top = TOPN(1, VALUES(Store[City]), [Total]) RETURN CALCULATETABLE(ROW(\"n\", COUNTROWS(Sales)), top)", "4"},
			{"EVALUATE ROW(\"x\", VAR a = 1 VAR b = a + 1 RETURN (VAR a = 5 RETURN a + b))", "7"},
		},
		"https://dax.guide/distinctcountnoblank, countrows": values(
			"DISTINCTCOUNTNOBLANK(Sales[Store Key])", "2", "DISTINCTCOUNT(Sales[Store Key])", "3", "COUNTROWS(DISTINCT(Sales[Store Key]))", "3",
		),
		"https://habr.com/ru/post/948294": { // the other columns of a filter by rows still identify them
			{"EVALUATE SUMMARIZECOLUMNS(Store[City], FILTER(Product, Product[Product Key] > 2), \"a\", CALCULATE([Total], REMOVEFILTERS(Product[Product Key])), " +
				"\"b\", CALCULATE([Total], REMOVEFILTERS(Product)))", "Rome|50|160; Oslo||60; ||80"},
		},
		"https://learn.microsoft.com/dax/hasonevalue-function-dax, selectedvalue-function-dax": {
			{"EVALUATE SUMMARIZECOLUMNS(Product[Color], \"c\", IF(HASONEVALUE(Product[Product Name]), SELECTEDVALUE(Product[Product Name]), \"many\"))",
				"Red|many; Blue|Butter; |many"},
		},
	} {
		holds(t, m, page, examples)
	}
}

// proves: decisions/10/sample-examples
func TestWorkedExamplesOfTimeIntelligence(t *testing.T) {
	t.Parallel()
	m := shop(t).model(t)
	for page, examples := range map[string][]example{
		"https://learn.microsoft.com/dax/sameperiodlastyear-function-dax": {
			{"EVALUATE SUMMARIZECOLUMNS('Date'[Year], \"t\", [Total], \"l\", [Last Year])", "2023|60|; 2024|240|60"},
			{"EVALUATE CALCULATETABLE(SUMMARIZECOLUMNS('Date'[Month], \"t\", [Total], \"l\", [Last Year]), 'Date'[Year] = 2024)",
				"1|40|10; 2|50|; 6|70|20; 12|80|30"},
		},
		"https://learn.microsoft.com/dax/dateadd-function-dax": { // the last two days of February move to the end of March
			{"EVALUATE CALCULATETABLE(ROW(\"n\", COUNTROWS(DATEADD('Date'[Date], 1, MONTH)), \"l\", MAXX(DATEADD('Date'[Date], 1, MONTH), 'Date'[Date])), " +
				"DATESBETWEEN('Date'[Date], DATE(2023, 2, 27), DATE(2023, 2, 28)))", "5|2023-03-31"},
			{"EVALUATE CALCULATETABLE(DATEADD('Date'[Date], 1, MONTH), 'Date'[Date] = DATE(2023, 2, 27))", "2023-03-27"},
			{"EVALUATE CALCULATETABLE(DATEADD('Date'[Date], -1, MONTH), 'Date'[Date] = DATE(2023, 3, 31))", "2023-02-28"},
			{"EVALUATE CALCULATETABLE(ROW(\"n\", COUNTROWS(DATEADD('Date'[Date], -1, YEAR))), 'Date'[Year] = 2024)", "365"},
			{"EVALUATE CALCULATETABLE(DATEADD('Date'[Date], -3, DAY), 'Date'[Date] = DATE(2023, 1, 2))", ""}, // only days of the column
		},
		"https://learn.microsoft.com/dax/totalytd-function-dax, datesytd-function-dax": {
			{"EVALUATE CALCULATETABLE(SUMMARIZECOLUMNS('Date'[Quarter], \"y\", [Year to Date]), 'Date'[Year] = 2024)", "Q1|90; Q2|160; Q3|160; Q4|240"},
			{"EVALUATE CALCULATETABLE(ROW(\"y\", TOTALYTD([Total], 'Date'[Date], \"6/30\")), 'Date'[Date] = DATE(2024, 2, 28))", "120"},
			{"EVALUATE CALCULATETABLE(ROW(\"m\", CALCULATE([Total], DATESMTD('Date'[Date])), \"q\", CALCULATE([Total], DATESQTD('Date'[Date]))), " +
				"'Date'[Date] = DATE(2024, 2, 29))", "50|90"},
		},
		"https://learn.microsoft.com/dax/datesbetween-function-dax, datesinperiod-function-dax": {
			{"EVALUATE ROW(\"t\", CALCULATE([Total], DATESBETWEEN('Date'[Date], DATE(2023, 6, 15), DATE(2024, 1, 31))))", "90"},
			{"EVALUATE ROW(\"t\", CALCULATE([Total], DATESBETWEEN('Date'[Date], BLANK(), DATE(2023, 6, 15))))", "30"},
			{"EVALUATE ROW(\"n\", COUNTROWS(DATESINPERIOD('Date'[Date], DATE(2023, 8, 24), -21, DAY)))", "21"},
			{"EVALUATE ROW(\"t\", CALCULATE([Total], DATESINPERIOD('Date'[Date], DATE(2024, 12, 31), -12, MONTH)))", "240"},
		},
		"https://learn.microsoft.com/dax/previousmonth-function-dax, parallelperiod-function-dax, lastdate-function-dax": {
			{"EVALUATE CALCULATETABLE(ROW(\"m\", CALCULATE([Total], PREVIOUSMONTH('Date'[Date])), \"y\", CALCULATE([Total], PREVIOUSYEAR('Date'[Date])), " +
				"\"p\", CALCULATE([Total], PARALLELPERIOD('Date'[Date], -1, QUARTER))), 'Date'[Date] = DATE(2024, 2, 10))", "40|60|30"},
			{"EVALUATE ROW(\"l\", CALCULATE([Total], LASTDATE('Date'[Date])), \"d\", FIRSTDATE('Date'[Date]))", "80|2023-01-01"},
		},
		"https://learn.microsoft.com/dax/userelationship-function-dax": {
			{"EVALUATE CALCULATETABLE(SUMMARIZECOLUMNS('Date'[Month], \"t\", [Total], \"s\", [Shipped]), 'Date'[Year] = 2024)",
				"1|40|30; 2|50|40; 3||50; 6|70|; 12|80|"},
		},
		"docs/evaluation.md: the queries of generated questions": {
			{"EVALUATE\nSUMMARIZECOLUMNS(\n    'Store'[City],\n    FILTER(ALL('Date'[Year]), 'Date'[Year] = 2024),\n    \"Total\", [Total]\n)", "Rome|120; Oslo|40; |80"},
			{"EVALUATE\nROW(\n    \"Total\", CALCULATE([Total], FILTER(ALL('Date'[Date]), 'Date'[Date] >= EOMONTH(TODAY(), -2) + 1 && 'Date'[Date] < EOMONTH(TODAY(), -1) + 1))\n)", "70"},
			{"EVALUATE\nTOPN(\n    2,\n    SUMMARIZECOLUMNS(\n        'Store'[City],\n        \"Total\", [Total]\n    ),\n    [Total], DESC\n)\nORDER BY [Total] DESC, 'Store'[City] ASC", "Rome|160; |80"},
		},
	} {
		holds(t, m, page, examples)
	}
}
