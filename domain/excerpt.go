package domain

import "strings"

// excerpt is how many characters of a text that a caller or a model may choose are
// repeated in a message.
const excerpt = 100

// Excerpt returns the beginning of a text, for a message. A text that is cut ends in "…".
func Excerpt(text string) string {
	n := 0
	for i := range text {
		if n == excerpt {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// ExcerptID returns a caller's id, cut to the length of a UUID, for a message.
func ExcerptID(id string) string { return strings.ToValidUTF8(id[:min(len(id), 36)], "") }
