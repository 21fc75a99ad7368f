package normalform_test

import (
	"errors"
	"strings"
	"testing"

	"readiness/domain/verdict/normalform"
)

// pair is a reference and an answer.
type pair struct{ reference, answer string }

func byCategory(filters string) string {
	if filters != "" {
		filters += ", "
	}
	return `EVALUATE SUMMARIZECOLUMNS(Product[Category], ` + filters + `"Revenue", [Revenue])`
}

func total(filters string) string {
	return `EVALUATE ROW("Revenue", CALCULATE([Revenue], ` + filters + `))`
}

// equal are pairs that give the same rows for any data.
var equal = map[string]pair{
	"the same":                              {byCategory(""), byCategory("")},
	"names in another case":                 {byCategory(""), `evaluate summarizecolumns('PRODUCT'[category], "r", 'Sales'[REVENUE])`},
	"the measure's expression":              {byCategory(""), `EVALUATE SUMMARIZECOLUMNS(Product[Category], "x", SUM(Sales[Amount]))`},
	"an iterator over a column":             {byCategory(""), `EVALUATE SUMMARIZECOLUMNS(Product[Category], "x", SUMX(Sales, Sales[Amount]))`},
	"CALCULATE around it":                   {byCategory(""), `EVALUATE SUMMARIZECOLUMNS(Product[Category], "x", CALCULATE(SUM(Sales[Amount])))`},
	"a defined measure":                     {byCategory(""), `DEFINE MEASURE Sales[m] = SUM(Sales[Amount]) EVALUATE SUMMARIZECOLUMNS(Product[Category], "x", [m])`},
	"a variable":                            {byCategory(""), `EVALUATE VAR t = SUMMARIZECOLUMNS(Product[Category], "x", [Revenue]) RETURN t`},
	"groups in another order":               {`EVALUATE SUMMARIZECOLUMNS(Product[Category], Store[City], "r", [Revenue])`, `EVALUATE SUMMARIZECOLUMNS(Store[City], Product[Category], "r", [Revenue])`},
	"values in another order":               {`EVALUATE ROW("a", [Revenue], "b", [Units])`, `EVALUATE ROW("a", [Units], "b", [Revenue])`},
	"one more value of one row":             {`EVALUATE ROW("a", [Revenue])`, `EVALUATE ROW("a", [Revenue], "b", [Units])`},
	"a list of one value":                   {`EVALUATE ROW("a", [Revenue])`, `EVALUATE { [Revenue] }`},
	"a sum without groups":                  {`EVALUATE ROW("a", [Revenue])`, `EVALUATE SUMMARIZECOLUMNS("a", [Revenue])`},
	"an order of rows":                      {byCategory(""), byCategory("") + ` ORDER BY [Revenue] DESC`},
	"a product's factors":                   {`EVALUATE ROW("a", SUMX(Sales, Sales[Quantity] * Sales[Amount]))`, `EVALUATE ROW("a", SUMX(Sales, Sales[Amount] * Sales[Quantity]))`},
	"a ratio, written out":                  {`EVALUATE ROW("a", [Price])`, `EVALUATE ROW("a", DIVIDE(SUM(Sales[Amount]), SUM(Sales[Quantity])))`},
	"a filter of a ratio":                   {`EVALUATE ROW("a", CALCULATE([Price], Product[Color] = "Red"))`, `EVALUATE ROW("a", DIVIDE(CALCULATE([Revenue], Product[Color] = "Red"), CALCULATE([Units], Product[Color] = "Red")))`},
	"a filter in a measure":                 {total(`Product[Color] = "Red"`), `EVALUATE ROW("a", [Red Revenue])`},
	"a filter around":                       {total(`Product[Color] = "Red"`), `EVALUATE CALCULATETABLE(ROW("a", [Revenue]), Product[Color] = "Red")`},
	"a filter inside":                       {total(`Product[Color] = "Red"`), `EVALUATE SUMMARIZECOLUMNS(FILTER(ALL(Product[Color]), Product[Color] = "Red"), "a", [Revenue])`},
	"TREATAS":                               {total(`Product[Color] = "Red"`), total(`TREATAS({ "Red" }, Product[Color])`)},
	"a list of one":                         {total(`Product[Color] = "Red"`), total(`Product[Color] IN { "red" }`)},
	"a list and alternatives":               {total(`Product[Color] IN { "Red", "Blue" }`), total(`Product[Color] = "Blue" || Product[Color] = "Red"`)},
	"OR":                                    {total(`Product[Color] IN { "Red", "Blue" }`), total(`OR(Product[Color] = "Blue", Product[Color] = "Red")`)},
	"the constant first":                    {total(`Sales[Amount] > 100`), total(`100 < Sales[Amount]`)},
	"whole numbers":                         {total(`Sales[Quantity] > 5`), total(`Sales[Quantity] >= 6`)},
	"not equal":                             {total(`Product[Color] <> "Red"`), total(`NOT(Product[Color] = "Red")`)},
	"not in":                                {total(`NOT Product[Color] IN { "Red" }`), total(`NOT(Product[Color] IN { "Red" })`)},
	"a variable in a filter":                {total(`Product[Color] = "Red"`), `EVALUATE VAR c = "Red" RETURN ROW("a", CALCULATE([Revenue], Product[Color] = c))`},
	"a variable as a filter":                {byCategory(`FILTER(ALL(Product[Color]), Product[Color] = "Red")`), `EVALUATE VAR f = TREATAS({"Red"}, Product[Color]) RETURN SUMMARIZECOLUMNS(Product[Category], f, "x", [Revenue])`},
	"KEEPFILTERS without another":           {total(`Product[Color] = "Red"`), total(`KEEPFILTERS(Product[Color] = "Red")`)},
	"a filter of groups in the measure":     {byCategory(`FILTER(ALL(Product[Color]), Product[Color] = "Red")`), `EVALUATE SUMMARIZECOLUMNS(Product[Category], "x", CALCULATE([Revenue], Product[Color] = "Red"))`},
	"a filter of groups around":             {byCategory(`FILTER(ALL(Product[Color]), Product[Color] = "Red")`), `EVALUATE CALCULATETABLE(SUMMARIZECOLUMNS(Product[Category], "x", [Revenue]), Product[Color] = "Red")`},
	"a filter on the group":                 {byCategory(`TREATAS({"A"}, Product[Category])`), `EVALUATE FILTER(SUMMARIZECOLUMNS(Product[Category], "x", [Revenue]), Product[Category] = "A")`},
	"a filter of rows of the fact":          {total(`Sales[Channel] = "Web"`), `EVALUATE ROW("a", SUMX(FILTER(Sales, Sales[Channel] = "Web"), Sales[Amount]))`},
	"a filter by the table":                 {total(`Sales[Channel] = "Web"`), total(`FILTER(Sales, Sales[Channel] = "Web")`)},
	"a filter by the dimension":             {total(`Product[Color] = "Red"`), total(`FILTER(Product, Product[Color] = "Red")`)},
	"counts of filtered rows":               {`EVALUATE ROW("a", CALCULATE([Lines], Sales[Channel] = "Web"))`, `EVALUATE ROW("a", COUNTROWS(FILTER(Sales, Sales[Channel] = "Web")))`},
	"two filters":                           {total(`Product[Color] = "Red", Store[City] = "Bern"`), total(`Store[City] = "Bern", Product[Color] = "Red"`)},
	"nested filters":                        {total(`Product[Color] = "Red", Store[City] = "Bern"`), `EVALUATE CALCULATETABLE(ROW("a", CALCULATE([Revenue], Store[City] = "Bern")), Product[Color] = "Red")`},
	"the inner filter wins":                 {total(`Product[Color] = "Red"`), `EVALUATE CALCULATETABLE(ROW("a", [Red Revenue]), Product[Color] = "Blue")`},
	"both ends of a relationship":           {total(`Product[ProductKey] = 7`), total(`Sales[ProductKey] = 7`)},
	"a truth value":                         {total(`Store[Open] = TRUE()`), total(`Store[Open]`)},
	"a year and its days":                   {total(`'Date'[Year] = 2025`), total(`'Date'[Date] >= DATE(2025, 1, 1) && 'Date'[Date] <= DATE(2025, 12, 31)`)},
	"a year and DATESBETWEEN":               {total(`'Date'[Year] = 2025`), total(`DATESBETWEEN('Date'[Date], DATE(2025, 1, 1), DATE(2025, 12, 31))`)},
	"a year of days":                        {total(`'Date'[Year] = 2025`), total(`YEAR('Date'[Date]) = 2025`)},
	"a year and its quarters":               {total(`'Date'[Year] = 2025`), total(`'Date'[Year] = 2025, 'Date'[Quarter] IN { 1, 2, 3, 4 }`)},
	"a quarter and its months":              {total(`'Date'[Year] = 2025, 'Date'[Quarter] = 2`), total(`'Date'[Year] = 2025, 'Date'[Month Number] >= 4, 'Date'[Month Number] < 7`)},
	"a quarter and its days":                {total(`'Date'[Year] = 2025, 'Date'[Quarter] = 2`), total(`'Date'[Date] >= DATE(2025, 4, 1) && 'Date'[Date] < DATE(2025, 7, 1)`)},
	"a month by its name":                   {total(`'Date'[Year] = 2025, 'Date'[Month] = "March"`), total(`'Date'[Year] = 2025, 'Date'[Month Number] = 3`)},
	"a month of a year":                     {total(`'Date'[Year Month] = 202503`), total(`'Date'[Month Year] = "March 2025"`)},
	"months of a year by TREATAS":           {total(`TREATAS({ 202501, 202502, 202503 }, 'Date'[Year Month])`), total(`'Date'[Year] = 2025, 'Date'[Quarter] = 1`)},
	"two years":                             {total(`'Date'[Year] IN { 2024, 2025 }`), total(`'Date'[Year] >= 2024 && 'Date'[Year] <= 2025`)},
	"last year":                             {total(`'Date'[Year] = YEAR(TODAY()) - 1`), total(`'Date'[Year] = 2025`)},
	"last month":                            {total(`'Date'[Date] >= EOMONTH(TODAY(), -2) + 1 && 'Date'[Date] < EOMONTH(TODAY(), -1) + 1`), total(`'Date'[Year] = 2026, 'Date'[Month Number] = 10`)},
	"to date at a known end":                {total(`DATESBETWEEN('Date'[Date], DATE(2025, 1, 1), DATE(2025, 6, 30))`), `EVALUATE CALCULATETABLE(ROW("a", TOTALYTD([Revenue], 'Date'[Date])), 'Date'[Year] = 2025, 'Date'[Month Number] = 6)`},
	"the last twelve months":                {total(`DATESINPERIOD('Date'[Date], DATE(2025, 6, 30), -12, MONTH)`), total(`'Date'[Date] > DATE(2024, 6, 30), 'Date'[Date] <= DATE(2025, 6, 30)`)},
	"TOTALYTD and DATESYTD":                 {`EVALUATE SUMMARIZECOLUMNS('Date'[Month], "a", [Revenue YTD])`, `EVALUATE SUMMARIZECOLUMNS('Date'[Month], "a", CALCULATE(SUM(Sales[Amount]), DATESYTD('Date'[Date])))`},
	"a year earlier":                        {`EVALUATE SUMMARIZECOLUMNS('Date'[Year], "a", [Revenue LY])`, `EVALUATE SUMMARIZECOLUMNS('Date'[Year], "a", CALCULATE([Revenue], DATEADD('Date'[Date], -1, YEAR)))`},
	"twelve months earlier":                 {`EVALUATE SUMMARIZECOLUMNS('Date'[Year], "a", [Revenue LY])`, `EVALUATE SUMMARIZECOLUMNS('Date'[Year], "a", CALCULATE([Revenue], DATEADD('Date'[Date], -12, MONTH)))`},
	"the model's sort key as another group": {`EVALUATE SUMMARIZECOLUMNS('Date'[Month], "a", [Revenue])`, `EVALUATE SUMMARIZECOLUMNS('Date'[Month], 'Date'[Month Number], "a", [Revenue])`},
	"ADDCOLUMNS and SELECTCOLUMNS":          {`EVALUATE ADDCOLUMNS(VALUES(Product[Category]), "a", [Revenue])`, `EVALUATE SELECTCOLUMNS(VALUES(Product[Category]), "c", Product[Category], "a", [Revenue])`},
	"ADDCOLUMNS with CALCULATE":             {`EVALUATE ADDCOLUMNS(VALUES(Product[Category]), "a", [Revenue])`, `EVALUATE ADDCOLUMNS(VALUES(Product[Category]), "a", CALCULATE(SUM(Sales[Amount])))`},
	"SUMMARIZE with and without a value":    {`EVALUATE SUMMARIZE(Sales, Product[Category], "a", SUM(Sales[Amount]))`, `EVALUATE ADDCOLUMNS(SUMMARIZE(Sales, Product[Category]), "a", [Revenue])`},
	"the best by the same":                  {`EVALUATE TOPN(3, SUMMARIZECOLUMNS(Product[Product], "@r", [Revenue]), [@r], DESC)`, `EVALUATE TOPN(3, SUMMARIZECOLUMNS(Product[Product], "x", SUM(Sales[Amount])), [x])`},
	"the best, filtered":                    {`EVALUATE TOPN(3, SUMMARIZECOLUMNS(Product[Product], TREATAS({"Red"}, Product[Color]), "@r", [Revenue]), [@r], DESC)`, `EVALUATE CALCULATETABLE(TOPN(3, SUMMARIZECOLUMNS(Product[Product], "@r", [Revenue]), [@r], DESC), Product[Color] = "Red")`},
	"a condition on the value":              {`EVALUATE FILTER(SUMMARIZECOLUMNS(Product[Product], "@r", [Revenue]), [@r] > 1000)`, `EVALUATE FILTER(SUMMARIZECOLUMNS(Product[Product], "y", [Revenue]), [y] > 1000)`},
	"a value that is there":                 {byCategory(""), `EVALUATE FILTER(SUMMARIZECOLUMNS(Product[Category], "y", [Revenue]), NOT ISBLANK([y]))`},
	"a share":                               {`EVALUATE SUMMARIZECOLUMNS(Product[Category], "s", [Share])`, `EVALUATE SUMMARIZECOLUMNS(Product[Category], "s", DIVIDE([Revenue], CALCULATE([Revenue], REMOVEFILTERS(Product))))`},
	"the values of a column":                {`EVALUATE VALUES(Product[Category])`, `EVALUATE VALUES('product'[category])`},
	"another relationship":                  {`EVALUATE ROW("a", CALCULATE([Revenue], USERELATIONSHIP(Sales[Shipped], 'Date'[Date]), 'Date'[Year] = 2025))`, `EVALUATE ROW("a", CALCULATE(SUM(Sales[Amount]), 'Date'[Year] = 2025, USERELATIONSHIP('Date'[Date], Sales[Shipped])))`},
}

// different are pairs with an answer that is certain to be wrong.
var different = map[string]pair{
	"another aggregation":         {byCategory(""), `EVALUATE SUMMARIZECOLUMNS(Product[Category], "x", AVERAGE(Sales[Amount]))`},
	"another column":              {byCategory(""), `EVALUATE SUMMARIZECOLUMNS(Product[Category], "x", [Units])`},
	"another year":                {total(`'Date'[Year] = 2025`), total(`'Date'[Year] = 2024`)},
	"another year, by days":       {total(`'Date'[Year] = 2025`), total(`'Date'[Date] >= DATE(2024, 1, 1) && 'Date'[Date] < DATE(2025, 1, 1)`)},
	"another quarter":             {total(`'Date'[Year] = 2025, 'Date'[Quarter] = 1`), total(`'Date'[Year] = 2025, 'Date'[Month] = "April"`)},
	"another color":               {byCategory(`TREATAS({"Red"}, Product[Color])`), byCategory(`TREATAS({"Blue"}, Product[Color])`)},
	"the other values":            {total(`Product[Color] = "Red"`), total(`Product[Color] <> "Red"`)},
	"above and below":             {total(`Sales[Quantity] > 5`), total(`Sales[Quantity] <= 5`)},
	"nothing of the model":        {byCategory(""), `EVALUATE ROW("x", 1)`},
	"nothing, computed":           {byCategory(""), `EVALUATE { DIVIDE(10, 4) }`},
	"a count in place of a sum":   {byCategory(""), `EVALUATE SUMMARIZECOLUMNS(Product[Category], "x", [Lines])`},
	"stores in place of lines":    {`EVALUATE ROW("a", [Lines])`, `EVALUATE ROW("a", [Buyers])`},
	"another group of other days": {`EVALUATE SUMMARIZECOLUMNS('Date'[Month], TREATAS({2025}, 'Date'[Year]), "a", [Revenue])`, `EVALUATE SUMMARIZECOLUMNS('Date'[Month], TREATAS({2023}, 'Date'[Year]), "a", [Revenue])`},
}

// unknown are pairs that may be equal or not.
var unknown = map[string]pair{
	"an aggregation of the row":             {`EVALUATE ADDCOLUMNS(VALUES(Product[Category]), "a", [Revenue])`, `EVALUATE ADDCOLUMNS(VALUES(Product[Category]), "a", SUM(Sales[Amount]))`},
	"groups without a value":                {byCategory(""), `EVALUATE ADDCOLUMNS(VALUES(Product[Category]), "a", [Revenue])`},
	"groups of the fact":                    {byCategory(""), `EVALUATE SUMMARIZE(Sales, Product[Category], "a", [Revenue])`},
	"one more value of groups":              {byCategory(""), `EVALUATE SUMMARIZECOLUMNS(Product[Category], "a", [Revenue], "b", [Units])`},
	"one more group":                        {byCategory(""), `EVALUATE SUMMARIZECOLUMNS(Product[Category], Product[Color], "a", [Revenue])`},
	"another group":                         {byCategory(""), `EVALUATE SUMMARIZECOLUMNS(Product[Color], "a", [Revenue])`},
	"one filter more":                       {byCategory(""), byCategory(`TREATAS({"Red"}, Product[Color])`)},
	"a value more":                          {total(`Product[Color] IN {"Red", "Blue"}`), total(`Product[Color] = "Red"`)},
	"more months":                           {total(`'Date'[Year] = 2025`), total(`'Date'[Year] = 2025, 'Date'[Month Number] <= 11`)},
	"a day less":                            {total(`'Date'[Year] = 2025`), total(`'Date'[Date] >= DATE(2025, 1, 1) && 'Date'[Date] < DATE(2025, 12, 31)`)},
	"times of a day":                        {total(`Sales[Shipped] <= DATE(2025, 12, 31)`), total(`Sales[Shipped] < DATE(2026, 1, 1)`)},
	"decimals":                              {total(`Sales[Amount] > 5`), total(`Sales[Amount] >= 6`)},
	"a month of any year":                   {total(`'Date'[Month Number] = 3`), total(`'Date'[Year] = 2025, 'Date'[Month Number] = 3`)},
	"a weekday without a key":               {total(`'Date'[Weekday] = "Monday"`), total(`WEEKDAY('Date'[Date], 2) = 1`)},
	"a year earlier and that year":          {`EVALUATE CALCULATETABLE(ROW("a", [Revenue LY]), 'Date'[Year] = 2025)`, total(`'Date'[Year] = 2024`)},
	"a year earlier, and not":               {`EVALUATE SUMMARIZECOLUMNS('Date'[Year], "a", [Revenue LY])`, `EVALUATE SUMMARIZECOLUMNS('Date'[Year], "a", [Revenue])`},
	"to date, and not":                      {`EVALUATE SUMMARIZECOLUMNS('Date'[Month], "a", [Revenue YTD])`, `EVALUATE SUMMARIZECOLUMNS('Date'[Month], "a", [Revenue])`},
	"to date of several years":              {`EVALUATE CALCULATETABLE(ROW("a", [Revenue YTD]), 'Date'[Year] IN {2024, 2025})`, total(`'Date'[Year] = 2025`)},
	"a filter replaced by the measure":      {`EVALUATE SUMMARIZECOLUMNS(Product[Color], "a", [Red Revenue])`, `EVALUATE SUMMARIZECOLUMNS(Product[Color], TREATAS({"Red"}, Product[Color]), "a", [Revenue])`},
	"a filter kept":                         {`EVALUATE SUMMARIZECOLUMNS(Product[Color], "a", [Red Revenue])`, `EVALUATE SUMMARIZECOLUMNS(Product[Color], "a", CALCULATE([Revenue], KEEPFILTERS(Product[Color] = "Red")))`},
	"a value that is never blank":           {`EVALUATE SUMMARIZECOLUMNS(Product[Category], TREATAS({"Red"}, Product[Color]), "a", [Padded])`, `EVALUATE SUMMARIZECOLUMNS(Product[Category], "a", CALCULATE([Padded], Product[Color] = "Red"))`},
	"a filter that does not reach":          {`EVALUATE SUMMARIZECOLUMNS(Product[Category], TREATAS({"Red"}, Product[Color]), "a", [Plan Total])`, `EVALUATE SUMMARIZECOLUMNS(Product[Category], "a", CALCULATE([Plan Total], Product[Color] = "Red"))`},
	"zero and blank":                        {total(`Sales[Quantity] = 0`), total(`Sales[Quantity] IN { 0 }`)},
	"an open start and blank":               {total(`'Date'[Date] <= DATE(2025, 6, 30)`), total(`DATESBETWEEN('Date'[Date], BLANK(), DATE(2025, 6, 30))`)},
	"a quotient":                            {`EVALUATE ROW("a", DIVIDE([Revenue], [Units]))`, `EVALUATE ROW("a", [Revenue] / [Units])`},
	"a mean of quotients":                   {`EVALUATE ROW("a", [Price])`, `EVALUATE ROW("a", AVERAGEX(Sales, DIVIDE(Sales[Amount], Sales[Quantity])))`},
	"values and distinct values":            {`EVALUATE VALUES(Product[Category])`, `EVALUATE DISTINCT(Product[Category])`},
	"more of the best":                      {`EVALUATE TOPN(3, SUMMARIZECOLUMNS(Product[Product], "@r", [Revenue]), [@r], DESC)`, `EVALUATE TOPN(5, SUMMARIZECOLUMNS(Product[Product], "@r", [Revenue]), [@r], DESC)`},
	"the worst":                             {`EVALUATE TOPN(3, SUMMARIZECOLUMNS(Product[Product], "@r", [Revenue]), [@r], DESC)`, `EVALUATE TOPN(3, SUMMARIZECOLUMNS(Product[Product], "@r", [Revenue]), [@r], ASC)`},
	"the best, without the filter":          {`EVALUATE TOPN(3, SUMMARIZECOLUMNS(Product[Product], TREATAS({"Red"}, Product[Color]), "@r", [Revenue]), [@r], DESC)`, `EVALUATE TOPN(3, SUMMARIZECOLUMNS(Product[Product], TREATAS({"Red"}, Product[Color]), "Revenue", [Revenue]), [Revenue], DESC)`},
	"counts in other words":                 {`EVALUATE ROW("a", [Lines])`, `EVALUATE ROW("a", COUNT(Sales[Quantity]))`},
	"counts over a relationship":            {`EVALUATE ROW("a", [Buyers])`, `EVALUATE ROW("a", COUNTROWS(Store))`},
	"another relationship":                  {total(`'Date'[Year] = 2025`), `EVALUATE ROW("a", CALCULATE([Revenue], USERELATIONSHIP(Sales[Shipped], 'Date'[Date]), 'Date'[Year] = 2025))`},
	"a table and some columns":              {`EVALUATE Product`, `EVALUATE SELECTCOLUMNS(Product, "p", Product[Product])`},
	"outside and inside of moves":           {`EVALUATE SUMMARIZECOLUMNS('Date'[Month], "a", CALCULATE([Revenue YTD], 'Date'[Year] = 2025))`, `EVALUATE SUMMARIZECOLUMNS('Date'[Month], "a", CALCULATE([Revenue], DATESYTD('Date'[Date]), 'Date'[Year] = 2025))`},
	"days in the group's calendar":          {`EVALUATE SUMMARIZECOLUMNS('Date'[Month], TREATAS({2025}, 'Date'[Year]), "a", [Revenue])`, `EVALUATE SUMMARIZECOLUMNS('Date'[Month], "a", CALCULATE([Revenue], 'Date'[Date] >= DATE(2025, 1, 1), 'Date'[Date] < DATE(2026, 1, 1)))`},
	"a quotient of another kind, filtered":  {`EVALUATE ROW("a", [Price])`, `EVALUATE ROW("a", CALCULATE([Price], Product[Color] = "Red"))`},
	"a filter on the one side and counts":   {`EVALUATE ROW("a", CALCULATE(COUNTROWS(Product), Product[ProductKey] = 7))`, `EVALUATE ROW("a", CALCULATE(COUNTROWS(Product), Sales[ProductKey] = 7))`},
	"a filter around what leaves the group": {`EVALUATE SUMMARIZECOLUMNS(Product[Color], "a", CALCULATE([Red Revenue], Product[Category] = "A"))`, `EVALUATE CALCULATETABLE(SUMMARIZECOLUMNS(Product[Color], "a", [Red Revenue]), Product[Category] = "A")`},
	"values there are, and a replaced one":  {`EVALUATE SUMMARIZECOLUMNS(Product[Color], "a", CALCULATE([Revenue], VALUES(Product[Category]), Product[Color] = "Red"))`, `EVALUATE SUMMARIZECOLUMNS(Product[Color], "a", CALCULATE([Revenue], Product[Color] = "Red"))`},
	"rows of a table, and none of a key":    {total(`Product[Color] <> "Red"`), total(`FILTER(Product, Product[Color] <> "Red")`)},
	"values there are, and none of a key":   {total(`FILTER(VALUES(Product[Color]), Product[Color] <> "Red")`), total(`FILTER(DISTINCT(Product[Color]), Product[Color] <> "Red")`)},
	"rows of a table, and blanks counted":   {`EVALUATE SUMMARIZECOLUMNS(Product[Category], "a", COUNTBLANK(Sales[Amount]))`, `EVALUATE SUMMARIZECOLUMNS(Product[Category], FILTER(Sales, Sales[Channel] = "Web"), "a", COUNTBLANK(Sales[Amount]))`},
	"REMOVEFILTERS of more than the filter": {`EVALUATE SUMMARIZECOLUMNS(Product[Category], Store[City], "s", CALCULATE([Revenue], ALL(Product)))`, `EVALUATE SUMMARIZECOLUMNS(Product[Category], Store[City], "s", CALCULATE([Revenue], ALL(Product[Category]), ALL(Store[City])))`},
}

func compared(t *testing.T, m *normalform.Model, p pair) normalform.Likeness {
	t.Helper()
	reference, err := m.Read(p.reference, today)
	if err != nil {
		return normalform.Unknown
	}
	answer, err := m.Read(p.answer, today)
	if err != nil {
		return normalform.Unknown
	}
	got, why := normalform.Compare(reference, answer, false)
	if (got == normalform.Unknown) != (why == "") {
		t.Errorf("likeness %d for the reason %q", got, why)
	}
	return got
}

func TestCompare(t *testing.T) {
	t.Parallel()
	m := normalform.NewModel(shop())
	for want, pairs := range map[normalform.Likeness]map[string]pair{normalform.Equal: equal, normalform.Different: different, normalform.Unknown: unknown} {
		for name, p := range pairs {
			if got := compared(t, m, p); got != want {
				t.Errorf("%s: got %d, want %d\nreference %s\nanswer    %s", name, got, want, form(m, p.reference), form(m, p.answer))
			}
			if back := compared(t, m, pair{p.answer, p.reference}); back == normalform.Equal && want != normalform.Equal {
				t.Errorf("%s: the other way round they are equal", name)
			}
		}
	}
}

// What a query does not filter by is named, unless it filters or groups by another column of the table.
func TestDropped(t *testing.T) {
	t.Parallel()
	m := normalform.NewModel(shop())
	red := `EVALUATE ROW("a", CALCULATE([Revenue], Product[Color] = "Red", 'Date'[Year] = 2025))`
	for answer, want := range map[string]string{
		red:                            "",
		`EVALUATE ROW("a", [Revenue])`: "Date[Date] Product[Color]",
		`EVALUATE ROW("a", CALCULATE([Revenue], 'Date'[Year] = 2025))`:                                                   "Product[Color]",
		`EVALUATE ROW("a", CALCULATE([Red Revenue], 'Date'[Date] >= DATE(2025, 1, 1), 'Date'[Date] < DATE(2026, 1, 1)))`: "",
		`EVALUATE ROW("a", CALCULATE([Revenue], Product[Category] = "A", 'Date'[Year] = 2025))`:                          "",
		`EVALUATE SUMMARIZECOLUMNS(Product[Category], TREATAS({2025}, 'Date'[Year]), "a", [Revenue])`:                    "",
		`EVALUATE CALCULATETABLE(ROW("a", [Revenue]), Product[Color] = "Red", 'Date'[Year] = 2025)`:                      "",
	} {
		reference, err := m.Read(red, today)
		if err != nil {
			t.Fatal(err)
		}
		given, err := m.Read(answer, today)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(reference.Dropped(given), " "); got != want {
			t.Errorf("%s: got %q, want %q", answer, got, want)
		}
	}
}

// form is a query's normal form, or why it has none.
func form(m *normalform.Model, query string) string {
	q, err := m.Read(query, today)
	if err != nil {
		return "unread: " + err.Error()
	}
	return q.String()
}

func TestUnread(t *testing.T) {
	t.Parallel()
	m := normalform.NewModel(shop())
	for query, want := range map[string]struct {
		at      int
		message string
	}{
		`EVALUATE`:                               {8, "the query is no DAX that is read"},
		`EVALUATE ROW("a", [Gone])`:              {18, "the model has no column or measure [Gone]"},
		`EVALUATE ROW("a", RANKX(Sales, 1))`:     {18, "the function RANKX is not read"},
		`EVALUATE Gone`:                          {9, "the model has no table Gone"},
		`EVALUATE Sales EVALUATE Sales`:          {0, "a query with several EVALUATE is not read"},
		`EVALUATE ROW("a", Sales[Amount])`:       {18, "'Sales'[Amount] is a column outside a row"},
		`EVALUATE GROUPBY(Sales, Sales[Amount])`: {9, "the function GROUPBY is not read as a table"},
		`EVALUATE ROW("a", CALCULATE([Revenue], 'Date'[Date] > MAX(Sales[Day])))`: {54, "a filter by a value that depends on the data is not read"},
	} {
		_, err := m.Read(query, today)
		u, ok := errors.AsType[*normalform.Unread](err)
		if !ok || u.At != want.at || u.Message != want.message {
			t.Errorf("%s: got %+v", query, err)
		}
	}
}
