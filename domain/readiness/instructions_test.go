package readiness_test

import (
	"strings"
	"testing"

	"readiness/definition/semanticmodel"
)

func TestInstructionRules(t *testing.T) {
	t.Parallel()
	answer := func(a semanticmodel.VerifiedAnswer) modelOption {
		a.Folder = "a"
		return func(m *semanticmodel.Model) { m.Copilot.VerifiedAnswers = append(m.Copilot.VerifiedAnswers, a) }
	}
	custom := func(culture string, text *string) modelOption {
		return func(m *semanticmodel.Model) {
			m.Cultures = append(m.Cultures, semanticmodel.Culture{Name: culture, CustomInstructions: text})
		}
	}
	inCulture := func(name string) modelOption { return func(m *semanticmodel.Model) { m.Culture = name } }
	some, blank := "Umsatz means [Net]", " \n"
	const three = "Umsatz means [Total Net]\nUmsatz ist ohne Steuer: [Total Net]\nThe fiscal year begins in April."
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
			{"a term for a measure", told("Umsatz means [Total Net]"), "# 0"},
			{"a rule about a field", told("Total Net is without tax and freight."), "# 0"},
			{"a rule without a field", told("The fiscal year begins in April."), "# 0"},
			{"a list of names", told("- [Total Net]\n- Sales[Net]\n- 'My Date'[Day]"), "# 1"},
			{"a list of names with a head", told("Measures of this model: [Total Net], Sales[Net]."), "# 1"},
			{"a term that is the name", told("Total net means [Total Net]. Use [Total Net] for the total net."), "# 1"},
			{"praise", told("[Total Net] is a very important metric for strategic decisions."), "# 1"},
			{"process", told("[Total Net] is validated by the data team and refreshed daily."), "# 1"},
			{"no sense", told("The purple elephant dances with [Total Net] and seven bicycles in the moonlight."), "# 1"},
			{"about no field", told("Be polite and answer in short sentences."), "# 1"},
			{"of the default culture", model(table("Sales", measure("Net", "1")), inCulture("de-DE"), custom("de-DE", &some), custom("aa-AA", &blank)), "# 0"},
			{"none in the default culture", model(table("Sales", measure("Net", "1")), inCulture("de-DE"), custom("en-US", &blank), custom("de-DE", nil), custom("aa-AA", &some)), "# 0"},
		},
		"INS-02": {
			{"one statement", told("Umsatz means [Total Net]"), "# 0.6667"},
			{"two", told("Umsatz means [Total Net]\nUmsatz ist ohne Steuer: [Total Net]"), "# 0.3333"},
			{"three", told(three), "# 0"},
			{"three among as many others", told(three + "\nBe polite.\nBe short.\nBe kind."), "# 0"},
			{"three among more others", told(three + "\nBe polite.\nBe short.\nBe kind.\nBe good."), "# 0.5"},
			{"10,000 runes", told(three + strings.Repeat("é", 10_000-len(three))), "# 0"},
			{"10,001 runes", told(three + strings.Repeat("é", 10_001-len(three))), "# 1"},
		},
		"INS-03": {
			{"no reference", told("Use net sales."), "# 1"},
			{"all resolve", told("Use [Total Net], 'sales'[ net ] and Sales[TOTAL NET] without tax; 'My Date'[Day]; [Hidden]."), "# 0"},
			{"only names", told("[Total Net] 'Sales'[Net]"), "# 1"},
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
			{"an apostrophe before", told("don't use 'Sales'[Net] for invoices without tax"), "# 0"},
			{"in a dropped table", model(table("S", text1("a"), privateTable), instructed("S[a] [a]")), "# 1"},
		},
		"INS-04": {
			{"nothing", told("Sales."), "# 1"},
			{"time", told("Total Net is by fiscal year, without tax."), "# 0.75"},
			{"time in German", told("Total Net zählt je Geschäftsjahr, ohne Steuer."), "# 0.75"},
			{"time in Portuguese", told("Total Net é por trimestre, sem impostos."), "# 0.75"},
			{"part of a word", told("Total Net is yearly, without tax."), "# 1"},
			{"which measure", told("Prefer the [Total Net] to amounts before discounts"), "# 0.75"},
			{"which measure, on another line", told("use the\nmeasure"), "# 1"},
			{"terms", told("GM stands for [Total Net]"), "# 0.75"},
			{"defaults", told("Total Net is without tax, unless the customer is a branch"), "# 0.75"},
			{"in lines that name no field", told("Prefer polite words. Nice means good, by default, always."), "# 1"},
			{"everything", told("The fiscal year begins in April.\nUse the [Total Net] for revenue of customers.\nGM means [Total Net], by default."), "# 0"},
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
		},
		"INS-06": {
			{"absent", model(table("Periods", group("YTD"), text1("a"))), "Periods 1"},
			{"named under norm", model(table("Time  Periods", group(), text1("a")), instructed("use\nTIME\nperiods")), "Time  Periods 0"},
			{"not named", model(table("Periods", group(), text1("a")), instructed("use period")), "Periods 1"},
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
		"INS-14": {
			{"none", model(), ""},
			{"a chart", model(answer(semanticmodel.VerifiedAnswer{VisualType: "lineChart", Filters: 3})), "a 0"},
			{"no type", model(answer(semanticmodel.VerifiedAnswer{})), "a 0"},
			{"a card", model(answer(semanticmodel.VerifiedAnswer{VisualType: "card"})), "a 0"},
			{"a new card", model(answer(semanticmodel.VerifiedAnswer{VisualType: "cardVisual"})), "a 1"},
			{"influencers", model(answer(semanticmodel.VerifiedAnswer{VisualType: "keyDriversVisual"})), "a 1"},
			{"a custom visual", model(answer(semanticmodel.VerifiedAnswer{VisualType: "ChicletSlicer1448559807354"})), "a 1"},
			{"one of an organization", model(answer(semanticmodel.VerifiedAnswer{VisualType: "PBI_CV_x"})), "a 1"},
			{"4 filters", model(answer(semanticmodel.VerifiedAnswer{Filters: 4})), "a 1"},
			{"a field parameter", model(table("Show", text1("Show", parameter), dataTable("{1}")), table("S", text1("a")), answered("x", nil, "Show[show]"),
				answered("y", nil, "S[a]")), "x 1, y 0"},
		},
		"INS-09": {
			{"none", model(), ""},
			{"no fields", model(answered("a", nil)), "a 0"},
			{"exposed, names under norm", model(table("Sales", text1("Net")), answered("a", nil, " sales[NET ]")), "a 0"},
			{"missing", model(table("Sales", text1("Net")), answered("a", nil, "Sales[Net]", "Sales[Gross]")), "a 1"},
		},
	})
}

// text1 is text, for tests with a parameter named text.
func text1(name string, options ...columnOption) semanticmodel.Column { return text(name, options...) }
