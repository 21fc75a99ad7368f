package semanticmodel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"readiness/definition/tmdl"
)

// declared is an object of a TMDL definition, merged from its declarations.
type declared struct {
	keyword, name string
	file          string // of the first declaration
	first         *tmdl.Object
	described     *tmdl.Object // the declaration with the description
	valued        *tmdl.Object // the declaration with a default value
	describedIn   string
	valuedIn      string
	properties    []property
	children      []*declared
	byKey         map[key]*declared
	// refs are the positions that `ref` lines give the children of this object.
	refs map[key]int
}

type property struct {
	tmdl.Property
	file string
	// names are the value of a property of TMSL, where a name is never quoted; nil in TMDL.
	names []string
}

// Value returns the property's value.
func (p property) Value() string {
	if p.names != nil {
		return strings.Join(p.names, ".")
	}
	return p.Property.Value()
}

// key identifies an object among its siblings. Its name is in lower case, because
// case does not distinguish names.
type key struct{ keyword, name string }

func (o *declared) String() string {
	if o.name == "" {
		return o.keyword
	}
	return fmt.Sprintf("%s '%s'", o.keyword, o.name)
}

// declare adds an object of a file to this one. Objects declared inside database and
// model are added next to them, as Power BI writes them.
func (o *declared) declare(file string, src *tmdl.Object) error {
	k := key{src.Keyword, strings.ToLower(src.Name)}
	if src.Ref {
		if _, ok := o.refs[k]; !ok {
			if o.refs == nil {
				o.refs = map[key]int{}
			}
			o.refs[k] = len(o.refs)
		}
		if len(src.Properties) == 0 && len(src.Children) == 0 {
			return nil
		}
	}
	switch k.keyword {
	case "changedProperty", "calendarColumnGroup": // lists of unnamed objects
		k.name = fmt.Sprint(len(o.children))
	case "model", "database": // one of each, with any name
		k.name = ""
	}
	child := o.byKey[k]
	if child == nil {
		child = &declared{keyword: src.Keyword, name: src.Name, file: file, first: src}
		if o.byKey == nil {
			o.byKey = map[key]*declared{}
		}
		o.byKey[k] = child
		o.children = append(o.children, child)
	} else if isLeaf[k.keyword] {
		return child.twice(file, src, "declared", child.file, child.first.Line)
	}
	return child.merge(o, file, src)
}

// isLeaf holds the types of objects that are declared in one piece.
var isLeaf = map[string]bool{
	"annotation": true, "extendedProperty": true,
	"measure": true, "column": true, "hierarchy": true, "level": true, "partition": true, "calculationItem": true,
	"relationship": true, "expression": true, "function": true,
}

// merge adds a declaration of the object; parent contains it.
func (o *declared) merge(parent *declared, file string, src *tmdl.Object) error {
	if src.Description() != "" {
		if o.described != nil {
			return o.twice(file, src, "described", o.describedIn, o.described.Line)
		}
		o.described, o.describedIn = src, file
	}
	if src.HasDefault() {
		if o.valued != nil {
			return o.twice(file, src, "given a value", o.valuedIn, o.valued.Line)
		}
		o.valued, o.valuedIn = src, file
	}
	declarations := o.properties
	o.properties = slices.Grow(o.properties, len(src.Properties))
	for _, p := range src.Properties {
		if i := slices.IndexFunc(declarations, func(other property) bool { return strings.EqualFold(other.Name, p.Name) }); i >= 0 {
			return &tmdl.SyntaxError{File: file, Line: p.Line, Column: p.Column, Message: fmt.Sprintf(
				"the %s has the property %s twice, the first time in %s:%d; remove one of them", o, p.Name, declarations[i].file,
				declarations[i].Line)}
		}
		o.properties = append(o.properties, property{Property: p, file: file})
	}
	holder := o
	if o.keyword == "database" || o.keyword == "model" {
		holder = parent
	}
	for _, c := range src.Children {
		if holder != o && (c.Keyword == "annotation" || c.Keyword == "extendedProperty") {
			// Each object has its own. For the model the first of a name is kept; no
			// rule reads the others.
			if o.keyword != "model" || c.Keyword != "annotation" || o.byKey[key{c.Keyword, strings.ToLower(c.Name)}] != nil {
				continue
			}
			if err := o.declare(file, c); err != nil {
				return err
			}
			continue
		}
		if err := holder.declare(file, c); err != nil {
			return err
		}
	}
	return nil
}

func (o *declared) twice(file string, src *tmdl.Object, what, firstFile string, firstLine int) error {
	return &tmdl.SyntaxError{File: file, Line: src.Line, Column: src.Column, Message: fmt.Sprintf(
		"the %s is %s twice, the first time in %s:%d; remove one of them", o, what, firstFile, firstLine)}
}

// inOrder returns the children of the type, those with a ref line first.
func (o *declared) inOrder(keyword string) []*declared {
	var children []*declared
	for _, c := range o.children {
		if c.keyword == keyword {
			children = append(children, c)
		}
	}
	place := func(c *declared) int {
		if i, ok := o.refs[key{keyword, strings.ToLower(c.name)}]; ok {
			return i
		}
		return len(o.refs)
	}
	slices.SortStableFunc(children, func(a, b *declared) int { return cmp.Compare(place(a), place(b)) })
	return children
}

func (o *declared) source() Source { return Source{o.file, o.first.Line} }

func (o *declared) description() string {
	if o.described == nil {
		return ""
	}
	return o.described.Description()
}

func (o *declared) value() string {
	if o.valued == nil {
		return ""
	}
	return o.valued.Default()
}

func (o *declared) property(name string) (property, bool) {
	for _, p := range o.properties {
		if len(p.Name) == len(name) && strings.EqualFold(p.Name, name) {
			return p, true
		}
	}
	return property{}, false
}

// text returns the value of a property, "" if it is absent.
func (o *declared) text(name string) string {
	p, ok := o.property(name)
	if !ok {
		return ""
	}
	return p.Value()
}

func (o *declared) child(keyword string) *declared {
	for _, c := range o.children {
		if c.keyword == keyword {
			return c
		}
	}
	return nil
}

func (o *declared) childValue(keyword string) string {
	if c := o.child(keyword); c != nil {
		return cmp.Or(c.value(), c.text("query"), c.text("expression"))
	}
	return ""
}

// values returns the values of the children of a type by name, nil if there are
// none.
func (o *declared) values(keyword string) map[string]string {
	var values map[string]string
	for _, c := range o.children {
		if c.keyword == keyword {
			if values == nil {
				values = map[string]string{}
			}
			values[c.name] = c.value()
		}
	}
	return values
}
