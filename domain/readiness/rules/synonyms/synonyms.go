// Package synonyms has the rules that judge whether people can use their own words.
package synonyms

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/informing"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
	"readiness/internal/lists"
)

// Rules judge whether people can use their own words. Only authored terms count.
var Rules = []rule.Rule{
	// SYN-01: measures, and text columns that people filter by, have a synonym.
	{ID: "SYN-01", Weight: 1, Severity: finding.Low, Reads: semanticmodel.Synonyms, Check: rule.Each(askedFor, noSynonym),
		Unweighted: rule.Each(namedByPeople, noSynonym)},
	// SYN-02: a synonym means nothing else in the model.
	{ID: "SYN-02", Weight: 1, Severity: finding.Medium, Reads: semanticmodel.Synonyms, Check: rule.Stating(rule.Among(askedFor, collides)),
		Unweighted: rule.Among(namedByPeople,
			collides)},
}

// namedByPeople returns M and the text columns of dimensions, without keys.
func namedByPeople(x *model.Scope) []*model.Object {
	asked := make([]bool, len(x.Objects))
	for _, c := range x.C {
		asked[c.Index] = c.Is(semanticmodel.String) && c.Table.Dimension() && !c.Key
	}
	return lists.Where(x.F, func(o *model.Object) bool { return o.Kind == model.MeasureKind || asked[o.Index] })
}

// SaysMore reports whether a synonym adds a word to a name, other than forms of its words and words of grammar, joined or not.
func SaysMore(term, name string) bool {
	own := wording.Set{}
	for _, w := range wording.Words(name) {
		own.Add(wording.Forms(w))
	}
	words := wording.Words(term)
	return slices.ContainsFunc(words, func(w string) bool { return !own[w] && w != "s" && (len(words) == 1 || informing.Means(w)) }) &&
		!slices.Contains(wording.Forms(squashed(wording.Norm(name))), squashed(term))
}

// noSynonym judges whether an object has a synonym that people may say. One that adds nothing but forms of the words of its
// name and words of grammar is none, joined or not (an abbreviation may look like such a word), nor is one that manyBearers
// objects have, nor a text without a letter.
func noSynonym(x *model.Scope, o *model.Object) rule.Verdict {
	const advice = "add the words that people use for it as synonyms"
	if len(o.Terms) == 0 {
		return rule.Fails(1, advice, "no authored synonym")
	}
	bearers := bearersOf(x)
	why := ""
	for _, t := range o.Terms {
		switch {
		case !SaysMore(t, cmp.Or(o.Name, o.Table.Src.Name)):
			why = wording.QuotedText(t) + " says no more than the name"
		case bearers[t] >= manyBearers:
			why = wording.QuotedText(t) + " is a synonym of " + wording.Count(bearers[t], "object")
		default:
			return rule.Verdict{}
		}
	}
	return rule.Fails(1, advice, "%s", why)
}

// squashed returns the letters and digits of a normalized text.
func squashed(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// manyBearers is from how many objects on a synonym distinguishes none of them.
const manyBearers = 3

type bearersKey struct{}

// bearersOf returns how many exposed objects have each synonym.
func bearersOf(x *model.Scope) map[string]int {
	return model.Remembered(x, bearersKey{}, func() map[string]int {
		n := map[string]int{}
		for _, o := range x.All {
			for _, t := range o.Terms {
				n[t]++
			}
		}
		return n
	})
}

func ambiguous(x *model.Scope, _ []*model.Object) func(*model.Object) rule.Verdict {
	bearers := map[string][]*model.Object{} // the first two exposed objects of each term or name
	owner := func(text string, o *model.Object) {
		if len(bearers[text]) < 2 {
			bearers[text] = append(bearers[text], o)
		}
	}
	for _, o := range x.All {
		owner(o.Norm, o)
		for _, t := range o.Terms {
			owner(t, o)
		}
	}
	return func(o *model.Object) rule.Verdict {
		if v := noSynonym(x, o); v.Violation > 0 {
			return rule.Absent("add synonyms that belong to it alone", v.Evidence)
		}
		for _, t := range o.Terms {
			for _, other := range bearers[t] {
				if other != o {
					return rule.Fails(1, "replace the synonym that also stands for something else", "%q also stands for %s",
						wording.Shown(t, wording.ShownText),
						wording.LowerFirst(model.Title(other)))
				}
			}
		}
		return rule.Verdict{}
	}
}

// askedFor returns M and, of the text columns that people name, those that are viewed,
// levels of a hierarchy or default labels. Without a usage map it returns all of them.
func askedFor(x *model.Scope) []*model.Object {
	all := namedByPeople(x)
	if x.Views == nil {
		return all
	}
	wanted := levels(x)
	for _, c := range x.C {
		wanted[c.Index] = wanted[c.Index] || c.Src.IsDefaultLabel
	}
	return lists.Where(all, func(o *model.Object) bool {
		return o.Kind == model.MeasureKind || x.Views[o.Index] > 0 || wanted[o.Index]
	})
}

// levels reports, by Object.Index, the columns that are a level of an exposed hierarchy.
func levels(x *model.Scope) []bool {
	levels := make([]bool, len(x.Objects))
	for _, t := range x.T {
		for _, h := range t.Hierarchies {
			if !h.Exposed {
				continue
			}
			for _, l := range h.Src.Levels {
				if o := x.Names.Fields[model.Ref{Table: strings.ToLower(t.Src.Name), Field: strings.ToLower(l.Column)}]; o != nil {
					levels[o.Index] = true
				}
			}
		}
	}
	return levels
}

// collides is ambiguous, where only a collision is more than low.
func collides(x *model.Scope, objects []*model.Object) func(*model.Object) rule.Verdict {
	judge := ambiguous(x, objects)
	return func(o *model.Object) rule.Verdict {
		v := judge(o)
		if v.Implied {
			v.Severity = finding.Low
		}
		return v
	}
}
