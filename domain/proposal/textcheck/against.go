package textcheck

import (
	"strings"
	"unicode"

	"readiness/internal/lateregexp"
)

// Removes reports whether a proposed text leaves out or changes a line of the present one.
func Removes(present, proposed string) bool {
	has := map[string]bool{}
	for line := range strings.Lines(proposed) {
		has[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(present) {
		if line = strings.TrimSpace(line); line != "" && !has[line] {
			return true
		}
	}
	return false
}

// statement is what can be compared of a line: its subject, its words, and what it denies.
type statement struct {
	subject string
	words   map[string]bool
	names   map[string]bool
	denies  bool
	revokes bool
}

// maxStatements bounds the lines that are compared with each other, and maxLine the length
// of one in bytes.
const (
	maxStatements = 400
	maxLine       = 2000
)

// Contradicts reports whether a line of the addition seems to contradict one of the present
// text: it says something else of the same subject, denies what the line says, or takes it
// back. It errs on the side of a contradiction, because a person then reads both.
func Contradicts(present, addition string) bool {
	before, after := statements(present), statements(addition)
	if len(before) == 0 {
		return false
	}
	if len(before) > maxStatements || len(after) > maxStatements {
		return true
	}
	for _, b := range after {
		if b.revokes {
			return true
		}
		for _, a := range before {
			if a.against(b) {
				return true
			}
		}
	}
	return false
}

func (a statement) against(b statement) bool {
	shared := 0
	for word := range b.words {
		if a.words[word] {
			shared++
		}
	}
	equal := shared == len(a.words) && shared == len(b.words)
	names := false
	for name := range b.names {
		names = names || a.names[name]
	}
	switch {
	case equal && a.denies == b.denies:
		return false
	case a.subject != "" && a.subject == b.subject:
		return true
	case a.denies != b.denies && (names || shared*2 >= min(len(a.words), len(b.words)) && shared > 1):
		return true
	}
	return shared*5 >= min(len(a.words), len(b.words))*3 && shared > 1 && !equal && min(len(a.words), len(b.words)) > 2
}

var (
	copula = lateregexp.New(`\s+(?:is|are|means|mean|equals|bedeutet|ist|sind|heisst|signifie|est|sont|significa|es|son)\s+|` +
		`\s*[:=]\s+|是|指`)
	denial = lateregexp.New(`\b(?:not|never|no|none|don't|doesn't|without|exclud\w*|nicht|nie|niemals|kein\w*|ohne|ne|pas|jamais|` +
		`aucun\w*|sans|nunca|ningun\w*|sin)\b|不|勿|别`)
	revoke = lateregexp.New(`\b(?:instead of|no longer|supersed\w*|contrary to|overrid\w*|replaces? (?:the|all|every)|in place of|` +
		`(?:the|rules|lines|instructions|text) above|earlier|previous(?:ly)? (?:rule|line|stat|sa[iy]|instruct|defin)\w*|` +
		`nicht mehr|entgegen|die obigen?|ersetzt|anstelle|ne \w+ plus|contrairement|au lieu|ci-dessus|remplace|ya no|en lugar|contrario|` +
		`anterior(?:es)?|reemplaza)\b|不再|取代|以上`)
)

// statements returns the lines that say something; headings do not.
func statements(text string) []statement {
	var all []statement
	for line := range strings.Lines(text) {
		if isHeading(line) {
			continue
		}
		line = plain(strings.TrimLeft(strings.TrimSpace(line[:min(len(line), maxLine)]), "-*+•0123456789. "))
		s := statement{
			words: map[string]bool{}, names: map[string]bool{}, denies: denial.MatchString(line), revokes: revoke.MatchString(line),
		}
		for _, r := range references(line) {
			s.names[r.name] = true
		}
		for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if stopWords[word] == nil && !denial.MatchString(word) {
				s.words[word] = true
			}
		}
		if at := copula.FindStringIndex(line); at != nil && at[0] > 0 {
			s.subject = strings.Trim(strings.TrimPrefix(line[:at[0]], "the "), " *_`'\"")
		}
		if len(s.words) > 0 {
			all = append(all, s)
		}
	}
	return all
}
