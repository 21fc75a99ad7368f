package measures

import (
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// filed is what the definition declares, under norm.
type filed struct {
	tables map[string]filedTable // dropped ones too
	fields map[model.Ref]bool    // columns
	// measures are the names of measures of any table that is not dropped, since DAX
	// finds a measure by its name with any table before it.
	measures map[string]bool
}

type filedTable struct {
	dropped bool
	// open is true for a calculated table whose definition lists no column, so that
	// any column may exist.
	open bool
}

func fileOf(m *semanticmodel.Model) *filed {
	f := &filed{map[string]filedTable{}, map[model.Ref]bool{}, map[string]bool{}}
	for i := range m.Tables {
		t := &m.Tables[i]
		name := wording.Norm(t.Name)
		known := f.tables[name]
		f.tables[name] = filedTable{
			dropped: known.dropped || model.IsAutoDate(t) || t.IsPrivate,
			open:    known.open || len(t.Columns) == 0 && slices.ContainsFunc(t.Partitions, model.IsCalculated),
		}
		for j := range t.Columns {
			f.fields[model.Ref{Table: name, Field: wording.Norm(t.Columns[j].Name)}] = true
		}
		for j := range t.Measures {
			if name := wording.Norm(t.Measures[j].Name); !model.IsAutoDate(t) && !t.IsPrivate {
				f.measures[name] = true
			}
		}
	}
	return f
}

type fileKey struct{}

// filedOf returns what the definition declares.
func filedOf(x *model.Scope) *filed {
	return model.Remembered(x, fileKey{}, func() *filed { return fileOf(x.Src) })
}

// unresolved returns the references with a table that name nothing in the definition, as
// written, each once.
func (f *filed) unresolved(expression dax.Inspection) (refs []string) {
	for _, r := range expression.Qualified {
		table, name := wording.Norm(r.Table), wording.Norm(r.Name)
		switch t, known := f.tables[table]; {
		case table == "": // ''[Value] is a column that the expression makes
		case known && (t.dropped || t.open || f.fields[model.Ref{Table: table, Field: name}] || f.measures[name]):
		case !r.Quoted && slices.ContainsFunc(expression.Variables, func(v string) bool { return wording.Norm(v) == table }):
		case slices.ContainsFunc(expression.Literals, func(l string) bool { return spells(wording.Norm(l), r) }):
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
	return text == wording.Norm(r.Table+"["+r.Name+"]") || text == wording.Norm("'"+r.Table+"'["+r.Name+"]")
}

// unsound judges measures, calculated columns and calculation items, hidden too: only
// those whose expression cannot work are eligible.
func unsound(x *model.Scope, say func(model.Judged, rule.Verdict)) {
	judge := func(o model.Judged, expression string) {
		if v := soundness(x, expression); v.Violation > 0 {
			say(o, v)
		}
	}
	for _, t := range x.Tables {
		for _, c := range t.Columns {
			judge(c, c.Src.Expression)
		}
		for _, m := range t.Measures {
			judge(m, m.Src.Expression)
		}
		for _, i := range t.Items {
			judge(i, i.Src.Expression)
		}
	}
}

// inspected is an expression, as the key of what dax.Inspect finds in it.
type inspected string

func soundness(x *model.Scope, expression string) rule.Verdict {
	if expression == "" {
		return rule.Verdict{}
	}
	read := model.Pure(x, inspected(expression), func(e inspected) dax.Inspection { return dax.Inspect(string(e)) })
	if read.Fault != "" {
		return rule.Fails(1, "complete its expression, which has "+read.Fault, "%s", read.Fault)
	}
	unresolved := filedOf(x).unresolved(read)
	if len(unresolved) == 0 {
		return rule.Verdict{}
	}
	names := wording.Listed(unresolved, wording.MostNamed)
	return rule.Fails(1, "correct "+names+" in its expression, as the model has no such table or column",
		"%s unknown: %s", wording.Count(len(unresolved), "reference"), names)
}
