package dax_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition/dax"
	"readiness/test/samples"
)

func FuzzRead(f *testing.F) {
	for _, s := range []string{"SUM('a''b'[c]]d])", `"x""y" // z`, "/* a */ -- b\n[c]", "USERELATIONSHIP (A[b], 'C'[d])", "'", "[", `"`, "/*", "1e5[@x]", "\xff"} {
		f.Add(s)
	}
	for _, text := range samples.Texts(f, samples.Ending(".tmdl")) {
		f.Add(string(text)) // text between expressions is a text like any other
		for line := range strings.Lines(string(text)) {
			if declaration, expression, ok := strings.Cut(line, " = "); ok && strings.HasPrefix(declaration, "\tmeasure ") {
				f.Add(expression)
			}
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		e := dax.Read(s)
		// References that are written out are found again.
		again := dax.Read(written(e.References))
		var want []dax.Reference
		for _, r := range e.References {
			if r.Qualified || !strings.HasPrefix(r.Name, "@") {
				want = append(want, r)
			}
		}
		if diff := cmp.Diff(want, again.References); diff != "" {
			t.Errorf("references written and read again: -want +got\n%s", diff)
		}
		for _, c := range e.Calls {
			if len(c.References) > len(e.References) || !strings.Contains(s, c.Name) {
				t.Errorf("call %+v is not one of %q", c, s)
			}
		}
		if name, ok := dax.BareReference(s); ok {
			if diff := cmp.Diff([]dax.Reference{{Name: name}}, e.References); diff != "" || len(e.Calls) > 0 {
				t.Errorf("%q is a bare reference, but reads otherwise: -want +got\n%s", s, diff)
			}
		}
	})
}

// Comments carry no meaning: without them the text names, calls and contains the
// same, and no comment is left.
func FuzzWithoutComments(f *testing.F) {
	for _, s := range []string{"a/**/b", "1-/*x*/-2", "'T'/* c */[x]", "F/**/(x)", "// x\r\n[y]", "-- x\rz", `"--"//`, "/*", "EVALUATE/**/x -- DEFINE", "/*/ */ /"} {
		f.Add(s)
	}
	for _, text := range samples.Texts(f, samples.Ending(".tmdl")) {
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, s string) {
		bare := dax.WithoutComments(s)
		want, got := dax.Read(s), dax.Read(bare)
		if diff := cmp.Diff([]string{written(want.References), calls(want)}, []string{written(got.References), calls(got)}); diff != "" {
			t.Errorf("%q has other names and calls than %q:\n%s", bare, s, diff)
		}
		if dax.IsQuery(s) != dax.IsQuery(bare) || dax.Defines(s) != dax.Defines(bare) || !cmp.Equal(dax.Tables(s), dax.Tables(bare)) {
			t.Errorf("%q differs from %q", bare, s)
		}
		if again := dax.WithoutComments(bare); again != bare || len(bare) > len(s) {
			t.Errorf("%q has a comment still: %q", bare, again)
		}
	})
}
