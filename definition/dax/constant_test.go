package dax_test

import (
	"testing"

	"readiness/definition/dax"
)

func TestIsConstant(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]bool{
		`1`: true, `"a"`: true, `-1.5`: true, `+1`: true, `( (1) ) // x`: true, `TRUE()`: true, `false ( )`: true,
		``: false, `"a`: false, `--1`: false, `- -1`: false, `NOT 1`: false, `-"a"`: false, `TRUE(1)`: false, `TODAY()`: false, `1 + 1`: false, `[a]`: false, `a`: false,
		`{1}`: false, `(1, 2)`: false, `VAR a = 1 RETURN 1`: false, `VAR a = 1 RETURN a`: false,
	} {
		if got := dax.IsConstant(expression); got != want {
			t.Errorf("%q: got %v, want %v", expression, got, want)
		}
	}
}

func TestDataTableHeader(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		`DATATABLE("a", STRING, "b""c", integer, {{"x", 1}})`: `a:STRING b"c:INTEGER `,
		`( /* x */ datatable("a", STRING))`:                   `a:STRING `,
		`DATATABLE("a", STRING, {})`:                          `a:STRING `,
		`DATATABLE("a", STRING, b, INTEGER, "c", DOUBLE)`:     `a:STRING `,
		`DATATABLE("a" & "b", STRING)`:                        ``,
		`DATATABLE("a", "STRING")`:                            ``,
		`DATATABLE(, STRING)`:                                 ``,
		`DATATABLE()`:                                         ``,
		`DATATABLE("a", STRING) + 1`:                          ``,
		`FILTER(DATATABLE("a", STRING), 1)`:                   ``,
		`DATATABLE("a", STRING`:                               ``,
		``:                                                    ``,
	} {
		got := ""
		for _, c := range dax.DataTableHeader(expression) {
			got += c.Name + ":" + c.Type + " "
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", expression, got, want)
		}
	}
}
