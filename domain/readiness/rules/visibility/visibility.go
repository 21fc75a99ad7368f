// Package visibility has the rules that judge whether an AI is shown exactly what it needs,
// and says which fields are internal to a model, which other rules ask for.
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
	"readiness/internal/lists"
)

// Rules judge whether an AI is shown exactly what it needs. The AI data schema fixes all of them.
var Rules = []rule.Rule{
	// VIS-01: an AI data schema is configured.
	{ID: "VIS-01", Weight: 3, Severity: finding.High, Fixes: []finding.FixKind{finding.AIDataSchema}, Reads: semanticmodel.Schema,
		Check: schemaNeeded},
	// VIS-02: foreign keys, of any relationship, and loading columns are not exposed.
	{ID: "VIS-02", Weight: 3, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIDataSchema},
		Reads: semanticmodel.Exposure, Check: rule.Each(rule.Where(rule.ExposedColumns, hideable),
			func(x *model.Scope, c *model.Column) rule.Verdict { return Technical(x, &c.Object) })},
	// VIS-03: helper measures are not exposed.
	{ID: "VIS-03", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIDataSchema},
		Reads: semanticmodel.Exposure, Check: helperMeasures},
	// VIS-04: everything that an exposed measure needs is exposed too.
	{ID: "VIS-04", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIDataSchema}, Reads: semanticmodel.Schema,
		Check: rule.Stating(dependents)},
	// VIS-05: not too many tables are exposed.
	{ID: "VIS-05", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIDataSchema},
		Reads: semanticmodel.Exposure, Check: rule.OnModel(rule.Always, leastUsedTables)},
	// VIS-06: no exposed field is without views and without direct references.
	{ID: "VIS-06", Weight: 1, Severity: finding.Low, Fixes: []finding.FixKind{finding.AIDataSchema}, Usage: true,
		Reads: semanticmodel.Exposure, Check: unusedFields},
	{ID: "VIS-07", Weight: 3, Severity: finding.High, Fixes: []finding.FixKind{finding.AIDataSchema}, Reads: semanticmodel.Schema,
		Check: unseen},
	// VIS-08: an AI sees most of what people may ask about, or enough of it.
	{ID: "VIS-08", Weight: 3, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIDataSchema}, Reads: semanticmodel.Exposure,
		Check: rule.OnModel(func(x *model.Scope) bool { return x.Offer.All > 0 }, littleOffered)},
	// VIS-09: personal data that an AI sees has a reason.
	{ID: "VIS-09", Weight: 1, Severity: finding.Low, Fixes: []finding.FixKind{finding.AIDataSchema}, Reads: semanticmodel.Exposure,
		Check: rule.Each(rule.Where(rule.ExposedColumns, isPersonal), unexplainedPersonal)},
}

// surveyable is how many fields an AI can handle without a schema.
const surveyable = 30

// dependents judges the exposed measures when a schema is configured.
func dependents(x *model.Scope, say func(model.Judged, rule.Verdict)) {
	if !x.Configured {
		return
	}
	reached := model.Reach(x)
	for _, m := range x.M {
		r := reached[m]
		if r.Missing == 0 {
			say(m, rule.Verdict{})
			continue
		}
		var names []string
		for _, o := range r.First {
			names = append(names, wording.LowerFirst(model.Title(o)))
		}
		way := ""
		if chain := model.Chain(x, m, r.First[0]); len(chain) > 2 {
			way = ", by " + strings.Join(chain, " -> ")
		}
		say(m, rule.Fails(float64(r.Missing)/float64(r.All), "show what it is computed from to AI too, or hide it",
			"%d of the %s it refers to not exposed: %s%s", r.Missing, wording.Count(r.All, "object"), wording.List(names, r.Missing), way))
	}
}

// TablesInView is how many exposed tables an AI can distinguish.
const TablesInView = 25

func manyTables(x *model.Scope) rule.Verdict {
	over := len(askedTables(x)) - TablesInView
	if over <= 0 {
		return rule.Verdict{}
	}
	return rule.Fails(min(1, float64(over)/TablesInView), "decide which questions an AI should answer, and leave out the tables that "+
		"these do not need", "%s exposed, %d at most", wording.Count(TablesInView+over, "table"), TablesInView)
}

// askedTables returns the exposed tables that have rows to ask for: no calculation groups, field parameters or tables of measures.
func askedTables(x *model.Scope) []*model.Table {
	return slices.DeleteFunc(slices.Clone(x.T), func(t *model.Table) bool { return !t.Starred })
}

// unusedFields judges the exposed fields when there is a usage map.
func unusedFields(x *model.Scope, say func(model.Judged, rule.Verdict)) {
	if x.Views == nil {
		return
	}
	needed := map[*model.Object]bool{}
	for _, m := range x.M {
		for _, o := range m.Refs {
			needed[o] = true
		}
	}
	for _, c := range x.Columns {
		needed[&c.Object] = needed[&c.Object] || c.End
	}
	for _, t := range x.Tables {
		columns := make(map[string]*model.Object, len(t.Columns))
		for _, c := range t.Columns {
			columns[strings.ToLower(c.Name)] = &c.Object
		}
		need := func(name string) {
			if o := columns[strings.ToLower(name)]; o != nil {
				needed[o] = true
			}
		}
		for _, c := range t.Columns {
			need(c.Src.SortByColumn)
		}
		for _, h := range t.Hierarchies {
			if x.In(&t.Object) && h.Exposed {
				for _, l := range h.Src.Levels {
					need(l.Column)
				}
			}
		}
	}
	for _, o := range x.F {
		if x.Views[o.Index] == 0 && !needed[o] {
			say(o, rule.Fails(0.5, "hide this "+string(o.ObjectType)+" from AI unless people ask about it",
				"in no report that was viewed, and nothing refers to it"))
		} else {
			say(o, rule.Verdict{})
		}
	}
}

func littleOffered(x *model.Scope) rule.Verdict {
	o := x.Offer
	if !o.Short() {
		return rule.Verdict{}
	}
	return rule.Fails(1-float64(o.Shown)/float64(o.Wanted()),
		"show an AI the measures and the texts of dimensions that people ask about; what is kept back is judged all the same",
		"%d of %d shown, %d at least", o.Shown, o.All, o.Wanted())
}

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
	least := askedTables(x)
	slices.SortStableFunc(least, func(a, b *model.Table) int {
		return cmp.Or(cmp.Compare(uses[a], uses[b]), strings.Compare(a.Src.Name, b.Src.Name))
	})
	names := lists.Map(least[:leastShown], func(t *model.Table) string { return wording.Quoted(t.Src.Name) })
	v.Message += "; used least: " + strings.Join(names, ", ") + " (" + v.Evidence + ")"
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
