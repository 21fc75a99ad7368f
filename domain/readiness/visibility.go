package readiness

import (
	"regexp"
	"strings"
)

// visibilityRules judge whether an AI is shown exactly what it needs (docs/regime.md C.4
// visibility). The AI data schema fixes all of them.
var visibilityRules = []rule{
	// VIS-01: an AI data schema is configured.
	{id: "VIS-01", k: 3, severity: High, fixes: []FixKind{AIDataSchema}, check: onModel(always, schemaConfigured)},
	// VIS-02: foreign keys, of any relationship, and loading columns are not exposed
	// (docs/regime.md C.9 (13)).
	{id: "VIS-02", k: 3, severity: Medium, fixes: []FixKind{AIDataSchema}, check: each(exposedColumns, technicalColumn)},
	// VIS-03: helper measures are not exposed (docs/regime.md C.9 (13)).
	{id: "VIS-03", k: 2, severity: Medium, fixes: []FixKind{AIDataSchema}, check: each(exposedMeasures, helperMeasure)},
	// VIS-04: everything that an exposed measure needs is exposed too (docs/regime.md C.9
	// (13)).
	{id: "VIS-04", k: 2, severity: Medium, fixes: []FixKind{AIDataSchema}, check: dependents},
	// VIS-05: not too many tables are exposed.
	{id: "VIS-05", k: 2, severity: Medium, fixes: []FixKind{AIDataSchema}, check: onModel(always, manyTables)},
	// VIS-06: no exposed field is without views and without direct references (regime
	// C.9 (13)).
	{id: "VIS-06", k: 1, severity: Low, fixes: []FixKind{AIDataSchema}, usage: true, check: unusedFields},
}

// surveyable is how many fields an AI can handle without a schema.
const surveyable = 30

func schemaConfigured(x *scope) verdict {
	const advice = "choose in an AI data schema what an AI sees"
	switch n := len(x.f); {
	case x.configured:
		return verdict{}
	case n > surveyable:
		return fails(1, advice, "no AI data schema for %s", count(n, "field"))
	default:
		return fails(0.5, advice+", small as the model is", "no AI data schema for %s", count(n, "field"))
	}
}

var (
	technicalWords = setOf("sk,guid,uuid,etl,hash,checksum,rowid,audit,loaddate,batch")
	technicalNames = regexp.MustCompile(`(?i)(^| |_)(row ?id|load ?date|inserted|updated|created|modified) ?(by|at|on|date|time)?$`)
)

func technicalColumn(_ *scope, c *column) verdict {
	if c.manySide {
		return fails(1, "hide this foreign key from AI, as the relationship does its work", "on the many side of a relationship")
	}
	if w := technicalWords.firstOf(c.words); w != "" {
		return fails(1, "hide this technical column from AI", "its name says %s", w)
	}
	if technicalNames.MatchString(c.name) {
		return fails(1, "hide this record-keeping column from AI", "its name says when or by whom rows were loaded or changed")
	}
	return verdict{}
}

var (
	helperWords = setOf("helper,tooltip,svg,icon,colour,color,title,label,placeholder,debug,dummy")
	helperNames = regexp.MustCompile(`(?i)^[_\.]|^(x|zz|tmp|test|debug|helper)[ _-]`)
)

func helperMeasure(_ *scope, m *measure) verdict {
	if start := helperNames.FindString(m.name); start != "" {
		return fails(1, "hide this helper measure from AI", "its name starts with %q", start)
	}
	if w := helperWords.firstOf(m.words); w != "" {
		return fails(1, "hide this measure, made for display, from AI", "its name says %s", w)
	}
	return verdict{}
}

// dependents judges the exposed measures when a schema is configured.
func dependents(x *scope, say func(judged, verdict)) {
	if !x.configured {
		return
	}
	reached := reach(x)
	for _, m := range x.m {
		r := reached[m]
		if r.missing == 0 {
			say(m, verdict{})
			continue
		}
		var names []string
		for _, o := range r.first {
			names = append(names, lowerFirst(subject(o)))
		}
		say(m, fails(float64(r.missing)/float64(r.all), "show what it is computed from to AI too, or hide it",
			"%d of the %s it refers to not exposed: %s", r.missing, count(r.all, "object"), list(names, r.missing)))
	}
}

// tablesInView is how many exposed tables an AI can keep apart.
const tablesInView = 25

func manyTables(x *scope) verdict {
	over := len(x.t) - tablesInView
	if over <= 0 {
		return verdict{}
	}
	return fails(min(1, float64(over)/tablesInView), "leave tables that no question is about out of what an AI sees",
		"%s exposed, %d at most", count(len(x.t), "table"), tablesInView)
}

// unusedFields judges the exposed fields when there is a usage map.
func unusedFields(x *scope, say func(judged, verdict)) {
	if x.views == nil {
		return
	}
	needed := map[*object]bool{}
	for _, m := range x.m {
		for _, o := range m.refs {
			needed[o] = true
		}
	}
	for _, c := range x.columns {
		needed[&c.object] = needed[&c.object] || c.end
	}
	for _, t := range x.tables {
		columns := make(map[string]*object, len(t.columns))
		for _, c := range t.columns {
			columns[strings.ToLower(c.name)] = &c.object
		}
		need := func(name string) {
			if o := columns[strings.ToLower(name)]; o != nil {
				needed[o] = true
			}
		}
		for _, c := range t.columns {
			need(c.src.SortByColumn)
		}
		for _, h := range t.hierarchies {
			if x.in(&t.object) && h.exposed {
				for _, l := range h.src.Levels {
					need(l.Column)
				}
			}
		}
	}
	for _, o := range x.f {
		if x.views[o.index] == 0 && !needed[o] {
			say(o, fails(0.5, "hide this "+string(o.objectType)+" from AI unless people ask about it",
				"in no report that was viewed, and nothing refers to it"))
		} else {
			say(o, verdict{})
		}
	}
}
