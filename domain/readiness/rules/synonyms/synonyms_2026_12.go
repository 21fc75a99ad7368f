package synonyms

import (
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
)

// December2026 are the rules of 2026-12: they ask for synonyms of what is used, when usage is known. The
// unweighted scores ask for those of 2026-11 (docs/regime.md H.3).
var December2026 = rule.Amended(November2026,
	rule.Rule{ID: "SYN-01", Weight: 1, Severity: finding.Low, Reads: semanticmodel.Synonyms, Check: rule.Each(askedFor, noSynonym),
		Unweighted: rule.Each(namedByPeople, noSynonym)},
	rule.Rule{ID: "SYN-02", Weight: 1, Severity: finding.Medium, Reads: semanticmodel.Synonyms, Check: rule.Stating(rule.Among(askedFor, collides)),
		Unweighted: rule.Among(namedByPeople,
			collides)},
)

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
	var kept []*model.Object
	for _, o := range all {
		if o.Kind == model.MeasureKind || x.Views[o.Index] > 0 || wanted[o.Index] {
			kept = append(kept, o)
		}
	}
	return kept
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
