package lsp

import (
	"strings"
	"testing"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/ownrules"
	"readiness/offline"
)

// An editor shows findings of a team's own rules, why such a rule is, and what is wrong in the file of the rules.
func TestOwnRules(t *testing.T) {
	t.Parallel()
	root := shop(t)
	write(t, root+"/readiness-rules.yaml", strings.Repeat("# nine\n", 9))
	set, problems := ownrules.Compile([]ownrules.Definition{{OwnRule: readiness.OwnRule{ID: "CON-02", Title: "Fails", Severity: finding.Low, Effort: "minutes",
		File: root + "/readiness-rules.yaml", Line: 9}, Scope: "column", When: "1 / (size(column.name) - size(column.name)) > 0", Message: "x"}, {OwnRule: readiness.OwnRule{ID: "CON-01", Title: "Short name", Why: "People do not know it.", Severity: finding.High,
		Effort: "minutes"}, Scope: "column", When: "size(column.name) < 7", Message: "rename {column.name}"}}, readiness.Current())
	if problems != nil {
		t.Fatal(problems)
	}
	regime, err := readiness.Current().WithOwn("", set)
	if err != nil {
		t.Fatal(err)
	}
	e := initialize(newEditorWith(t, root, Options{Regime: func(string) (*readiness.Regime, []offline.Warning) {
		return regime, []offline.Warning{{File: "readiness-rules.yaml", Line: 4, Column: 2, Message: "own[1].when: wrong"}}
	}}))
	e.open(salesFile)
	e.scored()
	if got := e.listed(salesFile); !has(got, "5:1-5:14 1 CON-01") {
		t.Errorf("got %q", got)
	}
	got := e.problems["readiness-rules.yaml"]
	if len(got) != 2 || got[0].Message != "own[1].when: wrong" || got[0].Severity != 2 ||
		!strings.HasPrefix(got[1].Message, "rule CON-02 is left out of Shop.SemanticModel: division by zero") || got[1].Range.Start.Line != 8 {
		t.Errorf("got %+v", got)
	}
	// Findings of own rules are ignored and explained as others are.
	for range 2 {
		a := titled(e.offered(salesFile, sales, "column Amount"), "ignore CON-01")
		if a == nil || titled(e.offered(salesFile, sales, "column Amount"), "explain CON-01") == nil {
			t.Fatal("there is no action for CON-01")
		}
		e.applied(a.Edit)
	}
	if accepted := read(t, root+"/"+defaultIgnores); strings.Count(accepted, "rule: CON-01") != 2 {
		t.Errorf("accepted: %s", accepted)
	}
	var shown struct {
		Contents struct{ Value string }
	}
	e.ask("textDocument/hover", map[string]any{"textDocument": map[string]string{"uri": e.uri(salesFile)}, "position": position{5, 9}}, &shown)
	if !strings.Contains(shown.Contents.Value, "**CON-01** Column 'Sales'[Amount]: rename Amount.\n\nPeople do not know it.") {
		t.Errorf("hover: got %s", shown.Contents.Value)
	}
}
