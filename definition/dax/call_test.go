package dax_test

import (
	"strings"
	"testing"

	"readiness/definition/dax"
)

func TestCalls(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]struct{ sole, result string }{
		"":                                      {"", ""},
		"1":                                     {"", ""},
		"x":                                     {"", ""},
		"()":                                    {"", ""},
		"TODAY()":                               {"TODAY", "TODAY"},
		"countrows ( T )":                       {"COUNTROWS", "COUNTROWS"},
		"-- a\n( (COUNTROWS(T)) ) /* b */":      {"COUNTROWS", "COUNTROWS"},
		"COUNTROWS(T) + 0":                      {"", ""},
		"(COUNTROWS(T)) + (COUNTROWS(T))":       {"", ""},
		"-COUNTROWS(T)":                         {"", ""},
		"COUNTROWS(T":                           {"", ""},
		"COUNTROWS(T))":                         {"", ""},
		"{COUNTROWS(T)}":                        {"", ""},
		"[m](T)":                                {"", ""},
		"CALCULATE(COUNTROWS(T), T[a] = 1)":     {"CALCULATE", "COUNTROWS"},
		"CALCULATE(COUNTROWS(T) + 1, T[a] = 1)": {"CALCULATE", ""},
		"CALCULATE()":                           {"CALCULATE", ""},
		"calculate((CALCULATE((COUNTROWS(T)), 1)), 2)":           {"CALCULATE", "COUNTROWS"},
		"VAR x = 1 RETURN COUNTROWS(T)":                          {"", "COUNTROWS"},
		"VAR x = COUNTROWS(T) RETURN x":                          {"", "COUNTROWS"},
		"VAR x = COUNTROWS(T) RETURN (X)":                        {"", "COUNTROWS"},
		"VAR x = COUNTROWS(T) RETURN x + 1":                      {"", ""},
		"VAR x = COUNTROWS(T) RETURN y":                          {"", ""},
		"VAR x = COUNTROWS(T)":                                   {"", ""},
		"VAR x = x RETURN x":                                     {"", ""},
		"VAR x = y VAR y = COUNTROWS(T) RETURN x":                {"", ""},
		"VAR x = COUNTROWS(T) VAR y = x RETURN y":                {"", "COUNTROWS"},
		"VAR x = VAR y = COUNT(T[a]) RETURN y RETURN x":          {"", "COUNT"},
		"CALCULATE(VAR x = SUM(T[a]) RETURN x, T[b] = 1)":        {"CALCULATE", "SUM"},
		"VAR x = CALCULATE(COUNTA(T[a])) RETURN CALCULATE(x, 1)": {"", "COUNTA"},
	} {
		if got := dax.SoleCall(expression); got != want.sole {
			t.Errorf("%s: got call %q, want %q", expression, got, want.sole)
		}
		if got := dax.ResultCall(expression); got != want.result {
			t.Errorf("%s: got call of the result %q, want %q", expression, got, want.result)
		}
	}
}

// The time is proportional to the length, whatever the nesting.
func TestCallsOfDeepExpressions(t *testing.T) {
	t.Parallel()
	const deep = 50_000
	for name, tt := range map[string]struct{ expression, want string }{
		"parentheses": {strings.Repeat("(", deep) + "COUNT(1)" + strings.Repeat(")", deep), "COUNT"},
		"calls":       {strings.Repeat("CALCULATE(", deep) + "COUNT(1)" + strings.Repeat(")", deep), "COUNT"},
		"open calls":  {strings.Repeat("CALCULATE(", deep) + "COUNT(1)", ""},
		"variables":   {"VAR x = COUNT(1) " + strings.Repeat("VAR x = x ", deep) + "RETURN x", "COUNT"},
		"in order":    {strings.Repeat("VAR x = (", deep) + "COUNT(1)" + strings.Repeat(") RETURN x", deep), "COUNT"},
		"nested":      {strings.Repeat("VAR x = ", deep) + "1" + strings.Repeat(" RETURN x", deep), ""},
	} {
		if got := dax.ResultCall(tt.expression); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
