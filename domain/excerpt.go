package domain

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
