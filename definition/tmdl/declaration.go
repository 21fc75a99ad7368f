package tmdl

import "strings"

// declaration reads the current line, whose text starts at at.
func (p *parser) declaration(at int) error {
	if p.nodes++; p.nodes > MaxNodes {
		return p.failAt(at, "the file declares more than %d objects and properties", MaxNodes)
	}
	level, err := p.place(at)
	if err != nil {
		return err
	}
	word := p.word(at)
	if word == "" {
		if line := strings.TrimRight(p.src[at:p.end], " \t\r\n"); isConflictMark(line) {
			return p.failAt(at, "this line is left of a merge conflict (%s); remove it, and keep one version of what stood around it", line)
		}
		return p.failAt(at, "%q starts neither an object nor a property; %s", firstRune(p.src[at:p.end]), p.expected())
	}
	i := p.skipBlanks(at + len(word))
	switch {
	case i == p.end:
		return p.bareWord(at, level, word)
	case p.src[i] == ':':
		return p.plainProperty(at, level, word, i+1)
	case p.src[i] == '=':
		if t, ok := keyword(word); ok && t.keyword != "expression" { // which is a property, without a name
			return p.object(at, level, t, false, "", i)
		}
		return p.expressionProperty(at, level, word, i+1)
	case i == at+len(word):
		return p.failAt(i, "%q is not allowed in a word; %s", firstRune(p.src[i:p.end]), p.expected())
	}
	ref := strings.EqualFold(word, "ref")
	if ref {
		if word = p.word(i); word == "" {
			return p.failAt(i, "ref needs the type of an object, as in \"ref table Sales\"")
		}
		if i = p.skipBlanks(i + len(word)); i == p.end {
			t, ok := keyword(word)
			if !ok {
				return p.failAt(at, "%q is not a type of object; %s", word, p.expected())
			}
			return p.object(at, level, t, true, "", i)
		}
	}
	t, ok := keyword(word)
	if !ok {
		if !isCamel(word) {
			return p.failAt(at, "%q is not a type of object; %s", word, p.expected())
		}
		t = &objectType{keyword: word}
	}
	name, i, err := p.name(i)
	if err != nil {
		return err
	}
	return p.object(at, level, t, ref, name, i)
}

// bareWord reads a line with a single word: an object without a name, or a property
// that is true.
func (p *parser) bareWord(at, level int, word string) error {
	if t, ok := keyword(word); ok {
		return p.object(at, level, t, false, "", p.end)
	}
	if strings.EqualFold(word, "createOrReplace") {
		return p.failAt(at, "this is a TMDL script (%s), not a part of a definition; scripts belong in the folder TMDLScripts", word)
	}
	if !isCamel(word) && !shortWords[strings.ToLower(word)] && !isFlag(word) {
		return p.failAt(at, "%q is neither an object nor a property that can be alone on its line; %s", word, p.expected())
	}
	property, err := p.property(at, level, word)
	if err != nil {
		return err
	}
	i := int32(at + len(word))
	property.written, property.value.form = span{i, i}, bare
	p.convertible = true
	return nil
}

// isFlag reports whether the word is a known flag, ignoring letter case.
func isFlag(word string) bool {
	for f := range flags {
		if strings.EqualFold(f, word) {
			return true
		}
	}
	return false
}

// plainProperty reads `name: value`; at is where the value may start.
func (p *parser) plainProperty(start, level int, word string, at int) error {
	property, err := p.property(start, level, word)
	if err != nil {
		return err
	}
	from := p.skipBlanks(at)
	to := p.trimmedEnd(from)
	property.written, property.value = span{int32(from), int32(to)}, text{p.src[from:to], plain}
	if isQuoted(property.value.raw) {
		property.value.form = quoted
	}
	return nil
}

// expressionProperty reads `name = …`; at is after the `=`.
func (p *parser) expressionProperty(start, level int, word string, at int) error {
	if !isCamel(word) && !shortWords[strings.ToLower(word)] {
		return p.failAt(start, "%q is neither an object nor a property with an expression; %s", word, p.expected())
	}
	property, err := p.property(start, level, word)
	if err != nil {
		return err
	}
	value, written, after, err := p.expression(at, p.open[level-1].inside, false)
	if err != nil {
		return err
	}
	property.value, property.written, property.lines.end = value, written, int32(after)
	p.convertible = value.form == inline
	p.remember(opener{property: word, line: property.Line, form: value.form}, value)
	return nil
}

// property adds a property at the current line to the open object, without a value
// yet.
func (p *parser) property(at, level int, name string) (*Property, error) {
	if level == 0 {
		return nil, p.failAt(at, "a property must be in an object; %s", p.expected())
	}
	o := p.open[level-1].object
	o.Properties = p.properties.grow(o.Properties, p.progress())
	property := &o.Properties[len(o.Properties)-1]
	property.Name, property.Line, property.Column = name, p.line, at-p.start+1
	property.lines = span{int32(p.start), int32(p.after)}
	return property, nil
}

// object opens an object whose declaration is read up to i, the position of an `=`
// or the end of the line.
func (p *parser) object(at, level int, t *objectType, ref bool, name string, i int) error {
	if level >= MaxDepth {
		return p.failAt(at, "objects nest deeper than %d levels", MaxDepth)
	}
	if name == "" && !t.nameless {
		article := "a"
		if strings.ContainsAny(t.keyword[:1], "aeiou") {
			article = "an"
		}
		return p.failAt(at, "%s %s needs a name, as in \"%[2]s Sales\" or \"%[2]s 'Net Sales'\"", article, t.keyword)
	}
	if err := p.allowObject(at, level, t, ref); err != nil {
		return err
	}
	o := p.newObject()
	o.Keyword, o.Name, o.Ref = t.keyword, name, ref
	o.Line, o.Column = p.line, at-p.start+1 // only blanks precede it
	o.declaration, o.headEnd = span{int32(p.start), int32(p.end)}, int32(p.after)
	own := p.indent(at)
	if p.description != (span{}) && !ref && p.compare(p.descriptionIndent, own) == 0 {
		o.description, p.description = p.description, span{}
	}
	if i < p.end {
		var siblings indent
		if p.skipBlanks(i+1) == p.end {
			siblings = p.siblingIndent(t.keyword, own)
		}
		value, written, after, err := p.expression(i+1, siblings, t.sole)
		if err != nil {
			return err
		}
		o.value, o.written, o.headEnd = value, written, int32(after)
		p.remember(opener{object: o, line: o.Line, form: value.form}, value)
	}
	p.open = append(p.open, opened{object: o, children: len(p.children), own: own})
	return nil
}

// word returns the identifier at i; "" if there is none.
func (p *parser) word(i int) string {
	from := i
	for i < p.end {
		c := p.src[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || i > from && (c >= '0' && c <= '9' || c == '_') {
			i++
			continue
		}
		break
	}
	return p.src[from:i]
}

func (p *parser) skipBlanks(i int) int {
	for i < p.end && isBlank(p.src[i]) {
		i++
	}
	return i
}

// trimmedEnd returns the end of the line without trailing blanks, not before from.
func (p *parser) trimmedEnd(from int) int {
	i := p.end
	for i > from && isBlank(p.src[i-1]) {
		i--
	}
	return i
}

// name reads the name at i and returns the position of the `=` or of the end of the
// line.
func (p *parser) name(i int) (string, int, error) {
	var name string
	from := i
	if p.src[i] == '\'' {
		n := quotedName(p.src[i:p.end])
		if n == 0 {
			return "", 0, p.failAt(i, "the name has no closing quote; a quote inside a name is doubled")
		}
		name = unquoteName(p.src[i : i+n])
		i += n
		if i < p.end && !isBlank(p.src[i]) && p.src[i] != '=' {
			return "", 0, p.failAt(i, "expected the end of the line or \"=\" behind the name; a quote inside a name is doubled")
		}
	} else {
		for i < p.end && !isBlank(p.src[i]) && p.src[i] != '=' {
			i++
		}
		name = p.src[from:i]
	}
	if strings.IndexByte(name, '\t') >= 0 {
		return "", 0, p.failAt(from, "a name cannot contain a tab")
	}
	if name == "" || isBlank(name[0]) && trim(name) == "" {
		return "", 0, p.failAt(from, "the name is empty")
	}
	if i = p.skipBlanks(i); i < p.end && p.src[i] != '=' {
		return "", 0, p.failAt(i, "expected the end of the line or \"=\" behind the name; a name with blanks needs single quotes: '%s'",
			p.src[from:p.trimmedEnd(from)])
	}
	return name, i, nil
}

// isConflictMark reports whether the line is one of those that Git puts around the versions of a merge conflict.
func isConflictMark(line string) bool {
	for _, mark := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
		if rest, ok := strings.CutPrefix(line, mark); ok && (rest == "" || rest[0] == ' ') {
			return true
		}
	}
	return false
}
