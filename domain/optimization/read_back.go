package optimization

import (
	"fmt"
	"iter"

	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/internal/lists"
)

// readBack compares the model with a write that the platform reports as made. The write has landed only if every value
// is the written one. A platform may keep less than it took, and another person may have changed the model since.
func (w Work) readBack(write int, values []rewrite.Value) (Plan, error) {
	lost, all := 0, 0
	var first Object
	for o, found := range w.found(write, values) {
		all++
		switch {
		case found.written:
		case !found.previous:
			return Plan{}, domain.Refuse(domain.ItemChanged, "the platform took the write, and then another person changed %s: %s; "+
				"the other values of this write may be on the model, so look at it before you write it again",
				o.property(), o.present(found.value)).
				About("key", o.Key)
		default:
			if lost++; lost == 1 {
				first = o
			}
		}
	}
	if lost > 0 {
		return Plan{}, domain.Refuse(domain.OptimizationFailed, "the platform took the write and did not keep %d of its %d values, such "+
			"as %s; look at the semantic model before you write it again", lost, all, first.property()).About("key", first.Key)
	}
	return Plan{Landed: true}, nil
}

// property returns the name of the object's property in messages.
func (o Object) property() string { return "the " + string(o.Property) + " of " + o.named() }

// present says what the model has of the object.
func (o Object) present(v rewrite.Value) string {
	switch {
	case !v.Found:
		return "the model no longer holds it"
	case v.Text == nil:
		return "it has none now"
	}
	return fmt.Sprintf("it is now %q", domain.Excerpt(*v.Text))
}

// now is what the model has of an object of an intended write.
type now struct {
	value             rewrite.Value
	previous, written bool // whether that is the previous value, or the written one
	same              bool // whether these are one
}

// found returns the objects of an intended write as they were sent, with what the model has of each. An object whose
// value does not change is the same.
func (w Work) found(write int, values []rewrite.Value) iter.Seq2[Object, now] {
	intended := w.Progress[write].Intended
	wanted := lists.Index(intended.Undo, func(u rewrite.Undo) rewrite.Target { return u.Target })
	return func(yield func(Object, now) bool) {
		for i, o := range w.Writes[write].Objects {
			u, ok := wanted[o.Target()]
			if !ok {
				continue
			}
			sent, v := w.asRead(o, u), values[i]
			is := func(text *string) bool { return v.Found && rewrite.Same(u.Property, v.Text, text) }
			if rewrite.Same(u.Property, sent.Previous, sent.Written) { // they differ only in layout
				is = func(text *string) bool { return v.Found && same(v.Text, text) }
			}
			if !yield(o, now{v, is(sent.Previous), is(sent.Written), same(sent.Previous, sent.Written)}) {
				return
			}
		}
	}
}
