package tmdl_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition/tmdl"
)

// find returns the object at a path: `table T/measure 'A b'` is "table T/measure A
// b".
func find(t testing.TB, doc *tmdl.Document, path string) *tmdl.Object {
	t.Helper()
	objects := doc.Objects
	var found *tmdl.Object
	for step := range strings.SplitSeq(path, "/") {
		keyword, name, _ := strings.Cut(step, " ")
		found = nil
		for _, o := range objects {
			if o.Keyword == keyword && o.Name == name && !o.Ref {
				found = o
			}
		}
		if found == nil {
			t.Fatalf("no object %s", path)
		}
		objects = found.Children
	}
	return found
}

// op is one change of an edit.
type op struct {
	path, property, value string // the property is "" for the description
	remove                bool
}

func do(t testing.TB, doc *tmdl.Document, ops ...op) (*tmdl.Document, error) {
	t.Helper()
	e := doc.Edit()
	for _, o := range ops {
		object := find(t, doc, o.path)
		var err error
		switch {
		case o.property == "":
			err = e.SetDescription(object, o.value)
		case o.remove:
			err = e.RemoveProperty(object, o.property)
		default:
			err = e.SetProperty(object, o.property, o.value)
		}
		if err != nil {
			return nil, err
		}
	}
	return e.Apply()
}

func TestEdit(t *testing.T) {
	t.Parallel()
	const column = "table T\n\n\tcolumn C\n\t\tdataType: int64\n\t\tlineageTag: 1\n\t\tsummarizeBy: sum\n\t\tsourceColumn: C\n\n\t\tannotation A = x\n"
	for name, c := range map[string]struct {
		before string
		ops    []op
		after  string
	}{
		"no change": {column, nil, column},
		"description of the first line": {
			"table T\n", []op{{path: "table T", value: "x"}}, "/// x\ntable T\n",
		},
		"description behind a byte order mark": {
			"\ufefftable T\r\n", []op{{path: "table T", value: "x"}}, "\ufeff/// x\r\ntable T\r\n",
		},
		"description of several lines with every line end": {
			"table T\r\n\r\n\tcolumn C\r\n", []op{{path: "table T/column C", value: "a\nb\r\nc\rd\n\ne"}},
			"table T\r\n\r\n\t/// a\r\n\t/// b\r\n\t/// c\r\n\t/// d\r\n\t/// \r\n\t/// e\r\n\tcolumn C\r\n",
		},
		"description in a file of CR": {
			"table T\r\tcolumn C\r", []op{{path: "table T/column C", value: "a\nb"}}, "table T\r\t/// a\r\t/// b\r\tcolumn C\r",
		},
		"description takes the line end of the declaration": {
			"table T\r\n\tcolumn C\n\tcolumn D\r", []op{{path: "table T/column C", value: "a"}}, "table T\r\n\t/// a\n\tcolumn C\n\tcolumn D\r",
		},
		"description of a last line without line end": {
			"table T\r\n\tcolumn C", []op{{path: "table T/column C", value: "a"}}, "table T\r\n\t/// a\r\n\tcolumn C",
		},
		"description of the only line": {
			"table T", []op{{path: "table T", value: "a"}}, "/// a\ntable T",
		},
		"description changed": {
			"/// a\n/// b\ntable T\n", []op{{path: "table T", value: "c"}}, "/// c\ntable T\n",
		},
		"description that stays is not touched": {
			"///a\n///\ntable T\n", []op{{path: "table T", value: "a\n"}}, "///a\n///\ntable T\n",
		},
		"description taken out": {
			"\n/// a\n/// b\ntable T\n", []op{{path: "table T"}}, "\ntable T\n",
		},
		"empty description taken out": {
			"///\ntable T\n", []op{{path: "table T"}}, "table T\n",
		},
		"description with blanks and slashes": {
			"table T\n", []op{{path: "table T", value: " a \n/// b"}}, "///  a \n/// /// b\ntable T\n",
		},
		"description under comments that are none": {
			"/// x\n\n// y\ntable T\n", []op{{path: "table T", value: "a"}}, "/// x\n\n// y\n/// a\ntable T\n",
		},
		"description after an expression": {
			"table T\n\tmeasure M =\n\t\t\t1\n\n\tmeasure N = 1\n", []op{{path: "table T/measure N", value: "a"}}, "table T\n\tmeasure M =\n\t\t\t1\n\n\t/// a\n\tmeasure N = 1\n",
		},
		"folder of a column stands before the lineage tag": {
			column, []op{{path: "table T/column C", property: "displayFolder", value: "A\\B"}},
			strings.Replace(column, "\t\tlineageTag", "\t\tdisplayFolder: A\\B\n\t\tlineageTag", 1),
		},
		"folder of a column without lineage tag stands before summarizeBy": {
			"table T\n\tcolumn C\n\t\tdataType: int64\n\t\tsummarizeBy: sum\n", []op{{path: "table T/column C", property: "displayFolder", value: "A"}},
			"table T\n\tcolumn C\n\t\tdataType: int64\n\t\tdisplayFolder: A\n\t\tsummarizeBy: sum\n",
		},
		"folder of a measure stands after the format, behind the expression": {
			"table T\n\tmeasure M =\n\t\t\t1\n\t\t\t\n\t\tformatString: 0\n\t\tlineageTag: 1\n", []op{{path: "table T/measure M", property: "displayFolder", value: "A"}},
			"table T\n\tmeasure M =\n\t\t\t1\n\t\t\t\n\t\tformatString: 0\n\t\tdisplayFolder: A\n\t\tlineageTag: 1\n",
		},
		"folder of a measure with nothing but an expression": {
			"table T\n\tmeasure M =\n\t\t\t1\n\n\tmeasure N = 1\n", []op{{path: "table T/measure M", property: "displayFolder", value: "A"}},
			"table T\n\tmeasure M =\n\t\t\t1\n\t\tdisplayFolder: A\n\n\tmeasure N = 1\n",
		},
		"folder of a measure with a fence": {
			"table T\n\tmeasure M = ```\n\t\t\t1\n\n\t\t\t```\n\n\t\tannotation x = y\n", []op{{path: "table T/measure M", property: "displayFolder", value: "A"}},
			"table T\n\tmeasure M = ```\n\t\t\t1\n\n\t\t\t```\n\t\tdisplayFolder: A\n\n\t\tannotation x = y\n",
		},
		"folder at the end of a file without line end": {
			"table T\r\n\tmeasure M = 1", []op{{path: "table T/measure M", property: "displayFolder", value: "A"}},
			"table T\r\n\tmeasure M = 1\r\n\t\tdisplayFolder: A",
		},
		"folder in a file of spaces": {
			"table T\n  measure M = 1\n    lineageTag: 1\n  measure N = 1\n", []op{{path: "table T/measure N", property: "displayFolder", value: "A"}},
			"table T\n  measure M = 1\n    lineageTag: 1\n  measure N = 1\n    displayFolder: A\n",
		},
		"folder changed": {
			"table T\n\tmeasure M = 1\n\t\tdisplayFolder:  A \t\r\n", []op{{path: "table T/measure M", property: "displayFolder", value: "B C"}},
			"table T\n\tmeasure M = 1\n\t\tdisplayFolder:  B C \t\r\n",
		},
		"folder changed that is in another case": {
			"table T\n\tmeasure M = 1\n\t\tDISPLAYFOLDER:A\n", []op{{path: "table T/measure M", property: "displayFolder", value: "B"}},
			"table T\n\tmeasure M = 1\n\t\tDISPLAYFOLDER:B\n",
		},
		"folder set that was empty": {
			"table T\n\tmeasure M = 1\n\t\tdisplayFolder:\n", []op{{path: "table T/measure M", property: "displayFolder", value: "B"}},
			"table T\n\tmeasure M = 1\n\t\tdisplayFolder: B\n",
		},
		"folder that stays is not touched": {
			"table T\n\tmeasure M = 1\n\t\tdisplayFolder: \"A\"\n", []op{{path: "table T/measure M", property: "displayFolder", value: "A"}},
			"table T\n\tmeasure M = 1\n\t\tdisplayFolder: \"A\"\n",
		},
		"folder that needs quotes": {
			"table T\n\tmeasure M = 1\n", []op{{path: "table T/measure M", property: "displayFolder", value: ` My "Own"`}},
			"table T\n\tmeasure M = 1\n\t\tdisplayFolder: \" My \"\"Own\"\"\"\n",
		},
		"folder that is in quotes": {
			"table T\n\tmeasure M = 1\n", []op{{path: "table T/measure M", property: "displayFolder", value: `"A"`}},
			"table T\n\tmeasure M = 1\n\t\tdisplayFolder: \"\"\"A\"\"\"\n",
		},
		"folder of no characters": {
			"table T\n\tmeasure M = 1\n", []op{{path: "table T/measure M", property: "displayFolder"}},
			"table T\n\tmeasure M = 1\n\t\tdisplayFolder: \"\"\n",
		},
		"folder that begins and ends with a quote": {
			"table T\n\tmeasure M = 1\n", []op{{path: "table T/measure M", property: "displayFolder", value: `"A" of "B"`}},
			"table T\n\tmeasure M = 1\n\t\tdisplayFolder: \"\"\"A\"\" of \"\"B\"\"\"\n",
		},
		"folder with a quote at one end": {
			"table T\n\tmeasure M = 1\n", []op{{path: "table T/measure M", property: "displayFolder", value: `"A" B`}},
			"table T\n\tmeasure M = 1\n\t\tdisplayFolder: \"A\" B\n",
		},
		"folder taken out": {
			"table T\n\tmeasure M = 1\n\t\tformatString: 0\n\t\tdisplayFolder: A\n\n", []op{{path: "table T/measure M", property: "displayFolder", remove: true}},
			"table T\n\tmeasure M = 1\n\t\tformatString: 0\n\n",
		},
		"folder taken out that is not there": {
			column, []op{{path: "table T/column C", property: "displayFolder", remove: true}}, column,
		},
		"folder taken out at the end without line end": {
			"table T\r\n\tmeasure M = 1\r\n\t\tdisplayFolder: A", []op{{path: "table T/measure M", property: "displayFolder", remove: true}},
			"table T\r\n\tmeasure M = 1",
		},
		"default summarization changed in place": {
			column, []op{{path: "table T/column C", property: "summarizeBy", value: "none"}}, strings.Replace(column, "summarizeBy: sum", "summarizeBy: none", 1),
		},
		"default summarization set": {
			"table T\n\tcolumn C = 1\n", []op{{path: "table T/column C", property: "summarizeBy", value: "none"}}, "table T\n\tcolumn C = 1\n\t\tsummarizeBy: none\n",
		},
		"flag set": {
			"table T\n\tcolumn C\n\t\tdataType: string\n", []op{{path: "table T/column C", property: "isHidden", value: "true"}}, "table T\n\tcolumn C\n\t\tdataType: string\n\t\tisHidden\n",
		},
		"flag set that was false": {
			"table T\n\tisHidden: false\n", []op{{path: "table T", property: "isHidden", value: "true"}}, "table T\n\tisHidden: true\n",
		},
		"bare flag made false": {
			"table T\n\tisHidden \n", []op{{path: "table T", property: "isHidden", value: "false"}}, "table T\n\tisHidden: false \n",
		},
		"text that is true": {
			"table T\n\tmeasure M = 1\n", []op{{path: "table T/measure M", property: "displayFolder", value: "true"}}, "table T\n\tmeasure M = 1\n\t\tdisplayFolder: true\n",
		},
		"value behind an equals sign": {
			"table T\n\tcolumn C\n\t\tformatString = mmm yyyy\n", []op{{path: "table T/column C", property: "formatString", value: "yyyy"}}, "table T\n\tcolumn C\n\t\tformatString = yyyy\n",
		},
		"property of an unknown place stands last": {
			"table T\n\tlineageTag: 1\n\tcolumn C\n", []op{{path: "table T", property: "somethingNew", value: "1"}}, "table T\n\tlineageTag: 1\n\tsomethingNew: 1\n\tcolumn C\n",
		},
		"expression taken out": {
			"table T\n\tpartition P = m\n\t\tmode: import\n\t\tsource =\n\t\t\tlet\n\n\t\t\tin x\n\n", []op{{path: "table T/partition P", property: "source", remove: true}}, "table T\n\tpartition P = m\n\t\tmode: import\n\n",
		},
		"many at once": {
			"table T\n\tmeasure M = 1\n\tmeasure N = 1\n", []op{
				{path: "table T/measure N", property: "displayFolder", value: "n"},
				{path: "table T/measure N", value: "n"},
				{path: "table T/measure M", property: "lineageTag", value: "1"},
				{path: "table T/measure M", property: "displayFolder", value: "m"},
				{path: "table T/measure M", property: "formatString", value: "0"},
				{path: "table T", property: "isHidden", value: "true"},
				{path: "table T", value: "t"},
			},
			"/// t\ntable T\n\tisHidden\n\tmeasure M = 1\n\t\tformatString: 0\n\t\tdisplayFolder: m\n\t\tlineageTag: 1\n\t/// n\n\tmeasure N = 1\n\t\tdisplayFolder: n\n",
		},
		"taken out and put in at the end without line end": {
			"table T\n\tcolumn C\n\t\tlineageTag: 1\n\t\tsummarizeBy: sum", []op{
				{path: "table T/column C", property: "displayFolder", value: "A"},
				{path: "table T/column C", property: "lineageTag", remove: true},
				{path: "table T/column C", property: "summarizeBy", remove: true},
				{path: "table T/column C", property: "sourceColumn", value: "C"},
			},
			"table T\n\tcolumn C\n\t\tdisplayFolder: A\n\t\tsourceColumn: C",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := parse(t, "T.tmdl", []byte(c.before))
			after, err := do(t, before, c.ops...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.after, string(after.Bytes())); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
			if string(before.Bytes()) != c.before {
				t.Error("the edit changed the document it started from")
			}
		})
	}
}

func TestEditRefusals(t *testing.T) {
	t.Parallel()
	doc := parse(t, "T.tmdl", []byte("table T\n\tmeasure M = 1\n\tpartition P = m\n\t\tsource =\n\t\t\tlet\nref table T\n"))
	other := parse(t, "T.tmdl", doc.Bytes())
	m, p := find(t, doc, "table T/measure M"), find(t, doc, "table T/partition P")
	for name, c := range map[string]struct {
		edit func(*tmdl.Edit) error
		want string
	}{
		"object of another document": {func(e *tmdl.Edit) error { return e.SetDescription(other.Objects[0], "x") }, "another document"},
		"description of a ref":       {func(e *tmdl.Edit) error { return e.SetDescription(doc.Objects[1], "x") }, "ref"},
		"line feed in a property":    {func(e *tmdl.Edit) error { return e.SetProperty(m, "displayFolder", "a\nb") }, "line break"},
		"return in a property":       {func(e *tmdl.Edit) error { return e.SetProperty(m, "displayFolder", "a\rb") }, "line break"},
		"NUL":                        {func(e *tmdl.Edit) error { return e.SetDescription(m, "a\x00b") }, "NUL"},
		"not UTF-8":                  {func(e *tmdl.Edit) error { return e.SetProperty(m, "displayFolder", "\xff") }, "UTF-8"},
		"expression of lines":        {func(e *tmdl.Edit) error { return e.SetProperty(p, "source", "x") }, "expression"},
		"twice": {func(e *tmdl.Edit) error {
			if err := e.SetProperty(m, "displayFolder", "a"); err != nil {
				return err
			}
			return e.RemoveProperty(m, "DisplayFolder")
		}, "twice"},
		"no name for a property": {func(e *tmdl.Edit) error { return e.SetProperty(m, "", "a") }, "name"},
		"name of two words":      {func(e *tmdl.Edit) error { return e.SetProperty(m, "a b", "a") }, "name"},
		"remove without a name":  {func(e *tmdl.Edit) error { return e.RemoveProperty(m, "") }, "name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := c.edit(doc.Edit())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want it to say %q", err, c.want)
			}
		})
	}
}

func TestSplitReference(t *testing.T) {
	t.Parallel()
	for reference, want := range map[string][]string{
		"Sales":                    {"Sales"},
		"Sales.Amount":             {"Sales", "Amount"},
		"'Unit Sales'.'Net Price'": {"Unit Sales", "Net Price"},
		"Sales.'It''s'":            {"Sales", "It's"},
		"'A.B'.'C''.''D'":          {"A.B", "C'.'D"},
		"''''.a":                   {"'", "a"},
		"a.b.c":                    {"a", "b", "c"},
		"Unit Sales.Net Price":     {"Unit Sales", "Net Price"},
		"":                         nil,
		".":                        nil,
		"a.":                       nil,
		".a":                       nil,
		"a..b":                     nil,
		"''":                       nil,
		"'a":                       nil,
		"'a'b":                     nil,
		"a'b'":                     nil,
		"'a''":                     nil,
		"'a'.":                     nil,
	} {
		got, err := tmdl.SplitReference(reference)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want != nil) {
			t.Errorf("%q: got %q, %v, want %q", reference, got, err, want)
		}
	}
}
