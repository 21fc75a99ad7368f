package desk

import (
	"bytes"
	"context"
	"maps"
	"strings"
	"testing"

	"readiness/cmd/cli"
)

// Shells complete models of the folder that is typed, those that are not yet named, and files where there is none.
func TestCompletionOfModels(t *testing.T) {
	t.Parallel()
	files := maps.Clone(modelFiles)
	for name, text := range modelFiles {
		files[strings.Replace(name, "M.", "more/Sales Team.", 1)] = text
	}
	files["none/readme.txt"] = ""
	folder := folderOf(t, files)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"assess", ""}, "M.SemanticModel\nmore/Sales Team.SemanticModel\n:0\n"},
		{[]string{"preview", "mo"}, "M.SemanticModel\nmore/Sales Team.SemanticModel\n:0\n"}, // the shell chooses
		{[]string{"apply", "more/S"}, "more/Sales Team.SemanticModel\n:0\n"},
		{[]string{"lift", "M.SemanticModel", ""}, "more/Sales Team.SemanticModel\n:0\n"},
		{[]string{"upgrade-ai", "more/"}, "more/Sales Team.SemanticModel\n:0\n"},
		{[]string{"evaluate", "M.SemanticModel", ""}, ":4\n"},
		{[]string{"assess", "none/"}, ":0\n"},
		{[]string{"assess", "nowhere/x"}, ":0\n"},
		{[]string{"revert", ""}, ":0\n"},
	} {
		if got := runs(t, folder, nil, append([]string{"__complete"}, c.args...)...); got.code != cli.ExitOK || got.stdout != c.want {
			t.Errorf("%q: got %+v, want %q", c.args, got, c.want)
		}
	}
}

// A search that takes long leaves the completion to the shell.
func TestCompletionInTime(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancel(t.Context())
	end()
	var stdout, stderr bytes.Buffer
	New(&stdout, &stderr).Run(ctx, []string{"__complete", "assess", "testdata/"})
	if stdout.String() != ":0\n" {
		t.Errorf("got %q%s", stdout.String(), stderr.String())
	}
}
