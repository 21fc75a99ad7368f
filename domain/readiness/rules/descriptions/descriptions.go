// Package descriptions has the rules that judge whether descriptions explain the objects.
package descriptions

import (
	"strconv"
	"strings"

	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/informing"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// Rules judge whether descriptions explain the objects. An object without a
// description fails each of them.
var Rules = []rule.Rule{
	// DSC-01 to DSC-03: tables, columns that are not keys, and measures have a description that informs.
	{ID: "DSC-01", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Descriptions},
		Check: rule.Each(rule.ExposedTables,
			unexplaining("what one row of it stands for and what it is used for", lowIfEvident[*model.Table]))},
	{ID: "DSC-02", Weight: 3, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Descriptions},
		Check: rule.Each(rule.Where(rule.ExposedColumns, rule.NotKey),
			unexplaining("what its values mean, with their unit or an example", lowIfEvident[*model.Column]))},
	{ID: "DSC-03", Weight: 4, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Descriptions},
		Check: rule.Each(rule.ExposedMeasures,
			unexplaining("what it measures, how it is calculated and when to use it", lowIfEvident[*model.Measure]))},
	// DSC-05: an AI reads only the first 200 characters.
	{ID: "DSC-05", Weight: 1, Severity: finding.Low, Fixes: []finding.FixKind{finding.Descriptions},
		Check: rule.Each(rule.Where(rule.DescribedObjects, informing.Described), overlongDescription)},
	// DSC-07: an AI sees calculation items only in their column's description.
	{ID: "DSC-07", Weight: 1, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Descriptions}, Check: rule.Each(
		rule.Where(rule.ExposedTables, func(_ *model.Scope, t *model.Table) bool {
			return t.Src.CalculationGroup != nil && len(t.Src.CalculationGroup.Items) > 0
		}), unlistedItems)},
}

const (
	noDescription   = "no description"
	descriptionRead = 200 // how many runes of a description an AI reads
)

func unlistedItems(_ *model.Scope, t *model.Table) rule.Verdict {
	items := t.Src.CalculationGroup.Items
	var description string
	name := "its column"
	if c := model.ItemColumn(t); c != nil {
		description, name = strings.ToLower(wording.FirstRunes(c.Description, descriptionRead)),
			"["+wording.Shown(c.Name, wording.ShownName)+"]"
	}
	var missing []string
	for _, item := range items {
		if !strings.Contains(description, strings.ToLower(item.Name)) {
			missing = append(missing, item.Name)
		}
	}
	if len(missing) == 0 {
		return rule.Verdict{}
	}
	return rule.Fails(float64(len(missing))/float64(len(items)),
		"name every calculation item in the first 200 characters of the description of "+name+", as an AI sees them nowhere else",
		"not named: %s", wording.List(missing, len(missing)))
}

// unexplaining judges whether an object has a description that adds something. what is
// what the description should say, severity what a violation has in place of the rule's.
func unexplaining[O model.Judged](what string, severity func(*model.Scope, O) finding.Severity) func(*model.Scope, O) rule.Verdict {
	return func(x *model.Scope, o O) rule.Verdict {
		var v rule.Verdict
		switch b := o.Base(); informing.FaultOf(x, b) {
		case informing.Informs:
			return v
		case informing.Absent:
			v = rule.Fails(1, "describe "+what, noDescription)
		case informing.Unrelated: // it may be right, and nothing shows it
			v = rule.Fails(1, "add to the description, in the model's words, "+what, "%s", idle(x, b))
		default:
			v = rule.Fails(1, "replace the description, which earns nothing, by "+what, "%s", idle(x, b))
		}
		v.Severity = severity(x, o)
		return v
	}
}

// idle says why a description informs of nothing.
func idle(x *model.Scope, o *model.Object) string {
	text := "description: " + strconv.Quote(wording.Shown(o.Description, wording.ShownText))
	switch informing.FaultOf(x, o) {
	case informing.Short:
		return text + ", " + wording.Count(wording.Length(o.Description), "character") + ", " + strconv.Itoa(informing.LeastDescription) +
			" at least"
	case informing.Names:
		return text + ", which says no more than names"
	case informing.Filler:
		return text + ", which would suit any data"
	case informing.Unrelated:
		return text + ", which has hardly a word of this model, so that no rule can tell whether it is about it"
	case informing.Repeated:
		others, one := informing.Alike(x, o)
		if others == 1 {
			return text + ", which says the same as that of " + wording.LowerFirst(model.Title(one))
		}
		return text + ", which says the same as " + strconv.Itoa(others) + " others, such as that of " +
			wording.LowerFirst(model.Title(one))
	case informing.Informs, informing.Absent:
	}
	return noDescription
}

// overlongDescription judges the descriptions that inform.
func overlongDescription(x *model.Scope, o *model.Object) rule.Verdict {
	if n := wording.Length(o.Description); n > descriptionRead {
		return rule.Fails(0.5,
			"put what matters into the first 200 characters of the description of "+strconv.Itoa(n)+", as an AI may read only these",
			"description of %d characters", n)
	}
	return rule.Verdict{}
}
