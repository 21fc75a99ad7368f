// Package visibility has the rules that judge whether an AI is shown exactly what it needs,
// and says which fields are internal to a model, which other rules ask for.
package visibility

import (
	"regexp"
	"strings"

	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// November2026 are the rules of 2026-11: they judge whether an AI is shown exactly what it needs (docs/regime.md C.4
// visibility). The AI data schema fixes all of them.
var November2026 = []rule.Rule{
	// VIS-01: an AI data schema is configured.
	{ID: "VIS-01", Weight: 3, Severity: finding.High, Fixes: []finding.FixKind{finding.AIDataSchema},
		Check: rule.OnModel(rule.Always, schemaConfigured)},
	// VIS-02: foreign keys, of any relationship, and loading columns are not exposed
	// (docs/regime.md C.9 (13)).
	{ID: "VIS-02", Weight: 3, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIDataSchema},
		Check: rule.Each(rule.ExposedColumns, technicalColumn)},
	// VIS-03: helper measures are not exposed (docs/regime.md C.9 (13)).
	{ID: "VIS-03", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIDataSchema},
		Check: rule.Each(rule.ExposedMeasures, helperMeasure)},
	// VIS-04: everything that an exposed measure needs is exposed too (docs/regime.md C.9
	// (13)).
	{ID: "VIS-04", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIDataSchema}, Check: dependents},
	// VIS-05: not too many tables are exposed.
	{ID: "VIS-05", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIDataSchema},
		Check: rule.OnModel(rule.Always, manyTables)},
	// VIS-06: no exposed field is without views and without direct references (regime
	// C.9 (13)).
	{ID: "VIS-06", Weight: 1, Severity: finding.Low, Fixes: []finding.FixKind{finding.AIDataSchema}, Usage: true, Check: unusedFields},
}

// surveyable is how many fields an AI can handle without a schema.
const surveyable = 30

func schemaConfigured(x *model.Scope) rule.Verdict {
	const advice = "choose in an AI data schema what an AI sees"
	switch n := len(x.F); {
	case x.Configured:
		return rule.Verdict{}
	case n > surveyable:
		return rule.Fails(1, advice, "no AI data schema for %s", wording.Count(n, "field"))
	default:
		return rule.Fails(0.5, advice+", small as the model is", "no AI data schema for %s", wording.Count(n, "field"))
	}
}

var (
	technicalWords = wording.SetOf("sk,guid,uuid,etl,hash,checksum,rowid,audit,loaddate,batch")
	technicalNames = regexp.MustCompile(`(?i)(^| |_)(row ?id|load ?date|inserted|updated|created|modified) ?(by|at|on|date|time)?$`)
)

func technicalColumn(_ *model.Scope, c *model.Column) rule.Verdict {
	if c.ManySide {
		return rule.Fails(1, "hide this foreign key from AI, as the relationship does its work", "on the many side of a relationship")
	}
	if w := technicalWords.FirstOf(c.Words); w != "" {
		return rule.Fails(1, "hide this technical column from AI", "its name says %s", w)
	}
	if technicalNames.MatchString(c.Name) {
		return rule.Fails(1, "hide this record-keeping column from AI", "its name says when or by whom rows were loaded or changed")
	}
	return rule.Verdict{}
}

var (
	helperWords = wording.SetOf("helper,tooltip,svg,icon,colour,color,title,label,placeholder,debug,dummy")
	helperNames = regexp.MustCompile(`(?i)^[_\.]|^(x|zz|tmp|test|debug|helper)[ _-]`)
)

func helperMeasure(_ *model.Scope, m *model.Measure) rule.Verdict {
	if start := helperNames.FindString(m.Name); start != "" {
		return rule.Fails(1, "hide this helper measure from AI", "its name starts with %q", start)
	}
	if w := helperWords.FirstOf(m.Words); w != "" {
		return rule.Fails(1, "hide this measure, made for display, from AI", "its name says %s", w)
	}
	return rule.Verdict{}
}

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
		say(m, rule.Fails(float64(r.Missing)/float64(r.All), "show what it is computed from to AI too, or hide it",
			"%d of the %s it refers to not exposed: %s", r.Missing, wording.Count(r.All, "object"), wording.List(names, r.Missing)))
	}
}

// TablesInView is how many exposed tables an AI can distinguish.
const TablesInView = 25

func manyTables(x *model.Scope) rule.Verdict {
	over := len(x.T) - TablesInView
	if over <= 0 {
		return rule.Verdict{}
	}
	return rule.Fails(min(1, float64(over)/TablesInView), "leave tables that no question is about out of what an AI sees",
		"%s exposed, %d at most", wording.Count(len(x.T), "table"), TablesInView)
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
