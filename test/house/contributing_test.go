package house_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every file, target of make and test that CONTRIBUTING.md names exists.
func TestContributingNamesWhatExists(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page, makefile := read("CONTRIBUTING.md"), read("Makefile")
	placeholder := regexp.MustCompile(`NAME|NOUN|DIMENSION|noun|domain/X|^decisions/\d|^testdata/`)
	paths := regexp.MustCompile("`([A-Za-z.][\\w.-]*/[\\w./-]+)`").FindAllStringSubmatch(page, -1)
	if len(paths) < 50 {
		t.Errorf("the page names %d files, want more", len(paths))
	}
	for _, m := range paths {
		if _, err := os.Stat(filepath.Join("..", "..", m[1])); err != nil && !placeholder.MatchString(m[1]) {
			t.Error(err)
		}
	}
	for _, m := range regexp.MustCompile(`make ([a-z/]+)`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(makefile, "\n"+m[1]+":") {
			t.Errorf("make has no target %s", m[1])
		}
	}
	var tests strings.Builder
	all, err := sources(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.test {
			for _, d := range s.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					tests.WriteString(f.Name.Name + "\n")
				}
			}
		}
	}
	for _, m := range regexp.MustCompile(`-run ['"]*([\w|]+)`).FindAllStringSubmatch(page, -1) {
		for name := range strings.SplitSeq(m[1], "|") {
			if !regexp.MustCompile(`(?m)^Test\w*` + strings.TrimPrefix(name, "Test")).MatchString(tests.String()) {
				t.Errorf("no test is named like %s", name)
			}
		}
	}
}

// Every file of http with handlers of routes has a test file that is named like it, or like its beginning.
func TestHandlersHaveTestFiles(t *testing.T) {
	t.Parallel()
	handler := regexp.MustCompile(`(?m)^func \(s \*Server\) [A-Z]\w*\(ctx context\.Context, \w+ api\.`)
	files, err := filepath.Glob("../../http/*.go")
	if err != nil {
		t.Fatal(err)
	}
	handlers := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") || !handler.Match(text) {
			continue
		}
		handlers++
		name, found := strings.TrimSuffix(file, ".go"), false
		for more := true; more && !found; {
			_, err := os.Stat(name + "_test.go")
			found = err == nil
			end := strings.LastIndexByte(filepath.Base(name), '_')
			if more = end > 0; more {
				name = name[:len(name)-len(filepath.Base(name))+end]
			}
		}
		if !found {
			t.Errorf("%s has handlers and no test file that is named like it", strings.TrimPrefix(file, "../../"))
		}
	}
	if handlers < 15 {
		t.Errorf("%d files have handlers, want more", handlers)
	}
}
