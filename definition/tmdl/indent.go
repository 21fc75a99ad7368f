package tmdl

import "strings"

// indent is the number of tabs and spaces at the start of a line.
type indent struct{ tabs, spaces int }

// indent returns the indentation of the current line, whose text starts at at.
func (p *parser) indent(at int) indent {
	tabs := 0
	for i := p.start; i < at; i++ {
		if p.src[i] == '\t' {
			tabs++
		}
	}
	return indent{tabs, at - p.start - tabs}
}

// compare orders indentations. The number of spaces per tab matters only if one has
// more tabs and the other more spaces.
func (p *parser) compare(a, b indent) int {
	tabs, spaces := a.tabs-b.tabs, a.spaces-b.spaces
	if tabs >= 0 && spaces >= 0 || tabs <= 0 && spaces <= 0 {
		return tabs + spaces
	}
	return tabs*p.spacesPerTab() + spaces
}

func (p *parser) spacesPerTab() int {
	if p.unit == 0 {
		p.unit = spacesPerLevel(p.src)
	}
	return p.unit
}

// less returns by how much a is deeper than b, which is not as deep.
func (p *parser) less(a, b indent) indent {
	if d := (indent{a.tabs - b.tabs, a.spaces - b.spaces}); d.tabs >= 0 && d.spaces >= 0 {
		return d
	}
	return indent{0, p.compare(a, b)}
}

// learn records how much deeper than the object its content is.
func (p *parser) learn(in *opened) {
	step := p.less(in.inside, in.own)
	if p.step == (indent{}) {
		p.step = step
	}
	if _, known := p.steps[in.object.Keyword]; !known {
		if p.steps == nil {
			p.steps = map[string]indent{}
		}
		p.steps[in.object.Keyword] = step
	}
}

// siblingIndent returns the indentation of the properties after an expression that an
// object of a type, indented by own, has on the lines below the current one. The
// step is that of the previous object of the type, else that of the enclosing
// object. If that does not match, the object's lines decide: a property is less deep
// than the expression.
func (p *parser) siblingIndent(keyword string, own indent) indent {
	step, known := p.steps[keyword]
	if n := len(p.open); n > 0 && !known {
		step = p.less(own, p.open[n-1].own)
	} else if !known {
		step = p.step
	}
	look := *p
	least, first, property := indent{}, indent{}, false
	for look.scanner.next() {
		at := look.content()
		if at == look.end {
			continue
		}
		here := look.indent(at)
		if p.compare(here, own) <= 0 {
			break
		}
		if first == (indent{}) {
			first, least = here, here
		}
		if p.compare(here, least) < 0 {
			least, property = here, look.looksLikeProperty(at) || look.looksLikePart(at)
		}
	}
	if step == (indent{}) { // no object has content yet
		step = indent{tabs: 1}
		if first.tabs == own.tabs && first.spaces > own.spaces {
			step = indent{spaces: p.spacesPerTab()}
		}
	}
	usual := indent{own.tabs + step.tabs, own.spaces + step.spaces}
	if property && p.compare(least, usual) != 0 {
		return least
	}
	return usual
}

// looksLikePart reports whether a line is the name of a property that is true, or
// begins an object that can be in any other object, or in a measure.
func (p *parser) looksLikePart(at int) bool {
	word := p.word(at)
	if word == "" {
		return false
	}
	if t, ok := keyword(word); ok && (t.in == nil || t.keyword == "kpi") {
		return true
	}
	return p.skipBlanks(at+len(word)) == p.end && isFlag(word)
}

func indentWidth(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }
