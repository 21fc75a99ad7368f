// Package synonyms has the rules that judge whether people can use their own words.
package synonyms

import (
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// November2026 are the rules of 2026-11: they judge whether people can use their own words. Only authored terms count
// (docs/regime.md C.4 synonyms, C.9 (15)).
var November2026 = []rule.Rule{
	// SYN-01: measures, and text columns that people filter by, have a synonym.
	{ID: "SYN-01", Weight: 2, Severity: finding.Low, Check: rule.Each(namedByPeople, noSynonym)},
	// SYN-02: a synonym means nothing else in the model (docs/regime.md C.9 (15, 22)).
	{ID: "SYN-02", Weight: 1, Severity: finding.Medium, Check: rule.Among(namedByPeople, ambiguous)},
}

// namedByPeople returns M and the text columns of dimensions, without keys.
func namedByPeople(x *model.Scope) []*model.Object {
	asked := make([]bool, len(x.Objects))
	for _, c := range x.C {
		asked[c.Index] = c.Is(semanticmodel.String) && c.Table.Dimension() && !c.Key
	}
	var objects []*model.Object
	for _, o := range x.F {
		if o.Kind == model.MeasureKind || asked[o.Index] {
			objects = append(objects, o)
		}
	}
	return objects
}

func noSynonym(_ *model.Scope, o *model.Object) rule.Verdict {
	if len(o.Terms) == 0 {
		return rule.Fails(1, "add the words that people use for it as synonyms", "no authored synonym")
	}
	return rule.Verdict{}
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
		if len(o.Terms) == 0 {
			return rule.Absent("add synonyms that belong to it alone", "no authored synonym")
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
