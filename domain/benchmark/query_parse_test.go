package benchmark_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark"
	"readiness/internal/samples"
)

// anyName draws names that often contain what DAX must escape.
func anyName() *rapid.Generator[string] {
	return rapid.StringOf(rapid.OneOf(rapid.SampledFrom([]rune("'][\"\n\r ,()=+//--")), rapid.SampledFrom([]rune("aB1é")), rapid.Rune()))
}

// anyColumn draws a column; its table has a name, as every table does.
func anyColumn(t *rapid.T) benchmark.Field {
	return benchmark.Field{Table: "T" + anyName().Draw(t, "table"), Name: anyName().Draw(t, "column")}
}

func anyFilter(t *rapid.T) benchmark.Filter {
	day := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"1900", "1999", "2024"}).Draw(t, "year") + "-" + rapid.SampledFrom([]string{"01-01", "02-28", "12-31"}).Draw(t, "date")
	})
	f := benchmark.Filter{Field: anyColumn(t)}
	var value *rapid.Generator[string]
	f.Type = rapid.SampledFrom([]benchmark.ValueType{benchmark.TextValue, benchmark.NumberValue, benchmark.DateValue, benchmark.BooleanValue}).Draw(t, "type")
	switch f.Type {
	case benchmark.NumberValue:
		value = rapid.StringMatching(`-?[0-9]{1,12}(\.[0-9]{1,4})?`)
	case benchmark.DateValue:
		value = day
	case benchmark.BooleanValue:
		value = rapid.SampledFrom([]string{"true", "false"})
	case benchmark.TextValue:
		value = anyName()
	}
	f.Operator = rapid.SampledFrom([]benchmark.Operator{
		benchmark.Equal, benchmark.NotEqual, benchmark.Less, benchmark.LessOrEqual, benchmark.Greater, benchmark.GreaterOrEqual,
		benchmark.In, benchmark.Between, benchmark.Contains, benchmark.InPeriod,
	}).Draw(t, "operator")
	switch f.Operator {
	case benchmark.In:
		f.Values = rapid.SliceOfN(value, 1, 4).Draw(t, "values")
	case benchmark.Between:
		f.Values = rapid.SliceOfNDistinct(value, 2, 2, rapid.ID[string]).Draw(t, "values")
	case benchmark.Contains:
		f.Type, f.Values = benchmark.TextValue, []string{anyName().Draw(t, "value")}
	case benchmark.InPeriod:
		unit := rapid.SampledFrom([]benchmark.Unit{benchmark.Day, benchmark.Week, benchmark.Month, benchmark.Quarter, benchmark.Year}).Draw(t, "unit")
		last, _ := benchmark.LastUnits(rapid.IntRange(1, 10_000).Draw(t, "count"), unit)
		f.Type = benchmark.TextValue
		f.Values = []string{rapid.SampledFrom([]benchmark.Period{last, last, benchmark.This(unit), benchmark.ToDate(unit)}).Draw(t, "period").String()}
	default:
		f.Values = []string{value.Draw(t, "value")}
	}
	return f
}

func anyQuery(t *rapid.T) benchmark.Query {
	var q benchmark.Query
	for _, name := range rapid.SliceOfNDistinct(anyName(), 0, 3, rapid.ID[string]).Draw(t, "measures") {
		q.Measures = append(q.Measures, benchmark.Field{Name: name})
	}
	for range rapid.IntRange(min(1, max(0, 1-len(q.Measures))), 3).Draw(t, "groupings") {
		q.Groupings = append(q.Groupings, anyColumn(t))
	}
	for range rapid.IntRange(0, 3).Draw(t, "filters") {
		f := anyFilter(t)
		if len(q.Measures) > 0 && rapid.Bool().Draw(t, "by a measure") {
			f.Field = rapid.SampledFrom(q.Measures).Draw(t, "measure")
			if rapid.Bool().Draw(t, "ranked") {
				f.Operator = rapid.SampledFrom([]benchmark.Operator{benchmark.Top, benchmark.Bottom}).Draw(t, "rank")
				f.Type, f.Values = benchmark.NumberValue, []string{rapid.SampledFrom([]string{"1", "10"}).Draw(t, "count")}
			}
		}
		q.Filters = append(q.Filters, f)
	}
	return q
}

// ParseQuery parses what DAX writes.
func TestQueryParsesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := anyQuery(t)
		got, err := benchmark.ParseQuery(q.DAX())
		if err != nil {
			t.Fatalf("%v in\n%s", err, q.DAX())
		}
		byText := func(filters []benchmark.Filter) []string {
			var all []string
			for _, f := range filters {
				all = append(all, benchmark.Query{Groupings: []benchmark.Field{{}}, Measures: q.Measures, Filters: []benchmark.Filter{f}}.DAX()+f.Operator)
			}
			slices.Sort(all)
			return all
		}
		if !slices.Equal(got.Measures, q.Measures) || !slices.Equal(got.Groupings, q.Groupings) || !slices.Equal(byText(got.Filters), byText(q.Filters)) {
			t.Fatalf("got %+v\nwant %+v\nfrom\n%s", got, q, q.DAX())
		}
	})
}

func TestParseQuery(t *testing.T) {
	t.Parallel()
	got, err := benchmark.ParseQuery("evaluate topn(3, SummarizeColumns(Product[Category], 'Date'[Year], \"x\", Sales[Total Sales]), [Total Sales], desc) order by [Total Sales] desc")
	want := benchmark.Query{
		Measures:  []benchmark.Field{{Name: "Total Sales"}},
		Groupings: []benchmark.Field{{Table: "Product", Name: "Category"}, {Table: "Date", Name: "Year"}},
		Filters:   []benchmark.Filter{{Field: benchmark.Field{Name: "Total Sales"}, Operator: benchmark.Top, Values: []string{"3"}, Type: benchmark.NumberValue}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for _, dax := range []string{
		"", "EVALUATE", "EVALUATE Sales", "EVALUATE ROW(\"x\", SUM(Sales[Amount]))", "EVALUATE ROW(\"x\", [y]) // and more", "EVALUATE ROW(\"x\", [y]), 1",
		"EVALUATE ROW(\"x\", [y]", "DEFINE VAR a = 1 EVALUATE ROW(\"x\", a)", "EVALUATE SUMMARIZECOLUMNS(FILTER(ALL('A'[B]), 'A'[C] = 1), \"x\", [y])",
		"EVALUATE ROW(\"x\", CALCULATE([y], FILTER(ALL('A'[B]), 'A'[B] = 1)), \"z\", [z])", "EVALUATE SUMMARIZECOLUMNS(FILTER(ALL('A'[B]), 'A'[B] = DATE(2024, 13, 1)), \"x\", [y])",
	} {
		if q, err := benchmark.ParseQuery(dax); err == nil {
			t.Errorf("ParseQuery(%q) = %+v", dax, q)
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, seed := range []string{"EVALUATE\nROW(\"x\", CALCULATE([y], FILTER(ALL('A'[B]), 'A'[B] >= TODAY() - 7 + 1 && 'A'[B] < TODAY() + 1)))", "EVALUATE FILTER(FILTER(", "EVALUATE 'a''", "[\xff"} {
		f.Add(seed)
	}
	for _, files := range samples.Items(f, ".SemanticModel") {
		var parts []definition.Part
		for path, text := range files {
			parts = append(parts, definition.Part{Path: path, Data: text})
		}
		m, err := semanticmodel.Read(definition.New(parts...))
		if err != nil {
			continue // one of the samples cannot be parsed
		}
		queries, _ := benchmark.Generate(m, benchmark.Wanted{Year: 2025, Count: 10})
		for _, q := range queries {
			f.Add(q.DAX())
		}
	}
	f.Fuzz(func(t *testing.T, dax string) {
		q, err := benchmark.ParseQuery(dax)
		if err != nil {
			return
		}
		again, err := benchmark.ParseQuery(q.DAX())
		if err != nil || again.DAX() != q.DAX() || !reflect.DeepEqual(again.Fields(), q.Fields()) {
			t.Errorf("%+v is read back as %+v, %v", q, again, err)
		}
	})
}
