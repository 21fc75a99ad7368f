package readiness

import "strconv"

// decemberDescriptionRules count a description that adds nothing to names as none
// (docs/regime.md H.3).
var decemberDescriptionRules = amended(descriptionRules,
	rule{id: "DSC-01", k: 2, severity: Medium, fixes: []FixKind{Descriptions}, check: each(exposedTables,
		unexplaining("what one row of it stands for and what it is used for", lowIfEvident[*table]))},
	rule{id: "DSC-02", k: 3, severity: Medium, fixes: []FixKind{Descriptions}, check: each(where(exposedColumns, notKey),
		unexplaining("what its values mean, with their unit or an example", lowIfEvident[*column]))},
	rule{id: "DSC-03", k: 4, severity: High, fixes: []FixKind{Descriptions}, check: each(exposedMeasures,
		unexplaining("what it measures, how it is calculated and when to use it", mediumIfCount))},
	rule{id: "DSC-04", k: 3, severity: Medium, fixes: []FixKind{Descriptions}, check: each(where(exposedObjects, describable),
		idleDescription)},
	rule{id: "DSC-05", k: 1, severity: Low, fixes: []FixKind{Descriptions}, check: each(describedObjects, overlongDescription)},
	rule{id: "DSC-06", k: 1, severity: Medium, fixes: []FixKind{Descriptions}, check: among(describedObjects, repeatedDescription)},
)

// unexplaining judges whether an object has a description that adds something. what is
// what the description should say, severity what a violation has in place of the rule's.
func unexplaining[O judged](what string, severity func(*scope, O) Severity) func(*scope, O) verdict {
	return func(x *scope, o O) verdict {
		var v verdict
		switch b := o.base(); x.description(b) {
		case adds:
			return v
		case isAbsent:
			v = fails(1, "describe "+what, noDescription)
		default:
			v = fails(1, "say what the name does not: "+what, "%s", x.idle(b))
		}
		v.severity = severity(x, o)
		return v
	}
}

// idle says what is wrong with a description that adds nothing.
func (x *scope) idle(o *object) string {
	text := "description: " + strconv.Quote(shown(o.description, shownText))
	switch x.description(o) {
	case isShort:
		return text + ", " + count(length(o.description), "character") + ", " + strconv.Itoa(leastDescription) + " at least"
	case isName:
		return text + ", which is the name"
	case isFrame:
		return text + ", which only repeats names"
	case adds, isAbsent:
	}
	return noDescription
}

// describable selects the objects that DSC-04 judges: keys only if they have a
// description.
func describable(x *scope, o *object) bool { return !x.keys[o.index] || o.description != "" }

// idleDescription is implied by DSC-01 to DSC-03 wherever these judge the object.
func idleDescription(x *scope, o *object) verdict {
	var v verdict
	switch x.description(o) {
	case adds:
		return v
	case isAbsent:
		v = absent("write a description of at least "+strconv.Itoa(leastDescription)+" characters that says more than the name",
			noDescription)
	default:
		v = absent("say in the description what the name does not", x.idle(o))
	}
	v.severity = lowIfEvident(x, o)
	return v
}

func overlongDescription(x *scope, o *object) verdict {
	if !x.explained(o) {
		return absent("write a description of at most 200 characters that adds to the name", x.idle(o))
	}
	if n := length(o.description); n > descriptionRead {
		return fails(0.5,
			"cut the description of "+strconv.Itoa(n)+" characters to 200, or put what matters first, as an AI reads only the first 200",
			"description of %d characters", n)
	}
	return verdict{}
}

// repeatedDescription compares the descriptions that add something.
func repeatedDescription(x *scope, objects []*object) func(*object) verdict {
	sharers := map[string][]*object{} // the first two of each text
	for _, o := range objects {
		if text := norm(o.description); x.explained(o) && len(sharers[text]) < 2 {
			sharers[text] = append(sharers[text], o)
		}
	}
	return func(o *object) verdict {
		if !x.explained(o) {
			v := absent("write a description that adds to the name and belongs to it alone", x.idle(o))
			v.severity = lowIfEvident(x, o)
			return v
		}
		for _, other := range sharers[norm(o.description)] {
			if other != o {
				return fails(1, "say in the description how it differs from "+lowerFirst(subject(other))+", which has the same",
					"%s has the same: %q", lowerFirst(subject(other)), shown(o.description, shownText))
			}
		}
		return verdict{}
	}
}
