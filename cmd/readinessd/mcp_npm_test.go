//go:build npm

package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/test/pgtest"
	"readiness/test/samples"
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
	for _, options := range [][]string{nil, {"--remove-linguistic"}, {"--suggested", "--remove-linguistic"}} {
		t.Run(strings.Join(append([]string{"upgrade-ai"}, options...), " "), func(t *testing.T) { upgradesRead(t, dir, program, options) })
	}
}

// upgradesRead upgrades the models with a linguistic schema of READINESS_CORPUS (the samples without it) and of the folders in
// READINESS_LINGUISTIC, each a copy: Microsoft's modeling server reads the same tables and cultures as before, and revert restores every byte.
func upgradesRead(t *testing.T, dir string, program, options []string) {
	corpus, _ := samples.Corpus(t)
	var copies []string
	for _, root := range append(filepath.SplitList(os.Getenv("READINESS_LINGUISTIC")), corpus, samples.Workspaces(t)) {
		copies = append(copies, linguisticModels(t, root)...)
	}
	if len(copies) == 0 {
		t.Fatal("there is no model with a linguistic schema")
	}
	read := func() (found map[string]struct {
		Tables, Cultures []string
		Error            string
	}) {
		list := filepath.Join(t.TempDir(), "folders.json")
		text, _ := json.Marshal(copies)
		if err := os.WriteFile(list, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(runIn(t, dir, []string{"FOLDERS=" + list}, "node", "folders.mjs")), &found); err != nil {
			t.Fatal(err)
		}
		return found
	}
	files := map[string]map[string]string{}
	for _, c := range copies {
		files[c] = filesOf(t, c)
	}
	before, upgraded, unread := read(), 0, 0
	for _, c := range copies {
		above := filepath.Dir(c)
		runIn(t, dir, program, os.Args[0], append([]string{"upgrade-ai", c, "--root", above, "--write", "--record", filepath.Join(above, "record.json")}, options...)...)
	}
	after := read()
	for _, c := range copies {
		if before[c].Error != "" { // it does not read the model as it is, such as a template
			unread++
		} else if diff := cmp.Diff(before[c], after[c]); diff != "" {
			t.Errorf("%s: the modeling server reads other than before (-before +after)\n%s", filepath.Base(c), diff)
		}
		record := filepath.Join(filepath.Dir(c), "record.json")
		if _, err := os.Stat(record); err == nil {
			upgraded++
			if cmp.Equal(files[c], filesOf(t, c)) {
				t.Errorf("%s: nothing was written", filepath.Base(c))
			}
			runIn(t, dir, program, os.Args[0], "revert", record, "--root", filepath.Dir(c), "--write")
		}
		if diff := cmp.Diff(files[c], filesOf(t, c)); diff != "" {
			t.Errorf("%s is not as before (-before +after)\n%s", filepath.Base(c), diff)
		}
	}
	if upgraded == 0 || unread == len(copies) {
		t.Errorf("of %d models %d were upgraded, %d not read before", len(copies), upgraded, unread)
	}
	t.Logf("%d models, %d upgraded, %d that the modeling server does not read as they are", len(copies), upgraded, unread)
}

// linguisticModels copies the models below a folder that have a linguistic schema, each into a folder of its own.
func linguisticModels(t *testing.T, root string) (copies []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() || !strings.HasSuffix(path, ".SemanticModel") {
			return err
		}
		for _, text := range filesOf(t, path) {
			if strings.Contains(text, "linguisticMetadata") {
				to := filepath.Join(t.TempDir(), filepath.Base(path))
				copies = append(copies, to)
				if err := os.CopyFS(to, os.DirFS(path)); err != nil {
					return err
				}
				return fs.SkipDir
			}
		}
		return fs.SkipDir
	})
	if err != nil {
		t.Fatal(err)
	}
	return copies
}
