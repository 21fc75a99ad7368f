package readiness_test

import (
	"fmt"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
)

func TestFurtherNamingRules(t *testing.T) {
	t.Parallel()
	named := func(name string, options ...columnOption) *semanticmodel.Model {
		return model(table("T", text(name, options...)))
	}
	thing := func(name string) *semanticmodel.Model { return model(table("Tab", text(name))) }
	// prefixed returns a model with n columns "m_A 0", "m_A 1", … and others without a prefix.
	prefixed := func(n, others int, more ...any) *semanticmodel.Model {
		return model(table("T", append([]any{columns(n, "m_A %d", semanticmodel.String), columns(others, "o%d", semanticmodel.String)},
			more...)...))
	}
	const good = "What was invoiced, in euro."
	rules(t, map[string][]row{
		"NAM-01": {
			{"familiar abbreviations with capitals inside", thing("YoY"), "Tab 0, Tab[YoY] 0"},
			{"two of them", thing("USt-IdNr"), "Tab 0, Tab[USt-IdNr] 0"},
			{"one of them and another word", thing("YoYAbs"), "Tab 0, Tab[YoYAbs] 1"},
			{"an underscore and an abbreviation", named("net_slsb"), "T 0, T[net_slsb] 1"},
			{"an underscore and a letter", named("net_x"), "T 0, T[net_x] 1"},
			{"capitals and an underscore", named("NET_SALES"), "T 0, T[NET_SALES] 1"},
			{"4 capitals", named("IN_IT"), "T 0, T[IN_IT] 1"},
			{"3 capitals", named("I_IT"), "T 0, T[I_IT] 0.5"},
			{"letters without case", named("売上_金額"), "T 0, T[売上_金額] 1"},
			{"a full stop between letters", named("dbo.net_sales"), "T 0, T[dbo.net_sales] 0.5"},
			{"a full stop after a digit", named("net2.net_sales"), "T 0, T[net2.net_sales] 0.5"},
			{"a full stop alone", named("dbo.sales"), "T 0, T[dbo.sales] 0"},
			{"a full stop at the end", named("net_sales."), "T 0, T[net_sales.] 0.5"},
			{"what VIS-02 hides", model(table("T", text("etl_x"), text("net_x"))), "T 0, T[net_x] 1"},
			{"what VIS-02 hides by half", model(table("T", text("created_by_x"), text("net_x"))), "T 0, T[net_x] 1"},
			{"what VIS-02 does not hide, as a measure needs it", model(table("T", text("etl_x"), measure("n", "MAX(T[etl_x])"))),
				"T 0, T[etl_x] 1, T[n] 0"},
			{"identifiers", model(table("T", text("net_id"), text("netIds"), text("NET_KEY"), text("net_id_of"), measure("sum_id", "1"))),
				"T 0, T[net_id_of] 0.5, T[sum_id] 0.5"},
			{"identifiers with an abbreviation", model(table("T", text("cstm_id"), text("x_key"))), "T 0, T[cstm_id] 1, T[x_key] 1"},
			{"a table of identifiers", model(table("net_id")), "net_id 0.5"},
			{"camel case beside a space", named("netSales x"), "T 0, T[netSales x] 0"},
			{"capitals", named("SALES"), "T 0, T[SALES] 0.5"},
			{"three capitals", named("SAL"), "T 0, T[SAL] 0"},
			{"a key", named("net_sales", key), "T 0"},
			{"a table", model(table("net_sales")), "net_sales 0.5"},
			{"a table in capitals", model(table("NET_SALES")), "NET_SALES 1"},
			{"with a description", named("NET_SALES", about(good)), "T 0, T[NET_SALES] 0.5"},
			{"with one that says nothing", named("NET_SALES", about("The net sales.")), "T 0, T[NET_SALES] 1"},
			{"capitals with a description", named("SALES", about(good)), "T 0, T[SALES] 0.5"},
			{"with a synonym", model(table("T", text("NET_SALES")), synonyms("T[NET_SALES]", "Authored", "turnover")), "T 0, T[NET_SALES] 1"},
			{"with a generated synonym", model(table("T", text("NET_SALES")), synonyms("T[NET_SALES]", "Generated", "turnover")),
				"T 0, T[NET_SALES] 1"},
			{"a prefix that NAM-07 reports", prefixed(5, 0), "T 0, T[m_A 0] 0, T[m_A 1] 0, T[m_A 2] 0, T[m_A 3] 0, T[m_A 4] 0"},
			{"a prefix that it does not report", prefixed(4, 0), "T 0, T[m_A 0] 1, T[m_A 1] 1, T[m_A 2] 1, T[m_A 3] 1"},
			{"a table with that prefix", model(table("m_T", columns(5, "m_A %d", semanticmodel.String))),
				"m_T 1, m_T[m_A 0] 0, m_T[m_A 1] 0, m_T[m_A 2] 0, m_T[m_A 3] 0, m_T[m_A 4] 0"},
			{"what comes after the prefix", model(table("T", columns(4, "m_A %d", semanticmodel.String), text("M_SALES"))),
				"T 0, T[M_SALES] 0.5, T[m_A 0] 0, T[m_A 1] 0, T[m_A 2] 0, T[m_A 3] 0"},
		},
		"NAM-02": {
			{"an underscore", model(table("Dim_Customer")), "Dim_Customer 1"},
			{"nothing", model(table("DimCustomer")), "DimCustomer 1"},
			{"a space", model(table("Dim Customer")), "Dim Customer 0.5"},
			{"one letter", model(table("f_Sales")), "f_Sales 1"},
			{"one letter and a space", model(table("f Sales")), "f Sales 0"},
			{"another word", model(table("Dimension Customer")), "Dimension Customer 0"},
		},
		"NAM-03": {
			{"no vowel", thing("Cstmr Name"), "Tab 0, Tab[Cstmr Name] 1"},
			{"known", thing("KPI PDF API kWh sql"), "Tab 0, Tab[KPI PDF API kWh sql] 0"},
			{"no longer known", thing("PQ"), "Tab 0, Tab[PQ] 1"},
			{"known in the plural", thing("KPIs of VMs"), "Tab 0, Tab[KPIs of VMs] 0"},
			{"known inside a token", thing("TotalSQL"), "Tab 0, Tab[TotalSQL] 0"},
			{"with an ampersand", thing("P&L by R&D"), "Tab 0, Tab[P&L by R&D] 0"},
			{"with an unknown ampersand", thing("B&X"), "Tab 0, Tab[B&X] 0"},
			{"initials with signs", thing("P/E of A/B in C#"), "Tab 0, Tab[P/E of A/B in C#] 0"},
			{"what an apostrophe cuts off", thing("Today's l'employé, Don’t"), "Tab 0, Tab[Today's l'employé, Don’t] 0"},
			{"what an apostrophe begins", thing("'s Morgens, Rock 'n' Roll, Rock ’n’ Roll"), "Tab 0, Tab['s Morgens, Rock 'n' Roll, Rock ’n’ Roll] 0"},
			{"units", thing("Price per m² at °C (k€), CO₂"), "Tab 0, Tab[Price per m² at °C (k€), CO₂] 0"},
			{"a letter near a unit", thing("Price m per ² x"), "Tab 0, Tab[Price m per ² x] 0.5"},
			{"German and IT", thing("USt-IdNr, IT Budget"), "Tab 0, Tab[USt-IdNr, IT Budget] 0"},
			{"capitals with an s are one word", thing("SLDs sold"), "Tab 0, Tab[SLDs sold] 1"},
			{"capitals with a vowel and an s", thing("POCs done"), "Tab 0, Tab[POCs done] 0.5"},
			{"one capital with an s", thing("Ks sold"), "Tab 0, Tab[Ks sold] 1"},
			{"one letter", thing("Size x"), "Tab 0, Tab[Size x] 0.5"},
			{"a and i", thing("Part a, i"), "Tab 0, Tab[Part a, i] 0"},
			{"a letter after digits", thing("Last 24 h"), "Tab 0, Tab[Last 24 h] 0"},
			{"a letter before digits", thing("Top N 10"), "Tab 0, Tab[Top N 10] 0"},
			{"a letter and digits in one token", thing("Size 5XL"), "Tab 0, Tab[Size 5XL] 1"},
			{"a letter beside a word with a digit", thing("Size b2 x"), "Tab 0, Tab[Size b2 x] 0.5"},
			{"alone in brackets", thing("Duration (s)"), "Tab 0, Tab[Duration (s)] 0"},
			{"alone in square brackets", thing("Power [ W ]"), "Tab 0, Tab[Power [ W ]] 0"},
			{"not alone in brackets", thing("Power (W max)"), "Tab 0, Tab[Power (W max)] 0.5"},
			{"capitals with a vowel", thing("Total IOD"), "Tab 0, Tab[Total IOD] 0.5"},
			{"by themselves", thing("IOD"), "Tab 0, Tab[IOD] 0"},
			{"among capitals", thing("IOD BPA"), "Tab 0, Tab[IOD BPA] 0"},
			{"among capitals and digits", thing("IOD 2024"), "Tab 0, Tab[IOD 2024] 0"},
			{"beside a known abbreviation", thing("Avg DTU"), "Tab 0, Tab[Avg DTU] 0.5"},
			{"6 capitals", thing("Total ALPHAS"), "Tab 0, Tab[Total ALPHAS] 0"},
			{"5 capitals", thing("Total ALPHA"), "Tab 0, Tab[Total ALPHA] 0.5"},
			{"a capital word inside a token", thing("TotalIOD"), "Tab 0, Tab[TotalIOD] 0.5"},
			{"known capitals with a vowel", thing("Total ROI"), "Tab 0, Tab[Total ROI] 0"},
			{"a prefix that NAM-07 reports", model(table("Tab", columns(4, "m_A %d", semanticmodel.String), text("m_Name"))),
				"Tab 0, Tab[m_A 0] 0, Tab[m_A 1] 0, Tab[m_A 2] 0, Tab[m_A 3] 0, Tab[m_Name] 0"},
			{"a prefix that it does not report", thing("m_Name"), "Tab 0, Tab[m_Name] 0.5"},
			{"a table", model(table("Cstmr")), "Cstmr 1"},
		},
		"NAM-04": {
			{"in one table", named("City"), "T[City] 0"},
			{"in two", model(table("A", text("City")), table("B", text("city"))), "A[City] 1, B[city] 1"},
			{"both described", model(table("A", text("City", about(good))), table("B", text("City", about("Where the shop is.")))),
				"A[City] 0.5, B[City] 0.5"},
			{"one says nothing", model(table("A", text("City", about(good))), table("B", text("City", about("The city.")))), "A[City] 1, B[City] 1"},
			{"a key counts", model(table("A", text("City", key)), table("B", text("City", about(good)))), "B[City] 1"},
			{"what VIS-02 hides", model(table("A", text("Load Date"), text("Created By")), table("B", text("Load Date"), text("Created By"))), ""},
			{"what VIS-02 hides counts", model(table("A", text("Load Date")), table("B", text("Load Date"), measure("m", "MAX(B[Load Date])"))),
				"B[Load Date] 1"},
			{"identifiers", model(table("A", text("Id"), text("City Ids"), text("City Key"), text("Guid"), text("Uuid"), text("Key of City")),
				table("B", text("Id"), text("City Ids"), text("City Key"), text("Guid"), text("Uuid"), text("Key of City"))),
				"A[Key of City] 1, B[Key of City] 1"},
		},
		"NAM-06": {
			{"a date in Portuguese", model(table("Calendário", date("Data"), text("data"))), "Calendário 0, Calendário[Data] 0, Calendário[data] 0.5"},
			{"a placeholder", named("Column 1"), "T 0, T[Column 1] 1"},
			{"each word", model(table("T", text("flag"), text("Value"), text("data"), text("number"), text("key"), text("error"), text("unknown"),
				text("count"), text("min"), text("max"), text("average"), text("properties"))),
				"T 0, T[Value] 0.5, T[average] 0.5, T[count] 0.5, T[data] 0.5, T[error] 0.5, T[flag] 0.5, T[key] 0.5, T[max] 0.5, T[min] 0.5, T[number] 0.5, T[properties] 0.5, T[unknown] 0.5"},
			{"what DSC-02 asks for", model(table("T", text("status"), text("type"), text("name"), text("code"), text("date"), text("amount"))),
				"T 0, T[amount] 0, T[code] 0, T[date] 0, T[name] 0, T[status] 0, T[type] 0"},
			{"a measure", model(table("T", measure("Value", "1"))), "T 0, T[Value] 0.5"},
			{"a table", model(table("Data")), "Data 0"},
			{"a table that is a placeholder", model(table("Table 1")), "Table 1 1"},
			{"described", named("Value", about(good)), "T 0, T[Value] 0"},
			{"by a text that says nothing", named("Value", about("The value of the field.")), "T 0, T[Value] 0.5"},
		},
		"NAM-07": {
			{"no field", model(table("T")), ""},
			{"no prefix", named("net"), "# 0"},
			{"4 fields", prefixed(4, 0), "# 0"},
			{"5 fields", prefixed(5, 0), "# 1"},
			{"5 of 50", prefixed(5, 45), "# 1"},
			{"5 of 51", prefixed(5, 46), "# 0"},
			{"in any letter case, measures too", model(table("T", text("F_a"), text("f_b"), text("f_c"), measure("F_d", "1"), measure("f_e",
				"1"))), "# 1"},
			{"the prefix alone", model(table("T", columns(4, "m_%d", semanticmodel.String), text("m_"))), "# 0"},
			{"three letters", model(table("T", columns(9, "abc_%d", semanticmodel.String))), "# 0"},
			{"a digit", model(table("T", columns(9, "a1_%d", semanticmodel.String))), "# 0"},
			{"two prefixes of 4", model(table("T", columns(4, "a_%d", semanticmodel.String), columns(4, "b_%d", semanticmodel.String))), "# 0"},
			{"hidden fields do not count", model(table("T", columns(4, "a_%d", semanticmodel.String), text("a_x", hidden))), "# 0"},
		},
	})
}

func TestSeveritiesAndMessagesOfNames(t *testing.T) {
	t.Parallel()
	severities(t, map[string][]row{
		"NAM-01": {
			{"words apart by an underscore", model(table("net_sales")), "net_sales 0.5 low"},
			{"an abbreviation", model(table("net_slsb")), "net_slsb 1 low"},
			{"code", model(table("NET_SLSB")), "NET_SLSB 1 medium"},
		},
		"NAM-02": {
			{"a space", model(table("Fact Sales")), "Fact Sales 0.5 low"},
			{"an underscore", model(table("fact_Sales")), "fact_Sales 1 low"},
			{"nothing", model(table("DimSales")), "DimSales 1 low"},
			{"an unfamiliar name", model(table("fact_Slsb")), "fact_Slsb 1 medium"},
			{"another prefix", model(table("tbl_Sales")), "tbl_Sales 1 medium"},
			{"one letter", model(table("d_Sales")), "d_Sales 1 medium"},
		},
	})
	ruleMessages(t, map[string][]row{
		"NAM-03": {
			{"a prefix", model(table("tbl_targets")), `leave "tbl" out of the name`},
			{"several words", model(table("ACCT_NM_CLS", text("Cstmr Grp Nxt Stp Prd Cls"))), "spell \"NM\", \"CLS\" out in the name\nspell \"Cstmr\", \"Grp\", \"Nxt\", \"Stp\", \"Prd\" and 1 more out in the name"},
			{"of each kind", model(table("Net x IOD Cstmr y")), "spell \"Cstmr\" out in the name; say in the name what the letter \"x\", \"y\" stands for; spell \"IOD\" out in the name, or explain it in the description"},
			{"a prefix later", model(table("targets_tbl")), `spell "tbl" out in the name`},
			{"a prefix of a field", model(table("Goals", text("tbl_targets"))), `spell "tbl" out in the name`},
		},
		"NAM-02": {
			{"a space", model(table("Fact Sales")), `name the table after its business subject, without the word "Fact"`},
			{"an underscore", model(table("fact_Sales")), `name the table after its business subject, without the prefix "fact_"`},
			{"nothing", model(table("FactSales")), `name the table after its business subject, without the prefix "Fact"`},
		},
	})
}

// NAM-07 names each prefix with its number of fields.
func TestPrefixesAreNamed(t *testing.T) {
	t.Parallel()
	m := model(table("T", columns(6, "m_%d x", semanticmodel.String), columns(5, "Ab_%d x", semanticmodel.String), columns(4, "c_%d x",
		semanticmodel.String)))
	got := fmt.Sprint(readiness.Current().Judge(m, noOptions, false, "NAM-07")[0].Message)
	if want := `leave the prefixes "ab_" (5 of 15 fields) and "m_" (6 of 15 fields) out of the names, as they say nothing to a reader`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
