package desk

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/cmd/cli"
	"readiness/offline/lift"
)

// toAsk is a model to which AI instructions, a description and defaults are proposed.
var toAsk = map[string]string{
	"S.SemanticModel/definition/database.tmdl": "database\n\tcompatibilityLevel: 1567\n",
	"S.SemanticModel/definition/model.tmdl":    "model Model\n\tculture: en-US\n",
	"S.SemanticModel/definition/tables/Orders.tmdl": `table Orders

	measure 'Net Sales' = SUM(Orders[Net Amount])
		formatString: 0

	measure 'Open Net Sales' = CALCULATE([Net Sales], Orders[Status] = "pending")
		formatString: 0

	column 'Order Date'
		dataType: dateTime

	column 'Ship Date'
		dataType: dateTime

	column Status
		dataType: string
		summarizeBy: count

	column 'Net Amount'
		dataType: double
		summarizeBy: sum
`,
}

// asked writes a golden set whose questions all have the same right query.
func asked(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("question,dax\n")
	for i := range n {
		fmt.Fprintf(&b, "\"How high were net sales, asked in way %d?\",\"EVALUATE ROW(\"\"x\"\", [Net Sales])\"\n", i)
	}
	return saved(t, "golden.csv", b.String())
}

func saved(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The answers of an AI in a shell.
const (
	rightAnswer = `echo '{"answer": "42", "dax": "EVALUATE ROW(\"x\", [Net Sales])"}'`
	wrongAnswer = `echo '{"answer": "7", "dax": "EVALUATE ROW(\"x\", COUNTROWS(Orders))"}'`
)

// withInstructions is an AI that answers so where it is given AI instructions, and otherwise so.
func withInstructions(t *testing.T, with, without string) string {
	t.Helper()
	return "command:sh " + saved(t, "agent.sh", "while read -r line; do case \"$line\" in *aiInstructions*) "+with+";; *) "+without+";; esac; done\n")
}

func lifted(t *testing.T, code int, args ...string) lift.Result {
	t.Helper()
	r := run(t.Context(), append([]string{"lift", "--format", "json"}, args...)...)
	var got struct{ Models []lift.Result }
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || r.code != code || len(got.Models) != 1 {
		t.Fatalf("got exit code %d, want %d, %v\n%s%s", r.code, code, err, r.stdout, r.stderr)
	}
	return got.Models[0]
}

func part(t *testing.T, r lift.Result, name string) lift.Effect {
	t.Helper()
	for _, e := range r.Parts {
		if e.Name == name {
			return e
		}
	}
	t.Fatalf("no part %q in %+v", name, r)
	return lift.Effect{}
}

// An AI that answers rightly only with AI instructions: they help, descriptions change nothing, and only what helps is written,
// which a revert takes back. A second run asks nothing.
func TestLiftHelps(t *testing.T) {
	t.Parallel()
	root, asks := folderOf(t, toAsk), filepath.Join(t.TempDir(), "asks.jsonl")
	before := contents(t, root)
	args := []string{root, "--questions", asked(t, 8), "--ask", withInstructions(t, rightAnswer, "echo '{}'"), "--asks", asks}
	r := lifted(t, cli.ExitOK, args...)
	if r.Now != (lift.Counts{Declined: 8}) || r.Kept != 8 { // display folders change nothing that the AI sees
		t.Errorf("got %+v", r)
	}
	if e := part(t, r, "aiInstructions"); e.Verdict != lift.Helps || e.OnlyWith != 8 || e.Difference != 1 || e.Right != 8 {
		t.Errorf("got %+v", e)
	}
	if e := part(t, r, "descriptions"); e.Verdict != lift.Unclear || e.OnlyWith != 0 || e.Declined != 8 {
		t.Errorf("got %+v", e)
	}
	if diff := cmp.Diff(before, contents(t, root)); diff != "" {
		t.Errorf("something was written: %s", diff)
	}
	record := filepath.Join(t.TempDir(), "record.json")
	again := lifted(t, cli.ExitOK, append(args, "--write", "helpful", "--record", record, "--root", root)...)
	if again.Asked != 0 || again.Kept != r.Asked+r.Kept {
		t.Errorf("a second run asked %d questions, and kept %d of %d", again.Asked, again.Kept, r.Asked)
	}
	after := contents(t, root)
	if after["S.SemanticModel/definition/tables/Orders.tmdl"] != before["S.SemanticModel/definition/tables/Orders.tmdl"] ||
		after["S.SemanticModel/Copilot/Instructions/instructions.md"] == "" {
		t.Errorf("other parts than the instructions were written: %v", after)
	}
	must(t, "revert", record, "--root", root, "--write")
	if diff := cmp.Diff(before, contents(t, root)); diff != "" {
		t.Errorf("after revert: %s", diff)
	}
}

// An AI that AI instructions mislead: they hurt, nothing is written, and the gate fails.
func TestLiftHurts(t *testing.T) {
	t.Parallel()
	root := folderOf(t, toAsk)
	before := contents(t, root)
	args := []string{root, "--questions", asked(t, 8), "--ask", withInstructions(t, wrongAnswer, rightAnswer), "--asks", filepath.Join(t.TempDir(), "a")}
	r := lifted(t, cli.ExitOK, args...)
	if e := part(t, r, "aiInstructions"); e.Verdict != lift.Hurts || e.OnlyWithout != 8 || e.Wrong != 8 || r.Now.Right != 8 {
		t.Errorf("got %+v of %+v", e, r)
	}
	lifted(t, cli.ExitDamaged, append(args, "--fail-on-harm")...)
	if got := run(t.Context(), append([]string{"lift", "--write", "helpful", "--root", root}, args...)...); !strings.Contains(got.stderr, "no part helps") {
		t.Errorf("got %+v", got)
	}
	if diff := cmp.Diff(before, contents(t, root)); diff != "" {
		t.Errorf("something was written: %s", diff)
	}
}

// toPart is a model to which AI instructions of two sections are proposed.
func toPart() map[string]string {
	files := maps.Clone(toAsk)
	files["S.SemanticModel/definition/tables/Orders.tmdl"] = strings.Replace(toAsk["S.SemanticModel/definition/tables/Orders.tmdl"], "\tcolumn 'Order Date'", `	measure 'Won Net Sales' = CALCULATE([Net Sales], Orders[Status] = "won")
		formatString: 0

	measure 'Closing Quota' = DIVIDE([Won Net Sales], [Net Sales])
		formatString: 0 %

	column 'Order Date'`, 1)
	return files
}

// The AI instructions are parted into sections and lines. Of an AI that one line of them misleads, the line is found.
func TestLiftFindsTheLine(t *testing.T) {
	t.Parallel()
	root := folderOf(t, toPart())
	ai := "command:sh " + saved(t, "agent.sh", `while read -r line; do case "$line" in *"[Closing Quota]: "*) `+wrongAnswer+";; *) "+rightAnswer+";; esac; done\n")
	r := lifted(t, cli.ExitOK, root, "--questions", asked(t, 8), "--ask", ai, "--by", "change", "--asks", filepath.Join(t.TempDir(), "a"))
	line := part(t, r, "AI instructions: - [Closing Quota]: [Won Net Sales] divided by [Net Sales], as a percentage.")
	if line.Verdict != lift.Hurts || line.Wrong != 8 || line.Changes != 1 || line.Lines != "## Key measures\n- [Closing Quota]: [Won Net Sales] divided by [Net Sales], as a percentage." {
		t.Errorf("got %+v", line)
	}
	for _, name := range []string{"AI instructions, Defaults", `AI instructions: - [Open Net Sales]: [Net Sales] where Status of Orders is "pending".`} {
		if e := part(t, r, name); e.Verdict != lift.Unclear || e.Right != 8 {
			t.Errorf("got %+v", e)
		}
	}
}

// Of an AI that one line helps and another misleads, only the line that helps is written, however small the budgets were that found it, and
// a revert takes it back. No question is asked twice.
func TestLiftWritesTheLine(t *testing.T) {
	t.Parallel()
	root, asks, record := folderOf(t, toPart()), filepath.Join(t.TempDir(), "asks.jsonl"), filepath.Join(t.TempDir(), "record.json")
	before := contents(t, root)
	ai := "command:sh " + saved(t, "agent.sh", `while read -r line; do case "$line" in *"[Closing Quota]: "*) `+wrongAnswer+
		`;; *"[Open Net Sales]: "*) `+rightAnswer+";; *) echo '{}';; esac; done\n")
	args := []string{root, "--questions", asked(t, 8), "--ask", ai, "--by", "change", "--root", root}
	whole := lifted(t, cli.ExitOK, append(args, "--asks", filepath.Join(t.TempDir(), "whole.jsonl"))...)
	args = append(args, "--asks", asks, "--budget", "20", "--write", "helpful", "--record", record)
	spent := 0
	for {
		r := run(t.Context(), append([]string{"lift", "--format", "json"}, args...)...)
		var got struct{ Models []lift.Result }
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || r.code != cli.ExitOK || got.Models[0].Asked > 20 {
			t.Fatalf("got %+v, %v", r, err)
		}
		if spent += got.Models[0].Asked; len(got.Models[0].LeftOut) == 0 {
			break
		}
		if diff := cmp.Diff(before, contents(t, root)); diff != "" || got.Models[0].Asked == 0 {
			t.Fatalf("after %d asks: %s", spent, diff)
		}
	}
	if spent != whole.Asked {
		t.Errorf("small budgets asked %d questions, and one run %d", spent, whole.Asked)
	}
	if got, want := contents(t, root)["S.SemanticModel/Copilot/Instructions/instructions.md"], "## Key measures\n- [Open Net Sales]: [Net Sales] where Status of Orders is \"pending\".\n"; got != want {
		t.Errorf("the instructions are %q, want %q", got, want)
	}
	must(t, "revert", record, "--root", root, "--write")
	if diff := cmp.Diff(before, contents(t, root)); diff != "" {
		t.Errorf("after revert: %s", diff)
	}
}

// Too few questions cannot tell, and the table says so; smaller parts are asked about only where a larger one changes answers.
func TestLiftCannotTell(t *testing.T) {
	t.Parallel()
	root, ai := folderOf(t, toAsk), withInstructions(t, rightAnswer, "echo '{}'")
	args := []string{"lift", root, "--questions", asked(t, 3), "--ask", ai, "--by", "change", "--asks", filepath.Join(t.TempDir(), "a")}
	got := must(t, args...).stdout
	for _, want := range []string{"3 questions, each asked once of command sh ", "cannot tell: 3 questions differ", "changes no answer",
		"These answers do not show that anything helps or hurts."} {
		if !strings.Contains(got, want) {
			t.Errorf("got no %q in\n%s", want, got)
		}
	}
	if got := must(t, "lift", root, "--ask", "rules", "--count", "5").stdout; !strings.Contains(got, "this says nothing about an AI") {
		t.Errorf("the rules engine is not named as such:\n%s", got)
	}
	budget := lifted(t, cli.ExitOK, root, "--questions", asked(t, 3), "--ask", ai, "--budget", "7", "--asks", filepath.Join(t.TempDir(), "b"))
	if budget.Asked != 7 || len(budget.Parts) != 1 || len(budget.LeftOut) == 0 {
		t.Errorf("a budget of 7 asks: got %+v", budget)
	}
	small := []string{"lift", root, "--questions", asked(t, 3), "--ask", ai, "--budget", "2", "--asks", filepath.Join(t.TempDir(), "c")}
	if got := run(t.Context(), small...); got.code != cli.ExitFailed || !strings.Contains(got.stderr, "budget of 2 asks does not suffice") {
		t.Errorf("a budget of 2 asks: got %+v", got)
	}
	if got := run(t.Context(), small...); got.code != cli.ExitOK || !strings.Contains(got.stdout, "2 kept") || strings.Contains(got.stdout, "Nothing is") {
		t.Errorf("a second run with a budget of 2: got %+v", got)
	}
}

// An interrupted file of answers goes on; a damaged one is refused and left as it is.
func TestLiftAsks(t *testing.T) {
	t.Parallel()
	root, asks := folderOf(t, toAsk), filepath.Join(t.TempDir(), "asks.jsonl")
	args := []string{root, "--questions", asked(t, 4), "--ask", withInstructions(t, rightAnswer, "echo '{}'"), "--asks", asks}
	whole := lifted(t, cli.ExitOK, args...)
	text, err := os.ReadFile(asks)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(asks, text[:len(text)-9], 0o600); err != nil {
		t.Fatal(err)
	}
	if r := lifted(t, cli.ExitOK, args...); r.Asked != 1 || r.Kept != whole.Asked+whole.Kept-1 {
		t.Errorf("asked %d and kept %d of %d", r.Asked, r.Kept, whole.Asked)
	}
	if err := os.WriteFile(asks, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t.Context(), append([]string{"lift"}, args...)...); r.code != cli.ExitFailed || !strings.Contains(r.stderr, "asks.jsonl:1 is no answer that lift kept") {
		t.Errorf("got %+v", r)
	}
	if text, err := os.ReadFile(asks); err != nil || string(text) != "{}\n" {
		t.Errorf("the file became %q, %v", text, err)
	}
}

func TestLiftRefuses(t *testing.T) {
	t.Parallel()
	root, both, golden := folderOf(t, toAsk), folderOf(t, toAsk, modelFiles), asked(t, 1)
	for name, tt := range map[string]struct {
		args   []string
		code   int
		stderr string
	}{
		"no path":                            {nil, cli.ExitUsage, "a path is missing"},
		"an unknown answerer":                {[]string{root, "--ask", "claude"}, cli.ExitUsage, "--ask must be rules, openai:MODEL, ollama:MODEL or command:PROGRAM"},
		"no model":                           {[]string{root, "--ask", "openai:"}, cli.ExitUsage, "--ask must be"},
		"another size":                       {[]string{root, "--by", "table"}, cli.ExitUsage, "--by must be kind, rule or change"},
		"another format":                     {[]string{root, "--format", "xml"}, cli.ExitUsage, "--format must be table or json"},
		"eleven repeats":                     {[]string{root, "--repeats", "11"}, cli.ExitUsage, "--repeats must be from 1 to 10"},
		"a negative budget":                  {[]string{root, "--budget", "-1"}, cli.ExitUsage, "--budget must not be negative"},
		"to write something else":            {[]string{root, "--write", "all"}, cli.ExitUsage, "--write must be helpful"},
		"a record of nothing":                {[]string{root, "--record", "x"}, cli.ExitUsage, "--record needs --write helpful"},
		"questions without format":           {[]string{root, "--questions", saved(t, "golden", "hello")}, cli.ExitFailed, "holds no golden questions"},
		"a question that cannot be answered": {[]string{root, "--questions", saved(t, "g.csv", "question,dax\nWhat?,\"EVALUATE ROW(\"\"x\"\", [Gone])\"\n")}, cli.ExitFailed, "g.csv: line 2, column 7 (dax): The model has no measure [Gone]"},
		"a question without rows":            {[]string{tickets, "--questions", saved(t, "g.csv", "question,dax\nWhat?,\"EVALUATE FILTER(VALUES(Tickets[Channel]), Tickets[Channel] = \"\"Chta\"\")\"\n")}, cli.ExitFailed, "g.csv: line 2, column 7 (dax): over the sample data the query returns nothing: 'Tickets'[Channel] has no \"Chta\"; its values are like \"Chat\""},
		"questions that are absent":          {[]string{root, "--questions", "absent.csv"}, cli.ExitFailed, "absent.csv"},
		"a program that is absent":           {[]string{root, "--questions", golden, "--ask", "command:absent-program"}, cli.ExitFailed, "absent-program cannot be started"},
		"a program that ends":                {[]string{root, "--questions", golden, "--ask", "command:true"}, cli.ExitFailed, "ended before it answered"},
		"a program that hangs":               {[]string{root, "--questions", golden, "--ask", "command:sleep 600", "--ask-timeout", "50ms"}, cli.ExitFailed, "did not answer within 50ms"},
		"a program that babbles":             {[]string{root, "--questions", golden, "--ask", "command:cat /dev/zero"}, cli.ExitFailed, "over 1048576 bytes"},
		"to write several models":            {[]string{both, "--root", both, "--write", "helpful"}, cli.ExitUsage, "--write is for one model, and the paths have 2"},
		"no JSON":                            {[]string{root, "--questions", golden, "--ask", "command:yes"}, cli.ExitFailed, "a line that is no JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"lift"}, tt.args...)
			if tt.args != nil {
				args = append(args, "--asks", filepath.Join(t.TempDir(), "asks"))
			}
			r := run(t.Context(), args...)
			if r.code != tt.code || !strings.Contains(r.stderr, tt.stderr) || r.stdout != "" {
				t.Errorf("got %+v, want code %d and %q", r, tt.code, tt.stderr)
			}
		})
	}
}
