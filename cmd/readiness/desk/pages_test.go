package desk

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every command of the page for newcomers and of the skill for agents works as it is printed, in a copy of the samples.
func TestPages(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]struct {
		file   string
		blocks int
		makes  []string
	}{
		"first hour": {"../../../docs/first-hour.md", 5, []string{"before.json", "readiness-baseline.json"}},
		"skill":      {"../../../skills/readiness/SKILL.md", 1, []string{"preview.json", "after.json", "record.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkPage(t, page.file, page.blocks, page.makes)
		})
	}
}

// The first screen of README.md is true: its commands run in a clone, one after the other, and print what it shows.
func TestReadme(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, first, _ := strings.Cut(string(page), "\n## First use\n")
	first, _, _ = strings.Cut(first, "\n## ")
	blocks := regexp.MustCompile("(?s)```(bash|text)\n(.*?)```").FindAllStringSubmatch(first, -1)
	if len(blocks) != 3 || blocks[0][1] != "bash" || strings.Count(blocks[0][2], "readiness ") != 1 || blocks[1][1] != "text" {
		t.Fatalf("no command, its output, and what comes next: %q", blocks)
	}
	temp := t.TempDir()
	run := func(script string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", script)
		cmd.Dir, cmd.Env = "../../..", append(os.Environ(), "TMPDIR="+temp, "PATH="+withProgram(t)+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	shown := run(blocks[0][2])
	for line := range strings.Lines(blocks[1][2]) {
		for cell := range strings.SplitSeq(line, "│") {
			if cell = strings.TrimSpace(cell); cell != "…" && !strings.Contains(shown, cell) {
				t.Errorf("the output lacks %q:\n%s", cell, shown)
			}
		}
	}
	before := contents(t, "../../../samples/workspaces")
	written := run(`cd "$TMPDIR/models"` + "\n" + blocks[2][2])
	for name, text := range contents(t, filepath.Join(temp, "models")) {
		if !strings.HasPrefix(name, "readiness-apply-") && before[name] != text {
			t.Errorf("%s is not as before\n%s", name, written)
		}
	}
}

// withProgram returns a folder with this program as readiness.
func withProgram(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	wrapper := "#!/bin/sh\nREADINESS_TEST_AS_PROGRAM=1 exec '" + program + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "readiness"), []byte(wrapper), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	return bin
}

func checkPage(t *testing.T, file string, fewest int, makes []string) {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	blocks := regexp.MustCompile("(?s)```bash\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	for _, block := range blocks {
		script.WriteString(block[1])
	}
	if len(blocks) < fewest {
		t.Fatalf("the page has %d blocks", len(blocks))
	}
	dir, bin := t.TempDir(), withProgram(t)
	if err := os.CopyFS(dir, os.DirFS("../../../samples/workspaces/Retail Analytics")); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	run := exec.CommandContext(t.Context(), "sh", "-eux", "-c", script.String())
	run.Dir, run.Env = dir, append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	after := contents(t, dir)
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s is not as before", name)
		}
	}
	for _, made := range makes {
		if after[made] == "" {
			t.Errorf("there is no %s", made)
		}
	}
}
