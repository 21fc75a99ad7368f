package readiness_test

import (
	"strings"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

func TestFurtherTimeRules(t *testing.T) {
	t.Parallel()
	const none = "" // of a rule that does not apply
	star := func(parts ...any) *semanticmodel.Model {
		return model(append([]any{table("D", date("On"), whole("Year")), table("S", whole("Dim"), date("Sold"), text("Note")), table("P",
			whole("Id"), text("Title")), related("S[Dim] -> P[Id]")}, parts...)...)
	}
	rules(t, map[string][]row{
		"TIM-01": {
			{"no dateTime column", model(table("Date", text("a"))), none},
			{"no date table", model(table("S", date("a"))), "# 1"},
			{"marked, with a key", model(table("D", tableCategory("Time"), date("a", key))), "# 0"},
			{"marked, without a key", model(table("D", tableCategory("Time"), date("a"))), "# 0.5"},
			{"with a calendar", model(table("D", calendar("Fiscal"), date("a"))), "# 0"},
			{"unmarked", model(table("D", calculatedFrom("CALENDARAUTO()"), date("a"))), "# 0.5"},
			{"a name without a relationship", model(table("Order Dates", date("a"), whole("Fiscal No"))), "# 0.5"},
			{"joined by its date", model(table("Date", date("a"), text("b")), table("S", date("a")), related("S[a] -> Date[a]")), "# 0"},
			{"joined by its date, in Portuguese", model(table("dCalendario", date("Data"), text("Mês"), text("Região")), table("S", date("a")), related("S[a] -> dCalendario[Data]")), "# 0"},
			{"parts of dates in German", model(table("Tage", date("Tag"), whole("Jahr"), text("Monatsname")), table("S", date("a")), related("S[a] -> Tage[Tag]")), "# 0"},
			{"no parts of dates", model(table("Tage", date("Tag"), text("Notiz")), table("S", date("a")), related("S[a] -> Tage[Tag]")), "# 1"},
			{"joined by its date and another column", model(table("Date", date("a"), whole("k")), table("S", date("a"), whole("k")), table("T", whole("k")),
				related("S[a] -> Date[a]"), related("T[k] -> Date[k]")), "# 0.5"},
			{"joined by its date, inactive", model(table("Date", date("a"), text("Day")), table("S", date("a")), related("S[a] -> Date[a]", "inactive")), "# 0.5"},
			{"a name and one column", model(table("Order Dates", date("Date"))), "# 1"},
			{"a name and another column of dates", model(table("Order Dates", date("a"), date("b Date"))), "# 0.5"},
			{"a name and a column of something else", model(table("Order Dates", date("Date"), text("Note"))), "# 1"},
			{"a name and a date of something else", model(table("Order Dates", date("a Date"), date("b"))), "# 0.5"},
			{"a name and dates of something else", model(table("Order Dates", date("a"), date("b"))), "# 1"},
			{"a name and a hidden column", model(table("Order Dates", date("Date", hidden), text("Wk", hidden))), "# 0.5"},
			{"each word", model(table("Dates A", date("a"), text("dow")), table("S", date("b"))), "# 0.5"},
			{"a name without a date", model(table("Order Dates", text("a")), table("S", date("a"))), "# 0.6"},
			{"a name of a utility table", model(table("Calendar", date("a", hidden), measure("m", "1"))), "# 1"},
			{"a hidden table", model(table("Calendar", date("a"), text("Day"), hiddenTable), table("S", text("a"))), "# 0.5"},
		},
		"TIM-02": {
			{"by name", model(table("Date", date("a"), text("b")), table("S", date("a")), related("S[a] -> Date[a]"), table("M", calendar("c"), date("a"))), "Date 0.3"},
			{"by name, with a calendar", model(table("Date", calendar("c"), date("a"), text("b")), table("S", date("a")), related("S[a] -> Date[a]")), "Date 0"},
			{"by content", model(table("D", calculatedFrom("CALENDARAUTO()"), date("a"))), none},
			{"joined by its date", model(table("Date", date("a"), text("b")), table("S", date("a")), related("S[a] -> Date[a]")), "Date 0.3"},
		},
		"TIM-04": {
			{"no date table", model(table("S", date("a"), whole("b")), table("P", whole("b")), related("S[b] -> P[b]")), none},
			{"joined", star(related("S[Sold] -> D[On]")), "S 0"},
			{"joined by an inactive relationship", star(related("S[Sold] -> D[On]", "inactive"), table("X", tableCategory("Time"))), "S 1"},
			{"with a date", star(table("X", tableCategory("Time"))), "S 1"},
			{"with a hidden date", model(table("D", tableCategory("Time"), date("x")), table("S", whole("k"), date("Sold", hidden), text("n")),
				table("P", whole("k"), text("n")), related("S[k] -> P[k]")), none},
			{"with a date of loading", model(table("D", tableCategory("Time"), date("x")), table("S", whole("k"), date("Load Date"), text("n")),
				table("P", whole("k"), text("n")), related("S[k] -> P[k]")), none},
			{"with a date of a change", model(table("D", tableCategory("Time"), date("x")), table("S", whole("k"), date("Modified"),
				date("Last Changed Date"), date("Updated"), date("Refreshed"), date("Loaded"), text("n")), table("P", whole("k"), text("n")),
				related("S[k] -> P[k]")), none},
			{"with a date of a change, joined by an inactive relationship", model(table("D", tableCategory("Time"), date("x")), table("S",
				whole("k"), date("Modified"), text("n")), table("P", whole("k"), text("n")), related("S[k] -> P[k]"),
				related("S[Modified] -> D[x]", "inactive")), "S 1"},
			{"without a date, joined by an inactive relationship", model(table("D", tableCategory("Time"), date("x")), table("S", whole("k"),
				whole("d"), text("n")), table("P", whole("k"), text("n")), related("S[k] -> P[k]"), related("S[d] -> D[x]", "inactive")), "S 1"},
		},
		"TIM-06": {
			{"last year by a filter", model(table("Date", date("d"), whole("Year")), table("S", amount("x"), measure("m", "CALCULATE(SUM(S[x]), FILTER(ALL('Date'), 'Date'[Year] = MAX('Date'[Year]) - 1))"))), "# 0"},
			{"last year by a variable", model(table("Date", date("d"), whole("Year")), table("S", amount("x"), measure("m", "VAR y = SELECTEDVALUE('Date'[Year]) RETURN CALCULATE(SUM(S[x]), 'Date'[Year] = y - 1)"))), "# 0"},
			{"another difference", model(table("Date", date("d"), whole("Year")), table("S", amount("x"), measure("m", "MAX(S[x]) - MIN(S[x])"), measure("n", "VAR y = 3 RETURN y - MAX('Date'[Year])"))), "# 1"},
			{"a sum", model(table("Date", date("d"), whole("Year")), table("S", amount("x"), measure("m", "SUM(S[x]) - 1"), measure("n", "1 +"))), "# 1"},
		},
		"TIM-05": {{"by content", model(table("D", calculatedFrom("CALENDARAUTO()"), date("a"))), "D 1"}},
	})
	severities(t, map[string][]row{"TIM-01": {
		{"nothing", model(table("S", date("a"))), "# 1 high"},
		{"one table with one part of a date", model(table("S", date("a"), whole("Year"))), "# 1 high"},
		{"one table with two parts", model(table("S", date("a"), whole("Year"), text("Month Name"))), "# 0.6 medium"},
		{"one table with two parts and one of measures", model(table("S", date("a"), whole("b Year"), text("Month Name")), table("M", measure("m", "1"))), "# 0.6 medium"},
		{"tables apart", model(table("S", date("a"), whole("k")), table("P", whole("k")), related("S[k] -> P[k]", "inactive")), "# 0.6 medium"},
		{"tables together", model(table("S", date("a"), whole("k"), whole("Year"), whole("Month")), table("P", whole("k")), related("S[k] -> P[k]")), "# 1 high"},
		{"joined by a number, without periods", model(table("Date", whole("k"), date("a")), table("S", whole("k"), measure("m", "SUM(S[k])")), related("S[k] -> Date[k]")), "# 0.5 medium"},
		{"joined by a number, with periods", model(table("Date", whole("k"), date("a")), table("S", whole("k"), measure("m", "TOTALYTD(SUM(S[k]), 'Date'[a])")), related("S[k] -> Date[k]")), "# 0.5 high"},
		{"a table to mark", model(table("Days", calculatedFrom("CALENDARAUTO()"), date("a")), table("P", whole("k"))), "# 0.5 medium"},
		{"what looks like a calendar", model(table("S", whole("k")), table("dim_dt", whole("k"), date("dt"), whole("yr"), whole("mth")),
			related("S[k] -> dim_dt[k]")), "# 1 medium"},
	}})
	for name, tt := range map[string]struct {
		model *semanticmodel.Model
		want  string
	}{
		"nothing":           {model(table("S", date("a"))), "add a date table"},
		"an unmarked table": {model(table("Days", calculatedFrom("CALENDARAUTO()"), date("b"), date("a"))), "mark 'Days' as the date table, with 'Days'[a] as its key"},
		"an unmarked table that is joined": {model(table("Days", calculatedFrom("CALENDARAUTO()"), date("b"), date("a"), whole("k")), table("S", date("d"), whole("k")),
			related("S[d] -> Days[b]"), related("S[k] -> Days[k]")), "mark 'Days' as the date table, with 'Days'[b] as its key"},
		"a marked table without a date": {model(table("Days", tableCategory("Time"), whole("k")), table("S", date("d"))),
			"mark 'Days' as the date table, with a dateTime column as its key"},
		"dates to join": {model(table("S", date("a"), date("Load Date"), date("h", hidden)), table("P", date("b"))),
			"add a date table with a row for each day, mark it as one and join the facts to it by 'P'[b], 'S'[a]"},
		"dates of births, loads and changes": {model(table("Patients", date("Birthdate")), table("Bestellung", date("Bestelldatum"), date("Geburtsdatum"), date("Ladezeitpunkt"),
			date("Geändert am"), date("Erstellt am")), table("Pedidos", date("Data do Pedido"), date("Data de Nascimento"), date("dt_carga"), date("Data de Atualização")),
			table("Ventes", date("Date de chargement"), date("Date de naissance")), table("Regels", date("Laaddatum"), date("Geboortedatum")),
			table("Events", date("Modified On"), date("DOB"), date("Sync Timestamp"), date("Snapshot Time"), date("Run Time"), date("Row Created At"), date("Snapshot Date"))),
			"add a date table with a row for each day, mark it as one and join the facts to it by 'Bestellung'[Bestelldatum], 'Events'[Snapshot Date], 'Pedidos'[Data do Pedido]."},
		"only dates of births": {model(table("Patients", date("Birthdate"))), "add a date table with a row for each day, mark it as one and join the facts to it."},
		"the creation of rows": {model(table("S", date("created_at"), date("synced_at")), table("T", date("Created On"), date("Sold On"))),
			"add a date table with a row for each day, mark it as one and join the facts to it by 'S'[created_at], 'T'[Sold On]."},
		"dates of dimensions beside facts'": {model(table("S", whole("k"), date("Sold")), table("P", whole("k"), date("Launched")), related("S[k] -> P[k]")),
			"add a date table with a row for each day, mark it as one and join the facts to it by 'S'[Sold]."},
		"dates of dimensions": {model(table("Line", whole("k")), table("Order", whole("k"), date("Ordered"), date("Hire Date")), related("Line[k] -> Order[k]")),
			"add a date table with a row for each day, mark it as one and join the facts to it by 'Order'[Ordered]."},
		"6 dates to join": {model(table("S", date("a"), date("b"), date("c"), date("d"), date("e"), date("f"))),
			"add a date table with a row for each day, mark it as one and join the facts to it by 'S'[a], 'S'[b], 'S'[c], 'S'[d], 'S'[e] and 1 more"},
		"an unjoined table": {model(table("Dates", date("b"), date("a"), whole("Year"))),
			"join 'Dates' by 'Dates'[a] and mark it as the date table, with this column as its key"},
		"the second date":  {model(table("Dates", date("a Year"), date("b"))), "join 'Dates' by 'Dates'[b]"},
		"the first of two": {model(table("Dates", date("a Year"), date("b"), text("Week"))), "join 'Dates' by 'Dates'[a Year]"},
		"a dimension that looks like a calendar": {model(table("S", whole("k")), table("dim_dt", whole("k"), date("dt"), whole("yr"), whole("mth")),
			related("S[k] -> dim_dt[k]")), "mark 'dim_dt' as the date table, with 'dim_dt'[dt] as its key, if it has a row for each day; else add one"},
		"a dimension with one part of a date": {model(table("S", whole("k")), table("dim_dt", whole("k"), date("dt"), whole("yr"), whole("m")),
			related("S[k] -> dim_dt[k]")), "add a date table"},
		"a dimension of orders": {model(table("S", text("k")), table("Order", text("k"), date("Load Timestamp"), date("Order Date"), amount("Amount"), whole("Year")),
			related("S[k] -> Order[k]")), "add a date table"},
		"people with birth dates": {model(table("S", text("k")), table("Person", text("k"), date("Birth Date"), whole("Birth Year"), text("Birth Month")),
			related("S[k] -> Person[k]")), "add a date table"},
		"what looks like a calendar and is no dimension": {model(table("dim_dt", date("dt"), whole("yr"), whole("mth"))), "add a date table"},
		"the second of two": {model(table("Calendar", date("a")), table("Dates", date("a"), whole("Year"))), "join 'Dates' by 'Dates'[a]"},
	} {
		if got := readiness.Current().Judge(tt.model, readiness.Options{}, false, "TIM-01")[0].Message; !strings.HasPrefix(got+".", tt.want) { // a full stop says that nothing follows
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestUndatedFacts(t *testing.T) {
	t.Parallel()
	// fact returns a fact next to a table of days, which is a date table.
	fact := func(days semanticmodel.Table, columns []any, parts ...any) *semanticmodel.Model {
		return model(append([]any{days, table("S", append([]any{whole("k"), text("n")}, columns...)...), table("P", whole("k"), text("n")),
			related("S[k] -> P[k]")}, parts...)...)
	}
	sold := []any{date("Sold")}
	many := []any{date("a"), date("b"), date("c"), date("d"), date("e"), date("f"), date("Load Date"), date("Modified"), date("h", hidden)}
	time := tableCategory("Time")
	severities(t, map[string][]row{"TIM-04": {{"with a date", fact(table("D", time, date("x")), sold), "S 1 low"}}})
	ruleMessages(t, map[string][]row{"TIM-04": {
		{"one date", fact(table("D", time, date("x")), sold), "join it to 'D'[x] by an active relationship from [Sold]"},
		{"6 dates", fact(table("D", time, date("x")), many),
			"join it to 'D'[x] by an active relationship from one of [a], [b], [c], [d], [e] and 1 more"},
		{"no date", fact(table("D", time, date("x")), []any{whole("day")}, related("S[day] -> D[x]", "inactive")),
			"join it to 'D'[x] by an active relationship"},
		{"the first date of the date table", fact(table("D", time, date("y"), date("x"), text("a")), sold),
			"join it to 'D'[x] by an active relationship from [Sold]"},
		{"its key", fact(table("D", time, date("x"), whole("Day Key", key), whole("z", key)), sold),
			"join it to 'D'[Day Key] by an active relationship from [Sold]"},
		{"its joined date", fact(table("D", time, whole("Day Key", key), date("w"), date("x"), text("z")), sold, table("R", date("r")),
			related("R[r] -> D[x]")), "join it to 'D'[x] by an active relationship from [Sold]"},
		{"its joined date, one to one", fact(table("D", time, whole("Day Key", key), date("x"), text("z")), sold, table("R", date("r")),
			related("R[r] -> D[x]", "oneToOne")), "join it to 'D'[x] by an active relationship from [Sold]"},
		{"its date joined by an inactive relationship", fact(table("D", time, whole("Day Key", key), date("x"), text("z")), sold, table("R",
			date("r")), related("R[r] -> D[x]", "inactive")), "join it to 'D'[Day Key] by an active relationship from [Sold]"},
		{"no column", fact(table("D", time), sold), "join it to 'D' by an active relationship from [Sold]"},
	}})
}

func TestFurtherSynonymRules(t *testing.T) {
	t.Parallel()
	star := func(parts ...any) *semanticmodel.Model {
		return model(append([]any{
			table("S", whole("k"), measure("Net", "1")),
			table("P", whole("k", key), text("Title"), text("Color"), text("Label", defaultLabel), text("Level"), text("Shelf"), hierarchy("h",
				"level")),
			related("S[k] -> P[k]"),
		}, parts...)...)
	}
	used := readiness.Options{Usage: map[string]map[string]int64{"p": {"COLOR": 1, "Title": 0}}}
	for _, id := range []string{"SYN-01", "SYN-02"} {
		if got, want := found(t, readiness.Current().Judge(star(), used, false,
			id)), "P[Color] 1, P[Label] 1, P[Level] 1, S[Net] 1"; got != want {
			t.Errorf("%s with usage: got %q, want %q", id, got, want)
		}
		if got, want := found(t, readiness.Current().Judge(star(), noOptions, false,
			id)), "P[Color] 1, P[Label] 1, P[Level] 1, P[Shelf] 1, P[Title] 1, S[Net] 1"; got != want {
			t.Errorf("%s without usage: got %q, want %q", id, got, want)
		}
	}
	// A hierarchy that is not in X makes no level.
	m := star(schema("P[h] Hidden", "P[Color] Visible"))
	if got, want := found(t, readiness.Current().Judge(m, used, false, "SYN-01")), "P[Color] 1, P[Label] 1, S[Net] 1"; got != want {
		t.Errorf("a hidden hierarchy: got %q, want %q", got, want)
	}
	// The unweighted companion has the old set.
	m = star(synonyms("P[Color]", "Authored", "hue"), synonyms("P[Label]", "Authored", "brand"), synonyms("P[Level]", "Authored", "tier"),
		synonyms("S[Net]", "Authored", "turnover"))
	current := readiness.Current()
	r, plain := current.Assess(m, used), current.Assess(m, noOptions)
	if got := ruleOf(t, r, "SYN-01"); got.Eligible != 4 || got.Failing != 0 || *got.Score != 1 {
		t.Errorf("SYN-01: got %+v", got)
	}
	if *r.Unweighted.RawUncapped != *plain.RawUncapped {
		t.Errorf("unweighted: got %v, want %v", *r.Unweighted.RawUncapped, *plain.RawUncapped)
	}
	// Severities: low with SYN-01, medium for a collision only.
	m = star(synonyms("P[Color]", "Authored", "title"), synonyms("P[Label]", "Authored", "brand"))
	ignored := readiness.Options{Ignore: func(id string, k finding.Key) bool { return id == "SYN-01" && k.ObjectName == "Level" }}
	r = current.Assess(m, ignored)
	for object, want := range map[string]struct {
		rules    string
		severity finding.Severity
	}{"P[Color]": {"SYN-02", finding.Medium}, "P[Title]": {"SYN-01 SYN-02", finding.Low}, "P[Level]": {"SYN-02", finding.Low}} {
		f := findingOf(r, "synonyms", object)
		if f == nil || f.Severity != want.severity || strings.Join(f.RuleIDs, " ") != want.rules {
			t.Errorf("%s: got %+v, want %v", object, f, want)
		}
	}
}
