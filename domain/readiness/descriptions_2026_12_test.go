package readiness_test

import (
	"testing"

	"readiness/definition/semanticmodel"
)

func TestDecemberDescriptionRules(t *testing.T) {
	t.Parallel()
	// of returns a model whose measure has the name and the description; next to it are
	// more tables.
	of := func(name, text string, more ...any) *semanticmodel.Model {
		return model(append([]any{table("T", described("What a clerk enters at the till."), measure(name, "1", says(text)))}, more...)...)
	}
	const thin, good = "The sales of the day.", "What was invoiced, in euro."
	december(t, map[string][]row{
		"DSC-01": {
			{"no description", model(table("Sales")), "Sales 1"},
			{"one that says nothing", model(table("Day Sales", described(thin))), "Day Sales 1"},
			{"one that says something", model(table("Day Sales", described(good))), "Day Sales 0"},
		},
		"DSC-02": {
			{"no description", model(table("T", text("a"))), "T[a] 1"},
			{"one that says nothing", model(table("T", text("Day Sales", about(thin)))), "T[Day Sales] 1"},
			{"one that says something", model(table("T", text("Day Sales", about(good)))), "T[Day Sales] 0"},
			{"a key with a description that says nothing", model(table("T", text("Day Sales", key, about(thin)))), ""},
		},
		"DSC-03": {
			{"no description", of("Day Sales", ""), "T[Day Sales] 1"},
			{"one that says nothing", of("Day Sales", thin), "T[Day Sales] 1"},
			{"one that says something", of("Day Sales", good), "T[Day Sales] 0"},
		},
		"DSC-04": {
			{"no description", of("m", ""), "T 0, T[m] 1"},
			{"7 characters", of("m", " in euro "), "T 0, T[m] 1"},
			{"8 characters", of("m", "in euros"), "T 0, T[m] 0"},
			{"the name", of("Gross Profit", "gross  profit"), "T 0, T[Gross Profit] 1"},
			{"the name and a full stop", of("Gross Profit!", "Gross Profit!."), "T 0, T[Gross Profit!] 1"},
			{"no word", of("m", "?? !! ?? !!"), "T 0, T[m] 1"},
			{"the name in a frame", of("Gross Profit", "This measure calculates the total of gross profit for each row."), "T 0, T[Gross Profit] 1"},
			{"a word more", of("Gross Profit", "The total of gross profit before tax."), "T 0, T[Gross Profit] 0"},
			{"the name in the plural", of("Box Order", "Orders and boxes in all"), "T 0, T[Box Order] 1"},
			{"the name in the singular", of("Boxes Orders", "Order and box in all"), "T 0, T[Boxes Orders] 1"},
			{"ies for y", of("City", "Records of the cities"), "T 0, T[City] 1"},
			{"y for ies", of("Cities", "Records of the city"), "T 0, T[Cities] 1"},
			{"two steps", of("Cities", "Records of the citys"), "T 0, T[Cities] 0"},
			{"a frame word has no forms", of("Net", "Shows net totals"), "T 0, T[Net] 0"},
			{"a form is never empty", of("s", "s of the total"), "T 0, T[s] 1"},
			{"the name of another table", of("Net", "The net of a customer", table("Customers", described(good))), "Customers 0, T 0, T[Net] 1"},
			{"of a hidden table", of("Net", "The net of a customer", table("Customers", hiddenTable)), "T 0, T[Net] 1"},
			{"of a dropped table", of("Net", "The net of a customer", table("Customers", privateTable)), "T 0, T[Net] 0"},
			{"the name of a column", of("Net", "The net of a customer", table("X", described(good), text("Customer", hidden))),
				"T 0, T[Net] 0, X 0"},
			{"date and calendar outside a date table", of("Net", "The date of the net"), "T 0, T[Net] 0"},
			{
				"date and calendar in a date table", model(table("Days", tableCategory("Time"), described("A calendar of days and dates"), text("Net",
					about("Calendar date of the net")), measure("Due", "1", says("The due date of a bill")))),
				"Days 0, Days[Net] 1, Days[Due] 0",
			},
			{"a date table", model(table("Days", tableCategory("Time"), described("A calendar of days by date"))), "Days 1"},
			{"keys", model(table("S", described(good), text("a", key), text("b b", key, about("The b of this table")), text("c", key,
				about(good)))), "S 0, S[b b] 1, S[c] 0"},
		},
		"DSC-05": {
			{"no description", of("m", ""), "T 0, T[m] 1"},
			{"one that says nothing", of("Day Sales", thin), "T 0, T[Day Sales] 1"},
			{"200 characters", of("m", runes(200)), "T 0, T[m] 0"},
			{"201 characters", of("m", runes(201)), "T 0, T[m] 0.5"},
			{"a key", model(table("S", text("c", key, about(runes(201))))), "S 1"},
		},
		"DSC-06": {
			{"no description", of("m", ""), "T 0, T[m] 1"},
			{"one that says nothing", of("Day Sales", thin), "T 0, T[Day Sales] 1"},
			{"shared", model(table("S", described(good), measure("a", "1", says(good)))), "S 1, S[a] 1"},
			{"shared with one that it says nothing of", model(table("S", described("Cold cuts and cheese."), measure("Cold Cuts, Cheese", "1",
				says("Cold cuts and cheese.")))), "S 0, S[Cold Cuts, Cheese] 1"},
			{"a key", model(table("S", described(good), text("c", key, about(good)))), "S 0"},
		},
		"DSC-07": {{"as before", model(table("P", group("YTD", "PY"), text("Name", about("YTD")))), "P 0.5"}},
	})
}
