package normalform_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"readiness/definition/dax/evaluate"
	"readiness/definition/semanticmodel"
	"readiness/domain/verdict/normalform"
)

// rowsOfShop are random rows of the shop: keys without a partner, and blanks.
func rowsOfShop(t *rapid.T) []evaluate.Data {
	number := func(x int) evaluate.Value { return evaluate.OfNumber(float64(x)) }
	text := evaluate.OfText
	day := func(n int) evaluate.Value { return evaluate.OfTime(time.Date(2024, 1, 1+n, 0, 0, 0, 0, time.UTC)) }
	var blank evaluate.Value
	columns := map[string]map[string][]evaluate.Value{}
	add := func(table string, row map[string]evaluate.Value) {
		if columns[table] == nil {
			columns[table] = map[string][]evaluate.Value{}
		}
		for name, v := range row {
			columns[table][name] = append(columns[table][name], v)
		}
	}
	categories, colors := []string{"A", "B", "C"}, []string{"Red", "Blue", "Green"}
	for i := range 5 {
		color := text(rapid.SampledFrom(colors).Draw(t, "color"))
		if rapid.IntRange(0, 9).Draw(t, "colorless") == 0 {
			color = blank
		}
		add("Product", map[string]evaluate.Value{"ProductKey": number(i), "Product": text(fmt.Sprint("P", i)), "Color": color,
			"Category": text(rapid.SampledFrom(categories).Draw(t, "category")), "Cost": number(i)})
	}
	for i := range 3 {
		add("Store", map[string]evaluate.Value{"StoreKey": number(i), "City": text([]string{"Bern", "Basel", "Bern"}[i]), "Open": evaluate.OfBoolean(i > 0)})
		add("Budget", map[string]evaluate.Value{"Plan": number(10 * i), "City": text("Bern")})
	}
	const days = 800 // to the March of the third year
	for i := range days {
		d := time.Date(2024, 1, 1+i, 0, 0, 0, 0, time.UTC)
		month := int(d.Month())
		add("Date", map[string]evaluate.Value{"Date": day(i), "Year": number(d.Year()), "Month Number": number(month), "Month": text(d.Month().String()),
			"Quarter": number((month + 2) / 3), "Year Month": number(100*d.Year() + month), "Month Year": text(d.Format("January 2006")), "Weekday": text(d.Weekday().String())})
	}
	for range rapid.IntRange(0, 12).Draw(t, "sales") {
		quantity := number(rapid.IntRange(-1, 6).Draw(t, "quantity"))
		if rapid.IntRange(0, 9).Draw(t, "uncounted") == 0 {
			quantity = blank
		}
		n := rapid.SampledFrom([]int{0, 30, 59, 90, 180, 364, 365, 366, 400, 500, 730, 731, 799}).Draw(t, "day")
		add("Sales", map[string]evaluate.Value{"ProductKey": number(rapid.IntRange(0, 5).Draw(t, "product")), "StoreKey": number(rapid.IntRange(0, 3).Draw(t, "store")),
			"Day": day(n), "Shipped": day(min(n+7, days-1)), "Quantity": quantity, "Amount": number(rapid.IntRange(0, 5).Draw(t, "amount")),
			"Channel": text(rapid.SampledFrom([]string{"Web", "Shop"}).Draw(t, "channel"))})
	}
	var all []evaluate.Data
	for table, byName := range columns {
		d := evaluate.Data{Table: table}
		for name, values := range byName {
			d.Columns = append(d.Columns, evaluate.DataColumn{Name: name, Values: values})
		}
		all = append(all, d)
	}
	return all
}

var (
	randomFilters = []string{`Product[Color] = "Red"`, `Product[Color] <> "Red"`, `Product[Color] IN { "Red", "Blue" }`, `NOT Product[Color] IN { "Green" }`,
		`Product[Category] = "A"`, `FILTER(ALL(Product[Color]), Product[Color] = "Red" || Product[Color] = "Blue")`, `KEEPFILTERS(Product[Category] = "A")`,
		`FILTER(Product, Product[Color] = "Red")`, `TREATAS({ "Red" }, Product[Color])`, `Store[City] = "Bern"`, `Store[Open]`, `Store[Open] = TRUE()`,
		`Sales[Channel] = "Web"`, `FILTER(Sales, Sales[Channel] = "Web")`, `Sales[Quantity] > 2`, `Sales[Quantity] >= 3`, `NOT(Sales[Quantity] < 3)`,
		`Sales[Quantity] = 0`, `Sales[Quantity] IN { 0 }`, `Product[ProductKey] = 2`, `Sales[ProductKey] = 2`, `'Date'[Year] = 2024`, `'Date'[Year] = 2025`,
		`'Date'[Date] >= DATE(2024, 1, 1) && 'Date'[Date] < DATE(2025, 1, 1)`, `DATESBETWEEN('Date'[Date], DATE(2024, 1, 1), DATE(2024, 12, 31))`,
		`YEAR('Date'[Date]) = 2024`, `'Date'[Date] <= DATE(2024, 6, 30)`, `DATESBETWEEN('Date'[Date], BLANK(), DATE(2024, 6, 30))`, `'Date'[Quarter] = 1`,
		`'Date'[Month Number] <= 3`, `'Date'[Month] IN { "January", "February", "March" }`, `'Date'[Year Month] = 202403`, `'Date'[Month Year] = "March 2024"`,
		`'Date'[Year Month] >= 202401, 'Date'[Year Month] <= 202412`, `VALUES(Product[Color])`}
	randomValues = []string{`[Revenue]`, `SUM(Sales[Amount])`, `SUMX(Sales, Sales[Amount])`, `[Units]`, `[Lines]`, `COUNTROWS(Sales)`, `[Price]`, `[Red Revenue]`,
		`DIVIDE([Revenue], [Units])`, `[Revenue LY]`, `[Revenue YTD]`, `CALCULATE([Revenue], DATESYTD('Date'[Date]))`, `[Share]`, `[Padded]`, `SUM(Sales[Amount]) + 0`,
		`CALCULATE([Revenue], ALL(Product))`, `CALCULATE([Revenue], DATEADD('Date'[Date], -12, MONTH))`, `SUMX(FILTER(Sales, Sales[Quantity] > 2), Sales[Amount])`,
		`[Buyers]`, `COUNTROWS(DISTINCT(Sales[StoreKey]))`, `DISTINCTCOUNT(Product[Color])`, `COUNTROWS(DISTINCT(Product[Color]))`, `COUNTROWS(FILTER(Sales, Sales[Channel] = "Web"))`, `[Plan Total]`, `AVERAGE(Sales[Amount])`}
	randomGroups = []string{"", `Product[Category]`, `Product[Color]`, `Store[City]`, `'Date'[Year]`, `'Date'[Month]`, `'Date'[Month], 'Date'[Month Number]`, `Product[Category], Store[City]`, `Sales[Channel]`}
)

// randomQuery is a query of one of the forms, with one of few values and filters, so that equal ones are met.
func randomQuery(t *rapid.T, groups, value, filter, second string) string {
	inValue := "CALCULATE(" + value + ", " + filter + ")"
	if second != "" {
		filter += ", " + second
		inValue = "CALCULATE(" + inValue + ", " + second + ")"
	}
	list := groups
	if list != "" {
		list += ", "
	}
	forms := []string{
		`CALCULATETABLE(SUMMARIZECOLUMNS(` + list + `"v", ` + value + `), ` + filter + `)`,
		`SUMMARIZECOLUMNS(` + list + `"v", ` + inValue + `)`,
		`SUMMARIZECOLUMNS(` + list + `"v", CALCULATE(` + value + `, ` + filter + `))`,
		`FILTER(CALCULATETABLE(SUMMARIZECOLUMNS(` + list + `"v", ` + value + `), ` + filter + `), NOT ISBLANK([v]))`,
		`FILTER(CALCULATETABLE(SUMMARIZECOLUMNS(` + list + `"v", ` + value + `), ` + filter + `), [v] > 2)`,
		`FILTER(CALCULATETABLE(SUMMARIZECOLUMNS(` + list + `"v", ` + value + `), ` + filter + `), 2 < [v])`,
		`VAR f = ` + value + ` RETURN SUMMARIZECOLUMNS(` + list + `"v", CALCULATE(f, ` + filter + `))`,
	}
	if strings.HasPrefix(filter, "FILTER") || strings.HasPrefix(filter, "TREATAS") || strings.HasPrefix(filter, "DATESBETWEEN") || strings.HasPrefix(filter, "VALUES") {
		forms = append(forms, `SUMMARIZECOLUMNS(`+list+filter+`, "v", `+value+`)`)
	}
	switch {
	case groups == "":
		forms = append(forms, `ROW("v", `+inValue+`)`, `CALCULATETABLE({ `+value+` }, `+filter+`)`, `{ CALCULATE(`+value+`, `+filter+`) }`)
	case !strings.Contains(groups, ","):
		forms = append(forms, `CALCULATETABLE(ADDCOLUMNS(VALUES(`+groups+`), "v", `+value+`), `+filter+`)`, `ADDCOLUMNS(VALUES(`+groups+`), "v", `+inValue+`)`,
			`ADDCOLUMNS(DISTINCT(`+groups+`), "v", CALCULATE(`+value+`, `+filter+`))`, `CALCULATETABLE(SUMMARIZE(Sales, `+groups+`, "v", `+value+`), `+filter+`)`,
			`CALCULATETABLE(ADDCOLUMNS(SUMMARIZE(Sales, `+groups+`), "v", `+value+`), `+filter+`)`, `TOPN(2, SUMMARIZECOLUMNS(`+groups+`, "v", `+inValue+`), [v], DESC)`,
			`TOPN(2, CALCULATETABLE(SUMMARIZECOLUMNS(`+groups+`, "v", `+value+`), `+filter+`), [v])`)
	}
	return "EVALUATE " + rapid.SampledFrom(forms).Draw(t, "form")
}

// What the reader calls equal gives equal rows, over any data: groups and the value. A single row of BLANK is like none.
func TestEqualQueriesGiveEqualRows(t *testing.T) {
	t.Parallel()
	m, n := shop(), tally{}
	rapid.Check(t, func(t *rapid.T) {
		n.compare(t, m, rowsOfShop(t), vocabulary{filters: randomFilters, values: randomValues, groups: randomGroups})
	})
	n.enough(t)
}

// vocabulary is what random queries of a model are made of.
type vocabulary struct{ filters, values, groups []string }

// tally counts pairs of random queries.
type tally struct{ equal, all int }

// compare draws pairs of queries. Two that the reader calls equal must give equal rows.
func (n *tally) compare(t *rapid.T, m *semanticmodel.Model, rows []evaluate.Data, of vocabulary) {
	data, err := evaluate.New(m, rows, evaluate.Options{Today: today})
	if err != nil {
		t.Fatal(err)
	}
	read := normalform.NewModel(m)
	for range 20 {
		groups, second := rapid.SampledFrom(of.groups).Draw(t, "groups"), rapid.SampledFrom(append([]string{""}, of.filters...)).Draw(t, "second")
		value, filter := rapid.SampledFrom(of.values).Draw(t, "value"), rapid.SampledFrom(of.filters).Draw(t, "filter")
		p := pair{reference: randomQuery(t, groups, value, filter, second)}
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
			value = rapid.SampledFrom(of.values).Draw(t, "value")
		case 1:
			filter = rapid.SampledFrom(of.filters).Draw(t, "filter")
		case 2:
			filter, second = rapid.SampledFrom(of.filters).Draw(t, "filter"), filter
		}
		p.answer = randomQuery(t, groups, value, filter, second)
		n.all++
		reference, err := read.Read(p.reference, today)
		if err != nil {
			continue
		}
		answer, err := read.Read(p.answer, today)
		if err != nil {
			continue
		}
		if likeness, _ := normalform.Compare(reference, answer, false); likeness != normalform.Equal {
			continue
		}
		mine, ok := evaluated(t, data, p.reference)
		theirs, okToo := evaluated(t, data, p.answer)
		if !ok || !okToo {
			continue
		}
		n.equal++
		if !slices.Equal(mine, theirs) {
			t.Fatalf("%s\n%s\nare judged equal:\n%s\nand give\n%q\n%q\nof %+v\n%v", p.reference, p.answer, reference, mine, theirs, m.Relationships, rows)
		}
	}
}

// enough fails the test if too few of the pairs were equal.
func (n *tally) enough(t *testing.T) {
	t.Helper()
	t.Logf("%d of %d pairs are equal", n.equal, n.all)
	if n.equal < n.all/50 {
		t.Errorf("only %d of %d pairs are equal: the test says little", n.equal, n.all)
	}
}

// evaluated returns the rows of a query as sorted texts; false if the evaluator refuses it.
func evaluated(t *rapid.T, m *evaluate.Model, query string) (rows []string, ok bool) {
	result, err := m.Query(query, evaluate.Options{Today: today})
	if err != nil {
		if _, refused := err.(*evaluate.Refusal); !refused {
			t.Fatal(err)
		}
		return nil, false
	}
	for _, row := range result.Rows {
		var texts []string
		for _, v := range row {
			texts = append(texts, fmt.Sprint(v))
		}
		if len(row) == 1 && row[0] == (evaluate.Value{}) {
			continue
		}
		if len(row) == 3 && strings.Contains(query, "'Date'[Month], 'Date'[Month Number], ") {
			texts = append(texts[:1], texts[2:]...) // the sort key, which is another column of the answer
		}
		rows = append(rows, strings.Join(texts, "|"))
	}
	slices.Sort(rows)
	return rows, true
}
