package aiprovider

import (
	"fmt"
	"strings"

	"readiness/domain"
)

// maxKey bounds a key, in characters.
const maxKey = 4096

// Key is a provider's API key. However it is printed, encoded or logged, it does
// not show itself; Reveal does. The zero Key is none.
type Key struct {
	// text is a pointer, so that what prints a value that holds a Key where its
	// methods cannot be called finds an address.
	text *string
}

// NewKey returns the key of a text, or refuses what no header could carry. The
// refusal does not repeat it.
func NewKey(text string) (Key, error) {
	notVisible := func(r rune) bool { return r <= ' ' || r > '~' }
	if text == "" || len(text) > maxKey || strings.ContainsFunc(text, notVisible) {
		return Key{}, domain.Refuse(domain.InvalidRequest, "apiKey must be 1 to %d visible ASCII characters without blanks", maxKey).About("member", "apiKey")
	}
	return Key{&text}, nil
}

// Reveal returns the key itself; "" when there is none.
func (k Key) Reveal() string {
	if k.text == nil {
		return ""
	}
	return *k.text
}

// IsZero reports whether there is none.
func (k Key) IsZero() bool { return k.text == nil }

// Equal reports whether both are the same key.
func (k Key) Equal(other Key) bool {
	return k.Reveal() == other.Reveal() && k.IsZero() == other.IsZero()
}

// hidden stands for a key wherever one would be shown.
const hidden = "(API key)"

// String implements fmt.Stringer.
func (Key) String() string { return hidden }

// GoString implements fmt.GoStringer.
func (Key) GoString() string { return hidden }

// Format implements fmt.Formatter, for every verb.
func (Key) Format(s fmt.State, _ rune) { fmt.Fprint(s, hidden) }

// MarshalText implements encoding.TextMarshaler, which the encoders of JSON and
// of logs use.
func (Key) MarshalText() ([]byte, error) { return []byte(hidden), nil }
