package internal_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	packageRow  = regexp.MustCompile("(?m)^\\| (`[^|]+) \\|[^|]*\\|[^|]*\\| (.+) \\|$")
	flowStep    = regexp.MustCompile("(?m)^\\d+\\. \\[`([\\w/.]+)`\\]\\(\\.\\./[\\w/.]+\\): (.*)$")
	codeSpan    = regexp.MustCompile("`([^`]+)`")
	viewName    = regexp.MustCompile(`\bName: "(\w+)", Version: \d`)
	streamNames = regexp.MustCompile(`(?m)^func \w*Stream\(.*\bstring \{\s+return "(\w+)-"|^func \w*Stream\(.*\bstring \{ return "(\w+)-"`)
)

// The page's table of packages has a row of every package, or of a folder with all below it (`definition/…`), and the row names
// files that exist. Each step of the way of an apply names what its file has. The picture shows every stream and every view.
func TestArchitectureShowsWhatExists(t *testing.T) {
	t.Parallel()
	root := os.DirFS("..")
	read := func(name string) string {
		b, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	page := read("docs/architecture.md")
	rows := packageRow.FindAllStringSubmatch(page, -1)
	var folders []string
	for _, row := range rows {
		for _, folder := range codeSpan.FindAllStringSubmatch(row[1], -1) {
			folders = append(folders, folder[1])
		}
	}
	if len(rows) < 30 {
		t.Errorf("the table of packages has %d rows", len(rows))
	}
	all, err := sources(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		above := s.pkg
		for above != "." && !slices.Contains(folders, above+"/…") {
			above = path.Dir(above)
		}
		if !slices.Contains(folders, s.pkg) && above == "." && s.pkg != "." {
			t.Errorf("the table of packages has no row of %s", s.pkg)
		}
	}
	for _, row := range rows {
		first := strings.TrimSuffix(codeSpan.FindStringSubmatch(row[1])[1], "/…")
		for _, file := range codeSpan.FindAllStringSubmatch(row[2], -1) {
			_, err := fs.Stat(root, path.Join(first, file[1]))
			if _, above := fs.Stat(root, path.Join(path.Dir(first), file[1])); err != nil && above != nil {
				t.Errorf("the row of %s: %v", first, err)
			}
		}
	}
	steps := flowStep.FindAllStringSubmatch(page, -1)
	if len(steps) != 12 {
		t.Errorf("the way of an apply has %d steps, want 12", len(steps))
	}
	for _, step := range steps {
		for _, name := range codeSpan.FindAllStringSubmatch(step[2], -1) {
			if !strings.Contains(read(step[1]), name[1]) {
				t.Errorf("the way of an apply: %s has no %s", step[1], name[1])
			}
		}
	}
	shown := func(kind, pattern string, names *regexp.Regexp, form func(name string) string, least int) {
		t.Helper()
		files, err := fs.Glob(root, pattern)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range names.FindAllStringSubmatch(read(file), -1) {
				found++
				if name := strings.Join(m[1:], ""); !strings.Contains(page, form(name)) {
					t.Errorf("the picture lacks the %s %s of %s", kind, name, file)
				}
			}
		}
		if found < least {
			t.Errorf("%d %ss found in %s, want at least %d", found, kind, pattern, least)
		}
	}
	shown("view", "projections/*.go", viewName, func(name string) string { return "v_" + name + "[" + name + "]" }, 12)
	shown("stream", "domain/*/*.go", streamNames, func(name string) string { return `["` + name + "-" }, 14)
}
