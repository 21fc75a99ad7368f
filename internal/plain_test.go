package internal_test

import (
	_ "embed"
	"fmt"
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

//go:embed plain_words.txt
var plainWords string

// dialect holds the phrases that the prose does not use, each with what to write instead, and those in which their words are right.
type dialect struct {
	phrases []*regexp.Regexp
	instead []string
	allowed []*regexp.Regexp
}

func readDialect(t *testing.T) (d dialect) {
	t.Helper()
	for line := range strings.Lines(plainWords) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		phrase, instead, ok := strings.Cut(line, "\t")
		if !ok {
			t.Fatalf("plain_words.txt: %q has no tab", line)
		}
		if phrase == "allowed" {
			d.allowed = append(d.allowed, regexp.MustCompile(`(?i)\b(?:`+instead+`)\b`))
			continue
		}
		d.phrases, d.instead = append(d.phrases, regexp.MustCompile(`(?i)\b(?:`+phrase+`)\b`)), append(d.instead, instead)
	}
	return d
}

// in returns a line for each phrase of the dialect in text.
func (d dialect) in(text string) (found []string) {
	for _, right := range d.allowed {
		text = right.ReplaceAllString(text, "")
	}
	for i, phrase := range d.phrases {
		for _, match := range phrase.FindAllString(text, -1) {
			found = append(found, fmt.Sprintf("%q; write instead: %s", match, d.instead[i]))
		}
	}
	return found
}

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
	test, messages := strings.HasSuffix(path, "_test.go"), !slices.Contains(readerWords, filepath.ToSlash(path))
	code := strings.Split(string(content), "\n")
	var s scanner.Scanner
	s.Init(file, content, nil, scanner.ScanComments)
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			return nil
		}
		at := file.Line(pos)
		isMessage := messages && !strings.HasPrefix(text, "`json:") && (!test || failure.MatchString(code[at-1]))
		switch {
		case kind == token.COMMENT && !strings.HasPrefix(text, "//go:"), kind == token.STRING && isMessage:
			lines(at, text)
		case test && kind == token.IDENT && strings.HasPrefix(code[at-1], "func Test"):
			lines(at, camel.ReplaceAllString(text, "$0 "))
		}
	}
}

// camel matches the beginning of a word in a name.
var camel = regexp.MustCompile(`[A-Z][a-z0-9]*`)

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// documents returns the paths of what people read: the Go files, documents and scripts of the repository, without the samples' and tests' data.
func documents(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		switch name := e.Name(); {
		case err != nil:
			return err
		case e.IsDir() && (name == ".git" || name == "samples" || name == "bin" || name == "testdata" && !strings.HasPrefix(filepath.ToSlash(path), "../scenarios/")):
			return filepath.SkipDir
		case e.IsDir(), name == "CHANGELOG.md", name == "conformance.md", strings.HasPrefix(name, "plain_"):
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

// readerWords are files whose strings are words of people's questions, or prompts whose versions are recorded with their answers.
var readerWords = []string{"../ai/answering/times.go", "../ai/answering/wording/wording.go", "../ai/openai/answer_question.go", "../ai/openai/judge.go",
	"../domain/proposal/screen/steers.go", "../domain/proposal/screen/wordlist/wordlist.go", "../domain/proposal/screen/wordlist/reader/reader.go"}

// Comments, messages and documents use the words of the field (plain_words.txt).
func TestProseIsPlain(t *testing.T) {
	t.Parallel()
	d := readDialect(t)
	found := 0
	for _, path := range documents(t) {
		err := prose(path, func(number int, text string) {
			if strings.Contains(text, "proves:") {
				return
			}
			for _, phrase := range d.in(text) {
				if found++; found <= 50 {
					t.Errorf("%s:%d: %s", strings.TrimPrefix(filepath.ToSlash(path), "../"), number, phrase)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found > 50 {
		t.Errorf("%d phrases in all", found)
	}
}

// The list finds what it is for, and leaves its allowed phrases alone.
func TestDialect(t *testing.T) {
	t.Parallel()
	d := readDialect(t)
	for text, want := range map[string]int{
		"it Goes on when the store is there":       1,
		"compared with 12 rows, no more than 20":   0,
		"one round trip":                           0,
		"the second trip":                          1,
		"What is stored is a name, told to no one": 2,
		"held it against the log":                  1,
		"untold":                                   0,
	} {
		if got := d.in(text); len(got) != want {
			t.Errorf("%q: found %q, want %d", text, got, want)
		}
	}
}
