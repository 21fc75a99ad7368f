package teamrules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/cmd/readiness/teamrules"
	"readiness/domain/readiness"
	"readiness/offline"
)

// rule is a file with one rule, whose members follow.
func rule(members string) string {
	return "version: 1\nown:\n  - id: CON-01\n    title: Wrong\n    scope: measure\n    when: measure.isHidden\n    message: mend it\n" + members
}

// What is wrong in a file is an error at its line and column.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":            {"version: 1\n", "r.yaml:1:1: rules: must name at least one rule, such as NAM-01: off, or a rule of your own below the member own"},
		"version":            {"version: 2\nrules: {NAM-01: off}\n", "r.yaml:1:1: version: must be 1, not 2"},
		"name":               {"name: Con Toso\nrules: {NAM-01: off}\n", `r.yaml:1:1: name: must be at most 32 lower-case letters`},
		"member":             {rule("    level: high\n"), `r.yaml:8:5: own[0].level: unknown member; the closest is "when"`},
		"missing":            {"own:\n  - id: CON-01\n    scope: measure\n    when: measure.isHidden\n    message: x\n", "r.yaml:2:5: own[0].title: is missing"},
		"severity":           {rule("    severity: error\n"), `r.yaml:8:5: own[0].severity: must be one of low, medium, high, not "error"`},
		"effort":             {rule("    effort: weeks\n"), `r.yaml:8:5: own[0].effort: must be one of minutes, hour, days, not "weeks"`},
		"dimension":          {"name: x\n" + rule("    dimension: style\n"), `r.yaml:9:5: own[0].dimension: must be one of descriptions, naming,`},
		"no name":            {rule("    dimension: naming\n"), `r.yaml:1:1: name: is missing`},
		"weight alone":       {rule("    weight: 2\n"), `r.yaml:8:5: own[0].weight: needs a dimension`},
		"weight":             {"name: x\n" + rule("    dimension: naming\n    weight: 9\n"), `r.yaml:10:5: own[0].weight: must be 1 to 5, not 9`},
		"id":                 {strings.Replace(rule(""), "CON-01", "con1", 1), `r.yaml:3:5: own[0].id: must be a prefix of your own`},
		"id of ours":         {strings.Replace(rule(""), "CON-01", "VIS-99", 1), `r.yaml:3:5: own[0].id: VIS-99 has a prefix of the rules of 2027-01`},
		"id twice":           {rule("") + strings.TrimPrefix(rule(""), "version: 1\nown:\n"), `r.yaml:8:5: own[1].id: CON-01 is also the id of rule 1`},
		"scope":              {strings.Replace(rule(""), "scope: measure", "scope: report", 1), `r.yaml:5:5: own[0].scope: must be one of calculationItem,`},
		"when":               {strings.Replace(rule(""), "measure.isHidden", "measure.hidden", 1), `r.yaml:6:18: own[0].when: there is no member "hidden" here; the closest of any object is "isHidden"`},
		"when in quotes":     {strings.Replace(rule(""), "measure.isHidden", `"measure.hidden"`, 1), `r.yaml:6:19: own[0].when: there is no member "hidden" here`},
		"when with escapes":  {strings.Replace(rule(""), "measure.isHidden", `"measure.name == \"\" || measure.hidden"`, 1), `r.yaml:6:11: own[0].when: there is no member "hidden" here`},
		"when on lines":      {strings.Replace(rule(""), "measure.isHidden", "|\n      measure.isHidden ||\n        measure.hidden", 1), `r.yaml:8:16: own[0].when: there is no member "hidden" here`},
		"when after a blank": {strings.Replace(rule(""), "measure.isHidden", "|\n\n      measure.hidden", 1), `r.yaml:8:14: own[0].when: there is no member "hidden" here`},
		"when folded":        {strings.Replace(rule(""), "measure.isHidden", ">\n      measure.hidden", 1), `r.yaml:6:5: own[0].when: there is no member "hidden" here`},
		"type":               {strings.Replace(rule(""), "measure.isHidden", "measure.name", 1), `r.yaml:6:11: own[0].when: must be bool, not string`},
		"always":             {strings.Replace(rule(""), "measure.isHidden", "\"true\"", 1), `r.yaml:6:12: own[0].when: is the same for every object`},
		"message":            {strings.Replace(rule(""), "mend it", "mend {measure.nam}", 1), `r.yaml:7:27: own[0].message: there is no member "nam" here`},
		"tests":              {rule("    tests:\n      - violated: [x]\n"), `r.yaml:9:9: own[0].tests[0].tmdl: is missing`},
		"alias":              {rule("    why: &a x\n    fix: *a\n"), `r.yaml:8:10: own[0].why: must be text`},
		"not YAML":           {"own: [\n", "r.yaml:1:"},
	} {
		_, err := teamrules.Parse("r.yaml", []byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v\nwant %s", name, err, tt.want)
		}
	}
	_, err := teamrules.Parse("r.yaml", []byte(strings.Replace(rule("    severity: x\n    effort: y\n"), "mend it", "'{'", 1)))
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two faults: got %v", err)
	}
}

// The worked examples of the documents find what their tests say.
func TestExamples(t *testing.T) {
	t.Parallel()
	r, err := teamrules.Read([]string{filepath.FromSlash("../../../docs/rules/own.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	all, untested := r.Test()
	if len(all) != 10 || untested != nil {
		t.Errorf("got %d tests, untested %v", len(all), untested)
	}
	for _, o := range all {
		if o.Fault != "" {
			t.Errorf("%s:%d: %s: %s", o.File, o.Line, o.Rule, o.Fault)
		}
	}
	if id := r.Regime.ID; !strings.HasPrefix(id, "2027-01+contoso@") || len(id) != len("2027-01+contoso@")+8 {
		t.Errorf("the regime is %s", id)
	}
}

// A test of a rule names what the rule finds too much and too little, and what cannot be read.
func TestTestsFail(t *testing.T) {
	t.Parallel()
	const tmdl = "tmdl: |\n          table T\n            measure A = 1\n              isHidden\n            measure B = 1\n        "
	for name, tt := range map[string]struct{ text, want string }{
		"right":      {rule("    tests:\n      - " + tmdl + "violated: ['[A]']\n"), ""},
		"by table":   {rule("    tests:\n      - " + tmdl + "violated: ['t[a]']\n"), ""},
		"too much":   {rule("    tests:\n      - " + tmdl + "violated: []\n"), "violated: [A]"},
		"too little": {rule("    tests:\n      - " + tmdl + "violated: [A, B]\n"), "not violated: B"},
		"twice":      {rule("    tests:\n      - " + tmdl + "violated: [A, A]\n"), "not violated: A"},
		"no model":   {rule("    tests:\n      - tmdl: tabel T\n"), "the model: definition/model.tmdl:1"},
		"left out":   {strings.Replace(rule("    tests:\n      - "+tmdl+"violated: []\n"), "measure.isHidden", "1 / size(measure.description) > 1", 1), "the rule was left out: division by zero (1:3 of the expression), at measure [A]"},
	} {
		r, err := teamrules.Parse("r.yaml", []byte(tt.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all, _ := r.Test()
		if len(all) != 1 || !strings.HasPrefix(all[0].Fault, tt.want) || (all[0].Fault == "") != (tt.want == "") || all[0].Line != 9 || all[0].Name != "test 1" {
			t.Errorf("%s: got %+v, want %q", name, all, tt.want)
		}
	}
}

// Files are read together: a rule may be in one only, and changes may not contradict each other.
func TestReadsFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	a := write("a.yaml", "rules: {NAM-02: off}\n")
	b := write("b.yaml", rule(""))
	c := write("c.yaml", strings.ReplaceAll(rule(""), "CON-01", "CON-02"))
	d := write("d.yaml", "rules: {NAM-02: low}\n")
	scored := write("e.yaml", "name: team\n"+strings.ReplaceAll(rule("    dimension: naming\n"), "CON-01", "CON-03"))
	other := write("f.yaml", "name: others\n"+strings.ReplaceAll(rule("    dimension: naming\n"), "CON-01", "CON-04"))
	for name, tt := range map[string]struct {
		files     []string
		own, want string
	}{
		"all":            {[]string{a, b, c}, "[CON-01 CON-02]", ""},
		"twice":          {[]string{b, b}, "", "own[0].id: CON-01 is also the id of rule 1"},
		"contradiction":  {[]string{a, d}, "", "rules.NAM-02: another file says off, not low"},
		"the same twice": {[]string{a, a}, "[]", ""},
		"names":          {[]string{scored, other}, "", `name: another file with rules in a dimension has the name "team", not "others"`},
		"none":           {[]string{filepath.Join(dir, "x.yaml")}, "", "x.yaml"},
		"no file":        {nil, "[]", ""},
	} {
		regime, err := teamrules.Regime(tt.files)
		switch {
		case tt.want != "":
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: got %v, want %s", name, err, tt.want)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case fmt.Sprint(offline.OwnRules(regime)) != tt.own:
			t.Errorf("%s: got %v, want %s", name, offline.OwnRules(regime), tt.own)
		}
	}
	one, _ := teamrules.Regime([]string{a})
	with, _ := teamrules.Regime([]string{a, b})
	in, err := teamrules.Regime([]string{scored})
	changed, _ := teamrules.Regime([]string{a, scored})
	if err != nil || one.ID != with.ID || !strings.HasPrefix(in.ID, "2027-01+team@") || in.ID == changed.ID || !strings.HasPrefix(changed.ID, "2027-01+team@") {
		t.Errorf("regimes are %s, %s, %s, %s, %v", one.ID, with.ID, in.ID, changed.ID, err)
	}
}

// An editor's rules are read again when they changed; until they are right again, the last ones hold.
func TestWatched(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := filepath.Join(root, teamrules.Default)
	read := teamrules.Watched(nil)
	state := func() string {
		regime, faults := read(root)
		return fmt.Sprint(offline.OwnRules(regime), faults)
	}
	if got := state(); got != "[] []" {
		t.Errorf("without a file: got %s", got)
	}
	for _, step := range []struct{ text, want string }{
		{rule(""), "[CON-01] []"},
		{strings.Replace(rule(""), "measure.isHidden", "measure.hidden", 1), `[CON-01] [readiness-rules.yaml:6:18: own[0].when: there is no member "hidden" here; the closest of any object is "isHidden"]`},
		{strings.Replace(rule(""), "CON-01", "CON-02", 1), "[CON-02] []"},
	} {
		if err := os.WriteFile(file, []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := state(); got != step.want {
			t.Errorf("got %s, want %s", got, step.want)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != "[] []" {
		t.Errorf("after the file is gone: got %s", got)
	}
	if regime, _ := teamrules.Watched(nil)(root); regime != readiness.Current() {
		t.Error("without a file there is another regime")
	}
}
