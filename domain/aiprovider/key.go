package aiprovider

import (
	"fmt"
	"strings"

	"readiness/domain"
)

// maxKey is the maximum length of a key, in characters.
const maxKey = 4096

// Key is a provider's API key. Printing, encoding or logging it never shows the key;
// only Reveal returns it. The zero Key is no key.
type Key struct {
	// text is a pointer so that code which prints a Key without calling its methods
	// prints an address.
	text *string
}

// NewKey returns the key with the given text, or refuses a text that no HTTP header can
// carry. The refusal does not repeat the text.
func NewKey(text string) (Key, error) {
	notVisible := func(r rune) bool { return r <= ' ' || r > '~' }
	if text == "" || len(text) > maxKey || strings.ContainsFunc(text, notVisible) {
		return Key{}, domain.Refuse(domain.InvalidRequest, "apiKey must be 1 to %d visible ASCII characters without blanks",
			maxKey).About("member", "apiKey")
	}
	return Key{&text}, nil
}

// Reveal returns the key itself; "" for the zero Key.
func (k Key) Reveal() string {
	if k.text == nil {
		return ""
	}
	return *k.text
}

// IsZero reports whether k is the zero Key.
func (k Key) IsZero() bool { return k.text == nil }

// Equal reports whether both are the same key.
func (k Key) Equal(other Key) bool {
	return k.Reveal() == other.Reveal() && k.IsZero() == other.IsZero()
}

// hidden is printed instead of a key.
const hidden = "(API key)"

// String implements fmt.Stringer.
func (Key) String() string { return hidden }

// GoString implements fmt.GoStringer.
func (Key) GoString() string { return hidden }

// Format implements fmt.Formatter, for every verb.
func (Key) Format(s fmt.State, _ rune) { fmt.Fprint(s, hidden) }

// MarshalText implements encoding.TextMarshaler, which JSON and log encoders use.
func (Key) MarshalText() ([]byte, error) { return []byte(hidden), nil }
