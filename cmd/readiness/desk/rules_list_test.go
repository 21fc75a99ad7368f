package desk

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/cmd/cli"
	"readiness/cmd/readiness/screen"
	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
)

// rules list names every rule of the regime, and only those.
func TestRulesList(t *testing.T) {
	t.Parallel()
	regime := readiness.Current()
	table := must(t, "rules", "list").stdout
	var list struct {
		Regime string
		Rules  []struct {
			ID, Dimension, Severity, Requirement string
			Weight                               float64
			FixKinds                             []string `json:"fix_kinds"`
		}
	}
	if err := json.Unmarshal([]byte(must(t, "rules", "list", "--format", "json").stdout), &list); err != nil {
		t.Fatal(err)
	}
	rules := regime.Rules()
	if list.Regime != regime.ID || len(list.Rules) != len(rules) || strings.Count(table, "\n") != len(rules)+3 {
		t.Errorf("%s: %d rules of %s in JSON, want %d; table:\n%s", regime.ID, len(list.Rules), list.Regime, len(rules), table)
	}
	for i, got := range list.Rules {
		want := rules[i]
		if got.ID != want.ID || got.Dimension != want.Dimension || got.Severity != string(want.Severity) || got.Weight != want.Weight ||
			len(got.FixKinds) != len(want.FixKinds) || got.FixKinds == nil || got.Requirement == "" {
			t.Errorf("%s: got %+v, want %+v", regime.ID, got, want)
		}
		if !strings.Contains(table, want.ID+" ") || !strings.Contains(table, got.Requirement) {
			t.Errorf("%s: the table lacks %s", regime.ID, want.ID)
		}
	}
	file := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(file, []byte("rules:\n  DSC-01: off\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := must(t, "rules", "list", "--rules", file).stdout; strings.Contains(got, "DSC-01 ") || !strings.Contains(got, "DSC-02 ") || !strings.Contains(got, " rules of "+readiness.Current().ID+"+") {
		t.Errorf("with a rule turned off: got\n%s", got)
	}
}

// rules show explains every rule, and no line of it is wider than the output unless it is an example's.
func TestRulesShow(t *testing.T) {
	t.Parallel()
	for _, id := range explained.Rules() {
		got := must(t, "rules", "show", strings.ToLower(id)).stdout
		for _, want := range []string{id + "  ", "What it judges\n", "Why\n", "Failing example\n", "→ ", "Passing example\n", "How to fix\n", "- rule: " + id, "\n      " + id + ": off\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", id, want, got)
			}
		}
		for line := range strings.Lines(got) {
			if text := strings.TrimRight(line, "\n"); !strings.HasPrefix(text, "    ") && len([]rune(text)) > screen.Width || strings.ContainsAny(text, "\t\x1b") || strings.HasSuffix(text, " ") {
				t.Errorf("%s: a line is too wide or has control characters: %q", id, text)
			}
		}
	}
	got := must(t, "rules", "show", "dsc-01").stdout
	for _, want := range []string{
		"DSC-01  A table has a description\n  2027-01: medium, weight 2 in descriptions (model 14, data agent 14), effort: minutes, fix: descriptions\n",
		"\n    table Sales\n\n      column Amount\n        dataType: decimal\n  → medium: Table 'Sales': describe ", "\n    annotation readiness.ignore = DSC-01: ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwithout %q", got, want)
		}
	}
	if got := must(t, "rules", "show", "VIS-06").stdout; !strings.Contains(got, "  views of Sales[Revenue] in reports: 40\n") {
		t.Errorf("views are missing:\n%s", got)
	}
}

func TestRulesCommandLine(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		"group alone":             {[]string{"rules"}, cli.ExitUsage, "", "readiness rules needs one of: import list show test"},
		"show nothing":            {[]string{"rules", "show"}, cli.ExitUsage, "", "an argument is missing"},
		"an unknown rule":         {[]string{"rules", "show", "dcs-01"}, cli.ExitUsage, "", `there is no rule "dcs-01"; the closest are DSC-01, `},
		"and what lists them":     {[]string{"rules", "show", "X"}, cli.ExitUsage, "", "readiness rules list lists all"},
		"an unknown format":       {[]string{"rules", "list", "--format", "csv"}, cli.ExitUsage, "", `--format must be table or json, not "csv"`},
		"completion of a rule":    {[]string{"__complete", "rules", "show", ""}, cli.ExitOK, "DSC-01\tA table has a description\n", "ShellCompDirectiveNoFileComp"},
		"completion of --rule":    {[]string{"__complete", "assess", ".", "--rule", "D"}, cli.ExitOK, "DSC-01\tA table has a description\n", "ShellCompDirectiveNoFileComp"},
		"completion after a rule": {[]string{"__complete", "rules", "show", "DSC-01", ""}, cli.ExitOK, ":4\n", "ShellCompDirectiveNoFileComp"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t.Context(), tt.args...)
			if got.code != tt.code || !strings.Contains(got.stdout, tt.stdout) || tt.stdout == "" && got.stdout != "" || !strings.Contains(got.stderr, tt.stderr) {
				t.Errorf("got exit code %d, stdout %q, stderr %q", got.code, got.stdout, got.stderr)
			}
		})
	}
}
