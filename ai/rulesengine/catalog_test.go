package rulesengine_test

import (
	"fmt"
	"slices"
	"strings"

	"readiness/ai/rulesengine"
	"readiness/domain/verdict"
)

// shop returns a catalog with the usual difficulties: names that share words, an abbreviation as a
// name, the same column in two tables, several dates.
func shop() rulesengine.Catalog {
	text := func(names ...string) []rulesengine.Column {
		var all []rulesengine.Column
		for _, n := range names {
			all = append(all, rulesengine.Column{Name: n, DataType: "string"})
		}
		return all
	}
	sales := rulesengine.Table{Name: "Sales", Description: "One row for each line of an order.",
		Columns: []rulesengine.Column{
			{Name: "Order Date", DataType: "dateTime", Key: true},
			{Name: "Ship Date", DataType: "dateTime"},
			{Name: "Net Amount", DataType: "decimal"},
			{Name: "Qty", DataType: "int64"},
			{Name: "Product Key", DataType: "int64", Key: true},
			{Name: "Channel", DataType: "string", Description: "Where the order was placed: Online or Store."},
			{Name: "Priority", DataType: "int64"},
			{Name: "Is Gift", DataType: "boolean"},
		},
		Measures: []rulesengine.Measure{
			{Name: "Net Sales", Description: "Revenue after discounts and without tax."},
			{Name: "Gross Profit", Description: "What is left of revenue after the cost of goods."},
			{Name: "Gross Margin %"},
			{Name: "Number of Orders"},
			{Name: "Units Sold", Synonyms: []string{"sold pieces", "volume"}},
			{Name: "Average Order Value", Description: "Mean revenue of one order, known as basket size in the stores."},
			{Name: "Net Sales Last Year"},
			{Name: "Net Sales YTD"},
			{Name: "Ttl Dsc"},
		}}
	product := rulesengine.Table{Name: "Product", Columns: append(text("Product Name", "Category", "Subcategory", "Brand", "Status"),
		rulesengine.Column{Name: "List Price", DataType: "decimal"})}
	customer := rulesengine.Table{Name: "Customer", Columns: append(text("Customer Name", "Country", "City", "Segment"),
		rulesengine.Column{Name: "Customer Key", DataType: "int64", Key: true})}
	store := rulesengine.Table{Name: "Store", Synonyms: []string{"shop"}, Columns: text("Store Name", "Country", "Region", "Format")}
	date := rulesengine.Table{Name: "Date", Dates: true, Columns: []rulesengine.Column{
		{Name: "Date", DataType: "dateTime", Key: true}, {Name: "Year", DataType: "int64"}, {Name: "Quarter", DataType: "string"},
		{Name: "Month", DataType: "string"}, {Name: "Month Number", DataType: "int64"}, {Name: "Fiscal Year", DataType: "string"}, {Name: "Weekday", DataType: "string"},
	}}
	returns := rulesengine.Table{Name: "Returns", Columns: text("Return Reason"), Measures: []rulesengine.Measure{
		{Name: "Units Returned", Description: "Number of pieces customers brought back."}, {Name: "Return Rate %"},
	}}
	return rulesengine.Catalog{Tables: []rulesengine.Table{sales, product, customer, store, date, returns}}
}

// fieldsOf lists the fields of an answer in a fixed order: "measure Net Sales", "by Product.Category",
// "Date.Year = 2024"; none without an answer.
func fieldsOf(a rulesengine.Explained) string {
	if a.CannotAnswer {
		return "cannot tell"
	}
	var all []string
	for _, f := range a.Fields {
		name := f.Table + "." + f.Name
		switch f.Role {
		case verdict.MeasureField:
			all = append(all, "["+f.Name+"]")
		case verdict.GroupingField:
			all = append(all, "by "+name)
		case verdict.FilterField:
			if f.Operator == "top" || f.Operator == "bottom" {
				name = "[" + f.Name + "]"
			}
			values := slices.Clone(f.Values)
			all = append(all, fmt.Sprintf("%s %s %s", name, f.Operator, strings.Join(values, ",")))
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "; ")
}
