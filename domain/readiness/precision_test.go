package readiness_test

import (
	"testing"

	"readiness/definition/semanticmodel"
)

func dataTable(expression string) semanticmodel.Partition {
	return semanticmodel.Partition{Name: "p", SourceType: "calculated", Expression: expression}
}

// DATATABLE says the types of its columns, and what yields text has no number format.
func TestTypesOfDataTables(t *testing.T) {
	t.Parallel()
	const header = `DATATABLE("Unit", STRING, "Factor", integer, "Date", INTEGER, "Odd", VARIANT, {{"h", 1, 2, 3}})`
	chosen := func(expression, of string, options ...columnOption) *semanticmodel.Model {
		return model(table("Units", dataTable(expression), column(of, "", append([]columnOption{source("[" + of + "]")}, options...)...),
			measure("Chosen", "SELECTEDVALUE(Units["+of+"])")))
	}
	rules(t, map[string][]row{
		"MEA-03": {
			{"a text", chosen(header, "Unit"), ""},
			{"in other letter case", chosen(header, "UNIT"), ""},
			{"a number", chosen(header, "Factor"), "Units[Chosen] 1"},
			{"a type that is no other", chosen(header, "Odd"), ""},
			{"a column of another name", chosen(header, "Gone"), ""},
			{"in parentheses, with a comment", chosen("( // x\n"+header+")", "Factor"), "Units[Chosen] 1"},
			{"in another call", chosen("FILTER("+header+", TRUE())", "Factor"), ""},
			{"a header that breaks off", chosen(`DATATABLE("Unit", STRING, Factor, INTEGER, "Factor", INTEGER, {})`, "Factor"), ""},
			{"quotation marks", chosen(`DATATABLE("a""b", INTEGER, {{1}})`, `a"b`), `Units[Chosen] 1`},
			{"the first of two", chosen(`DATATABLE("a", STRING, "A", INTEGER, {})`, "a"), ""},
			{"the first of two, of an odd type", chosen(`DATATABLE("a", VARIANT, "A", INTEGER, {})`, "a"), ""},
			{"a type that is written", model(table("Units", dataTable(header), whole("Unit", source("[Unit]")), measure("Chosen", "MIN(Units[Unit])"))),
				"Units[Chosen] 1"},
			{"no calculated table", model(table("Units", semanticmodel.Partition{SourceType: "m", Expression: header}, column("Factor", "", source("[Factor]")),
				measure("Chosen", "MAX(Units[Factor])"))), ""},
			{"a sum of an unknown type", model(table("Units", column("a", ""), measure("Chosen", "SUM(Units[a])"))), "Units[Chosen] 1"},
			{"text or an unknown type", model(table("Units", column("a", ""), measure("Chosen", `IF(TRUE(), "x", LOOKUPVALUE(Units[a], Units[a], 1))`))), ""},
			{"a number or an unknown type", model(table("Units", column("a", ""), measure("Chosen", `IF(TRUE(), 1, VALUES(Units[a]))`))), "Units[Chosen] 1"},
		},
		"TYP-02": {
			{"[Date] by its header", chosen(header, "Date", key), "Units[Date] 1"},
			{"[Date] of another call", chosen("CALENDAR(1, 2)", "Date", key), ""},
			{"a share", model(table("T", amount("Lost Percentage"))), "T[Lost Percentage] 1"},
		},
		"NAM-04": {
			{"codes that tables have in common", model(table("S", text("RGN_CD")), table("T", text("rgn_cd"))), ""},
			{"each ending", model(table("S", text("a code"), text("a no"), text("a nr"), text("a number")), table("T", text("a code"), text("a no"), text("a nr"),
				text("a number"))), ""},
			{"codes of different types", model(table("S", text("RGN_CD")), table("T", whole("rgn_cd"))), "S[RGN_CD] 1, T[rgn_cd] 1"},
			{"of three, one differs", model(table("S", text("a no")), table("T", text("a no")), table("U", whole("a no"))), "S[a no] 1, T[a no] 1, U[a no] 1"},
			{"the first differs", model(table("S", whole("a no")), table("T", text("a no")), table("U", text("a no"))), "S[a no] 1, T[a no] 1, U[a no] 1"},
			{"codes of unknown types", model(table("S", column("a no", "")), table("T", column("a no", ""))), "S[a no] 1, T[a no] 1"},
			{"a code of one table", model(table("S", text("a no")), table("T", text("a no", hidden))), "S[a no] 0"},
		},
		"VIS-02": {
			{"times of changes", model(table("S", date("Inserted Timestamp"), date("Loaded TS"), date("Modified Ts"), date("Ts Updated"), date("UPD_TS"), date("Updated"), date("updated_ts"))),
				"S[Inserted Timestamp] 1, S[Loaded TS] 1, S[Modified Ts] 1, S[Ts Updated] 0, S[UPD_TS] 1, S[Updated] 0, S[updated_ts] 1"},
		},
	})
	severities(t, map[string][]row{"TYP-02": {
		{"the only column", model(table("T", whole("Max Load"))), "T[Max Load] 1 low"},
		{"the only column, counted", model(table("T", whole("Year", summarized("count")))), "T[Year] 0.5 low"},
		{"next to a hidden one", model(table("T", whole("Max Load"), text("a", hidden))), "T[Max Load] 1 medium"},
		{"an end of an inactive relationship", model(table("T", whole("Max Load")), table("U", whole("a"), text("b")), related("U[a] -> T[Max Load]", "inactive")),
			"T[Max Load] 1 medium, U[a] 1 medium"},
		{"foreign keys that are not summed", model(table("T", whole("Id")), table("U", whole("a", summarized("none")), whole("Id", summarized("none"))),
			related("U[a] -> T[Id]"), related("U[Id] -> T[Id]", "inactive", "manyToMany")), "T[Id] 1 medium, U[Id] 0"},
		{"foreign keys of many to many that are not summed", model(table("T", whole("Id")), table("U", whole("a", summarized("none")), text("b")),
			related("U[a] -> T[Id]", "manyToMany")), "T[Id] 1 medium"},
	}})
	ruleMessages(t, map[string][]row{
		"TYP-02": {
			{"a flag", model(table("T", whole("Is Previous Month"))), "set summarizeBy to none in place of default, as it is a flag"},
			{"a flag of another type", model(table("T", amount("Is a Month"))), "set summarizeBy to none in place of default, as its name says month"},
			{"a key like a flag", model(table("T", whole("Is Key", key))), "set summarizeBy to none in place of default, as it is a key"},
			{"a largest value", model(table("T", whole("Max Load"))), "set summarizeBy to max, or to none, in place of default, as its name says max"},
			{"a smallest value", model(table("T", whole("Load Minimum"))), "set summarizeBy to min, or to none, in place of default, as its name says minimum"},
			{"a share", model(table("T", amount("Margin", inFormat("0%")))), "set summarizeBy to none in place of default, as it is shown as a percentage"},
			{"a percent sign in the name", model(table("T", amount("Discount %"))), "set summarizeBy to none in place of default, as its name says %"},
			{"an amount beside a percent sign", model(table("T", amount("Amount % free"))), ""},
			{"a largest year", model(table("T", whole("Max Year"))), "set summarizeBy to none in place of default, as its name says year"},
		},
		"TIM-03": {
			{"unused", model(table("S", date("d")), table("LocalDateTable_1")), "switch auto date/time off and use one date table"},
			{"of a fact", model(table("S", date("d"), measure("m", "YEAR(MAX(S[d].[Date]))")), table("LocalDateTable_1")),
				"switch auto date/time off and use one date table"},
			{"of a date table", model(table("S", date("d"), measure("m", "CALCULATE(1, SAMEPERIODLASTYEAR('Date'[Day].[Date]))")),
				table("Date", date("Day"), whole("Year")), table("LocalDateTable_1"), related("S[d] -> Date[Day]")),
				"switch auto date/time off and use one date table, and write 'Date'[Day] for 'Date'[Day].[Date] in measures, as filters on 'Date' do not " +
					"reach the automatic table"},
		},
		"VIS-02": {
			{"an identifier", model(table("T", text("Row Guid"))), "hide this column from AI, as it is a technical identifier (guid)"},
			{"a record", model(table("T", text("Row Checksum"))), "hide this column from AI, as it keeps records of rows or loads (checksum)"},
		},
		"NAM-01": {
			{"capitals", model(table("T", text("ACCT_NM"))), "write the name in words, not in capitals with underscores"},
			{"not in capitals", model(table("T", text("acct_nm"))), "use spaces in the name in place of underscores"},
		},
		"REL-01": {
			{"keys that nothing says to be ones", model(table("S", text("x id")), table("P", text("X Id"))),
				"relate its tables to each other, for example 'P'[X Id] to 'S'[x id], if one of the two has each value once (2 tables stand alone)"},
			{"a key", model(table("S", text("x id", key)), table("P", text("X Id"))),
				"relate its tables to each other, first 'P'[X Id] to 'S'[x id] (2 tables stand alone)"},
		},
	})
}
