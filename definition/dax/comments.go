package dax

import "strings"

// WithoutComments returns the expression with each comment replaced by a blank.
// String literals and names that look like comments are kept, and so is the line
// break that ends a comment.
func WithoutComments(expression string) string {
	var b strings.Builder
	for at := 0; at < len(expression); {
		t := next(expression, at)
		at = t.end
		if c := expression[t.start]; t.kind == blank && (c == '/' || c == '-') {
			b.WriteByte(' ')
		} else {
			b.WriteString(expression[t.start:t.end])
		}
	}
	return b.String()
}
