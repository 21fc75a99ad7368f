package evaluate_test

import (
	"testing"

	"readiness/definition/dax/evaluate"
	"readiness/definition/semanticmodel"
)

// stock is a model where filters cross a relationship in both directions: the stock of
// products, and their receipts, both by day and warehouse.
func stock(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{}
	f.add(t, `Levels
Day:dateTime|Warehouse:int64|Product:int64|Pieces:int64
2024-01-01|1|1|10
2024-01-01|2|2|20
2024-01-02|1|2|30`,
		`Receipts
Day:dateTime|Warehouse:int64|Product:int64|Received:int64
2024-01-01|1|1|1
2024-01-02|2|2|2
2024-01-02|1|3|4`,
		`Product
Product:int64|Name:string
1|Bread
2|Butter
3|Cake`,
		`Warehouse
Warehouse:int64|City:string
1|Rome
2|Oslo`,
		`Calendar
Day:dateTime|Year:int64
2024-01-01|2024
2024-01-02|2024
2024-01-03|2024`)
	f.relate("Levels[Product] > Product[Product] both", "Levels[Warehouse] > Warehouse[Warehouse]", "Levels[Day] > Calendar[Day]",
		"Receipts[Product] > Product[Product]", "Receipts[Warehouse] > Warehouse[Warehouse]", "Receipts[Day] > Calendar[Day]")
	f.measure("Pieces", "SUM(Levels[Pieces])")
	f.measure("Received", "SUM(Receipts[Received])")
	return f
}

func TestFiltersInBothDirections(t *testing.T) {
	t.Parallel()
	m := stock(t).model(t)
	holds(t, m, "https://learn.microsoft.com/power-bi/transform-model/desktop-relationships-understand", []example{
		{"EVALUATE VALUES(Product[Name])", "Bread; Butter; Cake"}, // without a filter nothing crosses
		{"EVALUATE CALCULATETABLE(VALUES(Product[Name]), Warehouse[City] = \"Oslo\")", "Butter"},
		{"EVALUATE CALCULATETABLE(VALUES(Product[Name]), Levels[Pieces] > 15, Warehouse[City] = \"Rome\")", "Butter"}, // in one row
		{"EVALUATE CALCULATETABLE(VALUES(Warehouse[City]), Product[Name] = \"Bread\")", "Rome; Oslo"},                 // one direction only
		{"EVALUATE SUMMARIZECOLUMNS(Product[Name], \"p\", [Pieces], \"r\", [Received])", "Bread|10|1; Butter|50|2; Cake||4"},
		// A day filters receipts directly, and not those of products in stock on that day.
		{"EVALUATE SUMMARIZECOLUMNS(Calendar[Day], \"p\", [Pieces], \"r\", [Received])", "2024-01-01|30|1; 2024-01-02|30|6"},
		{"EVALUATE ROW(\"r\", CALCULATE([Received], Levels[Pieces] = 10))", "1"},
	})
	refused(t, m, "EVALUATE ROW(\"r\", CALCULATE([Received], Levels[Pieces] = 10, Calendar[Year] = 2024))", evaluate.Options{}, false, "in more than one way")
}

func TestRelationshipsThatAreNotManyToOne(t *testing.T) {
	t.Parallel()
	f := stock(t)
	f.add(t, "Targets\nCity:string|Target:int64\nRome|1\nRome|2")
	f.relate("Warehouse[City] > Targets[City] many")
	m := f.model(t)
	holds(t, m, "", []example{
		{"EVALUATE ROW(\"p\", [Pieces])", "60"},
		{"EVALUATE ROW(\"t\", SUM(Targets[Target]))", "3"},
		{"EVALUATE ROW(\"t\", CALCULATE(SUM(Targets[Target]), Targets[Target] > 1))", "2"},
	})
	refused(t, m, "EVALUATE SUMMARIZECOLUMNS(Targets[City], \"p\", [Pieces])", evaluate.Options{}, false, "is not many to one")
	refused(t, m, "EVALUATE ROW(\"t\", CALCULATE(SUM(Targets[Target]), Warehouse[City] = \"Rome\"))", evaluate.Options{}, false, "is not many to one")
}

// Rows that are equal in all columns are one filter.
func TestContextTransitionOfEqualRows(t *testing.T) {
	t.Parallel()
	f := &fixture{}
	f.add(t, "T\nA:string|N:int64\nx|1\nx|1\ny|2")
	holds(t, f.model(t), "https://blog.enterprisedna.co/what-is-context-transition-and-why-does-it-matter/", []example{
		{"EVALUATE ADDCOLUMNS(T, \"s\", CALCULATE(SUM(T[N])))", "x|1|2; x|1|2; y|2|2"},
	})
}

func TestSnowflake(t *testing.T) {
	t.Parallel()
	f := &fixture{}
	f.add(t, "Sales\nProduct:int64|Amount:int64\n1|1\n2|2\n7|4", "Product\nProduct:int64|Group:int64\n1|1\n2|9", "Group\nGroup:int64|Name:string\n1|Food\n2|Toys")
	f.relate("Sales[Product] > Product[Product]", "Product[Group] > Group[Group]")
	holds(t, f.model(t), "", []example{
		{"EVALUATE SUMMARIZECOLUMNS(Group[Name], \"a\", SUM(Sales[Amount]))", "Food|1; |6"}, // no product, and a product without group
		{"EVALUATE ROW(\"x\", SUMX(FILTER(Sales, RELATED(Group[Name]) = \"Food\"), Sales[Amount]))", "1"},
		{"EVALUATE SUMMARIZE(Sales, Group[Name])", "Food; "},
	})
}

func TestBlankRowOfAnInactiveRelationship(t *testing.T) {
	t.Parallel()
	m := shop(t).model(t) // some sales have no day of shipping
	for _, query := range []string{
		"EVALUATE VALUES('Date'[Year])", "EVALUATE ALL('Date')", "EVALUATE ROW(\"n\", COUNTROWS(ALL('Date'[Date])))",
		"EVALUATE SUMMARIZECOLUMNS('Date'[Year], \"s\", [Shipped])", "EVALUATE SUMMARIZECOLUMNS('Date'[Year])",
	} {
		refused(t, m, query, evaluate.Options{}, false, "blank row")
	}
	holds(t, m, "", []example{
		{"EVALUATE DISTINCT('Date'[Year])", "2023; 2024"},
		{"EVALUATE FILTER(VALUES('Date'[Year]), 'Date'[Year] > 2023)", "2024"},
		{"EVALUATE SUMMARIZECOLUMNS('Date'[Year], \"t\", [Total])", "2023|60; 2024|240"},
		{"EVALUATE CALCULATETABLE(VALUES('Date'[Year]), USERELATIONSHIP(Sales[Ship Date], 'Date'[Date]))", "2023; 2024; "},
		{"EVALUATE ROW(\"t\", CALCULATE([Total], 'Date'[Year] < 2024))", "60"}, // BLANK < 2024 too, and no sale has it
	})
	refused(t, m, "EVALUATE ROW(\"t\", CALCULATE([Shipped], 'Date'[Year] < 2024))", evaluate.Options{}, false, "blank row")
}

// Filters on the dates of an active relationship, or of a date table, replace all of their
// table. If only an inactive relationship ends there, that is not certain.
func TestFiltersOnDates(t *testing.T) {
	t.Parallel()
	const query = "EVALUATE CALCULATETABLE(ROW(\"n\", CALCULATE(COUNTROWS(Days), Days[Day] = DATE(2024, 1, 1))), Days[Part] = \"late\")"
	for _, c := range []struct{ relationship, category, want string }{
		{"", "", ""}, {"T[Day] > Days[Day]", "", "1"}, {"T[Day] > Days[Day] inactive", "", "refused"}, {"", "Time", "1"},
	} {
		f := &fixture{}
		f.add(t, "T\nDay:dateTime\n2024-01-01", "Days\nDay:dateTime|Part:string\n2024-01-01|early\n2024-01-02|late")
		f.Tables[1].DataCategory, f.Tables[1].Columns[0].IsKey = c.category, c.category != ""
		if c.relationship != "" {
			f.relate(c.relationship)
		}
		if c.want == "refused" {
			refused(t, f.model(t), query, evaluate.Options{}, false, "may replace its other filters")
			continue
		}
		holds(t, f.model(t), "https://www.sqlbi.com/articles/mark-as-date-table/", []example{{query, c.want}})
	}
}

func TestCalculatedTablesAndColumns(t *testing.T) {
	t.Parallel()
	f := shop(t)
	sales, product := &f.Tables[0], &f.Tables[1]
	column := func(t *semanticmodel.Table, name string, kind semanticmodel.DataType, expression string) {
		t.Columns = append(t.Columns, semanticmodel.Column{Name: name, DataType: kind, Expression: expression})
	}
	column(sales, "Double", semanticmodel.Decimal, "Sales[Single] * 2")
	column(sales, "Single", semanticmodel.Decimal, "Sales[Quantity] * RELATED(Product[Price])")
	column(sales, "Measured", semanticmodel.Decimal, "[Total]")
	column(product, "Cheap", semanticmodel.Boolean, "Product[Price] < 3")
	calculated := func(name, expression string, columns ...semanticmodel.Column) {
		f.Tables = append(f.Tables, semanticmodel.Table{Name: name, Columns: columns,
			Partitions: []semanticmodel.Partition{{SourceType: "calculated", Expression: expression}}})
	}
	calculated("Days", "ADDCOLUMNS(CALENDARAUTO(), \"Month\", FORMAT([Date], \"MMM\"), \"Week\", WEEKNUM([Date], 21))",
		semanticmodel.Column{Name: "Day", DataType: semanticmodel.DateTime, SourceColumn: "[Date]"},
		semanticmodel.Column{Name: "Month", DataType: semanticmodel.String}, semanticmodel.Column{Name: "Week", DataType: semanticmodel.Int64})
	calculated("Filtered", "CALCULATETABLE(Sales, Sales[Key] = 1)", semanticmodel.Column{Name: "Key", DataType: semanticmodel.Int64})
	calculated("Short", "FILTER(Days, Days[Week] = 53)", semanticmodel.Column{Name: "Day", DataType: semanticmodel.DateTime})
	m := f.model(t)
	holds(t, m, "https://learn.microsoft.com/dax/calendarauto-function-dax", []example{
		{"EVALUATE ROW(\"s\", SUM(Sales[Single]), \"d\", SUM(Sales[Double]), \"c\", CALCULATE([Total], Product[Cheap] = TRUE()))", "58|116|180"},
		{"EVALUATE ROW(\"n\", COUNTROWS(Days), \"f\", MIN(Days[Day]), \"l\", MAX(Days[Day]))", "731|2023-01-01|2024-12-31"},
		{"EVALUATE TOPN(1, SUMMARIZE(Days, Days[Month], \"n\", COUNTROWS(Days)), [n], ASC)", "Feb|57"},
	})
	refused(t, m, "EVALUATE Filtered", evaluate.Options{}, false, "table 'Filtered', line 1, column 1: CALCULATETABLE is not evaluated for calculated")
	refused(t, m, "EVALUATE ROW(\"x\", SUM(Sales[Measured]))", evaluate.Options{}, false, "a measure is not evaluated for calculated")
}
