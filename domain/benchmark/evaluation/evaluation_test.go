package evaluation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/answerset"
	"readiness/domain/benchmark/evaluation"
	"readiness/domain/verdict"
)

// sales is a model of one table with two measures.
func sales() *semanticmodel.Model {
	return &semanticmodel.Model{Tables: []semanticmodel.Table{{Name: "Sales",
		Columns:  []semanticmodel.Column{{Name: "Amount", DataType: "double"}, {Name: "City", DataType: "string"}},
		Measures: []semanticmodel.Measure{{Name: "Total", Expression: "SUM(Sales[Amount])"}, {Name: "Average", Expression: "AVERAGE(Sales[Amount])"}}}}}
}

const total, average = `EVALUATE ROW("x", [Total])`, `EVALUATE ROW("x", [Average])`

// judge judges over sample data in which Total is 120 and Average is 12; every other query is refused.
func judge(sampled bool) *evaluation.Judge {
	j := &evaluation.Judge{Model: sales(), Now: time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)}
	if sampled {
		j.Rows = func(dax string) (*verdict.ResultSet, string) {
			for of, x := range map[string]float64{"[Total]": 120, "[Average]": 12, "SUM": 120} {
				if strings.Contains(dax, of) {
					return &verdict.ResultSet{Engine: "embedded", Rows: [][]verdict.Value{{verdict.Number(x)}}}, ""
				}
			}
			return nil, "it is not evaluated"
		}
	}
	return j
}

func golden(t *testing.T, all ...benchmark.Question) benchmark.Set {
	t.Helper()
	set, err := benchmark.Set{Questions: all, Repeats: 1}.Admit()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func asked(text, dax, value string, tags ...string) benchmark.Question {
	return benchmark.Question{Text: text, Expected: benchmark.Expected{DAX: dax, Value: value}, Tags: tags}
}

func file(t *testing.T, name, text string) *answerset.File {
	t.Helper()
	f, err := answerset.Read(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	const head = "question,answer,dax,rows\n"
	quoted := func(dax string) string { return `"` + strings.ReplaceAll(dax, `"`, `""`) + `"` }
	for name, tt := range map[string]struct {
		question benchmark.Question
		answer   string // the rest of the row
		sampled  bool
		verdict  verdict.Verdict
		method   verdict.Method
		reason   string
	}{
		"the same rows":                    {asked("Q", total, ""), "x," + quoted(`EVALUATE ROW("y", SUM(Sales[Amount]))`), true, verdict.Correct, verdict.ByResultSet, "sample data"},
		"other rows":                       {asked("Q", total, ""), "x," + quoted(average), true, verdict.Incorrect, verdict.ByResultSet, "other rows"},
		"the same meaning, without data":   {asked("Q", total, ""), "x," + quoted(`EVALUATE ROW("y", SUM(Sales[Amount]))`), false, verdict.Correct, verdict.ByFields, ""},
		"another meaning":                  {asked("Q", total, ""), "x," + quoted(average), false, verdict.Incorrect, verdict.ByFields, ""},
		"the value in the text":            {asked("Q", "", "120"), "It is 120", true, verdict.Correct, verdict.ByValue, ""},
		"another value":                    {asked("Q", "", "120"), "It is 135", true, verdict.Incorrect, verdict.ByValue, ""},
		"no value, no query":               {asked("Q", total, ""), "It is 120", false, verdict.Unclear, "", "Nothing that is known"},
		"a value of the sample data":       {asked("Q", total, ""), "It is 120", true, verdict.Correct, verdict.ByValue, "over the sample data"},
		"another one than the sample data": {asked("Q", total, ""), "It is 4711", true, verdict.Unclear, "", "may have been asked about other data"},
		"a value of other data":            {asked("Q", total, "999"), "It is 999", true, verdict.Correct, verdict.ByValue, ""},
		"the rows that it states":          {asked("Q", "", "999"), `See the table,,[[999]]`, true, verdict.Correct, verdict.ByValue, ""},
		"other rows that it states":        {asked("Q", "", "999"), `See the table,,[[120]]`, true, verdict.Incorrect, verdict.ByValue, ""},
		"it does not know":                 {asked("Q", total, ""), "I don't know.", true, verdict.Refused, verdict.ByRefusal, ""},
		"a query that is not evaluated":    {asked("Q", total, ""), "x," + quoted(`EVALUATE FILTER(Sales, NOSUCH(Sales[Amount]))`), true, verdict.Unclear, "", "it is not evaluated"},
		"the right query, another text":    {asked("Q", total, "120"), "It is 9999," + quoted(total), true, verdict.Incorrect, verdict.ByValue, "Its query is right, and its text is not"},
		"a text of other data, perhaps":    {asked("Q", total, ""), "It is 9999," + quoted(total), true, verdict.Correct, verdict.ByResultSet, "But its text holds another number"},
		"the right query and text":         {asked("Q", total, "120"), "It is 120," + quoted(total), true, verdict.Correct, verdict.ByResultSet, "sample data"},
		"rows right by chance": {asked("Q", total, ""), "x," + quoted(`EVALUATE ROW("y", CALCULATE(SUM(Sales[Amount]), Sales[City] = "Rome"))`), true, verdict.Correct,
			verdict.ByResultSet, "The query answers"},
	} {
		in := evaluation.Input{Set: golden(t, tt.question), Files: []*answerset.File{file(t, "f", head+"Q,"+tt.answer+"\n")}}
		e := evaluation.New(in, judge(tt.sampled))
		got := e.Runs[0].Questions[0].Asks[0]
		if got.Verdict != tt.verdict || got.Method != tt.method || !strings.Contains(got.Reason, tt.reason) {
			t.Errorf("%s: got %s by %q: %s", name, got.Verdict, got.Method, got.Reason)
		}
	}
}

func TestMatching(t *testing.T) {
	t.Parallel()
	set := golden(t, asked("What are total sales?", "", "1"), asked("How many cities are there?", "", "2"),
		asked("And in Rome?", "", "3", evaluation.FollowUp), asked("Never asked", "", "4"))
	in := evaluation.Input{Set: set, Files: []*answerset.File{file(t, "f.csv", "question,answer,turn\n\" WHAT are  total sales \",1,1\n"+
		"How many cities are there,2,2\nAnd in Rome?,3,2\nHow many cities exist there?,2,1\nSomething else,9,1\n")}}
	e := evaluation.New(in, judge(false))
	got, _ := json.Marshal(e.Unmatched)
	want := `{"questions":["How many cities are there?","Never asked"],"answers":[` +
		`{"text":"How many cities are there","file":"f.csv","line":3,"why":"it was asked in a conversation after other questions; ask it in a new one, or give the golden question the tag follow-up"},` +
		`{"text":"How many cities exist there?","file":"f.csv","line":5,"nearest":"How many cities are there?"},{"text":"Something else","file":"f.csv","line":6}]}`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if n := e.Runs[0].Summary.Questions; n != 2 {
		t.Errorf("%d questions are judged", n)
	}
}

// answersOf returns a table with answers 1 (right) and 2 to questions 1 to n.
func answersOf(who string, right func(i int) bool, n int) string {
	text := "question,answer,who\n"
	for i := range n {
		x := 200 + i
		if right(i) {
			x = 100 + i
		}
		text += fmt.Sprintf("Question number %d?,It is %d,%s\n", i, x, who)
	}
	return text
}

func many(t *testing.T, n int) benchmark.Set {
	t.Helper()
	var all []benchmark.Question
	for i := range n {
		all = append(all, asked(fmt.Sprintf("Question number %d?", i), "", fmt.Sprint(100+i), []string{"even", "odd"}[i%2]))
	}
	return golden(t, all...)
}

func TestComparisons(t *testing.T) {
	t.Parallel()
	always, even := func(int) bool { return true }, func(i int) bool { return i%2 == 0 }
	e := evaluation.New(evaluation.Input{Set: many(t, 20), Files: []*answerset.File{
		file(t, "a", answersOf("Good", always, 20)), file(t, "b", answersOf("Bad", even, 20))}}, judge(false))
	c := e.Comparisons[0]
	if want := "Good is better than Bad: 20 and 10 of 20 questions right, a difference of 50 points (95 % interval "; !strings.HasPrefix(c.Sentence, want) {
		t.Errorf("got %s", c.Sentence)
	}
	if len(c.Kinds) != 2 || c.Kinds[1].Kind != "odd" || c.Kinds[1].OnlyA != 10 || c.Kinds[1].Holm != 2*c.Kinds[1].MidP || c.Kinds[0].Holm != 1 {
		t.Errorf("got the kinds %+v", c.Kinds)
	}
	e = evaluation.New(evaluation.Input{Set: many(t, 8), Files: []*answerset.File{
		file(t, "a", answersOf("Good", always, 8)), file(t, "b", answersOf("Other", always, 8))}}, judge(false))
	if want := "Too few questions differ to tell (0 of 8). With 40 questions you could see a difference of 20 points."; !strings.Contains(e.Comparisons[0].Sentence, want) {
		t.Errorf("got %s", e.Comparisons[0].Sentence)
	}
}

// An evaluation that is read again as a baseline keeps its verdicts, and is compared with the same answerer's; as answers it is judged
// again.
func TestBaseline(t *testing.T) {
	t.Parallel()
	even := func(i int) bool { return i%2 == 0 }
	in := evaluation.Input{Set: many(t, 8), Model: evaluation.Model{Hash: "1"}, Files: []*answerset.File{file(t, "a", answersOf("Agent", even, 8))}}
	first := evaluation.New(in, judge(false))
	text, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "durationMs") || strings.Contains(string(text), "medianMs") {
		t.Errorf("times that nobody knows are absent: %s", text)
	}
	before := file(t, "main.json", string(text))
	in.Set.Questions[0].Expected.Value = "4711"
	in.Model.Hash = "2"
	in.Baseline = before
	e := evaluation.New(in, judge(false))
	c := e.Comparisons[0]
	all := strings.Join(append(c.Unlike, e.Notes...), "\n")
	for _, want := range []string{"The model was changed in between", "The baseline had another expected answer to 1 question", "only one side was asked: 0 and 1"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not said:\n%s", want, all)
		}
	}
	if !c.Again || !c.Baseline || !strings.Contains(c.Sentence, "A/A: as far as the files say, the same answerer was asked twice, and the verdict changed on 0 of 7") {
		t.Errorf("got %s", c.Sentence)
	}
	in.Baseline, in.Files = nil, []*answerset.File{before}
	if got := evaluation.New(in, judge(false)).Runs[0]; got.Summary.Verdicts.Correct != 3 || got.Who != "Agent" || !got.Named {
		t.Errorf("got %+v", got.Summary.Verdicts)
	}
}

func TestUnlike(t *testing.T) {
	t.Parallel()
	const head = "question,answer,who,runtime,stage,definition,cached,date\n"
	e := evaluation.New(evaluation.Input{Set: many(t, 2), Files: []*answerset.File{
		file(t, "a", head+"Question number 0?,100,data agent x,standard,production,abc,no,2026-11-01\n"),
		file(t, "b", head+"Question number 0?,100,data agent x,preview,draft,def,yes,2026-11-02\nQuestion number 1?,101,data agent x,preview,draft,def,no,2026-11-02\n")}},
		judge(false))
	if len(e.Runs) != 2 {
		t.Fatalf("got %d runs", len(e.Runs))
	}
	got := strings.Join(e.Comparisons[0].Unlike, "\n")
	want := `The runtime differs: standard and preview.
The stage differs: production and draft.
The definition of the answerer differs: abc and def. If the model was changed too, ask only after its refresh.
Answers came from a cache: 0 and 1. They may be older than the definition.
They were asked on different days, 2026-11-01 and 2026-11-02: the platform may have changed the language model in between.
Questions that only one side was asked: 0 and 1. They are not compared.`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// Asked repeatedly, an answerer that is right once and wrong once flickers.
func TestFlicker(t *testing.T) {
	t.Parallel()
	e := evaluation.New(evaluation.Input{Set: many(t, 1), Files: []*answerset.File{
		file(t, "a", "question,answer,who\nQuestion number 0?,100,A\nQuestion number 0?,999,A\n")}}, judge(false))
	if s := e.Runs[0].Summary; s.FlakyQuestions != 1 || s.Asks != 2 || s.ResponseTime != nil {
		t.Errorf("got %+v", s)
	}
}

// A verdict by rows says how the queries differ, so that a reader knows what to mend.
func TestReasonOfOtherRows(t *testing.T) {
	t.Parallel()
	e := evaluation.New(evaluation.Input{Set: golden(t, asked("How much?", total, "")),
		Files: []*answerset.File{file(t, "a.csv", "question,answer,dax\nHow much?,12,\"EVALUATE ROW(\"\"x\"\", [Average])\"\n")}}, judge(true))
	if a := e.Runs[0].Questions[0].Asks[0]; a.Method != verdict.ByResultSet || a.Verdict != verdict.Incorrect || !strings.Contains(a.Reason, "aggregates AVERAGE of Sales[Amount]") {
		t.Errorf("got %+v", a)
	}
}
