package textcheck

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
)

// Model is what checks need to know of a semantic model: its names, and the languages and
// alphabets that people wrote it in. It does not change, so goroutines may share it.
type Model struct {
	fields    map[[2]string]bool // table and field
	bare      map[string]bool
	words     map[string]bool // of names, in lower case
	scripts   map[string]bool
	languages map[string]bool // empty when they cannot be recognized
	named     string          // the language of the names, if it is another one than English
}

// Of returns the model for checks.
func Of(m *semanticmodel.Model) *Model {
	s := &Model{fields: map[[2]string]bool{}, bare: map[string]bool{}, words: map[string]bool{}}
	var texts, names []string
	name := func(name string) {
		texts, names = append(texts, name), append(names, norm.NFC.String(name))
		for _, word := range strings.FieldsFunc(norm.NFKC.String(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
			s.words[strings.ToLower(word)] = true
		}
		s.words[strings.ToLower(norm.NFKC.String(name))] = true
	}
	for _, t := range m.Tables {
		if t.IsUnseen() {
			continue
		}
		name(t.Name)
		texts = append(texts, t.Description)
		field := func(n, description string) {
			name(n)
			texts = append(texts, description)
			s.fields[[2]string{spelling.FoldSpace(t.Name), spelling.FoldSpace(n)}] = true
			s.bare[spelling.FoldSpace(n)] = true
		}
		for _, c := range t.Columns {
			if !c.IsRowNumber {
				field(c.Name, c.Description)
			}
		}
		for _, f := range t.Measures {
			field(f.Name, f.Description)
		}
	}
	s.scripts, s.languages, s.named = scriptsOf(texts), languagesOf(texts), namedIn(names, m.Culture)
	return s
}

// English reports whether the model may be in English: no other language of its texts, or of its names if there is little else, is
// recognized.
func (m *Model) English() bool {
	return m.scripts["Latin"] && (m.languages[english] || len(m.languages) == 0 && m.named == "" && !m.otherScripts())
}

// otherScripts reports whether the model uses another script than Latin.
func (m *Model) otherScripts() bool {
	for name, used := range m.scripts {
		if used && name != "Latin" {
			return true
		}
	}
	return false
}

// known reports whether a word is in a name of the model.
func (m *Model) known(word string) bool { return m.words[strings.ToLower(word)] }

// reference is a name in brackets, with the table before it if there is one.
type reference struct {
	table, name string
	written     string
}

// references returns the names in brackets of a text. A bracket of a name is doubled, as in
// [Rate [%]]]. Brackets without a letter and those of Markdown links are no names.
func references(text string) []reference {
	var all []reference
	from := 0
	for from < len(text) {
		open := strings.IndexByte(text[from:], '[')
		if open < 0 {
			break
		}
		open += from
		name, end := bracketed(text[open:])
		if end == 0 {
			from = open + 1
			continue
		}
		table, start := tableBefore(text[from:open])
		if strings.ContainsFunc(name, unicode.IsLetter) && !strings.HasPrefix(text[open+end:], "(") {
			all = append(all, reference{table, name, text[from+start : open+end]})
		}
		from = open + end
	}
	return all
}

// maxName bounds a name in brackets, in bytes; it keeps the search for its end linear.
const maxName = 512

// bracketed returns the name of a text that begins with a bracket, and where the brackets
// end; 0 when they do not end in the same line. If only doubled ones end them, the first
// one does.
func bracketed(text string) (name string, end int) {
	text = text[:min(len(text), maxName)]
	text, _, _ = strings.Cut(text, "\n")
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == ']' && i+1 < len(text) && text[i+1] == ']':
			i++
			b.WriteByte(']')
		case c == ']':
			return b.String(), i + 1
		default:
			b.WriteByte(c)
		}
	}
	if at := strings.IndexByte(text, ']'); at > 0 {
		return text[1:at], at + 1
	}
	return "", 0
}

// tableBefore returns the table that a text ends with, quoted or as one word of Latin
// letters, and where it starts; "" and the end of the text when there is none.
func tableBefore(text string) (table string, start int) {
	limit := max(0, len(text)-maxName)
	if body, ok := strings.CutSuffix(text[limit:], "'"); ok {
		at := strings.LastIndexByte(strings.ReplaceAll(body, "''", "\x00\x00"), '\'')
		if at < 0 {
			return "", len(text)
		}
		return strings.ReplaceAll(body[at+1:], "''", "'"), limit + at
	}
	start = len(text)
	for start > limit {
		r, n := utf8.DecodeLastRuneInString(text[:start])
		if !unicode.Is(unicode.Latin, r) && !unicode.IsDigit(r) && r != '_' {
			break
		}
		start -= n
	}
	return text[start:], start
}

// Unknown returns the names in brackets of a text that the model does not have, as
// written; nil when it has them all.
func (m *Model) Unknown(text string) []string {
	var unknown []string
	for _, r := range references(text) {
		table, name := spelling.FoldSpace(r.table), spelling.FoldSpace(r.name)
		if r.table != "" && !m.fields[[2]string{table, name}] || r.table == "" && !m.bare[name] {
			unknown = append(unknown, r.written)
		}
	}
	return unknown
}

// Names reports whether a text has names in brackets.
func Names(text string) bool { return len(references(text)) > 0 }
