package patch_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/definition"
	"readiness/definition/patch"
)

// gitApply applies the diff to the files of a folder.
func gitApply(dir string, diff []byte) error {
	c := exec.Command("git", "apply", "-v", "--whitespace=nowarn", "-")
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	return run(c, dir, diff)
}

func run(c *exec.Cmd, dir string, stdin []byte) error {
	c.Dir, c.Stdin = dir, bytes.NewReader(stdin)
	out, err := c.CombinedOutput()
	if err == nil && strings.Contains(string(out), "(offset ") {
		err = errors.New("a hunk was found elsewhere than its header says")
	}
	if err != nil {
		return fmt.Errorf("%v: %w\n%s", c.Args, err, out)
	}
	return nil
}

func definitionOf(files map[string]string) definition.Definition {
	var parts []definition.Part
	for name, text := range files {
		parts = append(parts, definition.Part{Path: name, Data: []byte(text)})
	}
	return definition.New(parts...)
}

// applied fails unless the diff turns before into after, even with other text
// between the diffs of files.
func applied(t rapid.TB, dir, folder string, before, after map[string]string, apply func(dir string, diff []byte) error) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range before {
		file := filepath.Join(dir, folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	diff := strings.Join(slices.Collect(patch.Of(folder, definitionOf(before), definitionOf(after))), "")
	if diff == "" {
		return
	}
	words := "Some.SemanticModel: 3 changes, score 50 → 60\n"
	if err := apply(dir, []byte(words+diff+words)); err != nil {
		t.Fatalf("%v\n%s", err, diff)
	}
	got := map[string]string{}
	err := filepath.WalkDir(filepath.Join(dir, folder), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, _ := filepath.Rel(filepath.Join(dir, folder), path)
		text, err := os.ReadFile(path)
		got[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil && len(after) > 0 {
		t.Fatal(err)
	}
	if d := cmp.Diff(after, got); d != "" {
		t.Fatalf("applied (-want +got):\n%s\nof\n%s", d, diff)
	}
}

// numbered returns a file with that many lines, with other text on the lines listed
// in other.
func numbered(lines int, end string, other ...int) string {
	var b strings.Builder
	for n := range lines {
		text := fmt.Sprint("line ", n)
		if slices.Contains(other, n) {
			text = "another " + text
		}
		b.WriteString(text + end)
	}
	return b.String()
}

// edits lists the files of a definition before and after; "" is an empty file.
var edits = map[string]struct{ before, after map[string]string }{
	"one line":                   {map[string]string{"a": "x\ny\nz\n"}, map[string]string{"a": "x\nY\nz\n"}},
	"inserted first":             {map[string]string{"a": numbered(9, "\n")}, map[string]string{"a": "new\n" + numbered(9, "\n")}},
	"inserted last":              {map[string]string{"a": numbered(9, "\n")}, map[string]string{"a": numbered(9, "\n") + "new\n"}},
	"taken out":                  {map[string]string{"a": numbered(9, "\n")}, map[string]string{"a": numbered(4, "\n")}},
	"all taken out":              {map[string]string{"a": numbered(3, "\n")}, map[string]string{"a": ""}},
	"filled":                     {map[string]string{"a": ""}, map[string]string{"a": "x\n"}},
	"filled, no last line end":   {map[string]string{"a": ""}, map[string]string{"a": "x"}},
	"no last line end":           {map[string]string{"a": "x\ny"}, map[string]string{"a": "x\nY"}},
	"last line end added":        {map[string]string{"a": "x\ny"}, map[string]string{"a": "x\ny\n"}},
	"last line end taken out":    {map[string]string{"a": "x\ny\n"}, map[string]string{"a": "x\ny"}},
	"lines behind no line end":   {map[string]string{"a": "x\ny"}, map[string]string{"a": "x\ny\nz"}},
	"far from no line end":       {map[string]string{"a": numbered(20, "\n") + "z"}, map[string]string{"a": numbered(20, "\n", 3) + "z"}},
	"CRLF":                       {map[string]string{"a": numbered(20, "\r\n")}, map[string]string{"a": numbered(20, "\r\n", 0, 9, 19)}},
	"CRLF, no last line end":     {map[string]string{"a": numbered(5, "\r\n") + "z"}, map[string]string{"a": numbered(5, "\r\n") + "y"}},
	"from CRLF to LF":            {map[string]string{"a": numbered(5, "\r\n")}, map[string]string{"a": numbered(5, "\n")}},
	"a single CR":                {map[string]string{"a": "x\ry\r"}, map[string]string{"a": "x\rY\r"}},
	"CRs inside of lines":        {map[string]string{"a": "x\ry\nz\r\n"}, map[string]string{"a": "x\rY\nz\r\n"}},
	"byte order mark":            {map[string]string{"a": "\ufeffx\n"}, map[string]string{"a": "\ufeffy\n"}},
	"no UTF-8":                   {map[string]string{"a": "\xff\n"}, map[string]string{"a": "\xfe\n"}},
	"lines like those of a diff": {map[string]string{"a": "-- x\n++ y\n@@ -1 +1 @@\n"}, map[string]string{"a": "-- x\n@@ -1 +1 @@\n\\ No newline at end of file\ndiff --git a/b b/b\n"}},
	"two hunks":                  {map[string]string{"a": numbered(50, "\n")}, map[string]string{"a": numbered(50, "\n", 3, 40)}},
	"hunks that touch":           {map[string]string{"a": numbered(50, "\n")}, map[string]string{"a": numbered(50, "\n", 3, 10, 17)}},
	"hunks behind joined ones": {
		map[string]string{"a": numbered(90, "\n")},
		map[string]string{"a": "new\n" + numbered(90, "\n", 5, 11, 14, 60, 89)},
	},
	"a new file":           {map[string]string{"b": "x\n"}, map[string]string{"b": "x\n", "a": "new\n"}},
	"new in a new folder":  {map[string]string{"b": "x\n"}, map[string]string{"b": "x\n", "c/d/a": "new"}},
	"a file that goes":     {map[string]string{"b": "x\n", "a": "y\nz"}, map[string]string{"b": "x\n"}},
	"an empty file":        {map[string]string{"b": "x\n"}, map[string]string{"b": "x\n", "a": ""}},
	"an empty file, alone": {map[string]string{}, map[string]string{"with a blank/a b": ""}},
	"an empty file goes":   {map[string]string{"b": "x\n", "a": ""}, map[string]string{"b": "x\n"}},
	"all together": {
		map[string]string{"a": "1\n2\n", "b": "x\n", "c": "same", "d": "", "e e": "1"},
		map[string]string{"a": "1\n", "c": "same", "d": "y", "e e": "2", "f": "new", "g": ""},
	},
}

// names lists names of folders and files.
var names = map[string]string{
	"plain":            "Sales.SemanticModel/model.tmdl",
	"blanks":           "Net  Sales 2026.SemanticModel/tables/My Table.tmdl",
	"blank at the end": "Sales.SemanticModel/a ",
	"a tab":            "Sales\tNet.SemanticModel/a\tb",
	"quotes":           `It's "new".SemanticModel/"a"`,
	"backslash":        `a\b.SemanticModel/c\n`,
	"not ASCII":        "Umsätze 売上.SemanticModel/Größe.tmdl",
	"decomposed":       "Umsa\u0308tze.SemanticModel/Gro\u0308ße.tmdl",
	"like a date":      "a 2026-11-22 10:00:00.SemanticModel/x 1970-01-01",
	"like a header":    "--- a.SemanticModel/+++ b",
	"no folder":        "a b",
}

func everyEdit(t *testing.T, apply func(dir string, diff []byte) error) {
	for name, e := range edits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			applied(t, t.TempDir(), "Net Sales.SemanticModel", e.before, e.after, apply)
			applied(t, t.TempDir(), "Net Sales.SemanticModel", e.after, e.before, apply)
		})
	}
}

func everyName(t *testing.T, apply func(dir string, diff []byte) error) {
	for name, path := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, file, found := strings.Cut(path, "/")
			if !found {
				folder, file = "", path
			}
			for _, c := range []struct{ before, after map[string]string }{
				{map[string]string{file: "x\ny\n"}, map[string]string{file: "x\nz\n"}},
				{map[string]string{"other": "x", file: "x\n"}, map[string]string{"other": "x"}},
				{map[string]string{"other": "x"}, map[string]string{"other": "x", file: "x\n"}},
			} {
				applied(t, t.TempDir(), folder, c.before, c.after, apply)
			}
		})
	}
}

func TestGitAppliesEveryEdit(t *testing.T) {
	t.Parallel()
	everyEdit(t, gitApply)
}

func TestGitAppliesEveryName(t *testing.T) {
	t.Parallel()
	everyName(t, gitApply)
}

// anyFiles draws the files of a definition before and after random edits of lines.
func anyFiles(t *rapid.T) (before, after map[string]string) {
	before, after = map[string]string{}, map[string]string{}
	line := rapid.SampledFrom([]string{"a", "b", "", "\t\tlineageTag: 1", "}", "x\r", "-- a", " "})
	for n := range rapid.IntRange(1, 12).Draw(t, "files") {
		name := fmt.Sprint("file ", n)
		old := rapid.SliceOfN(line, 0, 40).Draw(t, "lines")
		now := slices.Clone(old)
		for range rapid.IntRange(0, 5).Draw(t, "edits") {
			at := rapid.IntRange(0, len(now)).Draw(t, "at")
			to := min(len(now), at+rapid.IntRange(0, 3).Draw(t, "taken out"))
			now = slices.Replace(now, at, to, rapid.SliceOfN(line, 0, 3).Draw(t, "put in")...)
		}
		end := func() string { return rapid.SampledFrom([]string{"\n", ""}).Draw(t, "last line end") }
		if rapid.IntRange(0, 5).Draw(t, "new") > 0 {
			before[name] = strings.Join(old, "\n") + end()
		}
		if rapid.IntRange(0, 5).Draw(t, "gone") > 0 {
			after[name] = strings.Join(now, "\n") + end()
		}
	}
	return before, after
}

// Many edits in one diff, the same in every run.
func TestGitAppliesAnyEdits(t *testing.T) {
	t.Parallel()
	before, after := manyFiles()
	applied(t, t.TempDir(), "M.SemanticModel", before, after, gitApply)
}

func manyFiles() (before, after map[string]string) {
	before, after = map[string]string{}, map[string]string{}
	drawn := rapid.Custom(func(t *rapid.T) [2]map[string]string {
		before, after := anyFiles(t)
		return [2]map[string]string{before, after}
	})
	for seed := range 200 {
		both := drawn.Example(seed)
		for i, all := range []map[string]string{before, after} {
			for name, text := range both[i] {
				all[fmt.Sprintf("%d/%s", seed, name)] = text
			}
		}
	}
	return before, after
}

func TestNoDifference(t *testing.T) {
	t.Parallel()
	d := definitionOf(map[string]string{"a": "x", "b": ""})
	for one := range patch.Of("M", d, d) {
		t.Errorf("got %q", one)
	}
}
