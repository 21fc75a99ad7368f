package desk

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/cmd/cli"
	"readiness/test/clitest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMain lets the test binary act as the program, for tests that need a separate process.
func TestMain(m *testing.M) {
	if os.Getenv("READINESS_TEST_AS_PROGRAM") == "1" {
		cli.Main(New(os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// result is the outcome of a command line.
type result struct {
	code           int
	stdout, stderr string
}

func run(ctx context.Context, args ...string) result {
	var stdout, stderr bytes.Buffer
	code := New(&stdout, &stderr).Run(ctx, args)
	return result{code, stdout.String(), stderr.String()}
}

// must runs a command that has to succeed.
func must(t *testing.T, args ...string) result {
	t.Helper()
	r := run(t.Context(), args...)
	if r.code != cli.ExitOK {
		t.Fatalf("readiness %s: got exit code %d, want 0\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		"nothing":               {nil, cli.ExitUsage, "", "readiness: a command is missing; readiness --help lists the commands"},
		"help":                  {[]string{"--help"}, cli.ExitOK, "Exit codes:", ""},
		"version":               {[]string{"version"}, cli.ExitOK, "readiness ", ""},
		"licenses":              {[]string{"licenses"}, cli.ExitOK, "github.com/spf13/cobra v1.", ""},
		"completion":            {[]string{"completion", "bash"}, cli.ExitOK, "bash completion V2 for readiness", ""},
		"completion of a value": {[]string{"__complete", "assess", "--format", "s"}, cli.ExitOK, "sarif\n", "Completion ended"},
		"a server's command":    {[]string{"serve"}, cli.ExitUsage, "", "serve is a command of readinessd"},
		"one of its groups":     {[]string{"events", "list"}, cli.ExitUsage, "", "events is a command of readinessd"},
		"unknown command":       {[]string{"asess"}, cli.ExitUsage, "", `unknown command "asess"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t.Context(), tt.args...)
			if got.code != tt.code || !strings.Contains(got.stdout, tt.stdout) || tt.stdout == "" && got.stdout != "" ||
				!strings.Contains(got.stderr, tt.stderr) || tt.stderr == "" && got.stderr != "" {
				t.Errorf("got %+v, want code %d, %q, %q", got, tt.code, tt.stdout, tt.stderr)
			}
		})
	}
}

func TestEveryCommandIsDocumented(t *testing.T) {
	t.Parallel()
	program := New(&bytes.Buffer{}, &bytes.Buffer{}).Command
	clitest.Help(t, program, filepath.Join("testdata", "help.golden"), *update)
	clitest.Reference(t, program, "../../../docs/readiness.md", must(t, "config", "reference").stdout, *update)
}
