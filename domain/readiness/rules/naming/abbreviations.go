package naming

import (
	"slices"
	"strings"
	"unicode"

	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

type unfamiliarKey struct{}

// Unfamiliar returns the verdict of NAM-03 for an exposed object. Several rules ask for it.
func Unfamiliar(x *model.Scope, o *model.Object) rule.Verdict {
	return rule.OrPass(model.Remembered(x, unfamiliarKey{}, func() []*rule.Verdict {
		found := make([]*rule.Verdict, len(x.Objects))
		for _, o := range x.All {
			if v := unfamiliarName(x, o); v.Violation > 0 {
				found[o.Index] = &v
			}
		}
		return found
	})[o.Index])
}

// unfamiliarName finds the first abbreviation without a vowel, else the first single
// letter or word in capitals.
func unfamiliarName(x *model.Scope, o *model.Object) rule.Verdict {
	all := wording.NameWords(plainName(x, o))
	var half *rule.Verdict
	for i, w := range all {
		lower := wording.Norm(w.Text)
		switch {
		case w.Familiar || !wording.IsASCIILetters(lower) || wording.FamiliarAbbreviations[lower]:
		case len(lower) == 1:
			if half == nil && lower != "a" && lower != "i" && !w.Alone && !besideDigits(all, i) {
				half = new(rule.Fails(0.5, "say in the name what the letter "+wording.QuotedText(w.Text)+" stands for", "letter: %q",
					lower))
			}
		case !strings.ContainsAny(lower, "aeiouy"):
			advice := "spell " + wording.QuotedText(w.Text) + " out in the name"
			if prefix, _ := WarehousePrefix(o.Label()); i == 0 && o.Kind == model.TableKind && strings.HasPrefix(prefix, w.Text) {
				advice = "leave " + wording.QuotedText(w.Text) + " out of the name"
			}
			return rule.Fails(1, advice, "abbreviation: %q", wording.Shown(lower, wording.ShownName))
		case half == nil && len(w.Text) <= 5 && inCapitals(w.Text) && slices.ContainsFunc(all,
			func(w wording.NameWord) bool { return !inCapitals(w.Text) }):
			half = new(rule.Fails(0.5, "spell "+wording.QuotedText(w.Text)+" out in the name, or explain it in the description",
				"in capitals: %q",
				w.Text))
		}
	}
	if half != nil {
		return *half
	}
	return rule.Verdict{}
}

// CallsCount reports whether the name of a measure says that it is a count (docs/regime-precision.md P3).
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
