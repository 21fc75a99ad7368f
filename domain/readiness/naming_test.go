package readiness_test

import (
	"testing"

	"readiness/definition/semanticmodel"
)

func TestNamingRules(t *testing.T) {
	t.Parallel()
	const good = "Where the buyer lives, by the last invoice."
	named := func(name string) *semanticmodel.Model { return model(table(name)) }
	rules(t, map[string][]row{
		"NAM-01": {
			{"words", named("Net Sales"), "Net Sales 0"},
			{"a case break beside a space", named("Net iPhone Sales"), "Net iPhone Sales 0"},
			{"a case break of other letters", named("netÄnderung"), "netÄnderung 0"},
			{"three capitals", named("SKU"), "SKU 0"},
			{"three capitals and a digit", named("SKU1"), "SKU1 0"},
			{"letters without case", named("売上高表"), "売上高表 0"},
			{"capitals with a space", named("NET SALES"), "NET SALES 0"},
			{"columns and measures, exposed ones", model(table("S", text("a_b"), text("c_d", hidden), measure("e_f", "1"))), "S 0, S[a_b] 1, S[e_f] 1"},
		},
		"NAM-02": {
			{"none", named("Dimension"), "Dimension 0"},
			{"dim and an underscore", named("dim_date"), "dim_date 1"},
			{"folds as RE2 does", named("\u017ftg_a"), "\u017ftg_a 1"},
			{"pascal case", model(table("DimDate"), table("FactSales"), table("FctA"), table("StgA"), table("TblA")), "DimDate 1, FactSales 1, FctA 1, StgA 1, TblA 1"},
			{"pascal case minds the case", model(table("dimDate"), table("Dimdate"), table("RawA")), "Dimdate 0, RawA 0, dimDate 0"},
			{"one letter", model(table("d_date"), table("F_sales"), table("e_x"), table("d date")), "F_sales 1, d date 0, d_date 1, e_x 0"},
			{"not inside", named("My dim_date"), "My dim_date 0"},
			{"tables only", model(table("S", text("dim_x"))), "S 0"},
		},
		"NAM-03": {
			{"words", named("Net Sales"), "Net Sales 0"},
			{"no vowel", named("Cst Nm"), "Cst Nm 1"},
			{"from a to z", named("Zz Aa"), "Zz Aa 1"},
			{"y is a vowel", named("My Gym"), "My Gym 0"},
			{"in camel case", named("CustNmbr"), "CustNmbr 1"},
			{"one letter", named("Sales B"), "Sales B 0.5"},
			{"a and i are words", named("A Sale I Made"), "A Sale I Made 0"},
			{"digits make no ASCII letters", named("Q4 2xp"), "Q4 2xp 0"},
			{"nor do other letters", named("Größ ß"), "Größ ß 0"},
			{"columns and measures", model(table("Sales", text("Bnr"), measure("Avg", "1"))), "Sales 0, Sales[Bnr] 1, Sales[Avg] 0"},
		},
		"NAM-04": {
			{"one table", model(table("A", text("City"))), "A[City] 0"},
			{"twice in one table", model(table("A", text("City"), text("City "))), "A[City] 0, A[City ] 0"},
			{"two tables under norm", model(table("A", text("City")), table("B", text(" CITY "))), "A[City] 1, B[ CITY ] 1"},
			{"each described", model(table("A", text("City", about(good))), table("B", text("City", about("Where the guest stays at night.")))), "A[City] 0.5, B[City] 0.5"},
			{"one described", model(table("A", text("City", about(good))), table("B", text("City"))), "A[City] 1, B[City] 1"},
			{"a key counts but is not judged", model(table("A", text("City", about(good))), table("B", text("City", key))), "A[City] 1"},
			{"a described key halves", model(table("A", text("City", about(good))), table("B", text("City", key, about("Where the guest stays at night.")))), "A[City] 0.5"},
			{"a hidden column does not count", model(table("A", text("City")), table("B", text("City", hidden))), "A[City] 0"},
			{"a measure does not count", model(table("A", text("City")), table("B", measure("City", "1"))), "A[City] 0"},
		},
		"NAM-05": {
			{"clean", named("Net Sales"), "Net Sales 0"},
			{"leading", named(" Net"), " Net 1"},
			{"trailing", named("Net\u00a0"), "Net\u00a0 1"},
			{"doubled", named("Net  Sales"), "Net  Sales 1"},
			{"doubled, of two kinds", named("Net \u00a0Sales"), "Net \u00a0Sales 1"},
			{"a no-break space alone", named("Net\u00a0Sales"), "Net\u00a0Sales 0"},
			{"a control character", named("Net\x07Sales"), "Net\x07Sales 1"},
			{"a format character", named("Net\u200bSales"), "Net\u200bSales 1"},
			{"columns and measures", model(table("Sales", text("a "), measure(" b", "1"))), "Sales 0, Sales[a ] 1, Sales[ b] 1"},
		},
		"NAM-06": {
			{"a name", named("Sales"), "Sales 0"},
			{"a placeholder", named("Table"), "Table 1"},
			{"numbered", named("table1"), "table1 1"},
			{"with a space or an underscore", model(table("Sheet 12"), table("query_3")), "Sheet 12 1, query_3 1"},
			{"each placeholder", model(table("S", text("column"), text("col"), text("field"), text("NEW COLUMN 2"), text("new table"), measure("measure", "1"), measure("New Measure", "1"))), "S 0, S[NEW COLUMN 2] 1, S[col] 1, S[column] 1, S[field] 1, S[new table] 1, S[New Measure] 1, S[measure] 1"},
			{"described all the same", model(table("Table 1", described(good))), "Table 1 1"},
			{"the whole name", named("Table of Sales"), "Table of Sales 0"},
			{"vague but described", model(table("S", text("Status", about(good)))), "S 0, S[Status] 0"},
		},
	})
}
