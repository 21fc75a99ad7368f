package semanticmodel

import (
	"fmt"
	"strings"

	"readiness/definition/jsonpart"
	"readiness/definition/tmdl"
)

// refusedTMSL returns notices of what Power BI refuses in a model.bim: members that it does not know, and names that no object has.
// They are those of TMDL, for the same objects.
func refusedTMSL(r jsonpart.Reader, file string) []Notice {
	t, root := &tmslTree{Reader: &r, file: file}, &declared{}
	t.Lenient(func() {
		for member := range t.Object() {
			if member == "model" && t.Kind() == '{' {
				t.object("model", root)
			}
		}
	})
	t.notes.sameTags(root)
	t.notes.refusedReferences(root)
	return t.notes.notices
}

// tmslTree reads a model.bim as the tree of objects that TMDL declares.
type tmslTree struct {
	*jsonpart.Reader
	file  string
	notes tmdlReader
}

// object reads an object of the type and adds it to those of its parent.
func (t *tmslTree) object(keyword string, parent *declared) {
	o := &declared{keyword: keyword, file: t.file, first: &tmdl.Object{Keyword: keyword, Line: t.Line(), Column: t.Column()}}
	holder := o
	if keyword == "model" {
		holder = parent
	}
	for member := range t.Object() {
		t.member(o, holder, member)
	}
	if o.name == "" && keyword == "queryGroup" {
		o.name = o.text("folder")
	}
	joinColumn(o, "fromTable", "fromColumn")
	joinColumn(o, "toTable", "toColumn")
	k := key{keyword, strings.ToLower(o.name)}
	if k.name == "" {
		k.name = fmt.Sprint(len(parent.children))
	}
	if parent.byKey == nil {
		parent.byKey = map[key]*declared{}
	}
	if parent.byKey[k] == nil {
		parent.byKey[k] = o
	}
	parent.children = append(parent.children, o)
}

func (t *tmslTree) member(o, holder *declared, member string) {
	name := strings.ToLower(member)
	if name == "name" {
		o.name = t.Lines()
		return
	}
	child := collectionsOf[o.keyword][name]
	if child == "" {
		child = collectionsOf[""][name]
	}
	switch {
	case child == left:
	case child != "" && t.Kind() == '[':
		for range t.Array() {
			if t.Kind() == '{' {
				t.object(child, holder)
			}
		}
	case child != "" && t.Kind() == '{':
		t.object(child, holder)
	case name == "description" && undescribed[o.keyword] || child == "" && unknownMember(o.keyword, name):
		t.notes.unknown(t.file, t.Line(), t.Column(), o.keyword, member)
	case referring[name]:
		p := property{Property: tmdl.Property{Name: member, Line: t.Line(), Column: t.Column()}, file: t.file}
		for _, p.names = range t.references() {
			o.properties = append(o.properties, p)
		}
	}
}

// references reads what a member refers to: a name, a table and a name in it, or a list of either.
func (t *tmslTree) references() (all [][]string) {
	switch t.Kind() {
	case '[':
		for range t.Array() {
			all = append(all, t.references()...)
		}
	case '{':
		var table, name string
		for member := range t.Object() {
			if strings.EqualFold(member, "table") {
				table = t.word()
			} else if referring[strings.ToLower(member)] || member == "hierarchy" {
				name = t.word()
			}
		}
		switch {
		case table != "" && name != "":
			all = append(all, []string{table, name})
		case name != "":
			all = append(all, []string{name})
		}
	case '"':
		if name := t.word(); name != "" {
			all = append(all, []string{name})
		}
	}
	return all
}

// word reads a text; "" if the next value is none.
func (t *tmslTree) word() string {
	if t.Kind() != '"' {
		return ""
	}
	text, _ := t.Text()
	return text
}

// joinColumn puts the table that one property names before the column that another names.
func joinColumn(o *declared, table, column string) {
	of, ok := o.property(table)
	for i, p := range o.properties {
		if ok && strings.EqualFold(p.Name, column) && len(p.names) == 1 {
			o.properties[i].names = append([]string{of.Value()}, p.names...)
		}
	}
}

// left is the type of objects that are not judged.
const left = "-"

// collectionsOf are the types of the child objects that a member holds, by the type of the object ("" for all) and the member's name in
// lower case.
var collectionsOf = map[string]map[string]string{
	"": {"annotations": left, "extendedproperties": left, "changedproperties": left, "excludedartifacts": left},
	"model": {
		"tables": "table", "relationships": "relationship", "expressions": "expression", "functions": "function", "roles": "role",
		"perspectives": "perspective", "cultures": left, "datasources": left, "querygroups": "queryGroup",
		"dataaccessoptions": "dataAccessOptions",
	},
	"table": {
		"columns": "column", "measures": "measure", "hierarchies": "hierarchy", "partitions": "partition", "calendars": "calendar",
		"calculationgroup": "calculationGroup", "refreshpolicy": "refreshPolicy", "sets": left,
	},
	"column":           {"variations": "variation", "relatedcolumndetails": "relatedColumnDetails", "alternateof": "alternateOf"},
	"measure":          {"kpi": "kpi"},
	"hierarchy":        {"levels": "level"},
	"partition":        {"source": "source"},
	"calculationGroup": {"calculationitems": "calculationItem"},
	"role":             {"tablepermissions": "tablePermission", "members": left},
	"tablePermission":  {"columnpermissions": "columnPermission"},
	"perspective":      {"tables": "perspectiveTable"},
	"perspectiveTable": {
		"columns": "perspectiveColumn", "measures": "perspectiveMeasure", "hierarchies": "perspectiveHierarchy", "sets": left,
	},
	"calendar":             {"calendarcolumngroups": "calendarColumnGroup"},
	"relatedColumnDetails": {"groupbycolumns": left},
}

// referring are the members, in lower case, that name something.
var referring = set(`folder lineagetag sortbycolumn column fromtable fromcolumn totable tocolumn querygroup expressionsource
	parametervaluescolumn relationship defaultcolumn defaulthierarchy basetable basecolumn primarycolumn associatedcolumn`)
