package modelquery_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/modelquery"
	"readiness/test/samples"
)

// anyName draws names that often contain what DAX must escape.
func anyName() *rapid.Generator[string] {
	return rapid.StringOf(rapid.OneOf(rapid.SampledFrom([]rune("'][\"\n\r ,()=+//--")), rapid.SampledFrom([]rune("aB1é")), rapid.Rune()))
}

// anyColumn draws a column; its table has a name, as every table does.
func anyColumn(t *rapid.T) modelquery.Field {
	return modelquery.Field{Table: "T" + anyName().Draw(t, "table"), Name: anyName().Draw(t, "column")}
}

func anyFilter(t *rapid.T) modelquery.Filter {
	day := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"1900", "1999", "2024"}).Draw(t, "year") + "-" + rapid.SampledFrom([]string{"01-01", "02-28", "12-31"}).Draw(t, "date")
	})
	f := modelquery.Filter{Field: anyColumn(t)}
	var value *rapid.Generator[string]
	f.Type = rapid.SampledFrom([]modelquery.ValueType{modelquery.TextValue, modelquery.NumberValue, modelquery.DateValue, modelquery.BooleanValue}).Draw(t, "type")
	switch f.Type {
	case modelquery.NumberValue:
		value = rapid.StringMatching(`-?[0-9]{1,12}(\.[0-9]{1,4})?`)
	case modelquery.DateValue:
		value = day
	case modelquery.BooleanValue:
		value = rapid.SampledFrom([]string{"true", "false"})
	case modelquery.TextValue:
		value = anyName()
	}
	f.Operator = rapid.SampledFrom([]modelquery.Operator{
		modelquery.Equal, modelquery.NotEqual, modelquery.Less, modelquery.LessOrEqual, modelquery.Greater, modelquery.GreaterOrEqual,
		modelquery.In, modelquery.Between, modelquery.Contains, modelquery.InPeriod,
	}).Draw(t, "operator")
	switch f.Operator {
	case modelquery.In:
		f.Values = rapid.SliceOfN(value, 1, 4).Draw(t, "values")
	case modelquery.Between:
		f.Values = rapid.SliceOfNDistinct(value, 2, 2, rapid.ID[string]).Draw(t, "values")
	case modelquery.Contains:
		f.Type, f.Values = modelquery.TextValue, []string{anyName().Draw(t, "value")}
	case modelquery.InPeriod:
		unit := rapid.SampledFrom([]modelquery.Unit{modelquery.Day, modelquery.Week, modelquery.Month, modelquery.Quarter, modelquery.Year}).Draw(t, "unit")
		last, _ := modelquery.LastUnits(rapid.IntRange(1, 10_000).Draw(t, "count"), unit)
		f.Type = modelquery.TextValue
		f.Values = []string{rapid.SampledFrom([]modelquery.Period{last, last, modelquery.This(unit), modelquery.ToDate(unit)}).Draw(t, "period").String()}
	default:
		f.Values = []string{value.Draw(t, "value")}
	}
	return f
}

func anyQuery(t *rapid.T) modelquery.Query {
	var q modelquery.Query
	for _, name := range rapid.SliceOfNDistinct(anyName(), 0, 3, rapid.ID[string]).Draw(t, "measures") {
		q.Measures = append(q.Measures, modelquery.Field{Name: name})
	}
	for range rapid.IntRange(min(1, max(0, 1-len(q.Measures))), 3).Draw(t, "groupings") {
		q.Groupings = append(q.Groupings, anyColumn(t))
	}
	for range rapid.IntRange(0, 3).Draw(t, "filters") {
		f := anyFilter(t)
		if len(q.Measures) > 0 && rapid.Bool().Draw(t, "by a measure") {
			f.Field = rapid.SampledFrom(q.Measures).Draw(t, "measure")
			if rapid.Bool().Draw(t, "ranked") {
				f.Operator = rapid.SampledFrom([]modelquery.Operator{modelquery.Top, modelquery.Bottom}).Draw(t, "rank")
				f.Type, f.Values = modelquery.NumberValue, []string{rapid.SampledFrom([]string{"1", "10"}).Draw(t, "count")}
			}
		}
		q.Filters = append(q.Filters, f)
	}
	return q
}

// Parse parses what DAX writes.
func TestQueryParsesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := anyQuery(t)
		got, ok := modelquery.Parse(q.DAX())
		if !ok {
			t.Fatalf("is not parsed:\n%s", q.DAX())
		}
		byText := func(filters []modelquery.Filter) []string {
			var all []string
			for _, f := range filters {
				all = append(all, modelquery.Query{Groupings: []modelquery.Field{{}}, Measures: q.Measures, Filters: []modelquery.Filter{f}}.DAX()+f.Operator)
			}
			slices.Sort(all)
			return all
		}
		if !slices.Equal(got.Measures, q.Measures) || !slices.Equal(got.Groupings, q.Groupings) || !slices.Equal(byText(got.Filters), byText(q.Filters)) {
			t.Fatalf("got %+v\nwant %+v\nfrom\n%s", got, q, q.DAX())
		}
	})
}

func TestParse(t *testing.T) {
	t.Parallel()
	got, ok := modelquery.Parse("evaluate topn(3, SummarizeColumns(Product[Category], 'Date'[Year], \"x\", Sales[Total Sales]), [Total Sales], desc) order by [Total Sales] desc")
	want := modelquery.Query{
		Measures:  []modelquery.Field{{Name: "Total Sales"}},
		Groupings: []modelquery.Field{{Table: "Product", Name: "Category"}, {Table: "Date", Name: "Year"}},
		Filters:   []modelquery.Filter{{Field: modelquery.Field{Name: "Total Sales"}, Operator: modelquery.Top, Values: []string{"3"}, Type: modelquery.NumberValue}},
	}
	if !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %t, want %+v", got, ok, want)
	}
	for _, dax := range []string{
		"", "EVALUATE", "EVALUATE Sales", "EVALUATE ROW(\"x\", SUM(Sales[Amount]))", "EVALUATE ROW(\"x\", [y]) // and more", "EVALUATE ROW(\"x\", [y]), 1",
		"EVALUATE ROW(\"x\", [y]", "DEFINE VAR a = 1 EVALUATE ROW(\"x\", a)", "EVALUATE SUMMARIZECOLUMNS(FILTER(ALL('A'[B]), 'A'[C] = 1), \"x\", [y])",
		"EVALUATE ROW(\"x\", CALCULATE([y], FILTER(ALL('A'[B]), 'A'[B] = 1)), \"z\", [z])", "EVALUATE SUMMARIZECOLUMNS(FILTER(ALL('A'[B]), 'A'[B] = DATE(2024, 13, 1)), \"x\", [y])",
	} {
		if q, ok := modelquery.Parse(dax); ok {
			t.Errorf("Parse(%q) = %+v", dax, q)
		}
	}
}

func FuzzParse(f *testing.F) {
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
		q, ok := modelquery.Parse(dax)
		if !ok {
			return
		}
		again, ok := modelquery.Parse(q.DAX())
		if !ok || again.DAX() != q.DAX() || !reflect.DeepEqual(again.Fields(), q.Fields()) {
			t.Errorf("%+v is read back as %+v, %t", q, again, ok)
		}
	})
}
