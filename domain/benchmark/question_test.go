package benchmark_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/verdict"
)

func measure(table, name string) verdict.Field {
	return verdict.Field{Role: verdict.MeasureField, Table: table, Name: name}
}

func by(table, name string) verdict.Field {
	return verdict.Field{Role: verdict.GroupingField, Table: table, Name: name}
}

func where(table, name, operator string, values ...string) verdict.Field {
	return verdict.Field{Role: verdict.FilterField, Table: table, Name: name, Operator: operator, Values: values}
}

func answeredBy(fields ...verdict.Field) benchmark.Question {
	return benchmark.Question{QuestionID: "q", Text: "What?", Expected: benchmark.Expected{Fields: fields}}
}

func TestSetClusters(t *testing.T) {
	t.Parallel()
	for want, ids := range map[int][]string{0: nil, 1: {"a", "a"}, 2: {"", ""}, 3: {"a", "", "b", "a", "b"}} {
		var s benchmark.Set
		for _, id := range ids {
			s.Questions = append(s.Questions, benchmark.Question{ClusterID: id})
		}
		if got := s.Clusters(); got != want {
			t.Errorf("%q: got %d, want %d", ids, got, want)
		}
	}
}

// Stored hashes must stay valid. These were computed by another program.
func TestHash(t *testing.T) {
	t.Parallel()
	full := benchmark.Question{
		QuestionID: "q-1", Text: "What were the net sales by region in <2024> & \"Q1\"?", ClusterID: "c", Source: benchmark.Customer,
		Expected: benchmark.Expected{
			Fields: []verdict.Field{measure("Sales", "Net Sales"), by("Store", "Region"), where("Date", "Year", "in", "2024", "2023")},
			DAX:    "EVALUATE ROW(\"x\", [Net Sales])", Value: "12 Mio. €",
		},
	}
	for name, tt := range map[string]struct {
		set  benchmark.Set
		want string
	}{
		"none":     {benchmark.Set{}, "sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"},
		"one":      {benchmark.Set{Questions: []benchmark.Question{answeredBy(measure("Sales", "Net Sales"))}}, "sha256:ba1a7f67ca5d80e371ac01cd437c0c91e52f70502c8a5c24bd0ebb8185ac6c37"},
		"whole":    {benchmark.Set{Questions: []benchmark.Question{full}, Repeats: 3}, "sha256:3e199bc256dc3bf98b6fcb87f1573b67537c905bef2d1526470a9d35e9e2834a"},
		"of a few": {benchmark.Set{Questions: []benchmark.Question{full, answeredBy(measure("Sales", "Net Sales"))}}, "sha256:ab57eacc747a7ee9511edb80e88087740842a1b82d5c39c7558147db331db316"},
	} {
		if got := tt.set.Hash(); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}

// The hash depends only on the questions and on what is known of their answers.
func TestHashCoversQuestions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string { return fmt.Sprint("t", r.IntN(40)) }
	for range 300 {
		set := benchmark.Set{Repeats: 1}
		for i := range 1 + r.IntN(6) {
			q := benchmark.Question{QuestionID: fmt.Sprint("q", i), Text: text(), ClusterID: text(), Source: benchmark.Generated, Expected: benchmark.Expected{DAX: text(), Value: text()}}
			for range r.IntN(4) {
				q.Expected.Fields = append(q.Expected.Fields, where(text(), text(), modelquery.In, text(), text()))
			}
			set.Questions = append(set.Questions, q)
		}
		other := copied(t, set)
		r.Shuffle(len(other.Questions), func(i, j int) { other.Questions[i], other.Questions[j] = other.Questions[j], other.Questions[i] })
		for i := range other.Questions {
			q := &other.Questions[i]
			q.Source = benchmark.Customer
			slices.Reverse(q.Expected.Fields)
			for j := range q.Expected.Fields {
				slices.Reverse(q.Expected.Fields[j].Values)
			}
		}
		other.Repeats = 5
		if set.Hash() != other.Hash() {
			t.Fatalf("the same set has two hashes:\n%v\n%v", set, other)
		}
		q := &other.Questions[r.IntN(len(other.Questions))]
		for change, f := range map[string]func(){
			"text": func() { q.Text += "?" }, "id": func() { q.QuestionID += "x" }, "cluster": func() { q.ClusterID += "x" }, "dax": func() { q.Expected.DAX += " " },
			"value": func() { q.Expected.Value += "x" }, "fields": func() { q.Expected.Fields = append(q.Expected.Fields, measure("T", "M")) },
			"role": func() { q.Expected.Fields = append(q.Expected.Fields, by("T", "M")) },
		} {
			before := other.Hash()
			if f(); other.Hash() == before {
				t.Fatalf("another %s has the same hash", change)
			}
		}
	}
}

func copied(t *testing.T, s benchmark.Set) (out benchmark.Set) {
	t.Helper()
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// shop returns a model of a fact, two related tables and a calendar.
func shop() *semanticmodel.Model {
	one := func(from, column, to, key string) semanticmodel.Relationship {
		return semanticmodel.Relationship{FromTable: from, FromColumn: column, ToTable: to, ToColumn: key, FromCardinality: semanticmodel.Many, ToCardinality: semanticmodel.One, IsActive: true}
	}
	text := func(names ...string) (all []semanticmodel.Column) {
		for _, n := range names {
			all = append(all, semanticmodel.Column{Name: n, DataType: semanticmodel.String, SummarizeBy: "none"})
		}
		return all
	}
	number := func(hidden bool, names ...string) (all []semanticmodel.Column) {
		for _, n := range names {
			all = append(all, semanticmodel.Column{Name: n, DataType: semanticmodel.Int64, IsHidden: hidden, SummarizeBy: "sum"})
		}
		return all
	}
	day := semanticmodel.Column{Name: "Date", DataType: semanticmodel.DateTime, IsKey: true}
	return &semanticmodel.Model{
		Tables: []semanticmodel.Table{
			{Name: "Sales", Columns: slices.Concat(number(true, "ProductKey", "StoreKey", "DateKey"), number(false, "Qty", "Amount"), text("Order Status")), Measures: []semanticmodel.Measure{
				{Name: "Sales Amt", Expression: "SUM(Sales[Amount])"},
				{Name: "Sales Qty", Expression: "SUM(Sales[Qty])"},
				{Name: "Avg Price", Expression: "DIVIDE([Sales Amt], [Sales Qty])"},
				{Name: "Sales Amt LY", Expression: "CALCULATE([Sales Amt], SAMEPERIODLASTYEAR('Date'[Date]))"},
				{Name: "Secret", Expression: "1", IsHidden: true},
				{Name: "_tooltip", Expression: `"x"`},
			}},
			{Name: "Product", Columns: slices.Concat(number(true, "ProductKey"), text("Product", "Category", "Brand", "Image Url"))},
			{Name: "Store", Columns: slices.Concat(number(true, "StoreKey"), text("Store Name", "Region"), []semanticmodel.Column{{Name: "Internal Region", DataType: semanticmodel.String, IsHidden: true}})},
			{Name: "Date", DataCategory: "Time", Columns: slices.Concat([]semanticmodel.Column{day}, number(false, "Year"), text("Month", "Quarter"))},
			{Name: "Staff", IsPrivate: true, Columns: text("Name")},
			{Name: "LocalDateTable_1", Columns: text("Month")},
			{Name: "Targets", Columns: text("Team"), Measures: []semanticmodel.Measure{{Name: "Target", Expression: "MAX(Targets[Team])"}}},
		},
		Relationships: []semanticmodel.Relationship{
			one("Sales", "ProductKey", "Product", "ProductKey"), one("Sales", "StoreKey", "Store", "StoreKey"), one("Sales", "DateKey", "Date", "Date"),
		},
	}
}

func TestCanRun(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		question benchmark.Question
		why      string // "" when it can
	}{
		"everything is there":               {answeredBy(measure("Sales", "Sales Amt"), by("Product", "Brand"), where("Date", "Year", "=", "2024")), ""},
		"in other letter case":              {answeredBy(measure("SALES", "sales amt"), by("product", "BRAND")), ""},
		"a measure that moved":              {answeredBy(measure("Elsewhere", "Sales Amt")), ""},
		"a measure without table":           {answeredBy(measure("", "Sales Amt")), ""},
		"what nobody sees":                  {answeredBy(measure("Sales", "Secret"), by("Store", "Internal Region"), by("Staff", "Name")), ""},
		"the top by a measure":              {answeredBy(measure("Sales", "Sales Amt"), where("Sales", "Sales Amt", "top", "5")), ""},
		"a renamed measure":                 {answeredBy(measure("Sales", "Revenue"), by("Product", "Brand")), "[Revenue]"},
		"a column is no measure":            {answeredBy(measure("Sales", "Qty")), "[Qty]"},
		"a measure is no column":            {answeredBy(measure("Sales", "Sales Amt"), by("Sales", "Sales Qty")), "'Sales'[Sales Qty]"},
		"a renamed column":                  {answeredBy(measure("Sales", "Sales Amt"), by("Product", "Colour")), "'Product'[Colour]"},
		"a table that is gone":              {answeredBy(measure("Sales", "Sales Amt"), by("Customer", "City")), "'Customer'"},
		"a filter on nothing":               {answeredBy(measure("Sales", "Sales Amt"), where("Date", "Fiscal Year", "=", "2024")), "'Date'[Fiscal Year]"},
		"a value alone":                     {benchmark.Question{Expected: benchmark.Expected{Value: "12"}}, ""},
		"a query that is not composed":      {benchmark.Question{Expected: benchmark.Expected{DAX: "EVALUATE ADDCOLUMNS(VALUES('Product'[Brand]), \"n\", [Sales Amt])"}}, ""},
		"a query of what is gone":           {benchmark.Question{Expected: benchmark.Expected{DAX: "EVALUATE VALUES(Product[Colour])"}}, "'Product'[Colour]"},
		"a query of a measure that is gone": {benchmark.Question{Expected: benchmark.Expected{DAX: "EVALUATE ROW(\"x\", [Sales Amount])"}}, "[Sales Amount]"},
		"a query's own column":              {benchmark.Question{Expected: benchmark.Expected{DAX: "EVALUATE TOPN(3, SUMMARIZECOLUMNS(Product[Brand], \"Total\", [Sales Amt]), [Total])"}}, ""},
		"a column that DAX names":           {benchmark.Question{Expected: benchmark.Expected{DAX: "EVALUATE FILTER({1, 2}, [Value] > 1)"}}, ""},
		"a column without its table":        {benchmark.Question{Expected: benchmark.Expected{DAX: "EVALUATE FILTER(Product, [Brand] = \"x\")"}}, ""},
		"a query that defines":              {benchmark.Question{Expected: benchmark.Expected{DAX: "DEFINE MEASURE Sales[x] = 1 EVALUATE ROW(\"x\", Sales[x])"}}, ""},
		"a query with another's names":      {benchmark.Question{Expected: benchmark.Expected{DAX: "EVALUATE ROW(\"x\", \"'Product'[Colour]\") // Old[Name]"}}, ""},
	} {
		ok, why := tt.question.CanRun(shop())
		if ok != (tt.why == "") || !strings.Contains(why, tt.why) || ok && why != "" {
			t.Errorf("%s: got %v, %q", name, ok, why)
		}
	}
	set := benchmark.Set{Questions: []benchmark.Question{answeredBy(measure("Sales", "Gone")), answeredBy(measure("Sales", "Sales Amt"))}, Repeats: 2}
	can := set.Runnable(shop())
	if len(can.Questions) != 1 || can.Repeats != 2 || can.Questions[0].Expected.Fields[0].Name != "Sales Amt" {
		t.Errorf("what can run: %v", can)
	}
	checked := set.Check(shop(), time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC))
	if checked[0].CanRun || checked[0].Reason == nil || !checked[1].CanRun || checked[1].Reason != nil {
		t.Errorf("checked: %+v", checked)
	}
}

func TestAdmit(t *testing.T) {
	t.Parallel()
	good := func(change func(*benchmark.Question)) benchmark.Set {
		q := benchmark.Question{QuestionID: "a", Text: "What are the sales?", Expected: benchmark.Expected{Value: "12"}}
		change(&q)
		return benchmark.Set{Questions: []benchmark.Question{{QuestionID: "first", Text: "How many?", Expected: benchmark.Expected{Value: "1"}}, q}, Repeats: 1}
	}
	field := func(f verdict.Field) func(*benchmark.Question) {
		return func(q *benchmark.Question) { q.Expected.Fields = []verdict.Field{f} }
	}
	many := func(n int) benchmark.Set {
		s := benchmark.Set{Repeats: 1}
		for i := range n {
			s.Questions = append(s.Questions, benchmark.Question{Text: fmt.Sprint(i), Expected: benchmark.Expected{Value: "1"}})
		}
		return s
	}
	for name, tt := range map[string]struct {
		set    benchmark.Set
		member string // named by the refusal; "" when the set is admitted
	}{
		"none":         {benchmark.Set{Repeats: 1}, ""},
		"a hundred":    {many(100), ""},
		"one too many": {many(101), "questions "},
		"never":        {benchmark.Set{}, "repeats "},
		"21 times":     {benchmark.Set{Repeats: 21}, "repeats "},
		"five times":   {benchmark.Set{Repeats: 5}, ""},
		"as long as may be": {good(func(q *benchmark.Question) {
			q.Text, q.Expected.Value = strings.Repeat("ä", 1000), strings.Repeat("ä", 200)
		}), ""},
		"no text":                {good(func(q *benchmark.Question) { q.Text = "  " }), "questions[1].text "},
		"a long text":            {good(func(q *benchmark.Question) { q.Text = strings.Repeat("x", 1001) }), "questions[1].text "},
		"two lines":              {good(func(q *benchmark.Question) { q.Text = "What\nnow?" }), "questions[1].text "},
		"two lines of another":   {good(func(q *benchmark.Question) { q.Text = "What\u2028now?" }), "questions[1].text "},
		"an id twice":            {good(func(q *benchmark.Question) { q.QuestionID = "first" }), "questions[1].questionId "},
		"an id of two lines":     {good(func(q *benchmark.Question) { q.QuestionID = "a\tb" }), "questions[1].questionId "},
		"a long id":              {good(func(q *benchmark.Question) { q.QuestionID = strings.Repeat("x", 101) }), "questions[1].questionId "},
		"a long cluster":         {good(func(q *benchmark.Question) { q.ClusterID = strings.Repeat("x", 101) }), "questions[1].clusterId "},
		"another source":         {good(func(q *benchmark.Question) { q.Source = "Elsewhere" }), "questions[1].source "},
		"no answer":              {good(func(q *benchmark.Question) { q.Expected = benchmark.Expected{} }), "questions[1].expected "},
		"a long value":           {good(func(q *benchmark.Question) { q.Expected.Value = strings.Repeat("x", 201) }), "questions[1].expected.value "},
		"no query":               {good(func(q *benchmark.Question) { q.Expected.DAX = "SUM(Sales[Amount])" }), "questions[1].expected.dax "},
		"a query":                {good(func(q *benchmark.Question) { q.Expected.DAX = "evaluate Sales" }), ""},
		"a long query":           {good(func(q *benchmark.Question) { q.Expected.DAX = "EVALUATE Sales // " + strings.Repeat("x", 10_000) }), "questions[1].expected.dax "},
		"too many fields":        {good(func(q *benchmark.Question) { q.Expected.Fields = make([]verdict.Field, 51) }), "questions[1].expected.fields "},
		"a measure":              {good(field(measure("", "Sales"))), ""},
		"a measure without name": {good(field(measure("Sales", ""))), "questions[1].expected.fields[0].name "},
		"a column without table": {good(field(by("", "Region"))), "questions[1].expected.fields[0].table "},
		"another role":           {good(field(verdict.Field{Role: "sort", Name: "x"})), "questions[1].expected.fields[0].role "},
		"a measure with values":  {good(field(verdict.Field{Role: verdict.MeasureField, Name: "x", Values: []string{"1"}})), "questions[1].expected.fields[0].operator "},
		"another operator":       {good(field(where("T", "C", "~", "1"))), "questions[1].expected.fields[0].operator "},
		"no value to filter by":  {good(field(where("T", "C", "="))), "questions[1].expected.fields[0].values "},
		"one bound of two":       {good(field(where("T", "C", "between", "1"))), "questions[1].expected.fields[0].values "},
		"an empty value":         {good(field(where("T", "C", "in", "1", ""))), "questions[1].expected.fields[0].values[1] "},
		"a filter":               {good(field(where("T", "C", "between", "1", "2"))), ""},
	} {
		got, err := tt.set.Admit()
		refusal, refused := domain.Refused(err)
		switch {
		case tt.member == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case tt.member != "" && (!refused || refusal.Code != domain.InvalidRequest || !strings.HasPrefix(refusal.Message, tt.member)):
			t.Errorf("%s: got %v, want InvalidRequest of %s", name, err, tt.member)
		case err == nil:
			ids := map[string]bool{}
			for _, q := range got.Questions {
				if q.QuestionID == "" || ids[q.QuestionID] || q.Source != benchmark.Customer || q.Expected.Fields == nil {
					t.Errorf("%s: admitted %+v", name, q)
				}
				ids[q.QuestionID] = true
			}
			if again, err := got.Admit(); err != nil || !cmp.Equal(again, got) {
				t.Errorf("%s: admitted twice it is another set: %v", name, err)
			}
		}
	}
}

// An id depends only on the question, so that the same set always has the same hash.
func TestMadeIDs(t *testing.T) {
	t.Parallel()
	q := benchmark.Question{Text: "How many?", Expected: benchmark.Expected{Value: "1"}}
	first, err := benchmark.Set{Questions: []benchmark.Question{q, q}, Repeats: 1}.Admit()
	if err != nil {
		t.Fatal(err)
	}
	again, err := benchmark.Set{Questions: []benchmark.Question{q, q}, Repeats: 1}.Admit()
	if err != nil || !cmp.Equal(first, again) || first.Questions[0].QuestionID == first.Questions[1].QuestionID {
		t.Errorf("got %v and %v, %v", first, again, err)
	}
	if q.QuestionID != "" {
		t.Error("the call's own set was changed")
	}
}

// When sets are saved concurrently, the one accepted last wins, in whichever order the
// saves end. The last event alone is the state.
func TestSaveOrder(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{{1, 2, 3}, {3, 2, 1}, {2, 3, 1}, {3, 1, 2}, {1, 3, 2}, {2, 1, 3}} {
		var s benchmark.SavedQuestions
		do := func(c domain.Command[benchmark.SavedQuestions]) (n int) {
			events, err := c.Decide(s)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				s = e.(domain.Carries[benchmark.SavedQuestions]).After()
			}
			return len(events)
		}
		for n := range 3 {
			do(benchmark.AcceptSave{})
			if s.Accepted != n+1 || s.Set != nil {
				t.Errorf("accepted %d: %+v", n+1, s)
			}
		}
		highest := 0
		for _, n := range order {
			recorded := do(benchmark.SaveSet{Set: benchmark.SavedSet{Number: n, Count: n}})
			if (recorded == 1) != (n > highest) {
				t.Errorf("%v: set %d recorded %d events", order, n, recorded)
			}
			highest = max(highest, n)
		}
		if s.Set.Number != 3 || s.Accepted != 3 {
			t.Errorf("%v: %+v stays", order, s.Set)
		}
		do(benchmark.AcceptSave{})
		if s.Accepted != 4 || s.Set.Number != 3 {
			t.Errorf("the next one: %+v", s)
		}
	}
}
