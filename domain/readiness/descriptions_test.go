package readiness_test

import (
	"strings"
	"testing"

	"readiness/definition/semanticmodel"
)

func TestDescriptionRules(t *testing.T) {
	t.Parallel()
	const good = "Net amount invoiced to customers, in euro."
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
