package goldenset_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain/benchmark"
	"readiness/domain/benchmark/goldenset"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/verdict"
)

const head = "question,expectedAnswer,expectedValue,dax,cluster,weight,ordered,tags\n"

func TestReadCSV(t *testing.T) {
	t.Parallel()
	whole := []benchmark.Question{{
		Text: "What is \"it\"?", ClusterID: "c", Weight: 2.5, Ordered: true, Tags: []string{"finance", "board"},
		Expected: benchmark.Expected{Answer: "About five, less rain", Value: "5", DAX: "EVALUATE\nROW(\"x\", [It])"},
	}}
	row := "\"What is \"\"it\"\"?\",\"About five, less rain\",5,\"EVALUATE\nROW(\"\"x\"\", [It])\",c,2.5,yes,finance; board\n"
	for name, tt := range map[string]struct {
		file string
		want []benchmark.Question
	}{
		"all columns":           {head + row, whole},
		"byte order mark":       {"\ufeff" + head + row, whole},
		"CRLF":                  {strings.ReplaceAll(head+row, "\n", "\r\n"), whole},
		"no line break at end":  {head + strings.TrimSuffix(row, "\n"), whole},
		"blank lines and rows":  {head + "\n,,,,,,,\n" + row + "\n", whole},
		"header in other case":  {"Question, EXPECTEDVALUE\nHow many?,5\n", []benchmark.Question{{Text: "How many?", Expected: benchmark.Expected{Value: "5"}}}},
		"semicolons":            {"question;expectedValue;weight\nHow many, in all?;1,5;2\n", []benchmark.Question{{Text: "How many, in all?", Weight: 2, Expected: benchmark.Expected{Value: "1,5"}}}},
		"tabs":                  {"question\texpectedValue\nHow many?\t5\n", []benchmark.Question{{Text: "How many?", Expected: benchmark.Expected{Value: "5"}}}},
		"weight of 1":           {"question,expectedValue,weight,ordered\nHow many?,5,1.0,no\n", []benchmark.Question{{Text: "How many?", Expected: benchmark.Expected{Value: "5"}}}},
		"guarded cells":         {"question,expectedValue\n'=A1?,'-x\n", []benchmark.Question{{Text: "=A1?", Expected: benchmark.Expected{Value: "-x"}}}},
		"apostrophe of a word":  {"question,expectedValue\n'tis how many?,-5\n", []benchmark.Question{{Text: "'tis how many?", Expected: benchmark.Expected{Value: "-5"}}}},
		"fewer cells":           {head + "How many?,,5\n", []benchmark.Question{{Text: "How many?", Expected: benchmark.Expected{Value: "5"}}}},
		"blank cells at end":    {"question,expectedValue\nHow many?,5,, \n", []benchmark.Question{{Text: "How many?", Expected: benchmark.Expected{Value: "5"}}}},
		"twice, with other ids": {"question,expectedValue,questionId\nHow many?,5,a\nHow many?,5,b\n", []benchmark.Question{{Text: "How many?", QuestionID: "a", Expected: benchmark.Expected{Value: "5"}}, {Text: "How many?", QuestionID: "b", Expected: benchmark.Expected{Value: "5"}}}},
		"fields": {"question,fields\nHow many?,\"[{\"\"role\"\":\"\"measure\"\",\"\"name\"\":\"\"N\"\"}]\"\n", []benchmark.Question{{Text: "How many?", Expected: benchmark.Expected{
			Fields: []verdict.Field{{Role: verdict.MeasureField, Name: "N"}}}}}},
	} {
		got, err := goldenset.Read(goldenset.CSV, []byte(tt.file))
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: got error %v\n%s", name, err, diff)
		}
	}
}

// Every faulty cell is named with its place, and then no question is returned.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("How many are there? ", 100)
	for name, tt := range map[string]struct {
		format goldenset.Format
		file   string
		want   []string // place: beginning of why
	}{
		"nothing":                {goldenset.CSV, "", []string{"line 1, column 1: the file is empty"}},
		"header alone":           {goldenset.CSV, head, []string{"line 1, column 1: there is no question"}},
		"missing column":         {goldenset.CSV, "expectedValue\n5\n", []string{"line 1, column 1 (question): the column is missing"}},
		"no column of answers":   {goldenset.CSV, "question,tags\nHow many?,x\n", []string{"line 1, column 1: a column is missing that says what is correct"}},
		"unknown column":         {goldenset.CSV, "question,expected,dax\nHow many?,5,\n", []string{`line 1, column 10: there is no column "expected"`}},
		"column twice":           {goldenset.CSV, "question,dax,DAX\nHow many?,,\n", []string{"line 1, column 14 (dax): the column is there twice"}},
		"no answer":              {goldenset.CSV, head + "How many?,,,,,,,\n", []string{"line 2, column 1: says nothing of the correct answer"}},
		"no question":            {goldenset.CSV, head + ",,5,,,,,\n", []string{"line 2, column 1 (question): is empty"}},
		"bad number":             {goldenset.CSV, head + "Über wie viele?,,5,,,two,,\n", []string{`line 2, column 22 (weight): "two" is not a number`}},
		"decimal comma":          {goldenset.CSV, head + "How many?,,5,,,\"1,5\",,\n", []string{"line 2, column 16 (weight): 1,5 has a comma; write 1.5"}},
		"not finite":             {goldenset.CSV, head + "How many?,,5,,,NaN,,\nHow much?,,5,,,Inf,,\nWho?,,5,,,0x1p3,,\n", []string{"line 2, column 16 (weight): ", "line 3, column 16 (weight): ", "line 4, column 11 (weight): "}},
		"weight out of range":    {goldenset.CSV, head + "How many?,,5,,,0,,\nHow much?,,5,,,1000.5,,\n", []string{"line 2, column 16 (weight): is 0", "line 3, column 16 (weight): is not above 0 and at most 1000"}},
		"bad order":              {goldenset.CSV, head + "How many?,,5,,,,maybe,\n", []string{`line 2, column 17 (ordered): "maybe" is neither`}},
		"no DAX":                 {goldenset.CSV, head + "How many?,,,SELECT 1,,,,\n", []string{"line 2, column 13 (dax): is not a DAX query"}},
		"bad source":             {goldenset.CSV, "question,dax,source,expectedValue\nHow many?,,AI,5\n", []string{`line 2, column 12 (source): "AI" is neither`}},
		"bad fields":             {goldenset.CSV, "question,fields\nHow many?,{}\nHow much?,\"[{\"\"rule\"\":1}]\"\n", []string{"line 2, column 11 (fields): is not a list", "line 3, column 11 (fields): is not a list"}},
		"duplicate":              {goldenset.CSV, head + "How many?,,5,,,,,\nhow  MANY?,,5,,,,,\n", []string{"line 3, column 1 (question): is also the question of line 2"}},
		"duplicate id":           {goldenset.CSV, "question,expectedValue,questionId\nHow many?,5,a\nHow much?,5,a\n", []string{"line 3, column 13 (questionId): is also the id of line 2"}},
		"a cell too many":        {goldenset.CSV, "question,expectedValue\nHow many, in all?,5\n", []string{"line 2, column 19: this cell has no column"}},
		"quote inside":           {goldenset.CSV, head + "What is \"it\"?,,5,,,,,\nHow much?,,5,,,x,,\n", []string{"line 2, column 9: a quotation mark", `line 3, column 16 (weight): "x"`}},
		"quotes that do not end": {goldenset.CSV, head + "\"How many?,,5\n", []string{"line 2, column 14: the quotes of a cell do not end"}},
		"line break in a text":   {goldenset.CSV, head + "\"How\nmany?\",,5,,,,,\n", []string{"line 2, column 1 (question): is not one line"}},
		"long question":          {goldenset.CSV, head + long + ",,5,,,,,\n", []string{"line 2, column 1 (question): has 2000 characters"}},
		"NUL":                    {goldenset.CSV, head + "How \x00many?,,5,,,,,\n", []string{"line 2, column 5: the file contains a NUL"}},
		"not UTF-8":              {goldenset.CSV, head + "\xdcber?,,5,,,,,\n", []string{"line 2, column 1: this is not UTF-8"}},
		"UTF-16":                 {goldenset.CSV, "\xff\xfeq\x00", []string{"line 1, column 1: this is UTF-16"}},
		"Git LFS pointer":        {goldenset.CSV, "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", []string{"line 1, column 1: this is a Git LFS pointer"}},
		"merge conflict":         {goldenset.CSV, head + "<<<<<<< ours\nHow many?,,5,,,,,\n=======\nHow much?,,5,,,,,\n>>>>>>> theirs\n", []string{"line 2, column 1: this is an unsolved merge conflict"}},
		"10,001 rows":            {goldenset.CSV, head + rows(10_001), []string{"line 102, column 1: is question 101"}},
		"5 MB":                   {goldenset.CSV, head + strings.Repeat("x", 5<<20), []string{"line 1, column 1: the file has 5242950 bytes"}},
		"many faults of a row":   {goldenset.CSV, head + "How many?,,5,,,x,y,\n", []string{`line 2, column 16 (weight): "x"`, `line 2, column 18 (ordered): "y"`}},

		"no object":           {goldenset.JSONL, "[]\n", []string{"line 1, column 1: the line is no JSON object"}},
		"no JSON":             {goldenset.JSONL, "{\"question\": \"How many?\", \"expectedValue\": 5}\n{\"question\": How}\n", []string{"line 2, column 14: this is not JSON"}},
		"cut":                 {goldenset.JSONL, "{\"question\": \"How many?\"", []string{"line 1, column 25: this is not JSON"}},
		"two objects":         {goldenset.JSONL, `{"question":"a","expectedValue":"1"} {}`, []string{"line 1, column 39: something stands after"}},
		"unknown member":      {goldenset.JSONL, `{"question":"a","expectedValue":"1","extra":2}`, []string{`line 1, column 37: there is no member "extra"`}},
		"member twice":        {goldenset.JSONL, `{"question":"a","expectedValue":"1", "question":"b"}`, []string{"line 1, column 38 (question): the member is there twice"}},
		"other types":         {goldenset.JSONL, `{"question":5,"expectedValue":[1],"ordered":"yes","tags":"x"}`, []string{"line 1, column 2 (question): is not a text", "line 1, column 15 (expectedValue): is not a text or a number", "line 1, column 35 (ordered): is not true or false", "line 1, column 51 (tags): is not a list of texts"}},
		"negative weight":     {goldenset.JSONL, `{"question":"a","expectedValue":"1","weight":-1}`, []string{"line 1, column 37 (weight): -1 is not above 0"}},
		"huge weight":         {goldenset.JSONL, `{"question":"a","expectedValue":"1","weight":1e999}`, []string{"line 1, column 37 (weight): 1e999 is not above 0"}},
		"tag of two":          {goldenset.JSONL, `{"question":"a","expectedValue":"1","tags":["a;b"]}`, []string{"line 1, column 37 (tags): holds a semicolon"}},
		"more than 100 lines": {goldenset.JSONL, strings.Repeat("\n", 3) + lines(101), []string{"line 104, column 1: is question 101"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := goldenset.Read(tt.format, []byte(tt.file))
			faults, ok := errors.AsType[*goldenset.Faults](err)
			if !ok || got != nil {
				t.Fatalf("got %v and error %v, want faults", got, err)
			}
			for i, f := range faults.All {
				if text := f.Place() + ": " + f.Why; i >= len(tt.want) || !strings.HasPrefix(text, tt.want[i]) {
					t.Errorf("got fault %d %q", i, text)
				}
			}
			if len(faults.All) != len(tt.want) {
				t.Errorf("got %d faults, want %d", len(faults.All), len(tt.want))
			}
		})
	}
}

func rows(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "How many %d?,,5,,,,,\n", i)
	}
	return b.String()
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"question\":\"How many %d?\",\"expectedValue\":5}\n", i)
	}
	return b.String()
}

// Of many faults the first are listed and the others counted.
func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	_, err := goldenset.Read(goldenset.CSV, []byte(head+strings.Repeat("How many?,,5,,,x,y,\n", 100)))
	faults, ok := errors.AsType[*goldenset.Faults](err)
	if !ok || len(faults.All) != goldenset.MaxFaults || faults.More == 0 {
		t.Fatalf("got %v", err)
	}
	if text := err.Error(); strings.Count(text, "\n") != goldenset.MaxFaults+1 || !strings.Contains(text, "more") {
		t.Errorf("got %q", text)
	}
	if r := faults.Refusal(); len(r.Params) != goldenset.MaxFaults || r.Params[0].Name != "line 2, column 16 (weight)" {
		t.Errorf("got %+v", r)
	}
}

// What is written reads back as the same questions.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	words := []string{"a", "Über", "\"q\"", "x,y", "=1+1", "-5", "+x", "@", "'", "'=", ";", "it's", "日本", "<b>", "\\", "1.5", "\ufeff", "''-1"}
	text := func() string {
		var all []string
		for range 1 + r.IntN(3) {
			all = append(all, words[r.IntN(len(words))])
		}
		return strings.Join(all, " ")
	}
	for n := range 400 {
		set := benchmark.Set{Repeats: 1}
		for i := range 1 + r.IntN(4) {
			q := benchmark.Question{Text: text(), ClusterID: text(), Weight: []float64{0, 0.1, 3, 999.125, 1e-7}[r.IntN(5)], Ordered: r.IntN(2) == 0, Expected: benchmark.Expected{Value: text()}}
			if r.IntN(2) == 0 {
				q.QuestionID = fmt.Sprintf("=%d", i)
			}
			if r.IntN(2) == 0 {
				q.Expected.DAX = "EVALUATE\n\tROW(\"" + words[r.IntN(len(words))] + "\", 1)\r\n"
				q.Expected.Answer = text()
			}
			if r.IntN(2) == 0 {
				q.Source, q.Tags = benchmark.Generated, []string{"=b", "c d"}
			}
			if r.IntN(3) == 0 {
				q.Expected.Fields = []verdict.Field{{Role: verdict.FilterField, Table: "T", Name: text(), Operator: modelquery.In, Values: []string{text(), text()}}}
			}
			set.Questions = append(set.Questions, q)
		}
		set, err := set.Admit()
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []goldenset.Format{goldenset.CSV, goldenset.JSONL} {
			file, err := goldenset.Write(format, set.Questions)
			if err != nil {
				t.Fatal(err)
			}
			read, err := goldenset.Read(format, file)
			if err != nil {
				t.Fatalf("%d: %v\n%s", n, err, file)
			}
			again, err := benchmark.Set{Questions: read, Repeats: 1}.Admit()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(set, again); diff != "" || set.Hash() != again.Hash() {
				t.Fatalf("%d %s (-want +got):\n%s\n%s", n, format, diff, file)
			}
		}
	}
}

// No cell of a written file begins like a formula, and fields that follow from a query are
// left out.
func TestWriteCSV(t *testing.T) {
	t.Parallel()
	by := modelquery.Query{Measures: []modelquery.Field{{Table: "Sales", Name: "Net"}}, Groupings: []modelquery.Field{{Table: "Store", Name: "Region"}}}
	questions := []benchmark.Question{
		{QuestionID: "a", Text: "=HYPERLINK(1)", Source: benchmark.Generated, Expected: benchmark.Expected{DAX: by.DAX(), Fields: by.Fields()}},
		{QuestionID: "@b", Text: "\t+x", Tags: []string{"-t"}, Expected: benchmark.Expected{Value: "-5,000.25"}},
	}
	file, err := goldenset.Write(goldenset.CSV, questions)
	if err != nil {
		t.Fatal(err)
	}
	want := "\ufeffquestion,expectedAnswer,expectedValue,dax,cluster,weight,ordered,tags,questionId,source\n" +
		"'=HYPERLINK(1),,,\"" + strings.ReplaceAll(by.DAX(), "\"", "\"\"") + "\",,,,,a,Generated\n" +
		"'\t+x,,\"-5,000.25\",,,,,'-t,'@b,\n"
	if diff := cmp.Diff(want, string(file)); diff != "" {
		t.Error(diff)
	}
	questions[0].Expected.Fields[0].Name = "Gross" // what the query does not say
	if file, err = goldenset.Write(goldenset.CSV, questions); err != nil || !strings.Contains(string(file), "source,fields\n") || !strings.Contains(string(file), "Gross") {
		t.Errorf("got %q and error %v, want the fields", file, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(head+"How many?,,5,,,2,yes,a;b\n", true)
	f.Add(lines(2), false)
	f.Fuzz(func(t *testing.T, file string, isCSV bool) {
		format := goldenset.JSONL
		if isCSV {
			format = goldenset.CSV
		}
		read, err := goldenset.Read(format, []byte(file))
		if err != nil {
			faults, ok := errors.AsType[*goldenset.Faults](err)
			if !ok || len(faults.All) == 0 || read != nil {
				t.Fatalf("got %v and error %v", read, err)
			}
			for _, one := range faults.All {
				if one.Line < 1 || one.Column < 1 || one.Why == "" {
					t.Errorf("got %+v", one)
				}
			}
			return
		}
		set, err := benchmark.Set{Questions: read, Repeats: 1}.Admit()
		if err != nil {
			t.Fatalf("questions that were read are refused: %v", err)
		}
		written, err := goldenset.Write(format, set.Questions)
		if err != nil {
			t.Fatal(err)
		}
		again, err := goldenset.Read(format, written)
		if err != nil || cmp.Diff(set.Questions, withFields(again)) != "" {
			t.Errorf("got error %v\n%s", err, cmp.Diff(set.Questions, withFields(again)))
		}
	})
}

// withFields returns questions with the empty lists that Set.Admit gives them.
func withFields(all []benchmark.Question) []benchmark.Question {
	set, err := benchmark.Set{Questions: all, Repeats: 1}.Admit()
	if err != nil {
		return nil
	}
	return set.Questions
}
