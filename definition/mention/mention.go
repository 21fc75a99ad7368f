// Package mention finds where a semantic model's TMDL names its columns and measures, in DAX and elsewhere, and renames one there, in the
// Copilot parts and in reports of the model.
package mention

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/definition/tmdl"
)

// Field names a column or a measure.
type Field struct{ Table, Name string }

// Mention is a place where a part names a field. From and To are bytes of the part.
type Mention struct {
	Field
	Part     string
	From, To int
	// Declares is true for the declaration.
	Declares bool
	// Bare is true for a reference in DAX without its table.
	Bare bool
	// Unsure says why the reference may mean another field or a column that the expression makes; "" if it cannot.
	Unsure string
	form   form
}

// form is how a name is written.
type form int

const (
	asName    form = iota // in a declaration or reference of TMDL
	asBracket             // in DAX
)

// Index is where a model names its fields.
type Index struct {
	mentions []Mention
	fields   map[[2]string]Field  // by spelling.Field
	measures map[string]Field     // by their names alone
	columns  map[string][]Field   // by their names alone
	byField  map[[2]string][]int  // the mentions of a field
	bare     map[string][]Mention // what DAX names without a table, by name
}

// Of returns where the TMDL of a definition, which is the model, names its fields.
func Of(d definition.Definition, m *semanticmodel.Model) *Index {
	x := &Index{fields: map[[2]string]Field{}, measures: map[string]Field{}, columns: map[string][]Field{}, byField: map[[2]string][]int{},
		bare: map[string][]Mention{}}
	calculated := map[string]bool{}
	for _, t := range m.Tables {
		for _, c := range t.Columns {
			f := Field{t.Name, c.Name}
			x.fields[spelling.Field(t.Name, c.Name)] = f
			x.columns[spelling.Fold(c.Name)] = append(x.columns[spelling.Fold(c.Name)], f)
		}
		for _, one := range t.Measures {
			f := Field{t.Name, one.Name}
			x.fields[spelling.Field(t.Name, one.Name)], x.measures[spelling.Fold(one.Name)] = f, f
		}
		calculated[spelling.Fold(t.Name)] = slices.ContainsFunc(t.Partitions, func(p semanticmodel.Partition) bool { return p.SourceType == "calculated" })
	}
	for _, part := range semanticmodel.TMDL(d) {
		doc, err := tmdl.Parse(part.Path, part.Data)
		if err != nil {
			continue // the model could be read, so that this does not happen
		}
		w := walk{Index: x, part: part, src: string(part.Data), calculated: calculated}
		for _, o := range doc.Objects {
			w.object(o, "", "")
		}
	}
	for n, one := range x.mentions {
		key := spelling.Field(one.Table, one.Name)
		x.byField[key] = append(x.byField[key], n)
	}
	return x
}

// Field returns a field in the model's spelling; false if there is none.
func (x *Index) Field(table, name string) (Field, bool) {
	f, ok := x.fields[spelling.Field(table, name)]
	return f, ok
}

// Written returns the field that a person writes as Table[Name], 'Table'[Name], [Name] or Name.
func (x *Index) Written(text string) (Field, error) {
	table, name := "", strings.TrimSpace(text)
	if at := strings.Index(name, "["); at >= 0 && strings.HasSuffix(name, "]") {
		if quoted := strings.LastIndex(name, "'["); strings.HasPrefix(name, "'") && quoted > 0 {
			at = quoted + 1
		}
		table, name = strings.TrimSpace(name[:at]), strings.ReplaceAll(name[at+1:len(name)-1], "]]", "]")
		if len(table) > 1 && strings.HasPrefix(table, "'") && strings.HasSuffix(table, "'") {
			table = strings.ReplaceAll(table[1:len(table)-1], "''", "'")
		}
	}
	if f, ok := x.Field(table, name); ok {
		return f, nil
	}
	all := slices.Clone(x.columns[spelling.Fold(name)])
	if f, is := x.measures[spelling.Fold(name)]; is {
		all = append(all, f)
	}
	switch {
	case table != "" || len(all) == 0:
		return Field{}, fmt.Errorf("the model has no measure or column %s", text)
	case len(all) > 1:
		tables := ""
		for _, f := range all {
			tables += " or " + f.Table
		}
		return Field{}, fmt.Errorf("%s may be of %s; write its table, as in '%s'%s", dax.Bracket(name), tables[len(" or "):], all[0].Table, dax.Bracket(name))
	}
	return all[0], nil
}

// Of returns the mentions of a field, by part and place.
func (x *Index) Of(f Field) (all []Mention) {
	for _, n := range x.byField[spelling.Field(f.Table, f.Name)] {
		all = append(all, x.mentions[n])
	}
	return all
}

// At returns the mention at a byte of a part.
func (x *Index) At(part string, at int) (Mention, bool) {
	n := slices.IndexFunc(x.mentions, func(m Mention) bool { return m.Part == part && m.From <= at && at <= m.To })
	if n < 0 {
		return Mention{}, false
	}
	return x.mentions[n], true
}

// walk adds the mentions of one part.
type walk struct {
	*Index
	part       definition.Part
	src        string
	calculated map[string]bool
}

// expressions are objects whose default is DAX.
var expressions = []string{"measure", "column", "calculationItem", "function", "formatStringDefinition", "detailRowsDefinition",
	"defaultDetailRowsDefinition", "noSelectionExpression", "multipleOrEmptySelectionExpression", "tablePermission", "dataCoverageDefinition"}

// ownColumns and foreignColumns are properties that name a column: one of the table, and one with its table.
var (
	ownColumns     = []string{"sortByColumn", "groupByColumn", "primaryColumn", "associatedColumn", "column"}
	foreignColumns = []string{"fromColumn", "toColumn", "baseColumn", "parameterValuesColumn", "defaultColumn"}
)

// object adds the mentions of an object, which stands in one of the type above and belongs to a table, if any.
func (w *walk) object(o *tmdl.Object, above, table string) {
	below := o.Keyword
	switch {
	case above == "translations", above == "translated", above == "translated table":
		below = "translated"
		if o.Keyword == "table" {
			below, table = "translated table", o.Name
		}
		if above == "translated table" && (o.Keyword == "column" || o.Keyword == "measure") {
			from, to := o.NameSpan()
			w.add(Mention{Field: Field{table, o.Name}, From: from, To: to})
		}
	case o.Keyword == "table", o.Keyword == "tablePermission", o.Keyword == "perspectiveTable":
		table = o.Name
	case o.Keyword == "column" && above == "table", o.Keyword == "measure" && above == "table", o.Keyword == "columnPermission",
		o.Keyword == "perspectiveColumn", o.Keyword == "perspectiveMeasure":
		from, to := o.NameSpan()
		w.add(Mention{Field: Field{table, o.Name}, From: from, To: to, Declares: above == "table" && !o.Ref})
	}
	if slices.Contains(expressions, o.Keyword) && o.HasDefault() {
		from, to := o.DefaultSpan()
		w.dax(table, from, to, false)
	}
	for _, p := range o.Properties {
		from, to := p.Span()
		has := func(names []string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, p.Name) })
		}
		switch {
		case p.IsExpression():
			if o.Keyword == "kpi" || o.Keyword == "partition" && w.calculated[spelling.Fold(table)] || o.Keyword == "dataCoverageDefinition" {
				w.dax(table, from, to, false)
			}
		case has(ownColumns) && table != "", has(foreignColumns):
			names, err := tmdl.SplitReference(w.src[from:to])
			if err != nil || len(names) > 2 || len(names) == 1 && has(foreignColumns) {
				continue
			}
			of := table
			if len(names) == 2 {
				of = names[0]
			}
			w.add(Mention{Field: Field{of, names[len(names)-1]}, From: from + tmdl.LastName(w.src[from:to]), To: to})
		case strings.EqualFold(p.Name, "sourceColumn") && w.calculated[spelling.Fold(table)]:
			w.dax(table, from, to, true) // a bare one is a column that the table's expression makes
		}
	}
	for _, c := range o.Children {
		w.object(c, below, table)
	}
}

// add adds a mention of a field that the model has.
func (w *walk) add(m Mention) {
	f, ok := w.Field(m.Table, m.Name)
	if !ok || m.From == m.To {
		return
	}
	m.Field, m.Part = f, w.part.Path
	w.mentions = append(w.mentions, m)
}

// dax adds the references of an expression that belongs to a table, or only those with a table.
func (w *walk) dax(table string, from, to int, qualified bool) {
	all, literals := dax.Mentions(w.src[from:to])
	for _, one := range all {
		m := Mention{Field: Field{one.Table, one.Name}, Part: w.part.Path, From: from + one.From, To: from + one.To, Bare: !one.Qualified, form: asBracket}
		if one.Qualified {
			if _, ok := w.Field(one.Table, one.Name); !ok { // a measure may be named with any table
				m.Table = w.measures[spelling.Fold(one.Name)].Table
			}
			w.add(m)
			continue
		}
		if qualified {
			continue
		}
		m.Table, m.Unsure = w.meant(one.Name, table, all, literals)
		w.bare[spelling.Fold(one.Name)] = append(w.bare[spelling.Fold(one.Name)], m)
		w.add(m)
	}
}

// meant returns the table of the field that a bare reference in an expression of a table means, and why that is not sure.
func (w *walk) meant(name, table string, all []dax.Mention, literals []string) (of, unsure string) {
	folded := spelling.Fold(name)
	if slices.ContainsFunc(literals, func(s string) bool { return spelling.Fold(s) == folded }) {
		unsure = "the expression also makes a column of this name"
	}
	measure, isMeasure := w.measures[folded]
	_, own := w.Field(table, name)
	switch columns := w.columns[folded]; {
	case isMeasure && len(columns) > 0 && measure.Table != "":
		return measure.Table, cmp.Or(unsure, "a measure and a column have this name")
	case isMeasure:
		return measure.Table, unsure
	case own && len(columns) == 1:
		return table, unsure
	default:
		for _, c := range columns {
			named := slices.ContainsFunc(all, func(m dax.Mention) bool { return m.Qualified && spelling.Fold(m.Table) == spelling.Fold(c.Table) })
			if named || own && spelling.Fold(c.Table) == spelling.Fold(table) {
				of = c.Table
				break
			}
		}
		if of == "" && len(columns) > 0 {
			of = columns[0].Table
		}
		if len(columns) > 1 {
			unsure = cmp.Or(unsure, "several tables have a column of this name")
		}
		return of, unsure
	}
}
