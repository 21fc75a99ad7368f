package naming

import (
	"slices"
	"strings"
	"unicode"

	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
	"readiness/internal/lists"
)

type unfamiliarKey struct{}

// Unfamiliar returns the verdict of NAM-03 for an exposed object. Several rules ask for it.
func Unfamiliar(x *model.Scope, o *model.Object) rule.Verdict {
	return rule.OrPass(model.Remembered(x, unfamiliarKey{}, func() []*rule.Verdict {
		found := make([]*rule.Verdict, len(x.Objects))
		for _, o := range x.All {
			if v := unfamiliar(x, o, false).verdict(); v.Violation > 0 {
				found[o.Index] = &v
			}
		}
		return found
	})[o.Index])
}

// NeedsSpelling reports whether the name of an exposed field violates NAM-03 even if a last word that abbreviates name, date
// or code is left alone.
func NeedsSpelling(x *model.Scope, o *model.Object) bool {
	return Unfamiliar(x, o).Violation > 0 && unfamiliar(x, o, true).verdict().Violation > 0
}

var shortEndings = wording.SetOf("nm,dt,cd")

// unknown are the words of a name that violate NAM-03, as they are written there: abbreviations without a vowel,
// single letters, and words in capitals. prefix is an abbreviation that stands before the name of a table.
type unknown struct {
	prefix                           string
	abbreviations, letters, capitals []string
}

// split is a name, as the key of its words.
type split string

// unfamiliar reads a name. leaveLast leaves out a last word of several that is one of shortEndings.
func unfamiliar(x *model.Scope, o *model.Object, leaveLast bool) (u unknown) {
	all := model.Pure(x, split(plainName(x, o)), func(name split) []wording.NameWord { return wording.NameWords(string(name)) })
	mixed := slices.ContainsFunc(all, func(w wording.NameWord) bool { return !inCapitals(w.Text) })
	for i, w := range all {
		lower := wording.Norm(w.Text)
		switch {
		case w.Familiar || !wording.IsASCIILetters(lower) || wording.FamiliarAbbreviations[lower],
			leaveLast && i > 0 && i == len(all)-1 && shortEndings[lower]:
		case len(lower) == 1:
			if lower != "a" && lower != "i" && !w.Alone && !besideDigits(all, i) {
				u.letters = append(u.letters, w.Text)
			}
		case !strings.ContainsAny(lower, "aeiouy"):
			if prefix, _ := WarehousePrefix(o.Label()); i == 0 && o.Kind == model.TableKind && strings.HasPrefix(prefix, w.Text) {
				u.prefix = w.Text
				continue
			}
			u.abbreviations = append(u.abbreviations, w.Text)
		case mixed && len(w.Text) <= 5 && inCapitals(w.Text):
			u.capitals = append(u.capitals, w.Text)
		}
	}
	return u
}

// verdict names every word that violates the rule.
func (u unknown) verdict() rule.Verdict {
	var advice, evidence []string
	add := func(words []string, what, before, after string) {
		if len(words) == 0 {
			return
		}
		quoted := lists.Map(words, wording.QuotedText)
		list := wording.Listed(quoted, wording.MostNamed)
		advice, evidence = append(advice, before+list+after), append(evidence, what+": "+list)
	}
	if u.prefix != "" {
		add([]string{u.prefix}, "abbreviation", "leave ", " out of the name")
	}
	add(u.abbreviations, "abbreviation", "spell ", " out in the name")
	add(u.letters, "letter", "say in the name what the letter ", " stands for")
	add(u.capitals, "in capitals", "spell ", " out in the name, or explain it in the description")
	switch {
	case len(advice) == 0:
		return rule.Verdict{}
	case u.prefix != "" || len(u.abbreviations) > 0:
		return rule.Fails(1, strings.Join(advice, "; "), "%s", strings.Join(evidence, "; "))
	}
	return rule.Fails(0.5, strings.Join(advice, "; "), "%s", strings.Join(evidence, "; "))
}

// CallsCount reports whether the name of a measure says that it is a count.
func CallsCount(m *model.Measure) bool {
	return strings.HasPrefix(strings.TrimSpace(m.Name), "#") || wording.LastWord(m.Words) == "count" ||
		len(m.Words) > 1 && (m.Words[0] == "number" || m.Words[0] == "count") && m.Words[1] == "of"
}

func besideDigits(all []wording.NameWord, i int) bool {
	digits := func(i int) bool {
		return 0 <= i && i < len(all) && !strings.ContainsFunc(all[i].Text, func(r rune) bool { return !unicode.IsDigit(r) })
	}
	return digits(i-1) || digits(i+1)
}

// inCapitals reports whether a word has no letter that is not a capital.
func inCapitals(s string) bool { return strings.ToUpper(s) == s }
