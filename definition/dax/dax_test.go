package dax_test

import (
	"strings"
	"testing"

	"readiness/definition/dax"

	"github.com/google/go-cmp/cmp"
)

// written formats references as DAX writes them.
func written(refs []dax.Reference) string {
	var out []string
	for _, r := range refs {
		s := "[" + strings.ReplaceAll(r.Name, "]", "]]") + "]"
		if r.Qualified {
			s = "'" + strings.ReplaceAll(r.Table, "'", "''") + "'" + s
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func calls(e dax.Expression) string {
	var out []string
	for _, c := range e.Calls {
		out = append(out, c.Name+"("+written(c.References)+")")
	}
	return strings.Join(out, " ")
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ expression, references, calls string }{
		"nothing":                       {"", "", ""},
		"a bare reference":              {"[Sales]", "[Sales]", ""},
		"an unquoted table":             {"Sales[Amount]", "'Sales'[Amount]", ""},
		"a quoted table":                {"'Fact Sales'[Net Amount]", "'Fact Sales'[Net Amount]", ""},
		"doubled quotes":                {"'Bob''s'[A]", "'Bob''s'[A]", ""},
		"doubled brackets":              {"Sales[a]]b] + [c]]]", "'Sales'[a]]b] [c]]]", ""},
		"space before the bracket":      {"Sales [Amount]", "[Amount]", ""},
		"comment before the bracket":    {"'Sales'/**/[Amount]", "[Amount]", ""},
		"letters of any script":         {"Größe_2.x[Höhe]", "'Größe_2.x'[Höhe]", ""},
		"a digit starts no table":       {"2Sales[Amount]", "[Amount]", ""},
		"an extension column":           {"[@total] + Sales[@x] + [x@]", "'Sales'[@x] [x@]", ""},
		"an empty table":                {"''[A]", "''[A]", ""},
		"a table alone":                 {"COUNTROWS('Sales')", "", "COUNTROWS()"},
		"a string names nothing":        {`"[A] 'B'[C]" & [D]`, "[D]", ""},
		"a doubled quotation mark":      {`"say ""[A]""" & [B]`, "[B]", ""},
		"a line comment":                {"// [A]\n[B]", "[B]", ""},
		"a line comment ended by CR":    {"// [A]\r[B]", "[B]", ""},
		"a dashed comment":              {"1 -- [A] \n + [B]", "[B]", ""},
		"a block comment":               {"/* [A] \n // */ [B] /**/", "[B]", ""},
		"a block comment needs its end": {"[A] /*/ [B]", "[A]", ""},
		"a string in a comment":         {"// \"\n[A]", "[A]", ""},
		"a comment in a string":         {`"//" & [A]`, "[A]", ""},
		"a comment in a name":           {"[A//B] + '--'[C]", "[A//B] '--'[C]", ""},
		"a quotation mark in a name":    {`[a"b] + [c"d]`, `[a"b] [c"d]`, ""},
		"a line break in a name":        {"[A\nB]", "[A\nB]", ""},
		"minus and division":            {"[A]-[B]/[C]", "[A] [B] [C]", ""},
		"a date hierarchy":              {"'Date'[Date].[Year]", "'Date'[Date]", ""},
		"open string":                   {`[A] & "[B]`, "[A]", ""},
		"open block comment":            {"[A] /* [B]", "[A]", ""},
		"open bracket":                  {"[A] + [B", "[A]", ""},
		"open bracket that is doubled":  {"[A] + [B]]", "[A]", ""},
		"open quote":                    {"[A] + 'B[C]", "[A]", ""},
		"bytes that are no text":        {"\xff[A]\xff", "[A]", ""},
		"a call":                        {"SUM(Sales[Amount])", "'Sales'[Amount]", "SUM('Sales'[Amount])"},
		"white space before (":          {"SUM \n (Sales[Amount])", "'Sales'[Amount]", "SUM('Sales'[Amount])"},
		"a comment before (":            {"SUM /* x */ // y\n (Sales[Amount])", "'Sales'[Amount]", "SUM('Sales'[Amount])"},
		"a name with a dot":             {"NORM.DIST([A])", "[A]", "NORM.DIST([A])"},
		"an operator before (":          {"1 + ([A])", "[A]", ""},
		"a quoted name is not called":   {"'SUM'([A])", "[A]", ""},
		"a bracket is not called":       {"[SUM](1)", "[SUM]", ""},
		"calls in calls":                {"CALCULATE(SUM(S[A]), F([B])) + [C]", "'S'[A] [B] [C]", "CALCULATE('S'[A] [B]) SUM('S'[A]) F([B])"},
		"grouping inside a call":        {"F(([A]) + [B])", "[A] [B]", "F([A] [B])"},
		"an open call":                  {"F([A], G([B]", "[A] [B]", "F([A] [B]) G([B])"},
		"a stray )":                     {") F([A])", "[A]", "F([A])"},
		"a call in a comment":           {"-- DATEADD(\nSUM([A])", "[A]", "SUM([A])"},
		"a call in a string":            {`"DATEADD(" & [A]`, "[A]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := dax.Read(tt.expression)
			if diff := cmp.Diff([]string{tt.references, tt.calls}, []string{written(e.References), calls(e)}); diff != "" {
				t.Errorf("Read(%q): -want +got\n%s", tt.expression, diff)
			}
		})
	}
}

func TestReferencesForValues(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string][2]string{ // for values, of automatic date tables
		"CALCULATE([A], USERELATIONSHIP(S[a], D[a]), D[b] = 1)":    {"[A] 'D'[b]", ""},
		"CALCULATE(SUM(S[a]), CrossFilter(S[a], D[a], BOTH))":      {"'S'[a]", ""},
		"USERELATIONSHIP(S[a], USERELATIONSHIP(D[a], D[b])) + [A]": {"[A]", ""},
		"USERELATIONSHIP(S[a]": {"", ""},
		"CALCULATE([A], SAMEPERIODLASTYEAR('Date'[Date] . [Date])) + D[d].[Year] + [B]": {"[A] 'Date'[Date] 'D'[d] [B]", "'Date'[Date] 'D'[d]"},
		"1.[A] + S[a] & \".\" & [B]": {"[A] 'S'[a] [B]", ""},
		"[A].":                       {"[A]", ""},
	} {
		e := dax.Read(expression)
		if got := [2]string{written(e.Values()), written(e.Automatic)}; got != want {
			t.Errorf("%s: got %q, want %q", expression, got, want)
		}
	}
}

func TestBareReference(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"[Sales]":          "Sales",
		" \n[Sales]\t":     "Sales",
		"[a]]b]":           "a]b",
		"[Sales] + 1":      "",
		"[Sales][Cost]":    "",
		"[Sales":           "",
		"[Sales]]":         "",
		"Sales[Amount]":    "",
		"'Sales'[Amount]":  "",
		"[@x]":             "",
		"// c\n[Sales]":    "",
		"[Sales] -- alias": "",
		"([Sales])":        "",
		"":                 "",
	} {
		got, ok := dax.BareReference(expression)
		if !ok {
			got = ""
		}
		if got != want || ok != (want != "") {
			t.Errorf("BareReference(%q) = %q, %v, want %q", expression, got, ok, want)
		}
	}
}

// Read walks deep nesting without recursion, and calls share their references
// without copies.
func TestReadDeepNesting(t *testing.T) {
	t.Parallel()
	const depth = 200_000
	e := dax.Read(strings.Repeat("F(", depth) + "[A]" + strings.Repeat(")", depth) + "[B]")
	if len(e.References) != 2 || len(e.Calls) != depth {
		t.Fatalf("got %d references and %d calls, want 2 and %d", len(e.References), len(e.Calls), depth)
	}
	for i, c := range e.Calls {
		if len(c.References) != 1 {
			t.Fatalf("call %d holds %d references, want 1", i, len(c.References))
		}
	}
}

func BenchmarkRead(b *testing.B) {
	expression := strings.Repeat("VAR x = CALCULATE(SUM('Fact Sales'[Net Amount]), USERELATIONSHIP(Sales[Ship], 'Date'[Date])) -- note\n", 100)
	b.SetBytes(int64(len(expression)))
	for b.Loop() {
		dax.Read(expression)
	}
}
