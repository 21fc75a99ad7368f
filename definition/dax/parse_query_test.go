package dax_test

import (
	"strings"
	"testing"

	"readiness/definition/dax"
)

func writtenQuery(q dax.Query) string {
	var parts []string
	for _, d := range q.Defined {
		parts = append(parts, d.Kind+" "+d.Reference.Table+"."+d.Reference.Name+" := "+tree(d.Value))
	}
	for _, e := range q.Evaluated {
		s := "EVALUATE " + tree(e.Table)
		for _, o := range e.Order {
			s += " BY " + tree(o.By)
			if o.Descending {
				s += " DESC"
			}
		}
		for _, n := range e.StartAt {
			s += " FROM " + tree(n)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "; ")
}

func TestParseQuery(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"EVALUATE T": "EVALUATE T",
		"evaluate\n'My T'\norder by [a] desc, 'My T'[b] asc, [c]":                                   "EVALUATE table My T BY [a] DESC BY 'My T'[b] BY [c]",
		"EVALUATE T ORDER BY [a] START AT 5, \"x\"":                                                 "EVALUATE T BY [a] FROM 5 FROM \"x\"",
		"EVALUATE TOPN(2, T, [a], DESC) EVALUATE {1}":                                               "EVALUATE TOPN(2, T, [a], DESC); EVALUATE {1}",
		"DEFINE MEASURE T[m] = VAR x = 1 RETURN x VAR y = 2 TABLE U = T COLUMN T[c] = 3 EVALUATE U": "MEASURE T.m := x := 1; x; VAR .y := 2; TABLE .U := T; COLUMN T.c := 3; EVALUATE U",
		"EVALUATE VAR x = T RETURN x":                                                               "EVALUATE x := T; x",
		"-- why\nEVALUATE /* the table */ T":                                                        "EVALUATE T",
	} {
		q, _, ok := dax.ParseQuery(text)
		if got := writtenQuery(q); !ok || got != want {
			t.Errorf("%s: got %s, %v, want %s", text, got, ok, want)
		}
	}
}

func TestParseQueryNamesWhereReadingEnded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                                 0,
		"T":                                0,
		"EVALUATE":                         8,
		"EVALUATE T T":                     11,
		"EVALUATE F(1":                     12,
		"EVALUATE T ORDER [a]":             17,
		"EVALUATE T ORDER BY [a] DESC )":   29,
		"EVALUATE T ORDER BY [a] START 1":  30,
		"DEFINE EVALUATE T":                7,
		"DEFINE MEASURE m = 1 EVALUATE T":  17,
		"DEFINE VAR x 1 EVALUATE T":        13,
		"DEFINE FUNCTION f = 1 EVALUATE T": 18,
		"DEFINE":                           6,
	} {
		q, at, ok := dax.ParseQuery(text)
		if ok || at != want || q.Defined != nil || q.Evaluated != nil {
			t.Errorf("%s: got %v at %d with %v, want it to end at %d", text, ok, at, q, want)
		}
	}
}

func TestNodesKnowWhereTheyAre(t *testing.T) {
	t.Parallel()
	const text = "EVALUATE ADDCOLUMNS(T, \"x\", 1 + -[m])"
	q, _, ok := dax.ParseQuery(text)
	if !ok {
		t.Fatal("cannot be read")
	}
	call := q.Evaluated[0].Table
	sum := call.Parts[2]
	for name, c := range map[string]struct {
		node *dax.Node
		want string
	}{
		"call": {call, "ADDCOLUMNS"}, "table": {call.Parts[0], "T,"}, "text": {call.Parts[1], "\"x\""},
		"operation": {sum, "+ -"}, "sign": {sum.Parts[1], "-["}, "measure": {sum.Parts[1].Parts[0], "[m]"},
	} {
		if !strings.HasPrefix(text[c.node.At:], c.want) {
			t.Errorf("%s: is at %q, want %q", name, text[c.node.At:], c.want)
		}
	}
}
