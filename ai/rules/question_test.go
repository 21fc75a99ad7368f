package rules_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"readiness/ai/rules"
	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/modelquery"
	"readiness/test/samples"
)

// asked returns a model whose names need words.
func asked() *semanticmodel.Model {
	text := func(names ...string) (all []semanticmodel.Column) {
		for _, n := range names {
			all = append(all, semanticmodel.Column{Name: n, DataType: semanticmodel.String})
		}
		return all
	}
	return &semanticmodel.Model{
		Tables: []semanticmodel.Table{
			{Name: "FactSales", Columns: text("ProdId", "DateId", "OrderStatus"), Measures: []semanticmodel.Measure{
				{Name: "Sales Qty"}, {Name: "# Orders"}, {Name: "Margin %"}, {Name: "TotalAmt"}, {Name: "# Total Cost"}, {Name: "Cost of Sales"}, {Name: "Units Sold"},
				{Name: "[]"}, {Name: strings.Repeat("Long ", 20)}, {Name: "SalesQty"},
			}},
			{Name: "DimProduct", Columns: text("ProdId", "Name", "ProdCat", "Status")},
			{Name: "DimCustomer", Columns: text("Status", "City")},
			{Name: "Date", DataCategory: "Time", Columns: append(text("Year", "Month Name", "Fiscal Year"), semanticmodel.Column{Name: "Date", DataType: semanticmodel.DateTime})},
		},
		Relationships: []semanticmodel.Relationship{
			{FromTable: "FactSales", FromColumn: "ProdId", ToTable: "DimProduct", ToColumn: "ProdId", IsActive: true, FromCardinality: semanticmodel.Many, ToCardinality: semanticmodel.One},
		},
	}
}

// Questions use the meaning of the names, not the names.
func TestQuestionsInWords(t *testing.T) {
	t.Parallel()
	field := func(table, name string) modelquery.Field { return modelquery.Field{Table: table, Name: name} }
	of := func(measure string, rest ...any) modelquery.Query {
		q := modelquery.Query{Measures: []modelquery.Field{field("FactSales", measure)}}
		for _, r := range rest {
			switch r := r.(type) {
			case modelquery.Field:
				q.Groupings = append(q.Groupings, r)
			case modelquery.Filter:
				q.Filters = append(q.Filters, r)
			case string:
				q.Measures = append(q.Measures, field("FactSales", r))
			}
		}
		return q
	}
	when := func(table, name, operator string, values ...string) modelquery.Filter {
		return modelquery.Filter{Field: field(table, name), Operator: operator, Values: values}
	}
	top := func(operator, n string) modelquery.Filter { return when("FactSales", "Sales Qty", operator, n) }
	for name, tt := range map[string]struct {
		query modelquery.Query
		want  string // a pattern; "" for no question
	}{
		"an abbreviation":       {of("Sales Qty"), `\bthe sales quantity[?.]$`},
		"run together":          {of("TotalAmt"), `\bthe total amount[?.]$`},
		"a count":               {of("# Orders"), `\bthe number of orders[?.]$`},
		"a sign that is none":   {of("# Total Cost"), `\bthe total cost[?.]$`},
		"a percentage":          {of("Margin %"), `\bthe margin percentage[?.]$`},
		"by a column":           {of("Sales Qty", field("DimProduct", "ProdCat")), `\bsales quantity\b.* product category[?.]$`},
		"a column of any table": {of("Sales Qty", field("DimProduct", "Name")), `\bsales quantity\b.* product name[?.]$`},
		"a column of two":       {of("Sales Qty", field("DimCustomer", "Status")), `\bsales quantity\b.* customer status[?.]$`},
		"a column of the fact":  {of("Sales Qty", field("FactSales", "OrderStatus")), `\bsales quantity\b.* order status[?.]$`},
		"over time":             {of("Sales Qty", field("Date", "Month Name")), `\bsales quantity\b.* month[?.]$`},
		"another year":          {of("Sales Qty", field("Date", "Fiscal Year")), `\bsales quantity\b.* fiscal year[?.]$`},
		"in a year":             {of("Sales Qty", when("Date", "Year", "=", "2025")), `\bsales quantity in 2025[?.]$`},
		"in a year of days":     {of("Sales Qty", when("Date", "Date", "between", "2025-01-01", "2025-12-31")), `\bsales quantity in 2025[?.]$`},
		"in a quarter":          {of("Sales Qty", when("Date", "Date", "between", "2025-07-01", "2025-09-30")), `\bsales quantity in Q3 2025[?.]$`},
		"in a period":           {of("Sales Qty", when("Date", "Date", "period", "last month")), `\bsales quantity last month[?.]$`},
		"in a longer period":    {of("Sales Qty", when("Date", "Date", "period", "last 12 months")), `\bsales quantity in the last 12 months[?.]$`},
		"the top":               {of("Sales Qty", field("DimCustomer", "City"), top("top", "5")), `^(Which 5 cities have the highest|What are the top 5 cities by|Show the top 5 cities by) sales quantity[?.]$`},
		"the bottom":            {of("Sales Qty", field("DimCustomer", "City"), top("bottom", "3")), `^(Which 3 cities have the lowest|What are the bottom 3 cities by) sales quantity\?$`},
		"by two":                {of("Sales Qty", field("DimCustomer", "City"), field("DimProduct", "ProdCat")), `\bsales quantity\b.* city and product category[?.]$`},
		"of two":                {of("Sales Qty", "TotalAmt", field("DimCustomer", "City")), `\bsales quantity and the total amount\b.* city[?.]$`},
		"no words":              {of("[]"), ""},
		"too many words":        {of(strings.Repeat("Long ", 20)), ""},
		"no such measure":       {of("Gone"), ""},
		"no such column":        {of("Sales Qty", field("DimCustomer", "Gone")), ""},
		"a filter of no time":   {of("Sales Qty", when("DimCustomer", "City", "=", "Rome")), ""},
		"odd days":              {of("Sales Qty", when("Date", "Date", "between", "2025-07-02", "2025-09-30")), ""},
		"the top of all":        {of("Sales Qty", top("top", "5")), ""},
		"nothing":               {modelquery.Query{}, ""},
	} {
		got := rules.Questions(asked(), []modelquery.Query{tt.query}, 1)[0]
		if (got == "") != (tt.want == "") || !regexp.MustCompile(tt.want).MatchString(got) {
			t.Errorf("%s: got %q, want %s", name, got, tt.want)
		}
	}
	for measure, verb := range map[string]string{"Units Sold": "are", "Cost of Sales": "is", "Sales Qty": "is", "# Orders": "is"} {
		var texts []string // the query determines the sentence, so some of these start with What
		for _, g := range []modelquery.Field{field("DimCustomer", "City"), field("DimCustomer", "Status"), field("DimProduct", "Name"), field("DimProduct", "ProdCat"), field("DimProduct", "Status"), field("FactSales", "OrderStatus"), field("Date", "Month Name"), field("Date", "Fiscal Year"), field("Date", "Year")} {
			texts = append(texts, rules.Questions(asked(), []modelquery.Query{of(measure, g)}, 1)...)
		}
		if !slices.ContainsFunc(texts, func(s string) bool { return strings.HasPrefix(s, "What "+verb+" the ") }) {
			t.Errorf("%s is never asked with %q: %q", measure, verb, texts)
		}
	}
}

// There is a text for each query in its place, no text twice, and at most as many as requested.
func TestQuestionsOfMany(t *testing.T) {
	t.Parallel()
	one := func(name string) modelquery.Query {
		return modelquery.Query{Measures: []modelquery.Field{{Table: "FactSales", Name: name}}}
	}
	queries := []modelquery.Query{one("[]"), one("Sales Qty"), one("Sales Qty"), one("TotalAmt"), one("Margin %")}
	got := rules.Questions(asked(), queries, 2)
	if len(got) != 5 || got[0] != "" || got[1] == "" || got[2] != "" || got[3] == "" || got[4] != "" {
		t.Errorf("got %q", got)
	}
	if again := rules.Questions(asked(), []modelquery.Query{one("TotalAmt")}, 1); again[0] != got[3] {
		t.Errorf("%q among others is %q alone", got[3], again[0])
	}
}

var templates = regexp.MustCompile(`[\[\]{}']|\b(M|N|G|GG|H|K|AM)\b`)

// For every sample with measures, the requested number of questions can be phrased, on lines that
// people can read.
func TestQuestionsOfSamples(t *testing.T) {
	t.Parallel()
	roots := []string{samples.Workspaces(t)}
	if corpus, public := samples.Corpus(t); public {
		roots = append(roots, corpus)
	}
	models := 0
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			m := modelAt(t, path)
			if m == nil {
				return nil
			}
			queries, err := benchmark.Generate(m, benchmark.Wanted{Year: 2025, Count: 10})
			if err != nil { // no questions
				return fs.SkipDir
			}
			models++
			texts := slices.DeleteFunc(rules.Questions(m, queries, 10), func(s string) bool { return s == "" })
			if len(texts) != 10 {
				t.Errorf("%s: %d questions of %d queries", path, len(texts), len(queries))
			}
			for _, text := range texts {
				if strings.TrimSpace(text) != text || utf8.RuneCountInString(text) > rules.MaxQuestion || templates.MatchString(text) || strings.Contains(text, "  ") {
					t.Errorf("%s: %q", path, text)
				}
			}
			return fs.SkipDir
		})
		if err != nil {
			t.Error(err)
		}
	}
	if models < 7 {
		t.Errorf("only %d models", models)
	}
}

// modelAt returns the model of a folder, nil if none can be read.
func modelAt(t *testing.T, path string) *semanticmodel.Model {
	t.Helper()
	if m, err := semanticmodel.Read(definition.New(read(t, path)...)); err == nil && len(m.Tables) > 0 {
		return m
	}
	return nil
}
