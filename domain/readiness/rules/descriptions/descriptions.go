// Package descriptions has the rules that judge whether descriptions explain the objects.
package descriptions

import (
	"slices"
	"strings"

	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// November2026 are the rules of 2026-11: they judge whether descriptions explain the objects. An object without a
// description fails each of them (docs/regime.md C.4 descriptions).
var November2026 = []rule.Rule{
	// DSC-01 to DSC-03: tables, columns that are not keys, and measures have a
	// description.
	{ID: "DSC-01", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Descriptions}, Check: rule.Each(rule.ExposedTables,
		undescribed[*model.Table]("describe what one row of it stands for and what it is used for"))},
	{ID: "DSC-02", Weight: 3, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Descriptions},
		Check: rule.Each(rule.Where(rule.ExposedColumns, rule.NotKey),
			undescribed[*model.Column]("describe what its values mean, with their unit or an example"))},
	{ID: "DSC-03", Weight: 4, Severity: finding.High, Fixes: []finding.FixKind{finding.Descriptions}, Check: rule.Each(rule.ExposedMeasures,
		undescribed[*model.Measure]("describe what it measures, how it is calculated and when to use it"))},
	// DSC-04: a description adds to the name (docs/regime.md C.9 (10)).
	{ID: "DSC-04", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Descriptions},
		Check: rule.Each(rule.DescribedObjects, emptyDescription)},
	// DSC-05: an AI reads only the first 200 characters.
	{ID: "DSC-05", Weight: 1, Severity: finding.Low, Fixes: []finding.FixKind{finding.Descriptions},
		Check: rule.Each(rule.DescribedObjects, longDescription)},
	// DSC-06: no two objects share a description (docs/regime.md C.9 (10)).
	{ID: "DSC-06", Weight: 1, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Descriptions},
		Check: rule.Among(rule.DescribedObjects, sharedDescription)},
	// DSC-07: an AI sees calculation items only in their column's description (regime
	// C.9 (10)).
	{ID: "DSC-07", Weight: 1, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Descriptions}, Check: rule.Each(
		rule.Where(rule.ExposedTables, func(_ *model.Scope, t *model.Table) bool {
			return t.Src.CalculationGroup != nil && len(t.Src.CalculationGroup.Items) > 0
		}), unlistedItems)},
}

const (
	noDescription      = "no description"
	descriptionRead    = 200 // how many runes of a description an AI reads
	shortestMeaningful = 15
)

func undescribed[O model.Judged](advice string) func(*model.Scope, O) rule.Verdict {
	return func(_ *model.Scope, o O) rule.Verdict {
		if o.Base().Description == "" {
			return rule.Fails(1, advice, noDescription)
		}
		return rule.Verdict{}
	}
}

func emptyDescription(_ *model.Scope, o *model.Object) rule.Verdict {
	if o.Description == "" {
		return rule.Absent("write a description that says more than the name", noDescription)
	}
	evidence := func(advice string) rule.Verdict {
		return rule.Fails(1, advice, "description: %q", wording.Shown(o.Description, wording.ShownText))
	}
	if n := wording.Length(o.Description); n < shortestMeaningful {
		return rule.Fails(1, "say more in the description: at least 15 characters", "description: %q, %s", o.Description,
			wording.Count(n, "character"))
	}
	if wording.Norm(strings.TrimSuffix(o.Description, ".")) == o.Norm {
		return evidence("say in the description what the name does not")
	}
	described := wording.Words(o.Description)
	if len(described) == 0 {
		return evidence("write the description in words")
	}
	for _, w := range described {
		if !descriptionFillers[w] && !slices.Contains(o.Words, w) {
			return rule.Verdict{}
		}
	}
	return evidence("add to the description what the words of the name leave open")
}

var descriptionFillers = wording.SetOf("the,a,an,of,for,this,is,column,table,measure,field,contains")

func longDescription(_ *model.Scope, o *model.Object) rule.Verdict {
	if o.Description == "" {
		return rule.Absent("write a description of at most 200 characters", noDescription)
	}
	if n := wording.Length(o.Description); n > descriptionRead {
		return rule.Fails(0.5, "put what matters into the first 200 characters of the description, as an AI reads only these",
			"description of %d characters", n)
	}
	return rule.Verdict{}
}

func sharedDescription(_ *model.Scope, objects []*model.Object) func(*model.Object) rule.Verdict {
	sharers := map[string][]*model.Object{} // the first two of each text
	for _, o := range objects {
		if text := wording.Norm(o.Description); text != "" && len(sharers[text]) < 2 {
			sharers[text] = append(sharers[text], o)
		}
	}
	return func(o *model.Object) rule.Verdict {
		if o.Description == "" {
			return rule.Absent("write a description that no other object has", noDescription)
		}
		for _, other := range sharers[wording.Norm(o.Description)] {
			if other != o {
				return rule.Fails(1, "give it a description that no other object has", "%s has the same: %q",
					wording.LowerFirst(model.Title(other)),
					wording.Shown(o.Description, wording.ShownText))
			}
		}
		return rule.Verdict{}
	}
}

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
