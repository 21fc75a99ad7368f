package readiness

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
)

// descriptionRules judge whether descriptions explain the objects. An object without a
// description fails each of them (docs/regime.md C.4 descriptions).
var descriptionRules = []rule{
	// DSC-01 to DSC-03: tables, columns that are not keys, and measures have a
	// description.
	{id: "DSC-01", k: 2, severity: Medium, fixes: []FixKind{Descriptions}, check: each(exposedTables,
		undescribed[*table]("describe what one row of it stands for and what it is used for"))},
	{id: "DSC-02", k: 3, severity: Medium, fixes: []FixKind{Descriptions}, check: each(where(exposedColumns, notKey),
		undescribed[*column]("describe what its values mean, with their unit or an example"))},
	{id: "DSC-03", k: 4, severity: High, fixes: []FixKind{Descriptions}, check: each(exposedMeasures,
		undescribed[*measure]("describe what it measures, how it is calculated and when to use it"))},
	// DSC-04: a description adds to the name (docs/regime.md C.9 (10)).
	{id: "DSC-04", k: 2, severity: Medium, fixes: []FixKind{Descriptions}, check: each(describedObjects, emptyDescription)},
	// DSC-05: an AI reads only the first 200 characters.
	{id: "DSC-05", k: 1, severity: Low, fixes: []FixKind{Descriptions}, check: each(describedObjects, longDescription)},
	// DSC-06: no two objects share a description (docs/regime.md C.9 (10)).
	{id: "DSC-06", k: 1, severity: Medium, fixes: []FixKind{Descriptions}, check: among(describedObjects, sharedDescription)},
	// DSC-07: an AI sees calculation items only in their column's description (regime
	// C.9 (10)).
	{id: "DSC-07", k: 1, severity: Medium, fixes: []FixKind{Descriptions}, check: each(
		where(exposedTables, func(_ *scope, t *table) bool {
			return t.src.CalculationGroup != nil && len(t.src.CalculationGroup.Items) > 0
		}), unlistedItems)},
}

const (
	noDescription      = "no description"
	descriptionRead    = 200 // how many runes of a description an AI reads
	shortestMeaningful = 15
)

func undescribed[O judged](advice string) func(*scope, O) verdict {
	return func(_ *scope, o O) verdict {
		if o.base().description == "" {
			return fails(1, advice, noDescription)
		}
		return verdict{}
	}
}

func emptyDescription(_ *scope, o *object) verdict {
	if o.description == "" {
		return absent("write a description that says more than the name", noDescription)
	}
	evidence := func(advice string) verdict {
		return fails(1, advice, "description: %q", shown(o.description, shownText))
	}
	if n := length(o.description); n < shortestMeaningful {
		return fails(1, "say more in the description: at least 15 characters", "description: %q, %s", o.description, count(n, "character"))
	}
	if norm(strings.TrimSuffix(o.description, ".")) == o.norm {
		return evidence("say in the description what the name does not")
	}
	described := words(o.description)
	if len(described) == 0 {
		return evidence("write the description in words")
	}
	for _, w := range described {
		if !descriptionFillers[w] && !slices.Contains(o.words, w) {
			return verdict{}
		}
	}
	return evidence("add to the description what the words of the name leave open")
}

var descriptionFillers = setOf("the,a,an,of,for,this,is,column,table,measure,field,contains")

func longDescription(_ *scope, o *object) verdict {
	if o.description == "" {
		return absent("write a description of at most 200 characters", noDescription)
	}
	if n := length(o.description); n > descriptionRead {
		return fails(0.5, "put what matters into the first 200 characters of the description, as an AI reads only these",
			"description of %d characters", n)
	}
	return verdict{}
}

func sharedDescription(_ *scope, objects []*object) func(*object) verdict {
	sharers := map[string][]*object{} // the first two of each text
	for _, o := range objects {
		if text := norm(o.description); text != "" && len(sharers[text]) < 2 {
			sharers[text] = append(sharers[text], o)
		}
	}
	return func(o *object) verdict {
		if o.description == "" {
			return absent("write a description of its own", noDescription)
		}
		for _, other := range sharers[norm(o.description)] {
			if other != o {
				return fails(1, "give it a description that no other object has", "%s has the same: %q", lowerFirst(subject(other)),
					shown(o.description, shownText))
			}
		}
		return verdict{}
	}
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func unlistedItems(_ *scope, t *table) verdict {
	items := t.src.CalculationGroup.Items
	var description string
	name := "its column"
	if c := itemColumn(t); c != nil {
		description, name = strings.ToLower(firstRunes(c.description, descriptionRead)), "["+shown(c.name, shownName)+"]"
	}
	var missing []string
	for _, item := range items {
		if !strings.Contains(description, strings.ToLower(item.Name)) {
			missing = append(missing, item.Name)
		}
	}
	if len(missing) == 0 {
		return verdict{}
	}
	return fails(float64(len(missing))/float64(len(items)),
		"name every calculation item in the first 200 characters of the description of "+name+", as an AI sees them nowhere else",
		"not named: %s", list(missing, len(missing)))
}

// itemColumn returns the column with the names of a calculation group's items: the one
// with source column Name, else the only text column; nil when there is none (regime
// C.9 (10)).
func itemColumn(t *table) *column {
	var text []*column
	for _, c := range t.columns {
		if c.src.SourceColumn == "Name" {
			return c
		}
		if c.is(semanticmodel.String) {
			text = append(text, c)
		}
	}
	if len(text) == 1 {
		return text[0]
	}
	return nil
}
