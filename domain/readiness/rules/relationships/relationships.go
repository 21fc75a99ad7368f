// Package relationships has the rules that judge the star schema.
package relationships

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/naming"
	"readiness/domain/readiness/wording"
	"readiness/internal/lists"
)

// Rules judge the star schema. They cover all tables, hidden or not, except
// calculation groups, field parameters and measure tables.
var Rules = []rule.Rule{
	// REL-01: every table is connected.
	{ID: "REL-01", Weight: 3, Severity: finding.High, Fixes: []finding.FixKind{finding.AIDataSchema}, Check: connections},
	// REL-02: no many-to-many relationships.
	{ID: "REL-02", Weight: 3, Severity: finding.High,
		Check: rule.Stating(rule.Each(rule.Where(rule.AllRelationships, rule.ActiveBetween), bridged))},
	// REL-03: filters go one way.
	{ID: "REL-03", Weight: 2, Severity: finding.Medium,
		Check: rule.Each(rule.Where(rule.AllRelationships, filterable), filtersBothWays)},
	// REL-04: both ends have the same type; an unknown type never differs.
	{ID: "REL-04", Weight: 2, Severity: finding.Medium,
		Check: rule.Stating(rule.Each(rule.Where(rule.AllRelationships, rule.IsBetween), mixedTypes))},
	// REL-05: dimensions are not chained.
	{ID: "REL-05", Weight: 2, Severity: finding.Medium,
		Check: rule.Among(rule.Where(rule.AllTables, isPureDimension), outerDimension)},
	// REL-06: a calculation uses each inactive relationship.
	{ID: "REL-06", Weight: 1, Severity: finding.Low, Fixes: []finding.FixKind{finding.AIInstructions},
		Check: rule.Each(rule.Where(rule.AllRelationships, inactiveBetween), unused)},
	// REL-07: the table of a model with a single table is not wide.
	{ID: "REL-07", Weight: 2, Severity: finding.Medium,
		Check: rule.Stating(rule.OnModel(func(x *model.Scope) bool { return x.Starred == 1 }, flat), "15 at most")},
	{ID: "REL-08", Weight: 3, Severity: finding.High, Check: brokenRelationships},
	{ID: "REL-09", Weight: 2, Severity: finding.Medium, Check: secondPaths},
	// REL-10: a column looks up one table.
	{ID: "REL-10", Weight: 2, Severity: finding.High, Check: lookedUpOnce},
	// REL-11: facts do not describe several other things.
	{ID: "REL-11", Weight: 2, Severity: finding.Medium,
		Check: rule.Stating(rule.Each(rule.Where(rule.AllTables, holdsFacts), mixedEntities))},
}

func ofSeveral(x *model.Scope, t *model.Table) bool { return x.Starred >= 2 && t.Starred }

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

func inactiveBetween(_ *model.Scope, r *model.Relationship) bool {
	return !r.Src.IsActive && r.Between()
}

// unused finds relationships that do nothing. One of a table that has no active one should be active.
func unused(x *model.Scope, r *model.Relationship) rule.Verdict {
	if x.Activates(r) {
		return rule.Verdict{}
	}
	advice := "add a measure that activates it by USERELATIONSHIP, or say in the instructions what it is for"
	if from, to := r.From.Table, r.To.Table; from != to && !(from.Related && to.Related) {
		advice = "activate it, as no active relationship connects " + wording.Quoted(from.Src.Name) + " with " + wording.Quoted(to.Src.Name) +
			"; or " + advice
	}
	return rule.Fails(1, advice, "inactive, and named by no USERELATIONSHIP")
}

const (
	wideTable     = 15
	veryWideTable = 30
)

func flat(x *model.Scope) rule.Verdict {
	i := slices.IndexFunc(x.Tables, func(t *model.Table) bool { return t.Starred })
	t := x.Tables[i]
	n := lists.Count(t.Columns, func(c *model.Column) bool { return x.In(&c.Object) })
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

// bridged is manyToMany with a solution that needs no table.
func bridged(x *model.Scope, r *model.Relationship) rule.Verdict {
	v := manyToMany(x, r)
	if v.Violation > 0 {
		v.Message = "make one side unique (many to one), or put a table with one row for each value between the two"
	}
	return v
}

// manyEnd returns the end on the many side of a relationship, the from-column if both are, and the other end.
func manyEnd(r *model.Relationship) (many, other *model.Column) {
	if r.FromMany() {
		return r.From, r.To
	}
	return r.To, r.From
}

// mostBridged is how many active relationships a table has that only bridges others.
const mostBridged = 2

// onlyBridges reports whether a table only connects others: it filters nothing, has at most mostBridged relationships and
// no number to sum.
func onlyBridges(t *model.Table) bool {
	return !t.OneSide && t.Active <= mostBridged && !slices.ContainsFunc(t.Columns, func(c *model.Column) bool {
		return c.Numeric() && !c.Key && c.Summed()
	})
}

// filtersBothWays allows bridges, which have no other way to filter.
func filtersBothWays(x *model.Scope, r *model.Relationship) rule.Verdict {
	if r.Src.CrossFilteringBehavior != "bothDirections" {
		return rule.Verdict{}
	}
	many, other := manyEnd(r)
	v, bridges := bothDirections(x, r), onlyBridges(many.Table) && !other.Table.Date
	one := identifies(many) && !(r.FromMany() && r.ToMany())
	switch {
	case one:
		v = rule.Fails(1, "make it one-to-one, as "+model.QuotedColumn(many)+" has each value once",
			"crossFilteringBehavior is bothDirections, and the many side is a key")
	case bridges:
		v = rule.Fails(1,
			"let it filter in one direction, unless questions need "+wording.Quoted(many.Table.Src.Name)+" to connect other tables",
			"crossFilteringBehavior is bothDirections")
	}
	if bridges || one {
		v.Severity = finding.Low
	}
	return v
}

var factPrefixes = wording.SetOf("fact,fct,f")

// isPureDimension leaves out the dimensions that are facts by name or by what measures aggregate.
func isPureDimension(x *model.Scope, t *model.Table) bool {
	if !t.Dimension() {
		return false
	}
	prefix, _ := naming.WarehousePrefix(t.Src.Name)
	return !factPrefixes[strings.ToLower(strings.TrimSuffix(prefix, "_"))] && !slices.ContainsFunc(t.Columns, func(c *model.Column) bool {
		return c.Numeric() && !c.Key && x.NeededBy(&c.Object)
	})
}

// outerDimension finds a violation of 0.5 in a snowflake if other tables use the outer table too. Of
// several outer tables it names the first that none other uses, else the first.
func outerDimension(x *model.Scope, _ []*model.Table) func(*model.Table) rule.Verdict {
	outer := map[*model.Table]*model.Table{}
	note := func(t, other *model.Table, many bool) {
		if !many || other == t || !other.Dimension() {
			return
		}
		if known := outer[t]; known == nil || known.OneSides > 1 && other.OneSides == 1 {
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
		other := outer[t]
		if other == nil {
			return rule.Verdict{}
		}
		name := wording.Quoted(other.Src.Name)
		if n := other.OneSides; n > 1 {
			return rule.Fails(0.5, "bring the columns of "+name+" that people ask for into it too, and keep "+name+
				", which is on the one side of "+wording.Count(n, "active relationship"),
				"on the many side of a relationship to dimension %s, which other relationships share", name)
		}
		v := rule.Fails(1, "bring the columns of "+name+" into it, so that one step leads from facts to them",
			"on the many side of a relationship to dimension %s", name)
		v.Severity = finding.Low // filters reach it anyway
		return v
	}
}

// brokenRelationships judges the relationships of the file whose ends are not in dropped
// tables: only those with a missing end are eligible.
func brokenRelationships(x *model.Scope, say func(model.Judged, rule.Verdict)) {
	tables, dropped := map[string]*model.Table{}, map[string]bool{}
	for i := range x.Src.Tables {
		if t := &x.Src.Tables[i]; model.IsAutoDate(t) || t.IsPrivate {
			dropped[strings.ToLower(t.Name)] = true
		}
	}
	for _, t := range x.Tables {
		tables[strings.ToLower(t.Src.Name)] = t
	}
	var all []*model.Broken
	for i := range x.Src.Relationships {
		r := &x.Src.Relationships[i]
		if x.Names.Column(r.FromTable, r.FromColumn) != nil && x.Names.Column(r.ToTable, r.ToColumn) != nil {
			continue
		}
		if dropped[strings.ToLower(r.FromTable)] || dropped[strings.ToLower(r.ToTable)] {
			continue
		}
		if b := breaks(r, tables[strings.ToLower(r.FromTable)], tables[strings.ToLower(r.ToTable)]); len(b.Missing) > 0 {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b *model.Broken) int { return a.Compare(&b.Object) })
	for _, b := range all {
		missing := strings.Join(b.Missing, " and ")
		say(b, rule.Fails(1, "correct its ends, or remove it, as the model has "+missing, "the model has %s", missing))
	}
}

// breaks returns a relationship with its missing ends. from and to are its tables, nil if
// missing.
func breaks(r *semanticmodel.Relationship, from, to *model.Table) *model.Broken {
	b := &model.Broken{From: from, To: to, Object: model.Object{
		Kind: model.RelationshipKind, ObjectType: finding.RelationshipObject, Index: -1,
		Name:  r.FromTable + "[" + r.FromColumn + "] -> " + r.ToTable + "[" + r.ToColumn + "]",
		Table: &model.Table{Src: &semanticmodel.Table{Name: r.FromTable}},
	}}
	miss := func(t *model.Table, table, column string) {
		lower := strings.ToLower(column)
		switch {
		case t == nil:
			b.Missing = append(b.Missing, "no table "+wording.Quoted(table))
		case !slices.ContainsFunc(t.Src.Columns, func(c semanticmodel.Column) bool { return strings.ToLower(c.Name) == lower }):
			b.Missing = append(b.Missing, "no column "+wording.Quoted(table)+"["+wording.Shown(column, wording.ShownName)+"]")
		}
	}
	miss(from, r.FromTable, r.FromColumn)
	miss(to, r.ToTable, r.ToColumn)
	return b
}

// lookedUpOnce judges the columns on a many side of active relationships: a column that finds the rows of two tables holds the values
// of at most one of them.
func lookedUpOnce(x *model.Scope, say func(model.Judged, rule.Verdict)) {
	tables := map[*model.Column][]string{}
	note := func(many, one *model.Column) {
		if name := wording.Quoted(one.Table.Src.Name); !one.Table.Date && !slices.Contains(tables[many], name) {
			tables[many] = append(tables[many], name)
		}
	}
	for _, r := range x.Relationships {
		switch {
		case !rule.ActiveBetween(x, r):
		case r.FromMany() && !r.ToMany():
			note(r.From, r.To)
		case r.ToMany() && !r.FromMany():
			note(r.To, r.From)
		}
	}
	for _, c := range x.Columns {
		switch names := tables[c]; len(names) {
		case 0:
		case 1:
			say(c, rule.Verdict{})
		default:
			list := strings.Join(names, " and ")
			say(c, rule.Fails(1, "relate it only to the table whose values it holds, of "+list+", and the others by columns of their own",
				"related to %s", list))
		}
	}
}
