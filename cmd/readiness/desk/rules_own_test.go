package desk

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"readiness/cmd/cli"
)

// ownRules are rules of a team for modelFiles: one with findings, one without, one that is left out, and one that all objects violate.
const ownRules = `version: 1
own:
  - id: CON-01
    title: Column of <floating> point numbers
    scope: column
    when: column.dataType == "double"
    message: store {column.name} as decimal
    severity: high
    effort: hour
    why: Sums are not exact.
    fix: Set decimal.
    tests:
      - tmdl: |
          table T
            column A
              dataType: double
        violated: ["T[A]"]
  - id: CON-02
    title: Column named X
    scope: column
    when: column.name == "X"
    message: rename it
  - id: CON-03
    title: Divided
    scope: table
    when: 1 / size(table.measures) > 0
    message: mend it
`

// everything is a rule that says what is right in place of what is wrong.
const everything = `own:
  - {id: CON-04, title: All, scope: column, when: column.name != "", message: rename it, severity: low}
`

func inScore(text string) string {
	return "name: team\n" + strings.Replace(text, "    effort: hour\n", "    effort: hour\n    dimension: types\n    weight: 5\n", 1)
}

// Findings of own rules stand in every format with their title, and what is left out is said with the reason.
func TestAssessOwnRules(t *testing.T) {
	t.Parallel()
	root := folderOf(t, modelFiles, map[string]string{"rules.yaml": ownRules})
	file := filepath.Join(root, "rules.yaml")
	const title, message, left = "Column of <floating> point numbers", "Column 'T'[Amount]: store Amount as decimal.", "is left out of"
	plain := must(t, "assess", root, "--root", root)
	for format, want := range map[string][]string{
		"table":    {"CON-01", "store Amount as decimal."},
		"json":     {`"own/CON-01"`, message, `"title": "` + title + `"`, `"left_out": "division by zero (1:3 of the expression), at table 'T'"`, left},
		"markdown": {"| CON-01 | high | 1 | 0.0 | hour |", "store Amount as decimal", left},
		"html":     {"CON-01", "Column of &lt;floating&gt; point numbers", "Sums are not exact", left},
		"csv":      {"CON-01,high,own/CON-01,T,Amount,0.0000,", "store Amount as decimal"},
		"sarif":    {`"ruleId": "CON-01"`, title + ". " + message, `"own-rule"`, left},
		"junit":    {`CON-01 Column of &lt;floating&gt; point numbers`, `name="CON-02 Column named X"`, `left out: division by zero`, message},
		"comment":  {"| CON-01 | high | 1 |", "store Amount as decimal"},
		"github":   {"::error file=M.SemanticModel/definition/tables/T.tmdl,line=3,title=CON-01%3A " + title + "::" + message},
		"azure":    {"code=CON-01]" + message},
	} {
		got := must(t, "assess", root, "--root", root, "--rules", file, "--format", format)
		for _, part := range want {
			if !strings.Contains(got.stdout, part) {
				t.Errorf("%s lacks %q:\n%s", format, part, got.stdout)
			}
		}
		if !strings.Contains(got.stderr, "rules.yaml:23: rule CON-03 is left out of M.SemanticModel: division by zero (1:3 of the expression), at table 'T'") {
			t.Errorf("%s: stderr is %s", format, got.stderr)
		}
		if format == "junit" {
			if err := xml.Unmarshal([]byte(got.stdout), new(any)); err != nil {
				t.Error(err)
			}
		}
		if format == "table" && !strings.Contains(got.stdout, plain.stdout[:strings.Index(plain.stdout, "Findings")]) {
			t.Errorf("the scores differ:\n%s\n%s", plain.stdout, got.stdout)
		}
	}
	if got := must(t, "assess", root, "--rules", file, "--rule", "con-01").stdout; !strings.Contains(got, title+". (1 finding, 0.0 points)") {
		t.Errorf("--rule: got\n%s", got)
	}
	if got := run(t.Context(), "assess", root, "--rule", "CON-01"); got.code != cli.ExitUsage {
		t.Errorf("--rule without --rules: got %+v", got)
	}
	if got := run(t.Context(), "assess", root, "--rules", file, "--fail-on", "high"); got.code != cli.ExitDamaged || !strings.Contains(got.stderr, "of severity high or more") {
		t.Errorf("--fail-on: got %+v", got)
	}
	second := filepath.Join(root, "second.yaml")
	if err := os.WriteFile(second, []byte(strings.ReplaceAll(everything, `column.name != ""`, `size(model.columns) > 0`)), 0o600); err != nil {
		t.Fatal(err)
	}
	wide := map[string]string{"W.SemanticModel/definition/model.tmdl": "table W\n" + strings.Repeat("\tcolumn C{n}\n\t\tdataType: string\n", 1)}
	for _, n := range []string{"1", "2", "3"} {
		wide["W.SemanticModel/definition/model.tmdl"] += "\tcolumn D" + n + "\n\t\tdataType: string\n"
	}
	if got := must(t, "assess", folderOf(t, modelFiles, wide), "--rules", file, "--rules", second).stderr; !strings.Contains(got, "second.yaml:2: rule CON-04 is violated by all 6 objects that it judges") {
		t.Errorf("a rule that matches everything: got %s", got)
	}
}

// In a dimension a rule is part of the score, under a regime of its own.
func TestAssessOwnRulesInScore(t *testing.T) {
	t.Parallel()
	root := folderOf(t, modelFiles, map[string]string{"rules.yaml": ownRules, "scored.yaml": inScore(ownRules)})
	type report struct {
		Regime string
		Items  []struct {
			Dimensions []struct {
				ID    string
				Score *int
			}
			Findings []struct {
				Dimension, Message string
				RuleIDs            []string `json:"rule_ids"`
				Impact             float64
			}
			Baseline *struct{ Comparable bool }
		}
	}
	assess := func(args ...string) (r report) {
		got := must(t, append([]string{"assess", filepath.Join(root, "M.SemanticModel"), "--root", root, "--format", "json"}, args...)...)
		if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	types := func(r report) int {
		for _, d := range r.Items[0].Dimensions {
			if d.ID == "types" {
				return *d.Score
			}
		}
		return -1
	}
	outside, scored := assess("--rules", filepath.Join(root, "rules.yaml")), assess("--rules", filepath.Join(root, "scored.yaml"))
	if outside.Regime != "2027-01" || !strings.HasPrefix(scored.Regime, "2027-01+team@") || types(scored) >= types(outside) {
		t.Errorf("types: %s has %d points, %s has %d", outside.Regime, types(outside), scored.Regime, types(scored))
	}
	found := false
	for _, f := range scored.Items[0].Findings {
		if slices.Contains(f.RuleIDs, "CON-01") {
			found = f.Dimension == "types" && f.Impact > 0 && strings.Contains(f.Message, "store Amount as decimal")
		}
	}
	if !found {
		t.Errorf("got %+v", scored.Items[0].Findings)
	}
	baseline := filepath.Join(root, "baseline.json")
	for _, tt := range []struct {
		before, now string
		want        bool
	}{{"rules.yaml", "scored.yaml", false}, {"scored.yaml", "rules.yaml", false}, {"scored.yaml", "scored.yaml", true}} {
		must(t, "assess", filepath.Join(root, "M.SemanticModel"), "--root", root, "--format", "json", "--rules", filepath.Join(root, tt.before), "--output", baseline)
		if got := assess("--rules", filepath.Join(root, tt.now), "--baseline", baseline).Items[0].Baseline.Comparable; got != tt.want {
			t.Errorf("%s after %s: comparable is %t", tt.now, tt.before, got)
		}
	}
}

// Own rules can be ignored like others, and a name that is none stays an error.
func TestIgnoreOwnRules(t *testing.T) {
	t.Parallel()
	root := folderOf(t, modelFiles, map[string]string{"rules.yaml": ownRules,
		"ignore.yaml": "ignore:\n  - rule: CON-01\n    table: T\n    object: Amount\n    reason: measured in a laboratory\n",
		"typo.yaml":   "ignore:\n  - rule: CON-09\n    table: T\n    reason: x\n"})
	rules, model := filepath.Join(root, "rules.yaml"), filepath.Join(root, "M.SemanticModel")
	got := must(t, "assess", model, "--rules", rules, "--ignore", filepath.Join(root, "ignore.yaml"), "--format", "json").stdout
	if !strings.Contains(got, "measured in a laboratory") || !strings.Contains(got, `"ignored": 1`) {
		t.Errorf("got\n%s", got)
	}
	for _, args := range [][]string{{"--ignore", filepath.Join(root, "ignore.yaml")}, {"--rules", rules, "--ignore", filepath.Join(root, "typo.yaml")}} {
		if got := run(t.Context(), append([]string{"assess", model}, args...)...); got.code != cli.ExitFailed || !strings.Contains(got.stderr, "there is no rule") {
			t.Errorf("%v: got %+v", args, got)
		}
	}
	file := filepath.Join(model, "definition/tables/T.tmdl")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), "\t\tsummarizeBy: sum\n", "\t\tsummarizeBy: sum\n\n\t\tannotation readiness.ignore = CON-01: measured\n", 1))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := must(t, "assess", model, "--rules", rules, "--format", "json"); !strings.Contains(got.stdout, `"ignored": 1`) || strings.Contains(got.stderr, "there is no rule") {
		t.Errorf("annotation: got %s", got.stderr)
	}
}

func TestRulesOfATeam(t *testing.T) {
	t.Parallel()
	root := folderOf(t, map[string]string{"rules.yaml": ownRules, "scored.yaml": inScore(ownRules), "failing.yaml": strings.Replace(ownRules, `["T[A]"]`, "[]", 1),
		"broken.yaml": strings.Replace(ownRules, "column.dataType", "column.type", 1),
		"bpa.json":    `[{"ID":"A","Name":"Trim","Scope":"Measure","Severity":1,"Expression":"Name.StartsWith(\" \")"},{"ID":"B","Name":"B","Scope":"Measure","Severity":1,"Expression":"Tokenize().Any()"}]`,
		"none.json":   `[{"ID":"B","Name":"B","Scope":"Measure","Severity":1,"Expression":"Tokenize().Any()"}]`})
	at := func(name string) string { return filepath.Join(root, name) }
	for name, tt := range map[string]struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		"list":           {[]string{"rules", "list", "--rules", at("rules.yaml")}, cli.ExitOK, "CON-01  own/CON-01     high      0       hour     by hand", ""},
		"list scored":    {[]string{"rules", "list", "--rules", at("scored.yaml")}, cli.ExitOK, "CON-01  types          high      5       hour     by hand", ""},
		"list as JSON":   {[]string{"rules", "list", "--rules", at("rules.yaml"), "--json"}, cli.ExitOK, `"why": "Sums are not exact."`, ""},
		"show":           {[]string{"rules", "show", "con-01", "--rules", at("rules.yaml")}, cli.ExitOK, "Violated by a column, if\n    column.dataType == \"double\"\n", ""},
		"show scored":    {[]string{"rules", "show", "CON-01", "--rules", at("scored.yaml")}, cli.ExitOK, "high, weight 5 in types, effort: hour, 1 test\n", ""},
		"show as JSON":   {[]string{"rules", "show", "CON-01", "--rules", at("rules.yaml"), "--json"}, cli.ExitOK, `"when": "column.dataType == \"double\""`, ""},
		"show unknown":   {[]string{"rules", "show", "CON-01"}, cli.ExitUsage, "", `there is no rule "CON-01"`},
		"show one of us": {[]string{"rules", "show", "DSC-01", "--rules", at("rules.yaml")}, cli.ExitOK, "DSC-01  A table has a description", ""},
		"test":           {[]string{"rules", "test", "--rules", at("rules.yaml")}, cli.ExitOK, "1 test, 0 failed\nwithout a test: CON-02, CON-03\n", ""},
		"test as JSON":   {[]string{"rules", "test", "--rules", at("rules.yaml"), "--json"}, cli.ExitOK, `"failed": 0`, ""},
		"test fails":     {[]string{"rules", "test", "--rules", at("failing.yaml")}, cli.ExitDamaged, "failing.yaml:13: CON-01 test 1: violated: 'T'[A]\n1 test, 1 failed\n", ""},
		"test nothing":   {[]string{"rules", "test"}, cli.ExitUsage, "", "rules test needs --rules FILE"},
		"test broken":    {[]string{"rules", "test", "--rules", at("broken.yaml")}, cli.ExitFailed, "", `broken.yaml:6:17: own[0].when: there is no member "type" here`},
		"assess broken":  {[]string{"assess", root, "--rules", at("broken.yaml")}, cli.ExitFailed, "", `broken.yaml:6:17: own[0].when: there is no member "type" here`},
		"lsp broken":     {[]string{"lsp", "--rules", at("broken.yaml")}, cli.ExitFailed, "", `broken.yaml:6:17: own[0].when: there is no member "type" here`},
		"mcp broken":     {[]string{"mcp", root, "--rules", at("broken.yaml")}, cli.ExitFailed, "", `broken.yaml:6:17: own[0].when: there is no member "type" here`},
		"preview broken": {[]string{"preview", root, "--rules", at("broken.yaml")}, cli.ExitFailed, "", `broken.yaml:6:17: own[0].when: there is no member "type" here`},
		"import":         {[]string{"rules", "import", at("bpa.json")}, cli.ExitOK, "  - id: BPA-A\n", "left out: B: Tokenize() is not converted\n1 of 2 rules imported"},
		"import as JSON": {[]string{"rules", "import", at("bpa.json"), "--json"}, cli.ExitOK, `"left_out": [
    "B: Tokenize() is not converted"`, ""},
		"import nothing": {[]string{"rules", "import", at("none.json")}, cli.ExitDamaged, "", "0 of 1 rules imported"},
		"import YAML":    {[]string{"rules", "import", at("rules.yaml")}, cli.ExitFailed, "", "rules.yaml is no list of rules of the Best Practice Analyzer"},
		"import no file": {[]string{"rules", "import", at("x.json")}, cli.ExitFailed, "", "x.json"},
	} {
		got := run(t.Context(), tt.args...)
		if got.code != tt.code || !strings.Contains(got.stdout, tt.stdout) || tt.stdout == "" && got.stdout != "" || !strings.Contains(got.stderr, tt.stderr) {
			t.Errorf("%s: got exit code %d, stdout %s\nstderr %s", name, got.code, got.stdout, got.stderr)
		}
	}
}
