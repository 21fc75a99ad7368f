package main

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/cmd/cli"
)

// gates begins a golden set, saves it from files, and runs it with gates and reports.
func gates(t *testing.T, y *typist) {
	t.Helper()
	const in, of = "Corporate Functions", "Financial Statements"
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	read := func(name string) string {
		text, err := os.ReadFile(path(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	y.types(0, "", "benchmark", "init", in, of, path("set.csv"))
	begun := read("set.csv")
	if n := strings.Count(begun, ",Generated\n"); n != 10 || !strings.HasPrefix(begun, "\ufeffquestion,expectedAnswer,") {
		t.Errorf("init wrote %d questions:\n%s", n, begun)
	}
	if again := y.types(1, "", "benchmark", "init", in, of, path("set.csv")); !strings.Contains(again.stderr, "exists") || read("set.csv") != begun {
		t.Errorf("init over a file: got %q", again.stderr)
	}
	y.types(cli.ExitUsage, "", "benchmark", "init", in, of, path("set.json"))

	// An exported set is the same as the saved one, in either format.
	y.types(0, "", "benchmark", "save", in, of, path("set.csv"))
	saved := y.types(0, "", "benchmark", "questions", in, of, "--json").stdout
	y.types(0, "", "benchmark", "export", in, of, path("again.csv"))
	y.types(0, "", "benchmark", "export", in, of, path("set.jsonl"))
	if read("again.csv") != begun {
		t.Errorf("the exported set differs:\n%s\n%s", begun, read("again.csv"))
	}
	y.types(0, read("set.jsonl"), "benchmark", "save", in, of, "-", "--format", "jsonl")
	if now := y.types(0, "", "benchmark", "questions", in, of, "--json").stdout; now != saved {
		t.Errorf("saved from JSON lines, the set differs:\n%s\n%s", saved, now)
	}
	faulty := y.types(1, "question,expectedValue,weight\nHow many?,5,x\n,5,1\n", "benchmark", "save", in, of, "-", "--format", "csv")
	for _, want := range []string{"line 2, column 13 (weight)", "line 3, column 1 (question)"} {
		if !strings.Contains(faulty.stderr, want) {
			t.Errorf("a faulty file: got %q, want %q", faulty.stderr, want)
		}
	}
	if now := y.types(0, "", "benchmark", "questions", in, of, "--json").stdout; now != saved {
		t.Errorf("a faulty file was saved: %s", now)
	}

	// A question that cannot run is named by its place, and nothing is saved unless it is kept.
	const gone = `{"question":"What was the fee?","dax":"EVALUATE ROW(\"x\", [Fee])"}` + "\n"
	cannot := y.types(1, read("set.jsonl")+gone, "benchmark", "save", in, of, "-", "--format", "jsonl")
	if want := "1 of 11 questions cannot run, and none is saved. The first 1:\n  line 11, column 33 (dax): The model has no measure [Fee]"; !strings.Contains(cannot.stderr, want) {
		t.Errorf("a question that cannot run: got %q, want %q", cannot.stderr, want)
	}
	y.types(1, `{"questions":[{"text":"What was the fee?","expected":{"dax":"EVALUATE ROW(\"x\", [Fee])"}}]}`, "benchmark", "save", in, of, "-")
	if now := y.types(0, "", "benchmark", "questions", in, of, "--json").stdout; now != saved {
		t.Errorf("a set with a question that cannot run was saved: %s", now)
	}
	y.types(0, read("set.jsonl")+gone, "benchmark", "save", in, of, "-", "--format", "jsonl", "--keep-unrunnable")

	// One question with an answer that the model does not give.
	const wrong = `{"question":"What was the total revenue of the moon?","expectedValue":"987654321","questionId":"moon","source":"Customer"}` + "\n"
	y.types(0, read("set.jsonl")+wrong, "benchmark", "save", in, of, "-", "--format", "jsonl")
	for _, flags := range [][]string{{"--fail-under", "101"}, {"--fail-under", "1", "--no-wait"}, {"--baseline", "x"}} {
		y.types(cli.ExitUsage, "", append([]string{"benchmark", "run", in, of}, flags...)...)
	}
	passed := y.types(0, "", "benchmark", "run", in, of, "--fail-under", "10", "--fail-on-regression", "--junit", path("a.xml"), "--markdown", path("a.md"), "--html", path("a.html"))
	if !strings.Contains(passed.stderr, "No earlier run asked these questions") || !strings.Contains(passed.stdout, "score ") {
		t.Errorf("the first run: got %+v", passed)
	}
	var junit struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
	}
	if err := xml.Unmarshal([]byte(read("a.xml")), &junit); err != nil || junit.Tests != 10+3 || junit.Failures == 0 {
		t.Errorf("JUnit: got %+v and error %v", junit, err)
	}
	for name, want := range map[string]string{"a.xml": `name="answeredBy" value="embedded (simulated`, "a.md": "embedded \\(simulated", "a.html": "embedded (simulated by the rules engine; no AI was asked)"} {
		if text := read(name); !strings.Contains(text, strings.ReplaceAll(want, `\(`, "(")) || strings.Contains(text, "http://") || strings.Contains(text, "https://") {
			t.Errorf("%s does not say what answered, or loads something:\n%s", name, text)
		}
	}

	// The gate fails because of the score; the reports are written nevertheless.
	failed := y.types(cli.ExitDamaged, "", "benchmark", "run", in, of, "--fail-under", "100", "--fail-on-regression", "--markdown", path("b.md"))
	if !strings.Contains(failed.stderr, ", below 100") || strings.Contains(failed.stderr, "regressed") || !strings.Contains(failed.stderr, "Compared with run ") || !strings.Contains(read("b.md"), "**The gate failed**") {
		t.Errorf("too low a score: got %+v\n%s", failed, read("b.md"))
	}

	// A question regresses against a run that answered it correctly.
	before := shownID.FindString(y.types(0, "", "benchmark", "runs", in, of).stdout)
	lines := strings.Split(read("set.jsonl"), "\n")
	regressing := strings.Replace(lines[0], `,"dax":`, `,"expectedValue":"987654321","was":`, 1)
	regressing = regressing[:strings.Index(regressing, `,"was":`)] + regressing[strings.Index(regressing, `,"questionId"`):]
	y.types(0, regressing+"\n", "benchmark", "save", in, of, "-", "--format", "jsonl")
	y.types(0, "", "benchmark", "run", in, of, "--fail-on-regression") // no earlier run of this set
	regressed := y.types(cli.ExitDamaged, "", "benchmark", "run", in, of, "--fail-on-regression", "--baseline", before)
	if !strings.Contains(regressed.stderr, "readiness: 1 question regressed\n") || !strings.Contains(regressed.stderr, "readiness: regressed: ") {
		t.Errorf("a regression: got %+v", regressed)
	}

	// The run does not start if its result could not be compared or written.
	asked := y.types(0, "", "benchmark", "runs", in, of).stdout
	y.types(1, "", "benchmark", "run", in, of, "--baseline", "01a1fe19-b4e6-73d6-a5f4-307239dadc95") // 404
	if lost := y.types(1, "", "benchmark", "run", in, of, "--junit", path("none/a.xml")); !strings.Contains(lost.stderr, "a.xml cannot be written") {
		t.Errorf("a report in a folder that is not there: got %+v", lost)
	}
	if now := y.types(0, "", "benchmark", "runs", in, of).stdout; now != asked {
		t.Errorf("a run was started:\n%s", now)
	}

	// Side B of an A/B run is compared with its own earlier run.
	y.types(0, "", "abtests", "create", "Gate", in, of, in, of)
	test := shownID.FindString(y.types(0, "", "abtests", "list", "--search", "gate").stdout)
	ab := y.types(cli.ExitDamaged, "", "abtests", "run", test, "--fail-under", "90", "--fail-on-regression", "--html", path("ab.html"), "--junit", path("ab.xml"))
	if !strings.Contains(ab.stderr, "the score is 0, below 90") || !strings.Contains(ab.stderr, "Compared with run ") || strings.Contains(ab.stderr, "regressed") {
		t.Errorf("an A/B run: got %+v", ab)
	}
	if page := read("ab.html"); strings.Count(page, `<th scope="col">side A</th>`) != 1 || !strings.Contains(page, "side B") {
		t.Errorf("the page of an A/B run:\n%s", page)
	}
	y.types(cli.ExitUsage, "", "abtests", "run", test, "--fail-under", "-1")
	shown := y.types(0, "", "abtests", "show", test).stdout
	y.types(1, "", "abtests", "run", test, "--baseline", "01a1fe19-b4e6-73d6-a5f4-307239dadc95")
	if now := y.types(0, "", "abtests", "show", test).stdout; now != shown {
		t.Errorf("a run was started:\n%s", now)
	}
}
