package tmdl

import (
	"errors"
	"strings"
)

var errReference = errors.New(`a reference is names joined by dots, such as Sales.'Net Price': ` +
	`a name with a dot or a quote stands in single quotes, quotes inside it doubled`)

// SplitReference returns the names of a reference, unquoted: "Sales" and
// "Net Price" for `Sales.'Net Price'`. No name is empty.
func SplitReference(reference string) ([]string, error) {
	var names []string
	for rest := reference; ; rest = rest[1:] {
		var name string
		if strings.HasPrefix(rest, "'") {
			n := quotedName(rest)
			if n == 0 {
				return nil, errReference
			}
			name, rest = unquoteName(rest[:n]), rest[n:]
		} else {
			n := strings.IndexAny(rest, ".'")
			if n < 0 {
				n = len(rest)
			}
			name, rest = rest[:n], rest[n:]
		}
		if trim(name) == "" {
			return nil, errReference
		}
		names = append(names, name)
		if rest == "" {
			return names, nil
		}
		if rest[0] != '.' {
			return nil, errReference
		}
	}
}

// quotedName returns the length of the quoted name at the start of s, quotes
// included; 0 if it has no end.
func quotedName(s string) int {
	for i := 1; ; i += 2 {
		n := strings.IndexByte(s[i:], '\'')
		if n < 0 {
			return 0
		}
		if i += n; i+1 == len(s) || s[i+1] != '\'' {
			return i + 1
		}
	}
}

func unquoteName(s string) string { return strings.ReplaceAll(s[1:len(s)-1], "''", "'") }
