package readiness_test

import (
	"strings"
	"testing"

	"readiness/definition/semanticmodel"
)

func TestDescriptionRules(t *testing.T) {
	t.Parallel()
	const good = "Net amount invoiced to customers, in euro."
	long := strings.Repeat("é", 200)
	calculations := func(description string, items ...string) *semanticmodel.Model {
		return model(table("Periods", group(items...), text("Calculation", source("Name"), about(description)), whole("Ordinal")))
	}
	rules(t, map[string][]row{
		"DSC-01": {
			{"described", model(table("Sales", described(good))), "Sales 0"},
			{"absent", model(table("Sales")), "Sales 1"},
			{"blank", model(table("Sales", described(" \u00a0\n"))), "Sales 1"},
			{"hidden tables are not judged", model(table("Sales", hiddenTable)), ""},
			{"private tables are dropped", model(table("Sales", privateTable)), ""},
			{"automatic date tables are dropped", model(table("LocalDateTable_1"), table("DateTableTemplate_1"), table("D", annotated("__PBI_LocalDateTable")), table("E", annotated("__PBI_TemplateDateTable"))), ""},
			{"a prefix is case-sensitive", model(table("localdatetable_1")), "localdatetable_1 1"},
		},
		"DSC-02": {
			{"described", model(table("Sales", text("Channel", about(good)))), "Sales[Channel] 0"},
			{"absent and hidden", model(table("Sales", text("Channel"), text("Other", hidden))), "Sales[Channel] 1"},
			{"keys need none", model(table("Sales", whole("Id", key), whole("Customer")), table("Customer", whole("Customer Id")), related("Sales[Customer] -> Customer[Customer Id]", "inactive")), ""},
			{"an end that is dropped makes no key", model(table("Sales", date("Ordered")), table("LocalDateTable_1", date("Date")), related("Sales[Ordered] -> LocalDateTable_1[Date]")), "Sales[Ordered] 1"},
			{"a missing end makes no key", model(table("Sales", date("Ordered")), table("Date"), related("Sales[Ordered] -> Date[Day]")), "Sales[Ordered] 1"},
			{"row numbers are dropped", model(table("Sales", whole("RowNumber", rowNumber))), ""},
		},
		"DSC-03": {
			{"described", model(table("Sales", measure("Net", "1", says(good)))), "Sales[Net] 0"},
			{"absent and hidden", model(table("Sales", measure("Net", "1"), measure("Gross", "1", hiddenMeasure))), "Sales[Net] 1"},
			{"of a hidden table", model(table("Sales", hiddenTable, measure("Net", "1"))), ""},
		},
		"DSC-04": {
			{"says more", model(table("Sales", described(good), measure("Net", "1", says(good)))), "Sales 0, Sales[Net] 0"},
			{"absent", model(table("Sales", text("Channel"), whole("Id", key))), "Sales 1, Sales[Channel] 1"},
			{"14 runes", model(table("Sales", described("éééé éééé éééé"))), "Sales 1"},
			{"15 runes", model(table("Sales", described("éééé éééé ééééé"))), "Sales 0"},
			{"spaces around do not count", model(table("Sales", described("  éééé éééé éééé  "))), "Sales 1"},
			{"the name", model(table("Customer Orders Net", described("customer  orders NET."))), "Customer Orders Net 1"},
			{"the name and no word", model(table("*** *** *** ***", described("*** *** *** ***."))), "*** *** *** *** 1"},
			{"words of the name and fillers", model(table("CustomerOrders", described("This table contains the orders of a customer."))), "CustomerOrders 1"},
			{"each filler", model(table("Sales", described("the a an of for this is column table measure field contains"))), "Sales 1"},
			{"one word more", model(table("Customer Orders", described("This table contains the open orders of a customer."))), "Customer Orders 0"},
			{"no word", model(table("Sales", described("*** --- *** --- ***"))), "Sales 1"},
		},
		"DSC-05": {
			{"absent", model(table("Sales")), "Sales 1"},
			{"200 runes", model(table("Sales", described(" "+long+" "))), "Sales 0"},
			{"201 runes", model(table("Sales", described(long+"e"))), "Sales 0.5"},
		},
		"DSC-06": {
			{"absent, each", model(table("Sales"), table("Orders")), "Orders 1, Sales 1"},
			{"its own", model(table("Sales", described(good)), table("Orders", described(good+"."))), "Orders 0, Sales 0"},
			{"shared under norm", model(table("Sales", described(good), measure("Net", "1", says(strings.ToUpper(good))), text("Channel", about("  Net amount  invoiced to customers,\nin euro. ")))), "Sales 1, Sales[Channel] 1, Sales[Net] 1"},
			{"shared with a key or a hidden object", model(table("Sales", described(good), whole("Id", key, about(good)), text("Channel", hidden, about(good)))), "Sales 0"},
		},
		"DSC-07": {
			{"all named", calculations("Current, YTD (year to date), py", "YTD", "PY"), "Periods 0"},
			{"two of three", calculations("ytd, py", "YTD", "PY", "MTD"), "Periods 0.3333"},
			{"in the first 200 runes", calculations(strings.Repeat("é", 197)+"YTD", "YTD"), "Periods 0"},
			{"after the first 200 runes", calculations(strings.Repeat("é", 198)+"YTD", "YTD"), "Periods 1"},
			{"no items", calculations("x"), ""},
			{"no calculation group", model(table("Sales", text("Calculation", source("Name")))), ""},
			{"hidden", model(table("Periods", hiddenTable, group("YTD"), text("C"))), ""},
			{"the only text column", model(table("Periods", group("YTD"), text("C", hidden, about("YTD")), whole("Ordinal"))), "Periods 0"},
			{"two text columns, none of the name", model(table("Periods", group("YTD"), text("C", about("YTD")), text("D", about("YTD")))), "Periods 1"},
			{"the source column goes before", model(table("Periods", group("YTD"), text("C", about("YTD")), text("D", source("Name")))), "Periods 1"},
			{"no column", model(table("Periods", group("YTD"))), "Periods 1"},
		},
	})
}
