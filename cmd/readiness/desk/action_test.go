package desk

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"

	"readiness/offline/report"
	"readiness/test/testworld"
)

// action is action.yml as GitHub Actions reads it.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Steps []struct {
			ID, Name, If, Run string
			Env               map[string]string
		}
	}
}

// runner runs the steps of action.yml as GitHub Actions does: in the checkout, with the expressions of their environment
// replaced by values.
type runner struct {
	t        *testing.T
	action   action
	checkout string
	values   map[string]string // by expression
	outputs  map[string]string // by step and name
	log      bytes.Buffer
}

var expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

func newRunner(t *testing.T, checkout string) *runner {
	t.Helper()
	text, err := os.ReadFile("../../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{t: t, checkout: checkout, values: map[string]string{}, outputs: map[string]string{}}
	if err := yaml.Unmarshal(text, &r.action); err != nil {
		t.Fatal(err)
	}
	return r
}

// value returns the value of an expression: that of the test, an output of an earlier step, or an input's default.
func (r *runner) value(e string) string {
	r.t.Helper()
	if v, ok := r.values[e]; ok {
		return v
	}
	if of, ok := strings.CutPrefix(e, "steps."); ok {
		return r.outputs[strings.Replace(of, ".outputs", "", 1)]
	}
	if name, ok := strings.CutPrefix(e, "inputs."); ok {
		in, known := r.action.Inputs[name]
		if known {
			return in.Default
		}
	}
	r.t.Fatalf("the expression %q has no value", e)
	return ""
}

// step runs the step with the name and returns its exit code.
func (r *runner) step(name string) int {
	r.t.Helper()
	for _, s := range r.action.Runs.Steps {
		if s.Name != name {
			continue
		}
		output := filepath.Join(r.t.TempDir(), "output")
		cmd := exec.Command("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", s.Run)
		cmd.Dir, cmd.Stdout, cmd.Stderr = r.checkout, &r.log, &r.log
		root, err := filepath.Abs("../../..")
		if err != nil {
			r.t.Fatal(err)
		}
		cmd.Env = append(os.Environ(), "READINESS_TEST_AS_PROGRAM=1", "GITHUB_ACTION_PATH="+root, "GITHUB_OUTPUT="+output, "RUNNER_TEMP="+r.t.TempDir(),
			"GITHUB_STEP_SUMMARY="+filepath.Join(r.checkout, "..", "summary.md"), "GITHUB_REPOSITORY=contoso/models", "GITHUB_API_URL="+r.values["api"])
		for name, text := range s.Env {
			cmd.Env = append(cmd.Env, name+"="+expression.ReplaceAllStringFunc(text, func(e string) string { return r.value(expression.FindStringSubmatch(e)[1]) }))
		}
		_ = cmd.Run() // the exit code is checked
		written, _ := os.ReadFile(output)
		for line := range strings.Lines(string(written)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			r.outputs[s.ID+"."+name] = value
		}
		return cmd.ProcessState.ExitCode()
	}
	r.t.Fatalf("action.yml has no step %q", name)
	return 0
}

// releases serves a release of one archive, in which the program is this test's.
func releases(t *testing.T) (address, sum string, archive []byte) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	files := tar.NewWriter(zipped)
	name := fmt.Sprintf("readiness_9.9.9_%s_%s", runtime.GOOS, runtime.GOARCH)
	program := fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\"\n", self)
	if err := files.WriteHeader(&tar.Header{Name: name + "/readiness", Mode: 0o755, Size: int64(len(program))}); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(files, program)
	if err := cmp.Or(files.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	sum = fmt.Sprintf("%x", sha256.Sum256(packed.Bytes()))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/contoso/readiness/releases/download/v9.9.9/checksums.txt":
			fmt.Fprintf(w, "%s  %s.tar.gz\n", sum, name)
		case "/contoso/readiness/releases/download/v9.9.9/" + name + ".tar.gz":
			_, _ = w.Write(packed.Bytes())
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/contoso/readiness", sum, packed.Bytes()
}

// github is a fake of GitHub's API for the comments of a pull request.
type github struct {
	mu       sync.Mutex
	comments []map[string]any
	refused  int
	fork     bool // the token may only read
}

func (g *github) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	switch {
	case r.Header.Get("Authorization") != "Bearer secret-token":
		g.refused++
		http.Error(w, "bad credentials", http.StatusUnauthorized)
	case r.Method == http.MethodGet && r.URL.Path == "/repos/contoso/models/issues/7/comments":
		_ = json.NewEncoder(w).Encode(g.comments)
	case g.fork && r.Method != http.MethodGet:
		http.Error(w, `{"message": "Resource not accessible by integration"}`, http.StatusForbidden)
	case r.Method == http.MethodPost && r.URL.Path == "/repos/contoso/models/issues/7/comments":
		g.comments = append(g.comments, map[string]any{"id": 100 + len(g.comments), "body": body["body"]})
		w.WriteHeader(http.StatusCreated)
	case r.Method == http.MethodPatch && r.URL.Path == "/repos/contoso/models/issues/comments/101":
		g.comments[1]["body"] = body["body"]
	default:
		http.NotFound(w, r)
	}
}

// gitIn returns git in a folder.
func gitIn(t *testing.T, folder string) func(args ...string) string {
	t.Helper()
	return func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
}

// changed returns a checkout with a model whose last commit removes a description, and the commit before.
func changed(t *testing.T) (checkout, base string) {
	t.Helper()
	checkout = filepath.Join(t.TempDir(), "models with a space")
	const model = "Supply Chain/Inventory.SemanticModel"
	if err := os.CopyFS(filepath.Join(checkout, model), os.DirFS(filepath.Join("../../../samples/workspaces/Retail Analytics", model))); err != nil {
		t.Fatal(err)
	}
	git := gitIn(t, checkout)
	git("init", "--quiet")
	git("add", "-A")
	git("commit", "--quiet", "-m", "before")
	base = git("rev-parse", "HEAD")
	tables := filepath.Join(checkout, model, "definition", "tables", "Products.tmdl")
	text, err := os.ReadFile(tables)
	if err != nil {
		t.Fatal(err)
	}
	renamed := bytes.ReplaceAll(text, []byte("'Product Name'"), []byte("prd_nm"))
	if bytes.Equal(renamed, text) {
		t.Fatal("the sample has no column 'Product Name'")
	}
	if err := os.WriteFile(tables, renamed, 0o600); err != nil {
		t.Fatal(err)
	}
	git("commit", "--quiet", "-a", "-m", "after")
	return checkout, base
}

// The action installs a release by its checksum, annotates, compares with the base of the pull request, and writes one
// comment that later runs replace.
func TestAction(t *testing.T) {
	t.Parallel()
	releases, sum, _ := releases(t)
	checkout, base := changed(t)
	on := &github{comments: []map[string]any{{"id": 100, "body": "a person's"}}}
	api := httptest.NewServer(on)
	t.Cleanup(api.Close)
	r := newRunner(t, checkout)
	r.values = map[string]string{
		"github.server_url": strings.TrimSuffix(releases, "/contoso/readiness"), "github.action_repository": "contoso/readiness",
		"inputs.version || github.action_ref": "v9.9.9", "inputs.sha256": sum, "inputs.min-severity": "low",
		"inputs.compare == 'true' && github.event.pull_request.base.sha || ''": base, "github.event.pull_request.number": "7", "inputs.token": "secret-token", "api": api.URL,
	}
	if code := r.step("Install readiness"); code != 0 || r.outputs["install.readiness"] == "" {
		t.Fatalf("install: exit code %d, outputs %v\n%s", code, r.outputs, r.log.String())
	}
	r.values["inputs.fail-on"] = "low"
	for range 2 {
		if code := r.step("Assess"); code != 3 {
			t.Fatalf("assess: exit code %d\n%s", code, r.log.String())
		}
		if code := r.step("Comment"); code != 0 {
			t.Fatalf("comment: exit code %d\n%s", code, r.log.String())
		}
	}
	if log := r.log.String(); !strings.Contains(log, "::notice file=Supply Chain/Inventory.SemanticModel/definition/tables/Products.tmdl,line=") || !strings.Contains(log, "NAM-") {
		t.Errorf("annotations:\n%s", log)
	}
	if len(on.comments) != 2 || on.comments[0]["body"] != "a person's" || on.refused != 0 {
		t.Fatalf("comments: %v, refused %d", on.comments, on.refused)
	}
	on.fork = true
	if code := r.step("Comment"); code != 0 || !strings.Contains(r.log.String(), "::notice::The token may not comment") {
		t.Errorf("from a fork: exit code %d\n%s", code, r.log.String())
	}
	comment := on.comments[1]["body"].(string)
	for _, want := range []string{report.CommentMark, " → ", "### New", "prd\\_nm"} {
		if !strings.Contains(comment, want) {
			t.Errorf("the comment lacks %q:\n%s", want, comment)
		}
	}
	if strings.Contains(r.log.String(), "secret-token") {
		t.Error("the token is in the log")
	}
	for _, file := range []string{r.outputs["assess.sarif"], filepath.Join(checkout, "..", "summary.md")} {
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
	if out, err := exec.Command("git", "-C", checkout, "status", "--porcelain").Output(); err != nil || len(out) > 0 {
		t.Errorf("the checkout has changed: %s%v", out, err)
	}
	if out, err := exec.Command("git", "-C", checkout, "worktree", "list").Output(); err != nil || bytes.Count(out, []byte("\n")) != 1 {
		t.Errorf("worktrees are left: %s%v", out, err)
	}
}

// An archive that does not match its checksum is not installed, and nothing is built instead.
func TestActionRefusesAnotherArchive(t *testing.T) {
	t.Parallel()
	releases, _, _ := releases(t)
	r := newRunner(t, t.TempDir())
	r.values = map[string]string{
		"github.server_url": strings.TrimSuffix(releases, "/contoso/readiness"), "github.action_repository": "contoso/readiness",
		"inputs.version || github.action_ref": "v9.9.9", "inputs.sha256": strings.Repeat("0", 64),
	}
	if code := r.step("Install readiness"); code != 1 || r.outputs["install.readiness"] != "" || !strings.Contains(r.log.String(), "has the checksum") {
		t.Errorf("exit code %d, outputs %v\n%s", code, r.outputs, r.log.String())
	}
}

// Paths and arguments of every pipeline may hold spaces: one a line, or a single line that names a folder.
func TestPipelineListsHoldSpaces(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs("../../../deploy/ci/assess.sh")
	testworld.Check(t, err)
	for name, c := range map[string]struct{ paths, arguments, want string }{
		"a name with spaces":  {"Sales Team.SemanticModel", "--jobs 2", "[Sales Team.SemanticModel][--jobs][2]"},
		"names on a line":     {"a b", "", "[a][b]"},
		"a name a line":       {"Sales Team.SemanticModel\r\n  b c \n\n", "--ignore=my file.yaml\n--jobs=2", "[Sales Team.SemanticModel][b c][--ignore=my file.yaml][--jobs=2]"},
		"a value with spaces": {"a", "--ignore=my file.yaml", "[a][--ignore=my file.yaml]"},
		"arguments on a line": {"a", "--ignore=my.yaml --jobs 2", "[a][--ignore=my.yaml][--jobs][2]"},
		"none":                {"", "", "[.]"},
		"a character of bash": {"*", "$(false)", "[*][$(false)]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, folder := range []string{"Sales Team.SemanticModel", "a", "b"} {
				testworld.Check(t, os.Mkdir(filepath.Join(dir, folder), 0o755))
			}
			program, log := filepath.Join(dir, "program"), filepath.Join(dir, "log")
			testworld.Check(t, os.WriteFile(program, []byte("#!/bin/bash\nprintf '[%s]' \"$@\" >>\"$LOG\"; echo >>\"$LOG\"; exit 1\n"), 0o755))
			for pipeline, format := range map[string]string{"github": "github", "azure": "azure", "gitlab": "table"} {
				testworld.Check(t, os.WriteFile(log, nil, 0o600))
				cmd := exec.CommandContext(t.Context(), "bash", script)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "PIPELINE="+pipeline, "READINESS="+program, "LOG="+log, "ASSESS_PATHS="+c.paths, "ARGUMENTS="+c.arguments,
					"RUNNER_TEMP="+t.TempDir(), "BASE=", "FAIL_ON=", "FAIL_UNDER=", "MIN_SEVERITY=low")
				_ = cmd.Run() // the program makes no report
				want := "[assess]" + c.want + "[--min-severity][low][--format][" + format + "]\n"
				if got, err := os.ReadFile(log); err != nil || string(got) != want {
					t.Errorf("%s: got %s, want %s", pipeline, got, want)
				}
			}
		})
	}
}
