package readiness_test

import (
	"testing"

	"readiness/definition/semanticmodel"
)

func TestMeasureRules(t *testing.T) {
	t.Parallel()
	// star returns a fact table with parts and a dimension.
	star := func(parts ...any) *semanticmodel.Model {
		return model(
			table("Sales", append([]any{whole("Product", hidden), text("Note")}, parts...)...),
			table("Products", whole("Product Id"), text("Title")),
			related("Sales[Product] -> Products[Product Id]"),
		)
	}
	rules(t, map[string][]row{
		"MEA-01": {
			{"neither facts nor numbers", model(table("Notes", text("Title"), whole("Id", key), amount("Hidden", hidden))), ""},
			{"numbers, no measure", model(table("Notes", whole("Stars"))), "# 1"},
			{"a decimal", model(table("Notes", amount("Stars"))), "# 1"},
			{"a double", model(table("Notes", column("Stars", semanticmodel.Double))), "# 1"},
			{"an unknown type is no number", model(table("Notes", column("Stars", ""))), ""},
			{"a fact, no measure", star(), "# 1"},
			{"a hidden fact counts", star(hiddenTable), "# 1"},
			{"a measure", star(measure("Net", "1")), "# 0"},
			{"a hidden measure is none", star(measure("Net", "1", hiddenMeasure)), "# 1"},
			{"two facts, one measure", model(
				table("Sales", whole("P", hidden), text("N"), measure("Net", "1")), table("Stock", whole("P", hidden), text("O")), table("Products", whole("Id")),
				related("Sales[P] -> Products[Id]"), related("Stock[P] -> Products[Id]")), "# 0.5"},
		},
		"MEA-02": {
			{"referred to", star(amount("Net"), measure("m", "SUM(Sales[Net])")), "Sales[Net] 0"},
			{"quoted, in other case", star(amount("Net"), measure("m", "SUM('sales'[NET])")), "Sales[Net] 0"},
			{"bare, in its own table", star(amount("Net"), measure("m", "SUM([Net])")), "Sales[Net] 0"},
			{"bare, as a measure is called so", star(amount("Net"), measure("m", "SUM([Net])"), measure("net", "1")), "Sales[Net] 1"},
			{"by a hidden measure", star(amount("Net"), measure("m", "SUM(Sales[Net])", hiddenMeasure)), "Sales[Net] 0"},
			{"in a comment only", star(amount("Net"), measure("m", "1 // Sales[Net]")), "Sales[Net] 1"},
			{"in a string only", star(amount("Net"), measure("m", `"Sales[Net]"`)), "Sales[Net] 1"},
			{"of another table", star(amount("Net"), measure("m", "SUM(Products[Net])")), "Sales[Net] 1"},
			{"not referred to", star(amount("Net"), amount("Gross", summarized("sum"))), "Sales[Gross] 1, Sales[Net] 1"},
			{"not summarized", star(amount("Net", summarized("none"))), ""},
			{"text, keys and hidden columns", star(text("Other"), whole("Id", key), amount("Net", hidden)), ""},
			{"no fact table", model(table("Sales", amount("Net"))), ""},
		},
		"MEA-03": {
			{"a format string", model(table("S", measure("m", "1", formatted("0.0")))), "S[m] 0"},
			{"a format expression", model(table("S", measure("m", "1", func(m *semanticmodel.Measure) { m.FormatStringDefinition = `"0"` }))), "S[m] 0"},
		},
		"MEA-04": {
			{"ten", model(table("S", measures(10, "m%d"))), ""},
			{"ten exposed of eleven", model(table("S", measures(10, "m%d"), measure("n", "1", hiddenMeasure))), ""},
			{"eleven", model(table("S", measures(9, "m%d", folder("F")), measure("n", "1"), measure("o", "1", folder(" ")))), "S[m0] 0, S[m1] 0, S[m2] 0, S[m3] 0, S[m4] 0, S[m5] 0, S[m6] 0, S[m7] 0, S[m8] 0, S[n] 1, S[o] 1"},
			{"eleven in two tables", model(table("S", measures(10, "m%d")), table("T", measure("n", "1"))), ""},
		},
		"MEA-05": {
			{"different", model(table("S", measure("a", "1"), measure("b", "2"))), "S[a] 0, S[b] 0"},
			{"the later of two by name", model(table("S", measure("b", "SUM ( S[X] )")), table("T", measure("a", "sum(s[x])"), measure("c", "Sum\n(S[x])"))), "S[b] 1, T[a] 0, T[c] 1"},
			{"comments are none", model(table("S", measure("a", "1 // x"), measure("b", "1"))), "S[a] 0, S[b] 1"},
			{"empty expressions", model(table("S", measure("a", ""), measure("b", " "))), "S[a] 0, S[b] 0"},
			{"an earlier one that is hidden", model(table("S", measure("a", "1", hiddenMeasure), measure("b", "1"))), "S[b] 0"},
			{"an alias", model(table("S", measure("a", " [B]\n"), measure("b", "1"))), "S[a] 1, S[b] 0"},
			{"an alias of a hidden one", model(table("S", measure("a", "[b]"), measure("b", "1", hiddenMeasure))), "S[a] 0"},
			{"a bare column", model(table("S", measure("a", "[b]"), amount("b"))), "S[a] 0"},
			{"itself", model(table("S", measure("a", "[a]"))), "S[a] 0"},
			{"more than an alias", model(table("S", measure("a", "[b] + 0"), measure("b", "1"))), "S[a] 0, S[b] 0"},
			{"a qualified alias", model(table("S", measure("a", "S[b]"), measure("b", "1"))), "S[a] 0, S[b] 0"},
		},
		"MEA-06": {
			{"different", model(table("S", measure("Net Sales", "1"), measure("Gross Sales", "2"))), "S[Gross Sales] 0, S[Net Sales] 0"},
			{"equal sets", model(table("S", measure("Total Sales", "1"), measure("the SalesAmount", "2")), table("T", measure("Sum of Sales Value", "3"))), "S[Total Sales] 0.5, S[the SalesAmount] 0.5, T[Sum of Sales Value] 0.5"},
			{"in any order, repeated", model(table("S", measure("Sales Net", "1"), measure("Net Sales Net", "2"))), "S[Net Sales Net] 0.5, S[Sales Net] 0.5"},
			{"nothing but fillers", model(table("S", measure("Total", "1"), measure("Sum of the Amount", "2"))), "S[Sum of the Amount] 0, S[Total] 0"},
			{"a hidden one", model(table("S", measure("Sales", "1"), measure("Total Sales", "2", hiddenMeasure))), "S[Sales] 0"},
			{"a subset", model(table("S", measure("Sales", "1"), measure("Net Sales", "2"))), "S[Net Sales] 0, S[Sales] 0"},
		},
	})
}

func TestDataTypeRules(t *testing.T) {
	t.Parallel()
	one := func(c semanticmodel.Column) *semanticmodel.Model { return model(table("S", c)) }
	var unknown semanticmodel.DataType
	rules(t, map[string][]row{
		"TYP-01": {
			{"none", one(text("a", summarized("none"))), "S[a] 0"},
			{"absent", one(text("a")), "S[a] 0.25"},
			{"default", one(column("a", semanticmodel.Boolean, summarized("default"))), "S[a] 0.25"},
			{"anything else", model(table("S", text("a", summarized("count")), date("b", summarized("max")), text("c", summarized("distinctCount")))), "S[a] 1, S[b] 1, S[c] 1"},
			{"numbers, unknown types and hidden columns", model(table("S", whole("a"), amount("b"), column("c", unknown), column("d", "binary"), text("e", hidden))), ""},
		},
		"TYP-02": {
			{"each word", model(table("S",
				whole("x id"), whole("x key"), whole("x sk"), whole("x code"), whole("x no"), whole("x nr"), whole("x year"), whole("x month"), whole("x week"), whole("x day"), whole("x quarter"), whole("x zip"), whole("x postal"),
				whole("x postcode"), amount("x latitude"), amount("x longitude"), amount("x lat"), amount("x lon"), whole("x rank"), whole("x index"), amount("x rate"), amount("x ratio"), amount("x percent"), amount("x pct"), whole("x age"))),
				"S[x age] 1, S[x code] 1, S[x day] 1, S[x id] 1, S[x index] 1, S[x key] 1, S[x lat] 1, S[x latitude] 1, S[x lon] 1, S[x longitude] 1, S[x month] 1, S[x no] 1, S[x nr] 1, S[x pct] 1, S[x percent] 1, S[x postal] 1, S[x postcode] 1, S[x quarter] 1, S[x rank] 1, S[x rate] 1, S[x ratio] 1, S[x sk] 1, S[x week] 1, S[x year] 1, S[x zip] 1"},
			{"camel case", one(whole("customerId", summarized("sum"))), "S[customerId] 1"},
			{"none", one(whole("Year", summarized("none"))), "S[Year] 0"},
			{"a key of any name", one(whole("a", key)), "S[a] 1"},
			{"part of a word", one(whole("Identity")), ""},
			{"text and unknown", model(table("S", text("Id"), column("Key", unknown))), ""},
		},
		"TYP-03": {
			{"each word", model(table("S", text("a amount"), text("a cost"), text("a count"), text("a pct"), text("a percent"), text("a price"), text("a qty"), text("a quantity"), text("a revenue"), text("a total"))),
				"S[a amount] 1, S[a cost] 1, S[a count] 1, S[a pct] 1, S[a percent] 1, S[a price] 1, S[a qty] 1, S[a quantity] 1, S[a revenue] 1, S[a total] 1"},
			{"a number", one(amount("Net Amount")), "S[Net Amount] 0"},
			{"an unknown type", one(column("Net Amount", unknown)), "S[Net Amount] 0"},
			{"each word against it", model(table("S", text("cost code"), text("cost type"), text("cost name"), text("cost category"), text("cost group"), text("cost band"), text("cost range"), text("cost currency"), text("cost unit"), text("cost label"),
				text("cost text"), text("cost key"), text("cost id"), text("cost status"), text("cost desc"), text("cost description"))), ""},
			{"none of the words", one(text("Customer")), ""},
		},
		"TYP-04": {
			{"text and whole numbers", model(table("S", text("Order Date"), whole("Timestamp"), text("a datetime"))), "S[Order Date] 1, S[Timestamp] 1, S[a datetime] 1"},
			{"a date, a decimal, an unknown type", model(table("S", date("Order Date"), amount("Pay Date"), column("Due Date", unknown))), "S[Due Date] 0, S[Order Date] 0, S[Pay Date] 0"},
			{"a key", one(whole("Date", key)), ""},
			{"each word against it", model(table("S", whole("Date Key"), whole("Date Id"), whole("Date Sk"), whole("Date Number"), text("Date Name"))), ""},
			{"part of a word", one(text("Updated")), ""},
		},
		"TYP-05": {
			{"unsorted", model(table("S", text("Month"), text("Weekday"), text("Day Name"))), "S[Day Name] 1, S[Month] 1, S[Weekday] 1"},
			{"sorted", one(text("Month", sorted("Month Number"))), "S[Month] 0"},
			{"each word against it", model(table("S", text("Month Count"), text("Month Number"), text("Month of Birth"))), ""},
			{"a number", one(whole("Month")), ""},
		},
		"TYP-06": {
			{"each word", model(table("S", text("city"), text("continent"), text("country"), text("county"), text("postal"), text("postcode"), text("province"), text("state"), text("zip"))),
				"S[city] 1, S[continent] 1, S[country] 1, S[county] 1, S[postal] 1, S[postcode] 1, S[province] 1, S[state] 1, S[zip] 1"},
			{"categorized", one(text("City", category("City"))), "S[City] 0"},
			{"blank", one(text("City", category(" "))), "S[City] 1"},
		},
		"TYP-07": {
			{"no label", products(text("Title")), "Products 1"},
			{"a label", products(text("Title", defaultLabel)), "Products 0"},
			{"a hidden label", products(text("Title"), text("Full Title", hidden, defaultLabel)), "Products 0"},
			{"a label that is no text", products(text("Title"), whole("Number", defaultLabel)), "Products 0"},
			{"no exposed text", products(text("Title", hidden)), ""},
			{"hidden", products(text("Title"), hiddenTable), ""},
			{"no dimension", model(table("S", text("Title"))), ""},
		},
	})
}

// products returns a dimension with parts and a fact table without text.
func products(parts ...any) *semanticmodel.Model {
	return model(
		table("Sales", whole("Product", hidden), whole("Units")),
		table("Products", append([]any{whole("Product Id")}, parts...)...),
		related("Sales[Product] -> Products[Product Id]"),
	)
}
