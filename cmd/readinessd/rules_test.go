package main

import (
	"strings"
	"testing"

	"readiness/domain/readiness"
	"readiness/test/pgtest"
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
	var operation string
	for range 2 {
		got := y.types(0, "", "assess", "Retail Analytics", "Inventory").stdout
		if !strings.Contains(got, "by the rules of "+own.ID+": ") || strings.Contains(got, "DSC-03") {
			t.Errorf("want the rules of %s, without DSC-03\n%s", own.ID, got)
		}
		operation = shownID.FindString(y.types(0, "", "operations", "list").stdout)
	}

	plain := serve(t, "--database-url", database, "--data", data, "--platform", "folder:../../samples/workspaces")
	y.types(0, token+"\n", "login", "--base-url", plain.base)
	listed := y.types(0, "", "assessments", "list", "Retail Analytics", "Inventory").stdout
	if n := strings.Count(listed, own.ID); n != 2 {
		t.Errorf("%d assessments have the regime %s, want 2:\n%s", n, own.ID, listed)
	}
	if shown := y.types(0, "", "operations", "show", operation, "--result").stdout; !strings.Contains(shown, "by the rules of "+own.ID+": ") {
		t.Errorf("got %s", shown)
	}
}
