package benchmark_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/verdict"
	"readiness/test/samples"
)

func generate(t *testing.T, m *semanticmodel.Model, w benchmark.Wanted) []modelquery.Query {
	t.Helper()
	queries, err := benchmark.Generate(m, w)
	if err != nil {
		t.Fatal(err)
	}
	return queries
}

// set returns the generated questions with made-up texts.
func set(queries []modelquery.Query, count int) benchmark.Set {
	texts := make([]string, len(queries))
	for i := range texts {
		texts[i] = fmt.Sprint("What is ", i, "?")
	}
	return benchmark.GeneratedSet(queries, texts, count)
}

// Questions ask only for what an AI sees, along the directions in which tables filter
// each other.
func TestGenerateAsksOnlyExposed(t *testing.T) {
	t.Parallel()
	queries := generate(t, shop(), benchmark.Wanted{Year: 2025, Count: 100})
	measures, columns := map[string]bool{}, map[string]bool{}
	for _, q := range queries {
		for _, f := range q.Fields() {
			switch f.Role {
			case verdict.MeasureField:
				measures[f.Name] = true
			default:
				columns[f.Table+"["+f.Name+"]"] = true
			}
		}
		if slices.Contains(q.Measures, modelquery.Field{Table: "Targets", Name: "Target"}) {
			for _, g := range q.Groupings {
				if g.Table != "Targets" {
					t.Errorf("a measure of a table that nothing filters is grouped by %v", g)
				}
			}
		}
	}
	for _, never := range []string{"Secret", "_tooltip"} {
		if measures[never] {
			t.Errorf("the measure %s is asked for", never)
		}
	}
	for _, always := range []string{"Sales Amt", "Sales Qty", "Avg Price", "Sales Amt LY", "Target"} {
		if !measures[always] {
			t.Errorf("the measure %s is not asked for", always)
		}
	}
	for _, never := range []string{"Product[ProductKey]", "Product[Image Url]", "Store[Internal Region]", "Staff[Name]", "LocalDateTable_1[Month]", "Sales[Amount]", "Sales[DateKey]"} {
		if columns[never] {
			t.Errorf("questions group by the column %s", never)
		}
	}
	for _, always := range []string{"Product[Product]", "Product[Category]", "Product[Brand]", "Store[Store Name]", "Store[Region]", "Sales[Order Status]", "Date[Year]", "Date[Month]", "Date[Quarter]", "Date[Date]", "Targets[Team]"} {
		if !columns[always] {
			t.Errorf("no question groups by the column %s", always)
		}
	}
}

// kind names what a query asks.
func kind(q modelquery.Query) string {
	time, rank := "", ""
	for _, f := range q.Filters {
		switch f.Operator {
		case modelquery.Top, modelquery.Bottom:
			rank = " " + f.Operator
		case modelquery.InPeriod:
			time = " in a period"
		default:
			time = " in a year"
		}
	}
	date := 0
	for _, g := range q.Groupings {
		if g.Table == "Date" {
			date++
		}
	}
	return fmt.Sprintf("%d by %d, %d of them time%s%s", len(q.Measures), len(q.Groupings), date, time, rank)
}

// A few questions are spread over measures, tables and kinds, and none is repeated.
func TestGenerateIsSpread(t *testing.T) {
	t.Parallel()
	queries := generate(t, shop(), benchmark.Wanted{Year: 2025, Count: 20})
	if len(queries) != 40 {
		t.Fatalf("%d queries, want twice 20", len(queries))
	}
	ids, kinds, measures, columns := map[string]bool{}, map[string]int{}, map[string]int{}, map[modelquery.Field]int{}
	for i, q := range queries {
		if ids[benchmark.QuestionIDOf(q)] {
			t.Errorf("%v is there twice", q)
		}
		ids[benchmark.QuestionIDOf(q)] = true
		if i >= 20 {
			continue
		}
		kinds[kind(q)]++
		measures[q.Measures[0].Name]++
		for _, g := range q.Groupings {
			columns[g]++
		}
	}
	for _, want := range []string{
		"1 by 0, 0 of them time", "1 by 1, 0 of them time", "1 by 1, 1 of them time", "1 by 1, 0 of them time top", "1 by 0, 0 of them time in a year",
		"1 by 2, 0 of them time", "2 by 1, 0 of them time",
	} {
		if kinds[want] == 0 {
			t.Errorf("no question of kind %q among %v", want, kinds)
		}
	}
	for name, n := range measures {
		if n > 6 {
			t.Errorf("%d of 20 questions ask for %s", n, name)
		}
	}
	if len(measures) < 4 || len(columns) < 6 {
		t.Errorf("only %d measures by %d columns", len(measures), len(columns))
	}
}

// The most viewed fields come first.
func TestGenerateByUsage(t *testing.T) {
	t.Parallel()
	views := map[string]map[string]int64{"sales": {"avg price": 900, "Sales Qty": 10}, "Store": {"Region": 50, "Store Name": 2}}
	queries := generate(t, shop(), benchmark.Wanted{Views: views, Year: 2025, Count: 5})
	if want := []modelquery.Field{{Table: "Sales", Name: "Avg Price"}}; !cmp.Equal(queries[0].Measures, want) {
		t.Errorf("first is %v", queries[0])
	}
	if want := []modelquery.Field{{Table: "Store", Name: "Region"}}; !cmp.Equal(queries[0].Groupings, want) {
		t.Errorf("first is %v, want by region", queries[0])
	}
	plain := generate(t, shop(), benchmark.Wanted{Year: 2025, Count: 5})
	shown := map[string]map[string]int64{"Sales": {"Avg Price": 2, "Sales Qty": 1}, "Product": {"Brand": 1}}
	if q := generate(t, shop(), benchmark.Wanted{Shown: shown, Year: 2025, Count: 5})[0]; q.Measures[0].Name != "Avg Price" || q.Groupings[0].Name != "Brand" {
		t.Errorf("first is %v, want what reports show", q)
	}
	if q := generate(t, shop(), benchmark.Wanted{Views: map[string]map[string]int64{"Sales": {"Sales Amt": 1}}, Shown: shown, Year: 2025, Count: 5})[0]; q.Measures[0].Name != "Sales Amt" {
		t.Errorf("first is %v, want what people view", q)
	}
	if cmp.Equal(plain, queries) {
		t.Error("usage changes nothing")
	}
}

// The order of a definition does not matter, and a query keeps its id.
func TestGenerateIsDeterministic(t *testing.T) {
	t.Parallel()
	want := generate(t, shop(), benchmark.Wanted{Year: 2025, Count: 30})
	for seed := range uint64(30) {
		m := shop()
		r := rand.New(rand.NewPCG(seed, 0))
		r.Shuffle(len(m.Tables), func(i, j int) { m.Tables[i], m.Tables[j] = m.Tables[j], m.Tables[i] })
		r.Shuffle(len(m.Relationships), func(i, j int) {
			m.Relationships[i], m.Relationships[j] = m.Relationships[j], m.Relationships[i]
		})
		for i := range m.Tables {
			c, x := m.Tables[i].Columns, m.Tables[i].Measures
			r.Shuffle(len(c), func(i, j int) { c[i], c[j] = c[j], c[i] })
			r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		}
		if d := cmp.Diff(want, generate(t, m, benchmark.Wanted{Year: 2025, Count: 30})); d != "" {
			t.Fatalf("another order, other questions:\n%s", d)
		}
	}
	q := want[7]
	other := modelquery.Query{Measures: slices.Clone(q.Measures), Groupings: slices.Clone(q.Groupings), Filters: slices.Clone(q.Filters)}
	slices.Reverse(other.Measures)
	slices.Reverse(other.Groupings)
	if benchmark.QuestionIDOf(q) != benchmark.QuestionIDOf(other) || len(benchmark.QuestionIDOf(q)) != len("q-123456789abc") {
		t.Errorf("the ids %s and %s", benchmark.QuestionIDOf(q), benchmark.QuestionIDOf(other))
	}
}

func TestGenerateNothing(t *testing.T) {
	t.Parallel()
	bare := shop()
	for i := range bare.Tables {
		bare.Tables[i].Measures = nil
	}
	hidden := shop()
	for i := range hidden.Tables {
		hidden.Tables[i].IsHidden = true
	}
	for name, tt := range map[string]struct {
		m    *semanticmodel.Model
		want string
	}{"no model": {&semanticmodel.Model{}, "has none"}, "no measures": {bare, "has none"}, "no measure that is seen": {hidden, "sees none"}} {
		queries, err := benchmark.Generate(tt.m, benchmark.Wanted{Year: 2025, Count: 5})
		if !domain.IsRefused(err, domain.QuestionsNotGenerated) || !strings.Contains(err.Error(), tt.want) || queries != nil {
			t.Errorf("%s: got %v, %v", name, queries, err)
		}
	}
}

// Generation also ends for measures that refer to each other in a cycle, and for models
// that are all relationships.
func TestGenerateDegenerateModels(t *testing.T) {
	t.Parallel()
	m := &semanticmodel.Model{}
	for i := range 60 {
		m.Tables = append(m.Tables, semanticmodel.Table{
			Name: fmt.Sprint("T", i), Columns: []semanticmodel.Column{{Name: "C", DataType: semanticmodel.String}},
			Measures: []semanticmodel.Measure{{Name: fmt.Sprint("M", i), Expression: fmt.Sprintf("[M%d] + [M%d] + COUNTROWS(T%d)", (i+1)%60, (i+7)%60, i)}},
		})
		m.Relationships = append(m.Relationships, semanticmodel.Relationship{
			FromTable: fmt.Sprint("T", i), FromColumn: "C", ToTable: fmt.Sprint("T", (i+1)%60), ToColumn: "C", IsActive: true,
			FromCardinality: semanticmodel.Many, ToCardinality: semanticmodel.One,
		})
	}
	if queries := generate(t, m, benchmark.Wanted{Year: 2025, Count: 100}); len(queries) < 60 {
		t.Errorf("%d queries", len(queries))
	}
}

// A query's own DAX parses back to the query, and every generated question can run on
// its model.
func TestGeneratedQuestionsCanRun(t *testing.T) {
	t.Parallel()
	holds(t, "shop", shop())
}

// holds checks that every generated question can be saved and run, and that its query
// is understood.
func holds(t *testing.T, name string, m *semanticmodel.Model) {
	t.Helper()
	questions := set(generate(t, m, benchmark.Wanted{Year: 2025, Count: 100}), 100)
	if len(questions.Questions) == 0 {
		t.Errorf("%s has measures and no questions", name)
	}
	if _, err := questions.Admit(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for _, q := range questions.Questions {
		if ok, why := q.CanRun(m); !ok {
			t.Errorf("%s: %v cannot run: %s", name, q.Expected, why)
		}
		fields, ok := benchmark.FieldsOf(q.Expected.DAX, m)
		if !ok || !cmp.Equal(fieldSet(fields), fieldSet(q.Expected.Fields)) {
			t.Errorf("%s: the query\n%s\nis read as %v (%v), want %v", name, q.Expected.DAX, fields, ok, q.Expected.Fields)
		}
		alone := q
		alone.Expected.Fields = nil
		if ok, why := alone.CanRun(m); !ok {
			t.Errorf("%s: %s cannot run by its query: %s", name, q.Expected.DAX, why)
		}
		if got := alone.WithFields(m); !cmp.Equal(fieldSet(got.Expected.Fields), fieldSet(q.Expected.Fields)) {
			t.Errorf("%s: filled in as %v", name, got.Expected.Fields)
		}
	}
}

func fieldSet(fields []verdict.Field) []string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = fmt.Sprintf("%q %q %q %q %q", f.Role, f.Table, f.Name, f.Operator, f.Values)
	}
	slices.Sort(all)
	return all
}

func TestSamples(t *testing.T) {
	t.Parallel()
	questionsBelow(t, samples.Workspaces(t), 7)
	if corpus, public := samples.Corpus(t); public {
		questionsBelow(t, corpus, 8)
	}
}

// questionsBelow checks every model that has measures visible to AI.
func questionsBelow(t *testing.T, root string, least int) {
	t.Helper()
	models := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		m := modelAt(t, path)
		if m == nil {
			return nil
		}
		name := strings.TrimPrefix(path, root)
		if !slices.ContainsFunc(m.Tables, func(t semanticmodel.Table) bool { return len(t.Measures) > 0 }) {
			if _, err := benchmark.Generate(m, benchmark.Wanted{Year: 2025, Count: 20}); !domain.IsRefused(err, domain.QuestionsNotGenerated) {
				t.Errorf("%s without measures: %v", name, err)
			}
			return fs.SkipDir
		}
		models++
		holds(t, name, m)
		return fs.SkipDir
	})
	if err != nil || models < least {
		t.Errorf("%d models below %s, want %d: %v", models, root, least, err)
	}
}

// modelAt returns the model in a folder; nil when there is none that can be read.
func modelAt(t *testing.T, path string) *semanticmodel.Model {
	t.Helper()
	if m, err := semanticmodel.Read(definition.New(parts(t, path)...)); err == nil && len(m.Tables) > 0 {
		return m
	}
	return nil
}

// parts returns the files in a folder that belong to a model, ignoring all others.
func parts(t *testing.T, root string) (all []definition.Part) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, "model.bim")); err != nil {
		if found, _ := filepath.Glob(filepath.Join(root, "definition", "*.tmdl")); len(found) == 0 {
			return nil
		}
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		all = append(all, definition.Part{Path: filepath.ToSlash(name), Data: text})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
