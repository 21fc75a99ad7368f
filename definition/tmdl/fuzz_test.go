package tmdl_test

import (
	"bytes"
	"errors"
	"testing"

	"readiness/definition/tmdl"
	"readiness/test/samples"
)

// Any bytes are either refused with a position, or parsed without loss.
func FuzzParse(f *testing.F) {
	for _, src := range golden(f) {
		for _, variant := range variants(src) {
			f.Add(variant)
		}
	}
	for _, src := range samples.Texts(f, samples.Ending(".tmdl")) {
		f.Add(src)
	}
	for _, src := range []string{"a", "'", "table 'x", "table T =", "table T\n\tmeasure x =```", "\ufeff", "\r", "\r\n\r", "ref", "table T\n a\n  b\n   c", "///", "/// \ntable T", "table T\n\tx:\"", "table T\n\tx:\"\"\""} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		doc, err := tmdl.Parse("f", src)
		if err != nil {
			syntax, ok := errors.AsType[*tmdl.SyntaxError](err)
			if !ok || syntax.Line < 1 || syntax.Column < 1 || syntax.Message == "" {
				t.Fatalf("got error %#v, want a syntax error with its place", err)
			}
			return
		}
		if !bytes.Equal(doc.Bytes(), src) {
			t.Fatal("the document does not hold the bytes it was parsed from")
		}
		dump(doc)
		// Every node has its own bytes.
		nodes := 0
		for o := range doc.All() {
			nodes += 1 + len(o.Properties)
		}
		if nodes > len(src) {
			t.Fatalf("%d objects and properties in %d bytes", nodes, len(src))
		}
	})
}

// A description and a property that are set anywhere in any file that parses can be
// read back, and removing them restores the original bytes.
func FuzzEdit(f *testing.F) {
	for _, src := range golden(f) {
		f.Add(src, uint(1), "a\nb", "displayFolder", "x")
		f.Add(mixedEnds(string(src)), uint(0), " ", "summarizeBy", "\"n\"")
	}
	for _, src := range samples.Texts(f, samples.Ending(".tmdl")) {
		f.Add(src, uint(2), "What it counts.", "displayFolder", "A\\B")
	}
	f.Fuzz(func(t *testing.T, src []byte, n uint, description, property, value string) {
		doc, err := tmdl.Parse("f", src)
		if err != nil || len(doc.Objects) == 0 {
			return
		}
		var objects []*tmdl.Object
		for o := range doc.All() {
			objects = append(objects, o)
		}
		nth := int(n % uint(len(objects)))
		o := objects[nth]
		e := doc.Edit()
		if _, has := o.Property(property); has || o.Description() != "" || emptyBlock(doc, nth) || e.SetDescription(o, description) != nil || e.SetProperty(o, property, value) != nil {
			return
		}
		after, err := e.Apply()
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		for o := range after.All() {
			if i++; i == nth+1 {
				e = after.Edit()
				if err := errors.Join(e.SetDescription(o, ""), e.RemoveProperty(o, property)); err != nil {
					t.Fatal(err)
				}
			}
		}
		restored, err := e.Apply()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(restored.Bytes(), src) {
			t.Fatalf("set and taken out:\n got %q\nwant %q\n with %q", restored.Bytes(), src, after.Bytes())
		}
	})
}
