package modelquery

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a name, a number, a text or a symbol of DAX.
type token struct {
	kind rune   // 'a' keyword, '1' number, '"' text, '\” table, '[' column or measure, '=' symbol
	text string // unescaped
}

func tokens(s string) []token {
	var all []token
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		end := size
		while := func(f func(rune) bool) {
			for end < len(s) {
				next, n := utf8.DecodeRuneInString(s[end:])
				if !f(next) {
					return
				}
				end += n
			}
		}
		switch {
		case unicode.IsSpace(r):
			s = s[size:]
			continue
		case r == '"' || r == '\'' || r == '[':
			text, n := enclosed(s)
			all = append(all, token{r, text})
			s = s[n:]
			continue
		case '0' <= r && r <= '9':
			while(func(r rune) bool { return '0' <= r && r <= '9' || r == '.' })
			all = append(all, token{'1', s[:end]})
		case unicode.IsLetter(r):
			while(func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' })
			all = append(all, token{'a', s[:end]})
		case slices.Contains([]string{"<=", ">=", "<>", "&&"}, s[:min(2, len(s))]):
			end = 2
			all = append(all, token{'=', s[:2]})
		default:
			all = append(all, token{'=', s[:size]})
		}
		s = s[end:]
	}
	return all
}

// enclosed reads a text or a name, in which the closing mark is doubled.
func enclosed(s string) (text string, length int) {
	mark := s[:1]
	if mark == "[" {
		mark = "]"
	}
	for at := 1; ; at += 2 {
		i := strings.Index(s[at:], mark)
		if i < 0 {
			return s[1:], len(s)
		}
		at += i
		if !strings.HasPrefix(s[at+1:], mark) {
			return strings.ReplaceAll(s[1:at], mark+mark, mark), at + 1
		}
	}
}
