package readiness

import (
	"slices"
)

// relationshipRules judge the star schema. They cover all tables, hidden or not, except
// calculation groups, field parameters and measure tables (docs/regime.md C.4 relationships,
// C.9 (7)).
var relationshipRules = []rule{
	// REL-01: every table is connected.
	{id: "REL-01", k: 3, severity: High, fixes: []FixKind{AIDataSchema}, check: each(where(exposedTables, ofSeveral), unconnected)},
	// REL-02: no many-to-many relationships.
	{id: "REL-02", k: 3, severity: High, check: each(where(allRelationships, activeBetween), manyToMany)},
	// REL-03: filters go one way.
	{id: "REL-03", k: 2, severity: Medium, check: each(where(allRelationships, filterable), bothDirections)},
	// REL-04: both ends have the same type; an unknown type never differs (docs/regime.md C.9
	// (13)).
	{id: "REL-04", k: 2, severity: Medium, check: each(where(allRelationships, isBetween), mixedTypes)},
	// REL-05: dimensions are not chained.
	{id: "REL-05", k: 2, severity: Medium, check: among(where(allTables, isDimension), snowflake)},
	// REL-06: a calculation uses each inactive relationship (docs/regime.md C.9 (22)).
	{id: "REL-06", k: 1, severity: Low, fixes: []FixKind{AIInstructions}, check: each(where(allRelationships, inactiveBetween), unused)},
	// REL-07: the table of a model with a single table is not wide.
	{id: "REL-07", k: 2, severity: Medium, check: onModel(func(x *scope) bool { return x.starred == 1 }, flat)},
}

func ofSeveral(x *scope, t *table) bool { return x.starred >= 2 && t.starred }

func unconnected(_ *scope, t *table) verdict {
	if t.related {
		return verdict{}
	}
	return fails(1, "relate it to the tables it belongs with, or leave it out of what an AI sees", "in no active relationship")
}

func manyToMany(_ *scope, r *relationship) verdict {
	if r.fromMany() && r.toMany() {
		return fails(1, "put a table with one row for each value between the two", "many to many")
	}
	return verdict{}
}

func filterable(x *scope, r *relationship) bool {
	return activeBetween(x, r) && (r.fromMany() || r.toMany())
}

func bothDirections(_ *scope, r *relationship) verdict {
	if r.src.CrossFilteringBehavior != "bothDirections" {
		return verdict{}
	}
	return fails(1, "let it filter in one direction, and use CROSSFILTER in the measures that need both",
		"crossFilteringBehavior is bothDirections")
}

func mixedTypes(_ *scope, r *relationship) verdict {
	from, to := r.from.dataType, r.to.dataType
	if from == "" || to == "" || from == to {
		return verdict{}
	}
	return fails(1, "give both columns the same data type", "%s and %s", from, to)
}

func snowflake(x *scope, _ []*table) func(*table) verdict {
	outer := map[*table]*table{} // the first dimension that each table is on the many side of
	note := func(t, other *table, many bool) {
		if many && other != t && other.dimension() && outer[t] == nil {
			outer[t] = other
		}
	}
	for _, r := range x.relationships {
		if r.src.IsActive {
			note(r.from.table, r.to.table, r.fromMany())
			note(r.to.table, r.from.table, r.toMany())
		}
	}
	return func(t *table) verdict {
		if other := outer[t]; other != nil {
			return fails(1, "bring the columns of "+quoted(other.src.Name)+" into it, so that one step leads from facts to them",
				"on the many side of a relationship to dimension %s", quoted(other.src.Name))
		}
		return verdict{}
	}
}

func inactiveBetween(_ *scope, r *relationship) bool { return !r.src.IsActive && r.between() }

// activates reports whether a USERELATIONSHIP names both ends of a relationship.
func (x *scope) activates(r *relationship) bool {
	from, to := &r.from.object, &r.to.object
	return x.activated[[2]*object{from, to}] || x.activated[[2]*object{to, from}]
}

func unused(x *scope, r *relationship) verdict {
	if x.activates(r) {
		return verdict{}
	}
	return fails(1, "add a measure that activates it by USERELATIONSHIP, or say in the instructions what it is for",
		"inactive, and named by no USERELATIONSHIP")
}

const (
	wideTable     = 15
	veryWideTable = 30
)

func flat(x *scope) verdict {
	i := slices.IndexFunc(x.tables, func(t *table) bool { return t.starred })
	t := x.tables[i]
	n := 0
	for _, c := range t.columns {
		if x.in(&c.object) {
			n++
		}
	}
	switch {
	case n > veryWideTable:
		return fails(1, "split its one table "+quoted(t.src.Name)+" into facts and dimensions", "%s", count(n, "column"))
	case n > wideTable:
		return fails(0.5, "move the descriptive columns of its one table "+quoted(t.src.Name)+" into dimensions", "%s", count(n, "column"))
	}
	return verdict{}
}
