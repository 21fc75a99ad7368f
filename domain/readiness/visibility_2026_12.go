package readiness

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
)

// decemberVisibilityRules hide nothing that is named or used, and want what is named to
// be shown (docs/regime.md H.2, H.3).
var decemberVisibilityRules = amended(visibilityRules,
	rule{id: "VIS-01", k: 3, severity: High, fixes: []FixKind{AIDataSchema}, copilot: true,
		check: stating(onModel(always, schemaConfigured),
			"30 are few")},
	rule{id: "VIS-02", k: 3, severity: Medium, fixes: []FixKind{AIDataSchema}, check: each(where(exposedColumns, hideable), hiddenFromAI)},
	rule{id: "VIS-03", k: 2, severity: Medium, fixes: []FixKind{AIDataSchema}, check: helpers},
	rule{id: "VIS-04", k: 2, severity: Medium, fixes: []FixKind{AIDataSchema}, copilot: true, check: stating(dependents)},
	rule{id: "VIS-05", k: 2, severity: Medium, fixes: []FixKind{AIDataSchema}, check: onModel(always, leastUsedTables)},
	rule{id: "VIS-07", k: 3, severity: High, fixes: []FixKind{AIDataSchema}, copilot: true, check: unseen},
)

var (
	rowIDName    = regexp.MustCompile(`(?i)(^| |_)row ?id$`)
	recordWords  = setOf("inserted,updated,created,modified")
	loadingWords = setOf("load,ingestion,export,etl")
	loadedAt     = setOf("time,date,timestamp,at")
)

// technicalWord returns the words of the name that say that a column keeps records of
// rows or loads, or "" (rule VIS-02).
func (c *column) technicalWord() string {
	if w := technicalWords.firstOf(c.words); w != "" {
		return w
	}
	for i := range c.words {
		if i == 0 {
			continue
		}
		before, w := c.words[i-1], c.words[i]
		if recordWords[before] && w == "by" || loadingWords[before] && loadedAt[w] || loadedAt[before] && loadingWords[w] {
			return before + " " + w
		}
	}
	if rowIDName.MatchString(c.name) {
		return "row id"
	}
	return ""
}

// foreignKey reports whether a column is on the many side of an active relationship, or
// of an inactive one by something other than a date.
func (c *column) foreignKey() bool {
	return c.manyOfActive || c.manySide && !c.is(semanticmodel.DateTime)
}

// onlyText reports whether a column is on the one side of a relationship and is its
// table's only text column.
func (c *column) onlyText() bool {
	return c.oneSide && c.is(semanticmodel.String) && !slices.ContainsFunc(c.table.columns, func(other *column) bool {
		return other != c && other.is(semanticmodel.String)
	})
}

// hideable leaves out the columns that an exposed measure refers to or that are named.
func hideable(x *scope, c *column) bool { return !x.neededBy(&c.object) && !x.isNamed(&c.object) }

// neededBy reports whether an exposed measure refers to an object directly.
func (x *scope) neededBy(o *object) bool {
	if x.memo.needed == nil {
		x.memo.needed = make([]bool, len(x.objects))
		for _, m := range x.m {
			for _, o := range m.refs {
				x.memo.needed[o.index] = true
			}
		}
	}
	return x.memo.needed[o.index]
}

func hiddenFromAI(_ *scope, c *column) verdict {
	if c.foreignKey() {
		return fails(1, "hide this foreign key from AI, as the relationship does its work", "on the many side of a relationship")
	}
	if w := c.technicalWord(); w != "" && !c.onlyText() {
		return fails(1, "hide this column from AI, as it keeps records of rows or loads ("+w+")", "its name says %s", w)
	}
	return verdict{}
}

var (
	helperStarts = regexp.MustCompile(`^[_.]|(?i)^(zz|tmp|test|debug|helper)[ _-]`)
	helperNouns  = setOf("placeholder,dummy,debug,helper")
	displayWords = setOf("tooltip,svg,icon,colour,color,title,label,text")
	titleWords   = setOf("title,label,text")
)

// helperReason says why a measure is a helper; "" if it is none.
func helperReason(x *scope, m *measure) string {
	if start := helperStarts.FindString(m.name); start != "" {
		return "its name starts with " + quotedText(start)
	}
	if w := helperNouns.firstOf(m.words); w != "" {
		return "its name says " + w
	}
	explained := x.explained(&m.object)
	i := slices.IndexFunc(m.words, func(w string) bool { return displayWords[w] && !(titleWords[w] && explained) })
	if i >= 0 && (dax.Texts{}).Yields(m.src.Expression) {
		return "its name says " + m.words[i] + ", and it yields text"
	}
	return ""
}

// helpers judges the exposed measures that are neither named nor used by a measure that
// is no helper.
func helpers(x *scope, say func(judged, verdict)) {
	reasons := make([]string, len(x.m))
	used := make([]bool, len(x.objects))
	for i, m := range x.m {
		if reasons[i] = helperReason(x, m); reasons[i] != "" {
			continue
		}
		for _, o := range m.refs {
			used[o.index] = true
		}
	}
	for i, m := range x.m {
		switch {
		case used[m.index] || x.isNamed(&m.object):
		case reasons[i] != "":
			say(m, fails(1, "hide this helper measure from AI, or give it a name that says what it answers", "%s", reasons[i]))
		default:
			say(m, verdict{})
		}
	}
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
			hidden[o.index] = c == nil || !c.foreignKey()
		}
	}
	for _, o := range x.objects {
		if hidden[o.index] {
			say(o, fails(1, "show it to AI, or name another field in the instructions and verified answers",
				"named by the instructions or a verified answer, and not exposed"))
		}
	}
}
