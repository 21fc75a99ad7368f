package readiness

import (
	"slices"
	"strconv"
	"strings"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
)

// filed is what the definition declares, under norm.
type filed struct {
	tables map[string]filedTable // dropped ones too
	fields map[ref]bool          // columns
	// measures are the names of measures of any table that is not dropped, since DAX
	// finds a measure by its name whatever table precedes it.
	measures map[string]bool
}

type filedTable struct {
	dropped bool
	// open is true for a calculated table whose definition lists no column, so that
	// any column may exist.
	open bool
}

func fileOf(m *semanticmodel.Model) *filed {
	f := &filed{map[string]filedTable{}, map[ref]bool{}, map[string]bool{}}
	for i := range m.Tables {
		t := &m.Tables[i]
		name := norm(t.Name)
		known := f.tables[name]
		f.tables[name] = filedTable{
			dropped: known.dropped || isAutoDate(t) || t.IsPrivate,
			open:    known.open || len(t.Columns) == 0 && slices.ContainsFunc(t.Partitions, isCalculated),
		}
		for j := range t.Columns {
			f.fields[ref{name, norm(t.Columns[j].Name)}] = true
		}
		for j := range t.Measures {
			if name := norm(t.Measures[j].Name); !isAutoDate(t) && !t.IsPrivate {
				f.measures[name] = true
			}
		}
	}
	return f
}

type fileKey struct{}

// file returns what the definition declares.
func (x *scope) file() *filed {
	return remembered(x, fileKey{}, func() *filed { return fileOf(x.src) })
}

// unresolved returns the references with a table that name nothing in the definition, as
// written, each once.
func (f *filed) unresolved(expression dax.Inspection) (refs []string) {
	for _, r := range expression.Qualified {
		table, name := norm(r.Table), norm(r.Name)
		switch t, known := f.tables[table]; {
		case known && (t.dropped || t.open || f.fields[ref{table, name}] || f.measures[name]):
		case !r.Quoted && slices.ContainsFunc(expression.Variables, func(v string) bool { return norm(v) == table }):
		case slices.ContainsFunc(expression.Literals, func(l string) bool { return spells(norm(l), r) }):
		default:
			if written := "'" + strings.ReplaceAll(r.Table, "'", "''") + "'[" + r.Name + "]"; !slices.Contains(refs, written) {
				refs = append(refs, written)
			}
		}
	}
	return refs
}

// spells reports whether a text under norm is the reference, with or without quotation
// marks around its table.
func spells(text string, r dax.QualifiedReference) bool {
	return text == norm(r.Table+"["+r.Name+"]") || text == norm("'"+r.Table+"'["+r.Name+"]")
}

// unsound judges measures, calculated columns and calculation items, hidden too: only
// those whose expression cannot work are eligible.
func unsound(x *scope, say func(judged, verdict)) {
	judge := func(o judged, expression string) {
		if v := x.soundness(expression); v.violation > 0 {
			say(o, v)
		}
	}
	for _, t := range x.tables {
		for _, c := range t.columns {
			judge(c, c.src.Expression)
		}
		for _, m := range t.measures {
			judge(m, m.src.Expression)
		}
		for _, i := range t.items {
			judge(i, i.src.Expression)
		}
	}
}

// mostNamed is how many unresolved references a message names.
const mostNamed = 5

func (x *scope) soundness(expression string) verdict {
	if expression == "" {
		return verdict{}
	}
	read := dax.Inspect(expression)
	if read.Fault != "" {
		return fails(1, "complete its expression, which has "+read.Fault, "%s", read.Fault)
	}
	unresolved := x.file().unresolved(read)
	if len(unresolved) == 0 {
		return verdict{}
	}
	names := listed(unresolved, mostNamed)
	return fails(1, "correct "+names+" in its expression, as the model has no such table or column",
		"%s unknown: %s", count(len(unresolved), "reference"), names)
}

// listed returns the first names for display, and how many more there are.
func listed(names []string, most int) string {
	more := len(names) - most
	names = slices.Clone(names[:min(len(names), most)])
	for i, n := range names {
		names[i] = shown(n, 2*shownName)
	}
	text := strings.Join(names, ", ")
	if more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}
