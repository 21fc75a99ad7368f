package evaluate_test

import (
	"errors"
	"testing"

	"readiness/definition/dax/evaluate"
)

// FuzzQuery checks that a query either has rows or is refused.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"EVALUATE SUMMARIZECOLUMNS(Product[Color], 'Date'[Year], FILTER(ALL(Store[City]), Store[City] IN {\"Rome\"}), \"t\", [Total])",
		"EVALUATE TOPN(2, ADDCOLUMNS(VALUES(Store[City]), \"t\", [Total]), [t], DESC) ORDER BY [t]",
		"EVALUATE ROW(\"x\", CALCULATE([Last Year], KEEPFILTERS('Date'[Month] < 3), ALLEXCEPT(Sales, Store[City]), USERELATIONSHIP(Sales[Ship Date], 'Date'[Date])))",
		"DEFINE MEASURE Sales[M] = SUMX(Sales, Sales[Quantity] * RELATED(Product[Price])) VAR y = 2024 EVALUATE CALCULATETABLE({[M], y}, 'Date'[Year] = y)",
		"EVALUATE SELECTCOLUMNS(SUMMARIZE(Sales, Product[Color], \"n\", COUNTROWS(Sales)), \"a\", [n] / 0, \"b\", DIVIDE([n], 0, -1) ^ .5)",
		"EVALUATE FILTER(CROSSJOIN({1, BLANK()}, TREATAS({(\"Red\", 1)}, Product[Color], Product[Price])), NOT ISBLANK([Value]) && [Value] <= 1)",
		"EVALUATE CALCULATETABLE(DATESINPERIOD('Date'[Date], DATE(2024, 2, 29), -1, MONTH), DATESYTD('Date'[Date], \"6/30\"))",
		"EVALUATE ROW(\"x\", SWITCH(TRUE(), 1 = 2, \"a\", FORMAT(TODAY() - 1, \"d mmm yy\") & COALESCE(BLANK(), 3)), \"y\", EDATE(DATE(2024, 1, 31), 1))",
	} {
		f.Add(seed)
	}
	m := shop(f).model(f)
	f.Fuzz(func(t *testing.T, query string) {
		r, err := m.Query(query, evaluate.Options{Today: day(2024, 7, 15), MaxSteps: 300_000})
		if err == nil {
			for _, row := range r.Rows {
				if len(row) != len(r.Columns) {
					t.Errorf("a row has %d values, the result %d columns", len(row), len(r.Columns))
				}
			}
			return
		}
		refusal, ok := errors.AsType[*evaluate.Refusal](err)
		if !ok || refusal.Line < 1 || refusal.Column < 1 || refusal.Reason == "" || r.Rows != nil {
			t.Errorf("got %v, %v", r.Rows, err)
		}
	})
}
