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

// Set returns the elements as a set.
func Set[T comparable](list []T) map[T]bool {
	return SetOf(list, func(v T) T { return v })
}

// SetOf returns the set of what of returns for each element.
func SetOf[T any, K comparable](list []T, of func(T) K) map[K]bool {
	set := make(map[K]bool, len(list))
	for _, v := range list {
		set[of(v)] = true
	}
	return set
}

// Index returns the elements by their keys; of those with one key the last.
func Index[T any, K comparable](list []T, key func(T) K) map[K]T {
	index := make(map[K]T, len(list))
	for _, v := range list {
		index[key(v)] = v
	}
	return index
}

// Compare calls each for the elements of both lists by their longest common sequence, in order; where elements are replaced, those of a
// come first.
func Compare[T comparable](a, b []T, each func(v T, inA, inB bool)) {
	common := make([][]int32, len(a)+1) // [i][j] is the length of the longest common sequence of a[i:] and b[j:]
	cells := make([]int32, (len(a)+1)*(len(b)+1))
	for i := range common {
		common[i] = cells[i*(len(b)+1) : (i+1)*(len(b)+1)]
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			each(a[i], true, true)
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			each(a[i], true, false)
			i++
		default:
			each(b[j], false, true)
			j++
		}
	}
}
