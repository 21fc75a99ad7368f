package dax

import "strings"

// WithoutComments returns the expression with a blank in place of each comment;
// string literals and names keep what looks like one. The line break that ends a
// comment stays.
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
