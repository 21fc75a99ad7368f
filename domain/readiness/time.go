package readiness

import (
	"slices"

	"readiness/definition/semanticmodel"
)

// timeRules judge whether an AI can compute periods. They do not apply to a model
// without a dateTime column (docs/regime.md C.4 time).
var timeRules = []rule{
	// TIM-01: a table is marked as the date table (docs/regime.md C.9 (21)).
	{id: "TIM-01", k: 3, severity: High, check: onModel(always, unmarkedModel)},
	// TIM-02: a table that is a date table by its name is marked as one (docs/regime.md C.9
	// (8)).
	{id: "TIM-02", k: 1, severity: Low, check: each(where(exposedTables, func(_ *scope, t *table) bool { return t.dateByName }),
		unmarkedTable)},
	// TIM-03: no automatic date tables.
	{id: "TIM-03", k: 2, severity: Medium, check: onModel(always, automaticDates)},
	// TIM-04: facts are related to a date table (docs/regime.md C.9 (7)).
	{id: "TIM-04", k: 2, severity: Medium, check: each(where(allTables, isFact), undated)},
	// TIM-05: date tables have a hierarchy; hidden ones count (docs/regime.md C.9 (22)).
	{id: "TIM-05", k: 1, severity: Low, check: each(where(exposedTables, func(_ *scope, t *table) bool { return t.date }),
		noDateHierarchy)},
	// TIM-06: measures compare periods.
	{id: "TIM-06", k: 1, severity: Low, check: onModel(func(x *scope) bool { return len(x.m) > 0 }, noTimeIntelligence)},
}

func hasTime(x *scope) bool { return x.hasDateTime }

func unmarkedModel(x *scope) verdict {
	found := ""
	for _, t := range x.tables {
		if t.markedAsDate() && slices.ContainsFunc(t.columns, func(c *column) bool { return c.src.IsKey && c.is(semanticmodel.DateTime) }) {
			return verdict{}
		}
		if t.date && found == "" {
			found = quoted(t.src.Name)
		}
	}
	if found == "" {
		return fails(1, "add a date table, mark it as one and relate it to the facts", "no date table")
	}
	return fails(0.5, "mark "+found+" as the date table, with a dateTime column as its key",
		"date table %s is not marked with a dateTime key", found)
}

func unmarkedTable(_ *scope, t *table) verdict {
	if t.markedAsDate() {
		return verdict{}
	}
	return fails(1, "mark it as a date table (data category Time)", "data category: %q", shown(t.src.DataCategory, shownText))
}

func automaticDates(x *scope) verdict {
	if !x.autoDate {
		return verdict{}
	}
	return fails(1, "switch auto date/time off and use one date table", "it has automatic date tables")
}

func undated(_ *scope, t *table) verdict {
	if t.dated {
		return verdict{}
	}
	return fails(1, "relate it to a date table", "no active relationship with a date table")
}

func noDateHierarchy(_ *scope, t *table) verdict {
	if slices.ContainsFunc(t.hierarchies, func(h *hierarchy) bool { return len(h.src.Levels) >= 2 }) {
		return verdict{}
	}
	return fails(1, "add a hierarchy such as Year, Quarter, Month", "no hierarchy with two levels")
}

func noTimeIntelligence(x *scope) verdict {
	if x.timeIntelligence {
		return verdict{}
	}
	return fails(1, "add measures for periods, such as year to date and last year",
		"no measure calls a time-intelligence function such as TOTALYTD or DATEADD")
}
