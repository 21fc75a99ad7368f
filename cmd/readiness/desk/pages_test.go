package desk

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every command of a page for newcomers works as it is printed, in a copy of the samples.
func TestFirstHour(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/first-hour.md")
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	blocks := regexp.MustCompile("(?s)```bash\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	for _, block := range blocks {
		script.WriteString(block[1])
	}
	if len(blocks) < 5 {
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
	for _, made := range []string{"before.json", "baseline.json"} {
		if after[made] == "" {
			t.Errorf("there is no %s", made)
		}
	}
}
