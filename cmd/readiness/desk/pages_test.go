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
		"first hour": {"../../../docs/first-hour.md", 5, []string{"before.json", "baseline.json"}},
		"skill":      {"../../../skills/readiness/SKILL.md", 1, []string{"preview.json", "after.json", "record.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkPage(t, page.file, page.blocks, page.makes)
		})
	}
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
	dir, bin := t.TempDir(), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../../samples/workspaces/Retail Analytics")); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	wrapper := "#!/bin/sh\nREADINESS_TEST_AS_PROGRAM=1 exec '" + program + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "readiness"), []byte(wrapper), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
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
