package dax_test

import (
	"strings"
	"testing"

	"readiness/definition/dax"
	"readiness/test/samples"
)

// tree writes a node with all parentheses, so that what it is made of shows.
func tree(n *dax.Node) string {
	var b strings.Builder
	for _, v := range n.Variables {
		b.WriteString(v.Name + " := " + tree(v.Value) + "; ")
	}
	parts := make([]string, len(n.Parts))
	for i, p := range n.Parts {
		parts[i] = tree(p)
	}
	switch n.Kind {
	case dax.NumberNode:
		b.WriteString(n.Text)
	case dax.TextNode:
		b.WriteString(`"` + n.Text + `"`)
	case dax.ColumnNode:
		b.WriteString(written([]dax.Reference{n.Reference}))
	case dax.NameNode:
		if n.Quoted {
			b.WriteString("table ")
		}
		b.WriteString(n.Text)
	case dax.CallNode:
		b.WriteString(n.Text + "(" + strings.Join(parts, ", ") + ")")
	case dax.SignNode:
		b.WriteString("(" + n.Text + " " + parts[0] + ")")
	case dax.OperationNode:
		b.WriteString("(" + parts[0] + " " + n.Text + " " + parts[1] + ")")
	case dax.ListNode:
		b.WriteString("{" + strings.Join(parts, ", ") + "}")
	case dax.TupleNode:
		b.WriteString("<" + strings.Join(parts, ", ") + ">")
	case dax.OmittedNode:
		b.WriteString("_")
	}
	return b.String()
}

func TestParse(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"":                                      "none",
		"1":                                     "1",
		" -1.50 ":                               "(- 1.50)",
		".5":                                    "0.5",
		"1e5":                                   "none",
		`"a""b"`:                                `"a"b"`,
		`"a`:                                    "none",
		"[Net]":                                 "[Net]",
		"Sales[Net] + 'A b'[c]":                 "('Sales'[Net] + 'A b'[c])",
		"Sales [Net]":                           "none",
		"'Date'[Date].[Month]":                  "none",
		"1 - 2 - 3":                             "((1 - 2) - 3)",
		"1 + 2 * 3 ^ 2 / 4":                     "(1 + ((2 * (3 ^ 2)) / 4))",
		"(1 + 2) * 3":                           "((1 + 2) * 3)",
		"-2 ^ 2":                                "(- (2 ^ 2))",
		"(-2) ^ 2":                              "((- 2) ^ 2)",
		"2 ^ -1 ^ 3 * 4":                        "(((2 ^ (- 1)) ^ 3) * 4)",
		"a && b || c && d":                      "((a && b) || (c && d))",
		"a <= 1 && b <> 2":                      "((a <= 1) && (b <> 2))",
		"[a] == -1":                             "([a] == (- 1))",
		`[a] & "x" & [b]`:                       `(([a] & "x") & [b])`,
		"[a] = 1 & 2":                           "([a] = (1 & 2))",
		"sum ( Sales[Net] )":                    "SUM('Sales'[Net])",
		"F()":                                   "F()",
		"F(1,,2)":                               "F(1, _, 2)",
		"F(,)":                                  "F(_, _)",
		"F(1":                                   "none",
		"F(1 2)":                                "none",
		"'F'(1)":                                "none",
		"STDEV.P(S[a])":                         "STDEV.P('S'[a])",
		`S[a] IN {"x", "y"}`:                    `('S'[a] IN {"x", "y"})`,
		`NOT S[a] IN {"x"}`:                     `(NOT ('S'[a] IN {"x"}))`,
		"NOT ISBLANK(S[a])":                     "(NOT ISBLANK('S'[a]))",
		"NOT(a) && b":                           "((NOT a) && b)",
		"NOT a = b":                             "none",
		"NOT (a) = b":                           "none",
		"NOT (a = b)":                           "(NOT (a = b))",
		`{("a", 1), ("b", 2)}`:                  `{<"a", 1>, <"b", 2>}`,
		`{("a", 1)}`:                            `{<"a", 1>}`,
		"(S[a], S[b]) IN T":                     "(<'S'[a], 'S'[b]> IN T)",
		"{}":                                    "none",
		"()":                                    "none",
		"COUNTROWS('My Sales')":                 "COUNTROWS(table My Sales)",
		"VAR x = [a] VAR y = x RETURN x - y":    "x := [a]; y := x; (x - y)",
		"VAR x = VAR y = 1 RETURN y RETURN x":   "x := y := 1; y; x",
		"VAR x = 1 RETURN (VAR y = 2 RETURN y)": "x := 1; y := 2; y",
		"VAR x = 1":                             "none",
		"VAR x 1 RETURN x":                      "none",
		"RETURN 1":                              "none",
		"F(VAR x = 1 RETURN x)":                 "F(x := 1; x)",
		"1 // one\n + /* two */ 2":              "(1 + 2)",
		"1; 2":                                  "none",
		"F(ASC, desc)":                          "F(ASC, desc)",
		"BY + 1":                                "none",
		"RETURN[a]":                             "none",
		strings.Repeat("(", 1000):               "none",
		strings.Repeat("-", 1000):               "none",
		strings.Repeat("F(", 1000):              "none",
		strings.Repeat("NOT ", 1000):            "none",
	} {
		got := "none"
		if n, ok := dax.Parse(expression); ok {
			got = tree(n)
		}
		if got != want {
			t.Errorf("%.80s: got %s, want %s", expression, got, want)
		}
	}
}

// FuzzParse checks that a tree has the references that Read finds.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"SUM('a''b'[c]]d])", "VAR x = {(1, 2)} RETURN NOT x IN {1}", "1 + -2 ^ .5", "F(,1)", "((", `"x""y"`} {
		f.Add(s)
	}
	for _, text := range samples.Texts(f, samples.Ending(".tmdl")) {
		for line := range strings.Lines(string(text)) {
			if _, expression, ok := strings.Cut(line, " = "); ok {
				f.Add(expression)
			}
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, ok := dax.Parse(s)
		if !ok {
			return
		}
		var found []dax.Reference
		var walk func(*dax.Node)
		walk = func(n *dax.Node) {
			for _, v := range n.Variables {
				walk(v.Value)
			}
			if n.Kind == dax.ColumnNode && (n.Reference.Qualified || !strings.HasPrefix(n.Reference.Name, "@")) {
				found = append(found, n.Reference)
			}
			for _, p := range n.Parts {
				walk(p)
			}
		}
		walk(n)
		if got, want := written(found), written(dax.Read(s).References); got != want {
			t.Errorf("%q has %s, want %s", s, got, want)
		}
		if fault := dax.Inspect(s).Fault; fault != "" {
			t.Errorf("%q is read, and has %s", s, fault)
		}
	})
}
