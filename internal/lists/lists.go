// Package lists has what the standard library's slices lacks.
package lists

// Map returns what of returns for each element of the list, in its order; an empty list, never nil, for an empty one.
func Map[From, To any](list []From, of func(From) To) []To {
	all := make([]To, len(list))
	for i, v := range list {
		all[i] = of(v)
	}
	return all
}

// Where returns the elements for which keep is true, in their order; nil for none.
func Where[T any](list []T, keep func(T) bool) (kept []T) {
	for _, v := range list {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// Count returns for how many elements is is true.
func Count[T any](list []T, is func(T) bool) (n int) {
	for _, v := range list {
		if is(v) {
			n++
		}
	}
	return n
}
