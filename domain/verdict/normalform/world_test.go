package normalform_test

import (
	"time"

	"readiness/definition/semanticmodel"
)

var today = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

func column(name string, kind semanticmodel.DataType) semanticmodel.Column {
	return semanticmodel.Column{Name: name, DataType: kind, SourceColumn: name}
}

func key(name string, kind semanticmodel.DataType) semanticmodel.Column {
	c := column(name, kind)
	c.IsKey = true
	return c
}

func sortedBy(name, by string) semanticmodel.Column {
	c := column(name, semanticmodel.String)
	c.SortByColumn = by
	return c
}

func measure(name, expression string) semanticmodel.Measure {
	return semanticmodel.Measure{Name: name, Expression: expression}
}

func to(from, fromColumn, table, column string, active bool) semanticmodel.Relationship {
	return semanticmodel.Relationship{FromTable: from, FromColumn: fromColumn, ToTable: table, ToColumn: column, FromCardinality: semanticmodel.Many,
		ToCardinality: semanticmodel.One, CrossFilteringBehavior: "oneDirection", IsActive: active}
}

// shop is a star: Sales of products in stores on days.
func shop() *semanticmodel.Model {
	return &semanticmodel.Model{
		Culture: "en-US",
		Tables: []semanticmodel.Table{
			{
				Name: "Sales", Columns: []semanticmodel.Column{column("ProductKey", "int64"), column("StoreKey", "int64"), column("Day", "dateTime"),
					column("Shipped", "dateTime"), column("Quantity", "int64"), column("Amount", "double"), column("Channel", "string")},
				Measures: []semanticmodel.Measure{
					measure("Revenue", "SUM(Sales[Amount])"), measure("Units", "SUM ( 'Sales'[Quantity] )"), measure("Lines", "COUNTROWS(Sales)"),
					measure("Price", "DIVIDE([Revenue], [Units])"), measure("Red Revenue", `CALCULATE([Revenue], Product[Color] = "Red")`),
					measure("Revenue LY", "CALCULATE([Revenue], SAMEPERIODLASTYEAR('Date'[Date]))"),
					measure("Revenue YTD", "TOTALYTD([Revenue], 'Date'[Date])"), measure("Buyers", "DISTINCTCOUNT(Sales[StoreKey])"),
					measure("Share", "DIVIDE([Revenue], CALCULATE([Revenue], ALL(Product)))"), measure("Padded", "[Revenue] + 0"),
				},
			},
			{Name: "Product", Columns: []semanticmodel.Column{key("ProductKey", "int64"), column("Product", "string"), column("Category", "string"),
				column("Color", "string"), column("Cost", "double")}},
			{Name: "Store", Columns: []semanticmodel.Column{key("StoreKey", "int64"), column("City", "string"), column("Open", "boolean")}},
			{Name: "Budget", Columns: []semanticmodel.Column{column("Plan", "double"), column("City", "string")},
				Measures: []semanticmodel.Measure{measure("Plan Total", "SUM(Budget[Plan])")}},
			{Name: "Date", DataCategory: "Time", Columns: []semanticmodel.Column{key("Date", "dateTime"), column("Year", "int64"), column("Month Number", "int64"),
				sortedBy("Month", "Month Number"), column("Quarter", "int64"), column("Year Month", "int64"), sortedBy("Month Year", "Year Month"),
				column("Weekday", "string")}},
		},
		Relationships: []semanticmodel.Relationship{to("Sales", "ProductKey", "Product", "ProductKey", true), to("Sales", "StoreKey", "Store", "StoreKey", true),
			to("Sales", "Day", "Date", "Date", true), to("Sales", "Shipped", "Date", "Date", false)},
	}
}
