package readiness

import (
	"slices"

	"readiness/definition/semanticmodel"
)

// decemberTimeRules find more date tables, and say which table to mark (docs/regime.md
// H.3).
var decemberTimeRules = amended(timeRules,
	rule{id: "TIM-01", k: 3, severity: High, check: onModel(always, unmarkedDates)},
	rule{id: "TIM-04", k: 2, severity: Medium, check: each(where(allTables, needsDates), undatedFact)},
)

func unmarkedDates(x *scope) verdict {
	if v := unmarkedModel(x); v.violation < 1 {
		return v
	}
	i := slices.IndexFunc(x.tables, func(t *table) bool {
		return t.starred && dateWords.meets(t.words) && slices.ContainsFunc(t.columns,
			func(c *column) bool { return c.is(semanticmodel.DateTime) })
	})
	if i < 0 {
		return fails(1, "add a date table with a row for each day, mark it as one and join the facts to it", "no date table")
	}
	name := quoted(x.tables[i].src.Name)
	return fails(0.5, "join "+name+" and mark it as the date table, with a dateTime column as its key",
		"table %s is in no active relationship that makes it a date table", name)
}

// hasDateTable reports whether any table is a date table.
func (x *scope) hasDateTable() bool {
	return slices.ContainsFunc(x.tables, func(t *table) bool { return t.date })
}

// needsDates selects the facts that are joined to a date table or have a date of their
// own, if there is a date table at all.
func needsDates(x *scope, t *table) bool {
	return t.fact() && x.hasDateTable() && slices.ContainsFunc(t.columns, func(c *column) bool {
		return c.dateEnd || x.in(&c.object) && c.is(semanticmodel.DateTime) && c.technicalWord() == ""
	})
}

func undatedFact(x *scope, t *table) verdict {
	if t.dated {
		return verdict{}
	}
	i := slices.IndexFunc(x.tables, func(t *table) bool { return t.date })
	return fails(1, "join it to the date table "+quoted(x.tables[i].src.Name)+" by an active relationship",
		"no active relationship with a date table")
}
