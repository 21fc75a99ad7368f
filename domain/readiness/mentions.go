package readiness

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mention is a field that a text names (rule INS-03). Names are under norm.
type mention struct {
	ref
	qualified bool
}

// written is a mention where it stands in a text.
type written struct {
	mention
	text     string
	from, to int // bytes
}

// instructionFields match the three ways to name a field. The last one does not count
// before "(", which makes it a Markdown link.
var instructionFields = []*regexp.Regexp{
	regexp.MustCompile(`'([^'\n]+)'\[([^\]\n]+)\]`),
	regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)\[([^\]\n]+)\]`),
	regexp.MustCompile(`\[([^\]\n]+)\]`),
}

// mentionsIn returns what a text names, by pattern and position. What one pattern matches
// is blank for the next.
func mentionsIn(of string) []written {
	text := []byte(of)
	var all []written
	for i, pattern := range instructionFields {
		for _, at := range pattern.FindAllSubmatchIndex(text, -1) {
			w := written{text: string(text[at[0]:at[1]]), from: at[0], to: at[1]}
			if i < 2 {
				w.mention = mention{ref{norm(string(text[at[2]:at[3]])), norm(string(text[at[4]:at[5]]))}, true}
				all = append(all, w)
			} else if at[1] == len(text) || text[at[1]] != '(' {
				w.mention = mention{ref{field: norm(string(text[at[2]:at[3]]))}, false}
				all = append(all, w)
			}
			for j := at[0]; j < at[1]; j++ {
				text[j] = ' '
			}
		}
	}
	return all
}

// distinctMentions returns the first of each.
func distinctMentions(all []written) []written {
	found := map[mention]bool{}
	return slices.DeleteFunc(slices.Clone(all), func(w written) bool {
		again := found[w.mention]
		found[w.mention] = true
		return again
	})
}

// resolves reports whether a mention names a field of the model.
func (s *snapshot) resolves(m mention) bool {
	if m.qualified {
		return s.byNorm[m.ref] != nil
	}
	return s.named[m.field]
}

// taboo are words that keep what follows them from being a recommendation.
var taboo = regexp.MustCompile(`(?i)\b(do not|don't|never|avoid|ignore|exclude|hidden)\b`)

// recommended returns a text without the pieces that warn of something. A line is cut
// into pieces after each full stop, semicolon and comma that white space follows.
func recommended(text string) string {
	var kept strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		for start := 0; start < len(line); {
			end := pieceEnd(line, start)
			piece := line[start:end]
			before, _, _ := strings.Cut(piece, "[")
			if !taboo.MatchString(before) {
				kept.WriteString(piece)
			} else if strings.HasSuffix(piece, "\n") {
				kept.WriteByte('\n')
			}
			start = end
		}
	}
	return kept.String()
}

func pieceEnd(line string, start int) int {
	for i := start; i < len(line); i++ {
		if c := line[i]; c == '.' || c == ';' || c == ',' {
			if next, _ := utf8.DecodeRuneInString(line[i+1:]); unicode.IsSpace(next) && i+1 < len(line) {
				return i + 1
			}
		}
	}
	return len(line)
}

// namedObjects returns the objects that each reference of the instructions and each field
// of a verified answer names: a bare reference the measures of that name, or else every
// column of that name.
func (s *snapshot) namedObjects() [][]*object {
	var all [][]*object
	add := func(objects ...*object) {
		if len(objects) > 0 && objects[0] != nil {
			all = append(all, objects)
		}
	}
	for _, w := range distinctMentions(mentionsIn(recommended(s.instructions))) {
		if w.qualified {
			add(s.byNorm[w.ref])
		} else {
			add(s.called(w.field)...)
		}
	}
	for _, a := range s.answers {
		for _, f := range a.src.Fields {
			add(s.lookUp(f.Table, f.Name))
		}
	}
	return all
}

// called returns the measures of a name under norm, or else the columns.
func (s *snapshot) called(name string) []*object {
	if s.byName == nil {
		s.byName = map[string][]*object{}
		for _, m := range s.measures {
			s.byName[m.norm] = append(s.byName[m.norm], &m.object)
		}
		for _, c := range s.columns {
			if of := s.byName[c.norm]; len(of) == 0 || of[0].kind == columnKind {
				s.byName[c.norm] = append(of, &c.object)
			}
		}
	}
	return s.byName[name]
}

type namedKey struct{}

// isNamed reports whether the instructions or a verified answer name a field.
func (x *scope) isNamed(o *object) bool {
	return remembered(x, namedKey{}, func() []bool {
		named := make([]bool, len(x.objects))
		for _, objects := range x.namedObjects() {
			for _, o := range objects {
				named[o.index] = true
			}
		}
		return named
	})[o.index]
}
