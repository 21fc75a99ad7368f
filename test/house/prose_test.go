package house_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// failure matches the lines of a test that have its messages.
var failure = regexp.MustCompile(`\.(Error|Fatal|Log)f?\(`)

// prose calls line with each line of text that people read in the file: comments, the strings of a program, the messages and names of tests, all
// of a document.
func prose(path string, line func(number int, text string)) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := func(from int, text string) {
		for i, l := range strings.Split(text, "\n") {
			line(from+i, l)
		}
	}
	switch {
	case !strings.HasSuffix(path, ".go"):
		for number, text := range strings.Split(string(content), "\n") {
			if !strings.HasSuffix(path, ".txtar") || strings.HasPrefix(text, "#") {
				line(number+1, text)
			}
		}
		return nil
	case generated.Match(content):
		return nil
	}
	files := token.NewFileSet()
	file := files.AddFile(path, -1, len(content))
	test := strings.HasSuffix(path, "_test.go")
	code := strings.Split(string(content), "\n")
	var s scanner.Scanner
	s.Init(file, content, nil, scanner.ScanComments)
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			return nil
		}
		at := file.Line(pos)
		isMessage := !strings.HasPrefix(text, "`json:") && (!test || failure.MatchString(code[at-1]))
		switch {
		case kind == token.COMMENT && !strings.HasPrefix(text, "//go:"), kind == token.STRING && isMessage:
			lines(at, text)
		}
	}
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// documents returns the paths of what people read: the Go files, documents and scripts of the repository, without the samples' and tests' data.
func documents(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		switch name := e.Name(); {
		case err != nil:
			return err
		case e.IsDir() && (name == ".git" || name == "samples" || name == "bin" || name == "testdata" && !strings.HasPrefix(filepath.ToSlash(path), "../../test/scenarios/")):
			return filepath.SkipDir
		case e.IsDir(), name == "CHANGELOG.md", name == "conformance.md":
		case slices.Contains([]string{".go", ".md", ".txtar", ".yml"}, filepath.Ext(name)), name == "Makefile", name == "openapi.yaml", name == "catalogue.txt":
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
