package dax_test

import (
	"strings"
	"testing"

	"readiness/definition/dax"

	"github.com/google/go-cmp/cmp"
)

func TestFault(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"":                            "",
		"SUM('a b'[c]) + {1, (2)}":    "",
		`"a""b" & "(" & [(] & '{'[x`:  "a name in brackets without end",
		`"a""b" & "(" & [(] & '{'[x]`: "",
		`"a`:                          "a string without end",
		`"a""`:                        "a string without end",
		"'a[b]":                       "a quoted name without end",
		"[a]]":                        "a name in brackets without end",
		"1 /* a":                      "a comment without end",
		"1 /*/":                       "a comment without end",
		"1 /**/":                      "",
		"1 // ( '":                    "",
		"(1":                          `"(" without ")"`,
		"1)":                          `")" without "("`,
		"{1":                          `"{" without "}"`,
		"1}":                          `"}" without "{"`,
		"({1)}":                       `"{" without "}"`,
		"]":                           "",
	} {
		if got := dax.Inspect(expression).Fault; got != want {
			t.Errorf("%s: got %q, want %q", expression, got, want)
		}
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ expression, qualified, variables, literals string }{
		"nothing":         {"", "", "", ""},
		"bare":            {"[a]", "", "", ""},
		"unquoted":        {"Sales[a] + SUM ( sales[b] )", "Sales[a] sales[b]", "", ""},
		"quoted":          {"'Fact ''x'[a]]b]", "'Fact 'x'[a]b]", "", ""},
		"a space between": {"Sales [a]", "", "", ""},
		"a keyword": {"VAR x = 1 return[a] + IN[b] + not[c] + AND[d] + OR[e] + ORDER[f] + BY[g] + ASC[h] + DESC[i]", "", "x",
			""},
		"more keywords":              {"EVALUATE[a] + DEFINE[b] + MEASURE[c] + COLUMN[d] + TABLE[e] + START[f] + AT[g] + VAR[h]", "", "", ""},
		"a quoted keyword":           {"'Return'[a]", "'Return'[a]", "", ""},
		"variables":                  {"VAR a = 1 var _b = [x] RETURN a[c]", "a[c]", "a _b", ""},
		"a comment after VAR":        {"VAR /* x */ a = 1", "", "a", ""},
		"a string is no name":        {`VAR "a" = 1`, "", "", "a"},
		"literals":                   {`ADDCOLUMNS(t, "'S'[a ""b""]", 1, "", 2)`, "", "", `'S'[a "b"]|`},
		"a variation":                {"'Date'[Date].[Month]", "'Date'[Date]", "", ""},
		"in comments and in strings": {`"S[a]" /* S[b] */ -- S[c]`, "", "", "S[a]"},
	} {
		i := dax.Inspect(tt.expression)
		var qualified []string
		for _, r := range i.Qualified {
			table := r.Table
			if r.Quoted {
				table = "'" + table + "'"
			}
			qualified = append(qualified, table+"["+r.Name+"]")
		}
		got := []string{strings.Join(qualified, " "), strings.Join(i.Variables, " "), strings.Join(i.Literals, "|")}
		if diff := cmp.Diff([]string{tt.qualified, tt.variables, tt.literals}, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

func TestDividesByUnknown(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]bool{
		"":                         false,
		"[a] / [b]":                true,
		"[a] / 2":                  false,
		"[a] / 2.5":                false,
		"[a] / .5":                 false,
		"[a] / 1e5":                false,
		"[a] / - + 2":              false,
		"[a] / -[b]":               true,
		"[a] / (2)":                false,
		"[a] / (12 * (30 - 2))":    false,
		"[a] / (12 * [b])":         true,
		"[a] / (COUNT(x))":         true,
		`[a] / (1 & "x")`:          true,
		"[a] / (2":                 true,
		"[a] /":                    true,
		"[a] / SUM(x)":             true,
		`[a] / "2"`:                true,
		"1 / 2 / [b]":              true,
		"1 / /* x */ 2":            false,
		"1 // [b]":                 false,
		"1 /* / [b] */":            false,
		`"/ [b]"`:                  false,
		"[a/b] + 'c/d'[e]":         false,
		"DIVIDE([a], [b])":         false,
		"[a] / (-2) + [c] / ( 3 )": false,
	} {
		if got := dax.DividesByUnknown(expression); got != want {
			t.Errorf("%s: got %v, want %v", expression, got, want)
		}
	}
}
