package readiness

import (
	"slices"
	"strings"
	"unicode"

	"readiness/definition/dax"
)

// measureRules judge whether the numbers that people ask for exist as measures, without
// duplicates and in readable form (docs/regime.md C.4 measures).
var measureRules = []rule{
	// MEA-01: a model with facts or numbers has measures, at least one for each fact
	// table.
	{id: "MEA-01", k: 3, severity: High, check: onModel(hasNumbers, enoughMeasures)},
	// MEA-02: columns that can be summed are used by a measure (docs/regime.md C.9 (22)).
	{id: "MEA-02", k: 2, severity: Medium, check: among(where(exposedColumns, summable), unmeasured)},
	// MEA-03: every measure has a format (docs/regime.md C.9 (11): a definition holds no type
	// of a measure).
	{id: "MEA-03", k: 3, severity: Medium, check: each(exposedMeasures, unformatted)},
	// MEA-04: many measures in one table are in display folders.
	{id: "MEA-04", k: 2, severity: Low, fixes: []FixKind{Properties}, layout: true, check: unfiled},
	// MEA-05: no measure duplicates another one (docs/regime.md C.9 (11, 25)).
	{id: "MEA-05", k: 2, severity: Medium, fixes: []FixKind{AIDataSchema}, check: among(exposedMeasures, duplicate)},
	// MEA-06: names distinguish the measures (docs/regime.md C.9 (11)).
	{id: "MEA-06", k: 1, severity: Low, fixes: []FixKind{AIDataSchema, AIInstructions}, check: among(exposedMeasures, alike)},
}

func hasNumbers(x *scope) bool {
	return x.facts > 0 || slices.ContainsFunc(x.c, func(c *column) bool { return c.numeric() && !c.key })
}

func enoughMeasures(x *scope) verdict {
	switch n := len(x.m); {
	case n == 0:
		return fails(1, "add measures for the numbers people ask for, so that an AI need not invent them", "no measure is exposed")
	case n < x.facts:
		return fails(0.5, "add measures: at least one for each fact table", "%s for %s", count(n, "measure"), count(x.facts, "fact table"))
	}
	return verdict{}
}

func summable(_ *scope, c *column) bool {
	return c.numeric() && c.table.fact() && !c.key && c.summed()
}

func unmeasured(x *scope, _ []*column) func(*column) verdict {
	used := map[*object]bool{}
	for _, m := range x.measures {
		for _, o := range m.refs {
			used[o] = true
		}
	}
	return func(c *column) verdict {
		if used[&c.object] {
			return verdict{}
		}
		return fails(1, "add a measure that aggregates it, or set its summarizeBy to none", "no measure refers to it, summarizeBy is %s",
			summarizeBy(c))
	}
}

// summarizeBy returns the column's summarizeBy for display.
func summarizeBy(c *column) string {
	if c.src.SummarizeBy == "" {
		return "default"
	}
	return shown(c.src.SummarizeBy, shownText)
}

func unformatted(_ *scope, m *measure) verdict {
	if length(m.src.FormatString) == 0 && length(m.src.FormatStringDefinition) == 0 {
		return fails(1, "set a format string that shows its unit and decimals", "no format string")
	}
	return verdict{}
}

// unfiledMeasures is how many exposed measures a table may have without display
// folders.
const unfiledMeasures = 10

func unfiled(x *scope, say func(judged, verdict)) {
	siblings := map[*table]int{}
	for _, m := range x.m {
		siblings[m.table]++
	}
	for _, m := range x.m {
		switch n := siblings[m.table]; {
		case n <= unfiledMeasures:
		case length(m.src.DisplayFolder) == 0:
			say(m, fails(1, "file it in a display folder", "no display folder among %s of table %s", count(n, "measure"),
				quoted(m.table.src.Name)))
		default:
			say(m, verdict{})
		}
	}
}

func duplicate(_ *scope, measures []*measure) func(*measure) verdict {
	find := duplicates(measures)
	return func(m *measure) verdict {
		switch other, alias := find(m); {
		case other == nil:
			return verdict{}
		case alias:
			return fails(1, "leave it out of what an AI sees, as it only repeats another measure", "the expression is [%s]",
				shown(other.name, shownName))
		default:
			return fails(1, "keep one of the two measures, and leave the other out of what an AI sees", "same expression as measure [%s]",
				shown(other.name, shownName))
		}
	}
}

// duplicates returns a function that finds, for a measure, the first one by name whose
// expression is the same, or else the one whose name is its entire expression.
func duplicates(measures []*measure) func(*measure) (other *measure, alias bool) {
	byName := slices.Clone(measures)
	slices.SortStableFunc(byName, func(a, b *measure) int { return strings.Compare(a.name, b.name) })
	named := map[string]*measure{} // by name in lower case, as DAX compares names
	earliest := map[string]*measure{}
	original := map[*measure]*measure{}
	for _, m := range byName {
		if name := strings.ToLower(m.name); named[name] == nil {
			named[name] = m
		}
		text := squeezed(m.src.Expression)
		if text == "" {
			continue
		}
		if first := earliest[text]; first != nil {
			original[m] = first
		} else {
			earliest[text] = m
		}
	}
	return func(m *measure) (*measure, bool) {
		if first := original[m]; first != nil {
			return first, false
		}
		if name, ok := dax.BareReference(m.src.Expression); ok {
			if other := named[strings.ToLower(name)]; other != m {
				return other, true
			}
		}
		return nil, false
	}
}

// squeezed returns an expression without white space, in lower case.
func squeezed(expression string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, expression))
}

var aggregateWords = setOf("total,sum,of,amount,the,value")

func alike(_ *scope, measures []*measure) func(*measure) verdict {
	find := similar(measures, func(m *measure) []string { return slices.Clone(m.words) })
	return func(m *measure) verdict {
		if other := find(m); other != nil {
			return fails(0.5, "say in the instructions which of the two to use, or leave one out of what an AI sees",
				"hardly differs from measure [%s]", shown(other.name, shownName))
		}
		return verdict{}
	}
}

// similar returns a function that finds, for a measure, another one whose name means the
// same: the set of its words without those that say nothing about the quantity.
func similar(measures []*measure, words func(*measure) []string) func(*measure) *measure {
	meaning := map[*measure]string{}
	bearers := map[string][]*measure{} // the first two measures of each meaning
	for _, m := range measures {
		kept := slices.DeleteFunc(words(m), func(w string) bool { return aggregateWords[w] })
		if len(kept) == 0 {
			continue
		}
		slices.Sort(kept)
		key := joinWords(slices.Compact(kept))
		meaning[m] = key
		if len(bearers[key]) < 2 {
			bearers[key] = append(bearers[key], m)
		}
	}
	return func(m *measure) *measure {
		for _, other := range bearers[meaning[m]] {
			if other != m {
				return other
			}
		}
		return nil
	}
}
