package tmdl

// room allocates slices from large blocks, because all parts of a document have the
// same lifetime.
type room[T any] struct {
	block []T // handed out up to its length
	taken int // elements ever handed out
	usual int // bytes of a file per element
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

// grow appends a zero value to the slice, which is empty or was returned by grow.
// The slice that grew last grows in place.
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

// reserve ensures that the block has room for n more elements. A new block suffices
// for the rest of the file if it continues as dense as it began and no denser than
// usual, but has room for at most twice the elements handed out so far.
func (r *room[T]) reserve(n int, at progress) {
	if n <= cap(r.block)-len(r.block) {
		return
	}
	// A slice that fills its block moves to one of twice the size, so growing costs
	// a constant amount per element.
	const least, most = 16, 1024
	taken := r.taken + n
	rest := (at.size - at.read) / max(at.read/taken, r.usual, 1)
	r.block = make([]T, 0, n+min(rest, max(taken, least), max(n, most)))
}
