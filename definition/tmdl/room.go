package tmdl

// room gives out slices of few allocations, for what a document is made of lives
// and dies together.
type room[T any] struct {
	block []T // up to its length given out
	taken int // elements ever given out
	usual int // bytes of a file for each element
}

// progress is how much of a file has been read, in bytes.
type progress struct{ read, size int }

// take returns n zero values.
func (r *room[T]) take(n int, at progress) []T {
	r.reserve(n, at)
	r.taken += n
	from, to := len(r.block), len(r.block)+n
	r.block = r.block[:to]
	return r.block[from:to:to]
}

// grow returns the slice, which is empty or one that grow returned, with a zero
// value behind it. The one that was the last to grow grows where it is.
func (r *room[T]) grow(slice []T, at progress) []T {
	n := len(slice)
	if n > 0 && (n > len(r.block) || &slice[0] != &r.block[len(r.block)-n]) {
		var zero T
		return append(slice, zero)
	}
	if len(r.block) == cap(r.block) {
		r.reserve(n+1, at)
		r.block = append(r.block, slice...)
	}
	r.taken++
	to := len(r.block) + 1
	r.block = r.block[:to]
	return r.block[to-n-1 : to : to]
}

// reserve makes sure that the block has room for n more. A new one lasts for the
// rest of the file if that goes on as it began and no denser than usual, but has
// room for no more than twice what was taken.
func (r *room[T]) reserve(n int, at progress) {
	if n <= cap(r.block)-len(r.block) {
		return
	}
	// A slice that fills its block moves to one of twice its size, so that growing
	// it costs the same for each element.
	const least, most = 16, 1024
	taken := r.taken + n
	rest := (at.size - at.read) / max(at.read/taken, r.usual, 1)
	r.block = make([]T, 0, n+min(rest, max(taken, least), max(n, most)))
}
