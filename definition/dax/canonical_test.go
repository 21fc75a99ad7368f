package dax_test

import (
	"slices"
	"testing"

	"readiness/definition/dax"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"SUM(S[a])", " sum ( ( 's'[A] ) ) -- x", "(SUM(S[a]))"},
		{"VAR x = 1 RETURN x", "var X = (1)\nreturn x"},
		{"TODAY()", "today ( )"},
		{"1 +", "1 /* */ +"}, // no complete expression
	} {
		for _, other := range same {
			if a, b := dax.Canonical(same[0]), dax.Canonical(other); a != b {
				t.Errorf("%s is %q, %s is %q", same[0], a, other, b)
			}
		}
	}
	for _, pair := range [][2]string{{`"a b"`, `"ab"`}, {"TODAY", "TODAY()"}, {"[a] - [b]", "[b] - [a]"}, {"([a] + 1) * 2", "[a] + 1 * 2"}} {
		if dax.Canonical(pair[0]) == dax.Canonical(pair[1]) {
			t.Errorf("%s and %s are the same", pair[0], pair[1])
		}
	}
}

func TestNegations(t *testing.T) {
	t.Parallel()
	for expression, other := range map[string]string{"[a] - [b]": "[b] - [a]", "-[a]": "[a]", "[a]": "-[a]", "-1 * [a]": "[a]", "[a] * -1": "[a]", "0 - [a]": "[a]", "[a] / -1": "[a]"} {
		if !slices.Contains(dax.Negations(expression), dax.Canonical(other)) {
			t.Errorf("%s: got %q, without %s", expression, dax.Negations(expression), other)
		}
	}
	if got := dax.Negations("1 +"); got != nil {
		t.Errorf("got %q", got)
	}
}
