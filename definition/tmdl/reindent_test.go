package tmdl_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/definition/tmdl"
)

// deeper returns the file with nested content indented by more for each level.
// Expressions move as a unit.
func deeper(doc *tmdl.Document, more string) []byte {
	levels := map[int]int{} // of lines, by their number
	depth := map[*tmdl.Object]int{}
	for o := range doc.All() {
		for _, c := range o.Children {
			depth[c] = depth[o] + 1
		}
		levels[o.Line] = depth[o]
		for n := range strings.Count(o.WrittenDescription(), "\n") {
			levels[o.Line-1-n] = depth[o]
		}
		for _, p := range o.Properties {
			levels[p.Line] = depth[o] + 1
		}
	}
	var b strings.Builder
	n, body := 0, 0
	for line := range strings.SplitAfterSeq(string(doc.Bytes()), "\n") {
		n++
		level, declares := levels[n]
		if declares {
			body = level + 2
		} else {
			level = body
		}
		if strings.Trim(line, "\r\n") != "" {
			mark := ""
			if strings.HasPrefix(line, "\ufeff") {
				mark, line = "\ufeff", strings.TrimPrefix(line, "\ufeff")
			}
			line = mark + strings.Repeat(more, level) + line
		}
		b.WriteString(line)
	}
	return []byte(b.String())
}

// mores are additional indentations of a level.
var mores = []string{"\t", "\t\t", " ", "    ", "\t  "}

// reindented returns files with every level indented deeper.
func reindented(t testing.TB, files map[string][]byte) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for name, src := range files {
		doc, err := tmdl.Parse(name, src)
		if err != nil || strings.Contains(strings.ReplaceAll(string(src), "\r\n", ""), "\r") {
			continue
		}
		for _, more := range mores {
			all[fmt.Sprintf("%s by %q", name, more)] = deeper(doc, more)
		}
	}
	return all
}

// indentable returns the files in which every line belongs to a declaration, since a
// comment between declarations has no level. Files are left out if they start with
// an expression that has no line to itself, because nothing then shows the depth of
// its properties.
func indentable(t testing.TB) map[string][]byte {
	t.Helper()
	files := maps.Clone(golden(t))
	maps.Copy(files, corpus(t))
	maps.DeleteFunc(files, func(name string, src []byte) bool {
		doc, err := tmdl.Parse(name, src)
		return err != nil || len(doc.Notices) > 0 || name == "indented_empty_expression"
	})
	if len(files) == 0 {
		t.Fatal("there is no file to indent")
	}
	return files
}

// The content of an object may be indented by any amount more than the object.
//
// proves: decisions/9/15-indent
func TestParseDeeperIndent(t *testing.T) {
	t.Parallel()
	files := indentable(t)
	for name, src := range files {
		doc, err := tmdl.Parse(name, src)
		if err != nil {
			t.Fatal(err)
		}
		want := content(doc)
		for _, more := range mores {
			again := deeper(doc, more)
			got, err := tmdl.Parse(name, again)
			if err != nil {
				t.Errorf("%q more: %v", more, err)
				continue
			}
			if string(got.Bytes()) != string(again) {
				t.Errorf("%s: the bytes are not kept", name)
			}
			if diff := cmp.Diff(want, content(got)); diff != "" {
				t.Errorf("%s by %q more (-want +got):\n%s", name, more, diff)
			}
		}
	}
}

func TestEditDeeperIndent(t *testing.T) {
	t.Parallel()
	files := reindented(t, indentable(t))
	names := slices.Sorted(maps.Keys(files))
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "file")
		doc, err := tmdl.Parse(name, files[name])
		if err != nil {
			t.Fatal(err)
		}
		setAndTakeOut(t, doc)
	})
}

// Every object can be given a property that it lacks, at any indentation.
func TestInsertDeeperIndent(t *testing.T) {
	t.Parallel()
	for name, src := range reindented(t, golden(t)) {
		doc := parse(t, name, src)
		for o := range doc.All() {
			if o.Keyword != "measure" && o.Keyword != "column" {
				continue
			}
			edit := doc.Edit()
			if err := edit.SetProperty(o, "displayFolder", "Folder"); err != nil {
				t.Errorf("%s: %s %s: %v", name, o.Keyword, o.Name, err)
			} else if _, err := edit.Apply(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Levels need not all be as deep.
func TestParseUnevenIndent(t *testing.T) {
	t.Parallel()
	want := "table T\n\tlineageTag: t\n\n\t/// d\n\tmeasure M =\n\t\t\tVAR x = 1\n\t\t\tRETURN\n\t\t\t\tx\n\t\tformatString: 0\n\t\tannotation A = b\n\n\tmeasure N =\n\t\t\t1\n\n\tcolumn C\n\t\tisHidden\n"
	doc := parse(t, "T.tmdl", []byte(want))
	for name, steps := range map[string][3]string{
		"wide, then narrow":   {"\t\t\t", "\t", "\t"},
		"narrow, then wide":   {"\t", "\t\t\t", "\t\t"},
		"spaces, then tabs":   {"  ", "\t", "\t"},
		"tabs, then spaces":   {"\t", "   ", " "},
		"one space":           {" ", " ", " "},
		"growing":             {"  ", "   ", "    "},
		"shrinking":           {"    ", "  ", " "},
		"much, and one space": {"\t\t\t\t\t", " ", " "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			for line := range strings.Lines(want) {
				text := strings.TrimLeft(line, "\t")
				level := len(line) - len(text)
				indent := strings.Join(steps[:min(level, 3)], "")
				b.WriteString(indent + strings.Repeat("\t", max(level-3, 0)) + text)
			}
			got := parse(t, "T.tmdl", []byte(b.String()))
			if diff := cmp.Diff(content(doc), content(got)); diff != "" {
				t.Errorf("(-want +got):\n%s\nof\n%s", diff, b.String())
			}
			edit := got.Edit()
			for o := range got.All() {
				if o.Keyword == "measure" {
					if err := edit.SetProperty(o, "displayFolder", "F"); err != nil {
						t.Fatal(err)
					}
				}
			}
			changed, err := edit.Apply()
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(changed.Bytes()), "\n"+steps[0]+steps[1]+"displayFolder: F\n"); n != 2 {
				t.Errorf("%d of 2 lines stand where they belong in\n%s", n, changed.Bytes())
			}
		})
	}
}

// Content that Power BI refuses is kept and reported.
//
// proves: decisions/9/15-notices
func TestNotices(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		src  string
		want []string // line:column of each, with a part of the message
	}{
		"none":                        {"/// d\ntable T\n\t/// c\n\tcolumn C\n\t\tisHidden\n\n\tmeasure M =\n\t\t\t// in DAX\n\t\t\t/// too\n\t\t\t1\n", nil},
		"a comment at the outermost":  {"// x\ntable T\n", []string{"1:1 accepts no comment"}},
		"a comment in an object":      {"table T\n\tisHidden\n\t// x\n\tcolumn C\n", []string{"3:2 accepts no comment"}},
		"a blank line below":          {"/// d\n\ntable T\n", []string{"1:1 describe nothing"}},
		"at another indentation":      {"table T\n/// d\n\tcolumn C\n", []string{"2:1 describe nothing"}},
		"above a property":            {"table T\n\t/// d\n\tisHidden\n", []string{"2:1 describe nothing"}},
		"above a ref":                 {"/// d\nref table T\n", []string{"1:1 describe nothing"}},
		"at the end":                  {"table T\n/// d\n/// e", []string{"2:1 describe nothing"}},
		"above a comment":             {"/// d\n// x\ntable T\n", []string{"1:1 describe nothing", "2:1 accepts no comment"}},
		"two runs, the last is taken": {"table T\n/// d\n\t/// e\n\tcolumn C\n", []string{"2:1 describe nothing"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := parse(t, "T.tmdl", []byte(c.src))
			if string(doc.Bytes()) != c.src {
				t.Error("the bytes are not kept")
			}
			if len(doc.Notices) != len(c.want) {
				t.Fatalf("got %v, want %q", doc.Notices, c.want)
			}
			for i, n := range doc.Notices {
				at, message, _ := strings.Cut(c.want[i], " ")
				if fmt.Sprintf("%d:%d", n.Line, n.Column) != at || !strings.Contains(n.Message, message) {
					t.Errorf("got %+v, want %s", n, c.want[i])
				}
			}
		})
	}
	many := parse(t, "T.tmdl", []byte(strings.Repeat("// x\n", 2*tmdl.MaxNotices)))
	if len(many.Notices) != tmdl.MaxNotices {
		t.Errorf("%d notices are kept, want %d", len(many.Notices), tmdl.MaxNotices)
	}
}
