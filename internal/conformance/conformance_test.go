package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

func rules(t *testing.T) ([]Section, []Proof) {
	t.Helper()
	sections, err := parse(catalogue)
	if err != nil {
		t.Fatal(err)
	}
	proofs, err := scan(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	return sections, proofs
}

func TestMarkersNameRules(t *testing.T) {
	t.Parallel()
	for _, p := range unknown(rules(t)) {
		t.Error(p)
	}
}

func TestFinishedPartsAreProven(t *testing.T) {
	t.Parallel()
	sections, proofs := rules(t)
	for _, id := range unproven(sections, proofs, finished) {
		t.Errorf("no test proves %s: add one with the comment %q", id, "proves: "+id)
	}
}

func TestDocumentIsCurrent(t *testing.T) {
	t.Parallel()
	want, err := current(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(root + "/" + documentPath)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date; run make conformance", documentPath)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"## S\n1/a spine":                     "want an id, a part and a text",
		"## S\n1/a, spine text":               "want an id, a part and a text",
		"## S\n1/a soon text":                 "soon is not one of the parts",
		"## S\n1/a spine x\n\n1/a spine y":    "line 4: 1/a is listed twice",
		"# no section\n1/a spine of no where": "before the first section",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{}
	for name, text := range map[string]string{
		"a/a_test.go":                "package a\n\n// TestX is one.\n// proves: 1/a 1/b\nfunc TestX(t *T) {\n\tfor {\n\t\t//proves: 1/c\n\t}\n}\n\nfunc FuzzY(f *F) { /* proves: 1/d */ }\n",
		"a/a.go":                     "package a\n\n// proves: 1/e\nfunc TestX() {}\n",
		".hidden/a_test.go":          "not Go, proves: 1/f",
		"b/testdata/x.txtar":         "# proves: 1/g\n",
		"scenarios/testdata/x.txtar": "# proves: 1/h 1/i\nGET 200 /\n  # proves: 1/j\n-- a.txt --\n# proves: 1/k\n",
	} {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	got, err := scan(tree)
	if err != nil {
		t.Fatal(err)
	}
	x, s := func(id string) Proof { return Proof{id, "a/a_test.go", "TestX"} }, func(id string) Proof { return Proof{id, "scenarios/testdata/x.txtar", "x"} }
	want := []Proof{x("1/a"), x("1/b"), x("1/c"), s("1/h"), s("1/i"), s("1/j")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("proofs (-want +got):\n%s", diff)
	}

	sections, err := parse("## One\n1/a spine A.\n1/h spine H.\n1/z spine Z.\n1/y pixies Y.\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1/z"}, unproven(sections, got, []Part{Spine})); diff != "" {
		t.Errorf("unproven (-want +got):\n%s", diff)
	}
	if problems := unknown(sections, got); len(problems) != 4 || !slices.Contains(problems, "a/a_test.go: TestX proves 1/b, which is not in the catalogue") {
		t.Errorf("unknown: got %q", problems)
	}
	if doc := string(render(sections, got)); !strings.Contains(doc, "| 1/a | A. | [TestX](../a/a_test.go) |") || !strings.Contains(doc, "| 1/z | Z. | part spine |") || !strings.Contains(doc, "| spine | 3 | 2 |") {
		t.Errorf("got document\n%s", doc)
	}
}

func TestMarkerOutsideOfATest(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"above nothing": "package a\n\n// proves: 1/a\n\nfunc TestX(t *T) {}\n",
		"in a helper":   "package a\n\nfunc helper() {\n\t// proves: 1/a\n}\n",
		"in a method":   "package a\n\n// proves: 1/a\nfunc (s *suite) TestX() {}\n",
	} {
		tree := fstest.MapFS{"a/a_test.go": &fstest.MapFile{Data: []byte(src)}}
		if got, err := scan(tree); err == nil || !strings.Contains(err.Error(), "a/a_test.go:") {
			t.Errorf("%s: got %v and error %v, want an error with the place", name, got, err)
		}
	}
}
