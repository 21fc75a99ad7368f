package readiness

import "readiness/definition/semanticmodel"

// synonymRules judge whether people can use their own words. Only authored terms count
// (docs/regime.md C.4 synonyms, C.9 (15)).
var synonymRules = []rule{
	// SYN-01: measures, and text columns that people filter by, have a synonym.
	{id: "SYN-01", k: 2, severity: Low, check: each(namedByPeople, noSynonym)},
	// SYN-02: a synonym means nothing else in the model (docs/regime.md C.9 (15, 22)).
	{id: "SYN-02", k: 1, severity: Medium, check: among(namedByPeople, ambiguous)},
}

// namedByPeople returns M and the text columns of dimensions, without keys.
func namedByPeople(x *scope) []*object {
	asked := make([]bool, len(x.objects))
	for _, c := range x.c {
		asked[c.index] = c.is(semanticmodel.String) && c.table.dimension() && !c.key
	}
	var objects []*object
	for _, o := range x.f {
		if o.kind == measureKind || asked[o.index] {
			objects = append(objects, o)
		}
	}
	return objects
}

func noSynonym(_ *scope, o *object) verdict {
	if len(o.terms) == 0 {
		return fails(1, "add the words that people use for it as synonyms", "no authored synonym")
	}
	return verdict{}
}

func ambiguous(x *scope, _ []*object) func(*object) verdict {
	bearers := map[string][]*object{} // the first two exposed objects of each term or name
	bear := func(text string, o *object) {
		if len(bearers[text]) < 2 {
			bearers[text] = append(bearers[text], o)
		}
	}
	for _, o := range x.all {
		bear(o.norm, o)
		for _, t := range o.terms {
			bear(t, o)
		}
	}
	return func(o *object) verdict {
		if len(o.terms) == 0 {
			return absent("add synonyms that belong to it alone", "no authored synonym")
		}
		for _, t := range o.terms {
			for _, other := range bearers[t] {
				if other != o {
					return fails(1, "replace the synonym that also stands for something else", "%q also stands for %s", shown(t, shownText),
						lowerFirst(subject(other)))
				}
			}
		}
		return verdict{}
	}
}
