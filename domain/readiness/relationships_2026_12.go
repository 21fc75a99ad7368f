package readiness

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
)

// decemberRelationshipRules also find broken relationships and second paths of filters
// (docs/regime.md H.2, H.3).
var decemberRelationshipRules = amended(relationshipRules,
	rule{id: "REL-01", k: 3, severity: High, fixes: []FixKind{AIDataSchema}, check: connections},
	rule{id: "REL-02", k: 3, severity: High, check: stating(each(where(allRelationships, activeBetween), manyToMany))},
	rule{id: "REL-03", k: 2, severity: Medium, check: each(where(allRelationships, filterable), filtersBothWays)},
	rule{id: "REL-04", k: 2, severity: Medium, check: stating(each(where(allRelationships, isBetween), mixedTypes))},
	rule{id: "REL-05", k: 2, severity: Medium, check: among(where(allTables, isPureDimension), outerDimension)},
	rule{id: "REL-07", k: 2, severity: Medium, check: stating(onModel(func(x *scope) bool { return x.starred == 1 }, flat), "15 at most")},
	rule{id: "REL-08", k: 3, severity: High, check: brokenRelationships},
	rule{id: "REL-09", k: 2, severity: Medium, check: secondPaths},
)

// manySide returns the end on the many side of a relationship, the from-column if both are, and the other end.
func (r *relationship) manySide() (many, other *column) {
	if r.fromMany() {
		return r.from, r.to
	}
	return r.to, r.from
}

// mostBridged is how many active relationships a table has that only bridges others.
const mostBridged = 2

// bridges reports whether a table only connects others: it filters nothing, has at most mostBridged relationships and
// no number to sum (docs/regime-precision.md P12).
func (t *table) bridges() bool {
	return !t.oneSide && t.active <= mostBridged && !slices.ContainsFunc(t.columns, func(c *column) bool {
		return c.numeric() && !c.key && c.summed()
	})
}

// filtersBothWays excuses bridges, which have no other way to filter (docs/regime-precision.md P12).
func filtersBothWays(x *scope, r *relationship) verdict {
	if r.src.CrossFilteringBehavior != "bothDirections" {
		return verdict{}
	}
	many, other := r.manySide()
	v, bridges := bothDirections(x, r), many.table.bridges() && !other.table.date
	one := many.identifies() && !(r.fromMany() && r.toMany())
	switch {
	case one:
		v = fails(1, "make it one-to-one, as "+quotedColumn(many)+" has each value once",
			"crossFilteringBehavior is bothDirections, and the many side is a key")
	case bridges:
		v = fails(1, "let it filter in one direction, unless questions need "+quoted(many.table.src.Name)+" to connect other tables",
			"crossFilteringBehavior is bothDirections")
	}
	if bridges || one {
		v.severity = Low
	}
	return v
}

// quotedColumn returns a column as DAX names it, cut for display.
func quotedColumn(c *column) string {
	return quoted(c.table.src.Name) + "[" + shown(c.name, shownName) + "]"
}

var factPrefixes = setOf("fact,fct,f")

// isPureDimension leaves out the dimensions that are facts by name or by what measures aggregate
// (docs/regime-precision.md P13).
func isPureDimension(x *scope, t *table) bool {
	if !t.dimension() {
		return false
	}
	prefix, _ := warehousePrefix(t.src.Name)
	return !factPrefixes[strings.ToLower(strings.TrimSuffix(prefix, "_"))] && !slices.ContainsFunc(t.columns, func(c *column) bool {
		return c.numeric() && !c.key && x.neededBy(&c.object)
	})
}

// outerDimension finds half a fault in a snowflake if other tables use the outer table too (docs/regime-precision.md
// P13). Of several outer tables it names the first that none other uses, else the first.
func outerDimension(x *scope, _ []*table) func(*table) verdict {
	outer := map[*table]*table{}
	note := func(t, other *table, many bool) {
		if !many || other == t || !other.dimension() {
			return
		}
		if known := outer[t]; known == nil || known.oneSides > 1 && other.oneSides == 1 {
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
		other := outer[t]
		if other == nil {
			return verdict{}
		}
		name := quoted(other.src.Name)
		if n := other.oneSides; n > 1 {
			return fails(0.5, "bring the columns of "+name+" that people ask for into it too, and keep "+name+
				", which is on the one side of "+count(n, "active relationship"),
				"on the many side of a relationship to dimension %s, which other relationships share", name)
		}
		return fails(1, "bring the columns of "+name+" into it, so that one step leads from facts to them",
			"on the many side of a relationship to dimension %s", name)
	}
}

// broken is a relationship with an end that the model lacks.
type broken struct {
	object
	from, to *table // nil if missing
	missing  []string
}

// brokenRelationships judges the relationships of the file whose ends are not in dropped
// tables: only those with a missing end are eligible.
func brokenRelationships(x *scope, say func(judged, verdict)) {
	tables, dropped := map[string]*table{}, map[string]bool{}
	for i := range x.src.Tables {
		if t := &x.src.Tables[i]; isAutoDate(t) || t.IsPrivate {
			dropped[strings.ToLower(t.Name)] = true
		}
	}
	for _, t := range x.tables {
		tables[strings.ToLower(t.src.Name)] = t
	}
	var all []*broken
	for i := range x.src.Relationships {
		r := &x.src.Relationships[i]
		if x.names.column(r.FromTable, r.FromColumn) != nil && x.names.column(r.ToTable, r.ToColumn) != nil {
			continue
		}
		if dropped[strings.ToLower(r.FromTable)] || dropped[strings.ToLower(r.ToTable)] {
			continue
		}
		if b := breaks(r, tables[strings.ToLower(r.FromTable)], tables[strings.ToLower(r.ToTable)]); len(b.missing) > 0 {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b *broken) int { return a.compare(&b.object) })
	for _, b := range all {
		missing := strings.Join(b.missing, " and ")
		say(b, fails(1, "correct its ends, or remove it, as the model has "+missing, "the model has %s", missing))
	}
}

// breaks returns a relationship with its missing ends. from and to are its tables, nil if
// missing.
func breaks(r *semanticmodel.Relationship, from, to *table) *broken {
	b := &broken{from: from, to: to, object: object{
		kind: relationshipKind, objectType: RelationshipObject, index: -1,
		name:  r.FromTable + "[" + r.FromColumn + "] -> " + r.ToTable + "[" + r.ToColumn + "]",
		table: &table{src: &semanticmodel.Table{Name: r.FromTable}},
	}}
	miss := func(t *table, table, column string) {
		lower := strings.ToLower(column)
		switch {
		case t == nil:
			b.missing = append(b.missing, "no table "+quoted(table))
		case !slices.ContainsFunc(t.src.Columns, func(c semanticmodel.Column) bool { return strings.ToLower(c.Name) == lower }):
			b.missing = append(b.missing, "no column "+quoted(table)+"["+shown(column, shownName)+"]")
		}
	}
	miss(from, r.FromTable, r.FromColumn)
	miss(to, r.ToTable, r.ToColumn)
	return b
}
