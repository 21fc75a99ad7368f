package house_test

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// docProblems finds packages that are not documented exactly once.
func docProblems(tree fs.FS) (problems []string, err error) {
	all, err := sources(tree)
	documented := make(map[string][]string) // package to the files that document it
	for _, s := range all {
		if s.test {
			continue
		}
		files := documented[s.pkg]
		if s.Doc != nil {
			files = append(files, s.path)
		}
		documented[s.pkg] = files
		if s.Doc == nil {
			continue
		}
		want := "Package " + s.Name.Name + " "
		if s.Name.Name == "main" {
			want = "Command " + path.Base(s.pkg) + " "
		}
		if text := s.Doc.Text(); !strings.HasPrefix(text, want) {
			problems = append(problems, fmt.Sprintf("%s: the documentation of a package begins with %q", s.path, want))
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(documented)) {
		if files := documented[pkg]; len(files) != 1 {
			problems = append(problems, fmt.Sprintf("package %s is documented %d times %v: once, in the file that one reads first", pkg, len(files), files))
		}
	}
	return problems, err
}

func TestEachPackageIsDocumentedOnce(t *testing.T) {
	t.Parallel()
	check(t, docProblems, map[string]struct {
		files map[string]string
		want  []string
	}{
		"once": {map[string]string{
			"a/a.go": "// Package a is.\npackage a", "a/b.go": "package a", "a/a_test.go": "package a_test",
			"only/tests_test.go": "package only", "cmd/x/main.go": "// Command x does.\npackage main",
			"a/tagged.go": "//go:build unix\n\npackage a",
		}, nil},
		"never, twice and otherwise": {map[string]string{
			"a/a.go": "package a", "b/a.go": "// Package b is.\npackage b", "b/b.go": "// Package b is.\npackage b",
			"c/a.go": "// It is c.\npackage c", "cmd/x/main.go": "// Package main does.\npackage main",
		}, []string{
			`c/a.go: the documentation of a package begins with "Package c "`,
			`cmd/x/main.go: the documentation of a package begins with "Command x "`,
			"package a is documented 0 times []: once, in the file that one reads first",
			"package b is documented 2 times [b/a.go b/b.go]: once, in the file that one reads first",
		}},
	})
}
