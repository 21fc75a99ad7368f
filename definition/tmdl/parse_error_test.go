package tmdl_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"readiness/definition/tmdl"
)

func TestParseErrors(t *testing.T) {
	t.Parallel()
	deep := ""
	for i := range tmdl.MaxDepth + 1 {
		deep += strings.Repeat("\t", i) + "annotation a\n"
	}
	for name, c := range map[string]struct {
		src          string
		line, column int
		message      string // part of it
	}{
		"script":                         {"createOrReplace\n\n\tref table Sales\n", 1, 1, "TMDL script"},
		"script in other case":           {"\n// x\nCREATEORREPLACE\n", 3, 1, "TMDL script"},
		"a mark of a merge conflict":     {"table T\n\tcolumn A\n=======\n", 3, 1, "left of a merge conflict (=======)"},
		"no mark of a merge conflict":    {"table T\n\t========\n", 2, 2, `"=" starts neither`},
		"unknown word alone":             {"table T\n\tlet\n", 2, 2, `"let" is neither`},
		"unknown type":                   {"tabel Sales\n", 1, 1, `"tabel" is not a type of object`},
		"no word":                        {"table T\n\t(x)\n", 2, 2, `"(" starts neither`},
		"no ASCII word":                  {"table T\n\tété: x\n", 2, 2, `"é" starts neither`},
		"word broken off":                {"table T\n\tSUMX(\n", 2, 6, `"(" is not allowed in a word`},
		"property at the outermost":      {"compatibilityLevel: 1600\n", 1, 1, "a property must be in an object"},
		"flag at the outermost":          {"table T\nisHidden\n", 2, 1, "a property must be in an object"},
		"expression at the outermost":    {"source = x\n", 1, 1, "a property must be in an object"},
		"name with a blank":              {"table T\n\tcolumn Sales Region\n", 2, 15, "'Sales Region'"},
		"name with no closing quote":     {"table 'Sales\n", 1, 7, "no closing quote"},
		"quote not doubled":              {"table T\n\tmeasure 'Marge d'erreur (pts)' = 1\n", 2, 19, "doubled"},
		"tab in a name":                  {"table 'a\tb'\n", 1, 7, "tab"},
		"empty name":                     {"table ''\n", 1, 7, "empty"},
		"blank name":                     {"table '  '\n", 1, 7, "empty"},
		"name missing before =":          {"table T\n\tmeasure 'x' y = 1\n", 2, 14, "blanks"},
		"ref without a type":             {"ref 'x'\n", 1, 5, "type of an object"},
		"ref without a name":             {"ref table\n", 1, 1, "a table needs a name"},
		"object without a name":          {"table T\n\tmeasure\n", 2, 2, "a measure needs a name"},
		"vowel without a name":           {"table T\n\textendedProperty\n", 2, 2, "an extendedProperty needs a name"},
		"object without a name before =": {"table T\n\tmeasure = 1\n", 2, 2, "a measure needs a name"},
		"expression without a name":      {"expression = 1\n", 1, 1, "a property must be in an object"},
		"ref to an unknown type alone":   {"ref foo\n", 1, 1, `"foo" is not a type`},
		"ref to an unknown type":         {"ref foo x\n", 1, 1, `"foo" is not a type`},
		"deeper than what is beside it":  {"table T\n\t\tcolumn A\n\t\t\tdataType: x\n\t\t\t\tx: y\n", 4, 5, "deeper than its siblings in the column 'A' of line 2"},
		"less deep than what is beside":  {"table T\n\t\tcolumn A\n\tcolumn B\n", 3, 2, "not as deep as its other content"},
		"properties in two depths":       {"table T\n\t\tlineageTag: 1\n\t isHidden\n", 3, 3, "not as deep as its other content"},
		"too deep under a property":      {"table T\n\tlineageTag: 1\n\t\tcolumn A\n", 3, 3, "deeper than its siblings in the table 'T' of line 1"},
		"first line indented":            {"\ttable T\n", 1, 2, "more than the 0"},
		"indentation between levels":     {"table T\n    column A\n      isHidden\n   x: y\n", 4, 4, "fits no level"},
		"expression beside properties":   {"table T\n\tmeasure M =\n\t\tSUM(x)\n\t\tformatString: 0\n", 3, 6, "indent every line of the expression one level deeper"},
		"expression not deeper":          {"table T\n\tmeasure M =\n\tVAR x = 1\n", 3, 2, "indent every line of the expression"},
		"expression beside, with a word": {"table T\n\tmeasure M =\n\t\tVAR x = 1\n", 3, 3, "measure 'M' in line 2"},
		"expression continued":           {"table T\n\tmeasure M = IF(\n\t\t1 = 1,\n", 3, 3, `start the expression on the line after the "="`},
		"expression continued deeper":    {"table T\n\tmeasure M = IF(\n\t\t\t1 = 1,\n", 3, 4, `start the expression on the line after the "="`},
		"source continued":               {"table T\n\tpartition P = m\n\t\tsource = let\n\t\t\tx = 1\n", 4, 4, "start the expression"},
		"source beside its properties":   {"table T\n\tpartition P = m\n\t\tsource =\n\t\tlet\n", 4, 3, "expression of the source in line 3"},
		"unknown expression":             {"table T\n\tx = 1\n", 2, 2, `"x" is neither`},
		"fence not closed":               {"table T\n\tmeasure M = ```\n\t\t\t1\n\tmeasure N = 1\n", 2, 14, "never closed"},
		"fence closed behind text":       {"table T\n\tmeasure M = ```\n\t\t\t1 ```\n", 2, 14, "never closed"},
		"property twice":                 {"table T\n\tisHidden\n\tlineageTag: 1\n\tISHIDDEN: false\n", 4, 2, "property ISHIDDEN twice, the first time in line 2"},
		"property twice among many":      {"table T\n" + strings.Repeat("\tp%: 1\n", 40) + "\tisHidden\n\tisHidden\n", 43, 2, "twice, the first time in line 42"},
		"property twice around a child":  {"table T\n\tisHidden\n\tcolumn A\n\tisHidden\n", 4, 2, "table 'T' has the property isHidden twice"},
		"measure at the outermost":       {"measure M = 1\n", 1, 1, "belongs in a table"},
		"column in a measure":            {"table T\n\tmeasure M = 1\n\t\tcolumn C\n", 3, 3, "a column is not allowed in a measure"},
		"table in a table":               {"table T\n\ttable U\n", 2, 2, "outermost level"},
		"level in a table":               {"table T\n\tlevel U\n", 2, 2, "belongs in a hierarchy"},
		"calculation item in a table":    {"table T\n\tcalculationItem U = 1\n", 2, 2, "belongs in a calculationGroup"},
		"deep":                           {deep, tmdl.MaxDepth + 1, tmdl.MaxDepth + 1, "nest deeper"},
		"NUL":                            {"table T\n\tcolumn a\x00b\n", 2, 10, "NUL"},
		"not UTF-8":                      {"table T\r\n\tcolumn é\xff\n", 2, 10, "UTF-8"},
		"UTF-16":                         {"\xff\xfet\x00", 1, 1, "UTF-8"},
		"place behind other line ends":   {"table T\r\r\n\n\r\tlet\r", 5, 2, "let"},
		"column counts characters":       {"\ufefftable 'ÄÖÜ' x\n", 1, 13, "blanks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := c.src
			for i := 0; strings.Contains(src, "%"); i++ {
				src = strings.Replace(src, "%", strings.Repeat("x", i+1), 1)
			}
			doc, err := tmdl.Parse("tables/T.tmdl", []byte(src))
			syntax, ok := errors.AsType[*tmdl.SyntaxError](err)
			if !ok {
				t.Fatalf("got %v, want a syntax error", err)
			}
			if doc != nil {
				t.Error("got a document with the error")
			}
			if syntax.File != "tables/T.tmdl" || syntax.Line != c.line || syntax.Column != c.column {
				t.Errorf("got place %s:%d:%d, want tables/T.tmdl:%d:%d", syntax.File, syntax.Line, syntax.Column, c.line, c.column)
			}
			if !strings.Contains(err.Error(), c.message) {
				t.Errorf("got %q, want it to say %q", err, c.message)
			}
		})
	}
}

// Only the line directly after an expression may be reported as its continuation.
func TestParseErrorsNamePreviousLineOnly(t *testing.T) {
	t.Parallel()
	_, err := tmdl.Parse("x", []byte("table T\n\tmeasure M = IF(\n\t\tisHidden\n\t\t1 = 1,\n"))
	if err == nil || !strings.Contains(err.Error(), "expected an object") || strings.Contains(err.Error(), "'M'") {
		t.Errorf("got %v, want what is expected without a word about the measure", err)
	}
}

func TestParseLimits(t *testing.T) {
	t.Parallel()
	padded := func(n int) []byte { return append([]byte("table T\n"), bytes.Repeat([]byte{'\n'}, n-8)...) }
	if _, err := tmdl.Parse("x", padded(tmdl.MaxSize)); err != nil {
		t.Errorf("a file of MaxSize: got %v, want none", err)
	}
	if _, err := tmdl.Parse("x", padded(tmdl.MaxSize+1)); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("a file beyond MaxSize: got %v, want a refusal", err)
	}
	roles := func(n int) []byte { return bytes.Repeat([]byte("role a\n"), n) }
	if _, err := tmdl.Parse("x", roles(tmdl.MaxNodes)); err != nil {
		t.Errorf("MaxNodes objects: got %v, want none", err)
	}
	_, err := tmdl.Parse("x", roles(tmdl.MaxNodes+1))
	if syntax, ok := errors.AsType[*tmdl.SyntaxError](err); !ok || syntax.Line != tmdl.MaxNodes+1 {
		t.Errorf("one more: got %v, want a refusal in its line", err)
	}
}
