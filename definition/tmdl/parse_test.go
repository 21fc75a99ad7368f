package tmdl_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition/tmdl"
	"readiness/test/samples"
)

var update = flag.Bool("update", false, "write the golden files")

// dump returns the tree with everything that can be read from it.
func dump(doc *tmdl.Document) string {
	var b strings.Builder
	var walk func(objects []*tmdl.Object, indent string)
	walk = func(objects []*tmdl.Object, indent string) {
		for _, o := range objects {
			fmt.Fprintf(&b, "%s%s %q", indent, o.Keyword, o.Name)
			if o.Ref {
				b.WriteString(" ref")
			}
			fmt.Fprintf(&b, " at %d:%d\n", o.Line, o.Column)
			indent := indent + "    "
			if d := o.Description(); d != "" {
				fmt.Fprintf(&b, "%s/// %q\n", indent, d)
			}
			if o.HasDefault() {
				fmt.Fprintf(&b, "%s= %q\n", indent, o.Default())
			}
			for _, p := range o.Properties {
				sign := ":"
				if p.IsExpression() {
					sign = " ="
				}
				fmt.Fprintf(&b, "%s%s%s %q at %d:%d\n", indent, p.Name, sign, p.Value(), p.Line, p.Column)
			}
			walk(o.Children, indent)
		}
	}
	walk(doc.Objects, "")
	return b.String()
}

// parse returns the document, which must contain the bytes it was parsed from.
func parse(t *testing.T, file string, src []byte) *tmdl.Document {
	t.Helper()
	doc, err := tmdl.Parse(file, src)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(doc.Bytes(), src) {
		t.Fatalf("%s: the document does not hold the bytes it was parsed from", file)
	}
	return doc
}

// golden returns the files of testdata/parse, one per construct of the language.
func golden(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/parse/*.tmdl")
	if err != nil || len(names) == 0 {
		t.Fatal("no file testdata/parse/*.tmdl", err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(filepath.Base(name), ".tmdl")] = src
	}
	return files
}

// corpus returns the TMDL files of the definitions of public projects.
func corpus(t testing.TB) map[string][]byte {
	t.Helper()
	root, _ := samples.Corpus(t)
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".tmdl") && strings.Contains(path, "/definition/") {
			files[strings.TrimPrefix(path, root)], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestParseGolden(t *testing.T) {
	t.Parallel()
	for name, src := range golden(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := dump(parse(t, name, src))
			file := "testdata/parse/" + name + ".golden"
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("tree (-want +got):\n%s", diff)
			}
		})
	}
}

// variants returns the same text with other line ends, with a byte order mark, and
// without a last line end.
func variants(src []byte) map[string][]byte {
	lf := strings.ReplaceAll(string(src), "\r\n", "\n")
	return map[string][]byte{
		"LF":                []byte(lf),
		"CRLF":              []byte(strings.ReplaceAll(lf, "\n", "\r\n")),
		"CR":                []byte(strings.ReplaceAll(lf, "\n", "\r")),
		"mixed":             mixedEnds(lf),
		"byte order mark":   []byte("\ufeff" + lf),
		"no last line end":  []byte(strings.TrimRight(lf, "\n")),
		"trailing blanks":   []byte(strings.ReplaceAll(lf, "\n", " \t\n")),
		"blank lines after": []byte(lf + "\n\t\n\n"),
	}
}

// mixedEnds ends the lines by LF, CRLF and CR in turn. A CR is never followed by
// an empty line with LF, which would be read as CRLF.
func mixedEnds(lf string) []byte {
	ends := []string{"\n", "\r\n", "\r"}
	var b strings.Builder
	i := 0
	for line := range strings.SplitAfterSeq(lf, "\n") {
		text, ended := strings.CutSuffix(line, "\n")
		end := ends[i%len(ends)]
		if text == "" && strings.HasSuffix(b.String(), "\r") {
			end = "\r"
		}
		b.WriteString(text)
		if ended {
			b.WriteString(end)
		}
		i++
	}
	return []byte(b.String())
}

// Line ends, byte order marks and blanks at the ends of lines change no tree.
func TestParseVariants(t *testing.T) {
	t.Parallel()
	for name, src := range golden(t) {
		checkVariants(t, name, src)
	}
}

func checkVariants(t *testing.T, name string, src []byte) {
	t.Helper()
	want, wantErr := tree(name, src)
	for kind, variant := range variants(src) {
		if kind == "trailing blanks" && bytes.Contains(src, []byte("```")) {
			continue // inside a fence blanks count
		}
		got, gotErr := tree(name, variant)
		if kind == "trailing blanks" {
			got, want := withoutDescriptions(got), withoutDescriptions(want)
			if got != want {
				t.Errorf("%s, %s: the tree differs (-want +got):\n%s", name, kind, cmp.Diff(want, got))
			}
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, %s: the tree differs (-want +got):\n%s", name, kind, diff)
		}
		if (wantErr == nil) != (gotErr == nil) || wantErr != nil && *wantErr != *gotErr {
			t.Errorf("%s, %s: got error %v, want %v", name, kind, gotErr, wantErr)
		}
	}
}

func withoutDescriptions(dump string) string {
	var b strings.Builder
	for line := range strings.Lines(dump) {
		if !strings.HasPrefix(strings.TrimSpace(line), "///") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func tree(name string, src []byte) (string, *tmdl.SyntaxError) {
	doc, err := tmdl.Parse(name, src)
	if syntax, ok := errors.AsType[*tmdl.SyntaxError](err); ok {
		return "", syntax
	}
	if !bytes.Equal(doc.Bytes(), src) {
		return "other bytes", nil
	}
	return dump(doc), nil
}

// Every file of the corpus is read to the same tree in every variant, except those
// that indent an expression no deeper than the properties after it.
func TestParseCorpus(t *testing.T) {
	t.Parallel()
	refused := map[string]int{
		"Corporate Functions/Archive/Budget 2024.SemanticModel/definition/tables/Budget Lines.tmdl": 5,

		"minimal/Minimal.SemanticModel/definition/tables/_Measures.tmdl":                4,
		"report-only/ReportOnly.SemanticModel/definition/tables/_Measures.tmdl":         4,
		"standard/AdventureWorks.SemanticModel/definition/functions.tmdl":               8,
		"standard/AdventureWorks.SemanticModel/definition/roles/Regional Admin.tmdl":    5,
		"standard/AdventureWorks.SemanticModel/definition/tables/Time Comparison.tmdl":  8,
		"standard/AdventureWorks.SemanticModel/definition/tables/_DisplayMeasures.tmdl": 4,
		"standard/AdventureWorks.SemanticModel/definition/tables/_Measures.tmdl":        4,
	}
	for name, src := range corpus(t) {
		_, err := tree(name, src)
		project := strings.TrimPrefix(name, "/")
		if _, fixture, ok := strings.Cut(name, "pbip-tools/fixtures/"); ok {
			project = fixture
		}
		if line := refused[project]; line > 0 {
			if err == nil || err.Line != line || err.File != name {
				t.Errorf("%s: got error %v, want one in line %d", name, err, line)
			}
		} else if err != nil {
			t.Error(err)
		}
		checkVariants(t, name, src)
	}
}

// Properties stay with their object, in order, whatever is between them. A slice
// that was handed out twice would show.
func TestParsePropertiesAroundChildren(t *testing.T) {
	t.Parallel()
	var src strings.Builder
	src.WriteString("table T\n")
	const n = 3000
	for i := range n {
		fmt.Fprintf(&src, "\tvalueNo%d: t%d\n\tcolumn C%d\n\t\tdataType: c%d\n\t\tvariantOf%d\n\t\t\tisDeep: v%d\n\t\tisLast: l%d\n", i, i, i, i, i, i, i)
	}
	table := parse(t, "T", []byte(src.String())).Objects[0]
	if len(table.Properties) != n || len(table.Children) != n {
		t.Fatalf("got %d properties and %d columns, want %d of each", len(table.Properties), len(table.Children), n)
	}
	for i, column := range table.Children {
		got := []string{table.Properties[i].Name, table.Properties[i].Value(), column.Name}
		for _, p := range column.Properties {
			got = append(got, p.Name, p.Value())
		}
		for _, o := range column.Children {
			got = append(got, o.Keyword, o.Properties[0].Name, o.Properties[0].Value())
		}
		want := fmt.Sprintf("valueNo%d t%d C%d dataType c%d isLast l%d variantOf%d isDeep v%d", i, i, i, i, i, i, i)
		if strings.Join(got, " ") != want {
			t.Fatalf("number %d: got %q, want %q", i, strings.Join(got, " "), want)
		}
	}
	first, second := table.Children[0], table.Children[1]
	first.Properties = append(first.Properties, tmdl.Property{})
	first.Children = append(first.Children, nil)
	if second.Properties[0].Name != "dataType" || second.Children[0] == nil {
		t.Error("what one object holds reaches into what another does")
	}
}
