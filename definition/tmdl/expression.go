package tmdl

import "strings"

// expression reads the text after an `=`, on the same line, in the lines below or
// between fences. siblings is the indentation of the properties that follow the
// expression. The lines below belong to the expression while they are deeper or, for
// a sole expression, equally deep and not a property. It returns the text, where it
// is written, and where the next line starts.
func (p *parser) expression(at int, siblings indent, sole bool) (value text, written span, after int, err error) {
	from := p.skipBlanks(at)
	to := p.trimmedEnd(from)
	switch p.src[from:to] {
	case "":
		value, written, after = p.block(siblings, sole)
		return value, written, after, nil
	case "```":
		return p.fence(from)
	default:
		return text{p.src[from:to], inline}, span{int32(from), int32(to)}, p.after, nil
	}
}

// block reads an expression on the lines below the current one. Blank lines belong
// to it unless they are the last.
func (p *parser) block(siblings indent, sole bool) (value text, written span, after int) {
	from, to, after := p.after, p.after, p.after
	for p.scanner.next() {
		at := p.content()
		if at == p.end {
			continue
		}
		if c := p.compare(p.indent(at), siblings); c < 0 || c == 0 && !(sole && !p.looksLikeProperty(at)) {
			p.pending = true
			break
		}
		to, after = p.end, p.after
	}
	return text{p.src[from:to], block}, span{int32(from), int32(to)}, after
}

// looksLikeProperty reports whether the line looks like `name: …` or `annotation …`.
func (p *parser) looksLikeProperty(at int) bool {
	word := p.word(at)
	i := p.skipBlanks(at + len(word))
	if word == "" || i == p.end {
		return false
	}
	return p.src[i] == ':' || strings.EqualFold(word, "annotation")
}

// fence reads the lines up to the closing ```. The opening fence is at at.
func (p *parser) fence(at int) (value text, written span, after int, err error) {
	line, column, from := p.line, p.columnOf(at), p.after
	for p.scanner.next() {
		c := p.content()
		if p.src[c:p.trimmedEnd(c)] == "```" {
			return text{p.src[from:c], fenced}, span{int32(from), int32(p.start)}, p.after, nil
		}
	}
	return text{}, span{}, 0, &SyntaxError{p.doc.File, line, column,
		"the ``` opened here is never closed; close it by a line with nothing else"}
}

// spacesPerLevel returns the smallest indentation, by spaces alone, of a line
// outside fences, at most 4. The first line of an expression below its `=` may be
// two levels deeper, so half of its indentation counts.
func spacesPerLevel(src string) int {
	unit, fence, begun := 4, false, -1 // begun: the indentation of a line that ends with `=`
	for line := range lines(src) {
		content := trim(line)
		switch {
		case content == "":
			continue
		case fence:
			fence = content != "```"
			continue
		}
		n := indentWidth(line)
		if n > 0 && strings.IndexByte(line[:n], '\t') < 0 {
			counted := n
			if begun >= 0 && n > begun && !isPlainProperty(content) {
				counted = (n + 1) / 2
			}
			unit = min(unit, counted)
		}
		begun = -1
		if content[len(content)-1] == '=' {
			begun = n
		}
		fence = strings.HasSuffix(content, "= ```") || strings.HasSuffix(content, "=```")
	}
	return unit
}

// isPlainProperty reports whether the line has the form `name: …`.
func isPlainProperty(content string) bool {
	p := parser{scanner: scanner{src: content, end: len(content)}}
	n := len(p.word(0))
	return n > 0 && n < len(content) && content[n] == ':'
}
