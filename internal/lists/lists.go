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
