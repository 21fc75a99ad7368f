// Package optional reads and writes values that may be absent: nil pointers of decoded JSON and of rows.
package optional

import (
	"time"

	"github.com/google/uuid"
)

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

// Of returns a pointer to v, or nil if v is the zero value.
func Of[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// Equal reports whether both are nil, or point to equal values.
func Equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// UTC returns a time in UTC, or nil if there is none.
func UTC(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC())
}

// ID returns an id as text, or nil if there is none.
func ID(id *uuid.UUID) *string {
	if id == nil {
		return nil
	}
	return new(id.String())
}
