package internal_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	packageRow  = regexp.MustCompile("(?m)^\\| `([^`]+)`[^|]*\\|[^|]*\\|[^|]*\\| (.+) \\|$")
	codeSpan    = regexp.MustCompile("`([^`]+)`")
	viewName    = regexp.MustCompile(`\bName: "(\w+)", Version: \d`)
	streamNames = regexp.MustCompile(`(?m)^func \w*Stream\(.*\bstring \{\s+return "(\w+)-"|^func \w*Stream\(.*\bstring \{ return "(\w+)-"`)
)

// The page's table of packages has every folder or the one above it, and names files that exist. Its picture shows every stream and every view.
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
	if len(rows) < 30 {
		t.Errorf("the table of packages has %d rows", len(rows))
	}
	all, err := sources(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		folder := s.pkg
		for folder != "." && !strings.Contains(page, "`"+folder+"`") && !strings.Contains(page, "`"+folder+"/…`") {
			folder = path.Dir(folder)
		}
		if folder == "." && s.pkg != "." {
			t.Errorf("the table has no row of %s, nor of a folder above it", s.pkg)
		}
	}
	for _, row := range rows {
		for _, file := range codeSpan.FindAllStringSubmatch(row[2], -1) {
			folder := strings.TrimSuffix(row[1], "/…")
			if row[1] == "vault" { // a row of two folders
				folder = "."
			}
			if _, err := fs.Stat(root, path.Join(folder, file[1])); err != nil {
				t.Errorf("the row of %s: %v", row[1], err)
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
