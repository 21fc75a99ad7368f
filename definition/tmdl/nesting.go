package tmdl

import (
	"fmt"
	"strings"
)

type opened struct {
	object   *Object
	children int    // where its own children begin on the stack
	own      indent // of the declaration
	inside   indent // of its content; zero until there is some
}

// allowObject checks that an object of the type is allowed at the level.
func (p *parser) allowObject(at, level int, t *objectType, ref bool) error {
	if t.in == nil || ref {
		return nil
	}
	parent := ""
	if level > 0 {
		parent = p.open[level-1].object.Keyword
	}
	for _, place := range t.in {
		if place == parent {
			return nil
		}
	}
	for _, o := range p.open[:level] {
		if o.object.Keyword == "translations" { // repeats the tree of the model
			return nil
		}
	}
	where := "at the outermost level"
	if level > 0 {
		where = "in a " + parent
	}
	if t.in[0] == "" {
		return p.failAt(at, "a %s is not allowed %s; it belongs at the outermost level, without indentation", t.keyword, where)
	}
	return p.failAt(at, "a %s is not allowed %s; it belongs in a %s, one level deeper", t.keyword, where, t.in[0])
}

// convert turns the last property into an object, because a deeper line follows.
func (p *parser) convert() error {
	parent := p.open[len(p.open)-1].object
	n := len(parent.Properties) - 1
	last := parent.Properties[n]
	parent.Properties = parent.Properties[:n]
	if len(p.open) >= MaxDepth {
		return p.failAt(p.content(), "objects nest deeper than %d levels", MaxDepth)
	}
	o := p.newObject()
	o.Keyword, o.Line, o.Column = last.Name, last.Line, last.Column
	o.declaration, o.headEnd = span{last.lines.start, last.written.end}, last.lines.end
	if last.value.form != bare {
		o.value, o.written = last.value, last.written
	}
	if strings.EqualFold(o.Keyword, "source") {
		o.Keyword = "source"
	}
	p.open = append(p.open, opened{object: o, children: len(p.children), own: p.open[len(p.open)-1].inside})
	return nil
}

// place closes the objects that do not contain the current line, and returns how
// many do.
func (p *parser) place(at int) (int, error) {
	own := p.indent(at)
	level := len(p.open)
	for level > 0 && p.compare(own, p.open[level-1].own) <= 0 {
		level--
	}
	deeper := p.convertible && level > 0 && level == len(p.open) && p.compare(own, p.open[level-1].inside) > 0
	p.convertible = false
	if deeper {
		if err := p.convert(); err != nil {
			return 0, err
		}
		level++
	}
	if err := p.closeTo(level); err != nil {
		return 0, err
	}
	if level == 0 {
		if own != (indent{}) {
			return 0, p.failAt(at, "the line is indented, more than the 0 that stand at the outermost level; %s", p.expected())
		}
		return 0, nil
	}
	in := &p.open[level-1]
	if in.inside == (indent{}) {
		in.inside = own
		p.learn(in)
	}
	switch c := p.compare(own, in.inside); {
	case c > 0:
		return 0, p.failAt(at, "the line is indented deeper than its siblings in the %s of line %d; %s", describe(in.object),
			in.object.Line, p.expected())
	case c < 0:
		return 0, p.failAt(at, "the indentation fits no level: it is deeper than the %s of line %d, but not as deep as its other content",
			describe(in.object), in.object.Line)
	}
	return level, nil
}

// closeTo closes the objects that are open at the level and deeper.
func (p *parser) closeTo(level int) error {
	for len(p.open) > level {
		top := p.open[len(p.open)-1]
		p.open = p.open[:len(p.open)-1]
		o := top.object
		if err := p.checkRepeated(o); err != nil {
			return err
		}
		o.Children = p.store(top.children)
		p.children = append(p.children, o)
	}
	return nil
}

// store moves the collected objects from the index on into their own slice.
func (p *parser) store(from int) []*Object {
	own := p.children[from:]
	if len(own) == 0 {
		return nil
	}
	list := p.lists.take(len(own), p.progress())
	copy(list, own)
	p.children = p.children[:from]
	return list
}

func (p *parser) newObject() *Object {
	o := &p.objects.take(1, p.progress())[0]
	o.doc = p.doc
	return o
}

func (p *parser) progress() progress { return progress{p.start, len(p.src)} }

// checkRepeated refuses a property that the object has twice.
func (p *parser) checkRepeated(o *Object) error {
	const few = 24
	own := o.Properties
	var seen map[string]int
	if len(own) > few {
		seen = make(map[string]int, len(own))
	}
	for i, property := range own {
		first := -1
		if seen != nil {
			lower := strings.ToLower(property.Name)
			if at, ok := seen[lower]; ok {
				first = at
			}
			seen[lower] = i
		} else {
			for j, other := range own[:i] {
				if len(other.Name) == len(property.Name) && strings.EqualFold(other.Name, property.Name) {
					first = j
				}
			}
		}
		if first >= 0 && !mayRepeat(o.Keyword, property.Name) {
			return &SyntaxError{
				p.doc.File, property.Line, property.Column,
				fmt.Sprintf("the %s has the property %s twice, the first time in line %d; remove one of them", describe(o), property.Name,
					own[first].Line),
			}
		}
	}
	return nil
}
