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
		"nothing":               {nil, cli.ExitOK, "Exit codes:", ""},
		"help":                  {[]string{"--help"}, cli.ExitOK, "Exit codes:", ""},
		"version":               {[]string{"version"}, cli.ExitOK, "readiness ", ""},
		"licenses":              {[]string{"licenses"}, cli.ExitOK, "github.com/spf13/cobra v1.", ""},
		"licenses as JSON":      {[]string{"licenses", "--json"}, cli.ExitOK, "Redistribution and use in source", ""},
		"flags as JSON":         {[]string{"config", "reference", "--json"}, cli.ExitOK, `"variable": "READINESS_FAIL_UNDER"`, ""},
		"completion":            {[]string{"completion", "bash"}, cli.ExitOK, "bash completion V2 for readiness", ""},
		"completion of a value": {[]string{"__complete", "assess", "--format", "s"}, cli.ExitOK, "sarif\n", "Completion ended"},
		"a server's command":    {[]string{"serve"}, cli.ExitUsage, "", "serve is a command of readinessd"},
		"one of its groups":     {[]string{"events", "list"}, cli.ExitUsage, "", "events is a command of readinessd"},
		"--version":             {[]string{"--version"}, cli.ExitOK, "readiness ", ""},
		"-v":                    {[]string{"-v"}, cli.ExitOK, "readiness ", ""},
		"version as JSON":       {[]string{"version", "--json"}, cli.ExitOK, `"program":"readiness"`, ""},
		"help of a command":     {[]string{"help", "client", "assess"}, cli.ExitOK, "readiness client assess {WORKSPACE", ""},
		"help of nothing":       {[]string{"help", "client", "asess"}, cli.ExitUsage, "", `unknown command "asess" for "readiness client"; did you mean assess?` + "\nSee readiness --help."},
		"unknown command":       {[]string{"asess"}, cli.ExitUsage, "", `unknown command "asess" for "readiness"; did you mean assess?`},
		"with a flag":           {[]string{"asess", ".", "--json"}, cli.ExitUsage, "", `unknown command "asess" for "readiness"; did you mean assess?`},
		"of a group":            {[]string{"rules", "shwo", "NAM-01"}, cli.ExitUsage, "", `unknown command "shwo" for "readiness rules"; did you mean show?` + "\nSee readiness rules --help."},
		"a path alone":          {[]string{"testdata"}, cli.ExitUsage, "", "testdata is a path; readiness assess testdata scores what is there\n"},
		"no argument":           {[]string{"rules", "show"}, cli.ExitUsage, "", "an argument is missing\nUsage: readiness rules show RULE [flags]\n"},
		"too many":              {[]string{"rules", "show", "NAM-01", "NAM-02"}, cli.ExitUsage, "", "there are too many arguments: \"NAM-01\" \"NAM-02\"\nUsage: readiness rules show RULE [flags]\n"},
		"none is taken":         {[]string{"version", "now"}, cli.ExitUsage, "", "there are too many arguments: \"now\"\nUsage: readiness version [flags]\n"},
		"completion of help":    {[]string{"__complete", "help", "client", "ass"}, cli.ExitOK, "assess\tAssess semantic models of a workspace\n", "Completion ended"},
		"unknown flag":          {[]string{"assess", ".", "--fial-under", "60"}, cli.ExitUsage, "", "unknown flag: --fial-under; did you mean --fail-under?\nSee readiness assess --help."},
		"a short flag":          {[]string{"assess", ".", "-f", "json"}, cli.ExitUsage, "", "did you mean --fail-on or --fail-under or --format?"},
		"nothing like it":       {[]string{"assess", ".", "--quux"}, cli.ExitUsage, "", "unknown flag: --quux\n"},
		"no number":             {[]string{"assess", ".", "--fail-under", "high"}, cli.ExitUsage, "", `--fail-under must be a whole number, not "high"`},
		"no format":             {[]string{"assess", ".", "--format", "jsn"}, cli.ExitUsage, "", `--format must be one of table, json, markdown, html, csv, sarif, junit, comment, github, azure, not "jsn"`},
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
