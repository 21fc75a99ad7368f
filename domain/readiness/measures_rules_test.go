package readiness_test

import (
	"testing"

	"readiness/definition/semanticmodel"
)

func TestFurtherMeasureRules(t *testing.T) {
	t.Parallel()
	star := func(parts ...any) *semanticmodel.Model {
		return model(
			table("Sales", append([]any{whole("Product", hidden), text("Note")}, parts...)...),
			table("Products", whole("Product Id"), text("Title")),
			related("Sales[Product] -> Products[Product Id]"),
		)
	}
	with := func(m *semanticmodel.Model, part any) *semanticmodel.Model {
		if t, is := part.(semanticmodel.Table); is {
			m.Tables = append(m.Tables, t)
		} else {
			part.(modelOption)(m)
		}
		return m
	}
	one := func(expression string, more ...any) *semanticmodel.Model {
		return model(append([]any{table("S", amount("Net"), text("City"), measure("m", expression))}, more...)...)
	}
	rules(t, map[string][]row{
		"MEA-02": {
			{"not referred to", star(amount("Net")), "Sales[Net] 1"},
			{"referred to", star(amount("Net"), measure("m", "SUM(Sales[Net])")), "Sales[Net] 0"},
			{"by a calculation item", with(star(amount("Net")), table("G", items("SUM(Sales[Net])"))), "Sales[Net] 0"},
			{"by a function", with(star(amount("Net"), measure("m", "Summed()")), function("Summed", "() => SUM(Sales[Net])")), "Sales[Net] 0"},
			{"one that TYP-02 judges", star(amount("Tax Rate"), amount("Average Net")), ""},
		},
		"MEA-03": {
			{"a number without a format", one("1"), "S[m] 1"},
			{"a number with a format", model(table("S", measure("m", "1", formatted("0")))), "S[m] 0"},
			{"text", one(`"text"`), ""},
			{"a text column", one("SELECTEDVALUE(S[City])"), ""},
			{"a bare text column", one("MAX([City])"), ""},
			{"a number column", one("MAX(S[Net])"), "S[m] 1"},
			{"a text measure", model(table("S", measure("m", "[n]"), measure("n", "[o]"), measure("o", `"x"`))), ""},
			{"a number measure", model(table("S", measure("m", "[n]"), measure("n", "1", formatted("0")))), "S[m] 1, S[n] 0"},
			{"measures in a circle", model(table("S", measure("m", "[n]"), measure("n", "[m]"))), "S[m] 1, S[n] 1"},
			{"a choice of text", one(`IF([m], MAX(S[City]), "none")`), ""},
			{"each count", model(table("S", measure("a", "COUNTROWS(S)"), measure("b", "COUNT(S[x])"), measure("c", "COUNTA(S[x])"),
				measure("d", "COUNTX(S, 1)"), measure("e", "COUNTAX(S, 1)"), measure("f", "distinctcount(S[x])"),
				measure("g", "DISTINCTCOUNTNOBLANK(S[x])"))),
				"S[a] 0.5, S[b] 0.5, S[c] 0.5, S[d] 0.5, S[e] 0.5, S[f] 0.5, S[g] 0.5"},
			{"another call", one("COUNTBLANK(S[City])"), "S[m] 1"},
			{"a count in a filter", one("CALCULATE(COUNTROWS(S), S[City] = 1)"), "S[m] 0.5"},
			{"a count in a variable", one("VAR n = COUNTROWS(S) RETURN n"), "S[m] 0.5"},
			{"a count and more", one("COUNTROWS(S) / 2"), "S[m] 1"},
			{"a count with a format", model(table("S", measure("m", "COUNTROWS(S)", formatted("0")))), "S[m] 0"},
			{"what VIS-03 hides", model(table("S", measure("_x", "1"), measure("m", "1"))), "S[m] 1"},
			{"what VIS-03 does not hide, as a measure needs it", model(table("S", measure("_x", "1"), measure("m", "[_x]"))),
				"S[_x] 1, S[m] 1"},
		},
		"MEA-05": {
			{"negations by reference", model(table("S", amount("x"), measure("M", "SUM(S[x])"), measure("a", "-[M]"), measure("b", "0 - [m]"), measure("c", "[M] * -1"), measure("d", "1 - [M]"),
				measure("e", "-[Hidden]"), measure("f", "- [f]"), measure("Hidden", "1", hiddenMeasure), measure("g", "-S[x]"))), "S[M] 0, S[a] 0.5, S[b] 0.5, S[c] 0.5, S[d] 0, S[e] 0, S[f] 0, S[g] 0"},
			{"but a comment, quotation and case", model(table("S", amount("x"), measure("a", "CALCULATE([m], S[x] = 1)"), measure("b", "calculate([M], /* n */ ('s'[X]) = 1) -- c"))), "S[a] 0, S[b] 1"},
			{"the difference the other way round", model(table("S", measure("a", "[x] - SUM(S[y])"), measure("b", "SUM('S'[y]) - [x]"))), "S[a] 0, S[b] 0.5"},
			{"with a minus", model(table("S", measure("a", "SUM(S[y])"), measure("b", "-SUM(S[y])"), measure("c", "SUM(S[y]) * -1"), measure("d", "-(SUM(S[y]) - 1)"))), "S[a] 0, S[b] 0.5, S[c] 0.5, S[d] 0"},
			{"another text", model(table("S", measure("a", `"x y"`), measure("b", `"xy"`))), "S[a] 0, S[b] 0"},
			{"the later of two by name", model(table("S", measure("b", "SUM(S[X])")), table("T", measure("a", "sum( s[x])"))), "S[b] 1, T[a] 0"},
			{"an own column in two tables", model(table("S", amount("X"), measure("a", "SUM([X])")), table("T", amount("X"), measure("b",
				"SUM([X])"))), "S[a] 0, T[b] 0"},
			{"an own column in one table", model(table("S", amount("X"), measure("a", "SUM([X])"), measure("b", "SUM([x])"))), "S[a] 0, S[b] 1"},
			{"a column of the table by its name", model(table("S", amount("X"), measure("a", "SUM(S[X])")), table("T", measure("b", "SUM(S[X])"))),
				"S[a] 0, T[b] 1"},
			{"a measure in two tables", model(table("S", measure("a", "[n] + 1"), measure("n", "1")), table("T", amount("n"), measure("b",
				"[n] + 1"))), "S[a] 0, S[n] 0, T[b] 1"},
			{"an alias", model(table("S", measure("a", "[B]"), measure("b", "1"))), "S[a] 1, S[b] 0"},
			{"in another format", model(table("S", measure("a", "1", formatted("0")), measure("b", "1", formatted("0.0")))), "S[a] 0, S[b] 0.5"},
			{"an alias in another format", model(table("S", measure("a", "[b]", formatted("0")), measure("b", "1", formatted("0%")))),
				"S[a] 0.5, S[b] 0"},
			{"in another format than the first, and in that of the second", model(table("S", measure("a", "1", formatted("0")), measure("b", "1",
				formatted("0%")), measure("c", "1", formatted("0%")), measure("d", "1"), measure("e", "1", formatted("0.0")))),
				"S[a] 0, S[b] 0.5, S[c] 1, S[d] 1, S[e] 1"},
			{"an alias in the same format as another alias in another", model(table("S", measure("a", "[z]", formatted("0%")), measure("b", "[z]",
				formatted("0")), measure("z", "1", formatted("0")))), "S[a] 0.5, S[b] 1, S[z] 0"},
			{"an alias of nothing, in another format", model(table("S", measure("a", "[z]", formatted("0%")), measure("b", "[z]", formatted("0")))),
				"S[a] 0, S[b] 0.5"},
			{"in the same format", model(table("S", measure("a", "1", formatted("0")), measure("b", "1", formatted(" 0 ")))), "S[a] 0, S[b] 1"},
			{"one without a format", model(table("S", measure("a", "1"), measure("b", "1", formatted("0")))), "S[a] 0, S[b] 1"},
			{"one with a blank format", model(table("S", measure("a", "1", formatted("0")), measure("b", "1", formatted(" ")))),
				"S[a] 0, S[b] 1"},
		},
		"MEA-06": {
			{"equal sets", model(table("S", measure("Total Sales", "1"), measure("Sales Amount", "2"))), "S[Sales Amount] 0.5, S[Total Sales] 0.5"},
			{"a percent sign", model(table("S", measure("Sales %", "1"), measure("Sales", "2"))), "S[Sales] 0, S[Sales %] 0"},
			{"percent in words", model(table("S", measure("Sales %", "1"), measure("Pct Sales", "2"), measure("Sales Percent", "3"),
				measure("Percentage Sales", "4"))), "S[Pct Sales] 0.5, S[Percentage Sales] 0.5, S[Sales %] 0.5, S[Sales Percent] 0.5"},
			{"a number sign", model(table("S", measure("# Sales", "1"), measure("Sales", "2"), measure("Sales Count", "3"),
				measure("Number of Sales", "4"))), "S[# Sales] 0.5, S[Number of Sales] 0.5, S[Sales] 0, S[Sales Count] 0.5"},
			{"a difference", model(table("S", measure("∆ Sales", "1"), measure("Δ Sales", "2"), measure("Sales", "3"))),
				"S[Sales] 0, S[Δ Sales] 0.5, S[∆ Sales] 0.5"},
			{"currencies", model(table("S", measure("Sales €", "1"), measure("Sales $", "2"), measure("$ Sales", "3"), measure("Sales", "4"))),
				"S[$ Sales] 0.5, S[Sales] 0, S[Sales $] 0.5, S[Sales €] 0"},
			{"nothing but fillers", model(table("S", measure("Total", "1"), measure("The Amount", "2"))), "S[The Amount] 0, S[Total] 0"},
		},
		"MEA-07": {
			{"sound", one("SUM(S[Net]) + [m] + [gone]"), ""},
			{"empty", one(""), ""},
			{"an unknown table", one("SUM(Gone[Net])"), "S[m] 1"},
			{"an unknown column", one("SUM(S[Gone])"), "S[m] 1"},
			{"names under norm", one("SUM(' s '[NET]) + s[ city ]"), ""},
			{"a measure of the table", one("S[m]"), ""},
			{"a measure of another table", one("S[n]", table("T", measure("n", "1", hiddenMeasure))), ""},
			{"a dropped table", one("MAX(LocalDateTable_1[Gone]) + P[x]", table("LocalDateTable_1"), table("P", privateTable)), ""},
			{"a variable", one("VAR x = FILTER(S, 1) RETURN SUMX(x, x[Net])"), ""},
			{"a quoted variable", one("VAR x = FILTER(S, 1) RETURN SUMX(x, 'x'[Net])"), "S[m] 1"},
			{"a name in a string", one(`SUMX(SELECTCOLUMNS(S, "R[x]", 1, "'U v'[y]", 2), R[x] + 'U v'[y])`), ""},
			{"another name in a string", one(`SUMX(SELECTCOLUMNS(S, "x", 1), R[x])`), "S[m] 1"},
			{"a keyword", one("VAR x = 1 RETURN[m]"), ""},
			{"a column that the expression makes", one("MAXX({[m], 5}, ''[Value])"), ""},
			{"a calculated table that lists no column", one("MAX(C[x])", table("C", calculated)), ""},
			{"a calculated table that lists columns", one("MAX(C[x])", table("C", calculated, text("y"))), "S[m] 1"},
			{"another table without columns", one("MAX(C[x])", table("C")), "S[m] 1"},
			{"a variation", one("MAX(S[Net].[Month])"), ""},
			{"in a comment", one("1 // Gone[x]"), ""},
			{"a string without end", one(`"a`), "S[m] 1"},
			{"a parenthesis without end", one("(1"), "S[m] 1"},
			{"a hidden measure", model(table("S", measure("m", "Gone[x]", hiddenMeasure), measure("n", "1"))), "S[m] 1"},
			{"a calculated column", model(table("S", amount("a", formula("Gone[x]")), amount("b", formula("S[a]"), hidden))), "S[a] 1"},
			{"a calculation item", model(table("P", items("Gone[x]", "1"), text("Kind", source("Name")))), `P[Kind="Gone[x]"] 1`},
			{"an item without a column", model(table("P", items("Gone[x]"))), `P[="Gone[x]"] 1`},
			{"a calculated table is not read", one("1", table("C", calculatedFrom("Gone[x"), text("y"))), ""},
			{"after measures", model(table("P", items("Gone[x]"), text("a", source("Name"), formula("Gone[x]")), measure("z", "Gone[x]"))),
				`P[a] 1, P[z] 1, P[a="Gone[x]"] 1`},
		},
		"MEA-09": {
			{"times 100", model(table("S", measure("a", "DIVIDE([x], [y]) * 100", formatted("0.0%")), measure("b", "100 * [x]", formatted("0%")))), "S[a] 1, S[b] 1"},
			{"inside", model(table("S", measure("a", "VAR r = [x] * 100 RETURN IF([y] > 0, r)", formatted("0.0%")), measure("b", "DIVIDE(100 * [x], [y])", formatted("0%")))), "S[a] 1, S[b] 1"},
			{"not times 100", model(table("S", measure("a", "DIVIDE([x], [y] * 100)", formatted("0.0%")), measure("b", "[x] * 10", formatted("0%")))), "S[a] 0, S[b] 0"},
			{"no percent sign", model(table("S", measure("a", "[x] * 100", formatted("0")), measure("b", "[x] * 100", formatted(`0.0"%"`)), measure("c", "[x] * 100", formatted(`0\%`)))), ""},
		},
		"MEA-10": {
			{"stock by day", model(table("Holdings", date("d"), amount("n"), measure("a", "SUM(Holdings[n])"), measure("b", "CALCULATE(SUM(Holdings[n]), LASTDATE(Holdings[d]))"))), "Holdings[a] 1, Holdings[b] 0"},
			{"stock without a day", model(table("Holdings", amount("n"), measure("a", "SUM(Holdings[n])"))), "Holdings[a] 0"},
			{"what happened to a stock", model(table("Stock Movements", date("d"), amount("n"), measure("a", "SUM('Stock Movements'[n])"))), "Stock Movements[a] 0"},
			{"stock in other words", model(table("Inventory", date("d"), amount("Stock Value"), amount("On Hand Qty"), amount("Unit Cost"), measure("a", "VAR s = SUM(Inventory[Stock Value]) RETURN s"),
				measure("b", "SUM(Inventory[On Hand Qty]) + 0"), measure("c", "DIVIDE(SUM(Inventory[Stock Value]), 1000)"), measure("d", "TOTALYTD([b], Inventory[d])"),
				measure("e", "SUMX(Inventory, Inventory[On Hand Qty] * Inventory[Unit Cost])"), measure("f", "-CALCULATE(SUM(Inventory[Stock Value]), Inventory[d] > 1)"),
				measure("g", "AVERAGEX(VALUES(Inventory[d]), [b])"), measure("h", "CALCULATE([b], LASTDATE(Inventory[d]))"), measure("i", "VAR d = MAX(Inventory[d]) RETURN CALCULATE(SUM(Inventory[Stock Value]), Inventory[d] = d)"),
				measure("j", "DIVIDE(SUM(Inventory[Stock Value]), [b])"), measure("k", "VAR s = s RETURN s"))),
				"Inventory[a] 1, Inventory[b] 1, Inventory[c] 1, Inventory[d] 1, Inventory[e] 1, Inventory[f] 1, Inventory[i] 0"},
			{"sales times a price", model(table("Sales", date("d"), amount("Qty"), amount("Unit Price"), measure("a", "SUMX(Sales, Sales[Qty] * Sales[Unit Price])"))), ""},
			{"stock in German and Portuguese", model(table("Lagerbestand", date("Stichtag"), amount("Bestandsmenge"), measure("a", "SUM(Lagerbestand[Bestandsmenge])")),
				table("Carteira", date("Data"), amount("Saldo Devedor"), measure("b", "SUMX(Carteira, Carteira[Saldo Devedor])")),
				table("Lagerbewegungen", date("Datum"), amount("Menge"), measure("c", "SUM(Lagerbewegungen[Menge])"))), "Carteira[b] 1, Lagerbestand[a] 1, Lagerbewegungen[c] 0"},
			{"a cost of each piece", model(table("P", amount("standard_cost"), amount("Cost"), measure("a", "SUMX(P, P[standard_cost])"), measure("b", "SUM(P[Cost])"))), "P[a] 1, P[b] 0"},
			{"a price", model(table("S", amount("Close Price"), amount("Net"), measure("a", "SUM(S[Close Price])"), measure("b", "SUM(S[Net])"), measure("c", "SUMX(S, S[Close Price] * S[Net])"))), "S[a] 1, S[b] 0"},
		},
		"MEA-08": {
			{"no division", one("DIVIDE([a], [b])"), "S[m] 0"},
			{"by a number", one("[a] / 100"), "S[m] 0"},
			{"by a measure", one("[a] / [b]"), "S[m] 0.5"},
			{"hidden", model(table("S", measure("m", "[a] / [b]", hiddenMeasure))), ""},
		},
	})
}

func TestSeveritiesAndMessagesOfMeasures(t *testing.T) {
	t.Parallel()
	counts := model(table("S", measure("a", "COUNTROWS(S)"), measure("b", "1")))
	formats := model(table("S", measure("a", "1", formatted("0")), measure("b", "1", formatted("0.0"))))
	ownFunction := model(table("S", measure("a", "VAR x = 1 RETURN Band.Of(x)"), measure("b", "Rows()")))
	ownFunction.Functions = []semanticmodel.Function{{Name: "Band.Of", Expression: `(n) => IF(n > 1, "high", "low")`},
		{Name: "Rows", Expression: "() => COUNTROWS(S)"}}
	severities(t, map[string][]row{
		"MEA-03": {
			{"a count", counts, "S[a] 0.5 low, S[b] 1 medium"},
			{"a count by its name", model(table("S", measure("# a", "SUM(S[x])"), measure("a count", "1"), measure("count of a", "1"),
				measure("a # b", "1"))), "S[# a] 1 low, S[a # b] 1 medium, S[a count] 1 low, S[count of a] 1 low"},
			{"functions of the model", ownFunction, "S[b] 0.5 low"},
		},
		"MEA-05": {
			{"in another format", formats, "S[a] 0, S[b] 0.5 low"},
			{"in the same", model(table("S", measure("a", "1"), measure("b", "1"))), "S[a] 0, S[b] 1 medium"},
		},
	})
	ruleMessages(t, map[string][]row{
		"MEA-03": {{"a count", counts,
			"set a format string for integers, such as #,0, as it counts\nset a format string that shows its unit and decimals"}},
		"MEA-05": {{"in another format than the first, and in that of the second", model(table("S", measure("a", "1", formatted("0")), measure("b",
			"1", formatted("0%")), measure("c", "1", formatted("0%")))),
			"keep it only if people need measure [a] in its format too, and say so in its description\nkeep it or measure [b], and leave the other out of what an AI sees"},
			{"in another format", formats,
				`keep it only if people need measure [a] in its format too, and say so in its description`}},
	})
}

func TestAdviceAboutSums(t *testing.T) {
	t.Parallel()
	ruleMessages(t, map[string][]row{"MEA-10": {
		{"a rate beside balances", model(table("Account Balances", date("d"), amount("Exchange Rate"), measure("a", "SUM('Account Balances'[Exchange Rate])"))),
			"average 'Account Balances'[Exchange Rate] in place of its sum, or multiply it by the quantity of each row, as its name says rate"},
		{"a balance", model(table("Account Balances", date("d"), amount("Balance"), measure("a", "SUM('Account Balances'[Balance])"))),
			"take the value of the last day in place of the sum over days, as by LASTNONBLANK, for 'Account Balances'[Balance] is counted again each day (balance)"},
	}})
}
