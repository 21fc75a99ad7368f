// Package optional reads values that may be absent: nil pointers of decoded JSON and of rows.
package optional

// Value returns *p, or the zero value if p is nil.
func Value[T any](p *T) (v T) {
	return Or(p, v)
}

// Or returns *p, or absent if p is nil.
func Or[T any](p *T, absent T) T {
	if p == nil {
		return absent
	}
	return *p
}

// Text returns *p as a plain string, or "" if p is nil.
func Text[T ~string](p *T) string {
	return string(Value(p))
}
