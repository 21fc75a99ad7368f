//go:build npm

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"readiness/test/pgtest"
)

// npmTimeout bounds an installation, and a run of a script.
const npmTimeout = 10 * time.Minute

// installed installs third-party clients from npm into a new folder, without running their scripts.
func installed(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "agents"))); err != nil {
		t.Fatal(err)
	}
	runIn(t, dir, nil, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock")
	return dir
}

// runIn runs a command that must succeed, and returns its output.
func runIn(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), npmTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// supplyChain is a new folder with a model of the samples.
func supplyChain(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../samples/workspaces/Retail Analytics/Supply Chain")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// publicModels are models of the corpus that an agent prepares.
var publicModels = []string{
	"microsoft__fabric-toolbox/monitoring/fabric-cost-analysis/src/FCA_Core_SM.SemanticModel",
	"microsoft__fabric-toolbox/monitoring/fabric-unified-admin-monitoring/src/FUAM_SQL_Endpoint_Analyzer_SM.SemanticModel",
	"microsoft__fabric-samples/docs-samples/data-science/enrich-powerbi-report-with-machine-learning/Bank Customer Churn Analysis/" +
		"Bank Customer Churn Analysis/Bank Customer Churn Analysis.SemanticModel",
}

// TestNPM tests this program with third-party clients and a third-party server.
//
// proves: decisions/19/published-clients
func TestNPM(t *testing.T) {
	dir := installed(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home, workspaces := t.TempDir(), filepath.Join(t.TempDir(), "workspaces")
	if err := os.CopyFS(workspaces, os.DirFS("../../samples/workspaces")); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "--database-url", pgtest.URL(t), "--data", home, "--accounts", samplesAccounts, "--platform", "folder:"+workspaces)
	token := strings.TrimSpace(must(t, "token", "--data", home, "--account", "contoso", "--person", "grace", "--force").stdout)
	program := []string{"READINESS_TEST_AS_PROGRAM=readiness", "PROGRAM=" + self}

	t.Run("clients", func(t *testing.T) {
		t.Log(runIn(t, dir, append(program, "FOLDER="+supplyChain(t), "ADDRESS="+s.base+"/mcp", "TOKEN="+token), "node", "clients.mjs"))
	})
	t.Run("public models", func(t *testing.T) {
		corpus := os.Getenv("READINESS_CORPUS")
		if corpus == "" {
			t.Log("NOT RUN: READINESS_CORPUS is not set")
			return
		}
		folder := t.TempDir()
		for _, model := range publicModels {
			if err := os.CopyFS(filepath.Join(folder, filepath.Base(model)), os.DirFS(filepath.Join(corpus, model))); err != nil {
				t.Fatal(err)
			}
		}
		t.Log(runIn(t, dir, append(program, "FOLDER="+folder), "node", "public.mjs"))
	})
	t.Run("inspector", func(t *testing.T) {
		folder := supplyChain(t)
		for what, target := range map[string][]string{
			"stdio": {self, "mcp", folder, "--write"},
			"HTTP":  {s.base + "/mcp", "--header", "Authorization: Bearer " + token},
		} {
			inspect := func(args ...string) string {
				return runIn(t, dir, program, "npx", slices.Concat(
					[]string{"mcp-inspector", "--cli", "-e", program[0]}, target, args)...)
			}
			if out := inspect("--strict", "--method", "tools/list"); !strings.Contains(out, `"preview_revert"`) || strings.Contains(out, "Warning:") {
				t.Errorf("%s: the inspector has remarks on the schemas", what)
			}
			if out := inspect("--method", "tools/call", "--tool-name", "list_models"); !strings.Contains(out, "BEGIN DATA") {
				t.Errorf("%s: the inspector calls no tool", what)
			}
			out := inspect("--method", "resources/read", "--uri", "readiness://rules/DSC-01")
			if !strings.Contains(out, "A table has a description") {
				t.Errorf("%s: the inspector reads no resource", what)
			}
			if out := inspect("--method", "prompts/list"); !strings.Contains(out, "write_descriptions") {
				t.Errorf("%s: the inspector lists no prompt", what)
			}
		}
	})
	t.Run("modeling server", func(t *testing.T) {
		t.Log(runIn(t, dir, append(program, "FOLDER="+supplyChain(t), "MODEL=Inventory.SemanticModel"), "node", "vendor.mjs"))
	})
}
