package descriptions

import (
	"strconv"

	"readiness/domain/readiness/additions"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// December2026 are the rules of 2026-12: they count a description that adds nothing to names as missing
// (docs/regime.md H.3).
var December2026 = rule.Amended(November2026,
	rule.Rule{ID: "DSC-01", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Descriptions},
		Check: rule.Each(rule.ExposedTables,
			unexplaining("what one row of it stands for and what it is used for", lowIfEvident[*model.Table]))},
	rule.Rule{ID: "DSC-02", Weight: 3, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Descriptions},
		Check: rule.Each(rule.Where(rule.ExposedColumns, rule.NotKey),
			unexplaining("what its values mean, with their unit or an example", lowIfEvident[*model.Column]))},
	rule.Rule{ID: "DSC-03", Weight: 4, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Descriptions},
		Check: rule.Each(rule.ExposedMeasures,
			unexplaining("what it measures, how it is calculated and when to use it", lowIfEvident[*model.Measure]))},
	rule.Rule{ID: "DSC-04", Weight: 3, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Descriptions},
		Check: rule.Each(rule.Where(rule.ExposedObjects, describable),
			idleDescription)},
	rule.Rule{ID: "DSC-05", Weight: 1, Severity: finding.Low, Fixes: []finding.FixKind{finding.Descriptions},
		Check: rule.Each(rule.DescribedObjects, overlongDescription)},
	rule.Rule{ID: "DSC-06", Weight: 1, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Descriptions},
		Check: rule.Among(rule.DescribedObjects, repeatedDescription)},
)

// unexplaining judges whether an object has a description that adds something. what is
// what the description should say, severity what a violation has in place of the rule's.
func unexplaining[O model.Judged](what string, severity func(*model.Scope, O) finding.Severity) func(*model.Scope, O) rule.Verdict {
	return func(x *model.Scope, o O) rule.Verdict {
		var v rule.Verdict
		switch b := o.Base(); additions.FaultOf(x, b) {
		case additions.Adds:
			return v
		case additions.Absent:
			v = rule.Fails(1, "describe "+what, noDescription)
		default:
			v = rule.Fails(1, "say what the name does not: "+what, "%s", idle(x, b))
		}
		v.Severity = severity(x, o)
		return v
	}
}

// idle says why a description adds nothing.
func idle(x *model.Scope, o *model.Object) string {
	text := "description: " + strconv.Quote(wording.Shown(o.Description, wording.ShownText))
	switch additions.FaultOf(x, o) {
	case additions.Short:
		return text + ", " + wording.Count(wording.Length(o.Description), "character") + ", " + strconv.Itoa(additions.LeastDescription) +
			" at least"
	case additions.OnlyName:
		return text + ", which is the name"
	case additions.OnlyFrame:
		return text + ", which only repeats names"
	case additions.Adds, additions.Absent:
	}
	return noDescription
}

// describable selects the objects that DSC-04 judges: keys only if they have a
// description.
func describable(x *model.Scope, o *model.Object) bool {
	return !x.Keys[o.Index] || o.Description != ""
}

// idleDescription is implied by DSC-01 to DSC-03 wherever these judge the object.
func idleDescription(x *model.Scope, o *model.Object) rule.Verdict {
	var v rule.Verdict
	switch additions.FaultOf(x, o) {
	case additions.Adds:
		return v
	case additions.Absent:
		v = rule.Absent("write a description of at least "+strconv.Itoa(additions.LeastDescription)+
			" characters that says more than the name", noDescription)
	default:
		v = rule.Absent("say in the description what the name does not", idle(x, o))
	}
	v.Severity = lowIfEvident(x, o)
	return v
}

func overlongDescription(x *model.Scope, o *model.Object) rule.Verdict {
	if !additions.Explained(x, o) {
		return rule.Absent("write a description of at most 200 characters that adds to the name", idle(x, o))
	}
	if n := wording.Length(o.Description); n > descriptionRead {
		return rule.Fails(0.5,
			"cut the description of "+strconv.Itoa(n)+" characters to 200, or put what matters first, as an AI reads only the first 200",
			"description of %d characters", n)
	}
	return rule.Verdict{}
}

// repeatedDescription compares the descriptions that add something.
func repeatedDescription(x *model.Scope, objects []*model.Object) func(*model.Object) rule.Verdict {
	sharers := map[string][]*model.Object{} // the first two of each text
	for _, o := range objects {
		if text := wording.Norm(o.Description); additions.Explained(x, o) && len(sharers[text]) < 2 {
			sharers[text] = append(sharers[text], o)
		}
	}
	return func(o *model.Object) rule.Verdict {
		if !additions.Explained(x, o) {
			v := rule.Absent("write a description that adds to the name and belongs to it alone", idle(x, o))
			v.Severity = lowIfEvident(x, o)
			return v
		}
		for _, other := range sharers[wording.Norm(o.Description)] {
			if other != o {
				return rule.Fails(1,
					"say in the description how it differs from "+wording.LowerFirst(model.Title(other))+", which has the same",
					"%s has the same: %q", wording.LowerFirst(model.Title(other)), wording.Shown(o.Description, wording.ShownText))
			}
		}
		return rule.Verdict{}
	}
}
