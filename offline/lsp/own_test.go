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
	set, problems := ownrules.Compile([]ownrules.Definition{{OwnRule: readiness.OwnRule{ID: "CON-01", Title: "Short name", Why: "People do not know it.", Severity: finding.High,
		Effort: "minutes"}, Scope: "column", When: "size(column.name) < 7", Message: "rename {column.name}"}}, readiness.Current())
	if problems != nil {
		t.Fatal(problems)
	}
	regime, err := readiness.Current().WithOwn("", set)
	if err != nil {
		t.Fatal(err)
	}
	root := shop(t)
	e := initialize(newEditorWith(t, root, Options{Regime: func(string) (*readiness.Regime, []offline.Warning) {
		return regime, []offline.Warning{{File: "readiness-rules.yaml", Line: 4, Column: 2, Message: "own[1].when: wrong"}}
	}}))
	e.open(salesFile)
	e.scored()
	if got := e.listed(salesFile); !has(got, "5:1-5:14 1 CON-01") {
		t.Errorf("got %q", got)
	}
	if got := e.problems["readiness-rules.yaml"]; len(got) != 1 || got[0].Message != "own[1].when: wrong" || got[0].Severity != 2 {
		t.Errorf("got %+v", got)
	}
	var shown struct {
		Contents struct{ Value string }
	}
	e.ask("textDocument/hover", map[string]any{"textDocument": map[string]string{"uri": e.uri(salesFile)}, "position": position{5, 9}}, &shown)
	if !strings.Contains(shown.Contents.Value, "**CON-01** Column 'Sales'[Amount]: rename Amount.\n\nPeople do not know it.") {
		t.Errorf("hover: got %s", shown.Contents.Value)
	}
}
