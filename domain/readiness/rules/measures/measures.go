// Package measures has the rules that judge whether the numbers that people ask for exist as
// measures, without duplicates, in readable form, and with expressions that can work.
package measures

import (
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/datatypes"
	"readiness/domain/readiness/wording"
)

// November2026 are the rules of 2026-11: they judge whether the numbers that people ask for exist as measures, without
// duplicates and in readable form (docs/regime.md C.4 measures).
var November2026 = []rule.Rule{
	// MEA-01: a model with facts or numbers has measures, at least one for each fact
	// table.
	{ID: "MEA-01", Weight: 3, Severity: finding.High, Check: rule.OnModel(hasNumbers, enoughMeasures)},
	// MEA-02: columns that can be summed are used by a measure (docs/regime.md C.9 (22)).
	{ID: "MEA-02", Weight: 2, Severity: finding.Medium, Check: rule.Among(rule.Where(rule.ExposedColumns, summable), unmeasured)},
	// MEA-03: every measure has a format (docs/regime.md C.9 (11): a definition holds no type
	// of a measure).
	{ID: "MEA-03", Weight: 3, Severity: finding.Medium, Check: rule.Each(rule.ExposedMeasures, unformatted)},
	// MEA-04: many measures in one table are in display folders.
	{ID: "MEA-04", Weight: 2, Severity: finding.Low, Fixes: []finding.FixKind{finding.Properties}, Layout: true, Check: unfiled},
	// MEA-05: no measure duplicates another one (docs/regime.md C.9 (11, 25)).
	{ID: "MEA-05", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIDataSchema},
		Check: rule.Among(rule.ExposedMeasures, duplicate)},
	// MEA-06: names distinguish the measures (docs/regime.md C.9 (11)).
	{ID: "MEA-06", Weight: 1, Severity: finding.Low, Fixes: []finding.FixKind{finding.AIDataSchema, finding.AIInstructions},
		Check: rule.Among(rule.ExposedMeasures, alike)},
}

func hasNumbers(x *model.Scope) bool {
	return x.Facts > 0 || slices.ContainsFunc(x.C, func(c *model.Column) bool { return c.Numeric() && !c.Key })
}

func enoughMeasures(x *model.Scope) rule.Verdict {
	switch n := len(x.M); {
	case n == 0:
		return rule.Fails(1, "add measures for the numbers people ask for, so that an AI need not invent them", "no measure is exposed")
	case n < x.Facts:
		return rule.Fails(0.5, "add measures: at least one for each fact table", "%s for %s", wording.Count(n, "measure"),
			wording.Count(x.Facts, "fact table"))
	}
	return rule.Verdict{}
}

func summable(_ *model.Scope, c *model.Column) bool {
	return c.Numeric() && c.Table.Fact() && !c.Key && c.Summed()
}

func unmeasured(x *model.Scope, _ []*model.Column) func(*model.Column) rule.Verdict {
	used := map[*model.Object]bool{}
	for _, m := range x.Measures {
		for _, o := range m.Refs {
			used[o] = true
		}
	}
	return func(c *model.Column) rule.Verdict {
		if used[&c.Object] {
			return rule.Verdict{}
		}
		return rule.Fails(1, "add a measure that aggregates it, or set its summarizeBy to none",
			"no measure refers to it, summarizeBy is %s",
			datatypes.SummarizeBy(c))
	}
}

func unformatted(_ *model.Scope, m *model.Measure) rule.Verdict {
	if wording.Length(m.Src.FormatString) == 0 && wording.Length(m.Src.FormatStringDefinition) == 0 {
		return rule.Fails(1, "set a format string that shows its unit and decimals", "no format string")
	}
	return rule.Verdict{}
}

// unfiledMeasures is how many exposed measures a table may have without display
// folders.
const unfiledMeasures = 10

func unfiled(x *model.Scope, say func(model.Judged, rule.Verdict)) {
	siblings := map[*model.Table]int{}
	for _, m := range x.M {
		siblings[m.Table]++
	}
	for _, m := range x.M {
		switch n := siblings[m.Table]; {
		case n <= unfiledMeasures:
		case wording.Length(m.Src.DisplayFolder) == 0:
			say(m, rule.Fails(1, "file it in a display folder", "no display folder among %s of table %s", wording.Count(n, "measure"),
				wording.Quoted(m.Table.Src.Name)))
		default:
			say(m, rule.Verdict{})
		}
	}
}

func duplicate(_ *model.Scope, measures []*model.Measure) func(*model.Measure) rule.Verdict {
	find := duplicates(measures)
	return func(m *model.Measure) rule.Verdict {
		switch other, alias := find(m); {
		case other == nil:
			return rule.Verdict{}
		case alias:
			return rule.Fails(1, "leave it out of what an AI sees, as it only repeats another measure", "the expression is [%s]",
				wording.Shown(other.Name, wording.ShownName))
		default:
			return rule.Fails(1, "keep one of the two measures, and leave the other out of what an AI sees",
				"same expression as measure [%s]",
				wording.Shown(other.Name, wording.ShownName))
		}
	}
}

// duplicates returns a function that finds, for a measure, the first one by name whose
// expression is the same, or else the one whose name is its entire expression.
func duplicates(measures []*model.Measure) func(*model.Measure) (other *model.Measure, alias bool) {
	byName := slices.Clone(measures)
	slices.SortStableFunc(byName, func(a, b *model.Measure) int { return strings.Compare(a.Name, b.Name) })
	named := map[string]*model.Measure{} // by name in lower case, as DAX compares names
	earliest := map[string]*model.Measure{}
	original := map[*model.Measure]*model.Measure{}
	for _, m := range byName {
		if name := strings.ToLower(m.Name); named[name] == nil {
			named[name] = m
		}
		text := wording.Squeezed(m.Src.Expression)
		if text == "" {
			continue
		}
		if first := earliest[text]; first != nil {
			original[m] = first
		} else {
			earliest[text] = m
		}
	}
	return func(m *model.Measure) (*model.Measure, bool) {
		if first := original[m]; first != nil {
			return first, false
		}
		if name, ok := dax.BareReference(m.Src.Expression); ok {
			if other := named[strings.ToLower(name)]; other != m {
				return other, true
			}
		}
		return nil, false
	}
}

var aggregateWords = wording.SetOf("total,sum,of,amount,the,value")

func alike(_ *model.Scope, measures []*model.Measure) func(*model.Measure) rule.Verdict {
	find := similar(measures, func(m *model.Measure) []string { return slices.Clone(m.Words) })
	return func(m *model.Measure) rule.Verdict {
		if other := find(m); other != nil {
			return rule.Fails(0.5, "say in the instructions which of the two to use, or leave one out of what an AI sees",
				"hardly differs from measure [%s]", wording.Shown(other.Name, wording.ShownName))
		}
		return rule.Verdict{}
	}
}

// similar returns a function that finds, for a measure, another one whose name means the
// same: the set of its words without those that say nothing about the quantity.
func similar(measures []*model.Measure, words func(*model.Measure) []string) func(*model.Measure) *model.Measure {
	meaning := map[*model.Measure]string{}
	bearers := map[string][]*model.Measure{} // the first two measures of each meaning
	for _, m := range measures {
		kept := slices.DeleteFunc(words(m), func(w string) bool { return aggregateWords[w] })
		if len(kept) == 0 {
			continue
		}
		slices.Sort(kept)
		key := wording.JoinWords(slices.Compact(kept))
		meaning[m] = key
		if len(bearers[key]) < 2 {
			bearers[key] = append(bearers[key], m)
		}
	}
	return func(m *model.Measure) *model.Measure {
		for _, other := range bearers[meaning[m]] {
			if other != m {
				return other
			}
		}
		return nil
	}
}
