package runreport_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain/benchmark"
	"readiness/domain/verdict"
	"readiness/offline/report/runreport"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// asked returns an ask with the verdict.
func asked(n int, v verdict.Verdict, text string) verdict.Ask {
	a := verdict.Ask{N: n, Decision: verdict.Decision{Verdict: v, Method: verdict.ByValue, Reason: "Because."},
		Answer: verdict.Answer{Text: text, Query: "EVALUATE ROW(\"x\", [Net <Sales>])"}, DurationMS: int64(100 * n), Attempts: 1,
		Usage: &verdict.TokenUsage{InputTokens: 1000, OutputTokens: 20}}
	if v == verdict.Errored {
		a.Answer, a.Error = verdict.Answer{}, &verdict.Failure{Code: "timeout", Message: "it took too long"}
	}
	return a
}

// run returns the stored document of a run with the verdicts of each question's asks.
func run(t *testing.T, side benchmark.Side, about verdict.Target, verdicts ...[]verdict.Verdict) []byte {
	t.Helper()
	set := benchmark.Set{Repeats: len(verdicts[0])}
	asks := map[benchmark.AskKey]verdict.Ask{}
	for i, all := range verdicts {
		id := string(rune('a' + i))
		set.Questions = append(set.Questions, benchmark.Question{QuestionID: id, Text: "What is " + id + " | <it>?", Expected: benchmark.Expected{Value: "1" + id}})
		for n, v := range all {
			asks[benchmark.AskKey{QuestionID: id, N: n + 1}] = asked(n+1, v, "The answer is "+string(v)+" \x01 *"+id+"*")
		}
	}
	r := benchmark.Run{RunAccepted: benchmark.RunAccepted{RunID: uuid.UUID{15: 1}, Side: side, QuestionSetHash: set.Hash(), Repeats: set.Repeats}}
	text, err := json.Marshal(benchmark.NewRunDocument(r, about, nil, set, asks))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

type verdicts = []verdict.Verdict

var (
	model    = benchmark.Side{AnsweredBy: benchmark.AnsweredBy{Kind: verdict.GenericAgent, ProviderID: "p"}}
	about    = verdict.Target{ProviderID: "p", Model: "small-1", Transport: "chat_completions", Prices: &verdict.Prices{Input: 0.5, Output: 2}}
	right    = verdict.Correct
	wrong    = verdict.Incorrect
	silent   = verdict.Errored
	baseline = time.Date(2026, 11, 22, 8, 30, 0, 0, time.UTC)
)

func of(t *testing.T, before []byte, now []byte) *runreport.Report {
	t.Helper()
	var b *runreport.Baseline
	if before != nil {
		b = &runreport.Baseline{RunID: "run-1", At: baseline, Document: before}
	}
	r, err := runreport.OfRun("Retail Sales", now, b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A gate compares the answers of two runtimes, and the report says so.
func TestBaselineOfAnotherRuntime(t *testing.T) {
	t.Parallel()
	asked := func(runtime string) []byte {
		return run(t, benchmark.Side{AnsweredBy: benchmark.AnsweredBy{Kind: verdict.DataAgent}}, verdict.Target{Transport: verdict.ByMCP, Runtime: runtime},
			verdicts{right})
	}
	for before, want := range map[string]string{"standard": "Before and now: The runtime differs: standard and preview.", "preview": ""} {
		notes := strings.Join(of(t, asked(before), asked("preview")).Notes, "\n")
		if strings.Contains(notes, "untime") != (want != "") || !strings.Contains(notes, want) {
			t.Errorf("before %s: got %s", before, notes)
		}
	}
}

// A page of a run without an earlier one has no column for changes.
func TestPageWithoutBaseline(t *testing.T) {
	t.Parallel()
	now := run(t, model, about, verdicts{right}, verdicts{wrong})
	for before, want := range map[bool]bool{true: true, false: false} {
		var earlier []byte
		if before {
			earlier = now
		}
		var b bytes.Buffer
		if err := of(t, earlier, now).WriteHTML(&b); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), ">Change</th>"); got != want || strings.Count(b.String(), "</tr>") == 0 {
			t.Errorf("earlier run %t: the column is shown: %t", before, got)
		}
	}
}

func TestGate(t *testing.T) {
	t.Parallel()
	under := func(n int) runreport.Gate { return runreport.Gate{FailUnder: &n} }
	regressions := runreport.Gate{FailOnRegression: true}
	once := func(all ...verdict.Verdict) (out []verdicts) {
		for _, v := range all {
			out = append(out, verdicts{v})
		}
		return out
	}
	for name, tt := range map[string]struct {
		before, now []verdicts
		gate        runreport.Gate
		misses      []string
	}{
		"no gate":                         {nil, once(wrong), runreport.Gate{}, nil},
		"the score itself":                {nil, once(right, wrong), under(50), nil},
		"one below":                       {nil, once(right, wrong), under(51), []string{"the score is 50, below 51"}},
		"zero passes all":                 {nil, once(wrong), under(0), nil},
		"no score":                        {nil, once(silent), under(0), []string{"there is no score, because no question has an answer"}},
		"a third without an answer":       {nil, once(right, right, silent), under(50), nil},
		"more than a third":               {nil, once(right, silent), under(50), []string{"1 of 2 questions have no answer, more than a third, so the score says nothing"}},
		"nothing to compare with":         {nil, once(wrong), regressions, nil},
		"wrong before":                    {once(wrong, right), once(wrong, right), regressions, nil},
		"improved":                        {once(wrong), once(right), regressions, nil},
		"regressed":                       {once(right, right), once(wrong, right), regressions, []string{"1 question regressed"}},
		"no answer now":                   {once(right), once(silent), regressions, []string{"1 question regressed"}},
		"no answer before":                {once(silent), once(wrong), regressions, nil},
		"the majority still right":        {[]verdicts{{right, right, right}}, []verdicts{{right, wrong, right}}, regressions, nil},
		"half is no majority":             {[]verdicts{{right, right}}, []verdicts{{right, wrong}}, regressions, []string{"1 question regressed"}},
		"half was none before":            {[]verdicts{{right, wrong}}, []verdicts{{wrong, wrong}}, regressions, nil},
		"an ask without answer is no hit": {[]verdicts{{right, right, right}}, []verdicts{{right, silent, silent}}, regressions, []string{"1 question regressed"}},
		"a question that is new":          {once(right), once(right, wrong), regressions, nil},
		"both":                            {once(right, right), once(wrong, wrong), runreport.Gate{FailUnder: new(80), FailOnRegression: true}, []string{"the score is 0, below 80", "2 questions regressed"}},
	} {
		var before []byte
		if tt.before != nil {
			before = run(t, model, about, tt.before...)
		}
		r := of(t, before, run(t, model, about, tt.now...))
		r.Check(tt.gate)
		if diff := cmp.Diff(tt.misses, r.Misses); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		var out bytes.Buffer
		if err := r.WriteJUnit(&out, tt.gate); err != nil {
			t.Fatal(err)
		}
		if gateFailed := strings.Contains(out.String(), `type="score"`) || strings.Contains(out.String(), `type="regression"`); gateFailed != (len(tt.misses) > 0) {
			t.Errorf("%s: the cases of the gate in JUnit fail: %v\n%s", name, gateFailed, out.String())
		}
	}
}

// A report of generated questions alone says so.
func TestGeneratedAlone(t *testing.T) {
	t.Parallel()
	customers := run(t, model, about, verdicts{right}, verdicts{right})
	generated := bytes.ReplaceAll(customers, []byte(`"source":""`), []byte(`"source":"Generated"`))
	one := bytes.Replace(customers, []byte(`"source":""`), []byte(`"source":"Generated"`), 1)
	for name, tt := range map[string]struct {
		document []byte
		notes    int
	}{"customers": {customers, 0}, "one": {one, 0}, "all": {generated, 1}} {
		if r := of(t, nil, tt.document); len(r.Notes) != tt.notes {
			t.Errorf("%s: notes %v", name, r.Notes)
		}
	}
}

// What a person decided of an answer holds for the same answer in a later run, and for no other.
func TestOverruledBefore(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		now  verdict.Verdict
		text string // of the answer now; "" for that of the earlier run
		want int    // regressions
	}{
		"the same answer": {wrong, "The answer is incorrect \x01 *a*", 0},
		"another answer":  {wrong, "Another", 1},
		"no answer":       {silent, "", 1},
	} {
		overruled := func(text string, v verdict.Verdict, by func(verdict.Ask) verdict.Ask) []byte {
			set := benchmark.Set{Repeats: 1, Questions: []benchmark.Question{{QuestionID: "a", Text: "What is a?", Expected: benchmark.Expected{Value: "1"}}}}
			asks := map[benchmark.AskKey]verdict.Ask{{QuestionID: "a", N: 1}: by(asked(1, v, text))}
			out, err := json.Marshal(benchmark.NewRunDocument(benchmark.Run{RunAccepted: benchmark.RunAccepted{Side: model, Repeats: 1}}, about, nil, set, asks))
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		before := overruled("The answer is incorrect \x01 *a*", wrong, func(a verdict.Ask) verdict.Ask { return a.Overruled(right, "Rounded.") })
		r := of(t, before, overruled(tt.text, tt.now, func(a verdict.Ask) verdict.Ask { return a }))
		if got := len(r.Regressed()); got != tt.want {
			t.Errorf("%s: %d regressions, want %d", name, got, tt.want)
		}
	}
}

// A question that the earlier run worded differently is not compared with it.
func TestOtherWords(t *testing.T) {
	t.Parallel()
	before := bytes.ReplaceAll(run(t, model, about, verdicts{right}), []byte("What is a"), []byte("How much is a"))
	r := of(t, before, run(t, model, about, verdicts{wrong}))
	r.Check(runreport.Gate{FailOnRegression: true})
	if len(r.Misses) > 0 || len(r.Notes) != 2 || !strings.Contains(r.Notes[1], "1 of the 1 questions") {
		t.Errorf("got misses %v and notes %v", r.Misses, r.Notes)
	}
}

// The reports of a run compared with an earlier one, and of an A/B run.
func TestReports(t *testing.T) {
	t.Parallel()
	under := 80
	gate := runreport.Gate{FailUnder: &under, FailOnRegression: true}
	before := run(t, model, about, verdicts{right, right}, verdicts{wrong, wrong}, verdicts{right, right}, verdicts{silent, silent})
	now := run(t, model, about, verdicts{right, right}, verdicts{right, right}, verdicts{wrong, wrong}, verdicts{silent, silent})
	r := of(t, before, now)
	r.Check(gate)
	golden(t, "run", r, gate)

	embedded := verdict.Side{Kind: verdict.PlatformAssistant, Target: verdict.Target{Transport: "embedded"}}
	b := verdict.Side{Kind: verdict.GenericAgent, Target: about}
	compared := verdict.Compare("1", embedded, b, []verdict.AskedQuestion{
		{QuestionID: "a", Text: "What is a?", Expected: "1", A: []verdict.Ask{asked(1, wrong, "It is 2 in all")}, B: []verdict.Ask{asked(1, right, "It is 1 in all")}},
		{QuestionID: "b", Text: "What is b?", Expected: "2", A: []verdict.Ask{asked(1, right, "It is 2")}, B: []verdict.Ask{asked(1, silent, "")}},
	})
	text, err := json.Marshal(verdict.NewDocument("1", verdict.Header{Benchmark: verdict.QuestionSet{Hash: "sha256:00"}}, compared, verdict.Links{}))
	if err != nil {
		t.Fatal(err)
	}
	test, err := runreport.OfTest("Old and new", "Over 1 questions: no difference is shown.", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	test.Check(runreport.Gate{})
	golden(t, "test", test, runreport.Gate{})
}

func golden(t *testing.T, name string, r *runreport.Report, gate runreport.Gate) {
	t.Helper()
	for ending, write := range map[string]func(io.Writer) error{
		"junit.xml": func(w io.Writer) error { return r.WriteJUnit(w, gate) }, "markdown": r.WriteMarkdown, "html": r.WriteHTML,
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name+"."+ending)
		if *update {
			if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), out.String()); diff != "" {
			t.Errorf("%s (-want +got; rewrite with -update):\n%s", file, diff)
		}
		switch ending {
		case "junit.xml":
			if err := xml.Unmarshal(out.Bytes(), new(struct{})); err != nil {
				t.Errorf("%s is not XML: %v", file, err)
			}
		case "html":
			for _, loaded := range []string{"http:", "https:", "src=", "<link", "@import", "<it>"} {
				if strings.Contains(out.String(), loaded) {
					t.Errorf("%s holds %s", file, loaded)
				}
			}
		}
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	if _, err := runreport.OfRun("x", []byte(`[]`), nil); err == nil {
		t.Error("a run was read from a list")
	}
	if _, err := runreport.OfRun("x", run(t, model, about, verdicts{right}), &runreport.Baseline{RunID: "r", Document: []byte(`1`)}); err == nil {
		t.Error("an earlier run was read from a number")
	}
	if _, err := runreport.OfTest("x", "", []byte(`[]`), nil); err == nil {
		t.Error("a comparison was read from a list")
	}
}
