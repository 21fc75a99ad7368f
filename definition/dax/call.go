package dax

import "strings"

// SoleCall returns the function, in upper case, if the expression is one call and nothing else, apart from comments
// and outer parentheses; else "".
func SoleCall(expression string) string {
	b := newBlock(expression)
	return b.soleCall(0, len(b.tokens))
}

// ResultCall is SoleCall of the expression's result: after VAR … RETURN, where the name of a variable stands for its
// expression, and of the first argument of CALCULATE, repeatedly.
func ResultCall(expression string) string {
	b := newBlock(expression)
	from, to, known := 0, len(b.tokens), (*variable)(nil)
	for from < to {
		switch t := b.tokens[from]; {
		case t.isWord(b.src, "VAR"):
			from, known = b.declarations(from, to, known)
			if !b.word(from, to, "RETURN") {
				return ""
			}
			from++
		case t.kind == opening && b.close[from] == to-1:
			from, to = from+1, to-1
		case t.kind == identifier && to-from == 1:
			v := known.named(strings.ToLower(t.name(b.src)))
			if v == nil {
				return ""
			}
			from, to, known = v.from, v.to, v.outer // a variable knows those before it only, so this ends
		default:
			call := b.soleCall(from, to)
			if call != "CALCULATE" {
				return call
			}
			from, to = from+2, b.argument(from+2, to-1)
		}
	}
	return ""
}

func newBlock(expression string) block {
	b := block{src: expression, tokens: lex(expression)}
	b.match()
	return b
}

// soleCall reads tokens that are exactly one call, in any number of parentheses.
func (b *block) soleCall(from, to int) string {
	for from < to && b.tokens[from].kind == opening && b.close[from] == to-1 {
		from, to = from+1, to-1
	}
	if to-from > 2 && b.tokens[from].kind == identifier && b.tokens[from+1].kind == opening && b.close[from+1] == to-1 {
		return strings.ToUpper(b.tokens[from].name(b.src))
	}
	return ""
}

// named returns the innermost variable of the name, nil if there is none.
func (v *variable) named(name string) *variable {
	for v != nil && v.name != name {
		v = v.outer
	}
	return v
}
