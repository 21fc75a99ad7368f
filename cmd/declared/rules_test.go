package declared_test

import (
	"fmt"
	"strings"
	"testing"

	"readiness/cmd/declared"
	"readiness/domain/readiness"
)

// Files that say the same give the same id, whatever their order, comments and style.
func TestParseRules(t *testing.T) {
	t.Parallel()
	id := func(src string) string {
		r, err := declared.ParseRules("rules.yaml", []byte(src), readiness.Current())
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		return r.ID
	}
	want, err := readiness.Current().Customized(map[string]readiness.Setting{"NAM-01": readiness.Off, "DSC-02": "high"})
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{
		"rules:\n  NAM-01: off\n  DSC-02: high\n",
		"# our rules\nrules:\n  DSC-02: high # columns matter\n\n  NAM-01: 'off'\n",
		"rules: {\"DSC-02\": \"high\", NAM-01: off}",
		"\ufeffrules: {NAM-01: off, DSC-02: high}\r\n",
		"rules: {NAM-01: off, DSC-02: high, NAM-04: low}", // its own severity
	} {
		if got := id(src); got != want.ID {
			t.Errorf("%q: got %s, want %s", src, got, want.ID)
		}
	}
	if got := id("rules: {NAM-04: low}"); got != "2027-01" {
		t.Errorf("without an effect: got %s", got)
	}
	if got := id("rules: {NAM-01: off, DSC-02: low}"); got == want.ID {
		t.Errorf("another severity: got %s again", got)
	}
}

func TestParseRulesReportsEachProblem(t *testing.T) {
	t.Parallel()
	everything := "rules:\n"
	for _, r := range readiness.Current().Rules() {
		everything += "  " + r.ID + ": off\n"
	}
	for name, tt := range map[string]struct{ src, want string }{
		"empty":              {"", "rules.yaml: must hold one YAML document with the member rules"},
		"a comment only":     {"# rules\n", "rules.yaml: must hold one YAML document with the member rules"},
		"no rules":           {"rules:\n", "rules.yaml:1:1: rules: must name at least one rule, such as NAM-01: off"},
		"an empty mapping":   {"rules: {}\n", "rules.yaml:1:1: rules: must name at least one rule, such as NAM-01: off"},
		"another member":     {"rule: {NAM-01: off}\n", `rules.yaml:1:1: rule: unknown member; the closest is "rules"`},
		"a list":             {"rules:\n  - NAM-01\n", "rules.yaml:2:3: rules: must be a mapping of members, not sequence"},
		"an unknown rule":    {"rules:\n  NAM-01: off\n  NAM-10: low\n", `rules.yaml:3:3: rules.NAM-10: 2027-01 has no such rule; the closest is "NAM-01"`},
		"lower case":         {"rules:\n  nam-01: low\n", `rules.yaml:2:3: rules.nam-01: 2027-01 has no such rule; the closest is "NAM-01"`},
		"an unknown setting": {"rules:\n  NAM-01: hihg\n", `rules.yaml:2:3: rules.NAM-01: must be one of off, low, medium, high, not "hihg"; the closest is "high"`},
		"false":              {"rules:\n  NAM-01: false\n", "rules.yaml:2:11: rules.NAM-01: must be text (in quotes, if it looks like something else), not bool"},
		"no setting":         {"rules:\n  NAM-01:\n", `rules.yaml:2:3: rules.NAM-01: must be one of off, low, medium, high, not ""`},
		"a rule twice":       {"rules:\n  NAM-01: off\n  NAM-01: low\n", `rules.yaml:3:3: mapping key "NAM-01" already defined at [2:3]`},
		"an alias":           {"rules:\n  NAM-01: &a off\n  NAM-02: *a\n", "rules.yaml:2:11: rules.NAM-01: must be text (in quotes, if it looks like something else), not anchor, which this file may not use"},
		"two documents":      {"rules: {NAM-01: off}\n---\nrules: {NAM-02: off}\n", "rules.yaml: must hold one YAML document with the member rules"},
		"too large":          {"rules: {NAM-01: off} #" + strings.Repeat(" ", 256<<10), fmt.Sprintf("rules.yaml: the file has %d bytes or more; at most 262144 are read", 256<<10+22)},
		"every rule":         {everything, "rules.yaml:1:1: rules: every rule about semantic models is off"},
	} {
		got, err := declared.ParseRules("rules.yaml", []byte(tt.src), readiness.Current())
		if got != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, %v\nwant %s", name, got, err, tt.want)
		}
	}
	_, err := declared.ParseRules("rules.yaml", []byte("rules:\n  X: off\n  NAM-01: x\n"), readiness.Current())
	if err == nil || strings.Count(err.Error(), "rules.yaml:") != 2 {
		t.Errorf("two problems: got %v", err)
	}
}
