package rules

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"readiness/ai/rules/prose"
	"readiness/definition/spelling"
)

// spelled is an abbreviation with the words that it stands for.
type spelled struct {
	short string
	long  []string
}

// spellings are the abbreviations that a model spells out in one way, by norm.
type spellings map[string]spelled

// Where a text spells an abbreviation out: "VR = View Report" and "Capacity Units (CU)".
var (
	meansForm   = regexp.MustCompile(`(?m)(?:^|[\s(,;])"?([\pL][\pL\pN&]{1,7})"? ?(?:=|means|stands for|:) ?"?([\pL][\pL\pN '-]{2,80})`)
	afterForm   = regexp.MustCompile(`([\pL][\pL\pN '-]{2,80}?) ?\( ?"?([\pL][\pL\pN&]{1,7})"? ?\)`)
	beforeForm  = regexp.MustCompile(`(?:^|[\s(,;])([\pL][\pL\pN&]{1,7}) ?\(([\pL][\pL\pN '-]{2,80})\)`)
	commentForm = regexp.MustCompile(`(?://|--)([^\r\n]*)|/\*((?s:.*?))\*/`)
)

// spellings returns the abbreviations that names, descriptions or the AI instructions spell out.
func (f *facts) spellings() spellings {
	found := map[string][]spelled{}
	note := func(short string, long []string) {
		if key := spelling.FoldSpace(short); len(long) > 0 && !slices.ContainsFunc(found[key],
			func(s spelled) bool { return sameWords(s.long, long) }) {
			found[key] = append(found[key], spelled{short, long})
		}
	}
	for _, text := range f.prose() {
		if strings.ContainsAny(text, "=:") || strings.Contains(text, "means") || strings.Contains(text, "stands for") {
			for _, m := range meansForm.FindAllStringSubmatch(text, -1) {
				note(m[1], leading(m[1], m[2]))
			}
		}
		if !strings.Contains(text, "(") {
			continue
		}
		for _, m := range beforeForm.FindAllStringSubmatch(text, -1) {
			if long := strings.Fields(m[2]); abbreviates(m[1], long) {
				note(m[1], long)
			}
		}
		for _, m := range afterForm.FindAllStringSubmatch(text, -1) {
			note(m[2], trailing(m[2], m[1]))
		}
	}
	for _, t := range f.tables {
		note(t.src.Name, opening(t.src.Name, t.src.Description))
		for _, x := range t.fields() {
			note(x.name, opening(x.name, x.description))
		}
	}
	all := spellings{}
	for key, ways := range found {
		if len(ways) == 1 {
			all[key] = ways[0]
		}
	}
	return all
}

func sameWords(a, b []string) bool {
	return spelling.FoldSpace(strings.Join(a, " ")) == spelling.FoldSpace(strings.Join(b, " "))
}

// prose returns the texts in which a model can spell something out: instructions, names, descriptions and comments.
func (f *facts) prose() []string {
	texts := []string{f.currentInstructions()}
	for _, t := range f.tables {
		texts = append(texts, t.src.Name, t.src.Description)
		for _, x := range t.fields() {
			texts = append(texts, x.name, x.description)
			if !strings.ContainsAny(x.expression(), "/-") {
				continue
			}
			for _, m := range commentForm.FindAllStringSubmatch(x.expression(), -1) {
				texts = append(texts, m[1]+m[2])
			}
		}
	}
	return texts
}

// isShort reports whether a word is written as an abbreviation: in capitals, with digits, & and a
// plural's s.
func isShort(word string) bool {
	word = strings.TrimSuffix(word, "s")
	return len([]rune(word)) > 1 && strings.ToUpper(word) == word && strings.ContainsFunc(word, unicode.IsUpper)
}

// leading returns the words at the start of a text whose initials are the abbreviation; nil for none.
func leading(short, text string) []string {
	words := strings.Fields(text)
	for to := len(words); to > 1; to-- {
		if abbreviates(short, words[:to]) {
			return words[:to]
		}
	}
	return nil
}

// trailing is leading for the words at the end.
func trailing(short, text string) []string {
	words := strings.Fields(text)
	for from := range max(0, len(words)-1) {
		if abbreviates(short, words[from:]) {
			return words[from:]
		}
	}
	return nil
}

// opening returns the words with which the description of an object begins, if its name of at least three
// letters abbreviates them.
func opening(name, description string) []string {
	if len(squashed(name)) < 3 {
		return nil
	}
	text, _, _ := strings.Cut(description, "\n")
	if end := strings.IndexAny(text, ".,;:("); end >= 0 {
		text = text[:end]
	}
	if first, rest, _ := strings.Cut(text, " "); strings.EqualFold(first, "the") {
		text = rest
	}
	return leading(name, text)
}

// linking are words without a letter in abbreviations.
var linking = prose.SetOf("of the and in for to a an on by per")

// abbreviates reports whether the letters of an abbreviation are the initials of the words, in order.
// Linking words may have no letter, except the first and the last.
func abbreviates(short string, long []string) bool {
	letters := []rune(squashed(strings.TrimSuffix(short, "s")))
	if !isShort(short) || len(long) < 2 {
		return false
	}
	at := 0
	for i, w := range long {
		first := []rune(spelling.FoldSpace(w))[0]
		switch {
		case at < len(letters) && letters[at] == first:
			at++
		case i == 0 || i == len(long)-1 || !linking[spelling.FoldSpace(w)]:
			return false
		}
	}
	return at == len(letters)
}

// of returns a name with each abbreviation spelled out, and with each phrase that has an abbreviation
// abbreviated. Of a name that spells one out itself, as in "Capacity Units (CU)", it returns both parts.
func (s spellings) of(name string) []synonym {
	words := strings.Fields(name)
	plain := slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		short, bracketed := strings.CutPrefix(w, "(")
		return bracketed && strings.HasSuffix(short, ")") && s[spelling.FoldSpace(strings.TrimSuffix(short, ")"))].long != nil
	})
	var all []synonym
	if len(plain) < len(words) {
		all = append(all, synonym{strings.Join(plain, " "), "the name without the abbreviation"})
	}
	for i, w := range plain {
		if one := s[spelling.FoldSpace(w)]; one.long != nil && isShort(w) {
			all = append(all, synonym{strings.Join(slices.Concat(plain[:i], one.long, plain[i+1:]), " "),
				"the name with " + w + " spelled out as the model does"})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s)) {
		one := s[key]
		for i := 0; i+len(one.long) <= len(plain); i++ {
			if sameWords(plain[i:i+len(one.long)], one.long) {
				all = append(all, synonym{strings.Join(slices.Concat(plain[:i], []string{one.short}, plain[i+len(one.long):]), " "),
					"the name with the model's abbreviation " + one.short})
			}
		}
	}
	return all
}
