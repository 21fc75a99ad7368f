package answering_test

import (
	"fmt"
	"slices"
	"strings"

	"readiness/ai/answering"
	"readiness/domain/comparison"
)

// shop returns a catalog with the usual difficulties: names that share words, an abbreviation as a
// name, the same column in two tables, several dates.
func shop() answering.Catalog {
	text := func(names ...string) []answering.Column {
		var all []answering.Column
		for _, n := range names {
			all = append(all, answering.Column{Name: n, DataType: "string"})
		}
		return all
	}
	sales := answering.Table{Name: "Sales", Description: "One row for each line of an order.",
		Columns: []answering.Column{
			{Name: "Order Date", DataType: "dateTime", Key: true},
			{Name: "Ship Date", DataType: "dateTime"},
			{Name: "Net Amount", DataType: "decimal"},
			{Name: "Qty", DataType: "int64"},
			{Name: "Product Key", DataType: "int64", Key: true},
			{Name: "Channel", DataType: "string", Description: "Where the order was placed: Online or Store."},
			{Name: "Priority", DataType: "int64"},
			{Name: "Is Gift", DataType: "boolean"},
		},
		Measures: []answering.Measure{
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
	product := answering.Table{Name: "Product", Columns: append(text("Product Name", "Category", "Subcategory", "Brand", "Status"),
		answering.Column{Name: "List Price", DataType: "decimal"})}
	customer := answering.Table{Name: "Customer", Columns: append(text("Customer Name", "Country", "City", "Segment"),
		answering.Column{Name: "Customer Key", DataType: "int64", Key: true})}
	store := answering.Table{Name: "Store", Synonyms: []string{"shop"}, Columns: text("Store Name", "Country", "Region", "Format")}
	date := answering.Table{Name: "Date", Dates: true, Columns: []answering.Column{
		{Name: "Date", DataType: "dateTime", Key: true}, {Name: "Year", DataType: "int64"}, {Name: "Quarter", DataType: "string"},
		{Name: "Month", DataType: "string"}, {Name: "Month Number", DataType: "int64"}, {Name: "Fiscal Year", DataType: "string"}, {Name: "Weekday", DataType: "string"},
	}}
	returns := answering.Table{Name: "Returns", Columns: text("Return Reason"), Measures: []answering.Measure{
		{Name: "Units Returned", Description: "Number of pieces customers brought back."}, {Name: "Return Rate %"},
	}}
	return answering.Catalog{Tables: []answering.Table{sales, product, customer, store, date, returns}}
}

// fieldsOf lists the fields of an answer in a fixed order: "measure Net Sales", "by Product.Category",
// "Date.Year = 2024"; none without an answer.
func fieldsOf(a answering.Explained) string {
	if a.CannotAnswer {
		return "cannot tell"
	}
	var all []string
	for _, f := range a.Fields {
		name := f.Table + "." + f.Name
		switch f.Role {
		case comparison.MeasureField:
			all = append(all, "["+f.Name+"]")
		case comparison.GroupingField:
			all = append(all, "by "+name)
		case comparison.FilterField:
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
