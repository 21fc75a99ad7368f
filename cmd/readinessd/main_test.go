package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/cmd/cli"
	"readiness/cmd/readiness/desk"
	"readiness/http/token"
	"readiness/test/clitest"
	"readiness/test/pgtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMain lets the test binary act as the program, for tests that need a separate process.
func TestMain(m *testing.M) {
	switch os.Getenv("READINESS_TEST_AS_PROGRAM") {
	case "readinessd":
		main()
	case "readiness":
		cli.Main(desk.New(os.Stdout, os.Stderr))
	}
	os.Exit(pgtest.Main(m))
}

// result is the outcome of a command line.
type result struct {
	code           int
	stdout, stderr string
}

func run(ctx context.Context, args ...string) result {
	var stdout, stderr bytes.Buffer
	code := newRoot(&stdout, &stderr).Run(ctx, args)
	return result{code, stdout.String(), stderr.String()}
}

// atDesk executes a command line of readiness, the program for people.
func atDesk(ctx context.Context, args ...string) result {
	var stdout, stderr bytes.Buffer
	code := desk.New(&stdout, &stderr).Run(ctx, args)
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
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "accounts.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	serve := []string{"serve", "--data", nowhere, "--platform", "folder:../../samples/workspaces"}
	for name, tt := range map[string]struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		"nothing":                   {nil, cli.ExitOK, "Exit codes:", ""},
		"help":                      {[]string{"--help"}, cli.ExitOK, "Exit codes:", ""},
		"help of a command":         {[]string{"help", "serve"}, cli.ExitOK, "(READINESS_DATABASE_URL)", ""},
		"version":                   {[]string{"version"}, cli.ExitOK, "readinessd ", ""},
		"completion":                {[]string{"completion", "bash"}, cli.ExitOK, "bash completion V2 for readinessd", ""},
		"unknown command":           {[]string{"server"}, cli.ExitUsage, "", `unknown command "server"`},
		"the desk's command":        {[]string{"assess", "."}, cli.ExitUsage, "", "assess is a command of readiness: readiness assess"},
		"unknown flag":              {[]string{"version", "--verbose"}, cli.ExitUsage, "", "unknown flag: --verbose"},
		"an argument too many":      {[]string{"version", "now"}, cli.ExitUsage, "", `there are too many arguments: "now"`},
		"unknown level":             {[]string{"version", "--log-level", "loud"}, cli.ExitUsage, "", "--log-level must be debug, info, warn or error"},
		"unknown log format":        {[]string{"version", "--log-format", "xml"}, cli.ExitUsage, "", "--log-format must be json, text or auto"},
		"group alone":               {[]string{"events"}, cli.ExitUsage, "", "readinessd events needs one of: export import list verify"},
		"token for no one":          {[]string{"token", "--data", nowhere, "--account", "a"}, cli.ExitUsage, "", "--account and --person"},
		"token without account":     {[]string{"token", "--data", nowhere, "--person", "p"}, cli.ExitUsage, "", "--account and --person"},
		"token of unknown scope":    {[]string{"token", "--data", nowhere, "--account", "a", "--person", "p", "--scopes", "Service.Read"}, cli.ExitUsage, "", "Service.Read.All"},
		"trial at no address":       {[]string{"token", "--data", nowhere, "--console", "127.0.0.1:8080"}, cli.ExitUsage, "", "--console must be the address"},
		"trial of no service":       {[]string{"token", "--data", nowhere, "--console", "http://127.0.0.1:8080"}, cli.ExitFailed, "", "has no service.key"},
		"licenses":                  {[]string{"licenses"}, cli.ExitOK, "github.com/jackc/pgx/v5 v5.", ""},
		"token that is over":        {[]string{"token", "--data", nowhere, "--account", "a", "--person", "p", "--expires", "0s"}, cli.ExitUsage, "", "--expires"},
		"token without end":         {[]string{"token", "--data", nowhere, "--account", "a", "--person", "p", "--expires", "9000h"}, cli.ExitUsage, "", "--expires"},
		"serve without a platform":  {[]string{"serve", "--data", nowhere}, cli.ExitUsage, "", "--platform must be folder:DIR"},
		"serve another platform":    {[]string{"serve", "--data", nowhere, "--platform", "ftp:x"}, cli.ExitUsage, "", `not "ftp:x"`},
		"serve Fabric as no one":    {[]string{"serve", "--data", nowhere, "--platform", "fabric"}, cli.ExitUsage, "", "needs --fabric-client-id"},
		"serve an empty platform":   {[]string{"serve", "--data", nowhere, "--platform", "folder:"}, cli.ExitUsage, "", "--platform must be folder:DIR"},
		"serve a platform not here": {[]string{"serve", "--data", nowhere, "--platform", "folder:" + nowhere, "--listen", "127.0.0.1:0"}, cli.ExitFailed, "", "nowhere"},
		"serve no role":             {append(serve, "--roles", ""), cli.ExitUsage, "", "--roles must name"},
		"serve an unknown role":     {append(serve, "--roles", "api,cook"), cli.ExitUsage, "", `"cook" is neither api nor worker`},
		"serve with no worker":      {append(serve, "--workers", "0"), cli.ExitUsage, "", "--workers must be at least 1"},
		"Generate Query elsewhere":  {append(serve, "--experimental-generate-query"), cli.ExitUsage, "", "--experimental-generate-query needs --platform fabric"},
		"serve with no quota":       {append(serve, "--fabric-share", "0"), cli.ExitUsage, "", "--fabric-share must be 1 to 10000"},
		"serve with any quota":      {append(serve, "--fabric-share", "10001"), cli.ExitUsage, "", "--fabric-share must be 1 to 10000"},
		"serve under no address":    {append(serve, "--base-url", "readiness.example.com"), cli.ExitUsage, "", "--base-url must be an absolute http or https address"},
		"serve with a wrong portal": {append(serve, "--portal-url", "https://x.example/?a=b"), cli.ExitUsage, "", "--portal-url must be"},
		"issuer without audience":   {append(serve, "--issuer", "https://login.example.com"), cli.ExitUsage, "", "--issuer needs --audience"},
		"audience without issuer":   {append(serve, "--audience", "api://readiness"), cli.ExitUsage, "", "--audience needs --issuer"},
		"serve at no port":          {append(serve, "--listen", "127.0.0.1:port"), cli.ExitFailed, "", "port"},
		"serve no database":         {append(serve, "--listen", "127.0.0.1:0", "--database-url", "postgres://host:port/"), cli.ExitUsage, "", "--database-url"},
		"serve unreadable accounts": {append(serve, "--listen", "127.0.0.1:0", "--accounts", nowhere), cli.ExitFailed, "", "does not exist"},
		"worker without a platform": {[]string{"worker", "--data", nowhere}, cli.ExitUsage, "", "--platform must be folder:DIR"},
		"schema of accounts":        {[]string{"accounts", "schema"}, cli.ExitOK, `"$schema": "https://json-schema.org/draft/2020-12/schema"`, ""},
		"apply no file":             {[]string{"accounts", "apply", "--data", nowhere}, cli.ExitUsage, "", "an argument is missing"},
		"apply a file not there":    {[]string{"accounts", "apply", "--data", nowhere, nowhere}, cli.ExitFailed, "", "does not exist"},
		"apply a file with faults":  {[]string{"accounts", "apply", "--data", nowhere, file("accounts:\n  - accountId: a\n    plan: Teem\n")}, cli.ExitFailed, "", `accounts.yaml:3:5: accounts[0].plan: must be one of Free, Team, Business, Enterprise, not "Teem"; the closest is "Team"`},
		"serve plans with faults":   {append(serve, "--listen", "127.0.0.1:0", "--plans", file("plans:\n  Team: {assessments: {limt: 7}}\n")), cli.ExitFailed, "", `accounts.yaml:2:24: plans.Team.assessments.limt: unknown member; the closest is "limit"`},
		"serve rules with faults":   {append(serve, "--listen", "127.0.0.1:0", "--rules", file("rules:\n  DSC-01: of\n")), cli.ExitFailed, "", `accounts.yaml:2:3: rules.DSC-01: must be one of off, low, medium, high, not "of"; the closest is "off"`},
		"work with no rules":        {[]string{"worker", "--data", nowhere, "--platform", "folder:../../samples/workspaces", "--rules", nowhere}, cli.ExitFailed, "", "does not exist"},
		"work with no plans":        {[]string{"worker", "--data", nowhere, "--platform", "folder:../../samples/workspaces", "--plans", nowhere}, cli.ExitFailed, "", "does not exist"},
		"diff plans with faults":    {[]string{"accounts", "diff", "--data", nowhere, "--plans", file("plans: {Teem: {}}\n"), samplesAccounts}, cli.ExitFailed, "", `accounts.yaml:1:9: plans.Teem: unknown member; the closest is "Team"`},
		"operate without data":      {[]string{"events", "verify", "--data", nowhere}, cli.ExitFailed, "", "there is no data directory"},
		"list nothing":              {[]string{"events", "list", "--data", nowhere, "--limit", "0"}, cli.ExitUsage, "", "--limit must be at least 1"},
		"export as another format":  {[]string{"events", "export", "--data", nowhere, "--format", "csv"}, cli.ExitUsage, "", "--format must be ndjson, cloudevents or parquet"},
		"rebuild an unknown view":   {[]string{"projections", "rebuild", "--data", nowhere, "--view", "operation"}, cli.ExitUsage, "", `there is no view "operation"; available: operations, `},
		"retire an unknown view":    {[]string{"projections", "retire", "--data", nowhere, "--view", "x"}, cli.ExitUsage, "", `there is no view "x"`},
		"retire without a view":     {[]string{"projections", "retire", "--data", nowhere}, cli.ExitUsage, "", "retire needs --view"},
		"withdraw without a view":   {[]string{"projections", "withdraw", "--data", nowhere}, cli.ExitUsage, "", "withdraw needs --view"},
		"status of days to come":    {[]string{"projections", "status", "--data", nowhere, "--days", "-1"}, cli.ExitUsage, "", "--days must not be negative"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t.Context(), tt.args...)
			if got.code != tt.code {
				t.Errorf("got exit code %d, want %d", got.code, tt.code)
			}
			if !strings.Contains(got.stdout, tt.stdout) || tt.stdout == "" && got.stdout != "" {
				t.Errorf("got stdout %q, want %q in it", got.stdout, tt.stdout)
			}
			if !strings.Contains(got.stderr, tt.stderr) || tt.stderr == "" && got.stderr != "" {
				t.Errorf("got stderr %q, want %q in it", got.stderr, tt.stderr)
			}
			if _, err := os.Stat(nowhere); err == nil && tt.code == cli.ExitUsage {
				t.Errorf("a rejected command line created %s", nowhere)
			}
		})
	}
}

// Flags can be set in the environment; a flag on the command line takes precedence, and the error for a wrong value
// names the variable.
func TestEnvironment(t *testing.T) {
	t.Setenv("READINESS_LOG_LEVEL", "loud")
	if got := run(t.Context(), "version"); got.code != cli.ExitUsage {
		t.Errorf("a wrong environment: got exit code %d, want %d", got.code, cli.ExitUsage)
	}
	must(t, "version", "--log-level", "warn")
	t.Setenv("READINESS_LOG_LEVEL", "info")
	t.Setenv("READINESS_LIMIT", "many")
	got := run(t.Context(), "events", "list")
	if want := "environment variable READINESS_LIMIT must be a whole number"; got.code != cli.ExitUsage || !strings.Contains(got.stderr, want) {
		t.Errorf("got exit code %d, stderr %q, want %d and %q", got.code, got.stderr, cli.ExitUsage, want)
	}
	data := t.TempDir()
	if _, err := token.OpenIssuer(data); err != nil {
		t.Fatal(err)
	}
	t.Setenv("READINESS_DATA", data)
	t.Setenv("READINESS_ACCOUNT", "contoso")
	t.Setenv("READINESS_PERSON", "ada")
	t.Setenv("READINESS_FORCE", "true")
	must(t, "token")
}

// Every command has help and every flag names its environment variable. No two flags with different meanings share one.
func TestEveryCommandIsDocumented(t *testing.T) {
	t.Parallel()
	clitest.Help(t, newRoot(&bytes.Buffer{}, &bytes.Buffer{}).Command, filepath.Join("testdata", "help.golden"), *update)
}

func TestConfigurationIsDocumented(t *testing.T) {
	t.Parallel()
	clitest.Reference(t, newRoot(newOutput(), newOutput()).Command, "../../docs/configuration.md", must(t, "config", "reference").stdout, *update)
}
