package house_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unfinished are the words that mark unfinished work, which belongs in an issue.
// They are split here because this file is searched too.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)

// skips are the calls that skip a test.
var skips = []string{"t.Skip", "t.Skipf", "t.SkipNow", "b.Skip", "b.Skipf", "b.SkipNow", "tb.Skip", "tb.Skipf", "tb.SkipNow", "f.Skip", "f.Skipf", "f.SkipNow"}

// forbiddenProblems finds what no file may contain: skipped tests, waits for a time that cannot be interrupted, refusals
// in commands, which are decisions of the domain, where a table tests them, and marks of unfinished work.
func forbiddenProblems(tree fs.FS) (problems []string, err error) {
	all, err := sources(tree)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		for _, call := range s.calls() {
			if s.test && slices.Contains(skips, call) {
				problems = append(problems, fmt.Sprintf("%s: %s: a test gets what it needs, or fails", s.path, call))
			}
			if s.pkg == "commands" && !s.test && call == "domain.Refuse" {
				problems = append(problems, fmt.Sprintf("%s: %s: decide it in the domain, in a Check or Decide", s.path, call))
			}
			if call == "time.Sleep" {
				problems = append(problems, fmt.Sprintf("%s: time.Sleep: wait for what is needed, with a deadline, or for a timer and the context's end", s.path))
			}
		}
	}
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || d.Name() == "samples"):
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains(textFiles, path.Ext(name)) && !strings.HasPrefix(path.Base(name), "Makefile"):
			return nil
		}
		b, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		for i, line := range bytes.Split(b, []byte("\n")) {
			if mark := unfinished.Find(line); mark != nil {
				problems = append(problems, fmt.Sprintf("%s:%d: %s: do it, or make it an issue", name, i+1, mark))
			}
		}
		return nil
	})
	return problems, err
}

// textFiles are the extensions of hand-written files.
var textFiles = []string{".go", ".sql", ".md", ".yaml", ".yml", ".txtar", ".sh", ".mod"}

func TestForbidden(t *testing.T) {
	t.Parallel()
	check(t, forbiddenProblems, map[string]struct {
		files map[string]string
		want  []string
	}{
		"what is allowed": {map[string]string{
			"a/a.go":        "package a; func F(t D) { t.Sk" + "ip() }",
			"testdata/a.md": "TO" + "DO", "b.bin": "TO" + "DO", "c.md": "TO" + "DOs XX" + "XX",
		}, nil},
		"what is not": {map[string]string{
			"a/a_test.go": "package a; func TestX(t *testing.T) { t.Sk" + "ip(); time.Sl" + "eep(1) }",
			"a/b.go":      "package a\n\n// FIX" + "ME: later",
			"a/c.go":      "package a; import \"time\"; func F() { time.Sl" + "eep(1) }",
			"Makefile":    "# TO" + "DO",

			"commands/a.go":      "package commands; func F() { domain.Refuse() }",
			"commands/a_test.go": "package commands; func F() { domain.Refuse() }",
		}, []string{
			"Makefile:1: TO" + "DO: do it, or make it an issue",
			"a/a_test.go: t.Skip: a test gets what it needs, or fails",
			"a/a_test.go: time.Sleep: wait for what is needed, with a deadline, or for a timer and the context's end",
			"a/b.go:3: FIX" + "ME: do it, or make it an issue",
			"a/c.go: time.Sleep: wait for what is needed, with a deadline, or for a timer and the context's end",
			"commands/a.go: domain.Refuse: decide it in the domain, in a Check or Decide",
		}},
	})
}
