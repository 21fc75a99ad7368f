package readiness_test

import (
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
)

func TestMissingInstructions(t *testing.T) {
	t.Parallel()
	none := func(n int, parts ...any) *semanticmodel.Model {
		return model(table("S", append([]any{columns(n, "c%02d", semanticmodel.Int64)}, parts...)...))
	}
	few := tableOption(func(t *semanticmodel.Table) {
		t.Measures = append(t.Measures, measure("k", "1"), measure("l", "2"), measure("o", "3"))
	})
	said := func(of string, more ...any) *semanticmodel.Model {
		return none(20, append([]any{date("d"), described(of), measure("k", "1", says("Sold.")), measure("l", "2", says("Sold."))}, more...)...)
	}
	small := func(severity string) []row {
		return []row{
			{"2 fields", none(2), ""},
			{"3 fields", none(3), "# 1 medium"},
			{"10 fields", none(10), "# 1 medium"},
			{"11 fields of two tables", model(table("S", columns(6, "c%02d", semanticmodel.Int64), few, measure("m", "1")), table("P", text("n"))), "# 1 " + severity},
			{"3 measures", none(20, date("d"), few), "# 1 medium"},
			{"2 measures, all described", said("What is sold."), "# 1 low"},
			{"a table without a description", said(""), "# 1 medium"},
			{"a measure without a description", said("What is sold.", measure("p", "1")), "# 1 medium"},
			{"4 measures, all described", said("What is sold.", measure("p", "1", says("Sold.")), measure("q", "1", says("Sold."))), "# 1 medium"},
			{"12 fields without a date", none(11, measure("m", "1")), "# 1 medium"},
			{"12 fields of one table with a date", none(8, date("d"), few, measure("m", "1")), "# 1 medium"},
			{"one table and one of measures", model(table("S", columns(11, "c%02d", semanticmodel.Int64)), table("Key Measures", few, measure("m", "1"))), "# 1 medium"},
			{"12 fields of two tables", model(table("S", columns(7, "c%02d", semanticmodel.Int64), few, measure("m", "1")), table("P", text("n"))),
				"# 1 " + severity},
			{"no measure and no relationship", model(table("S", columns(11, "c%02d", semanticmodel.Int64)), table("P", date("n"))), "# 1 medium"},
			{"no measure and an inactive relationship", model(table("S", columns(11, "c%02d", semanticmodel.Int64)), table("P", whole("n")),
				related("S[c01] -> P[n]", "inactive")), "# 1 medium"},
			{"no measure and a relationship", model(table("S", columns(11, "c%02d", semanticmodel.Int64)), table("P", whole("n")),
				related("S[c01] -> P[n]")), "# 1 medium"},
			{"2 fields and a placeholder", none(2, text("Column 1")), ""},
			{"2 fields and a vague one", none(2, text("Value")), "# 1 medium"},
			{"2 fields and a hidden one", none(2, text("a", hidden)), ""},
			{"2 columns and a measure", none(2, measure("m", "1")), "# 1 medium"},
			{"10 fields and placeholders", none(10, text("Column 1"), text("Column 2")), "# 1 medium"},
			{"no table in X", model(table("S", columns(20, "c%02d", semanticmodel.Int64), hiddenTable)), ""},
			{"blank instructions", model(table("S", columns(2, "c%d", semanticmodel.Int64)), instructed(" ")), ""},
		}
	}
	severities(t, map[string][]row{"INS-01": small("high"), "INS-02": small("medium"), "INS-03": small("medium"),
		"INS-04": small("medium")})
	severities(t, map[string][]row{
		"INS-01": {{"instructions of one field", model(table("S", text("a")), instructed("Use it.")), "# 1 high"}},
		"INS-02": {{"instructions of one field", model(table("S", text("a")), instructed("Use it.")), "# 1 medium"}},
		"INS-03": {{"instructions of one field", model(table("S", text("a")), instructed("Use it.")), "# 1 medium"}},
		"INS-04": {{"instructions of one field", model(table("S", text("a")), instructed("Use it.")), "# 1 medium"}},
		"INS-07": {{"no table in X", model(table("S", text("a"), hiddenTable)), "# 1 low"}},
	})
}

func TestInstructionsWithoutMeasures(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]*semanticmodel.Model{
		"no measure":       model(table("S", columns(11, "c%02d", semanticmodel.Int64))),
		"a hidden measure": model(table("S", columns(11, "c%02d", semanticmodel.Int64), measure("m", "1", hiddenMeasure))),
	} {
		for id, want := range map[string]string{
			"INS-01": "write AI instructions that explain its terms and its rules",
			"INS-02": "say at least 3 things in the AI instructions that names do not, each with the field it is about (no instructions)",
			"INS-03": "name in the AI instructions the columns to use, as 'Table'[Column]",
			"INS-04": "write the AI instructions in sections: time, terms, defaults (no instructions)",
		} {
			if got := readiness.Current().Judge(m, noOptions, false, id)[0].Message; got != want {
				t.Errorf("%s, %s: got %q, want %q", name, id, got, want)
			}
		}
	}
}

func TestDateRoles(t *testing.T) {
	t.Parallel()
	// sales returns a fact with dates of these names.
	sales := func(instructions string, dates ...string) *semanticmodel.Model {
		s := table("Sales", whole("P"), text("Note"))
		for _, d := range dates {
			s.Columns = append(s.Columns, date(d))
		}
		return model(s, table("P", whole("P"), text("n")), related("Sales[P] -> P[P]"), instructed(instructions))
	}
	fails := func(dates ...string) row { return row{dates[0], sales("", dates...), "Sales 1 medium"} }
	none := func(dates ...string) row { return row{dates[0], sales("", dates...), ""} }
	severities(t, map[string][]row{"INS-05": {
		fails("Order Date", "Ship Date"), fails("Order", "Ship"), fails("Order Date", "Date"), fails("Ordered At", "Shipped At"),
		none("Order Date"), none("Order Date", "Order Time"), none("OrderDate", "order_datetime", "Order Timestamp", "Order Day Key", "Order id",
			"Order Date SK"), none("Date", "Day"),
		none("Start Date", "End Date"), none("Contract from", "Contract to"), none("Begin Order", "Order submit time"),
		fails("Start Order", "End Return"), none("Order Date (UTC)", "Order Date"), none("Order Date (a)", "Order (b)"),
		fails("Order (a) x", "Order x"), none("(Order)", "Date"),
		none("Order Date", "Load Date"), none("Order Date", "Etl Day"), none("Order Date", "Created By"),
		none("Order Date", "Loaded Date"), none("Order Date", "Ingested At"), none("Order Date", "Time Exported"),
		none("Order Date", "Period loaded"), none("Order Date", "Loaded Timestamp"), fails("Order Date", "Loaded"), fails("Order Date", "Loaded on Date"),
		none("Order Date", "Birth Date"), none("Date de commande", "Date de chargement", "Date de naissance"), none("Order Date", "Last Sync", "DOB"),
		none("Bestelldatum", "Geburtsdatum", "Ladedatum", "Geändert am"), fails("Order Date", "Snapshot Date"), fails("Order Date", "Created"),
		{"a date that the instructions name", sales("By the Ship Date.", "Order Date", "Ship Date"), "Sales 0"},
		{"a date of the same stem", sales("By the Order Time.", "Order Date", "Order Time", "Ship Date"), "Sales 0"},
		{"a date of a load", sales("By the Load Date.", "Order Date", "Ship Date", "Load Date"), "Sales 1 medium"},
		{"no fact", model(table("Sales", date("Order Date"), date("Ship Date"))), ""},
		{"an end of a relationship with a date table", model(table("Sales", date("Order Date"), whole("Ship"), text("n")), table("D", date("On"),
			whole("Year")), related("Sales[Order Date] -> D[On]"), related("Sales[Ship] -> D[On]", "inactive")), "Sales 1 medium"},
	}})
	ruleMessages(t, map[string][]row{"INS-05": {
		{"the joined one first", model(table("Sales", date("Due"), date("Order Date"), date("Ship Date"), date("Ship Time"), text("n")), table("D", date("On"),
			whole("Year")), related("Sales[Ship Time] -> D[On]"), related("Sales[Order Date] -> D[On]", "inactive")),
			"say in the AI instructions which of its dates to use by default (not named: Ship Time, Due, Order Date)"},
		{"the first of each stem", sales("", "Ship Date", "Order Time", "Order Date", "Due", "Load Date"),
			"say in the AI instructions which of its dates to use by default (not named: Due, Order Date, Ship Date)"},
		{"6 stems", sales("", "a x", "b x", "c x", "d x", "e x", "f x"),
			"say in the AI instructions which of its dates to use by default (not named: a x, b x, c x, d x, e x and 1 more)"},
	}})
}
