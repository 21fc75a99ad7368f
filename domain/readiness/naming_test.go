package readiness_test

import (
	"testing"

	"readiness/definition/semanticmodel"
)

func TestNamingRules(t *testing.T) {
	t.Parallel()
	const good = "Says what it is."
	named := func(name string) *semanticmodel.Model { return model(table(name)) }
	rules(t, map[string][]row{
		"NAM-01": {
			{"words", named("Net Sales"), "Net Sales 0"},
			{"an underscore", named("net_sales"), "net_sales 1"},
			{"an underscore beside a space", named("Net Sales_2"), "Net Sales_2 1"},
			{"camel case", named("netSales"), "netSales 1"},
			{"case breaks at the ends of the alphabet", model(table("xaA"), table("xzZ")), "xaA 1, xzZ 1"},
			{"pascal case", named("NetSales"), "NetSales 1"},
			{"a case break beside a space", named("Net iPhone Sales"), "Net iPhone Sales 0"},
			{"a no-break space is no space", named("Net\u00a0iPhone"), "Net\u00a0iPhone 1"},
			{"a case break of other letters", named("netÄnderung"), "netÄnderung 0"},
			{"four capitals", named("SALE"), "SALE 1"},
			{"three capitals", named("SKU"), "SKU 0"},
			{"four capitals of another script", named("ÄÖÜÉ"), "ÄÖÜÉ 1"},
			{"three capitals and a digit", named("SKU1"), "SKU1 0"},
			{"letters without case", named("売上高表"), "売上高表 0"},
			{"capitals with a space", named("NET SALES"), "NET SALES 0"},
			{"columns and measures, exposed ones", model(table("S", text("a_b"), text("c_d", hidden), measure("e_f", "1"))), "S 0, S[a_b] 1, S[e_f] 1"},
		},
		"NAM-02": {
			{"none", named("Dimension"), "Dimension 0"},
			{"dim and a space", named("DIM Date"), "DIM Date 1"},
			{"dim and an underscore", named("dim_date"), "dim_date 1"},
			{"each prefix", model(table("fact_a"), table("fct a"), table("stg_a"), table("raw_a"), table("tmp a"), table("vw_a"), table("tbl_a")), "fact_a 1, fct a 1, raw_a 1, stg_a 1, tbl_a 1, tmp a 1, vw_a 1"},
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
			{"each allowed abbreviation", named("YTD mtd qtd wtd py pm pq ly lm lq yy mm kpi sku nps crm hr vs vat gdp pct usd gbp chf cfo pdf url id"), "YTD mtd qtd wtd py pm pq ly lm lq yy mm kpi sku nps crm hr vs vat gdp pct usd gbp chf cfo pdf url id 0"},
			{"in camel case", named("CustNmbr"), "CustNmbr 1"},
			{"one letter", named("Sales B"), "Sales B 0.5"},
			{"a and i are words", named("A Sale I Made"), "A Sale I Made 0"},
			{"the worse of two", named("B Cst"), "B Cst 1"},
			{"digits make no ASCII letters", named("Q4 2xp"), "Q4 2xp 0"},
			{"nor do other letters", named("Größ ß"), "Größ ß 0"},
			{"columns and measures", model(table("Sales", text("Nr"), measure("Avg", "1"))), "Sales 0, Sales[Nr] 1, Sales[Avg] 0"},
		},
		"NAM-04": {
			{"one table", model(table("A", text("City"))), "A[City] 0"},
			{"twice in one table", model(table("A", text("City"), text("City "))), "A[City] 0, A[City ] 0"},
			{"two tables under norm", model(table("A", text("City")), table("B", text(" CITY "))), "A[City] 1, B[ CITY ] 1"},
			{"each described", model(table("A", text("City", about(good))), table("B", text("City", about(good)))), "A[City] 0.5, B[City] 0.5"},
			{"one described", model(table("A", text("City", about(good))), table("B", text("City"))), "A[City] 1, B[City] 1"},
			{"a key counts but is not judged", model(table("A", text("City", about(good))), table("B", text("City", key))), "A[City] 1"},
			{"a described key halves", model(table("A", text("City", about(good))), table("B", text("City", key, about(good)))), "A[City] 0.5"},
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
			{"vague", model(table("S", text("flag"), text("Status"), text("type"), text("value"), text("code"), text("data"), text("number"), text("name"), text("date"), text(" Amount "))), "S 0, S[ Amount ] 0.5, S[Status] 0.5, S[code] 0.5, S[data] 0.5, S[date] 0.5, S[flag] 0.5, S[name] 0.5, S[number] 0.5, S[type] 0.5, S[value] 0.5"},
			{"vague but described", model(table("S", text("Status", about(good)))), "S 0, S[Status] 0"},
			{"vague and blank", model(table("S", text("Status", about(" ")))), "S 0, S[Status] 0.5"},
		},
	})
}
