package desk

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"readiness/test/testworld"
)

// pipelineRun is a run of a pipeline that reviews a checkout against a base, with the inputs of its template.
type pipelineRun struct {
	checkout, base string
	inputs         map[string]string
	releases       string // address of the repository with the release v9.9.9 of this program
}

// onGitHub runs the step of action.yml that assesses. It returns the exit code, the log and the report for people.
func onGitHub(t *testing.T, p pipelineRun) (code int, log, report string) {
	t.Helper()
	r := newRunner(t, p.checkout)
	r.values["inputs.compare == 'true' && github.event.pull_request.base.sha || ''"] = p.base
	r.outputs["install.readiness"] = os.Args[0]
	for name, value := range p.inputs {
		r.values["inputs."+name] = value
	}
	code = r.step("Assess")
	text, _ := os.ReadFile(filepath.Join(p.checkout, "..", "summary.md"))
	return code, r.log.String(), string(text)
}

// step runs a script as a step of a pipeline, and returns its exit code and what it printed.
func step(t *testing.T, script, folder string, environment []string) (code int, log string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &out
	cmd.Env = append(append(os.Environ(), "READINESS_TEST_AS_PROGRAM=1", "TMPDIR="+t.TempDir()), environment...)
	_ = cmd.Run() // the exit code says it
	return cmd.ProcessState.ExitCode(), out.String()
}

// replaced replaces the expressions of a text, which pattern finds, by their values. One without a value fails the test.
func replaced(t *testing.T, text string, pattern *regexp.Regexp, values map[string]string) string {
	t.Helper()
	return pattern.ReplaceAllStringFunc(text, func(found string) string {
		name := pattern.FindStringSubmatch(found)[1]
		value, ok := values[name]
		if !ok {
			t.Fatalf("%s has no value", found)
		}
		return value
	})
}

var (
	azureParameter = regexp.MustCompile(`\$\{\{ *parameters\.(\w+) *\}\}`)
	azureMacro     = regexp.MustCompile(`\$\(([A-Z][\w.]+)\)`)
	azureVariable  = regexp.MustCompile(`##vso\[task\.setvariable variable=(\w+)\](.*)`)
	gitlabInput    = regexp.MustCompile(`\$\[\[ *inputs\.([\w-]+) *\]\]`)
)

// onAzure runs the bash steps of the template for Azure Pipelines, as its agent does with the two checkouts.
func onAzure(t *testing.T, p pipelineRun) (code int, log, report string) {
	t.Helper()
	text, err := os.ReadFile("../../../deploy/ci/azure-pipelines.yml")
	testworld.Check(t, err)
	var template struct {
		Parameters []struct{ Name, Type, Default string }
		Steps      []struct {
			Bash   string
			Folder string `yaml:"workingDirectory"`
			Env    map[string]string
		}
	}
	testworld.Check(t, yaml.Unmarshal(text, &template))
	workspace := filepath.Join(t.TempDir(), "agent 1")
	testworld.Check(t, os.MkdirAll(filepath.Join(workspace, "s"), 0o755))
	root, err := filepath.Abs("../../..")
	testworld.Check(t, err)
	testworld.Check(t, os.Symlink(root, filepath.Join(workspace, "s", "readiness")))
	testworld.Check(t, os.Symlink(p.checkout, filepath.Join(workspace, "s", "models")))
	parameters := map[string]string{}
	for _, one := range template.Parameters {
		parameters[one.Name] = one.Default
		if one.Type == "boolean" {
			parameters[one.Name] = strings.ToUpper(one.Default[:1]) + one.Default[1:]
		}
	}
	for name, value := range p.inputs { // named alike, in its own spelling
		first, rest, _ := strings.Cut(name, "-")
		if rest != "" {
			rest = strings.ToUpper(rest[:1]) + rest[1:]
		}
		if _, ok := parameters[first+rest]; !ok {
			t.Fatalf("the template has no parameter %s%s", first, rest)
		}
		parameters[first+rest] = value
	}
	parameters["version"], parameters["repository"] = "v9.9.9", p.releases
	variables := map[string]string{"Pipeline.Workspace": workspace, "Build.Repository.Name": "models", "Common.TestResultsDirectory": filepath.Join(workspace, "results")}
	value := func(text string) string {
		return replaced(t, replaced(t, text, azureParameter, parameters), azureMacro, variables)
	}
	for _, s := range template.Steps {
		if s.Bash == "" {
			continue
		}
		environment := []string{"AGENT_TEMPDIRECTORY=" + t.TempDir(), "SYSTEM_PULLREQUEST_PULLREQUESTID=7"}
		for name, text := range s.Env {
			environment = append(environment, name+"="+value(text))
		}
		folder := workspace
		if s.Folder != "" {
			folder = value(s.Folder)
		}
		var out string
		code, out = step(t, s.Bash, folder, environment)
		log += out
		for _, set := range azureVariable.FindAllStringSubmatch(out, -1) {
			variables[set[1]] = set[2]
		}
		if code != 0 {
			break
		}
	}
	page, _ := os.ReadFile(filepath.Join(workspace, "results", "readiness.md"))
	if cases, err := os.ReadFile(filepath.Join(workspace, "results", "readiness.xml")); code != 1 && (err != nil || !bytes.Contains(cases, []byte("<testsuite "))) {
		t.Errorf("no test results: %v\n%s", err, log)
	}
	return code, log, string(page)
}

// onGitLab runs the script of the job for GitLab, which clones the program from a server.
func onGitLab(t *testing.T, p pipelineRun) (code int, log, report string) {
	t.Helper()
	text, err := os.ReadFile("../../../deploy/ci/gitlab.yml")
	testworld.Check(t, err)
	head, body, ok := strings.Cut(string(text), "\n---\n")
	if !ok {
		t.Fatal("gitlab.yml has no header with inputs")
	}
	var header struct {
		Spec struct {
			Inputs map[string]struct{ Default *string }
		}
	}
	testworld.Check(t, yaml.Unmarshal([]byte(head), &header))
	inputs := map[string]string{"program": "tools/readiness", "ref": "v9.9.9"}
	for name, one := range header.Spec.Inputs {
		if one.Default != nil {
			inputs[name] = *one.Default
		}
	}
	for name, value := range p.inputs {
		if _, ok := header.Spec.Inputs[name]; !ok {
			t.Fatalf("the job has no input %s", name)
		}
		inputs[name] = value
	}
	inputs["version"], inputs["repository"] = "v9.9.9", p.releases
	var jobs map[string]struct {
		Variables map[string]struct {
			Value  string
			Expand bool
		}
		Script    []string
		Artifacts struct {
			Paths   []string
			Reports struct{ Junit string }
		}
	}
	testworld.Check(t, yaml.Unmarshal([]byte(body), &jobs))
	job := jobs["ai-readiness"]

	server := t.TempDir()
	program := filepath.Join(server, "tools", "readiness.git")
	testworld.Check(t, os.CopyFS(filepath.Join(program, "deploy", "ci"), os.DirFS("../../../deploy/ci")))
	git := gitIn(t, program)
	git("init", "--quiet")
	git("add", "-A")
	git("commit", "--quiet", "-m", "release")
	git("tag", "v9.9.9")
	environment := []string{"CI_SERVER_PROTOCOL=https", "CI_SERVER_FQDN=gitlab.test", "CI_JOB_TOKEN=secret", "CI_PROJECT_DIR=" + p.checkout, "CI_MERGE_REQUEST_DIFF_BASE_SHA=" + p.base,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://" + server + "/.insteadOf", "GIT_CONFIG_VALUE_0=https://gitlab-ci-token:secret@gitlab.test/"}
	for name, one := range job.Variables {
		environment = append(environment, name+"="+replaced(t, one.Value, gitlabInput, inputs))
	}
	code, log = step(t, strings.Join(job.Script, "\n"), p.checkout, environment)
	for _, file := range append(job.Artifacts.Paths, job.Artifacts.Reports.Junit) {
		if info, err := os.Stat(filepath.Join(p.checkout, file)); code != 1 && (err != nil || info.Size() == 0) {
			t.Errorf("the artifact %s: %v\n%s", file, err, log)
		}
	}
	return code, log, log // the table
}

// What a person sees of a first run, of a renamed model and of rules of their own is the same in every pipeline.
func TestPipelines(t *testing.T) {
	t.Parallel()
	releases, _, _ := releases(t)
	const model = "Supply Chain/Inventory.SemanticModel"
	for name, c := range map[string]struct {
		// before and after are what the base and the change do in the checkout.
		before, after func(t *testing.T, checkout string)
		base          string // "" for the commit before
		inputs        map[string]string
		code          int
		log, report   []string
		absent        string // from log and report
	}{
		"a first run": {
			before: func(*testing.T, string) {}, after: addModel(model),
			inputs: map[string]string{"fail-on": "high"}, code: 3,
			log:    []string{"The base has no model at these paths, so every finding counts as new"},
			report: []string{"1 high"}, absent: "check its spelling",
		},
		"a base that is not there": {
			before: addModel(model), after: addModel("B.SemanticModel"), base: strings.Repeat("0", 39) + "1",
			inputs: map[string]string{"fail-on": "high"}, code: 3, log: []string{"so every finding counts as new; check out more of the history"},
		},
		"a renamed model": {
			before: addModel(model), after: rename(model, "Supply Chain/Stock on Hand.SemanticModel"),
			inputs: map[string]string{"fail-on": "low"}, code: 0,
			report: []string{"Since the baseline, where it was Supply Chain/Inventory.SemanticModel: 0 new, 0 fixed, "},
		},
		"a folder renamed": {
			before: addModel(model), after: rename("Supply Chain", "Supply Chain (all)"),
			inputs: map[string]string{"fail-on": "low", "paths": "Supply Chain (all)"}, code: 3, log: []string{"The base has no model at these paths"},
		},
		"a copied model": {
			before: addModel(model), after: addModel("Supply Chain/Copy.SemanticModel"),
			inputs: map[string]string{"fail-on": "low"}, code: 3, report: []string{"The baseline does not contain this item, so all its findings are new."},
		},
		"no file of the baseline": {
			before: addModel(model), after: addModel("Supply Chain/Copy.SemanticModel"),
			inputs: map[string]string{"baseline": "my baseline.json"}, code: 1, log: []string{"there is no baseline my baseline.json; create it with assess --format json --output my baseline.json"},
		},
		"rules and accepted findings": {
			before: addModel(model), after: func(t *testing.T, checkout string) {
				t.Helper()
				testworld.Check(t, os.WriteFile(filepath.Join(checkout, "my rules.yaml"), []byte("rules:\n  INS-01: off\n"), 0o600))
				testworld.Check(t, os.WriteFile(filepath.Join(checkout, "my ignore.yaml"), []byte("ignore:\n  - {rule: \"*\", model: Inventory, reason: known}\n"), 0o600))
			},
			inputs: map[string]string{"fail-on": "low", "rules": "my rules.yaml", "ignore": "my ignore.yaml"}, code: 0, report: []string{"0 new", "0 fixed"},
			absent: "the baseline uses the rules of",
		},
	} {
		for system, run := range map[string]func(*testing.T, pipelineRun) (int, string, string){"GitHub": onGitHub, "Azure": onAzure, "GitLab": onGitLab} {
			t.Run(system+", "+name, func(t *testing.T) {
				t.Parallel()
				checkout := filepath.Join(t.TempDir(), "models with a space")
				testworld.Check(t, os.MkdirAll(checkout, 0o755))
				git := gitIn(t, checkout)
				git("init", "--quiet")
				git("commit", "--quiet", "--allow-empty", "-m", "empty")
				c.before(t, checkout)
				git("add", "-A")
				git("commit", "--quiet", "--allow-empty", "-m", "before")
				base := c.base
				if base == "" {
					base = git("rev-parse", "HEAD")
				}
				c.after(t, checkout)
				git("add", "-A")
				git("commit", "--quiet", "-m", "after")
				if c.base != "" && system == "Azure" { // a shallow checkout
					testworld.Check(t, os.WriteFile(filepath.Join(checkout, ".git", "shallow"), []byte(git("rev-parse", "HEAD")+"\n"), 0o600))
				}
				inputs := map[string]string{"paths": "Supply Chain\n"}
				for name, value := range c.inputs {
					inputs[name] = value
				}
				code, log, report := run(t, pipelineRun{checkout, base, inputs, releases})
				if code != c.code {
					t.Errorf("exit code %d, want %d\n%s", code, c.code, log)
				}
				for _, want := range c.log {
					if !strings.Contains(log, want) {
						t.Errorf("the log lacks %q:\n%s", want, log)
					}
				}
				plain := strings.NewReplacer("\\", "", "\n", " ").Replace(report)
				for _, want := range c.report {
					if !strings.Contains(plain, want) {
						t.Errorf("the report lacks %q:\n%s", want, report)
					}
				}
				if c.absent != "" && strings.Contains(log+report, c.absent) {
					t.Errorf("%q is said:\n%s%s", c.absent, log, report)
				}
				if strings.Contains(log, "secret") {
					t.Error("the token is in the log")
				}
				if n := strings.Count(git("worktree", "list"), "\n"); n != 0 {
					t.Errorf("%d worktrees are left", n)
				}
			})
		}
	}
}

// addModel copies a sample to a path of the checkout.
func addModel(at string) func(*testing.T, string) {
	return func(t *testing.T, checkout string) {
		t.Helper()
		testworld.Check(t, os.CopyFS(filepath.Join(checkout, at), os.DirFS("../../../samples/workspaces/Retail Analytics/Supply Chain/Inventory.SemanticModel")))
	}
}

func rename(from, to string) func(*testing.T, string) {
	return func(t *testing.T, checkout string) {
		t.Helper()
		testworld.Check(t, os.Rename(filepath.Join(checkout, from), filepath.Join(checkout, to)))
	}
}
