package instructions

import (
	"slices"
	"strings"

	"readiness/domain/readiness/informing"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rules/meanings"
	"readiness/domain/readiness/wording"
)

// statements are the lines of AI instructions that can be checked: each says something that the structure of the model
// does not, and names a field or a table that an AI sees or gives a rule in words that define, as for the fiscal year.
// idle is how many other lines there are, without headings; spoken are the lines that are more than names.
type statements struct {
	lines, spoken []string
	idle          int
}

type statementsKey struct{}

func statementsOf(x *model.Scope) statements {
	return model.Remembered(x, statementsKey{}, func() statements {
		var s statements
		named := namesIn(x)
		for line := range strings.FieldsFuncSeq(x.Instructions, func(r rune) bool { return r == '\n' || r == '\r' }) {
			line = strings.TrimSpace(line)
			words := wording.Words(line)
			names := named(words)
			if len(words) == 0 || headingLine.MatchString(line) {
				continue
			}
			if slices.ContainsFunc(words, func(w string) bool { return !names[w] }) {
				s.spoken = append(s.spoken, line)
			}
			switch {
			case (len(names) > 0 || informing.Defining(words) >= manyDefining) &&
				(maps(x, line) || informing.Says(x, line, func(w string) bool { return names[w] })):
				s.lines = append(s.lines, line)
			default:
				s.idle++
			}
		}
		return s
	})
}

// maps reports whether a line maps a term that is no word of the measure's name to the measure.
func maps(x *model.Scope, line string) bool {
	for term, measure := range meanings.Terms(x.Snapshot, line) {
		own := wording.Set{}
		for _, w := range measure.Words {
			own.Add(wording.Forms(w))
		}
		for _, w := range wording.Words(term) {
			if !own[w] && informing.Means(w) {
				return true
			}
		}
	}
	return false
}

// manyDefining is how many words that define a rule has without a field.
const manyDefining = 4

// longestName is how many words of a name are looked for.
const longestName = 6

// namesIn returns a function that returns the words of a line that are part of the name of something an AI sees.
func namesIn(x *model.Scope) func(words []string) wording.Set {
	names := map[string]bool{}
	for _, o := range x.All {
		if n := len(o.Words); n > 0 && n <= longestName {
			names[wording.JoinWords(o.Words)] = true
		}
	}
	return func(words []string) wording.Set {
		found := wording.Set{}
		for i := range words {
			for n := 1; n <= longestName && i+n <= len(words); n++ {
				if names[wording.JoinWords(words[i:i+n])] {
					found.Add(words[i : i+n])
				}
			}
		}
		return found
	}
}
