package readiness_test

import (
	"slices"
	"strings"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/rules/instructions"
)

func TestFurtherVisibilityRules(t *testing.T) {
	t.Parallel()
	named := func(name string) *semanticmodel.Model { return model(table("S", text(name), text("x"))) }
	hides := func(name string) row { return row{name, named(name), "S[" + name + "] 1, S[x] 0"} }
	half := func(name string) row { return row{name, named(name), "S[" + name + "] 0.5, S[x] 0"} }
	shows := func(name string) row { return row{name, named(name), "S[" + name + "] 0, S[x] 0"} }
	star := func(options ...string) *semanticmodel.Model {
		return model(table("S", whole("P")), table("D", whole("Id")), related("S[P] -> D[Id]", options...))
	}
	activated := func(many, one semanticmodel.Column) *semanticmodel.Model {
		return model(table("S", many, measure("m", "CALCULATE(1, USERELATIONSHIP(D[Id], S[P]))", hiddenMeasure)), table("D", one),
			related("S[P] -> D[Id]", "inactive"))
	}
	rules(t, map[string][]row{
		"VIS-02": {
			{"the days that facts are joined by", model(table("S", date("Load Date"), text("n")), table("Load Calendar", date("Load Date"), whole("Load Year")),
				related("S[Load Date] -> Load Calendar[Load Date]")), "Load Calendar[Load Date] 0, Load Calendar[Load Year] 0, S[Load Date] 1, S[n] 0"},
			{"a text that only security goes by", model(table("S", text("Region"), text("City"), text("Area Key")), table("RLS Security", text("Region"), text("Key")),
				table("D", text("City")), related("S[Region] -> RLS Security[Region]"), related("S[City] -> D[City]"), related("S[Area Key] -> RLS Security[Key]", "inactive")),
				"D[City] 0, RLS Security[Key] 0, RLS Security[Region] 0, S[Area Key] 0, S[City] 1, S[Region] 0"},
			{"a foreign key", star(), "D[Id] 0, S[P] 1"},
			{"a key of its own table, where the relationship was drawn the wrong way", model(table("DimDates", whole("DateKey")), table("Sales", whole("DateKey")),
				related("DimDates[DateKey] -> Sales[DateKey]")), "DimDates[DateKey] 0, Sales[DateKey] 0"},
			{"a key of its own table and one of another", model(table("Currency", whole("CurrencyKey"), whole("CountryKey")), table("Sales", whole("CurrencyKey")),
				table("Country", whole("CountryKey")), related("Currency[CurrencyKey] -> Sales[CurrencyKey]"), related("Currency[CountryKey] -> Country[CountryKey]")),
				"Country[CountryKey] 0, Currency[CountryKey] 1, Currency[CurrencyKey] 0, Sales[CurrencyKey] 0"},
			{"of one that a hidden measure activates", activated(whole("P"), whole("Id")), "D[Id] 0, S[P] 1"},
			{"a date of one that a hidden measure activates", activated(date("P"), date("Id")), "D[Id] 0, S[P] 0"},
			{"a date of an inactive relationship", model(table("S", date("P")), table("D", date("Id")), related("S[P] -> D[Id]", "inactive")),
				"D[Id] 0, S[P] 0"},
			{"a date of an active relationship", model(table("S", date("P")), table("D", date("Id")), related("S[P] -> D[Id]")), "D[Id] 0, S[P] 1"},
			hides("a guid"), hides("Row Id"), {"x_rowid", named("x_rowid"), "S[x] 0, S[x_rowid] 1"}, shows("Arrow Id"),
			hides("Inserted by"), half("Created By"), half("last modifiedBy me"), half("Updated by"), shows("Created On"), shows("Created"), shows("Created at by"),
			hides("Load Date created by"), hides("Created by row id"), hides("Checksum"), hides("Audit"), hides("loaddate"), hides("A sk"),
			hides("Hash"), hides("Row Hash"), hides("SHA256Hash"), hides("hash diff pk"), hides("BK Hash Value"), shows("Customer Hash"), shows("Hash Row Name"),
			hides("Load Batch"), hides("Batch Run"), hides("Import_Batch_No"), shows("Batch Id"), shows("id batch"), hides("Batch insert"), hides("Ingestion Batch"), hides("Batch export"),
			shows("Batch"), shows("Batch No"), shows("Batch Id Old"), shows("Load Old Batch"), shows("Wine Batch"),
			{"texts of a many-to-many relationship", model(table("S", text("City"), text("n")), table("D", text("Town"), text("n")),
				related("S[City] -> D[Town]", "manyToMany")), "D[Town] 0, D[n] 0, S[City] 0, S[n] 0"},
			{"keys of a many-to-many relationship", model(table("S", text("City Key"), text("n")), table("D", whole("Town"), text("n")),
				related("S[City Key] -> D[Town]", "manyToMany")), "D[Town] 1, D[n] 0, S[City Key] 1, S[n] 0"},
			{"texts of an inactive many-to-many relationship", model(table("S", text("City"), text("n")), table("D", text("Town"), text("n")),
				related("S[City] -> D[Town]", "manyToMany", "inactive")), "D[Town] 0, D[n] 0, S[City] 0, S[n] 0"},
			{"a text of two relationships", model(table("S", text("City"), text("n")), table("D", text("Town"), text("n")), table("E", text("Town")),
				related("S[City] -> D[Town]", "manyToMany"), related("S[City] -> E[Town]")), "D[Town] 0, D[n] 0, E[Town] 0, S[City] 1, S[n] 0"},
			hides("Load Date"), hides("Date of x, load date"), hides("Time Export"), hides("Ingestion Timestamp"), hides("At Load"), hides("etl at"), shows("Load the Date"), shows("Update Date"),
			{"a key with its table's only text", model(table("S", text("P")), table("D", text("Guid"), whole("n")), related("S[P] -> D[Guid]",
				"inactive")), "D[Guid] 0, D[n] 0, S[P] 0"},
			{"a key beside a hidden text", model(table("S", text("P")), table("D", text("Guid"), text("n", hidden)), related("S[P] -> D[Guid]",
				"inactive")), "D[Guid] 1, S[P] 0"},
			{"the only text without a relationship", model(table("D", text("Guid"), whole("n"))), "D[Guid] 1, D[n] 0"},
			{"a number that is a key", model(table("S", whole("P")), table("D", whole("Guid"), text("n")), related("S[P] -> D[Guid]")),
				"D[Guid] 1, D[n] 0, S[P] 1"},
			{"used by a measure", model(table("S", text("a guid"), measure("m", "MAX(S[a guid])"))), ""},
			{"used after a keyword", model(table("S", text("a guid"), measure("m", "VAR x = 1 RETURN[a guid]"))), ""},
			{"used by a hidden measure", model(table("S", text("a guid"), measure("m", "MAX(S[a guid])", hiddenMeasure))), "S[a guid] 1"},
			{"used through a measure", model(table("S", text("a guid"), measure("m", "[n]"), measure("n", "MAX(S[a guid])", hiddenMeasure))),
				"S[a guid] 1"},
			{"named by the instructions", model(table("S", text("a guid")), instructed("Use 'S'[A guid].")), ""},
			{"named by a verified answer", model(table("S", text("a guid")), answered("a", nil, "s[A GUID]")), ""},
			{"named to be avoided", model(table("S", text("a guid")), instructed("Never use 'S'[A guid].")), "S[a guid] 1"},
		},
		"VIS-09": {
			{"personal", model(table("Customer", text("E-Mail"), text("Phone Number"), date("Birth Date"), text("National ID"), whole("SSN"), text("Mobile"))),
				"Customer[Birth Date] 1, Customer[E-Mail] 1, Customer[Mobile] 1, Customer[National ID] 1, Customer[Phone Number] 1, Customer[SSN] 1"},
			{"birth dates", model(table("K", date("Geburtsdatum"), date("Date de naissance"), text("Data de Nascimento"), date("Fecha de Nacimiento"), date("Geboortedatum"),
				date("Date of Birth"), date("dt_nasc"))), "K[Data de Nascimento] 1, K[Date de naissance] 1, K[Date of Birth] 1, K[Fecha de Nacimiento] 1, " +
				"K[Geboortedatum] 1, K[Geburtsdatum] 1, K[dt_nasc] 1"},
			{"no birth dates", model(table("K", text("Lieu de naissance"), text("Birth Country"), text("Geburtsort"), whole("Birth Year"), text("Geburtsname"))), ""},
			{"not personal", model(table("S", whole("Email Count"), text("Phone Type"), date("Hire Date"), text("Mail Subject")), table("Suppliers", text("Phone"))), ""},
			{"explained", model(table("Customer", text("Email", about("Address that invoices go to, needed to find an account by what people type")))), "Customer[Email] 0"},
		},
		"VIS-03": {
			{"what draws, and colours", model(table("S", measure("a", `"data:image/svg+xml;utf8,<svg>" & [x]`), measure("b", `IF([x] > 0, "#00FF00", "#FF0000FF")`),
				measure("c", `IF([x] > 0, "#1 in sales", "other")`), measure("d", "[x]"))), "S[a] 1, S[b] 1, S[c] 0, S[d] 0"},
			{"what chooses colours", model(table("S", measure("red", `"#FF0000"`), measure("dark red", `"#800000"`), measure("a", "IF([n] > 0, [red], [dark red])"),
				measure("b", "IF([n] > 0, [n], 0)"), measure("c", "IF([red] > 0, [n], 0)"), measure("n", "1"))),
				"S[a] 1, S[b] 0, S[c] 0, S[dark red] 1"},
			{"a prefix that most have", model(table("S", measure("_a", "1"), measure("_b", "1"), measure("_c", "1"), measure("d", "1"))), "S[_a] 0, S[_b] 0, S[_c] 0, S[d] 0"},
			{"a prefix that half have", model(table("S", measure("_a", "1"), measure("_b", "1"), measure("c", "1"), measure("d", "1"))), "S[_a] 1, S[_b] 1, S[c] 0, S[d] 0"},
			{"what writes a measure as text", model(table("S", amount("x"), measure("a", `FORMAT([n], "0%")`), measure("b", `IF(ISBLANK([n]), "none", "Net: " & [n])`),
				measure("c", `IF([n] > 0, "good", "bad")`), measure("d", `"Read: " & FORMAT(MAX(S[x]), "0")`), measure("e", `CONCATENATEX(VALUES(S[x]), S[x])`),
				measure("f", `"of " & [g]`), measure("g", "1", hiddenMeasure), measure("h", `FORMAT([n], "0")`, says("Hours and minutes from call to answer.")),
				measure("i", `FORMAT(DIVIDE([n], [g]), "+0%")`), measure("n", "SUM(S[x])"))), "S[a] 1, S[b] 1, S[c] 0, S[d] 0, S[e] 0, S[f] 0, S[h] 0, S[i] 0"},
			{"what a slicer chooses", model(table("S", whole("k"), amount("x"), text("t"), measure("a", `SWITCH(SELECTEDVALUE(Show[Name]), "n", [n], "o", [o])`),
				measure("b", `VAR s = SELECTEDVALUE(Show[Name]) RETURN SWITCH(TRUE(), s = "n", [n], [o])`),
				measure("c", `SWITCH(SELECTEDVALUE(S[t]), "n", [n], "o", [o])`), measure("d", `SWITCH(SELECTEDVALUE(Show[Name]), "n", [n], "g", [g])`),
				measure("e", `[n] * SELECTEDVALUE(Show[Name]) - [o]`), measure("g", "1", hiddenMeasure), measure("n", "SUM(S[x])"), measure("o", "MAX(S[x])")),
				table("Show", text("Name")), table("D", whole("k")), related("S[k] -> D[k]")), "S[a] 1, S[b] 1, S[c] 0, S[d] 0, S[e] 0"},
			{"starts", model(table("S", measure("_x", "1"), measure(".x", "1"), measure("ZZ net", "1"), measure("tmp-net", "1"),
				measure("test_net", "1"), measure("debug net", "1"), measure("helper_net", "1"))),
				"S[.x] 1, S[ZZ net] 1, S[_x] 1, S[debug net] 1, S[helper_net] 1, S[test_net] 1, S[tmp-net] 1"},
			{"business words of numbers", model(table("S", text("k"), measure("Test Results", "COUNTROWS(S)"), measure("Dummy Variable Rate", "[n] * 0.3"), measure("Placeholder Orders", "[n]"),
				measure("Test Value", "1"), measure("dummy text", `"x" & [n]`), measure("Debug Total", "[n]"), measure("_", "[n]"), measure("n", "1", hiddenMeasure))),
				"S[Debug Total] 1, S[Dummy Variable Rate] 0, S[Placeholder Orders] 0, S[Test Results] 0, S[Test Value] 1, S[_] 1, S[dummy text] 1"},
			{"no longer a start", model(table("S", measure("x net", "1"))), "S[x net] 0"},
			{"words", model(table("S", measure("a debug", "1"), measure("a dummy", "1"), measure("a helper", "1"), measure("a placeholder", "1"))),
				"S[a debug] 1, S[a dummy] 1, S[a helper] 1, S[a placeholder] 1"},
			{"words of a text", model(table("S", measure("a color", `"x"`), measure("a colour", `"x"`), measure("a icon", `"x"`),
				measure("a label", `"x"`), measure("a svg", `"x"`), measure("a text", `"x"`), measure("a title", `"x"`), measure("a tooltip", `"x"`))),
				"S[a color] 1, S[a colour] 1, S[a icon] 1, S[a label] 1, S[a svg] 1, S[a text] 1, S[a title] 1, S[a tooltip] 1"},
			{"words of a number", model(table("S", measure("a color", "1"), measure("a title", "MAX(S[c])"), text("c"))),
				"S[a color] 0, S[a title] 0"},
			{"a described title", model(table("S", measure("a title", `"x"`, says("First line of the invoice, in euro.")), measure("a text", `"x"`,
				says("The text.")), measure("a color", `"x"`, says("Red from 10 days overdue.")))), "S[a color] 1, S[a text] 1, S[a title] 0"},
			{"named", model(table("S", measure("_x", "1")), instructed("Use [_x].")), ""},
			{"used by another measure", model(table("S", measure("_x", "1"), measure("n", "[_x]"))), "S[n] 0"},
			{"used by another that is hidden", model(table("S", measure("_x", "1"), measure("n", "[_x]", hiddenMeasure))), "S[_x] 1"},
			{"used by another that matches", model(table("S", measure("_x", "1"), measure("_n", "[_x]"))), "S[_n] 1, S[_x] 1"},
			{"what does not match is used", model(table("S", measure("m", "[n]"), measure("n", "1"))), "S[m] 0"},
		},
		"VIS-05": {{"25 tables", model(tables(25, "t%d", text("a"))), "# 0"}, {"30 tables", model(tables(30, "t%d", text("a"))), "# 0.2"}},
		"VIS-07": {
			{"nothing named", model(table("S", text("a", hidden))), ""},
			{"named and shown", model(table("S", text("a")), instructed("Use S[a].")), ""},
			{"named and hidden", model(table("S", text("a", hidden), measure("m", "1", hiddenMeasure)), instructed("Use S[a] and [m].")),
				"S[a] 1, S[m] 1"},
			{"named by a verified answer", model(table("S", text("a", hidden)), answered("x", nil, "S[a]")), "S[a] 1"},
			{"unknown", model(table("S", text("a", hidden)), instructed("Use S[b].")), ""},
			{"a trigger phrase", model(table("S", text("a", hidden)), answered("x", []string{"S[a]"}, "S[b]")), ""},
			{"a foreign key", model(table("S", whole("P", hidden)), table("D", whole("Id")), related("S[P] -> D[Id]"), instructed("Use S[P].")), ""},
			{"a date of an inactive relationship", model(table("S", date("P", hidden)), table("D", date("Id")), related("S[P] -> D[Id]",
				"inactive"), instructed("Use S[P].")), "S[P] 1"},
			{"a bare name, one of two shown", model(table("S", text("a", hidden)), table("T", text("a")), instructed("Use [a].")), ""},
			{"a bare name, both hidden", model(table("S", text("a", hidden)), table("T", text("a", hidden)), instructed("Use [a].")),
				"S[a] 1, T[a] 1"},
			{"a bare name of a measure too", model(table("S", text("a", hidden)), table("T", measure("a", "1")), instructed("Use [a].")), ""},
			{"a bare name of a hidden measure", model(table("S", text("a")), table("T", measure("a", "1", hiddenMeasure)), instructed("Use [a].")),
				"T[a] 1"},
			{"by the schema", model(table("S", text("a"), text("b")), schema("S[a] Hidden"), instructed("Use S[a].")), "S[a] 1"},
			{"each word that takes a piece out", model(table("S", text("a", hidden)),
				instructed("Do not use [a].\nDon't use [a].\nnever [a]\nAvoid [a]\nignore [a]\nexclude [a]\nThe hidden [a]")), ""},
			{"the word stands after", model(table("S", text("a", hidden)), instructed("[a] must never be summed.")), "S[a] 1"},
			{"the word is part of another", model(table("S", text("a", hidden)), instructed("Unhidden [a]")), "S[a] 1"},
			{"in another piece", model(table("S", text("a", hidden)), instructed("Do not guess, use [a].")), "S[a] 1"},
			{"in another piece after a full stop", model(table("S", text("a", hidden)), instructed("Do not guess. Use [a].")), "S[a] 1"},
			{"in another piece after a semicolon", model(table("S", text("a", hidden)), instructed("Do not guess; use [a].")), "S[a] 1"},
			{"in the same piece", model(table("S", text("a", hidden)), instructed("Do not guess,use [a].")), ""},
			{"in another line", model(table("S", text("a", hidden)), instructed("Do not guess\nuse [a].")), "S[a] 1"},
		},
	})
}

// VIS-05 names the ten tables that are used least.
func TestLeastUsedTables(t *testing.T) {
	t.Parallel()
	m := model(tables(27, "t%02d", text("a")), table("S", text("x"), measure("m", "MAX(t00[a])", hiddenMeasure), measure("n",
		"MAX(t01[a])")), related("t03[a] -> t02[a]", "inactive"))
	got := readiness.Current().Judge(m, noOptions, false, "VIS-05")[0].Message
	if want := "decide which questions an AI should answer, and leave out the tables that these do not need; used least: 't00', 't04', 't05', 't06', 't07', 't08', 't09', 't10', 't11', 't12' (27 tables exposed, 25 at most)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFurtherInstructionRules(t *testing.T) {
	t.Parallel()
	net := func(text string) *semanticmodel.Model {
		return model(table("S", text1("Net Column"), measure("Net", "1"), measure("Gross", "2")), instructed(text))
	}
	qna := func(q semanticmodel.QnA, parts ...any) *semanticmodel.Model {
		m := model(append([]any{table("S", text1("a"))}, parts...)...)
		m.QnA = q
		return m
	}
	used := instructed("Use [a].")
	rules(t, map[string][]row{
		"INS-03": {
			{"resolved", net("Use [Net] for invoices without tax."), "# 0"},
			{"half resolved", net("Use [Net] and [Nett]."), "# 0.5"},
			{"hidden ones resolve", model(table("S", text1("a", hidden)), instructed("Use [a] for invoices without tax in euro per month.")), "# 0"},
		},
		"INS-06": {
			{"a calculation group", model(table("P", group("YTD"))), "P 1"},
			{"a field parameter", model(table("P", calculated, text1("a", parameter))), ""},
		},
		"INS-09": {
			{"a missing field", model(table("S", text1("a")), answered("x", nil, "S[b]", "S[a]")), "x 1"},
			{"a hidden field", model(table("S", text1("a", hidden)), answered("x", nil, "S[a]")), "x 0"},
		},
		"INS-10": {
			{"no linguistic schema", qna(semanticmodel.QnAOff, used), ""},
			{"read", qna(semanticmodel.QnAOn, synonyms("S[a]", "Authored", "b")), "# 1"},
			{"Q&A is off", qna(semanticmodel.QnAOff, synonyms("S[a]", "Authored", "b")), "# 1"},
			{"Q&A is not said", qna(semanticmodel.QnAUnset, synonyms("S[a]", "Authored", "b")), "# 1"},
			{"generated synonyms alone", qna(semanticmodel.QnAOff, synonyms("S[a]", "Generated", "b")), ""},
			{"both formats", qna(semanticmodel.QnAOff, synonyms("S[a]", "Authored", "b"), inCopilot), ""},
		},
		"INS-12": {
			{"no folder Copilot", model(shops...), ""},
			{"nothing said", model(append(shops, inCopilot)...), ""},
			{"off", model(append(shops, inCopilot, modelOption(func(m *semanticmodel.Model) { m.Copilot.Indexing = new(false) }))...), "# 1"},
			{"on", model(append(shops, inCopilot, modelOption(func(m *semanticmodel.Model) { m.Copilot.Indexing = new(true) }))...), ""},
			{"one of two columns without", model(append(shops, inCopilot, unindexed("City"))...), "# 0.5"},
			{"a number without", model(append(shops, inCopilot, unindexed("Rank"))...), ""},
		},
		"INS-13": {
			{"no folder Copilot", model(shops...), ""},
			{"none", model(append(shops, inCopilot)...), "# 1"},
			{"about what an AI sees", model(append(shops, inCopilot, prompted("Shop Name by City?"))...), "# 0"},
			{"about a hidden field", model(append(shops, inCopilot, prompted("How high is the secret margin by City?", "Shop Name?"))...), "# 0.5"},
		},
		"INS-11": {
			{"no instructions", model(table("S", measure("Net", "1"))), ""},
			{"one term for one measure", net("Revenue means [Net].\nUse [Net] for revenue."), "# 0"},
			{"one term for two", net("Revenue means [Net].\nUse [Gross] for revenue."), "# 1"},
			{"one term for a measure and a column", net("Revenue means [Net].\nRevenue means [Net Column]."), "# 0"},
			{"each verb",
				net("deals mean [Net]\nb refers to [Net]\nc stands for [Net]\nd is defined as [Net]\ne is [Net]\nf = [Net]\ng: [Net]\nh -> [Net]\ni → [Net]"), "# 0"},
			{"mean", net("deals means [Net]\nDeals mean [Gross]"), "# 1"},
			{"refers to", net("deals means [Net]\ndeals refers to [Gross]"), "# 1"},
			{"stands for", net("deals means [Net]\ndeals stands for [Gross]"), "# 1"},
			{"is defined as", net("deals means [Net]\ndeals is defined as [Gross]"), "# 1"},
			{"is", net("deals means [Net]\ndeals is the [Gross]"), "# 1"},
			{"an equals sign", net("deals means [Net]\ndeals = [Gross]"), "# 1"},
			{"a colon", net("deals means [Net]\ndeals: [Gross]"), "# 1"},
			{"an arrow", net("deals means [Net]\ndeals -> [Gross]"), "# 1"},
			{"another arrow", net("deals means [Net]\ndeals → [Gross]"), "# 1"},
			{"another word", net("deals means [Net]\ndeals equals [Gross]"), "# 0"},
			{"list marks", net("- deals means [Net]\n 2. **deals** is [Gross]"), "# 1"},
			{"prefer", net("deals means [Net]\nIf asked, prefer [Gross] to all for deals: it counts."), "# 1"},
			{"60 characters", net(strings.Repeat("é", 60) + " means [Net]\nuse [Gross] for " + strings.Repeat("é", 60)), "# 1"},
			{"61 characters", net(strings.Repeat("é", 61) + " means [Net]\nuse [Gross] for " + strings.Repeat("é", 61)), "# 0"},
			{"a reference in the term", net("x [Net Column] means [Net]\nx [Net Column] means [Gross]\ndeals means [Net]"), "# 0"},
			{"several terms", net("sales, turnover or revenue means [Net]\nuse [Gross] for income and turnover/cash"), "# 1"},
			{"a piece that is left out", net("deals means [Net]\nnever use [Gross] for a"), "# 0"},
			{"what comes after it", net("deals means [Net]\nNever guess. Use [Gross] for deals"), "# 1"},
			{"the first measure", net("deals means [Net Column] by [Net]\ndeals means [Gross] and [Net]"), "# 1"},
			{"the same measure twice", net("deals means [Net] and [Gross]\ndeals means 'S'[net]"), "# 0"},
			{"a link", net("deals means [Net](x) or [Gross]\ndeals means [Net]"), "# 1"},
			{"the end of a term", net("b means [Net]\nuse [Gross] for a, b"), "# 0"},
		},
	})
}

// While there are no instructions, INS-01 to INS-04 are one finding, which can be ignored
// by either name.
func TestMissingInstructionsAreOneFinding(t *testing.T) {
	t.Parallel()
	current := readiness.Current()
	m := model(table("S", text1("a"), text1("b"), text1("c")))
	r := current.Assess(m, noOptions)
	f := findingOf(r, "instructions", "#INSTRUCTIONS")
	if f == nil || strings.Join(f.RuleIDs, " ") != "INS-01 INS-02 INS-03 INS-04" || f.Severity != "medium" || f.ObjectType != "model" {
		t.Fatalf("got %+v", f)
	}
	for _, id := range f.RuleIDs {
		if !slices.Contains(instructions.ModelNames(id), f.ObjectName) || !slices.Contains(instructions.ModelNames(id), "#"+id) {
			t.Errorf("%s: the model is called %q", id, instructions.ModelNames(id))
		}
	}
	for _, r := range current.Rules() {
		if names := instructions.ModelNames(r.ID); (len(names) == 2) != slices.Contains(f.RuleIDs, r.ID) || names[0] != "#"+r.ID {
			t.Errorf("%s: the model is called %q", r.ID, names)
		}
	}
	r = current.Assess(model(table("S", text1("a")), instructed("Use it.")), noOptions)
	for _, id := range []string{"#INS-02", "#INS-03", "#INS-04"} {
		if findingOf(r, "instructions", id) == nil {
			t.Errorf("%s: no finding", id)
		}
	}
	r = current.Assess(model(table("S", columns(11, "a%d x", semanticmodel.String), date("On"), measure("m", "1"), measure("n", "1"), measure("o", "1"), measure("p", "1")),
		table("P", text("b"))), noOptions)
	if f := findingOf(r, "instructions", "#INSTRUCTIONS"); f == nil || f.Severity != "high" {
		t.Errorf("16 fields: got %+v", f)
	}
	for _, m := range []*semanticmodel.Model{m, model(table("S", text1("a")), instructed("Use it."))} {
		for _, name := range []string{"#INS-03", "#INSTRUCTIONS"} {
			if got := ruleOf(t, current.Assess(m, ignoringOne("INS-03", name)), "INS-03"); got.Ignored != 1 || got.Eligible != 0 {
				t.Errorf("%s: got %+v", name, got)
			}
		}
		if got := ruleOf(t, current.Assess(m, ignoringOne("INS-03", "#INS-02")), "INS-03"); got.Ignored != 0 {
			t.Errorf("#INS-02: got %+v", got)
		}
	}
}

// inCopilot gives a model a folder Copilot.
var inCopilot = modelOption(func(m *semanticmodel.Model) { m.Copilot.Present = true })

// shops are a fact and a dimension with two texts, a number and a hidden field.
var shops = []any{table("Sales", whole("K"), measure("Net", "1")),
	table("Shops", whole("K"), text("Shop Name"), text("City"), whole("Rank"), text("Secret Margin", hidden)), related("Sales[K] -> Shops[K]")}

func unindexed(column string) modelOption {
	return func(m *semanticmodel.Model) {
		m.Copilot.Schema = &semanticmodel.AISchema{Tables: []semanticmodel.AITable{{Name: "Shops", Columns: []semanticmodel.AIField{{Name: column, Index: "None"}}}}}
	}
}

func prompted(prompts ...string) modelOption {
	return func(m *semanticmodel.Model) { m.Copilot.Prompts = prompts }
}

func TestInstructionMessages(t *testing.T) {
	t.Parallel()
	fields := table("S", measure("Net", "1"), measure("Gross", "2"))
	for name, tt := range map[string]struct {
		rule  string
		model *semanticmodel.Model
		want  string
	}{
		"unresolved": {"INS-03", model(fields, instructed("[a] [b] [c] [d] [e] [f] [Net]")), "[a], [b], [c], [d], [e] and 1 more"},
		"missing":    {"INS-09", model(fields, answered("x", nil, "S[a]", "S[b]")), "'S'[a], 'S'[b]"},
		"two terms": {"INS-11", model(fields, instructed("Revenue: [Net]\nuse [Gross] for revenue")),
			`"revenue" means measure [Net] or measure [Gross]`},
		"a broken one": {"MEA-07", model(table("S", measure("m", "A[a]+B[b]+C[c]+D[d]+E[e]+F[f]"))),
			"'A'[a], 'B'[b], 'C'[c], 'D'[d], 'E'[e] and 1 more"},
	} {
		if got := readiness.Current().Judge(tt.model, noOptions, false, tt.rule)[0].Message; !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q in it", name, got, tt.want)
		}
	}
}

func TestSeveritiesAndMessagesOfVisibility(t *testing.T) {
	t.Parallel()
	many := func(n int, parts ...any) *semanticmodel.Model {
		return model(table("S", append([]any{columns(n, "c%02d", semanticmodel.Int64)}, parts...)...))
	}
	// end returns a model with a foreign key like the key that it refers to.
	end := func(c semanticmodel.Column) *semanticmodel.Model {
		return model(table("S", c), table("D", c), related("S["+c.Name+"] -> D["+c.Name+"]"))
	}
	internal := []any{text("a guid"), text("Dummy"), text("x placeholder"), text("Created By"), measure("_x", "1"), measure("_y", "1")}
	severities(t, map[string][]row{
		"VIS-01": {
			{"31 fields", many(31), "# 1 medium"},
			{"11 fields", many(11), "# 0.25 low"},
			{"10 fields", many(10), ""},
			{"no field", model(table("S")), ""},
			{"hidden fields", many(10, text("a guid", hidden), measure("_x", "1", hiddenMeasure)), ""},
			{"one field to hide", many(1, text("a guid")), "# 0.5 low"},
			{"4 to hide", many(1, internal[:4]...), "# 0.5 low"},
			{"5 to hide", many(1, internal[:5]...), "# 0.5 medium"},
			{"30 fields and those to hide", many(30, internal...), "# 0.5 medium"},
			{"31 fields and those to hide", many(31, internal...), "# 1 medium"},
			{"a placeholder", many(1, text("Dummy x")), "# 0.5 low"},
			{"a measure by its name", many(1, measure("Placeholder", "1"), measure("m", "[Placeholder]")), ""},
			{"a named one", model(table("S", text("a guid")), instructed("Use S[a guid].")), ""},
			{"configured", model(table("S", text("a guid")), schema("S[a guid] Visible")), "# 0"},
		},
		"VIS-02": {
			{"who changed a row", model(table("S", text("Created By"))), "S[Created By] 0.5 low"},
			{"a load", model(table("S", text("Load Date"))), "S[Load Date] 1 medium"},
			{"a number", end(whole("Region")), "D[Region] 0, S[Region] 1 medium"},
			{"a date", end(date("Received")), "D[Received] 0, S[Received] 1 low"},
			{"a text", end(text("Region")), "D[Region] 0, S[Region] 1 low"},
			{"a text that is a key", end(text("Region Key")), "D[Region Key] 0, S[Region Key] 1 medium"},
			{"a text that is a number", end(text("Region No")), "D[Region No] 0, S[Region No] 1 medium"},
			{"a date of a load", end(date("Load Date")), "D[Load Date] 1 medium, S[Load Date] 1 medium"},
		},
	})
	ruleMessages(t, map[string][]row{
		"VIS-01": {
			{"31 fields", many(31), "choose in an AI data schema what an AI sees (no AI data schema for 31 fields that may matter to people; 30 at most need none)"},
			{"31 fields and one to hide", many(31, text("a guid")), "choose in an AI data schema what an AI sees, and leave out column 'S'[a guid] (no AI data schema for 31 fields that may matter to people; 30 at most need none)"},
			{"6 to hide", many(1, internal...), "leave out of what an AI sees, by an AI data schema: column 'S'[Created By], column 'S'[Dummy], column 'S'[a guid], column 'S'[x placeholder], measure [_x] and 1 more"},
			{"11 fields", many(11), "choose in an AI data schema what an AI sees, small as the model is (no AI data schema for 11 fields; 10 at most need none)"},
		},
		"VIS-02": {{"who changed a row", model(table("S", text("Created By"))), "hide this column from AI, unless people ask who changed a row (created by)"}},
	})
}
