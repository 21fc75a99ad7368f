package tmdl

// indent is the tabs and spaces that a line begins with.
type indent struct{ tabs, spaces int }

// indent is that of the current line, whose text starts at at.
func (p *parser) indent(at int) indent {
	tabs := 0
	for i := p.start; i < at; i++ {
		if p.src[i] == '\t' {
			tabs++
		}
	}
	return indent{tabs, at - p.start - tabs}
}

// compare orders indentations. How many spaces make a tab matters only where one
// has more tabs and the other more spaces.
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

// less is by how much a is deeper than b, which is not as deep.
func (p *parser) less(a, b indent) indent {
	if d := (indent{a.tabs - b.tabs, a.spaces - b.spaces}); d.tabs >= 0 && d.spaces >= 0 {
		return d
	}
	return indent{0, p.compare(a, b)}
}

// learn notes how much deeper than the object it is what stands in it.
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

// besides is the indentation of the properties beside an expression that an object of
// a type, indented by own, holds in the lines below the current one. They are as much
// deeper than the object as in the one of its type before it, else as it is deeper
// than what it stands in; where they are not, the lines of the object show it: a
// property is less deep than the expression.
func (p *parser) besides(keyword string, own indent) indent {
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
	if step == (indent{}) { // nothing stands in anything yet
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

// looksLikePart is true for a line that is the name of a property that is true, or
// begins an object that stands in any other, or in a measure.
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
