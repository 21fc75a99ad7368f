package semanticmodel

import (
	"slices"
	"strings"

	"readiness/definition/tmdl"
)

// refusedReferences adds notices of names in the model that no object has. Power BI refuses them. A ref line is none of
// these: it gives an order, and Power BI ignores one of an object that is not there.
func (r *tmdlReader) refusedReferences(root *declared) {
	measures := map[string]*declared{}
	for _, o := range root.children {
		switch o.keyword {
		case "table":
			r.namesInTable(root, o)
			r.measuresOnce(o, measures)
		case "relationship":
			r.columnOf(root, nil, o, "fromColumn")
			r.columnOf(root, nil, o, "toColumn")
		case "expression":
			r.namedOf(root, o, "queryGroup", "queryGroup")
			r.columnOf(root, nil, o, "parameterValuesColumn")
		case "role":
			r.namesInTables(root, o, "tablePermission", inRole)
		case "perspective":
			r.namesInTables(root, o, "perspectiveTable", inPerspective)
		}
	}
}

func (r *tmdlReader) namesInTable(root, table *declared) {
	for _, c := range table.children {
		switch c.keyword {
		case "column":
			r.columnOf(root, table, c, "sortByColumn")
			r.namesInColumn(root, table, c)
		case "hierarchy":
			for _, level := range c.children {
				if level.keyword == "level" {
					r.columnOf(root, table, level, "column")
				}
			}
		case "calendar":
			r.columnsOfCalendar(table, c)
		case "partition":
			r.namedOf(root, c, "queryGroup", "queryGroup")
			r.namedOf(root, c, "expressionSource", "expression")
			if source := c.child("source"); source != nil {
				r.namedOf(root, source, "expressionSource", "expression")
			}
		}
	}
}

// columnsOfCalendar checks the columns of the table that a calendar of it names.
func (r *tmdlReader) columnsOfCalendar(table, calendar *declared) {
	for _, group := range calendar.children {
		if group.keyword != "calendarColumnGroup" {
			continue
		}
		for _, p := range group.properties {
			switch strings.ToLower(p.Name) {
			case "primarycolumn", "associatedcolumn", "column":
				if names := p.refersTo(); len(names) > 0 {
					r.missing(group, p, table.named("column", names[len(names)-1]) == nil)
				}
			}
		}
	}
}

// measuresOnce adds notices of measures with the name of one in an earlier table, which known has by its name.
func (r *tmdlReader) measuresOnce(table *declared, known map[string]*declared) {
	for _, m := range table.children {
		if m.keyword != "measure" {
			continue
		}
		name := strings.ToLower(m.name)
		if other := known[name]; other != nil {
			r.notice(m.file, m.first.Line, m.first.Column, "another table has the %s too (%s:%d), and Power BI refuses a model with two measures "+
				"of one name; rename one", other, other.file, other.first.Line)
			continue
		}
		known[name] = m
	}
}

func (r *tmdlReader) namesInColumn(root, table, column *declared) {
	for _, c := range column.children {
		switch c.keyword {
		case "variation":
			r.namedOf(root, c, "relationship", "relationship")
			r.columnOf(root, nil, c, "defaultColumn")
			if p, names := r.referred(c, "defaultHierarchy"); len(names) == 2 {
				t := root.named("table", names[0])
				r.missing(c, p, t == nil || t.named("hierarchy", names[1]) == nil)
			}
		case "relatedColumnDetails":
			for _, g := range c.properties {
				if names := g.refersTo(); strings.EqualFold(g.Name, "groupByColumn") && len(names) == 1 {
					r.missing(c, g, table.named("column", names[0]) == nil)
				}
			}
		case "alternateOf":
			r.namedOf(root, c, "baseTable", "table")
			r.columnOf(root, nil, c, "baseColumn")
		}
	}
}

// inRole and inPerspective are the types of the objects that a role's and a perspective's entries name, by the types of the entries.
var (
	inRole        = map[string]string{"columnPermission": "column"}
	inPerspective = map[string]string{"perspectiveColumn": "column", "perspectiveMeasure": "measure", "perspectiveHierarchy": "hierarchy"}
)

// namesInTables checks what a role or a perspective names: entries of a type for tables, and in each those of the given types for its
// objects.
func (r *tmdlReader) namesInTables(root, of *declared, forTable string, types map[string]string) {
	for _, p := range of.children {
		if p.keyword != forTable {
			continue
		}
		table := root.named("table", p.name)
		if table == nil {
			r.missingObject(p)
			continue
		}
		for _, c := range p.children {
			if kind := types[c.keyword]; kind != "" && table.named(kind, c.name) == nil {
				r.missingObject(c)
			}
		}
	}
}

// named returns the child of the type with the name; nil if there is none.
func (o *declared) named(keyword, name string) *declared {
	return o.byKey[key{keyword, strings.ToLower(name)}]
}

// referred returns a property that refers to something by names; no names if there is none, or if it cannot be read.
func (r *tmdlReader) referred(o *declared, name string) (property, []string) {
	p, ok := o.property(name)
	if !ok {
		return p, nil
	}
	return p, p.refersTo()
}

// refersTo returns the names by which the property refers to something; none if it cannot be read.
func (p property) refersTo() []string {
	if p.names != nil {
		return p.names
	}
	names, err := tmdl.SplitReference(p.Value())
	if err != nil {
		return nil
	}
	return names
}

// columnOf adds a notice if a property refers to a column that its table does not have. A name alone is of the table in.
func (r *tmdlReader) columnOf(root, in, o *declared, name string) {
	p, names := r.referred(o, name)
	switch {
	case len(names) == 2:
		in = root.named("table", names[0])
	case len(names) != 1 || in == nil:
		return
	}
	r.missing(o, p, in == nil || in.named("column", names[len(names)-1]) == nil)
}

// namedOf adds a notice if a property names an object of a type that the model does not have.
func (r *tmdlReader) namedOf(root, o *declared, name, keyword string) {
	if p, names := r.referred(o, name); len(names) > 0 {
		there := root.named(keyword, names[len(names)-1]) != nil || root.named(keyword, p.Value()) != nil
		r.missing(o, p, !there)
	}
}

// missing adds a notice if what a property refers to is not there.
func (r *tmdlReader) missing(o *declared, p property, is bool) {
	if is {
		r.notice(p.file, p.Line, p.Column, "the property %s of the %s names %s, which the model does not have, so Power BI refuses the model; "+
			"correct the name, or remove the property", p.Name, o, p.Value())
	}
}

// missingObject adds a notice of an object whose name is that of another, which is not there.
func (r *tmdlReader) missingObject(o *declared) {
	r.notice(o.file, o.first.Line, o.first.Column, "the %s is for an object that the model does not have, so Power BI refuses the model; "+
		"correct the name, or remove it", o)
}

// whole adds a notice if the files of a model declare no database, without which Power BI's engine opens no model.
func (r *tmdlReader) whole(root *declared, folder string) {
	if !slices.ContainsFunc(root.children, func(o *declared) bool { return o.keyword == "database" }) {
		r.notice(folder+"database.tmdl", 1, 1, "no file declares the database, so Power BI's server does not open the model; add this file "+
			"with the lines \"database\" and, indented, \"compatibilityLevel: 1567\" or a later level")
	}
}
