package readiness_test

import (
	"strings"
	"testing"

	"readiness/definition/semanticmodel"
)

func TestInstructionRules(t *testing.T) {
	t.Parallel()
	custom := func(culture string, text *string) modelOption {
		return func(m *semanticmodel.Model) {
			m.Cultures = append(m.Cultures, semanticmodel.Culture{Name: culture, CustomInstructions: text})
		}
	}
	inCulture := func(name string) modelOption { return func(m *semanticmodel.Model) { m.Culture = name } }
	some, blank := "some", " \n"
	told := func(text string) *semanticmodel.Model {
		return model(table("Sales", amount("Net"), measure("Total Net", "1"), text1("Hidden")), table("My Date", date("Day")), instructed(text))
	}
	// dated returns a fact table with two dates with the given names.
	dated := func(text string, ends ...string) *semanticmodel.Model {
		m := model(
			table("Sales", date("Order Date"), whole("Ship", hidden), whole("P"), text1("Note")),
			table("Date", date("Date"), whole("Day", key)), table("Products", whole("Id")),
			related("Sales[Ship] -> Date[Day]"), related("Sales[P] -> Products[Id]"),
		)
		if text != "" {
			instructed(text)(m)
		}
		return m
	}
	rules(t, map[string][]row{
		"INS-01": {
			{"absent", model(), "# 1"},
			{"blank", model(instructed(" \n\u00a0")), "# 1"},
			{"present", model(instructed("x")), "# 0"},
			{"of the default culture", model(inCulture("de-DE"), custom("de-DE", &some), custom("aa-AA", &blank)), "# 0"},
			{"blank in the default culture", model(inCulture("de-DE"), custom("aa-AA", &some), custom("de-DE", &blank)), "# 1"},
			{"none in the default culture", model(inCulture("de-DE"), custom("en-US", &blank), custom("de-DE", nil), custom("aa-AA", &some)), "# 0"},
			{"the first culture by name, blank", model(custom("en-US", &some), custom("aa-AA", &blank)), "# 1"},
			{"the part goes before, blank", model(instructed(blank), custom("en-US", &some)), "# 1"},
		},
		"INS-02": {
			{"absent", model(), "# 1"},
			{"199 runes", model(instructed(" " + strings.Repeat("é", 199) + "\n")), "# 0.5"},
			{"200 runes", model(instructed(strings.Repeat("é", 200))), "# 0"},
			{"10,000 runes", model(instructed(strings.Repeat("é", 10_000))), "# 0"},
			{"10,001 runes", model(instructed(strings.Repeat("é", 10_001))), "# 1"},
		},
		"INS-03": {
			{"absent", model(), "# 1"},
			{"no reference", told("Use net sales."), "# 1"},
			{"all resolve", told("Use [Total Net], 'sales'[ net ] and Sales[TOTAL NET]; 'My Date'[Day]; [Hidden]."), "# 0"},
			{"one of two", told("Use [Total Net], not [Gross]."), "# 0.5"},
			{"distinct under norm", told("[Gross] [GROSS] [ gross ] [Total Net]"), "# 0.5"},
			{"a bare name apart from a qualified one", told("[Gross] Sales[Gross] [Total Net]"), "# 0.6667"},
			{"the field of another table", told("'My Date'[Net]"), "# 1"},
			{"a quoted name is not read again as bare", told("'Sales'[Net] 'Gone'[Net]"), "# 0.5"},
			{"an unquoted name takes its word only", told("My Date[Day]"), "# 1"},
			{"a table is no field", told("[Sales]"), "# 1"},
			{"a Markdown link", told("[Total Net](https://example.org) [Net]"), "# 0"},
			{"nothing but links", told("[a](b)"), "# 1"},
			{"a qualified name before a parenthesis", told("Sales[Gone](x)"), "# 1"},
			{"a line break", told("[Gro\nss]"), "# 1"},
			{"an apostrophe before", told("don't use 'Sales'[Net]"), "# 0"},
			{"in a dropped table", model(table("S", text1("a"), privateTable), instructed("S[a] [a]")), "# 1"},
		},
		"INS-04": {
			{"absent", model(), "# 1"},
			{"nothing", told("Sales."), "# 1"},
			{"time", told("The FISCAL one."), "# 0.8"},
			{"each word of time", told("calendar"), "# 0.8"},
			{"part of a word", told("yearly calendars"), "# 1"},
			{"which measure", told("Prefer the [Net]"), "# 0.8"},
			{"which measure, 60 runes on", told("use" + strings.Repeat("é", 60) + "["), "# 0.8"},
			{"which measure, 61 runes on", told("use" + strings.Repeat("é", 61) + "["), "# 1"},
			{"which measure, part of a word", told("user [Net]"), "# 1"},
			{"which measure, on another line", told("use the\nmeasure"), "# 1"},
			{"terms", told("GM stands for gross margin"), "# 0.8"},
			{"defaults", told("unless told"), "# 0.8"},
			{"a heading", told("a\r\n## Sales\r\n"), "# 0.8"},
			{"a heading after CR", told("a\r###### Sales"), "# 0.8"},
			{"seven signs are none", told("####### Sales"), "# 1"},
			{"nor is one without a space", told("#Sales"), "# 1"},
			{"nor one that is indented", told(" # Sales"), "# 1"},
			{"three items", told("- a\n* b\n- c"), "# 0.8"},
			{"two items", told("- a\n* b"), "# 1"},
			{"everything", told("# Time\nThe fiscal year by default.\nUse the measure.\nGM means margin."), "# 0"},
		},
		"INS-05": {
			{"absent", dated(""), "Sales 1"},
			{"not named", dated("Use the shipping date."), "Sales 1"},
			{"named, in other case and in pieces", dated("by ORDER_date, always"), "Sales 0"},
			{"the hidden end of a relationship", dated("Ship, always"), "Sales 0"},
			{"not in a row", dated("order by date"), "Sales 1"},
			{"one date", model(table("Sales", date("Order Date"), whole("P")), table("Products", whole("Id")), related("Sales[P] -> Products[Id]")), ""},
			{"an inactive relationship", model(
				table("Sales", date("Order Date"), whole("P"), whole("Ship")), table("Date", whole("Day"), date("Date"), whole("Other")), table("Products", whole("Id")),
				related("Sales[P] -> Products[Id]"), related("Sales[Order Date] -> Date[Date]"), related("Sales[Ship] -> Date[Day]", "inactive")), "Sales 1"},
			{"a hidden fact", model(
				table("Sales", date("a"), date("b"), whole("P"), hiddenTable), table("Products", whole("Id")), related("Sales[P] -> Products[Id]")), "Sales 1"},
			{"no fact", model(table("Sales", date("a"), date("b"))), ""},
			{"a name without words", model(
				table("Sales", date("**"), date("--"), whole("P")), table("Products", whole("Id")), related("Sales[P] -> Products[Id]"), instructed("** -- x")), "Sales 1"},
		},
		"INS-06": {
			{"absent", model(table("Periods", group("YTD"), text1("a"))), "Periods 1"},
			{"named under norm", model(table("Time  Periods", group(), text1("a")), instructed("use\nTIME\nperiods")), "Time  Periods 0"},
			{"not named", model(table("Periods", group(), text1("a")), instructed("use period")), "Periods 1"},
			{"field parameters", model(table("Axis", calculated, text1("a", parameter)), instructed("x")), "Axis 1"},
			{"hidden", model(table("Periods", group(), hiddenTable)), ""},
			{"other tables", model(table("Sales", text1("a"))), ""},
		},
		"INS-07": {
			{"none", model(), "# 1"},
			{"one", model(answered("a", nil)), "# 0"},
		},
		"INS-08": {
			{"none", model(), ""},
			{"no phrase", model(answered("a", nil)), "a 1"},
			{"blank phrases", model(answered("a", []string{" ", ""})), "a 1"},
			{"1 and 4", model(answered("b", phrases(4)), answered("a", append(phrases(1), " "))), "a 0.5, b 0.5"},
			{"5 and 15", model(answered("a", phrases(5)), answered("b", phrases(15))), "a 0, b 0"},
			{"16", model(answered("a", phrases(16))), "a 1"},
			{"500 runes", model(answered("a", append(phrases(4), " "+strings.Repeat("é", 500)))), "a 0"},
			{"501 runes", model(answered("a", append(phrases(4), strings.Repeat("é", 501)))), "a 1"},
		},
		"INS-09": {
			{"none", model(), ""},
			{"no fields", model(answered("a", nil)), "a 0"},
			{"exposed, names under norm", model(table("Sales", text1("Net")), answered("a", nil, " sales[NET ]")), "a 0"},
			{"missing", model(table("Sales", text1("Net")), answered("a", nil, "Sales[Net]", "Sales[Gross]")), "a 1"},
			{"hidden", model(table("Sales", text1("Net", hidden)), answered("a", nil, "Sales[Net]")), "a 1"},
			{"hidden by the schema", model(table("Sales", text1("Net")), schema("Sales[Net] Hidden"), answered("a", nil, "Sales[Net]")), "a 1"},
		},
	})
}

// text1 is text, for tests with a parameter named text.
func text1(name string, options ...columnOption) semanticmodel.Column { return text(name, options...) }
