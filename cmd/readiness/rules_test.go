package main

import (
	"strings"
	"testing"

	"readiness/domain/readiness"
	"readiness/internal/pgtest"
)

// A service with a rules file scores by its own regime, unless a call names another one. Its stored results stay readable
// without the file.
func TestServeWithRules(t *testing.T) {
	t.Parallel()
	own, err := readiness.Current().Customized(map[string]readiness.Setting{"DSC-03": readiness.Off, "NAM-01": readiness.Off})
	if err != nil {
		t.Fatal(err)
	}
	data, database := t.TempDir(), pgtest.URL(t)
	s := serve(t, "--database-url", database, "--data", data, "--accounts", samplesAccounts, "--rules", saved(t, "rules.yaml", "rules: {NAM-01: off, DSC-03: off}\n"))
	token := strings.TrimSpace(must(t, "token", "--data", data, "--account", "contoso", "--person", "ada", "--force").stdout)
	y := newTypist(t)
	y.types(0, token+"\n", "login", "--base-url", s.base)
	assess := func(want *readiness.Regime, judges bool, args ...string) {
		t.Helper()
		got := y.types(0, "", append([]string{"assess", "Retail Analytics", "Inventory"}, args...)...).stdout
		if !strings.Contains(got, "rules of "+want.ID+"\n") || strings.Contains(got, "DSC-03") != judges {
			t.Errorf("%v: want the rules of %s, with DSC-03: %v\n%s", args, want.ID, judges, got)
		}
	}
	assess(own, false)
	operation := shownID.FindString(y.types(0, "", "operations", "list").stdout)
	assess(own, false, "--regime", own.ID)
	assess(readiness.Current(), true, "--regime", readiness.Current().ID)
	if refused := y.types(1, "", "assess", "Retail Analytics", "Inventory", "--regime", readiness.Current().ID+"+00000000"); !strings.Contains(refused.stderr, own.ID) {
		t.Errorf("another regime: got %s", refused.stderr)
	}

	plain := serve(t, "--database-url", database, "--data", data, "--platform", "folder:../../samples/workspaces")
	y.types(0, token+"\n", "login", "--base-url", plain.base)
	listed := y.types(0, "", "assessments", "list", "Retail Analytics", "Inventory").stdout
	if n := strings.Count(listed, own.ID); n != 2 {
		t.Errorf("%d assessments have the regime %s, want 2:\n%s", n, own.ID, listed)
	}
	if shown := y.types(0, "", "operations", "show", operation, "--result").stdout; !strings.Contains(shown, "rules of "+own.ID+"\n") {
		t.Errorf("got %s", shown)
	}
}
