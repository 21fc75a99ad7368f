// Package dates has the rules that judge whether an AI can compute periods.
package dates

import (
	"slices"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// November2026 are the rules of 2026-11: they judge whether an AI can compute periods. They do not apply to a model
// without a dateTime column (docs/regime.md C.4 time).
var November2026 = []rule.Rule{
	// TIM-01: a table is marked as the date table (docs/regime.md C.9 (21)).
	{ID: "TIM-01", Weight: 3, Severity: finding.High, Check: rule.OnModel(rule.Always, unmarkedModel)},
	// TIM-02: a table that is a date table by its name is marked as one (docs/regime.md C.9
	// (8)).
	{ID: "TIM-02", Weight: 1, Severity: finding.Low,
		Check: rule.Each(rule.Where(rule.ExposedTables, func(_ *model.Scope, t *model.Table) bool { return t.DateByName }),
			unmarkedTable)},
	// TIM-03: no automatic date tables.
	{ID: "TIM-03", Weight: 2, Severity: finding.Medium, Check: rule.OnModel(rule.Always, automaticDates)},
	// TIM-04: facts are related to a date table (docs/regime.md C.9 (7)).
	{ID: "TIM-04", Weight: 2, Severity: finding.Medium, Check: rule.Each(rule.Where(rule.AllTables, rule.IsFact), undated)},
	// TIM-05: date tables have a hierarchy; hidden ones count (docs/regime.md C.9 (22)).
	{ID: "TIM-05", Weight: 1, Severity: finding.Low,
		Check: rule.Each(rule.Where(rule.ExposedTables, func(_ *model.Scope, t *model.Table) bool { return t.Date }),
			noDateHierarchy)},
	// TIM-06: measures compare periods.
	{ID: "TIM-06", Weight: 1, Severity: finding.Low,
		Check: rule.OnModel(func(x *model.Scope) bool { return len(x.M) > 0 }, noTimeIntelligence)},
}

// HasTime reports whether the rules apply to a model: it has a dateTime column.
func HasTime(x *model.Scope) bool { return x.HasDateTime }

func unmarkedModel(x *model.Scope) rule.Verdict {
	found := ""
	for _, t := range x.Tables {
		if t.MarkedAsDate() && slices.ContainsFunc(t.Columns, func(c *model.Column) bool {
			return c.Src.IsKey &&
				c.Is(semanticmodel.DateTime)
		}) {
			return rule.Verdict{}
		}
		if t.Date && found == "" {
			found = wording.Quoted(t.Src.Name)
		}
	}
	if found == "" {
		return rule.Fails(1, "add a date table, mark it as one and relate it to the facts", "no date table")
	}
	return rule.Fails(0.5, "mark "+found+" as the date table, with a dateTime column as its key",
		"date table %s is not marked with a dateTime key", found)
}

func unmarkedTable(_ *model.Scope, t *model.Table) rule.Verdict {
	if t.MarkedAsDate() {
		return rule.Verdict{}
	}
	return rule.Fails(1, "mark it as a date table (data category Time)", "data category: %q",
		wording.Shown(t.Src.DataCategory, wording.ShownText))
}

func automaticDates(x *model.Scope) rule.Verdict {
	if !x.AutoDate {
		return rule.Verdict{}
	}
	return rule.Fails(1, "switch auto date/time off and use one date table", "it has automatic date tables")
}

func undated(_ *model.Scope, t *model.Table) rule.Verdict {
	if t.Dated {
		return rule.Verdict{}
	}
	return rule.Fails(1, "relate it to a date table", "no active relationship with a date table")
}

func noDateHierarchy(_ *model.Scope, t *model.Table) rule.Verdict {
	if slices.ContainsFunc(t.Hierarchies, func(h *model.Hierarchy) bool { return len(h.Src.Levels) >= 2 }) {
		return rule.Verdict{}
	}
	return rule.Fails(1, "add a hierarchy such as Year, Quarter, Month", "no hierarchy with two levels")
}

func noTimeIntelligence(x *model.Scope) rule.Verdict {
	if x.TimeIntelligence {
		return rule.Verdict{}
	}
	return rule.Fails(1, "add measures for periods, such as year to date and last year",
		"no measure calls a time-intelligence function such as TOTALYTD or DATEADD")
}
