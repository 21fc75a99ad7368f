package rules_test

import (
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
)

// shop returns a small star for most tests: two facts, four dimensions, a calculation group and a
// field parameter. Tests change a copy of it.
func shop(changes ...func(*semanticmodel.Model)) *semanticmodel.Model {
	const (
		text    = semanticmodel.String
		integer = semanticmodel.Int64
		money   = semanticmodel.Decimal
		day     = semanticmodel.DateTime
	)
	m := &semanticmodel.Model{
		Tables: []semanticmodel.Table{
			{
				Name: "FactSales",
				Columns: []semanticmodel.Column{
					{Name: "CustomerKey", DataType: integer}, {Name: "ProductKey", DataType: integer},
					{Name: "OrderDate", DataType: day}, {Name: "ShipDate", DataType: day},
					{Name: "Qty", DataType: integer, SummarizeBy: "sum"}, {Name: "Net Amount", DataType: money, SummarizeBy: "sum", FormatString: `\$#,0.00`},
					{Name: "Unit Price", DataType: money, SummarizeBy: "none", FormatString: `\$#,0.00`},
					{Name: "Line Total", DataType: money, Expression: "FactSales[Qty] * FactSales[Unit Price]"},
					{Name: "IsGift", DataType: semanticmodel.Boolean}, {Name: "Sales Channel", DataType: text}, {Name: "ETL Batch", DataType: text}, {Name: "Xq", DataType: text},
				},
				Measures: []semanticmodel.Measure{
					{Name: "Net Sales", Expression: "SUM(FactSales[Net Amount])", FormatString: `\$#,0`},
					{Name: "Units", Expression: "SUM ( FactSales[Qty] )", FormatString: "#,0"},
					{Name: "Orders", Expression: "COUNTROWS(FactSales)"},
					{Name: "Customers", Expression: "DISTINCTCOUNT(FactSales[CustomerKey])"},
					{Name: "Average Price", Expression: "DIVIDE([Net Sales], [Units])", FormatString: `\$0.00`},
					{Name: "Net Sales YTD", Expression: "TOTALYTD([Net Sales], 'Date'[Date])", FormatString: `\$#,0`},
					{Name: "Net Sales PY", Expression: "CALCULATE([Net Sales], SAMEPERIODLASTYEAR('Date'[Date]))", FormatString: `\$#,0`},
					{Name: "Net Sales 12M", Expression: "CALCULATE([Net Sales], DATESINPERIOD('Date'[Date], MAX('Date'[Date]), -12, MONTH))"},
					{Name: "Net Sales YoY %", Expression: "DIVIDE([Net Sales] - [Net Sales PY], [Net Sales PY])", FormatString: "0.0%"},
					{Name: "Shipped Sales", Expression: "CALCULATE([Net Sales], USERELATIONSHIP(FactSales[ShipDate], 'Date'[Date]))"},
					{Name: "Line Value", Expression: "SUMX(FactSales, FactSales[Qty] * FactSales[Unit Price])"},
					{Name: "Product Share", Expression: "DIVIDE([Net Sales], CALCULATE([Net Sales], ALL(Product)))", FormatString: "0%"},
					{Name: "Revenue", Expression: "[Net Sales]"},
					{Name: "Goal", Expression: "1000"},
					{Name: "_tooltip text", Expression: `"Sales: " & [Net Sales]`},
				},
			},
			{
				Name:     "Returns",
				Columns:  []semanticmodel.Column{{Name: "ProductKey", DataType: integer}, {Name: "Return Date", DataType: day}, {Name: "Refund", DataType: money}},
				Measures: []semanticmodel.Measure{{Name: "Refunds", Expression: "SUM(Returns[Refund])"}, {Name: "After Returns", Expression: "[Net Sales] - [Refunds]"}},
			},
			{
				Name: "Date", DataCategory: "Time",
				Columns: []semanticmodel.Column{
					{Name: "Date", DataType: day, IsKey: true}, {Name: "Year", DataType: integer, SummarizeBy: "none"}, {Name: "Fiscal Year", DataType: text},
					{Name: "Month", DataType: text, SortByColumn: "MonthNo"}, {Name: "MonthNo", DataType: integer},
				},
				Hierarchies: []semanticmodel.Hierarchy{{Name: "Calendar", Levels: []semanticmodel.Level{{Name: "Year", Column: "Year"}, {Name: "Month", Column: "Month"}}}},
			},
			{
				Name: "Customers",
				Columns: []semanticmodel.Column{
					{Name: "CustomerKey", DataType: integer}, {Name: "Customer Name", DataType: text, IsDefaultLabel: true}, {Name: "Segment", DataType: text},
					{Name: "City", DataType: text, DataCategory: "City"}, {Name: "Website", DataType: text, DataCategory: "WebUrl"},
				},
			},
			{Name: "Product", Columns: []semanticmodel.Column{{Name: "ProductKey", DataType: integer}, {Name: "Product", DataType: text}, {Name: "CategoryId", DataType: integer}}},
			{Name: "Category", Columns: []semanticmodel.Column{{Name: "CategoryId", DataType: integer}, {Name: "Category Name", DataType: text}}},
			{
				Name: "Time Comparison",
				CalculationGroup: &semanticmodel.CalculationGroup{Items: []semanticmodel.CalculationItem{
					{Name: "Current", Expression: "SELECTEDMEASURE()"}, {Name: "Prior Year", Expression: "CALCULATE(SELECTEDMEASURE(), SAMEPERIODLASTYEAR('Date'[Date]))"},
				}},
				Columns: []semanticmodel.Column{{Name: "Comparison", DataType: text, SourceColumn: "Name"}, {Name: "Ordinal", DataType: integer, SourceColumn: "Ordinal"}},
			},
			{
				Name:       "Shown Measure",
				Columns:    []semanticmodel.Column{{Name: "Shown", DataType: text}, {Name: "Shown Fields", DataType: text, ExtendedProperties: map[string]string{"ParameterMetadata": "{}"}}},
				Partitions: []semanticmodel.Partition{{SourceType: "calculated", Expression: `{ ("A", NAMEOF([Net Sales]), 0), ("B", NAMEOF([Units]), 1) }`}},
			},
		},
		Relationships: []semanticmodel.Relationship{
			related("FactSales[CustomerKey]", "Customers[CustomerKey]", true), related("FactSales[ProductKey]", "Product[ProductKey]", true),
			related("FactSales[OrderDate]", "Date[Date]", true), related("FactSales[ShipDate]", "Date[Date]", false),
			related("Returns[ProductKey]", "Product[ProductKey]", true), related("Returns[Return Date]", "Date[Date]", true),
			related("Product[CategoryId]", "Category[CategoryId]", true),
		},
	}
	for _, change := range changes {
		change(m)
	}
	return m
}

func related(from, to string, active bool) semanticmodel.Relationship {
	ft, fc, _ := strings.Cut(strings.TrimSuffix(from, "]"), "[")
	tt, tc, _ := strings.Cut(strings.TrimSuffix(to, "]"), "[")
	return semanticmodel.Relationship{
		FromTable: ft, FromColumn: fc, ToTable: tt, ToColumn: tc, IsActive: active, FromCardinality: semanticmodel.Many, ToCardinality: semanticmodel.One,
	}
}

// object returns the model's object for "Sales" or "Sales[Net]".
func object(m *semanticmodel.Model, name string) proposal.Object {
	table, field, isField := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	for _, o := range everything(m) {
		if o.Table == table && o.Name == field && (o.Type == proposal.Table) != isField {
			return o
		}
	}
	panic("the model has no " + name)
}

// column and measure return one of the model's fields, to be changed.
func column(m *semanticmodel.Model, table, name string) *semanticmodel.Column {
	t := tableOf(m, table)
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	panic("no column " + name)
}

func measure(m *semanticmodel.Model, table, name string) *semanticmodel.Measure {
	t := tableOf(m, table)
	for i := range t.Measures {
		if t.Measures[i].Name == name {
			return &t.Measures[i]
		}
	}
	panic("no measure " + name)
}

func tableOf(m *semanticmodel.Model, name string) *semanticmodel.Table {
	for i := range m.Tables {
		if m.Tables[i].Name == name {
			return &m.Tables[i]
		}
	}
	panic("no table " + name)
}
