package visibility

import (
	"cmp"
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// December2026 are the rules of 2026-12: they do not ask to hide objects that are named or used, and ask to show
// named ones (docs/regime.md H.2, H.3).
var December2026 = rule.Amended(November2026,
	rule.Rule{ID: "VIS-01", Weight: 3, Severity: finding.High, Fixes: []finding.FixKind{finding.AIDataSchema}, Reads: semanticmodel.Schema,
		Check: schemaNeeded},
	rule.Rule{ID: "VIS-02", Weight: 3, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIDataSchema},
		Reads: semanticmodel.Exposure, Check: rule.Each(rule.Where(rule.ExposedColumns, hideable),
			func(x *model.Scope, c *model.Column) rule.Verdict { return Technical(x, &c.Object) })},
	rule.Rule{ID: "VIS-03", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIDataSchema},
		Reads: semanticmodel.Exposure, Check: helperMeasures},
	rule.Rule{ID: "VIS-04", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIDataSchema}, Reads: semanticmodel.Schema,
		Check: rule.Stating(dependents)},
	rule.Rule{ID: "VIS-05", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIDataSchema},
		Reads: semanticmodel.Exposure, Check: rule.OnModel(rule.Always, leastUsedTables)},
	rule.Rule{ID: "VIS-06", Weight: 1, Severity: finding.Low, Fixes: []finding.FixKind{finding.AIDataSchema}, Usage: true,
		Reads: semanticmodel.Exposure, Check: unusedFields},
	rule.Rule{ID: "VIS-07", Weight: 3, Severity: finding.High, Fixes: []finding.FixKind{finding.AIDataSchema}, Reads: semanticmodel.Schema,
		Check: unseen},
)

// hideable leaves out the columns that an exposed measure refers to or that are named.
func hideable(x *model.Scope, c *model.Column) bool {
	return !x.NeededBy(&c.Object) && !x.IsNamed(&c.Object)
}

// leastShown is how many tables VIS-05 names.
const leastShown = 10

func leastUsedTables(x *model.Scope) rule.Verdict {
	v := manyTables(x)
	if v.Violation == 0 {
		return v
	}
	uses := map[*model.Table]int{}
	for _, r := range x.Relationships {
		uses[r.From.Table]++
		if r.To.Table != r.From.Table {
			uses[r.To.Table]++
		}
	}
	for _, m := range x.M {
		last := (*model.Table)(nil)
		for _, o := range m.Refs { // in object order, so by table
			if o.Kind == model.ColumnKind && o.Table != last {
				last = o.Table
				uses[last]++
			}
		}
	}
	least := slices.Clone(x.T)
	slices.SortStableFunc(least, func(a, b *model.Table) int {
		return cmp.Or(cmp.Compare(uses[a], uses[b]), strings.Compare(a.Src.Name, b.Src.Name))
	})
	var names []string
	for _, t := range least[:leastShown] {
		names = append(names, wording.Quoted(t.Src.Name))
	}
	v.Message += ", first " + strings.Join(names, ", ") + " (" + v.Evidence + ")"
	return v
}

// unseen judges what references name: the fields of a reference are eligible if it names no exposed one.
func unseen(x *model.Scope, say func(model.Judged, rule.Verdict)) {
	hidden := make([]bool, len(x.Objects))
	for _, objects := range x.NamedObjects() {
		if slices.ContainsFunc(objects, x.In) {
			continue
		}
		for _, o := range objects {
			c := x.Names.Columns[o.Index]
			hidden[o.Index] = c == nil || !foreignKey(x, c)
		}
	}
	for _, o := range x.Objects {
		if hidden[o.Index] {
			say(o, rule.Fails(1, "show it to AI, or name another field in the instructions and verified answers",
				"named by the instructions or a verified answer, and not exposed"))
		}
	}
}
