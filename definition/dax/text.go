package dax

import "strings"

// Texts decides which expressions yield text. Its functions say more about references;
// without them references yield none.
type Texts struct {
	// Column reports whether a reference names a text column. Then MIN, MAX,
	// SELECTEDVALUE, VALUES, DISTINCT, FIRSTNONBLANK, LASTNONBLANK and LOOKUPVALUE of it
	// yield text.
	Column func(Reference) bool
	// Measure reports whether the measure of a bare reference yields text.
	Measure func(name string) bool
}

// Yields reports whether an expression yields text, as far as its form shows: it begins
// with a string, concatenates, calls a text function, or chooses among such results.
func (t Texts) Yields(expression string) bool {
	b := newBlock(expression)
	b.Texts = t
	y := b.read(0, len(b.tokens), nil)
	return y == yieldsText || y == yieldsLabel
}

// Composes reports whether an expression yields text that it composes: it concatenates or formats, in at least one of the
// results that it chooses among.
func Composes(expression string) bool {
	b := newBlock(expression)
	return b.read(0, len(b.tokens), nil) == yieldsLabel
}

// yield is what a part of an expression yields.
type yield int

const (
	yieldsOther yield = iota
	yieldsText
	yieldsLabel // text that is composed
	yieldsBlank // BLANK()
)

// block is an expression in tokens.
type block struct {
	Texts
	src    string
	tokens []token
	close  []int // for each opening token the one that closes it, or len(tokens)
}

// variable is what VAR declares. Variables are chained, the innermost first.
type variable struct {
	name     string
	from, to int // its expression
	outer    *variable
	yields   yield
	read     bool // whether yields is known
}

// match pairs parentheses and braces.
func (b *block) match() {
	b.close = make([]int, len(b.tokens))
	var open []int
	for i, t := range b.tokens {
		switch c := b.src[t.start]; {
		case t.kind == opening, t.is(b.src, '{'):
			b.close[i] = len(b.tokens)
			open = append(open, i)
		case t.kind == closing, t.is(b.src, '}'):
			if n := len(open); n > 0 && counterpart[b.src[b.tokens[open[n-1]].start]] == c {
				b.close[open[n-1]] = i
				open = open[:n-1]
			}
		}
	}
}

func (b *block) word(i, to int, word string) bool { return i < to && b.tokens[i].isWord(b.src, word) }

// read returns what the tokens from from to to yield.
func (b *block) read(from, to int, known *variable) yield {
	for from < to {
		switch t := b.tokens[from]; {
		case t.isWord(b.src, "VAR"):
			from, known = b.declarations(from, to, known)
			if !b.word(from, to, "RETURN") {
				return yieldsOther
			}
			from++
		case t.kind == opening && b.close[from] == to-1:
			from, to = from+1, to-1
		default:
			return b.readResult(from, to, known)
		}
	}
	return yieldsOther
}

// declarations reads the variables that are declared one after the other, and returns
// where they end.
func (b *block) declarations(at, to int, known *variable) (int, *variable) {
	for b.word(at, to, "VAR") {
		name := ""
		if at+1 < to && b.tokens[at+1].kind == identifier {
			name = strings.ToLower(b.tokens[at+1].name(b.src))
		}
		start := min(at+3, to) // after the equals sign
		if at+2 < to && !b.tokens[at+2].is(b.src, '=') {
			start = at + 2
		}
		at = b.end(start, to)
		known = &variable{name: name, from: start, to: at, outer: known}
	}
	return at, known
}

// deepest is how many blocks of variables are followed into each other.
const deepest = 64

// end returns where an expression ends that starts at at: before the VAR or RETURN that
// follows it.
func (b *block) end(at, to int) int {
	open := 0 // blocks whose RETURN is still to come
	for started := false; at < to; {
		switch {
		case b.word(at, to, "VAR"):
			switch {
			case started && open == 0:
				return at
			case !started:
				open++
			}
			started = false
			at = min(at+3, to)
		case b.word(at, to, "RETURN"):
			if open == 0 {
				return at
			}
			open--
			started = false
			at++
		default:
			started = true
			at = b.after(at, to)
		}
		if open > deepest {
			return to
		}
	}
	return at
}

// after returns the token after the one at i, or after the parentheses or braces that it
// opens.
func (b *block) after(i, to int) int {
	if close := b.close[i]; close > i {
		return min(close+1, to)
	}
	return i + 1
}

// textFunctions return text, as do those that readCall names.
var textFunctions = map[string]bool{
	"CONCATENATEX": true, "UNICHAR": true, "SUBSTITUTE": true,
	"UPPER": true, "LOWER": true, "TRIM": true, "LEFT": true, "RIGHT": true, "MID": true, "REPT": true,
}

// columnFunctions return a value of the column that is their first argument.
var columnFunctions = map[string]bool{
	"MIN": true, "MAX": true, "SELECTEDVALUE": true, "VALUES": true, "DISTINCT": true, "FIRSTNONBLANK": true, "LASTNONBLANK": true,
	"LOOKUPVALUE": true,
}

// readResult reads tokens without variables and without outer parentheses.
func (b *block) readResult(from, to int, known *variable) yield {
	first := b.tokens[from]
	switch {
	case b.concatenates(from, to):
		return yieldsLabel
	case first.is(b.src, '"'):
		return yieldsText
	case first.kind == identifier && to-from == 1:
		return b.readVariable(strings.ToLower(first.name(b.src)), known)
	case first.kind == bracket && to-from == 1:
		if b.Measure != nil && b.Measure(first.name(b.src)) {
			return yieldsText
		}
	case first.kind == identifier && to-from > 2 && b.tokens[from+1].kind == opening && b.close[from+1] == to-1:
		return b.readCall(strings.ToUpper(first.name(b.src)), from+2, to-1, known)
	}
	return yieldsOther
}

// concatenates reports whether & stands outside parentheses. It is not part of &&.
func (b *block) concatenates(from, to int) bool {
	for i := from; i < to; {
		switch t := b.tokens[i]; {
		case t.kind == opening:
			i = b.after(i, to)
		case !t.is(b.src, '&'):
			i++
		case i+1 < to && b.tokens[i+1].is(b.src, '&') && b.tokens[i+1].start == t.end:
			i += 2
		default:
			return true
		}
	}
	return false
}

func (b *block) readVariable(name string, known *variable) yield {
	v := known.named(name)
	if v == nil {
		return yieldsOther
	}
	if !v.read {
		v.read = true
		v.yields = b.read(v.from, v.to, v.outer)
	}
	return v.yields
}

// readCall reads a call whose arguments lie between from and to.
func (b *block) readCall(function string, from, to int, known *variable) yield {
	switch {
	case function == "BLANK" && from == to:
		return yieldsBlank
	case function == "FORMAT", function == "CONCATENATE", function == "COMBINEVALUES":
		return yieldsLabel
	case textFunctions[function]:
		return yieldsText
	case columnFunctions[function] && b.Column != nil:
		if r, ok := b.reference(from, b.argument(from, to)); ok && b.Column(r) {
			return yieldsText
		}
		return yieldsOther
	}
	all := yieldsOther
	for _, a := range b.results(function, b.arguments(from, to)) {
		switch b.read(a[0], a[1], known) {
		case yieldsText:
			all = max(all, yieldsText)
		case yieldsLabel:
			all = yieldsLabel
		case yieldsOther:
			return yieldsOther
		case yieldsBlank:
		}
	}
	return all
}

// results returns the arguments that are a result of a function that chooses.
func (b *block) results(function string, arguments [][2]int) (results [][2]int) {
	switch n := len(arguments); function {
	case "IF":
		return arguments[min(1, n):]
	case "IFERROR", "COALESCE":
		return arguments
	case "CALCULATE":
		return arguments[:min(1, n)]
	case "SWITCH":
		for i := 2; i < n; i += 2 {
			results = append(results, arguments[i])
		}
		if n >= 4 && n%2 == 0 {
			results = append(results, arguments[n-1])
		}
	}
	return results
}

// argument returns where the argument ends that starts at at.
func (b *block) argument(at, to int) int {
	for at < to && !b.tokens[at].is(b.src, ',') {
		at = b.after(at, to)
	}
	return at
}

func (b *block) arguments(from, to int) (all [][2]int) {
	for from < to {
		end := b.argument(from, to)
		all = append(all, [2]int{from, end})
		from = end + 1
	}
	return all
}

// reference reads tokens that are exactly one reference.
func (b *block) reference(from, to int) (Reference, bool) {
	switch t := b.tokens[from:to]; {
	case len(t) == 1 && t[0].kind == bracket:
		return Reference{Name: t[0].name(b.src)}, true
	case len(t) == 2 && t[1].kind == bracket && t[0].end == t[1].start && (t[0].kind == identifier || t[0].kind == quoted):
		return Reference{true, t[0].name(b.src), t[1].name(b.src)}, true
	}
	return Reference{}, false
}
