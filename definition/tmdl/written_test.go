package tmdl_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition/tmdl"
)

const written = "///a\r\n/// b\t\ntable T\r\n\tmeasure M = ```\n\t\t\t1\n\t\t\t```\n\t\tdisplayFolder :  \"x\"  \r\n\tmeasure N =\n\t\t\t{\r\n\t\t\t}\n\tmeasure O = 1  \n\t\tsource =\n\t\t\t\ta\n\t\t\t\tb"

func TestWritten(t *testing.T) {
	t.Parallel()
	doc := parse(t, "T.tmdl", []byte(written))
	m := find(t, doc, "table T/measure M")
	folder, _ := m.WrittenProperty("DISPLAYFOLDER")
	source, _ := find(t, doc, "table T/measure O").WrittenProperty("source")
	_, none := m.WrittenProperty("lineageTag")
	for _, c := range []struct{ name, got, want string }{
		{"description", find(t, doc, "table T").WrittenDescription(), "///a\r\n/// b\t\n"},
		{"no description", m.WrittenDescription(), ""},
		{"default between fences", m.WrittenDefault(), "\t\t\t1\n"},
		{"default in lines", find(t, doc, "table T/measure N").WrittenDefault(), "\t\t\t{\r\n\t\t\t}"},
		{"default in the line", find(t, doc, "table T/measure O").WrittenDefault(), "1"},
		{"no default", find(t, doc, "table T").WrittenDefault(), ""},
		{"property", folder, "\t\tdisplayFolder :  \"x\"  "},
		{"property of lines", source, "\t\tsource =\n\t\t\t\ta\n\t\t\t\tb"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
	if none {
		t.Error("a property that the object does not have is written")
	}
}

// The file contains the given bytes, and nothing else differs.
func TestPut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		put  func(e *tmdl.Edit, doc *tmdl.Document) error
		from string
		to   string
	}{
		"description": {
			func(e *tmdl.Edit, doc *tmdl.Document) error {
				return e.PutDescription(find(t, doc, "table T"), "///  y\n///\r\n")
			},
			"///a\r\n/// b\t\n", "///  y\n///\r\n",
		},
		"description that was not there": {
			func(e *tmdl.Edit, doc *tmdl.Document) error {
				return e.PutDescription(find(t, doc, "table T/measure M"), "\t///y\n")
			},
			"\tmeasure M", "\t///y\n\tmeasure M",
		},
		"default between fences": {
			func(e *tmdl.Edit, doc *tmdl.Document) error {
				return e.PutDefault(find(t, doc, "table T/measure M"), "\t\t\t2 \n")
			},
			"\t\t\t1\n", "\t\t\t2 \n",
		},
		"default in lines": {
			func(e *tmdl.Edit, doc *tmdl.Document) error {
				return e.PutDefault(find(t, doc, "table T/measure N"), "\t\t\t[\n\t\t\t]")
			},
			"{\r\n\t\t\t}", "[\n\t\t\t]",
		},
		"default in the line": {
			func(e *tmdl.Edit, doc *tmdl.Document) error {
				return e.PutDefault(find(t, doc, "table T/measure O"), "2")
			},
			"O = 1  ", "O = 2  ",
		},
		"property keeps its line end": {
			func(e *tmdl.Edit, doc *tmdl.Document) error {
				return e.PutProperty(find(t, doc, "table T/measure M"), "displayfolder", "\t\tDisplayFolder:y ")
			},
			"\t\tdisplayFolder :  \"x\"  ", "\t\tDisplayFolder:y ",
		},
		"property at the end of the file": {
			func(e *tmdl.Edit, doc *tmdl.Document) error {
				return e.PutProperty(find(t, doc, "table T/measure O"), "source", "\t\tsource = c")
			},
			"source =\n\t\t\t\ta\n\t\t\t\tb", "source = c",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := parse(t, "T.tmdl", []byte(written))
			e := doc.Edit()
			if err := c.put(e, doc); err != nil {
				t.Fatal(err)
			}
			after, err := e.Apply()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Replace(written, c.from, c.to, 1), string(after.Bytes())); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPutRefusals(t *testing.T) {
	t.Parallel()
	doc := parse(t, "T.tmdl", []byte(written))
	table := find(t, doc, "table T")
	if err := doc.Edit().PutProperty(table, "lineageTag", "x"); err == nil || !strings.Contains(err.Error(), "no property lineageTag") {
		t.Errorf("a property that is not there: got %v", err)
	}
	if err := doc.Edit().PutDefault(table, "x"); err == nil || !strings.Contains(err.Error(), "=") {
		t.Errorf("a default that is not there: got %v", err)
	}
	e := doc.Edit()
	if err := e.PutDefault(find(t, doc, "table T/measure M"), "```\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Apply(); err == nil {
		t.Error("bytes that end the fence: got no error")
	}
}
