package rules

import (
	"slices"
	"strings"
	"unicode"

	"readiness/ai/rules/prose"
	"readiness/definition/spelling"
)

// mostTerms is how many abbreviations the instructions spell out.
const mostTerms = 8

// spelledOut returns lines for the abbreviations in names of shown fields that the model spells out.
func (f *facts) spelledOut() []string {
	used := map[string]string{} // words of names that an AI sees, by norm, as written
	for _, x := range f.allFields() {
		if !f.worthNaming(x) {
			continue
		}
		for _, w := range strings.FieldsFunc(x.name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '&' }) {
			if used[spelling.FoldSpace(w)] == "" {
				used[spelling.FoldSpace(w)] = w
			}
		}
	}
	var lines []string
	for key, s := range f.spellings() {
		if long := prose.OneLine(strings.Join(s.long, " ")); used[key] != "" && prose.Sayable(long) {
			lines = append(lines, used[key]+" means "+long+".")
		}
	}
	slices.Sort(lines)
	return lines[:min(len(lines), mostTerms)]
}
