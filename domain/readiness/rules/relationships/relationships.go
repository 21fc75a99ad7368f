// Package relationships has the rules that judge the star schema.
package relationships

import (
	"slices"

	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// November2026 are the rules of 2026-11: they judge the star schema. They cover all tables, hidden or not, except
// calculation groups, field parameters and measure tables (docs/regime.md C.4 relationships,
// C.9 (7)).
var November2026 = []rule.Rule{
	// REL-01: every table is connected.
	{ID: "REL-01", Weight: 3, Severity: finding.High, Fixes: []finding.FixKind{finding.AIDataSchema},
		Check: rule.Each(rule.Where(rule.ExposedTables, ofSeveral), unconnected)},
	// REL-02: no many-to-many relationships.
	{ID: "REL-02", Weight: 3, Severity: finding.High, Check: rule.Each(rule.Where(rule.AllRelationships, rule.ActiveBetween), manyToMany)},
	// REL-03: filters go one way.
	{ID: "REL-03", Weight: 2, Severity: finding.Medium, Check: rule.Each(rule.Where(rule.AllRelationships, filterable), bothDirections)},
	// REL-04: both ends have the same type; an unknown type never differs (docs/regime.md C.9
	// (13)).
	{ID: "REL-04", Weight: 2, Severity: finding.Medium, Check: rule.Each(rule.Where(rule.AllRelationships, rule.IsBetween), mixedTypes)},
	// REL-05: dimensions are not chained.
	{ID: "REL-05", Weight: 2, Severity: finding.Medium, Check: rule.Among(rule.Where(rule.AllTables, rule.IsDimension), snowflake)},
	// REL-06: a calculation uses each inactive relationship (docs/regime.md C.9 (22)).
	{ID: "REL-06", Weight: 1, Severity: finding.Low, Fixes: []finding.FixKind{finding.AIInstructions},
		Check: rule.Each(rule.Where(rule.AllRelationships, inactiveBetween), unused)},
	// REL-07: the table of a model with a single table is not wide.
	{ID: "REL-07", Weight: 2, Severity: finding.Medium, Check: rule.OnModel(func(x *model.Scope) bool { return x.Starred == 1 }, flat)},
}

func ofSeveral(x *model.Scope, t *model.Table) bool { return x.Starred >= 2 && t.Starred }

func unconnected(_ *model.Scope, t *model.Table) rule.Verdict {
	if t.Related {
		return rule.Verdict{}
	}
	return rule.Fails(1, "relate it to the tables it belongs with, or leave it out of what an AI sees", "in no active relationship")
}

func manyToMany(_ *model.Scope, r *model.Relationship) rule.Verdict {
	if r.FromMany() && r.ToMany() {
		return rule.Fails(1, "put a table with one row for each value between the two", "many to many")
	}
	return rule.Verdict{}
}

func filterable(x *model.Scope, r *model.Relationship) bool {
	return rule.ActiveBetween(x, r) && (r.FromMany() || r.ToMany())
}

func bothDirections(_ *model.Scope, r *model.Relationship) rule.Verdict {
	if r.Src.CrossFilteringBehavior != "bothDirections" {
		return rule.Verdict{}
	}
	return rule.Fails(1, "let it filter in one direction, and use CROSSFILTER in the measures that need both",
		"crossFilteringBehavior is bothDirections")
}

func mixedTypes(_ *model.Scope, r *model.Relationship) rule.Verdict {
	from, to := r.From.DataType, r.To.DataType
	if from == "" || to == "" || from == to {
		return rule.Verdict{}
	}
	return rule.Fails(1, "give both columns the same data type", "%s and %s", from, to)
}

func snowflake(x *model.Scope, _ []*model.Table) func(*model.Table) rule.Verdict {
	outer := map[*model.Table]*model.Table{} // the first dimension that each table is on the many side of
	note := func(t, other *model.Table, many bool) {
		if many && other != t && other.Dimension() && outer[t] == nil {
			outer[t] = other
		}
	}
	for _, r := range x.Relationships {
		if r.Src.IsActive {
			note(r.From.Table, r.To.Table, r.FromMany())
			note(r.To.Table, r.From.Table, r.ToMany())
		}
	}
	return func(t *model.Table) rule.Verdict {
		if other := outer[t]; other != nil {
			return rule.Fails(1,
				"bring the columns of "+wording.Quoted(other.Src.Name)+" into it, so that one step leads from facts to them",
				"on the many side of a relationship to dimension %s", wording.Quoted(other.Src.Name))
		}
		return rule.Verdict{}
	}
}

func inactiveBetween(_ *model.Scope, r *model.Relationship) bool {
	return !r.Src.IsActive && r.Between()
}

func unused(x *model.Scope, r *model.Relationship) rule.Verdict {
	if x.Activates(r) {
		return rule.Verdict{}
	}
	return rule.Fails(1, "add a measure that activates it by USERELATIONSHIP, or say in the instructions what it is for",
		"inactive, and named by no USERELATIONSHIP")
}

const (
	wideTable     = 15
	veryWideTable = 30
)

func flat(x *model.Scope) rule.Verdict {
	i := slices.IndexFunc(x.Tables, func(t *model.Table) bool { return t.Starred })
	t := x.Tables[i]
	n := 0
	for _, c := range t.Columns {
		if x.In(&c.Object) {
			n++
		}
	}
	switch {
	case n > veryWideTable:
		return rule.Fails(1, "split its one table "+wording.Quoted(t.Src.Name)+" into facts and dimensions", "%s",
			wording.Count(n, "column"))
	case n > wideTable:
		return rule.Fails(0.5, "move the descriptive columns of its one table "+wording.Quoted(t.Src.Name)+" into dimensions", "%s",
			wording.Count(n, "column"))
	}
	return rule.Verdict{}
}
