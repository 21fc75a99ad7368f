package dax

import "strings"

// HeaderColumn is a column of a DATATABLE, with its type in upper case, as in INTEGER.
type HeaderColumn struct{ Name, Type string }

// DataTableHeader returns the columns of an expression that is one call of DATATABLE and nothing else, apart from comments
// and outer parentheses: its arguments in pairs of a name and a type, up to the first that are none.
func DataTableHeader(expression string) (header []HeaderColumn) {
	b := newBlock(expression)
	from, to := 0, len(b.tokens)
	if b.soleCall(from, to) != "DATATABLE" {
		return nil
	}
	for b.tokens[from].kind == opening {
		from, to = from+1, to-1
	}
	arguments := b.arguments(from+2, to-1)
	for i := 0; i+1 < len(arguments); i += 2 {
		name, typ := arguments[i], arguments[i+1]
		if name[1]-name[0] != 1 || typ[1]-typ[0] != 1 || !b.tokens[name[0]].is(b.src, '"') || b.tokens[typ[0]].kind != identifier {
			break
		}
		header = append(header, HeaderColumn{b.literal(name[0]), strings.ToUpper(b.tokens[typ[0]].name(b.src))})
	}
	return header
}

// literal returns the content of a string token.
func (b *block) literal(at int) string {
	t := b.tokens[at]
	content := strings.TrimSuffix(b.src[t.start+1:t.end], `"`)
	return strings.ReplaceAll(content, `""`, `"`)
}
