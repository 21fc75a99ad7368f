package rules

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Where a model spells out an abbreviation: "VR = View Report" and "Capacity Units (CU)".
var (
	equalsForm  = regexp.MustCompile(`(?m)(?:^|[\s(,;])([\pL\pN&]{2,8}) ?(?:=|means|stands for) ?"?([\pL][\pL\pN '-]{2,60})`)
	bracketForm = regexp.MustCompile(`([\pL][\pL\pN '-]{2,80}?) ?\( ?([\pL\pN&]{2,8}) ?\)`)
	commentForm = regexp.MustCompile(`(?://|--)([^\r\n]*)|/\*((?s:.*?))\*/`)
)

// mostTerms is how many abbreviations the instructions spell out.
const mostTerms = 8

// spelledOut returns lines for the abbreviations in names that descriptions or comments of the model spell out
// in one way.
func (f *facts) spelledOut() []string {
	used := map[string]string{} // words of names that an AI sees, by norm, as written
	var texts []string
	for _, t := range f.tables {
		texts = append(texts, t.src.Description)
		for _, x := range t.fields() {
			texts = append(texts, x.description)
			expression := ""
			if x.measure != nil {
				expression = x.measure.Expression
			} else {
				expression = x.column.Expression
			}
			for _, m := range commentForm.FindAllStringSubmatch(expression, -1) {
				texts = append(texts, m[1]+m[2])
			}
			if !f.worthNaming(x) {
				continue
			}
			for _, w := range strings.FieldsFunc(x.name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '&' }) {
				if used[norm(w)] == "" {
					used[norm(w)] = w
				}
			}
		}
	}
	meanings := map[string][]string{}
	note := func(short, long string) {
		key := norm(short)
		long = oneLine(long)
		if used[key] == "" || long == "" || !sayable(long) {
			return
		}
		if !slices.ContainsFunc(meanings[key], func(m string) bool { return norm(m) == norm(long) }) {
			meanings[key] = append(meanings[key], long)
		}
	}
	for _, text := range texts {
		for _, m := range equalsForm.FindAllStringSubmatch(text, -1) {
			note(m[1], initialed(m[1], m[2], false))
		}
		for _, m := range bracketForm.FindAllStringSubmatch(text, -1) {
			note(m[2], initialed(m[2], m[1], true))
		}
	}
	var lines []string
	for key, of := range meanings {
		if len(of) == 1 {
			lines = append(lines, used[key]+" means "+of[0]+".")
		}
	}
	slices.Sort(lines)
	return lines[:min(len(lines), mostTerms)]
}

// initialed returns the words at the start of a text, or at its end, whose initials make the abbreviation; "" for
// none.
func initialed(short, text string, atEnd bool) string {
	letters := []rune(strings.ToLower(strings.Map(func(r rune) rune {
		if r == '&' {
			return -1
		}
		return r
	}, short)))
	parts := strings.Fields(text)
	if atEnd {
		for from := len(parts) - 1; from >= 0 && from >= len(parts)-len(letters)-2; from-- {
			if made := strings.Join(parts[from:], " "); initials(made, letters) {
				return made
			}
		}
		return ""
	}
	for to := len(parts); to > 0; to-- {
		if made := strings.Join(parts[:to], " "); initials(made, letters) {
			return made
		}
	}
	return ""
}

// smallWords need no letter in an abbreviation.
var smallWords = setOf("of the and in for to a an on by per")

// initials reports whether the initials of the words of a text are the letters. Small words may be without.
func initials(text string, letters []rune) bool {
	at := 0
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		first := []rune(strings.ToLower(w))[0]
		switch {
		case at < len(letters) && letters[at] == first:
			at++
		case !smallWords[strings.ToLower(w)]:
			return false
		}
	}
	return at == len(letters)
}
