package desk

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"readiness/cmd/cli"
)

const tickets = "../../../samples/workspaces/Corporate Functions/Support Tickets.SemanticModel"

// written writes files to a folder, and returns their paths.
func written(t *testing.T, files map[string]string) func(name string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) string { return filepath.Join(dir, name) }
}

// examples returns the files of docs/evaluate.md, by name, and the output that it shows.
func examples(t *testing.T) (files map[string]string, output string) {
	t.Helper()
	page, err := os.ReadFile("../../../docs/evaluate.md")
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for _, found := range regexp.MustCompile("(?s)\\*\\*(\\w+\\.csv)\\*\\*.*?```csv\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		files[found[1]] = found[2]
	}
	shown := regexp.MustCompile("(?s)```text\n(.*?)```").FindStringSubmatch(string(page))
	if len(files) != 2 || shown == nil {
		t.Fatalf("the page has the files %v", files)
	}
	return files, shown[1]
}

// What docs/evaluate.md shows is what the program prints.
func TestEvaluateAsDocumented(t *testing.T) {
	t.Parallel()
	files, output := examples(t)
	in := written(t, files)
	got := must(t, "evaluate", tickets, "--questions", in("golden.csv"), "--answers", in("copilot.csv")).stdout
	for _, want := range []string{output, "copilot.csv  3 of 4  75 % (95 %: 30 to 95 %)  3 correct, 1 incorrect  rows 3, the value in the text 1\n",
		"- Nobody answered: How satisfied are customers?\n",
		`(copilot.csv, line 6). The nearest is "How satisfied are customers?"; write it so if it is meant.`} {
		if !strings.Contains(got, want) {
			t.Errorf("the output lacks\n%s\nit is\n%s", want, got)
		}
	}
}

func TestEvaluateGates(t *testing.T) {
	t.Parallel()
	files, _ := examples(t)
	files["better.csv"] = strings.Replace(files["copilot.csv"], "COUNTROWS(Tickets))\"\nHow many tickets came", "[Open Tickets])\"\nHow many tickets came", 1)
	files["broken.csv"] = "city,sales\n"
	files["another.csv"] = "question,answer\nWho are you?,Copilot\n"
	in := written(t, files)
	args := func(answers string, more ...string) []string {
		return append([]string{"evaluate", tickets, "--questions", in("golden.csv"), "--answers", in(answers)}, more...)
	}
	must(t, args("better.csv", "--format", "json", "--output", in("main.json"))...)
	for name, tt := range map[string]struct {
		args   []string
		code   int
		stderr string
	}{
		"reached":              {args("copilot.csv", "--fail-under", "75"), cli.ExitOK, ""},
		"below":                {args("copilot.csv", "--fail-under", "76"), cli.ExitDamaged, "the score is 75, below 76"},
		"regressed":            {args("copilot.csv", "--baseline", in("main.json"), "--fail-on-regression"), cli.ExitDamaged, "1 question regressed"},
		"no regression":        {args("better.csv", "--baseline", in("copilot.csv"), "--fail-on-regression"), cli.ExitOK, ""},
		"of each who answered": {args("copilot.csv", "--answers", in("better.csv"), "--fail-under", "80"), cli.ExitDamaged, "copilot.csv: the score is 75, below 80"},
		"no baseline":          {args("copilot.csv", "--fail-on-regression"), cli.ExitUsage, "--fail-on-regression needs --baseline"},
		"no questions":         {[]string{"evaluate", tickets, "--answers", in("copilot.csv")}, cli.ExitUsage, "--questions is missing"},
		"no answers":           {[]string{"evaluate", tickets, "--questions", in("golden.csv")}, cli.ExitUsage, "--answers is missing"},
		"another format":       {args("copilot.csv", "--format", "pdf"), cli.ExitUsage, "--format must be one of table, json"},
		"a score out of range": {args("copilot.csv", "--fail-under", "101"), cli.ExitUsage, "--fail-under must be 0 to 100"},
		"a file of none":       {args("broken.csv"), cli.ExitFailed, "broken.csv: its first line (city, sales) names no columns question and answer; expected is"},
		"no golden question":   {args("another.csv"), cli.ExitFailed, "no answer is one to a golden question"},
		"no file":              {args("none.csv"), cli.ExitFailed, "none.csv"},
		"a folder":             {args("."), cli.ExitFailed, "is a folder; name a file"},
		"answers as questions": {[]string{"evaluate", tickets, "--questions", in("copilot.csv"), "--answers", in("copilot.csv")}, cli.ExitFailed, "there is no column \"answer\""},
		"several models":       {[]string{"evaluate", filepath.Dir(tickets), "--questions", in("golden.csv"), "--answers", in("copilot.csv")}, cli.ExitFailed, "semantic models; name the folder of the one"},
	} {
		if got := run(t.Context(), tt.args...); got.code != tt.code || !strings.Contains(got.stderr, tt.stderr) {
			t.Errorf("%s: got exit code %d, want %d\n%s", name, got.code, tt.code, got.stderr)
		}
	}
}

// A golden question that no answer can be right about is refused by its place before anything is judged, unless it is kept.
func TestEvaluateUnusable(t *testing.T) {
	t.Parallel()
	files, _ := examples(t)
	for name, tt := range map[string]struct{ dax, want string }{
		"renamed":         {`EVALUATE ROW("x", [Gone])`, "The model has no measure [Gone]"},
		"unreadable":      {`EVALUATE ROW("x", [Open Tickets]`, "the query cannot be read at its byte 33: a bracket, a quotation mark or an expression is missing"},
		"no row":          {`EVALUATE FILTER(VALUES(Tickets[Channel]), Tickets[Channel] = "Chta")`, `returns nothing: 'Tickets'[Channel] has no "Chta"; its values are like "Chat", `},
		"a blank":         {`EVALUATE ROW("x", CALCULATE([Ticket Count], Tickets[Channel] IN {"E-mails"}))`, `'Tickets'[Channel] has no "E-mails"; its values are like "Mail", "Portal", "Chat"`},
		"none, no filter": {`EVALUATE FILTER(VALUES(Tickets[Channel]), FALSE())`, "over the sample data the query returns no row, so that no answer is right"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := written(t, map[string]string{"copilot.csv": files["copilot.csv"],
				"golden.csv": files["golden.csv"] + `"What, then?","` + strings.ReplaceAll(tt.dax, `"`, `""`) + `"` + "\n\"And then?\",\"EVALUATE ROW(\"\"x\"\", [Away])\"\n"})
			args := []string{"evaluate", tickets, "--questions", in("golden.csv"), "--answers", in("copilot.csv"), "--output", in("report")}
			got := run(t.Context(), args...)
			if want := "golden.csv: line 7, column 15 (dax): "; got.code != cli.ExitFailed || !strings.Contains(got.stderr, want) || !strings.Contains(got.stderr, tt.want) ||
				!strings.Contains(got.stderr, "golden.csv: line 8, column 13 (dax): The model has no measure [Away]") { // every fault is listed
				t.Errorf("got exit code %d\n%s", got.code, got.stderr)
			}
			if _, err := os.Stat(in("report")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a report is written: %v", err)
			}
			must(t, append(args, "--keep-unrunnable")...)
			if report, err := os.ReadFile(in("report")); err != nil || !strings.Contains(string(report), "3 of 4") {
				t.Errorf("with --keep-unrunnable: %s, %v", report, err)
			}
		})
	}
}

// The same answerer in two files is asked twice: the report says how much it differs from itself.
func TestEvaluateTwice(t *testing.T) {
	t.Parallel()
	files, _ := examples(t)
	const table = "question,answer,who\nHow many tickets are there?,%,Agent\nTickets by team,See it,Agent\n"
	files["one.csv"], files["two.csv"] = strings.Replace(table, "%", "300", 1), strings.Replace(table, "%", "I do not know", 1)
	in := written(t, files)
	got := must(t, "evaluate", tickets, "--questions", in("golden.csv"), "--answers", in("one.csv"), "--answers", in("two.csv")).stdout
	if want := "- A/A: Agent was asked 2 questions repeatedly, and flickers on 1 (right once and wrong once)."; !strings.Contains(got, want) {
		t.Errorf("the output lacks %q:\n%s", want, got)
	}
}

// The evaluation SDK's two tables are read from Parquet as from CSV.
func TestEvaluateParquet(t *testing.T) {
	t.Parallel()
	type answer struct {
		ID       string `parquet:"id,plain"`
		Question string `parquet:"question,plain"`
		Actual   string `parquet:"actual_answer,plain"`
		Claimed  bool   `parquet:"evaluation_judgement"`
	}
	type step struct {
		ID    string   `parquet:"id,plain"`
		Steps []string `parquet:"dax_steps,list" parquet-element:",plain"`
	}
	files, _ := examples(t)
	in := written(t, files)
	if err := errors.Join(
		parquet.WriteFile(in("answers.parquet"), []answer{{"1", "How many tickets are open?", "All of them", true}, {"2", "Tickets by team", "See it", false}}),
		parquet.WriteFile(in("steps.parquet"), []step{{"1", []string{"None", `EVALUATE ROW("Open", [Open Tickets])`}}, {"2", nil}}),
		os.WriteFile(in("damaged.parquet"), []byte("PAR1PAR1"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	type question struct {
		Question string `parquet:"question,plain"`
		DAX      string `parquet:"dax,plain"`
	}
	golden := []question{{"How many tickets are open?", `EVALUATE ROW("n", [Open Tickets])`}, {"Tickets by team", `EVALUATE SUMMARIZECOLUMNS(Agents[Team], "n", [Ticket Count])`}}
	if err := parquet.WriteFile(in("golden.parquet"), golden); err != nil {
		t.Fatal(err)
	}
	args := []string{"evaluate", tickets, "--questions", in("golden.parquet"), "--answers"}
	got := must(t, append(args, in("answers.parquet"), "--answers", in("steps.parquet"))...).stdout
	for _, want := range []string{"answers.parquet  1 of 2", "1 correct", "1 of its 2 answers have no query"} {
		if !strings.Contains(got, want) {
			t.Errorf("the output lacks %q:\n%s", want, got)
		}
	}
	if got := run(t.Context(), append(args, in("damaged.parquet"))...); got.code != cli.ExitFailed || !strings.Contains(got.stderr, "damaged.parquet: it is a Parquet file, and ") {
		t.Errorf("a damaged file gives %d\n%s", got.code, got.stderr)
	}
}

// Files of one name in two folders are of two answerers.
func TestEvaluateFilesOfOneName(t *testing.T) {
	t.Parallel()
	files, _ := examples(t)
	in, other := written(t, files), written(t, files)
	got := must(t, "evaluate", tickets, "--questions", in("golden.csv"), "--answers", in("copilot.csv"), "--answers", other("copilot.csv")).stdout
	if strings.Count(got, "3 of 4  75 %") != 2 || strings.Contains(got, "repeatedly") || !strings.Contains(got, "is it the same file?") {
		t.Errorf("got %s", got)
	}
}

// Texts of answers are data: no format lets them act, and every format is well formed.
func TestEvaluateHostileAnswers(t *testing.T) {
	t.Parallel()
	const evil = "<script>alert(1)</script> | \x1b[31m\u202e ::error::x @team ]]> ``` 300"
	answer, _ := json.Marshal(map[string]any{"question": "How many tickets are open?", "answer": evil, "who": "<b>" + evil, "dax": "EVALUATE {1} -- " + evil})
	files, _ := examples(t)
	files["evil.jsonl"] = string(answer) + "\n" + `{"question": "` + `</td><script>` + `", "answer": "\u0000"}` + "\n"
	in := written(t, files)
	for _, format := range evaluateFormats {
		got := must(t, "evaluate", tickets, "--questions", in("golden.csv"), "--answers", in("evil.jsonl"), "--answers", in("copilot.csv"), "--format", format).stdout
		if strings.ContainsAny(got, "\x1b\u202e\x00") && format != "json" || strings.Contains(got, "<script>alert") && format != "table" && format != "junit" {
			t.Errorf("%s: a text acts:\n%s", format, got)
		}
		switch format {
		case "json":
			if !json.Valid([]byte(got)) || strings.Contains(got, "\x1b") {
				t.Errorf("json: got %s", got)
			}
		case "junit":
			d := xml.NewDecoder(strings.NewReader(got))
			for {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("junit: %s\n%s", err, got)
				}
			}
		case "table":
			if strings.Contains(got, "\n::error") {
				t.Errorf("table: got %s", got)
			}
		}
	}
}

// An evaluation is evidence beside the score of the same definition, a lesser one after a change, and none for another model.
func TestAssessWithEvidence(t *testing.T) {
	t.Parallel()
	files, _ := examples(t)
	files["other.json"], files["empty.json"] = `{"schema": "evaluation/9"}`, `{"schema": "evaluation/1", "runs": [{"who": "nobody"}]}`
	in := written(t, files)
	must(t, "evaluate", tickets, "--questions", in("golden.csv"), "--answers", in("copilot.csv"), "--format", "json", "--output", in("measured.json"))
	const measured = "75 % of 4 questions answered right (95 %: 30 to 95 %) by copilot.csv."
	changed := t.TempDir()
	if err := os.CopyFS(filepath.Join(changed, "Support Tickets.SemanticModel"), os.DirFS(tickets)); err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(changed, "Support Tickets.SemanticModel", "definition", "model.tmdl")
	text, err := os.ReadFile(table)
	if err == nil {
		err = os.WriteFile(table, append(text, "\nannotation Note = changed\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ path, shown, warning string }{
		"the same definition": {tickets, "Measured: " + measured, ""},
		"another definition":  {changed, "An estimate; measured of another state of this model: " + measured, ""},
		"another model":       {"../../../samples/workspaces/Retail Analytics", "An estimate, not measured.", `the evidence is about the model "Support Tickets", which is none of these`},
	} {
		got := must(t, "assess", c.path, "--evidence", in("measured.json"))
		if shown := strings.Join(strings.Fields(got.stdout), " "); !strings.Contains(shown, c.shown) || !strings.Contains(got.stderr, c.warning) {
			t.Errorf("%s: %s\n%s", name, got.stdout, got.stderr)
		}
		if c.warning == "" && got.stderr != "" {
			t.Errorf("%s: %s", name, got.stderr)
		}
	}
	var d struct {
		Items []struct {
			Evidence []struct {
				By       string `json:"answered_by"`
				Right    int
				Rate     int `json:"rate_percent"`
				Outdated bool
			}
		}
	}
	if err := json.Unmarshal([]byte(must(t, "assess", tickets, "--evidence", in("measured.json"), "--format", "json").stdout), &d); err != nil {
		t.Fatal(err)
	}
	if e := d.Items[0].Evidence; len(e) != 1 || e[0].By != "copilot.csv" || e[0].Right != 3 || e[0].Rate != 75 || e[0].Outdated {
		t.Errorf("in JSON it is %+v", e)
	}
	for file, want := range map[string]string{"golden.csv": "it must be what readiness evaluate --format json printed", "other.json": "it is no evaluation of this version",
		"empty.json": "it has no answers", "gone.json": "gone.json does not exist"} {
		if got := run(t.Context(), "assess", tickets, "--evidence", in(file)); got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %d %s", file, got.code, got.stderr)
		}
	}
}
