package comparison

import (
	"strings"
	"unicode"

	"readiness/definition/dax"
)

// Orders tells whether a DAX query has an ORDER BY outside of a subexpression: only
// then may the order of its rows matter (regime D.3 (4)).
func Orders(query string) bool {
	var words []string // outside of parentheses, names and strings
	depth, start := 0, -1
	var open rune                                                          // what closes the name or string that is open
	query = strings.ReplaceAll(dax.WithoutComments(query), "]]", "") + " " // ]] is within a name
	for i, r := range query {
		isWord := open == 0 && depth == 0 && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
		switch {
		case isWord && start < 0:
			start = i
		case !isWord && start >= 0:
			words = append(words, query[start:i])
			start = -1
		}
		switch {
		case open != 0:
			if r == open {
				open = 0 // a doubled quote opens it again
			}
		case r == '"' || r == '\'':
			open = r
		case r == '[':
			open = ']'
		case r == '(' || r == '{':
			depth++
		case r == ')' || r == '}':
			depth = max(0, depth-1)
		}
	}
	for i := 1; i < len(words); i++ {
		if strings.EqualFold(words[i-1], "order") && strings.EqualFold(words[i], "by") {
			return true
		}
	}
	return false
}
