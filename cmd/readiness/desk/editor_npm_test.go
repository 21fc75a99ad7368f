//go:build npm

package desk

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// npmTimeout bounds an installation, and a run of an editor.
const npmTimeout = 5 * time.Minute

// TestNPMEditor works with readiness lsp by the protocol library of VS Code and by the client of Neovim.
func TestNPMEditor(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "editor"))); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) {
		t.Helper()
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS("../../../samples/workspaces/Retail Analytics")); err != nil {
			t.Fatal(err)
		}
		before := contents(t, folder)
		tables, err := filepath.Glob(filepath.Join(folder, "*.SemanticModel", "definition", "tables", "*.tmdl"))
		if err != nil {
			t.Fatal(err)
		}
		file := ""
		for _, one := range tables {
			if data, err := os.ReadFile(one); err == nil && strings.Contains(string(data), "\n\tmeasure ") {
				file, _ = filepath.Rel(folder, one)
				break
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), npmTimeout)
		defer cancel()
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "READINESS_TEST_AS_PROGRAM=1", "PROGRAM="+self, "FOLDER="+folder, "FILE="+file)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		t.Logf("%s", out)
		records, _ := filepath.Glob(filepath.Join(folder, "readiness-apply-*"))
		for _, record := range records { // of the rename in Neovim
			must(t, "revert", record, "--root", folder, "--write")
			if err := os.Remove(record); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(before, contents(t, folder)); diff != "" {
				t.Errorf("the rename is not undone to the byte\n%s", diff)
			}
		}
	}
	run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock")
	run("node", "client.mjs")
	run("nvim", "--headless", "--clean", "-n", "-c", "luafile nvim.lua")
}
