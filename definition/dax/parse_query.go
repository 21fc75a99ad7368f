package dax

import "strings"

// Query is what a query defines for itself, and the tables it returns.
type Query struct {
	Defined   []Defined
	Evaluated []Evaluated
}

// Defined is an entity of DEFINE.
type Defined struct {
	// Kind is MEASURE, COLUMN, TABLE or VAR.
	Kind string
	// Reference names a measure or a column with its table; for a table or a variable,
	// only Name is set.
	Reference Reference
	Value     *Node
	At        int // as in Node
}

// Evaluated is an EVALUATE with its clauses.
type Evaluated struct {
	Table *Node
	Order []Order
	// StartAt are the values of START AT, in the order of Order.
	StartAt []*Node
}

// Order is an element of ORDER BY.
type Order struct {
	By         *Node
	Descending bool
}

// ParseQuery returns a query as a tree. For a text that is no complete query it returns
// false and where reading ended, in bytes. Expressions are those that Parse reads.
func ParseQuery(text string) (q Query, at int, ok bool) {
	p := parser{src: text, tokens: lex(text)}
	if p.takesWord("DEFINE") {
		if q.Defined = p.defined(); q.Defined == nil {
			return Query{}, p.offset(), false
		}
	}
	for p.takesWord("EVALUATE") {
		e, ok := p.evaluated()
		if !ok {
			return Query{}, p.offset(), false
		}
		q.Evaluated = append(q.Evaluated, e)
	}
	if q.Evaluated == nil || p.at < len(p.tokens) {
		return Query{}, p.offset(), false
	}
	return q, 0, true
}

func (p *parser) takesWord(word string) bool {
	if !p.isWord(word) {
		return false
	}
	p.at++
	return true
}

// defined reads the entities after DEFINE, nil for none.
func (p *parser) defined() (all []Defined) {
	for !p.isWord("EVALUATE") {
		if p.at >= len(p.tokens) {
			return nil
		}
		d := Defined{Kind: strings.ToUpper(p.tokens[p.at].name(p.src)), At: p.offset()}
		p.at++
		if p.at >= len(p.tokens) {
			return nil
		}
		t := p.tokens[p.at]
		d.Reference.Name = t.name(p.src)
		p.at++
		switch d.Kind {
		case "MEASURE", "COLUMN":
			if (t.kind != quoted && t.kind != identifier) || p.at >= len(p.tokens) || p.tokens[p.at].kind != bracket {
				return nil
			}
			d.Reference = Reference{true, t.name(p.src), p.tokens[p.at].name(p.src)}
			p.at++
		case "TABLE", "VAR":
			if t.kind != identifier && (t.kind != quoted || d.Kind == "VAR") {
				return nil
			}
		default:
			return nil
		}
		if !p.takesSign("=") {
			return nil
		}
		if d.Value = p.block(0); d.Value == nil {
			return nil
		}
		all = append(all, d)
	}
	return all
}

// evaluated reads what follows EVALUATE.
func (p *parser) evaluated() (e Evaluated, ok bool) {
	if e.Table = p.block(0); e.Table == nil {
		return e, false
	}
	if !p.takesWord("ORDER") {
		return e, true
	}
	if !p.takesWord("BY") {
		return e, false
	}
	for more := true; more; more = p.takesSign(",") {
		o := Order{By: p.block(0)}
		if o.By == nil {
			return e, false
		}
		if o.Descending = p.takesWord("DESC"); !o.Descending {
			p.takesWord("ASC")
		}
		e.Order = append(e.Order, o)
	}
	if !p.takesWord("START") {
		return e, true
	}
	if !p.takesWord("AT") {
		return e, false
	}
	for more := true; more; more = p.takesSign(",") {
		n := p.block(0)
		if n == nil {
			return e, false
		}
		e.StartAt = append(e.StartAt, n)
	}
	return e, true
}
