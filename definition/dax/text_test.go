package dax_test

import (
	"strings"
	"testing"

	"readiness/definition/dax"
)

func TestYieldsText(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]bool{
		"":                                    false,
		"1":                                   false,
		"[a]":                                 false,
		`"a"`:                                 true,
		`/* x */ "a" // y`:                    true,
		`"a" = [x]`:                           true,
		`[x] = "a"`:                           false,
		`(("a"))`:                             true,
		`("a") = ("b")`:                       false,
		`[a] & [b]`:                           true,
		`([a] & [b])`:                         true,
		`[a] && [b]`:                          false,
		`[a] & & [b]`:                         true,
		`F([a] & [b])`:                        false,
		`[a] + ([a] & [b])`:                   false,
		`FORMAT([a], "0")`:                    true,
		`format ([a], "0")`:                   true,
		`FORMAT([a], "0") + 1`:                false,
		`LEN(FORMAT([a], "0"))`:               false,
		`FORMAT([a]`:                          false,
		"CONCATENATE([a], [b])":               true,
		"CONCATENATEX(T, [a])":                true,
		"COMBINEVALUES(1, 2)":                 true,
		"UNICHAR(1)":                          true,
		"SUBSTITUTE([a], 1, 2)":               true,
		"UPPER([a])":                          true,
		"LOWER([a])":                          true,
		"TRIM([a])":                           true,
		"LEFT([a], 1)":                        true,
		"RIGHT([a], 1)":                       true,
		"MID([a], 1, 2)":                      true,
		"REPT([a], 2)":                        true,
		"MAX(T[a])":                           false,
		`IF([a], "x", "y")`:                   true,
		`IF("a" = "b", 1, 2)`:                 false,
		`IF([a], "x")`:                        true,
		`IF([a], "x", 1)`:                     false,
		`IF([a], "x", BLANK())`:               true,
		`IF([a], BLANK(), BLANK())`:           false,
		`IF([a])`:                             false,
		`SWITCH([a], 1, "x", 2, "y")`:         true,
		`SWITCH([a], 1, "x", 2, "y", "z")`:    true,
		`SWITCH([a], 1, "x", 2, 3, "z")`:      false,
		`SWITCH([a], "1", "x", "2", "y", 3)`:  false,
		`SWITCH(TRUE(), [a] > 1, UNICHAR(9))`: true,
		`SWITCH([a], "x")`:                    false,
		`IFERROR("x", "y")`:                   true,
		`IFERROR("x", 1)`:                     false,
		`COALESCE([a], "y")`:                  false,
		`COALESCE(UPPER([a]), BLANK(), "y")`:  true,
		`CALCULATE("x", T[a] = 1)`:            true,
		`CALCULATE([a], T[a] = "x")`:          false,
		`IF([a], IF([b], "x", "y"), CALCULATE((UPPER([c]))))`:              true,
		`IF([a], {"x", "y"}, "z")`:                                         false,
		`{ [a] & [b] }`:                                                    true,
		`VAR x = 1 RETURN "a"`:                                             true,
		`VAR x = "a" RETURN x`:                                             true,
		`var x = "a" return (X)`:                                           true,
		`VAR x = 1 RETURN x`:                                               false,
		`VAR x = "a" VAR y = x RETURN y`:                                   true,
		`VAR x = y VAR y = "a" RETURN x`:                                   false,
		`VAR x = x RETURN x`:                                               false,
		`VAR x = "a" RETURN IF([b], x, BLANK())`:                           true,
		`VAR b = BLANK() VAR x = "a" RETURN IF([b], x, b)`:                 true,
		`VAR x = VAR y = "a" RETURN y RETURN x`:                            true,
		`VAR x = (VAR y = "a" RETURN y) RETURN x`:                          true,
		`VAR x = VAR y = VAR z = "a" RETURN z RETURN y RETURN x`:           true,
		`VAR x = VAR y = VAR z = 1 RETURN z VAR w = "a" RETURN w RETURN x`: true,
		`VAR x = "a" RETURN (VAR x = 1 RETURN x)`:                          false,
		`VAR x = "a" RETURN x & 1`:                                         true,
		`VAR x = "a"`:                                                      false,
		`VAR x RETURN "a"`:                                                 true,
		`x`:                                                                false,
		`T[a]`:                                                             false,
	} {
		if got := (dax.Texts{}).Yields(expression); got != want {
			t.Errorf("%s: got %v, want %v", expression, got, want)
		}
	}
}

func TestYieldsTextOfColumnsAndMeasures(t *testing.T) {
	t.Parallel()
	texts := dax.Texts{
		Column:  func(r dax.Reference) bool { return r.Name == "s" && (r.Table == "T" || !r.Qualified) },
		Measure: func(name string) bool { return name == "title" },
	}
	for expression, want := range map[string]bool{
		"MIN(T[s])":                           true,
		"MAX('T'[s])":                         true,
		"SELECTEDVALUE([s])":                  true,
		"selectedvalue(T[s], 1)":              true,
		"VALUES(T[s])":                        true,
		"DISTINCT(T[s])":                      true,
		"FIRSTNONBLANK(T[s], 1)":              true,
		"LASTNONBLANK(T[s], 1)":               true,
		"LOOKUPVALUE(T[s], T[n], 1)":          true,
		"MAX(T[n])":                           false,
		"MAX(T[s] + 1)":                       false,
		"MAX(T [s])":                          false,
		"SUM(T[s])":                           false,
		"MAX(1, T[s])":                        false,
		"[title]":                             true,
		"([title])":                           true,
		"[other]":                             false,
		"T[title]":                            false,
		"[title] + 1":                         false,
		"IF([a], [title], MAX(T[s]))":         true,
		"VAR x = [title] RETURN x":            true,
		"CALCULATE([title], T[a] = 1)":        true,
		"IF(HASONEVALUE(T[s]), VALUES(T[s]))": true,
	} {
		if got := texts.Yields(expression); got != want {
			t.Errorf("%s: got %v, want %v", expression, got, want)
		}
	}
}

// The time is proportional to the length, whatever the nesting and however often a
// variable is used.
func TestYieldsTextOfDeepExpressions(t *testing.T) {
	t.Parallel()
	const deep = 50_000
	for name, tt := range map[string]struct {
		expression string
		want       bool
	}{
		"parentheses":      {strings.Repeat("(", deep) + `"a"` + strings.Repeat(")", deep), true},
		"calls":            {strings.Repeat("IF([a],", deep) + `"a"` + strings.Repeat(")", deep), true},
		"open calls":       {strings.Repeat("IF([a],", deep) + `"a"`, false},
		"variables":        {`VAR x0 = "a" ` + strings.Repeat("VAR x0 = IF([a], x0, x0) ", deep) + "RETURN x0", true},
		"nested variables": {strings.Repeat("VAR x = ", deep) + `"a"` + strings.Repeat(" RETURN x", deep), false},
		"open variables":   {strings.Repeat("VAR x = ", deep), false},
	} {
		if got := (dax.Texts{}).Yields(tt.expression); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}

// What is composed is a label; a choice among texts is none, nor is a list.
func TestComposes(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]bool{
		`"a"`: false, `"a" & [x]`: true, `FORMAT([x], "0")`: true, `FORMAT([x], "0") + 1`: false, `CONCATENATE([x], "a")`: true, `COMBINEVALUES("a", 1)`: true,
		`CONCATENATEX(T, T[a])`: false, `UPPER([x])`: false, `IF([x] > 0, "up", "down")`: false, `IF([x] > 0, "up", FORMAT([x], "0"))`: true,
		`SWITCH(TRUE(), [x] > 0, "a" & [x], "b")`: true, `IF([x], "a" & [x], 1)`: false, `VAR a = [x] & "" RETURN a`: true, `IF([x], BLANK(), "a" & [x])`: true,
	} {
		if got := dax.Composes(expression); got != want {
			t.Errorf("%s: got %v, want %v", expression, got, want)
		}
	}
}
