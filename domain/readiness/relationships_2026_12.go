package readiness

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
)

// decemberRelationshipRules also find broken relationships and second paths of filters
// (docs/regime.md H.2, H.3).
var decemberRelationshipRules = amended(relationshipRules,
	rule{id: "REL-01", k: 3, severity: High, fixes: []FixKind{AIDataSchema}, check: each(where(exposedTables, shouldConnect), unconnected)},
	rule{id: "REL-02", k: 3, severity: High, check: stating(each(where(allRelationships, activeBetween), manyToMany))},
	rule{id: "REL-04", k: 2, severity: Medium, check: stating(each(where(allRelationships, isBetween), mixedTypes))},
	rule{id: "REL-07", k: 2, severity: Medium, check: stating(onModel(func(x *scope) bool { return x.starred == 1 }, flat), "15 at most")},
	rule{id: "REL-08", k: 3, severity: High, check: brokenRelationships},
	rule{id: "REL-09", k: 2, severity: Medium, check: secondPaths},
)

// mostSlicerColumns is how many columns a disconnected table has that only serves a
// measure as a slicer.
const mostSlicerColumns = 5

// shouldConnect leaves out disconnected slicers.
func shouldConnect(x *scope, t *table) bool {
	return ofSeveral(x, t) && (t.related || len(t.columns) > mostSlicerColumns || !slices.ContainsFunc(t.columns,
		func(c *column) bool { return c.used }))
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
