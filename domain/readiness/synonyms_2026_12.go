package readiness

import "strings"

// decemberSynonymRules ask for synonyms of what is used, when usage is known. The
// unweighted scores ask for those of 2026-11 (docs/regime.md H.3).
var decemberSynonymRules = amended(synonymRules,
	rule{id: "SYN-01", k: 1, severity: Low, copilot: true, check: each(askedFor, noSynonym), unweighted: each(namedByPeople, noSynonym)},
	rule{id: "SYN-02", k: 1, severity: Medium, copilot: true, check: stating(among(askedFor, collides)), unweighted: among(namedByPeople,
		collides)},
)

// askedFor returns M and, of the text columns that people name, those that are viewed,
// levels of a hierarchy or default labels. Without a usage map it returns all of them.
func askedFor(x *scope) []*object {
	all := namedByPeople(x)
	if x.views == nil {
		return all
	}
	wanted := x.levels()
	for _, c := range x.c {
		wanted[c.index] = wanted[c.index] || c.src.IsDefaultLabel
	}
	var kept []*object
	for _, o := range all {
		if o.kind == measureKind || x.views[o.index] > 0 || wanted[o.index] {
			kept = append(kept, o)
		}
	}
	return kept
}

// levels reports, by object.index, the columns that are a level of an exposed hierarchy.
func (x *scope) levels() []bool {
	levels := make([]bool, len(x.objects))
	for _, t := range x.t {
		for _, h := range t.hierarchies {
			if !h.exposed {
				continue
			}
			for _, l := range h.src.Levels {
				if o := x.names.fields[ref{strings.ToLower(t.src.Name), strings.ToLower(l.Column)}]; o != nil {
					levels[o.index] = true
				}
			}
		}
	}
	return levels
}

// collides is ambiguous, where only a collision is more than low.
func collides(x *scope, objects []*object) func(*object) verdict {
	judge := ambiguous(x, objects)
	return func(o *object) verdict {
		v := judge(o)
		if v.implied {
			v.severity = Low
		}
		return v
	}
}
