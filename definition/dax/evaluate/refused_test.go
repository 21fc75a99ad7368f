package evaluate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"readiness/definition/dax/evaluate"
	"readiness/definition/semanticmodel"
)

// refused checks that a query has no result, and why.
func refused(t *testing.T, m *evaluate.Model, query string, o evaluate.Options, limit bool, want string) {
	t.Helper()
	r, err := m.Query(query, o)
	refusal, ok := errors.AsType[*evaluate.Refusal](err)
	if !ok || refusal.Limit != limit || !strings.Contains(err.Error(), want) || r.Rows != nil || r.Columns != nil {
		t.Errorf("%.200s: got %v, %v, want a refusal, limit %v: %s", query, r.Rows, err, limit, want)
	}
}

// A query with an unknown form is refused by its name and position, and has no result.
//
// proves: decisions/10/sample-refused
func TestUnsupportedExpressionsAreRefused(t *testing.T) {
	t.Parallel()
	f := shop(t)
	f.measure("Broken", "SUM(Sales[Amount]) +\n  RANKX(Sales, 1)")
	f.measure("Self", "1 + [Again]")
	f.measure("Again", "[Self]")
	f.measure("Unreadable", "SUM(")
	f.Tables[1].Columns = append(f.Tables[1].Columns, semanticmodel.Column{Name: "Weight", DataType: semanticmodel.Double})
	f.Tables = append(f.Tables, semanticmodel.Table{Name: "Empty", Columns: []semanticmodel.Column{{Name: "A", DataType: semanticmodel.String}}})
	m := f.model(t)
	x := func(expression string) string { return "EVALUATE ROW(\"x\", " + expression + ")" }
	for query, want := range map[string]string{
		"":                                     "line 1, column 1: it cannot be read from here on",
		"EVALUATE Sales )":                     "line 1, column 16: it cannot be read",
		"EVALUATE 1":                           "line 1, column 10: a table is expected",
		"EVALUATE Nowhere":                     "line 1, column 10: the name of a table",
		"EVALUATE Empty":                       "there are no rows of the table 'Empty'",
		x("SUM(Product[Weight])"):              "no values of the column 'Product'[Weight]",
		x("SUM(Sales[Nothing])"):               "column 23: the model has no column or measure 'Sales'[Nothing]",
		x("[Nothing]"):                         "[Nothing] is no measure",
		x("Sales[Amount]"):                     "no current row of 'Sales'[Amount]",
		x("VALUES(Product[Color])"):            "a table with 3 rows",
		x("MEDIANX(Sales, 1)"):                 "column 19: the function MEDIANX is not known",
		x("[Broken]"):                          "measure [Broken], line 2, column 3: the function RANKX is not known",
		x("[Self]"):                            "refers to itself",
		x("[Unreadable]"):                      "measure [Unreadable], line 1, column 1: the expression cannot be read",
		x("ALLSELECTED()"):                     "ALLSELECTED is not known",
		x("CALCULATE([Total], ALLSELECTED())"): "ALLSELECTED is not known",
		x("CALCULATE([Total], CROSSFILTER(Sales[Product Key], Product[Product Key], NONE))"):           "CROSSFILTER is not known",
		x("CALCULATE([Total], [Total] > 5)"):                                                           "may not refer to a measure",
		x("CALCULATE([Total], 1 = 1)"):                                                                 "names no column",
		x("CALCULATE([Total], Product[Price] = 1 || Store[City] = \"Rome\")"):                          "different tables",
		x("CALCULATE([Total], USERELATIONSHIP(Sales[Key], Product[Price]))"):                           "no relationship between",
		x("CALCULATE([Total], FILTER(Sales, 1 = 1), USERELATIONSHIP(Sales[Ship Date], 'Date'[Date]))"): "crosses a change of relationships",
		x("SUMX(KEEPFILTERS(VALUES(Product[Color])), 1)"):                                              "KEEPFILTERS is known as an argument of CALCULATE",
		x("\"1\" + 2"):                                    "+ of values that are not numbers",
		x("\"1\" > 0"):                                    "> compares values of different types",
		x("\"ä\" < \"z\""):                                "depends on the language",
		x("\"a \" = \"a\""):                               "trailing spaces",
		x("BLANK() IN {0}"):                               "IN compares BLANK",
		x("1.5 & \"\""):                                   "depends on the language",
		x("FORMAT(1234.5, \"#,##0\")"):                    "is not known",
		x("FORMAT(DATE(2024, 1, 1), \"Q\")"):              "is not known",
		x("BLANK() / 0"):                                  "BLANK is divided by 0",
		x("DATE(2024, 1, 1) - DATE(2023, 1, 1)"):          "- of these dates is not known",
		x("DATE(1900, 2, 28)"):                            "DATE returns days from 1900-03-01 on",
		x("TODAY()"):                                      "TODAY is not known here",
		x("YEAR(BLANK())"):                                "YEAR needs a date",
		x("CONTAINSSTRING(\"abc\", \"a*\")"):              "wildcards",
		x("DIVIDE(1)"):                                    "DIVIDE is not known with 1 arguments",
		x("IF(1 = 1, , 2)"):                               "omitted argument",
		x("MINX(Product, Product[Product Name] & \"-\")"): "depends on the language",
		x("COUNTROWS(DATEADD('Date'[Date], 1, WEEK))"):    "DAY, MONTH, QUARTER or YEAR",
		"EVALUATE SUMMARIZECOLUMNS(Product[Color], Store[City])":                                                                     "several tables without an expression",
		"EVALUATE SUMMARIZECOLUMNS(ROLLUPADDISSUBTOTAL(Product[Color], \"s\"), \"t\", 1)":                                            "a table is expected",
		"EVALUATE SUMMARIZECOLUMNS(Product[Color], \"t\", IGNORE([Total]))":                                                          "the function IGNORE is not known",
		"EVALUATE TOPN(1, Product)":                                                                                                  "TOPN without an order",
		"EVALUATE TOPN(1, VALUES(Sales[Amount]), Sales[Amount] - 10)":                                                                "", // BLANK is below
		"EVALUATE ROW(\"a\", 1) EVALUATE ROW(\"b\", 2)":                                                                              "one EVALUATE",
		"EVALUATE {1} ORDER BY [Value] START AT 1":                                                                                   "START AT is not known",
		"DEFINE COLUMN Sales[C] = 1 EVALUATE Sales":                                                                                  "line 1, column 8: DEFINE COLUMN is not known",
		"DEFINE MEASURE Sales[M] = FOO() EVALUATE {[M]}":                                                                             "column 27: the function FOO",
		"EVALUATE CALCULATETABLE(SUMMARIZECOLUMNS('Date'[Month], \"l\", [Last Year]), 'Date'[Year] = 2024, 'Date'[Month] IN {1, 3})": "", // two separate months are fine one by one
		"EVALUATE CALCULATETABLE(ROW(\"l\", [Last Year]), 'Date'[Month] IN {1, 3})":                                                  "days that are not contiguous",
		"EVALUATE SUMMARIZE(FILTER(Sales, 1 = 1), Store[City], \"t\", [Total])":                                                      "SUMMARIZE with expressions is known for a table",
		"EVALUATE SUMMARIZE(Sales, Store[City], \"t\", CALCULATE([Total], ALL(Store)))":                                              "whose groups are more than filters",
	} {
		if want == "" {
			if _, err := m.Query(query, evaluate.Options{}); err != nil {
				t.Errorf("%s: %v", query, err)
			}
			continue
		}
		refused(t, m, query, evaluate.Options{}, false, want)
	}
}

// SUMMARIZECOLUMNS may combine a grouping with a filter on another column of its table;
// where that decides the result, it is refused, else not.
func TestGroupsCombinedWithFilters(t *testing.T) {
	t.Parallel()
	m := shop(t).model(t)
	const query = "EVALUATE SUMMARIZECOLUMNS(Product[Color], FILTER(ALL(Product[Price]), Product[Price] %s), \"t\", CALCULATE([Total], ALL(Product[Color])))"
	refused(t, m, fmt.Sprintf(query, "<= 3"), evaluate.Options{}, false, "how SUMMARIZECOLUMNS combines")
	holds(t, m, "", []example{
		{fmt.Sprintf(query, "= 2"), "Blue|70"},
		{"EVALUATE SUMMARIZECOLUMNS(Product[Color], FILTER(ALL(Product[Price]), Product[Price] <= 3), \"t\", CALCULATE([Total], ALL(Product)))", "Red|300; Blue|300; |300"},
	})
}

// A name that is a column of the current row and a measure is evaluated only if both mean
// the same.
func TestNamesOfColumnsAndMeasures(t *testing.T) {
	t.Parallel()
	m := shop(t).model(t)
	const query = "EVALUATE TOPN(1, SUMMARIZECOLUMNS(Store[City], FILTER(ALL('Date'[Year]), 'Date'[Year] %s), \"Total\", [Total]), [Total], DESC)"
	holds(t, m, "", []example{{fmt.Sprintf(query, "> 2000"), "Rome|160"}})
	refused(t, m, fmt.Sprintf(query, "= 2024"), evaluate.Options{}, false, "[Total] is a column of the current row and a measure, with different values")
}

// proves: decisions/10/sample-cut
func TestHostileQueriesEnd(t *testing.T) {
	t.Parallel()
	f := shop(t)
	for i := range 500 {
		f.measure(fmt.Sprintf("m%d", i), fmt.Sprintf("[m%d] + CALCULATE([m%d], ALL())", i+1, i+1))
	}
	f.measure("m500", "1")
	f.measure("Wide", "SUMX(CROSSJOIN('Date', SELECTCOLUMNS('Date', \"d\", 1)), 1)")
	m := f.model(t)
	small := evaluate.Options{MaxSteps: 2_000_000, MaxRows: 10}
	deep := func(open, end string, n int) string {
		return "EVALUATE {" + strings.Repeat(open, n) + "1" + strings.Repeat(end, n) + "}"
	}
	for query, c := range map[string]struct {
		limit bool
		want  string
	}{
		deep("(", ")", 100_000):   {false, "cannot be read"},
		deep("ABS(", ")", 10_000): {false, "cannot be read"},
		deep("-", "", 100_000):    {false, "cannot be read"},
		deep("1+", "", 100_000):   {true, "nest deeper"},
		"EVALUATE {[m0]}":         {true, "nest deeper"},
		"EVALUATE {[m480]}":       {true, "takes more than 2000000 steps"},
		"EVALUATE {[Wide]}":       {true, "a table may have"},
		"EVALUATE 'Date'":         {true, "its result has 731 rows; a result may have 10"},
		"EVALUATE {\"" + strings.Repeat("x", 300_000) + "\"}":                                                         {true, "a query may have"},
		"EVALUATE {VAR a = \"" + strings.Repeat("x", 60_000) + "\" RETURN a & a & a}":                                 {true, "a text of"},
		"EVALUATE CROSSJOIN(Sales, Product, Store, DISTINCT('Date'[Date]), SELECTCOLUMNS('Date', \"d\", 1))":          {true, "a table may have"},
		"EVALUATE ROW(\"x\", SUMX('Date', SUMX('Date', SUMX('Date', 1))))":                                            {true, "steps"},
		"EVALUATE SUMMARIZECOLUMNS('Date'[Date], Product[Product Key], Store[Store Key], Sales[Key], \"t\", [Total])": {true, "steps"},
		"EVALUATE CALENDAR(DATE(1901, 1, 1), DATE(9998, 1, 1))":                                                       {true, "a table may have"},
	} {
		refused(t, m, query, small, c.limit, c.want)
	}
}

func TestQueriesStop(t *testing.T) {
	t.Parallel()
	m := shop(t).model(t)
	gone := errors.New("the caller has gone")
	calls := 0
	r, err := m.Query("EVALUATE ROW(\"x\", SUMX('Date', SUMX('Date', [Total])))", evaluate.Options{Stop: func() error {
		if calls++; calls == 2 {
			return gone
		}
		return nil
	}})
	if !errors.Is(err, gone) || calls != 2 || r.Rows != nil {
		t.Errorf("got %v, %v after %d calls", r, err, calls)
	}
}

func TestModelsThatContradictTheirRows(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(f *fixture){
		"the model has no table 'Other'":                  func(f *fixture) { f.data[0].Table = "Other" },
		"has no column [Other]":                           func(f *fixture) { f.data[0].Columns[0].Name = "Other" },
		"is given twice":                                  func(f *fixture) { f.data[0].Columns[0].Name = "Amount" },
		"have 8 and 7 values":                             func(f *fixture) { c := &f.data[0].Columns[1]; c.Values = c.Values[1:] },
		"'Product'[Product Key] is \"1\" in rows 1 and 2": func(f *fixture) { f.data[1].Columns[0].Values[1] = evaluate.OfNumber(1) },
		"'Product'[Product Key] is BLANK in row 2":        func(f *fixture) { f.data[1].Columns[0].Values[1] = evaluate.Value{} },
		"which a relationship needs":                      func(f *fixture) { f.data[0].Columns = f.data[0].Columns[2:] },
	} {
		f := shop(t)
		change(f)
		if m, err := evaluate.New(&f.Model, f.data, evaluate.Options{}); err == nil || m != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
