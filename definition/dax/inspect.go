package dax

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inspection is what an expression says about its own soundness.
type Inspection struct {
	// Fault says what is without its counterpart, as in "a string without end"; "" if
	// the expression is complete.
	Fault string
	// Qualified are the references with a table, in order of appearance.
	Qualified []QualifiedReference
	// Variables are the names that VAR declares, Literals the contents of the string
	// literals. Both are in order of appearance.
	Variables, Literals []string
}

// QualifiedReference is 'Table'[Name] or, if not Quoted, Table[Name].
type QualifiedReference struct {
	Table, Name string
	Quoted      bool
}

// keywords before an opening bracket are no tables.
var keywords = []string{
	"RETURN", "VAR", "IN", "NOT", "AND", "OR", "ORDER", "BY", "ASC", "DESC", "EVALUATE", "DEFINE", "MEASURE", "COLUMN", "TABLE", "START",
	"AT",
}

func (t token) isWord(src string, word string) bool {
	return t.kind == identifier && strings.EqualFold(src[t.start:t.end], word)
}

func (t token) is(src string, c byte) bool { return t.kind == other && src[t.start] == c }

// Inspect returns what the expression refers to with a table, and whether strings,
// names, comments, parentheses and braces end.
func Inspect(expression string) Inspection {
	var i Inspection
	var open []byte // parentheses and braces that are not closed yet
	fault := func(what string) {
		i.Fault = cmp.Or(i.Fault, what)
	}
	var last token
	for at := 0; at < len(expression); {
		t := next(expression, at)
		at = t.end
		c := expression[t.start]
		switch {
		case t.kind == blank:
			if strings.HasPrefix(expression[t.start:], "/*") && (t.end-t.start < 4 || !strings.HasSuffix(expression[:t.end], "*/")) {
				fault("a comment without end")
			}
			continue
		case t.kind == bracket:
			if name := last.name(expression); last.end == t.start && (last.kind == quoted || last.kind == identifier && !IsKeyword(name)) {
				i.Qualified = append(i.Qualified, QualifiedReference{name, t.name(expression), last.kind == quoted})
			}
		case t.kind == identifier:
			if last.isWord(expression, "VAR") {
				i.Variables = append(i.Variables, expression[t.start:t.end])
			}
		case t.kind == other && c == '"':
			if _, ok := delimited(expression, t.start, '"'); !ok {
				fault("a string without end")
			} else {
				i.Literals = append(i.Literals, strings.ReplaceAll(expression[t.start+1:t.end-1], `""`, `"`))
			}
		case t.kind == other && c == '\'':
			fault("a quoted name without end")
		case t.kind == other && c == '[':
			fault("a name in brackets without end")
		case c == '(' || c == '{':
			open = append(open, c)
		case c == ')' || c == '}':
			if n := len(open); n == 0 {
				fault(missing[c])
			} else if last := open[n-1]; counterpart[last] != c {
				fault(missing[last])
			} else {
				open = open[:n-1]
			}
		}
		last = t
	}
	if n := len(open); n > 0 {
		fault(missing[open[n-1]])
	}
	return i
}

var (
	counterpart = map[byte]byte{'(': ')', '{': '}'}
	missing     = map[byte]string{'(': `"(" without ")"`, ')': `")" without "("`, '{': `"{" without "}"`, '}': `"}" without "{"`}
)

// IsKeyword reports whether a word before an opening bracket is no table.
func IsKeyword(name string) bool {
	return slices.ContainsFunc(keywords, func(k string) bool { return strings.EqualFold(k, name) })
}

// DividesByUnknown reports whether the expression divides by something that may be
// zero: a divisor that is, after signs, neither a number nor a parenthesis of numbers
// and operators only.
func DividesByUnknown(expression string) bool {
	tokens := lex(expression)
	for i, t := range tokens {
		if t.is(expression, '/') && !isConstant(expression, tokens[i+1:]) {
			return true
		}
	}
	return false
}

// lex returns the tokens of an expression without white space and comments.
func lex(expression string) []token {
	tokens := make([]token, 0, len(expression)/4+4)
	for at := 0; at < len(expression); {
		t := next(expression, at)
		at = t.end
		if t.kind != blank {
			tokens = append(tokens, t)
		}
	}
	return tokens
}

// isConstant reports whether tokens begin with a number or a parenthesis of numbers and
// operators, after signs.
func isConstant(src string, tokens []token) bool {
	for len(tokens) > 0 && (tokens[0].is(src, '+') || tokens[0].is(src, '-')) {
		tokens = tokens[1:]
	}
	if len(tokens) == 0 {
		return false
	}
	if tokens[0].kind != opening {
		return isNumber(src, tokens)
	}
	depth := 0
	for i, t := range tokens {
		switch {
		case t.kind == opening:
			depth++
		case t.kind == closing:
			if depth--; depth == 0 {
				return true
			}
		case !isNumber(src, tokens[i:]) && (t.kind != other || !strings.ContainsRune("+-*/^.<>=&|", rune(src[t.start]))):
			return false
		}
	}
	return false
}

// isNumber reports whether tokens begin with a number, which may start with its point.
func isNumber(src string, tokens []token) bool {
	if tokens[0].is(src, '.') && len(tokens) > 1 && tokens[1].start == tokens[0].end {
		tokens = tokens[1:]
	}
	t := tokens[0]
	first, _ := utf8.DecodeRuneInString(src[t.start:])
	return t.kind == other && unicode.IsDigit(first)
}
