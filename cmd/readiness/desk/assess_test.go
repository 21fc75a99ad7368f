package desk

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"readiness/cmd/cli"
	"readiness/domain/readiness"
)

// modelFiles is a small model to score; brokenFiles is a model that cannot be read.
var (
	modelFiles = map[string]string{
		"M.SemanticModel/definition/database.tmdl": "database\n\tcompatibilityLevel: 1567\n",
		"M.SemanticModel/definition/model.tmdl":    "model Model\n",
		"M.SemanticModel/definition/tables/T.tmdl": "table T\n\n\tcolumn Amount\n\t\tdataType: double\n\t\tsummarizeBy: sum\n\n\tcolumn Name\n\t\tdataType: string\n\t\tsummarizeBy: count\n",
	}
	brokenFiles = map[string]string{"B.SemanticModel/definition/model.tmdl": "<"}
)

// folderOf writes files by path to a new folder and returns the folder.
func folderOf(t *testing.T, all ...map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for _, files := range all {
		for name, text := range files {
			file := filepath.Join(root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

// contents returns the files of a folder by path.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		all[strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(root)+"/")] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Exit codes: 0 whatever is found, 3 if a gate fails, 4 if an item could not be read, 1 if there is no report, 2 for a
// wrong command line.
func TestAssessExitCodes(t *testing.T) {
	t.Parallel()
	good, bad, broken := folderOf(t, modelFiles), folderOf(t, modelFiles, brokenFiles), folderOf(t, brokenFiles)
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	known := file(must(t, "assess", good, "--root", good, "--format", "json").stdout)
	const otherRegime = "2026-12"
	other := file(strings.ReplaceAll(must(t, "assess", good, "--root", good, "--format", "json").stdout, readiness.RegimeID, otherRegime))
	ignores := file("ignore:\n  - {rule: '*', table: T, object: Amount, reason: r}\n  - {rule: '*', table: T, object: Name, reason: r}\n  - {rule: DSC-01, table: X, reason: r}\n")
	for name, tt := range map[string]struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		"what is found fails nothing":       {[]string{good}, cli.ExitOK, "M.SemanticModel", ""},
		"a score below":                     {[]string{good, "--fail-under", "99"}, cli.ExitDamaged, "M.SemanticModel", ", below 99\n"},
		"a score of at least 0":             {[]string{good, "--fail-under", "0"}, cli.ExitOK, "M.SemanticModel", ""},
		"a finding of high severity":        {[]string{good, "--fail-on", "high"}, cli.ExitDamaged, "M.SemanticModel", "of severity high or more"},
		"nothing new":                       {[]string{good, "--root", good, "--baseline", known, "--fail-on", "low"}, cli.ExitOK, "already in the baseline", ""},
		"a baseline of another root":        {[]string{good, "--baseline", known}, cli.ExitOK, "M.SemanticModel", "contains none of these items"},
		"one cannot be read":                {[]string{bad}, cli.ExitPartly, "M.SemanticModel", "1 of 2 items could not be assessed"},
		"and another's score is below":      {[]string{bad, "--fail-under", "99"}, cli.ExitPartly, "M.SemanticModel", ", below 99\n"},
		"an entry without effect":           {[]string{good, "--ignore", ignores}, cli.ExitOK, "ignored", `file:4: no model has a table "X"`},
		"a missing ignore file":             {[]string{good, "--ignore", good + "/none"}, cli.ExitFailed, "", "the ignore file"},
		"an unknown rule":                   {[]string{good, "--ignore", file("ignore:\n  - {rule: X, reason: r}\n")}, cli.ExitFailed, "", "file:2:12: there is no rule"},
		"changed rules":                     {[]string{good, "--rules", file("rules: {DSC-01: off}\n")}, cli.ExitOK, "assessed by the rules of " + readiness.Current().ID + "+", ""},
		"rules without an effect":           {[]string{good, "--rules", file("rules: {DSC-03: medium}\n")}, cli.ExitOK, "assessed by the rules of " + readiness.Current().ID + ":", ""},
		"changes of an unknown rule":        {[]string{good, "--rules", file("rules:\n  X: off\n")}, cli.ExitFailed, "", "file:2:3: rules.X: " + readiness.Current().ID + " has no such rule"},
		"a missing rules file":              {[]string{good, "--rules", good + "/none"}, cli.ExitFailed, "", "none does not exist"},
		"a baseline of other rules":         {[]string{good, "--root", good, "--baseline", known, "--rules", file("rules: {DSC-01: off}\n")}, cli.ExitOK, "already in the baseline", "the baseline uses the rules of " + readiness.Current().ID + ", this assessment those of " + readiness.Current().ID + "+"},
		"preview with a wrong rules file":   {[]string{"preview", good, "--rules", file("")}, cli.ExitFailed, "", "must hold one YAML document with the member rules"},
		"a missing baseline":                {[]string{good, "--baseline", "none.json"}, cli.ExitFailed, "", "there is no baseline none.json; create it with assess --format json --output none.json"},
		"a file that is not a baseline":     {[]string{good, "--baseline", ignores}, cli.ExitFailed, "", "the baseline"},
		"none can be read":                  {[]string{broken}, cli.ExitPartly, "B.SemanticModel", "1 of 1 items could not be assessed"},
		"and a report of it to a file":      {[]string{broken, "--format", "sarif", "--output", filepath.Join(t.TempDir(), "x")}, cli.ExitPartly, "", "1 item could not be read"},
		"preview with an ignore file":       {[]string{"preview", good, "--ignore", ignores, "--kind", "descriptions"}, cli.ExitOK, "2 ignored findings left unchanged", `file:4: no model has a table "X"`},
		"apply with an ignore file":         {[]string{"apply", good, "--root", good, "--ignore", ignores, "--kind", "descriptions"}, cli.ExitOK, "2 ignored findings left unchanged", `file:4: no model has a table "X"`},
		"preview with a wrong ignore file":  {[]string{"preview", good, "--ignore", good + "/none"}, cli.ExitFailed, "", "the ignore file"},
		"no models":                         {[]string{t.TempDir()}, cli.ExitFailed, "", "it contains no semantic model"},
		"no path":                           {nil, cli.ExitUsage, "", "assess needs a path"},
		"an unknown format":                 {[]string{good, "--format", "pdf"}, cli.ExitUsage, "", "--format must be one of table, json, markdown, html, csv, sarif, junit"},
		"a baseline of another regime":      {[]string{good, "--root", good, "--baseline", other}, cli.ExitOK, "scores and fixed findings are not compared", "warning: the baseline uses the rules of " + otherRegime},
		"one rule":                          {[]string{good, "--rule", "dsc-01"}, cli.ExitOK, "\nDSC-01 ", ""},
		"a rule that there is not":          {[]string{good, "--rule", "DSC-1"}, cli.ExitUsage, "", `--rule: there is no rule "DSC-1"; the closest is DSC-01`},
		"one object":                        {[]string{good, "--object", "t[AMOUNT]"}, cli.ExitOK, "'T'[Amount]", ""},
		"an object that there is not":       {[]string{good, "--object", "Cost"}, cli.ExitOK, "No finding matches", ""},
		"one rule in JSON":                  {[]string{good, "--format", "json", "--rule", "DSC-01"}, cli.ExitUsage, "", "--all, --rule and --object affect the formats table, markdown, html, csv, comment, github, azure, not json"},
		"every finding in SARIF":            {[]string{good, "--format", "sarif", "--all"}, cli.ExitUsage, "", "affect the formats"},
		"a listed rule passes no gate":      {[]string{good, "--rule", "NAM-01", "--fail-on", "high"}, cli.ExitDamaged, "No finding matches", "of severity high or more"},
		"an unknown severity":               {[]string{good, "--min-severity", "none"}, cli.ExitUsage, "", "--min-severity must be low, medium or high"},
		"an unknown severity to fail on":    {[]string{good, "--fail-on", "error"}, cli.ExitUsage, "", "--fail-on must be low, medium or high"},
		"a score that there is not":         {[]string{good, "--fail-under", "101"}, cli.ExitUsage, "", "--fail-under must be 0 to 100"},
		"less than no findings":             {[]string{good, "--top", "-1"}, cli.ExitUsage, "", "must not be negative"},
		"an output that cannot be written":  {[]string{good, "--output", good + "/none/x"}, cli.ExitFailed, "", "none/x cannot be written: its folder does not exist"},
		"an output that is a folder":        {[]string{good, "--output", good}, cli.ExitFailed, "", filepath.ToSlash(good) + " is a folder; name the file to write"},
		"a wildcard":                        {[]string{good + "/*.SemanticModel"}, cli.ExitFailed, "", "*.SemanticModel: it does not exist, and wildcards are not expanded; name the folder that holds the models"},
		"quoted with a backslash":           {[]string{good + `"`}, cli.ExitFailed, "", "it does not exist; leave out the backslash before the closing quotation mark, which Windows takes for a part of the name"},
		"preview of nothing":                {[]string{"preview"}, cli.ExitUsage, "", "a path is missing"},
		"preview of an unknown kind":        {[]string{"preview", good, "--kind", "names"}, cli.ExitUsage, "", `there is no optimization kind "names"`},
		"preview in an unknown format":      {[]string{"preview", good, "--format", "html"}, cli.ExitUsage, "", "--format must be diff or json"},
		"preview with an unknown AI":        {[]string{"preview", good, "--ai", "data_agent", "--ai-model", "m"}, cli.ExitUsage, "", "--ai must be openai"},
		"preview with half an AI":           {[]string{"preview", good, "--ai-model", "m"}, cli.ExitUsage, "", "need --ai"},
		"preview with an AI without model":  {[]string{"preview", good, "--ai", "openai"}, cli.ExitUsage, "", "--ai needs --ai-model"},
		"preview with an AI nowhere":        {[]string{"preview", good, "--ai", "openai_compatible", "--ai-model", "m"}, cli.ExitUsage, "", "needs --ai-base-url"},
		"preview with an AI without key":    {[]string{"preview", good, "--ai", "openai", "--ai-model", "m"}, cli.ExitUsage, "", "needs --ai-key-env"},
		"preview with one broken":           {[]string{"preview", bad}, cli.ExitPartly, "M.SemanticModel", "1 of 2 semantic models could not be optimized"},
		"a record of nothing":               {[]string{"apply", good, "--root", good, "--record", "x"}, cli.ExitUsage, "", "--record needs --write"},
		"apply outside of the root":         {[]string{"apply", good, "--root", t.TempDir()}, cli.ExitFailed, "", "is not below the root"},
		"revert of nothing":                 {[]string{"revert"}, cli.ExitUsage, "", "revert needs one record"},
		"revert of a record that is not":    {[]string{"revert", good + "/none.json"}, cli.ExitFailed, "", "the record"},
		"revert of what is no record":       {[]string{"revert", known}, cli.ExitFailed, "", "what apply --write wrote"},
		"apply with a key that nothing has": {[]string{"apply", good, "--root", good, "--key", "X|Y", "--write"}, cli.ExitFailed, "", `no change has the key "X|Y"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := tt.args
			if len(args) == 0 || args[0] == good || args[0] == bad || args[0] == broken || strings.HasPrefix(args[0], os.TempDir()) {
				args = append([]string{"assess"}, args...)
			}
			got := run(t.Context(), args...)
			if got.code != tt.code || !strings.Contains(got.stdout, tt.stdout) || tt.stdout == "" && got.stdout != "" || !strings.Contains(got.stderr, tt.stderr) || tt.stderr == "" && got.stderr != "" {
				t.Errorf("got exit code %d, want %d\nstdout %s\nstderr %s", got.code, tt.code, got.stdout, got.stderr)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(good, "none")); err == nil || len(contents(t, good)) != len(modelFiles) {
		t.Error("an assessment changed the folder")
	}
}

// --output writes the complete report to a file that replaces the old one.
func TestAssessOutput(t *testing.T) {
	t.Parallel()
	root := folderOf(t, modelFiles)
	dir := t.TempDir()
	to := filepath.Join(dir, "report")
	if err := os.WriteFile(to, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, format := range assessFormats {
		shown := must(t, "assess", root, "--root", root, "--format", format)
		kept := must(t, "assess", root, "--root", root, "--format", format, "--output", to)
		text, err := os.ReadFile(to)
		if err != nil || string(text) != shown.stdout || kept.stdout != "" || !strings.Contains(kept.stderr, "1 item assessed") {
			t.Errorf("%s: got %q, stdout %q, stderr %q, error %v", format, text, kept.stdout, kept.stderr, err)
		}
		if strings.Contains(shown.stdout, "\x1b") || strings.Contains(shown.stdout, root) {
			t.Errorf("%s: colors, or a path of the machine, where there is no terminal", format)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("got %v, %v", left, err)
	}
	if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode changed: %v, %v", info, err)
	}
}

// apply writes only with --write, and revert undoes it.
func TestApplyAndRevert(t *testing.T) {
	t.Parallel()
	root := folderOf(t, modelFiles)
	record := filepath.Join(t.TempDir(), "record.json")
	shown := must(t, "apply", root, "--root", root)
	preview := must(t, "preview", root, "--root", root)
	if shown.stdout != preview.stdout || !strings.Contains(shown.stdout, "\n+++ b/M.SemanticModel/definition/tables/T.tmdl\n") || !strings.Contains(shown.stderr, "Nothing was written") {
		t.Errorf("apply shows\n%s\npreview\n%s", shown.stdout, preview.stdout)
	}
	if diff := cmp.Diff(modelFiles, contents(t, root)); diff != "" {
		t.Fatalf("without --write (-want +got):\n%s", diff)
	}
	applied := must(t, "apply", root, "--root", root, "--write", "--record", record)
	if !strings.Contains(applied.stderr, "To undo: readiness revert "+filepath.ToSlash(record)+" --root "+filepath.ToSlash(root)+" --write\n1 model written\n") {
		t.Errorf("got %q", applied.stderr)
	}
	after := contents(t, root)
	if cmp.Equal(modelFiles, after) {
		t.Fatal("nothing was written")
	}
	if got := must(t, "revert", record, "--root", root); !strings.Contains(got.stdout, "restored") || !strings.Contains(got.stdout, "\n--- a/M.SemanticModel/") {
		t.Errorf("got %q", got.stdout)
	}
	if diff := cmp.Diff(after, contents(t, root)); diff != "" {
		t.Fatalf("without --write (-want +got):\n%s", diff)
	}
	must(t, "revert", record, "--root", root, "--write")
	if diff := cmp.Diff(modelFiles, contents(t, root)); diff != "" {
		t.Errorf("reverted (-want +got):\n%s", diff)
	}
	if got := must(t, "revert", record, "--root", root, "--write"); !strings.Contains(got.stdout, "already as before the apply") {
		t.Errorf("reverted twice: %q", got.stdout)
	}
	var previews struct{ Models []struct{ Path string } }
	if err := json.Unmarshal([]byte(must(t, "preview", root, "--root", root, "--format", "json").stdout), &previews); err != nil || len(previews.Models) != 1 || previews.Models[0].Path != "M.SemanticModel" {
		t.Errorf("got %+v, %v", previews, err)
	}
}

// A language model is called with the key from its environment variable, which no output contains. If it refuses, the
// refusal is reported and nothing is written.
func TestPreviewByALanguageModel(t *testing.T) {
	const key = "sk-never-to-be-told"
	t.Setenv("THE_KEY", key)
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if asked = append(asked, r.URL.Path); r.Header.Get("Authorization") != "Bearer "+key || !strings.Contains(string(body), `"a-model"`) {
			t.Errorf("asked %s with %v", r.URL, r.Header)
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	root := folderOf(t, modelFiles)
	got := run(t.Context(), "apply", root, "--root", root, "--write", "--kind", "descriptions", "--ai", "openai_compatible", "--ai-base-url", server.URL+"/v1", "--ai-model", "a-model", "--ai-key-env", "THE_KEY")
	if got.code != cli.ExitPartly || !strings.Contains(got.stdout, "M.SemanticModel: cannot be optimized: ") || len(asked) == 0 || strings.Contains(got.stdout+got.stderr, key) {
		t.Errorf("asked %v, got %+v", asked, got)
	}
	if diff := cmp.Diff(modelFiles, contents(t, root)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if left, err := filepath.Glob("readiness-apply-*"); err != nil || len(left) > 0 {
		t.Errorf("a record without changes: %v, %v", left, err)
	}
}

// inputs lists the inputs of the steps in the examples, as their publishers document them: action.yml of each action,
// the task reference of Azure Pipelines, and the hook manifest of pre-commit.
var inputs = map[string][]string{
	"actions/checkout@v5":                  {"repository", "path", "ref", "token", "fetch-depth"},
	"github/codeql-action/upload-sarif@v4": {"sarif_file", "checkout_path", "ref", "sha", "token", "matrix", "category", "wait-for-processing"},
	"tools/readiness@v1.0.0":               {"paths", "version", "sha256", "fail-under", "fail-on", "min-severity", "compare", "comment", "arguments", "token"},
	"hook":                                 {"id", "name", "entry", "language", "files", "args", "require_serial", "pass_filenames"},
}

// knowsItsInputs fails the test if an example's step has an unknown input.
func knowsItsInputs(t *testing.T, node any) {
	t.Helper()
	of := func(step string, given any) {
		known, ok := inputs[step]
		if !ok {
			t.Errorf("unknown step %s", step)
		}
		for name := range given.(map[string]any) {
			if !slices.Contains(known, name) {
				t.Errorf("%s has no input %s", step, name)
			}
		}
	}
	switch n := node.(type) {
	case []any:
		for _, one := range n {
			knowsItsInputs(t, one)
		}
	case map[string]any:
		if step, ok := n["uses"].(string); ok && n["with"] != nil {
			of(step, n["with"])
		}
		if step, ok := n["task"].(string); ok {
			of(step, n["inputs"])
		}
		if _, ok := n["id"].(string); ok && n["uses"] == nil {
			of("hook", n)
		}
		for _, one := range n {
			knowsItsInputs(t, one)
		}
	}
}

// The examples in docs/ci.md are valid YAML and use existing flags and formats that the next step reads.
func TestCIExamples(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	for _, block := range strings.Split(string(text), "```yaml\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		var parsed map[string]any
		if err := yaml.Unmarshal([]byte(block), &parsed); err != nil || len(parsed) == 0 {
			t.Errorf("%v in\n%s", err, block)
		}
		blocks++
		knowsItsInputs(t, parsed)
	}
	var hooks []map[string]any
	manifest, err := os.ReadFile("../../../.pre-commit-hooks.yaml")
	if err == nil {
		err = yaml.Unmarshal(manifest, &hooks)
	}
	if err != nil || len(hooks) != 1 || hooks[0]["entry"] != "readiness assess" || hooks[0]["language"] != "golang" || !strings.Contains(string(text), fmt.Sprintf("- id: %s\n", hooks[0]["id"])) {
		t.Errorf("the manifest of pre-commit: got %v, error %v", hooks, err)
	}
	if blocks < 5 {
		t.Errorf("got %d examples in YAML", blocks)
	}
	_, hook, found := strings.Cut(string(text), "```sh\n")
	hook, _, _ = strings.Cut(hook, "```")
	if out, err := exec.CommandContext(t.Context(), "sh", "-n", "-c", hook).CombinedOutput(); err != nil || !found {
		t.Errorf("the hook is no script: %v\n%s", err, out)
	}
	known := map[string]bool{}
	for _, c := range New(nil, nil).Command.Commands() {
		for name := range strings.FieldsSeq(c.UsageString()) {
			if strings.HasPrefix(name, "--") {
				known[strings.TrimRight(name, ",.;:")] = true
			}
		}
	}
	for line := range strings.Lines(string(text)) {
		_, command, ok := strings.Cut(line, "readiness assess ")
		if !ok {
			continue
		}
		for word := range strings.FieldsSeq(command) {
			word = strings.Trim(word, "`'\"|,.;:)")
			if strings.HasPrefix(word, "--") && !known[word] {
				t.Errorf("there is no flag %s: %s", word, line)
			}
		}
	}
}
