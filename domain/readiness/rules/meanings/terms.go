package meanings

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// longestTerm is the maximum length of a term before a verb, in characters.
const longestTerm = 60

var (
	listMark  = regexp.MustCompile(`^\s*([-*+•]|\d+[.)])\s+`)
	meansVerb = regexp.MustCompile(`(?i)\b(means|mean|refers to|stands for|is defined as|is|bedeutet|meint|heißt|ist|significa|é)\b|=|:|->|→`)
	useVerb   = regexp.MustCompile(`(?i)\b(use|prefer|nimm|verwende|nutze|prefira|utilize)\b`)
	forWord   = regexp.MustCompile(`(?i)\b(for|für|para)\b`)
	termBreak = regexp.MustCompile(`(?i),|/| or | and | oder | und | ou | e `)
)

// meaning is a term with the measure that the instructions map it to.
type meaning struct {
	term    string // as written
	words   string
	measure *model.Object
}

// meanings returns the terms that a line maps to measures: "term means … [M]" and "use
// [M] … for term".
func meanings(s *model.Snapshot, line string) []meaning {
	refs := model.MentionsIn(line)
	slices.SortStableFunc(refs, func(a, b model.Written) int { return a.From - b.From })
	// after returns the first measure named from a position on, and where its name ends.
	after := func(at int) (*model.Object, int) {
		for _, w := range refs {
			if o := measureOf(s, w.Mention); w.From >= at && o != nil {
				return o, w.To
			}
		}
		return nil, 0
	}
	var all []meaning
	add := func(terms string, m *model.Object) {
		for _, term := range termBreak.Split(terms, -1) {
			if w := wording.Words(term); len(w) > 0 {
				all = append(all, meaning{strings.TrimSpace(term), wording.JoinWords(w), m})
			}
		}
	}
	start := len(listMark.FindString(line))
	if verb := meansVerb.FindStringIndex(line[start:]); verb != nil && (len(refs) == 0 || refs[0].From >= start+verb[0]) {
		term := line[start : start+verb[0]]
		if m, _ := after(start + verb[1]); m != nil && wording.Length(term) <= longestTerm {
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

// Terms returns the terms that a line maps to measures, each with its measure.
func Terms(s *model.Snapshot, line string) iter.Seq2[string, *model.Object] {
	return func(yield func(string, *model.Object) bool) {
		for _, m := range meanings(s, line) {
			if !yield(m.term, m.measure) {
				return
			}
		}
	}
}

// measureOf returns the measure that a mention names, nil if it names none.
func measureOf(s *model.Snapshot, m model.Mention) *model.Object {
	if !m.Qualified {
		if objects := s.Called(m.Field); len(objects) > 0 && objects[0].Kind == model.MeasureKind {
			return objects[0]
		}
		return nil
	}
	if o := s.ByNorm[m.Ref]; o != nil && o.Kind == model.MeasureKind {
		return o
	}
	return nil
}

// Contradiction judges whether the instructions map one term to two measures (rule INS-11).
func Contradiction(x *model.Scope) rule.Verdict {
	first := map[string]meaning{}
	for line := range strings.SplitSeq(model.Recommended(x.Instructions), "\n") {
		for _, m := range meanings(x.Snapshot, line) {
			known, again := first[m.words]
			if again && known.measure != m.measure {
				two := wording.LowerFirst(model.Title(known.measure)) + " or " + wording.LowerFirst(model.Title(m.measure))
				return rule.Fails(1, "say in the AI instructions whether "+wording.QuotedText(m.term)+" means "+two+", in one place",
					"%q stands for %s",
					wording.Shown(m.term, wording.ShownText), two)
			}
			if !again {
				first[m.words] = m
			}
		}
	}
	return rule.Verdict{}
}
