package readiness_test

import (
	"strings"
	"testing"

	"readiness/definition/semanticmodel"
)

func TestTimeRules(t *testing.T) {
	t.Parallel()
	time := tableCategory("time")
	// dates returns a fact table and a date table with the name, with parts.
	// beside adds a marked date table, without which TIM-01 alone judges.
	beside := func(m *semanticmodel.Model) *semanticmodel.Model {
		m.Tables = append(m.Tables, table("Marked", time, date("Day", key), hiddenTable))
		return m
	}
	dates := func(name string, parts ...any) *semanticmodel.Model {
		return model(
			table("Sales", whole("D")), table(name, append([]any{whole("Id"), date("Day")}, parts...)...),
			related("Sales[D] -> "+name+"[Id]"),
		)
	}
	calls := func(expression string) *semanticmodel.Model {
		return model(table("S", date("d"), measure("m", expression)))
	}
	all := strings.Split("TOTALYTD,TOTALQTD,TOTALMTD,DATESYTD,DATESQTD,DATESMTD,SAMEPERIODLASTYEAR,DATEADD,PARALLELPERIOD,DATESINPERIOD,PREVIOUSYEAR,PREVIOUSMONTH", ",")
	intelligence := []row{
		{"no measure", model(table("S", date("d"), measure("m", "1", hiddenMeasure))), ""},
		{"none", calls("SUM(S[d]) + TOTALYTD"), "# 1"},
		{"with space", calls("1 + totalYTD /* */ (S[d])"), "# 0"},
		{"in a comment", calls("1 -- TOTALYTD(x)"), "# 1"},
		{"in a string", calls(`"TOTALYTD(x)"`), "# 1"},
		{"another function", calls("CALENDAR(S[d])"), "# 1"},
		{"by weeks", calls("TOTALWTD([x], 'Fiscal Calendar')"), "# 0"},
		{"by a function", model(table("S", date("d"), measure("m", "Ago(1)")), function("AGO", "(x) => NEXTMONTH(S[d])")), "# 0"},
		{"by a function that nothing calls", model(table("S", date("d"), measure("m", "1")), function("Ago", "(x) => NEXTMONTH(S[d])")), "# 1"},
		{"by a hidden measure", model(table("S", date("d"), measure("m", "1"), measure("n", "DATEADD(S[d])", hiddenMeasure))), "# 0"},
		{"by a calculation item", model(table("S", date("d"), measure("m", "1")), table("G", items("DATEADD(S[d])"))), "# 0"},
		{"no dateTime column", model(table("S", measure("m", "1"))), ""},
		{"a hidden dateTime column", model(table("S", date("d", hidden), measure("m", "1"))), "# 1"},
		{"a dropped dateTime column", model(table("S", measure("m", "1")), table("LocalDateTable_", date("d"))), ""},
	}
	for _, function := range all {
		intelligence = append(intelligence, row{function, calls(function + "(x)"), "# 0"})
	}
	rules(t, map[string][]row{
		"TIM-01": {
			{"marked", model(table("D", time, date("Day", key))), "# 0"},
			{"marked, hidden", model(table("D", tableCategory("TIME"), hiddenTable, date("Day", key))), "# 0"},
			{"marked, the key no dateTime", model(table("D", time, whole("Day", key), date("Date"))), "# 0.5"},
			{"a key, not marked", model(table("D", date("Day", key))), "# 1"},
			{"by name", dates("Calendar"), "# 0.5"},
			{"by name, but no dimension", model(table("Calendar", date("Day"))), "# 1"},
			{"by name, but no dateTime", model(table("Sales", whole("D"), date("x")), table("Date", whole("Id")), related("Sales[D] -> Date[Id]")), "# 1"},
			{"no dateTime column", model(table("D", time, whole("Day", key))), ""},
		},
		"TIM-02": {
			{"no marked one", dates("Order Date"), ""},
			{"date", beside(dates("Order Date")), "Order Date 0.3"},
			{"dates", beside(dates("OrderDates")), "OrderDates 0.3"},
			{"calendar, hidden dateTime", beside(model(table("Sales", whole("D")), table("calendar", whole("Id"), date("Day", hidden)), related("Sales[D] -> calendar[Id]"))), "calendar 0.3"},
			{"marked", beside(dates("Date", tableCategory("Time"))), "Date 0"},
			{"marked, of another name", dates("Days", tableCategory("Time")), ""},
			{"part of a word", beside(dates("Updates")), ""},
			{"hidden", beside(dates("Date", hiddenTable)), ""},
			{"inactive", model(table("Sales", whole("D")), table("Date", whole("Id"), date("Day")), related("Sales[D] -> Date[Id]", "inactive")), ""},
		},
		"TIM-03": {
			{"none", model(table("S", date("d"))), "# 0"},
			{"one", model(table("S", date("d")), table("LocalDateTable_1")), "# 1"},
			{"a template", model(table("S", date("d")), table("DateTableTemplate_1")), "# 1"},
			{"by annotation, private", model(table("S", date("d")), table("x", annotated("__PBI_TemplateDateTable"), privateTable)), "# 1"},
			{"private only", model(table("S", date("d")), table("x", privateTable)), "# 0"},
		},
		"TIM-04": {
			{"related", dates("Date"), "Sales 0"},
			{"hidden facts and dates", model(table("Sales", whole("D"), hiddenTable), table("Date", whole("Id"), date("Day"), hiddenTable), related("Sales[D] -> Date[Id]")), "Sales 0"},
			{"inactive", model(table("Sales", whole("D"), whole("P")), table("D", time, whole("Id"), date("Day")), table("P", whole("Id")), related("Sales[D] -> D[Id]", "inactive"), related("Sales[P] -> P[Id]")), "Sales 1"},
			{"no fact", model(table("Sales", date("d"))), ""},
		},
		"TIM-05": {
			{"none", dates("Date"), "Date 1"},
			{"one level", dates("Date", hierarchy("h", "Day")), "Date 1"},
			{"two levels", dates("Date", hierarchy("h", "Id", "Day")), "Date 0"},
			{"hidden", dates("Date", semanticmodel.Hierarchy{Name: "h", IsHidden: true, Levels: hierarchy("h", "Id", "Day").Levels}), "Date 0"},
			{"marked without a name", model(table("D", time, date("Day"))), "D 1"},
			{"a hidden table", dates("Date", hiddenTable), ""},
			{"another table", model(table("S", date("d"))), ""},
		},
		"TIM-06": intelligence,
	})
}
