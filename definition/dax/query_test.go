package dax_test

import (
	"testing"

	"readiness/definition/dax"
)

func TestQueries(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ query, defines bool }{
		"EVALUATE ROW(\"x\", [Sales])":                {true, false},
		"// the top\nevaluate 'Sales'":                {true, false},
		"DEFINE MEASURE Sales[x] = 1\nEVALUATE {[x]}": {true, true},
		"SUM(Sales[Evaluate])":                        {false, false},
		"\"EVALUATE\"":                                {false, false},
		"-- EVALUATE":                                 {false, false},
		"/* EVALUATE */ 'EVALUATE'[DEFINE]":           {false, false},
		"EVALUATED(1)":                                {false, false},
		"":                                            {false, false},
		"EVALUATE /* DEFINE */ FILTER(T, T[x] = \"DEFINE\")": {true, false},
	} {
		if got := dax.IsQuery(text); got != want.query {
			t.Errorf("IsQuery(%q) is %v", text, got)
		}
		if got := dax.Defines(text); got != want.defines {
			t.Errorf("Defines(%q) is %v", text, got)
		}
	}
}
