package readiness

import (
	"regexp"
	"slices"
	"strings"
)

// longestTerm is how many characters stand before a verb at most to be a term.
const longestTerm = 60

var (
	listMark  = regexp.MustCompile(`^\s*([-*+•]|\d+[.)])\s+`)
	meansVerb = regexp.MustCompile(`(?i)\b(means|mean|refers to|stands for|is defined as|is)\b|=|:|->|→`)
	useVerb   = regexp.MustCompile(`(?i)\b(use|prefer)\b`)
	forWord   = regexp.MustCompile(`(?i)\bfor\b`)
	termBreak = regexp.MustCompile(`(?i),|/| or | and `)
)

// meaning is a term with the measure that the instructions map it to.
type meaning struct {
	term    string // as written
	words   string
	measure *object
}

// meanings returns the terms that a line maps to measures: "term means … [M]" and "use
// [M] … for term".
func (s *snapshot) meanings(line string) []meaning {
	refs := mentionsIn(line)
	slices.SortStableFunc(refs, func(a, b written) int { return a.from - b.from })
	// after returns the first measure named from a position on, and where its name ends.
	after := func(at int) (*object, int) {
		for _, w := range refs {
			if o := s.measureOf(w.mention); w.from >= at && o != nil {
				return o, w.to
			}
		}
		return nil, 0
	}
	var all []meaning
	add := func(terms string, m *object) {
		for _, term := range termBreak.Split(terms, -1) {
			if w := words(term); len(w) > 0 {
				all = append(all, meaning{strings.TrimSpace(term), joinWords(w), m})
			}
		}
	}
	start := len(listMark.FindString(line))
	if verb := meansVerb.FindStringIndex(line[start:]); verb != nil && (len(refs) == 0 || refs[0].from >= start+verb[0]) {
		term := line[start : start+verb[0]]
		if m, _ := after(start + verb[1]); m != nil && length(term) <= longestTerm {
			add(term, m)
		}
	}
	if verb := useVerb.FindStringIndex(line); verb != nil {
		m, end := after(verb[1])
		if at := forWord.FindStringIndex(line[end:]); m != nil && at != nil {
			term := line[end+at[1]:]
			if i := strings.IndexAny(term, ".:;,"); i >= 0 {
				term = term[:i]
			}
			add(term, m)
		}
	}
	return all
}

// measureOf returns the measure that a mention names, nil if it names none.
func (s *snapshot) measureOf(m mention) *object {
	if !m.qualified {
		if objects := s.called(m.field); len(objects) > 0 && objects[0].kind == measureKind {
			return objects[0]
		}
		return nil
	}
	if o := s.byNorm[m.ref]; o != nil && o.kind == measureKind {
		return o
	}
	return nil
}

func contradiction(x *scope) verdict {
	first := map[string]meaning{}
	for line := range strings.SplitSeq(recommended(x.instructions), "\n") {
		for _, m := range x.meanings(line) {
			known, again := first[m.words]
			if again && known.measure != m.measure {
				two := lowerFirst(subject(known.measure)) + " or " + lowerFirst(subject(m.measure))
				return fails(1, "say in the AI instructions whether "+quotedText(m.term)+" means "+two+", in one place", "%q stands for %s",
					shown(m.term, shownText), two)
			}
			if !again {
				first[m.words] = m
			}
		}
	}
	return verdict{}
}
