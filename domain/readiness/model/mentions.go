package model

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"readiness/domain/readiness/wording"
)

// Mention is a field that a text names (rule INS-03). Names are under norm.
type Mention struct {
	Ref
	Qualified bool
}

// Written is a mention with its position in a text.
type Written struct {
	Mention
	Text     string
	From, To int // bytes
}

// instructionFields match the three ways to name a field. The last one does not count
// before "(", which makes it a Markdown link.
var instructionFields = []*regexp.Regexp{
	regexp.MustCompile(`'([^'\n]+)'\[([^\]\n]+)\]`),
	regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)\[([^\]\n]+)\]`),
	regexp.MustCompile(`\[([^\]\n]+)\]`),
}

// MentionsIn returns what a text names, by pattern and position. What one pattern matches
// is blank for the next.
func MentionsIn(of string) []Written {
	text := []byte(of)
	var all []Written
	for i, pattern := range instructionFields {
		for _, at := range pattern.FindAllSubmatchIndex(text, -1) {
			w := Written{Text: string(text[at[0]:at[1]]), From: at[0], To: at[1]}
			if i < 2 {
				w.Mention = Mention{Ref{wording.Norm(string(text[at[2]:at[3]])), wording.Norm(string(text[at[4]:at[5]]))}, true}
				all = append(all, w)
			} else if at[1] == len(text) || text[at[1]] != '(' {
				w.Mention = Mention{Ref{Field: wording.Norm(string(text[at[2]:at[3]]))}, false}
				all = append(all, w)
			}
			for j := at[0]; j < at[1]; j++ {
				text[j] = ' '
			}
		}
	}
	return all
}

// DistinctMentions returns the first of each.
func DistinctMentions(all []Written) []Written {
	found := map[Mention]bool{}
	return slices.DeleteFunc(slices.Clone(all), func(w Written) bool {
		again := found[w.Mention]
		found[w.Mention] = true
		return again
	})
}

// Resolves reports whether a mention names a field of the model.
func (s *Snapshot) Resolves(m Mention) bool {
	if m.Qualified {
		return s.ByNorm[m.Ref] != nil
	}
	return s.named[m.Field]
}

// taboo are words after which a text does not recommend a field.
var taboo = regexp.MustCompile(`(?i)\b(do not|don't|never|avoid|ignore|exclude|hidden)\b`)

// Recommended returns a text without the pieces that warn of something. A line is cut
// into pieces after each full stop, semicolon and comma that white space follows.
func Recommended(text string) string {
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

// NamedObjects returns the objects that each reference of the instructions and each field
// of a verified answer names: a bare reference the measures of that name, or else every
// column of that name.
func (s *Snapshot) NamedObjects() [][]*Object {
	var all [][]*Object
	add := func(objects ...*Object) {
		if len(objects) > 0 && objects[0] != nil {
			all = append(all, objects)
		}
	}
	for _, w := range DistinctMentions(MentionsIn(Recommended(s.Instructions))) {
		if w.Qualified {
			add(s.ByNorm[w.Ref])
		} else {
			add(s.Called(w.Field)...)
		}
	}
	for _, a := range s.Answers {
		for _, f := range a.Src.Fields {
			add(s.LookUp(f.Table, f.Name))
		}
	}
	return all
}

// Called returns the measures of a name under norm, or else the columns.
func (s *Snapshot) Called(name string) []*Object {
	if s.byName == nil {
		s.byName = map[string][]*Object{}
		for _, m := range s.Measures {
			s.byName[m.Norm] = append(s.byName[m.Norm], &m.Object)
		}
		for _, c := range s.Columns {
			if of := s.byName[c.Norm]; len(of) == 0 || of[0].Kind == ColumnKind {
				s.byName[c.Norm] = append(of, &c.Object)
			}
		}
	}
	return s.byName[name]
}

type namedKey struct{}

// IsNamed reports whether the instructions or a verified answer name a field.
func (x *Scope) IsNamed(o *Object) bool {
	return Remembered(x, namedKey{}, func() []bool {
		named := make([]bool, len(x.Objects))
		for _, objects := range x.NamedObjects() {
			for _, o := range objects {
				named[o.Index] = true
			}
		}
		return named
	})[o.Index]
}
