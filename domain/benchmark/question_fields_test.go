package benchmark_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/modelquery"
)

// A query's own DAX gives its fields, whatever the names are.
func TestFieldsOf(t *testing.T) {
	t.Parallel()
	tables := []string{"Sales", "it's \"x\"", "Ärger [1]", "a, b) // c", "EVALUATE"}
	columns := []string{"Region", "a]b", "x \"y\" 'z'", "TOPN(1)", "Date /* */"}
	measures := []string{"Net Sales", "m]]", "% of \"all\"", "-- no"}
	m := &semanticmodel.Model{}
	for i, name := range tables {
		table := semanticmodel.Table{Name: name}
		for _, c := range columns {
			table.Columns = append(table.Columns, semanticmodel.Column{Name: c})
		}
		if i < len(measures) {
			table.Measures = []semanticmodel.Measure{{Name: measures[i]}}
		}
		m.Tables = append(m.Tables, table)
	}
	r := rand.New(rand.NewPCG(3, 4))
	measure := func() modelquery.Field {
		i := r.IntN(len(measures))
		return modelquery.Field{Table: tables[i], Name: measures[i]}
	}
	column := func() modelquery.Field {
		return modelquery.Field{Table: tables[r.IntN(len(tables))], Name: columns[r.IntN(len(columns))]}
	}
	for range 500 {
		first := measure()
		q := modelquery.Query{Measures: []modelquery.Field{first}}
		if second := measure(); second != first && r.IntN(2) == 0 {
			q.Measures = append(q.Measures, second)
		}
		for _, g := range []modelquery.Field{column(), column()}[:r.IntN(3)] {
			if len(q.Groupings) == 0 || q.Groupings[0] != g {
				q.Groupings = append(q.Groupings, g)
			}
		}
		calendar := modelquery.Calendar{Table: "Sales", Date: modelquery.CalendarColumn{Name: "Date /* */"}}
		year := modelquery.Calendar{Table: "Sales", Year: modelquery.CalendarColumn{Name: "Region", DataType: "int64"}}
		month, _ := calendar.In(modelquery.MonthSpan(2024, 1+r.IntN(12)))
		whole, _ := year.In(modelquery.YearSpan(2000 + r.IntN(50)))
		period, _ := calendar.During(modelquery.Last(modelquery.Quarter))
		text := modelquery.Filter{Field: column(), Operator: modelquery.Equal, Values: []string{`say "hi" // [x]`}}
		q.Filters = []modelquery.Filter{month, whole, period, text}[r.IntN(4):][:r.IntN(2)]
		if len(q.Groupings) > 0 && r.IntN(2) == 0 {
			q.Filters = append(q.Filters, modelquery.Filter{Field: first, Operator: modelquery.Top, Values: []string{"5"}, Type: modelquery.NumberValue})
		}
		got, ok := benchmark.FieldsOf(q.DAX(), m)
		if d := cmp.Diff(fieldSet(q.Fields()), fieldSet(got)); !ok || d != "" {
			t.Fatalf("of\n%s\ngot %v (-want +got):\n%s", q.DAX(), ok, d)
		}
	}
	for _, other := range []string{
		"", "no query", "EVALUATE Sales", "EVALUATE ROW(\"x\", [Gone])", "EVALUATE SUMMARIZECOLUMNS('Sales'[Gone], \"x\", [Net Sales])",
		"EVALUATE SUMMARIZECOLUMNS('Sales'[Region], FILTER(ALL('Sales'[Gone]), 'Sales'[Gone] = \"x\"), \"x\", [Net Sales])",
		"DEFINE VAR x = 1 EVALUATE ROW(\"x\", [Net Sales])",
	} {
		if fields, ok := benchmark.FieldsOf(other, m); ok || fields != nil {
			t.Errorf("%q is understood as %v", other, fields)
		}
	}
	if fields, ok := benchmark.FieldsOf("evaluate row(\"x\", [NET SALES])", m); !ok || fields[0].Name != "Net Sales" || fields[0].Table != "Sales" {
		t.Errorf("spelled otherwise: %v, %v", fields, ok)
	}
}
