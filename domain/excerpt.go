package domain

import "strings"

// excerpt is how many characters of a text that a caller or a model may choose are
// repeated in a message.
const excerpt = 100

// Excerpt returns the beginning of a text, for a message. A text that is cut ends in "…".
func Excerpt(text string) string { return Shortened(text, excerpt) }

// FirstCharacters returns the first n characters of a text, or all of a shorter one.
func FirstCharacters(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// Shortened returns the first n characters of a text, followed by "…" if there are more.
func Shortened(text string, n int) string {
	first := FirstCharacters(text, n)
	if len(first) < len(text) {
		return first + "…"
	}
	return text
}

// ExcerptID returns a caller's id, cut to the length of a UUID, for a message.
func ExcerptID(id string) string { return strings.ToValidUTF8(id[:min(len(id), 36)], "") }
