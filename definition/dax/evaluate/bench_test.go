package evaluate_test

import (
	"fmt"
	"strings"
	"testing"

	"readiness/definition/dax/evaluate"
)

// large is shop with the number of sales.
func large(t testing.TB, sales int) *evaluate.Model {
	t.Helper()
	f := shop(t)
	var b strings.Builder
	b.WriteString("Sales\nKey:int64|Product Key:int64|Store Key:int64|Order Date:dateTime|Ship Date:dateTime|Quantity:int64|Amount:decimal\n")
	for i := range sales {
		at := day(2023, 1, 1+i*7%730)
		fmt.Fprintf(&b, "%d|%d|%d|%s|%s|%d|%d.25\n", i, 1+i%5, 1+i%3, at.Format("2006-01-02"), at.Format("2006-01-02"), 1+i%10, i%1000)
	}
	_, f.data[0] = table(t, b.String())
	return f.model(t)
}

func BenchmarkQuery(b *testing.B) {
	m := large(b, 100_000)
	for name, query := range map[string]string{
		"total":       "EVALUATE ROW(\"t\", [Total])",
		"by month":    "EVALUATE SUMMARIZECOLUMNS('Date'[Year], 'Date'[Month], \"t\", [Total])",
		"by two":      "EVALUATE SUMMARIZECOLUMNS('Date'[Year], Product[Product Name], Store[City], \"t\", [Total], \"l\", [Last Year])",
		"row by row":  "EVALUATE ROW(\"t\", SUMX(Sales, Sales[Quantity] * RELATED(Product[Price])))",
		"filter":      "EVALUATE ROW(\"t\", CALCULATE([Total], FILTER(Sales, Sales[Quantity] > 5 && Sales[Amount] < 500)))",
		"to date":     "EVALUATE SUMMARIZECOLUMNS('Date'[Year], 'Date'[Month], \"t\", [Year to Date])",
		"distinct":    "EVALUATE SUMMARIZECOLUMNS(Store[City], \"n\", DISTINCTCOUNT(Sales[Order Date]))",
		"transitions": "EVALUATE TOPN(3, ADDCOLUMNS(VALUES(Product[Product Name]), \"t\", [Total]), [t], DESC)",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Query(query, evaluate.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkModel(b *testing.B) {
	for b.Loop() {
		large(b, 100_000)
	}
}
