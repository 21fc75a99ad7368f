package dax_test

import (
	"strings"
	"testing"

	"readiness/definition/dax"
)

func TestInline(t *testing.T) {
	t.Parallel()
	functions := dax.Functions{
		"rows":   "() => COUNTROWS(T) // all",
		"twice":  "(n : NUMERIC) => n * 2 + T[n]",
		"a.b":    "(x, y : ANYREF EXPR) => VAR z = x RETURN z + y",
		"nested": "(x) => Twice(Rows()) + x",
		"self":   "(x) => SELF(x) + 1",
		"broken": "(x => 1",
		"empty":  "() =>",
		"none":   "1",
		"lazy":   "(x : expr, y : SCALAR NUMERIC EXPR, z : MeasureRef) => CALCULATE(x + y + z)",
		"given":  "(x, y : NUMERIC VAL = [d]) => x + y",
		"unused": "(x) => 1",
		"pair":   "(a, b) => a + b",
		"double": "(x) => double2(x) + double2(x)", "double2": "(x) => double3(x) + double3(x)", "double3": "(x) => x",
	}
	for expression, want := range map[string]string{
		"":                        "",
		"rows":                    "rows",
		"1 + ROWS () + 2":         "1 + (COUNTROWS(T) // all\n) + 2",
		"[rows]() + 'rows'":       "[rows]() + 'rows'",
		`"rows()"`:                `"rows()"`,
		"twice(1)":                "((1) * 2 + T[n]\n)",
		"twice([m])":              "(VAR n = ([m]) RETURN n * 2 + T[n]\n)",
		"twice(n)":                "(VAR n_ = (n) RETURN n_ * 2 + T[n]\n)",
		"twice(twice([m]))":       "(VAR n_ = ((VAR n = ([m]) RETURN n * 2 + T[n]\n)) RETURN n_ * 2 + T[n]\n)",
		"a.b(SUM(T[a]), F(1, 2))": "(VAR x = (SUM(T[a])) VAR z = x RETURN z + (F(1, 2))\n)",
		"lazy([m], [m], [m])":     "(CALCULATE(([m]) + ([m]) + ([m]))\n)",
		"given([m])":              "(VAR x = ([m]) VAR y = ([d]) RETURN x + y\n)",
		"given([m], 2)":           "(VAR x = ([m]) RETURN x + (2)\n)",
		"unused([m])":             "(1\n)",
		"pair([b], a)":            "(VAR a_ = ([b]) VAR b = (a) RETURN a_ + b\n)",
		"nested(3)":               "((VAR n = ((COUNTROWS(T) // all\n)) RETURN n * 2 + T[n]\n) + (3)\n)",
		"self(1)":                 "(SELF((1)) + 1\n)",
		"twice(1, 2)":             "twice(1, 2)",
		"twice(1":                 "twice(1",
		"broken(1)":               "broken(1)",
		"empty()":                 "empty()",
		"none()":                  "none()",
		"twice()":                 "(n * 2 + T[n]\n)",
	} {
		if got := functions.Inline(expression); got != want {
			t.Errorf("%s: got %q, want %q", expression, got, want)
		}
	}
}

func TestInlineEnds(t *testing.T) {
	t.Parallel()
	functions := dax.Functions{"f0": "(x) => x + x"}
	for i := range 60 {
		functions["f"+strings.Repeat("x", i+1)] = "(x) => f" + strings.Repeat("x", i) + "(x) + f" + strings.Repeat("x", i) + "(x)"
	}
	if got := functions.Inline("f" + strings.Repeat("x", 60) + "([m])"); len(got) > 1<<20 {
		t.Errorf("got %d bytes", len(got))
	}
}
