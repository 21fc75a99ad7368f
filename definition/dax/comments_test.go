package dax_test

import (
	"testing"

	"readiness/definition/dax"
)

func TestWithoutComments(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"":                            "",
		"SUM(S[A])":                   "SUM(S[A])",
		"1 // one\n+ 2":               "1  \n+ 2",
		"1 -- one\r\n- 2":             "1  \r\n- 2",
		"1 /* one\n// two */ + 2":     "1   + 2",
		"1 /* open":                   "1  ",
		`"// text" & "a""--b" // end`: `"// text" & "a""--b"  `,
		"[a//b] + '--'[c]":            "[a//b] + '--'[c]",
		"1 - -2 / 3":                  "1 - -2 / 3",
	} {
		if got := dax.WithoutComments(expression); got != want {
			t.Errorf("WithoutComments(%q) = %q, want %q", expression, got, want)
		}
	}
}
