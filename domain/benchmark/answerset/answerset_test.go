package answerset_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	written "github.com/parquet-go/parquet-go"

	"readiness/domain/benchmark/answerset"
)

// shown returns what matters of the answers of a file, one a line.
func shown(f *answerset.File) string {
	var b strings.Builder
	for _, a := range f.Answers {
		fmt.Fprintf(&b, "%s|%s|%s|%s", a.By.Who, a.Question, a.Text, a.Query)
		if a.Seconds != nil {
			fmt.Fprintf(&b, "|%gs", *a.Seconds)
		}
		if a.Failure != nil {
			fmt.Fprintf(&b, "|%s: %s", a.Failure.Code, a.Failure.Message)
		}
		if a.Rows != nil {
			fmt.Fprintf(&b, "|%d rows", len(a.Rows.Rows))
		}
		if a.Cached {
			b.WriteString("|cached")
		}
		if a.Turn > 1 {
			fmt.Fprintf(&b, "|turn %d", a.Turn)
		}
		if a.Claimed != nil {
			fmt.Fprintf(&b, "|claimed %t", *a.Claimed)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

const query = "EVALUATE ROW(\"x\", [Sales])"

func TestTables(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, want, note string }{
		"three columns":        {"question,answer,dax\nHow much?,12,\"EVALUATE ROW(\"\"x\"\", [Sales])\"\n", "f|How much?|12|" + query, ""},
		"mark, CRLF, semicola": {"\ufeffQuestion;Answer;Who\r\nHow much?;12;Copilot\r\n", "Copilot|How much?|12|", ""},
		"every column":         {"question,answer,rows,seconds,error,cached\nA,1,\"[[1],[2]]\",2.5,,yes\nB,,,,it broke,\n", "f|A|1||2.5s|2 rows|cached\nf|B|||error: it broke", ""},
		"no answer":            {"question,answer\nA,\n", "f|A|||empty: there is no answer", ""},
		"other columns":        {"question,answer,mood\nA,1,good\n", "f|A|1|", `The column "mood" is not read.`},
		"a formula guarded":    {"question,answer\nA,'=1+1\n", "f|A|=1+1|", ""},
		"no number of seconds": {"question,answer,seconds\nA,1,soon\n", "f|A|1|", `Line 2: "soon" is no number of seconds.`},
		"rows of another form": {"question,answer,rows\nA,1,many\n", "f|A|1|", "Line 2: its rows are not read"},
		"a line too short":     {"question,answer,dax\nA\nB,2\n", "f|A|||empty: there is no answer\nf|B|2|", ""},
		"JSON lines":           {"{\"question\": \"A\", \"answer\": 12, \"rows\": [{\"x\": 12}]}\n{\"question\": \"B\", \"answer\": \"no\"}\n", "f|A|12||1 rows\nf|B|no|", ""},
		"one JSON object":      {"{\n \"question\": \"A\",\n \"answer\": \"x\"\n}", "f|A|x|", ""},
		"a JSON list":          {`[{"question": "A", "answer": "x"}, {"question": "B", "answer": "y"}]`, "f|A|x|\nf|B|y|", ""},
		"a broken line":        {"{\"question\": \"A\", \"answer\": \"x\"}\n{\"question\": \"B\"\n{}\n", "f|A|x|", "Line 2 is not read: it is not JSON."},
		"a member twice":       {"{\"question\": \"A\", \"answer\": \"x\", \"answer\": \"y\"}\n{\"question\": \"B\", \"answer\": \"z\"}", "f|B|z|", `Line 1 is not read: the member "answer" is there twice.`},
		"a long query":         {"question,answer,dax\nA,1,EVALUATE " + strings.Repeat("x", 20_000) + "\n", "f|A|1|", "A query of 20009 bytes is not read"},
		"the evaluation SDK": {"id,question,expected_answer,actual_answer,execution_time_sec,status,evaluation_judgement\n1,A,12,It is 12,3.5,completed,True\n2,B,1,Error,1,failed,\n",
			"f|A|It is 12||3.5s|claimed true\nf|B|Error||1s|failed: the run failed", ""},
	} {
		f, err := answerset.Read("f", []byte(tt.file))
		if err != nil {
			t.Errorf("%s: %s", name, err)
			continue
		}
		if got := shown(f); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, tt.want)
		}
		if notes := strings.Join(f.Notes, "\n"); !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
			t.Errorf("%s: got the notes %q, want %q", name, notes, tt.note)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, want string }{
		"empty":             {" \n", "it is empty; expected is a table with the columns question and answer"},
		"other columns":     {"city,sales\nRome,1\n", "its first line (city, sales) names no columns question and answer; expected is"},
		"other JSON":        {`{"tables": []}`, "it is JSON of another kind; expected is"},
		"no JSON":           {"{\"a\"", "no line is a JSON object with a question; expected is"},
		"answers of lift":   {`{"key":"f7","question":"How many?","answer":{"answer":"12"}}`, "readiness lift keeps answers in it"},
		"Parquet":           {"PAR1\x00\x01", "it is a Parquet file, and it does not end as one"},
		"a workbook":        {"PK\x03\x04\x00", "save the sheet as CSV"},
		"NUL":               {"question,answer\nA,\x00\n", "line 2, column 3: "},
		"not UTF-8":         {"question,answer\nA,\xff\n", "line 2, column 3: "},
		"an open quote":     {"question,answer\nA,\"x\n", "the quotes of a cell do not end"},
		"a column twice":    {"question,answer,Answer\nA,1,2\n", `two columns hold the answer`},
		"deep JSON":         {strings.Repeat("[", 20_000), "it is not read as JSON"},
		"a run of no form":  {`{"run": {}, "document": {"questions": 1}}`, "it is not read as a run of the service"},
		"an odd evaluation": {`{"schema": "evaluation/1", "runs": {}}`, "it is not read as an evaluation"},
		"too large":         {strings.Repeat("x", answerset.MaxBytes+1), "it is larger than 64 MB"},
	} {
		if _, err := answerset.Read("f", []byte(tt.file)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

// A Parquet file reads as the same table of text, also as a call sends it.
func TestParquet(t *testing.T) {
	t.Parallel()
	type row struct {
		ID      string              `parquet:"id,plain"`
		Q       string              `parquet:"question,plain"`
		Answer  *string             `parquet:"actual_answer,optional,plain"`
		Seconds float64             `parquet:"execution_time_sec"`
		Claimed bool                `parquet:"evaluation_judgement"`
		Rows    map[string][]string `parquet:"rows"`
	}
	var b bytes.Buffer
	if err := written.Write(&b, []row{{"1", "A", new("'=It is 12"), 3.5, true, nil}, {"2", "B", nil, 1, false, nil}}, written.Compression(&written.Snappy)); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func() (*answerset.File, error){
		"a file":        func() (*answerset.File, error) { return answerset.Read("f", b.Bytes()) },
		"what is given": func() (*answerset.File, error) { return answerset.ReadGiven("f", answerset.Content(b.Bytes())) },
	} {
		f, err := read()
		if err != nil {
			t.Fatalf("%s: %s", name, err)
		}
		if got, want := shown(f), "f|A|'=It is 12||3.5s|claimed true\nf|B|||1s|empty: there is no answer|claimed false"; got != want || f.Answers[1].Line != 3 {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
		if f.Kind != answerset.SDK || f.Notes[0] != `The column "rows" is not read: it is nested.` {
			t.Errorf("%s is a %s: %v", name, f.Kind, f.Notes)
		}
	}
	if _, err := answerset.ReadGiven("f", answerset.Content(b.Bytes()[:100])); err == nil || !strings.Contains(err.Error(), "f: it is a Parquet file, and it does not end as one") {
		t.Errorf("a file that is cut off gives %v", err)
	}
}

func TestManyRows(t *testing.T) {
	t.Parallel()
	f, err := answerset.Read("f", []byte("question,answer\n"+strings.Repeat("A,1\n", 1_000_000)))
	if err != nil || len(f.Answers) != answerset.MaxAnswers || f.Notes[0] != "Only the first 10000 answers are read." {
		t.Errorf("got %d answers, %v, %v", len(f.Answers), f.Notes, err)
	}
}

// The queries of the SDK's answers are in a table of their own.
func TestStepsAreJoined(t *testing.T) {
	t.Parallel()
	read := func(text string) *answerset.File {
		f, err := answerset.Read("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	answers := read("id,question,actual_answer\n7,A,It is 12\n8,B,13\n")
	steps := read("id,thread_id,function_names,dax_steps\n7,t,x,\"['None', 'EVALUATE ROW(\"\"x\"\",\\n [It\\'s])', 'None']\"\n")
	answerset.Join([]*answerset.File{answers, steps})
	if got := answers.Answers[0].Query; got != "EVALUATE ROW(\"x\",\n [It's])" || steps.Kind != answerset.Steps {
		t.Errorf("got %q, %s", got, steps.Kind)
	}
	if got := answers.Notes[0]; got != "1 of its 2 answers have no query: give the table of steps too (its name ends in _steps)." {
		t.Errorf("got %q", got)
	}
}

// diagnostics of a conversation of three questions, as the platform may write them; the lists of its threads are newest first.
const diagnostics = `{"artifactId": "11111111-2222-3333-4444-555555555555", "stage": "production", "downloaded_at": "2026-11-20T10:00:00Z", "surprise": 1,
 "config": {"configuration": {"additionalInstructions": "Be short", "experimental": {"advancedDax": true}}},
 "datasources": {"s": {"schema": {"dataSourceInfo": {"display_name": "Sales", "type": "semantic_model"}}}},
 "thread": {
  "messages": [
   {"role": "assistant", "run_id": "r3", "created_at": 330, "content": [{"type": "text", "text": {"value": "From the lake: 5"}}]},
   {"role": "user", "created_at": 300, "content": [{"type": "text", "text": {"value": "And in the lake?"}}]},
   {"role": "assistant", "run_id": "r2", "created_at": 201, "content": [{"type": "text", "text": {"value": "12"}}]},
   {"role": "user", "created_at": 200, "content": [{"type": "text", "text": {"value": "How much again?"}}]},
   {"role": "assistant", "run_id": "r1", "created_at": 110, "content": [{"type": "text", "text": {"value": "It is 12"}}]},
   {"role": "user", "created_at": 100, "content": [{"type": "text", "text": {"value": "How much?"}}]},
   {"role": "system", "created_at": 99, "content": "x"}],
  "runs": [{"id": "r1", "status": "completed", "created_at": 101, "completed_at": 109},
   {"id": "r2", "status": "completed", "created_at": 200, "completed_at": 201},
   {"id": "r3", "status": "completed", "created_at": 301, "completed_at": 329}],
  "run_steps": [
   {"run_id": "r1", "type": "tool_calls", "created_at": 103, "step_details": {"tool_calls": [{"function": {"name": "execute", "arguments":
     "\"{\\\"datasource_type\\\": \\\"semantic_model\\\", \\\"code\\\": \\\"EVALUATE ROW(\\\\\\\"x\\\\\\\", [Sales])\\\"}\"", "output": "[{\"x\": 12}]"}}]}},
   {"run_id": "r1", "type": "tool_calls", "created_at": 102, "step_details": {"tool_calls": [{"function": {"name": "nl2code", "arguments":
     "{\"datasource_type\": \"semantic_model\", \"natural_language_query\": \"sales\"}", "output": "` + "```dax\\nEVALUATE {1}\\n```" + `"}},
     {"function": {"name": "odd.tool", "arguments": "no JSON", "output": ""}}]}},
   {"run_id": "r3", "type": "tool_calls", "created_at": 302, "step_details": {"tool_calls": [{"function": {"name": "nl2code", "arguments":
     "{\"datasource_type\": \"lakehouse_tables\", \"code\": \"SELECT 1\"}", "output": "5"}}]}}]}}`

func TestDiagnostics(t *testing.T) {
	t.Parallel()
	f, err := answerset.Read("agent.json", []byte(diagnostics))
	if err != nil {
		t.Fatal(err)
	}
	const who = "data agent 11111111-2222-3333-4444-555555555555"
	want := who + "|How much?|It is 12|" + query + "|8s|1 rows\n" + who + "|How much again?|12||1s|cached|turn 2"
	if got := shown(f); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	by := f.Answers[0].By
	if by.Runtime != "preview" || by.Stage != "production" || len(by.Definition) != 8 || !f.Answers[0].At.Equal(time.Unix(100, 0)) {
		t.Errorf("got %+v, %s", by, f.Answers[0].At)
	}
	notes := strings.Join(f.Notes, "\n")
	for _, want := range []string{`member "surprise" (1)`, `message of "system" (1)`, `call of "odd.tool" (1)`, "arguments are no JSON object (1)",
		"another source than a semantic model was asked: 1 of lakehouse_tables"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q:\n%s", want, notes)
		}
	}
	other, err := answerset.Read("agent.json", []byte(strings.Replace(diagnostics, "Be short", "Be long", 1)))
	if err != nil || other.Answers[0].By == by {
		t.Errorf("another definition is another answerer: got %+v, %v", other.Answers[0].By, err)
	}
}

// Diagnostics of another form than is known give no answers, and no panic.
func TestOddDiagnostics(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"thread": 1}`, `{"thread": {}}`, `{"thread": {"messages": [1, {"role": "user", "content": 1}], "runs": {}, "run_steps": "x"}}`,
		`{"config": null, "datasources": null}`, `{"thread": {"messages": [{"role": "user", "content": "A", "created_at": "x"}]}}`, `{"threads": [null]}`} {
		if f, err := answerset.Read("f", []byte(text)); err == nil && len(f.Answers) > 0 && f.Answers[0].Failure == nil {
			t.Errorf("%s: got %s", text, shown(f))
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(diagnostics))
	f.Add([]byte("question,answer\nA,1\n"))
	f.Add([]byte(`{"question": "A", "answer": [1]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := answerset.Read("f", data)
		if (got == nil) == (err == nil) {
			t.Fatalf("got %v, %v", got, err)
		}
		if got != nil {
			answerset.Join([]*answerset.File{got})
		}
	})
}
