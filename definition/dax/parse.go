package dax

import (
	"regexp"
	"strings"
)

// NodeKind is the kind of a Node.
type NodeKind int

// The kinds. Parts of a node are its operands, arguments or elements.
const (
	NumberNode    NodeKind = iota // Text is the number as written
	TextNode                      // Text is the content of a string literal
	ColumnNode                    // a column or measure: Reference
	NameNode                      // Text is the name of a variable or a table
	CallNode                      // Text is the function's name in capitals
	SignNode                      // Text is -, + or NOT
	OperationNode                 // Text is the operator; 2 Parts
	ListNode                      // {…}: Parts are its rows
	TupleNode                     // (a, b): at least 2 Parts
	OmittedNode                   // an argument that is left out
)

// Node is a part of an expression.
type Node struct {
	Kind      NodeKind
	Text      string
	Reference Reference
	// Quoted is true for a Name in quotation marks, which is a table.
	Quoted bool
	Parts  []*Node
	// Variables are those that VAR declares before this node, in order. Each one's
	// Value may use the ones before it.
	Variables []Variable
	// At is where the node's first token starts in the text, in bytes; of an operation
	// where its operator does.
	At int
}

// Variable is what VAR declares.
type Variable struct {
	Name  string
	Value *Node
}

// Parse returns an expression as a tree, or false for a text that is no complete
// expression of constants, references, operators, calls, lists and variables. What it
// returns is deep by at most maxDepth levels of nesting.
func Parse(expression string) (*Node, bool) {
	p := parser{src: expression, tokens: lex(expression)}
	n := p.block(0)
	if n == nil || p.at < len(p.tokens) {
		return nil, false
	}
	return n, true
}

// maxDepth is how deep an expression may be nested.
const maxDepth = 100

type parser struct {
	src    string
	tokens []token
	at     int
}

// offset is where the next token starts in the text, in bytes.
func (p *parser) offset() int {
	if p.at < len(p.tokens) {
		return p.tokens[p.at].start
	}
	return len(p.src)
}

func (p *parser) isWord(word string) bool {
	return p.at < len(p.tokens) && p.tokens[p.at].isWord(p.src, word)
}

// sign returns the operator at the position, as long as it can be; "" for none.
func (p *parser) sign() string {
	if p.at >= len(p.tokens) || p.tokens[p.at].kind != other {
		return ""
	}
	t := p.tokens[p.at]
	first := p.src[t.start:t.end]
	if p.at+1 < len(p.tokens) {
		if u := p.tokens[p.at+1]; u.kind == other && u.start == t.end {
			switch both := p.src[t.start:u.end]; both {
			case "&&", "||", "<=", ">=", "<>", "==":
				return both
			}
		}
	}
	return first
}

func (p *parser) take(sign string) { p.at += len(sign) }

func (p *parser) takes(k kind) bool {
	if p.at < len(p.tokens) && p.tokens[p.at].kind == k {
		p.at++
		return true
	}
	return false
}

func (p *parser) takesSign(sign string) bool {
	if p.sign() != sign {
		return false
	}
	p.take(sign)
	return true
}

// block reads variables and the expression after them.
func (p *parser) block(depth int) *Node {
	if depth > maxDepth {
		return nil
	}
	var declared []Variable
	for p.isWord("VAR") {
		p.at++
		if p.at >= len(p.tokens) || p.tokens[p.at].kind != identifier {
			return nil
		}
		name := p.tokens[p.at].name(p.src)
		p.at++
		if !p.takesSign("=") {
			return nil
		}
		value := p.block(depth + 1)
		if value == nil {
			return nil
		}
		declared = append(declared, Variable{name, value})
	}
	if declared != nil {
		if !p.isWord("RETURN") {
			return nil
		}
		p.at++
	}
	n := p.operation(0, depth+1)
	if n != nil {
		n.Variables = append(declared, n.Variables...)
	}
	return n
}

// levels are the operators that bind more weakly than signs, the weakest first.
var levels = [][]string{{"||"}, {"&&"}, {"=", "==", "<>", "<", ">", "<=", ">=", "IN"}, {"&"}, {"+", "-"}, {"*", "/"}}

// notLevel is the level of operators that bind more strongly than NOT.
const notLevel = 2

func (p *parser) operator(level int) string {
	if p.isWord("IN") {
		if level == notLevel {
			return "IN"
		}
		return ""
	}
	s := p.sign()
	for _, o := range levels[level] {
		if s == o {
			return s
		}
	}
	return ""
}

func (p *parser) operation(level, depth int) *Node {
	if depth > maxDepth {
		return nil
	}
	if level == len(levels) {
		return p.signed(depth + 1)
	}
	if level == notLevel && p.isWord("NOT") {
		at := p.offset()
		p.at++
		return p.negation(at, depth+1)
	}
	left := p.operation(level+1, depth)
	for left != nil {
		o, at := p.operator(level), p.offset()
		if o == "" {
			return left
		}
		if o == "IN" {
			p.at++
		} else {
			p.take(o)
		}
		right := p.operation(level+1, depth)
		if right == nil {
			return nil
		}
		left = &Node{Kind: OperationNode, Text: o, Parts: []*Node{left, right}, At: at}
	}
	return nil
}

// negation reads what NOT applies to. How strongly NOT binds compared with = is easily
// mistaken, so that only IN is read without parentheses.
func (p *parser) negation(at, depth int) *Node {
	of := p.operation(notLevel+1, depth)
	if of != nil && p.isWord("IN") {
		inAt := p.offset()
		p.at++
		in := p.operation(notLevel+1, depth)
		if in == nil {
			return nil
		}
		of = &Node{Kind: OperationNode, Text: "IN", Parts: []*Node{of, in}, At: inAt}
	}
	if of == nil || p.operator(notLevel) != "" {
		return nil
	}
	return &Node{Kind: SignNode, Text: "NOT", Parts: []*Node{of}, At: at}
}

// signed reads an operand of * and /: signs apply after ^, so that -2^2 is -4
// (learn.microsoft.com/dax/dax-operator-reference).
func (p *parser) signed(depth int) *Node {
	return p.afterSigns(depth, p.power)
}

// afterSigns reads signs and what read reads after them.
func (p *parser) afterSigns(depth int, read func(depth int) *Node) *Node {
	if depth > maxDepth {
		return nil
	}
	s, at := p.sign(), p.offset()
	if s != "-" && s != "+" {
		return read(depth + 1)
	}
	p.take(s)
	of := p.afterSigns(depth+1, read)
	if of == nil {
		return nil
	}
	return &Node{Kind: SignNode, Text: s, Parts: []*Node{of}, At: at}
}

// power reads operands of ^, whose right ones may have signs.
func (p *parser) power(depth int) *Node {
	left := p.primary(depth)
	for left != nil && p.sign() == "^" {
		at := p.offset()
		p.take("^")
		right := p.afterSigns(depth, p.primary)
		if right == nil {
			return nil
		}
		left = &Node{Kind: OperationNode, Text: "^", Parts: []*Node{left, right}, At: at}
	}
	return left
}

var plainNumber = regexp.MustCompile(`^[0-9]+(\.[0-9]*)?$`)

func (p *parser) primary(depth int) *Node {
	at := p.offset()
	n := p.operand(depth)
	if n != nil && n.At == 0 {
		n.At = at
	}
	return n
}

func (p *parser) operand(depth int) *Node {
	if depth > maxDepth || p.at >= len(p.tokens) {
		return nil
	}
	t := p.tokens[p.at]
	p.at++
	switch t.kind {
	case bracket:
		name := t.name(p.src)
		return &Node{Kind: ColumnNode, Reference: Reference{Name: name}}
	case identifier, quoted:
		return p.named(t, depth)
	case opening:
		parts := p.elements(func() bool { return p.takes(closing) }, depth)
		if len(parts) == 1 {
			return parts[0]
		}
		return tupleOf(parts)
	case other:
	default:
		return nil
	}
	switch text := p.src[t.start:t.end]; {
	case text[0] == '"':
		if _, ok := delimited(p.src, t.start, '"'); !ok {
			return nil
		}
		return &Node{Kind: TextNode, Text: strings.ReplaceAll(text[1:len(text)-1], `""`, `"`)}
	case text == "{":
		if parts := p.elements(func() bool { return p.takesSign("}") }, depth); parts != nil {
			return &Node{Kind: ListNode, Parts: parts}
		}
	case plainNumber.MatchString(text):
		return &Node{Kind: NumberNode, Text: text}
	case text == "." && p.at < len(p.tokens) && p.tokens[p.at].start == t.end && plainNumber.MatchString(p.src[t.end:p.tokens[p.at].end]):
		p.at++
		return &Node{Kind: NumberNode, Text: "0." + p.src[t.end:p.tokens[p.at-1].end]}
	}
	return nil
}

// named reads what begins with an identifier or a quoted name: a reference with its
// table, a call, a variable or a table.
func (p *parser) named(t token, depth int) *Node {
	name := t.name(p.src)
	if p.at < len(p.tokens) {
		switch next := p.tokens[p.at]; {
		case next.kind == bracket && next.start == t.end && (t.kind == quoted || !IsKeyword(name)):
			p.at++
			return &Node{Kind: ColumnNode, Reference: Reference{true, name, next.name(p.src)}}
		case next.kind == opening && t.kind == identifier:
			p.at++
			arguments, ok := p.arguments(depth)
			if !ok {
				return nil
			}
			return &Node{Kind: CallNode, Text: strings.ToUpper(name), Parts: arguments}
		}
	}
	if t.kind == identifier && IsKeyword(name) && !isDirection(name) {
		return nil
	}
	return &Node{Kind: NameNode, Text: name, Quoted: t.kind == quoted}
}

// isDirection reports whether a keyword is an argument of TOPN and RANKX.
func isDirection(name string) bool {
	return strings.EqualFold(name, "ASC") || strings.EqualFold(name, "DESC")
}

// arguments reads the arguments of a call after its opening parenthesis.
func (p *parser) arguments(depth int) (all []*Node, ok bool) {
	if p.takes(closing) {
		return nil, true
	}
	for {
		a := &Node{Kind: OmittedNode, At: p.offset()}
		if p.sign() != "," && (p.at >= len(p.tokens) || p.tokens[p.at].kind != closing) {
			if a = p.block(depth + 1); a == nil {
				return nil, false
			}
		}
		all = append(all, a)
		switch {
		case p.takesSign(","):
		case p.takes(closing):
			return all, true
		default:
			return nil, false
		}
	}
}

// elements reads the expressions in parentheses or braces after the opening one, nil for
// none. ends takes the closing one if it is next.
func (p *parser) elements(ends func() bool, depth int) (parts []*Node) {
	for {
		n := p.block(depth + 1)
		if n == nil {
			return nil
		}
		parts = append(parts, n)
		switch {
		case p.takesSign(","):
		case ends():
			return parts
		default:
			return nil
		}
	}
}

func tupleOf(parts []*Node) *Node {
	if parts == nil {
		return nil
	}
	return &Node{Kind: TupleNode, Parts: parts}
}
