package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A file for one system is checked, and its error names the targets that have it.
func TestFaultOfOneSystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example.com/program\n\ngo 1.26\n",
		"main.go":         "package main\n\nfunc main() { println(name()) }\n",
		"name_unix.go":    "//go:build unix\n\npackage main\n\nfunc name() string { return \"unix\" }\n",
		"name_windows.go": "package main\n\nfunc name() string { return 1 }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	err := run(dir, []string{"."}, &out)
	if err == nil || strings.Count(err.Error(), "name_windows.go:3:29: cannot use 1") != 2 || !strings.Contains(err.Error(), "windows/arm64: ") {
		t.Errorf("got %v, want the fault of both targets", err)
	}
	if strings.Count(out.String(), "are correct") != 4 || strings.Contains(out.String(), "windows") {
		t.Errorf("got %s, want the four others", out.String())
	}
}

func TestTargetsAndProgramsOfARelease(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../release/release.go")
	if err != nil {
		t.Fatal(err)
	}
	var released, built []string
	for _, pair := range regexp.MustCompile(`\{"([a-z]+)", "([a-z0-9]+)"\}`).FindAllStringSubmatch(string(source), -1) {
		released = append(released, pair[1]+"/"+pair[2])
	}
	if !slices.Equal(released, targets) {
		t.Errorf("a release has the targets %v, checked are %v", released, targets)
	}
	for _, name := range regexp.MustCompile(`\{\s*name: "([a-z]+)"`).FindAllStringSubmatch(string(source), -1) {
		built = append(built, "./cmd/"+name[1])
	}
	if !slices.Equal(built, programs) {
		t.Errorf("a release has the programs %v, checked are %v", built, programs)
	}
}
