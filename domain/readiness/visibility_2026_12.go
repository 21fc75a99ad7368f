package readiness

import (
	"cmp"
	"slices"
	"strings"
)

// decemberVisibilityRules hide nothing that is named or used, and want what is named to
// be shown (docs/regime.md H.2, H.3).
var decemberVisibilityRules = amended(visibilityRules,
	rule{id: "VIS-01", k: 3, severity: High, fixes: []FixKind{AIDataSchema}, copilot: true, check: schemaNeeded},
	rule{id: "VIS-02", k: 3, severity: Medium, fixes: []FixKind{AIDataSchema}, check: each(where(exposedColumns, hideable),
		func(x *scope, c *column) verdict { return x.technical(&c.object) })},
	rule{id: "VIS-03", k: 2, severity: Medium, fixes: []FixKind{AIDataSchema}, check: helperMeasures},
	rule{id: "VIS-04", k: 2, severity: Medium, fixes: []FixKind{AIDataSchema}, copilot: true, check: stating(dependents)},
	rule{id: "VIS-05", k: 2, severity: Medium, fixes: []FixKind{AIDataSchema}, check: onModel(always, leastUsedTables)},
	rule{id: "VIS-07", k: 3, severity: High, fixes: []FixKind{AIDataSchema}, copilot: true, check: unseen},
)

// hideable leaves out the columns that an exposed measure refers to or that are named.
func hideable(x *scope, c *column) bool { return !x.neededBy(&c.object) && !x.isNamed(&c.object) }

type neededKey struct{}

// neededBy reports whether an exposed measure refers to an object directly.
func (x *scope) neededBy(o *object) bool {
	return remembered(x, neededKey{}, func() []bool {
		needed := make([]bool, len(x.objects))
		for _, m := range x.m {
			for _, o := range m.refs {
				needed[o.index] = true
			}
		}
		return needed
	})[o.index]
}

// leastShown is how many tables VIS-05 names.
const leastShown = 10

func leastUsedTables(x *scope) verdict {
	v := manyTables(x)
	if v.violation == 0 {
		return v
	}
	uses := map[*table]int{}
	for _, r := range x.relationships {
		uses[r.from.table]++
		if r.to.table != r.from.table {
			uses[r.to.table]++
		}
	}
	for _, m := range x.m {
		last := (*table)(nil)
		for _, o := range m.refs { // in object order, so by table
			if o.kind == columnKind && o.table != last {
				last = o.table
				uses[last]++
			}
		}
	}
	least := slices.Clone(x.t)
	slices.SortStableFunc(least, func(a, b *table) int {
		return cmp.Or(cmp.Compare(uses[a], uses[b]), strings.Compare(a.src.Name, b.src.Name))
	})
	var names []string
	for _, t := range least[:leastShown] {
		names = append(names, quoted(t.src.Name))
	}
	v.message += ", first " + strings.Join(names, ", ") + " (" + v.evidence + ")"
	return v
}

// unseen judges what references name: the fields of a reference are eligible if it names no exposed one.
func unseen(x *scope, say func(judged, verdict)) {
	hidden := make([]bool, len(x.objects))
	for _, objects := range x.namedObjects() {
		if slices.ContainsFunc(objects, x.in) {
			continue
		}
		for _, o := range objects {
			c := x.names.columns[o.index]
			hidden[o.index] = c == nil || !x.foreignKey(c)
		}
	}
	for _, o := range x.objects {
		if hidden[o.index] {
			say(o, fails(1, "show it to AI, or name another field in the instructions and verified answers",
				"named by the instructions or a verified answer, and not exposed"))
		}
	}
}
