package desk

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"readiness/cmd/cli"
	"readiness/test/clitest"
)

// inFolder is this program as a process of its own in a folder.
func inFolder(t *testing.T, folder string, environment []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir, cmd.Env = folder, append(append(os.Environ(), "READINESS_TEST_AS_PROGRAM=1"), environment...)
	return cmd
}

// runs runs the program in a folder.
func runs(t *testing.T, folder string, environment []string, args ...string) result {
	t.Helper()
	cmd := inFolder(t, folder, environment, args...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the exit code says it
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// Every command prints JSON with --json, alone on stdout, except those whose stdout is a protocol. Those of the client need a server; they
// share one flag.
func TestJSONEverywhere(t *testing.T) {
	t.Parallel()
	protocols := map[string]bool{"readiness lsp": true, "readiness mcp": true}
	ran := map[string]bool{}
	program := New(io.Discard, io.Discard).Command
	folder := folderOf(t, modelFiles)
	for name, text := range map[string]string{
		"q.csv": "question,expectedAnswer\nHow many?,5\n", "a.csv": "question,answer\nHow many?,5\n", "r.yaml": "version: 1\nrules:\n  NAM-01: off\n",
		"bpa.json": `[{"ID":"A","Name":"a","Scope":"Measure","Expression":"IsHidden","Severity":1}]`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"assess", "."}, {"preview", "."}, {"lift", ".", "--count", "1"}, {"rules", "list"}, {"rules", "show", "NAM-01"}, {"version"}, {"licenses"},
		{"config", "reference"}, {"rules", "import", "bpa.json"}, {"rules", "test", "--rules", "r.yaml"}, {"upgrade-ai", "."},
		{"evaluate", "M.SemanticModel", "--questions", "q.csv", "--answers", "a.csv"},
		{"rename", "M.SemanticModel", "T[Amount]", "Sum"},
		{"apply", "."}, {"apply", ".", "--write", "--record", "record.json"}, {"revert", "record.json"}, {"revert", "record.json", "--write"},
	} {
		got := runs(t, folder, nil, append(args, "--json")...)
		if got.code != cli.ExitOK || !json.Valid([]byte(got.stdout)) {
			t.Errorf("readiness %s --json: %+v", strings.Join(args, " "), got)
		}
		if slices.Contains(args, "--write") && !strings.Contains(got.stdout, `"written": [`) {
			t.Errorf("readiness %s --json does not say what was written:\n%s", strings.Join(args, " "), got.stdout)
		}
		c, _, err := program.Find(args)
		if err != nil {
			t.Fatal(err)
		}
		ran[c.CommandPath()] = true
	}
	for _, c := range clitest.Leaves(program) {
		path := c.CommandPath()
		switch has := c.Flag("json") != nil; {
		case has == protocols[path]:
			t.Errorf("%s has --json: %t", path, has)
		case has && !ran[path] && !strings.HasPrefix(path, "readiness client "):
			t.Errorf("%s --json is not tried", path)
		}
	}
}

// A variable that another command needs does not break a command.
func TestVariablesOfOtherCommands(t *testing.T) {
	t.Parallel()
	folder := folderOf(t, modelFiles)
	all := []string{"READINESS_FORMAT=sarif", "READINESS_BASELINE=none.json", "READINESS_FAIL_UNDER=100", "READINESS_OUTPUT=/nowhere/x", "READINESS_RULE=NAM-01",
		"READINESS_APPLY_WRITE=true", "READINESS_APPLY_RECORD=x.json", "READINESS_LIFT_WRITE=helpful", "READINESS_EVALUATE_FORMAT=junit", "READINESS_VERSION=v1.2.3",
		"READINESS_CLIENT_BASE_URL=http://127.0.0.1:1", "READINESS_CLIENT_KIND=descriptions"}
	for _, args := range [][]string{{"preview", "."}, {"rules", "list"}, {"rules", "show", "NAM-01"}, {"version"}, {"--version"}} {
		if got := runs(t, folder, all, args...); got.code != cli.ExitOK {
			t.Errorf("readiness %s: %+v", strings.Join(args, " "), got)
		}
	}
	for _, c := range []struct {
		variable string
		args     []string
		want     string
	}{
		{"READINESS_FAIL_UNDER=high", []string{"assess", "."}, `environment variable READINESS_FAIL_UNDER must be a whole number, not "high"`},
		{"READINESS_FORMAT=xml", []string{"assess", "."}, `environment variable READINESS_FORMAT must be one of table, json, `},
	} {
		if got := runs(t, folder, []string{c.variable}, c.args...); got.code != cli.ExitUsage || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%s: got %+v, want %s", c.variable, got, c.want)
		}
	}
	if got := runs(t, folder, []string{"READINESS_JSON=1"}, "assess", ".", "--format", "csv"); json.Valid([]byte(got.stdout)) {
		t.Errorf("the variable wins over the flag: %+v", got)
	}
}

// An interrupt ends a command with 130.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	cmd := inFolder(t, folderOf(t, modelFiles), nil, "mcp")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	if _, err := in.Write([]byte(hello + "\n")); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("got %q, %v", line, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code says it
	if got := cmd.ProcessState.ExitCode(); got != cli.ExitInterrupted {
		t.Errorf("got exit code %d, want 130", got)
	}
}

// What people have in place of a model, or of a file that a flag names, is refused in a sentence with the cause and the cure.
func TestWhatPeopleName(t *testing.T) {
	t.Parallel()
	const conflict = "<<<<<<< HEAD\nignore: []\n=======\n>>>>>>> theirs\n"
	wide := func(text string) string {
		b := []byte{0xff, 0xfe}
		for _, c := range []byte(text) {
			b = append(b, c, 0)
		}
		return string(b)
	}
	files := map[string]string{
		"a.pbix": "PK", "b/sub/t.pbit": "PK", "te/database.json": "{}", "te/tables/T/T.json": "{}", "tools/.pbixproj.json": "{}", "tools/Model/database.json": "{}",
		"empty/readme.txt": "", "wide.json": wide("{}"), "merge.yaml": conflict, "lfs.json": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n",
		"nul.json": "{\x00}",
	}
	maps.Copy(files, modelFiles)
	for name, text := range map[string]string{"merge": conflict, "lfs": files["lfs.json"], "nul": "table T\x00", "wide": wide("table T\n")} {
		for file, same := range modelFiles {
			files[name+"/"+file] = same
		}
		files[name+"/M.SemanticModel/definition/tables/T.tmdl"] = text
	}
	folder := folderOf(t, files)
	const m = "M.SemanticModel"
	for want, args := range map[string][]string{
		"a.pbix: a .pbix file cannot be read; open it in Power BI Desktop, save it as a project (":         {"assess", "a.pbix"},
		"b: it contains no semantic model that can be read: sub/t.pbit: a .pbit template cannot be read; ": {"assess", "b"},
		"database.json: Tabular Editor saved this model as a folder of JSON; save it there as TMDL or":     {"preview", "te"},
		"te/database.json: Tabular Editor saved this model":                                                {"assess", "te/database.json"},
		".pbixproj.json: pbi-tools extracted this model; write it as one file with pbi-tools export-bim":   {"assess", "tools"},
		"empty: it contains no semantic model; name a folder":                                              {"apply", "empty"},
		"none: it does not exist; check its spelling":                                                      {"assess", "none"},
		"none does not exist":                  {"mcp", "none"},
		"the record: none.json does not exist": {"revert", "none.json"},
		"q.csv does not exist":                 {"evaluate", m, "--questions", "q.csv", "--answers", "a.csv"},
		"wide.json:1:1: this is UTF-16 text, not UTF-8; save the file as UTF-8":                   {"revert", "wide.json"},
		"the baseline: wide.json:1:1: this is UTF-16 text":                                        {"assess", m, "--baseline", "wide.json"},
		"the evidence: lfs.json:1:1: this is a Git LFS pointer, not the file; get the file with":  {"assess", m, "--evidence", "lfs.json"},
		"the baseline: nul.json:1:2: the file contains a NUL character":                           {"assess", m, "--baseline", "nul.json"},
		"merge.yaml:1:1: this is an unsolved merge conflict; keep one of the two versions":        {"assess", m, "--ignore", "merge.yaml"},
		"T.tmdl:1:1: this is an unsolved merge conflict; keep one":                                {"assess", "merge"},
		"T.tmdl:1:1: this is a Git LFS pointer, not the file; get the file with \"git lfs pull\"": {"assess", "lfs"},
		"T.tmdl:1:8: the file contains a NUL character (U+0000); remove it":                       {"assess", "nul"},
		"T.tmdl:1:1: this is UTF-16 text, not UTF-8; save the file":                               {"assess", "wide"},
	} {
		got := runs(t, folder, nil, args...)
		if got.code != cli.ExitFailed && got.code != cli.ExitPartly || !strings.Contains(got.stdout+got.stderr, want) {
			t.Errorf("readiness %s: got %+v, want %s", strings.Join(args, " "), got, want)
		}
	}
}

// A byte order mark, which Windows writes, is fine in every file that a flag names.
func TestByteOrderMarks(t *testing.T) {
	t.Parallel()
	files := maps.Clone(modelFiles)
	files["i.yaml"], files["r.yaml"] = "ignore:\n  - rule: NAM-03\n    reason: known\n", "rules:\n  NAM-01: off\n"
	files["q.csv"], files["a.csv"] = "question,expectedAnswer\nHow many?,5\n", "question,answer\nHow many?,5\n"
	folder := folderOf(t, files)
	const m = "M.SemanticModel"
	for _, args := range [][]string{
		{"assess", m, "--json", "--output", "b.json"}, {"evaluate", m, "--questions", "q.csv", "--answers", "a.csv", "--json", "--output", "e.json"},
		{"apply", m, "--write", "--record", "record.json"},
	} {
		if got := runs(t, folder, nil, args...); got.code != cli.ExitOK {
			t.Fatalf("readiness %s: %+v", strings.Join(args, " "), got)
		}
	}
	for _, name := range []string{"i.yaml", "r.yaml", "q.csv", "a.csv", "b.json", "e.json", "record.json"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), append([]byte("\ufeff"), text...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"assess", m, "--ignore", "i.yaml", "--rules", "r.yaml", "--evidence", "e.json"}, {"assess", m, "--baseline", "b.json"},
		{"evaluate", m, "--questions", "q.csv", "--answers", "a.csv", "--baseline", "e.json"}, {"revert", "record.json"},
	} {
		if got := runs(t, folder, nil, args...); got.code != cli.ExitOK {
			t.Errorf("readiness %s: %+v", strings.Join(args, " "), got)
		}
	}
}

// Equal warnings are one line with their number.
func TestEqualWarnings(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, model := range []string{"A", "B", "C"} {
		for name, text := range modelFiles {
			files[strings.Replace(name, "M.", model+".", 1)] = text
		}
		files[model+".SemanticModel/Copilot/examplePrompts.json"] = "[]"
	}
	got := runs(t, folderOf(t, files), nil, "assess", ".")
	if strings.Count(got.stderr, "readiness: warning: ") != 1 || !strings.Contains(got.stderr, "(and 2 more of the same)\n") {
		t.Errorf("got %+v", got)
	}
}
