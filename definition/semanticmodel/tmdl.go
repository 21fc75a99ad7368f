package semanticmodel

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/tmdl"
)

// FromTMDL reads the model that the files `definition/**.tmdl` among the parts
// declare, with the names of TMDL. Other parts, such as TMDL scripts, are ignored.
// Objects are found by their declaration, in any file, and declarations of the same
// object are merged. The order of tables, cultures, roles and perspectives is that
// of the `ref` lines; those without one follow in file order.
//
// A file that cannot be read, and a property or child that is declared twice, are a
// *tmdl.SyntaxError.
func FromTMDL(parts []definition.Part) (*Model, error) {
	files := TMDL(definition.Definition{Parts: parts})
	if len(files) == 0 {
		return nil, errors.New("the definition has no file definition/*.tmdl")
	}
	return fromTMDL(files, true)
}

// fromTMDL reads the model that the files declare. A loose one may be a piece of a model.
func fromTMDL(files []definition.Part, loose bool) (*Model, error) {
	root, r := &declared{}, tmdlReader{}
	var notices []Notice
	for _, part := range files {
		doc, err := tmdl.Parse(part.Path, part.Data)
		if err != nil {
			return nil, err
		}
		for _, n := range doc.Notices {
			notices = append(notices, Notice{Source{part.Path, n.Line}, n.Column, n.Message})
		}
		r.refusedForms(doc)
		for _, o := range doc.Objects {
			if err := root.declare(part.Path, o); err != nil {
				return nil, err
			}
		}
	}
	m := r.model(root)
	if r.err != nil {
		return nil, r.err
	}
	r.sameTags(root)
	r.refusedReferences(root)
	if !loose {
		folder, _, _ := strings.Cut(files[0].Path, "/")
		r.whole(root, folder+"/")
	}
	m.Notices = append(notices, r.notices...)
	m.Unread = r.unread.all
	return m, nil
}

// tmdlReader converts merged declarations into a model. It keeps the first error and
// continues with defaults.
type tmdlReader struct {
	err     error
	notices []Notice
	unread  unreadable
}

// sameTags adds a notice for each table, and each column, measure and hierarchy,
// whose lineage tag a sibling has too: the engine identifies them by it.
func (r *tmdlReader) sameTags(o *declared) {
	first := map[string]*declared{}
	for _, c := range o.children {
		switch c.keyword {
		case "table":
			r.sameTags(c)
		case "column", "measure", "hierarchy":
		default:
			continue
		}
		p, ok := c.property("lineageTag")
		if !ok || p.Value() == "" {
			continue
		}
		tag := strings.ToLower(p.Value())
		if other := first[tag]; other != nil {
			r.notices = append(r.notices, Notice{Source{p.file, p.Line}, p.Column, fmt.Sprintf(
				"the %s has the lineage tag of the %s (%s:%d); Power BI refuses two with the same: remove one of the tags", c, other,
				other.file, other.first.Line)})
			continue
		}
		first[tag] = c
	}
}

func (r *tmdlReader) model(root *declared) *Model {
	m := &Model{}
	for _, o := range root.children {
		switch o.keyword {
		case "model":
			m.Culture = o.text("culture")
			m.Annotations = o.values("annotation")
			m.ExplicitOnly = r.flag(o, "discourageImplicitMeasures", false)
		case "relationship":
			m.Relationships = append(m.Relationships, r.relationship(o))
		case "expression":
			m.Expressions = append(m.Expressions, o.name)
		case "function":
			m.Functions = append(m.Functions, Function{o.name, o.value()})
		}
	}
	for _, o := range root.inOrder("table") {
		m.Tables = append(m.Tables, r.table(o))
	}
	for _, o := range root.inOrder("cultureInfo") {
		m.Cultures = append(m.Cultures, r.culture(o))
	}
	for _, o := range root.inOrder("role") {
		m.Roles = append(m.Roles, o.name)
	}
	for _, o := range root.inOrder("perspective") {
		m.Perspectives = append(m.Perspectives, o.name)
	}
	return m
}

func (r *tmdlReader) table(o *declared) Table {
	t := Table{
		Name:         o.name,
		LineageTag:   o.text("lineageTag"),
		Description:  o.description(),
		DataCategory: o.text("dataCategory"),
		IsHidden:     r.flag(o, "isHidden", false),
		IsPrivate:    r.flag(o, "isPrivate", false),
		Annotations:  o.values("annotation"),
		Source:       o.source(),
	}
	for _, c := range o.children {
		switch c.keyword {
		case "column":
			t.Columns = append(t.Columns, r.column(c))
		case "measure":
			t.Measures = append(t.Measures, r.measure(c))
		case "hierarchy":
			t.Hierarchies = append(t.Hierarchies, r.hierarchy(c))
		case "partition":
			t.Partitions = append(t.Partitions, r.partition(c))
		case "calculationGroup":
			t.CalculationGroup = r.calculationGroup(c)
		case "calendar":
			t.Calendars = append(t.Calendars, c.name)
		}
	}
	return t
}

// rowNumberColumn is the name of the engine's row number column.
const rowNumberColumn = "RowNumber-2662979B-1795-4F74-8F37-6A1BA8059B61"

func (r *tmdlReader) column(o *declared) Column {
	return Column{
		Name:        o.name,
		LineageTag:  o.text("lineageTag"),
		Description: o.description(),
		DataType: dataType(r.enum(o, "dataType", "string", "boolean", "dateTime", "int64", "decimal", "double", "binary",
			"variant", "automatic", "unknown")),
		SummarizeBy:        r.enum(o, "summarizeBy", "default", "none", "sum", "min", "max", "count", "average", "distinctCount"),
		IsHidden:           r.flag(o, "isHidden", false),
		IsKey:              r.flag(o, "isKey", false),
		IsDefaultLabel:     r.flag(o, "isDefaultLabel", false),
		IsRowNumber:        canonical(o.text("type"), "rowNumber") == "rowNumber" || o.name == rowNumberColumn,
		SortByColumn:       r.reference(o, "sortByColumn"),
		DataCategory:       o.text("dataCategory"),
		FormatString:       o.text("formatString"),
		DisplayFolder:      o.text("displayFolder"),
		SourceColumn:       o.text("sourceColumn"),
		Expression:         o.value(),
		Annotations:        o.values("annotation"),
		ExtendedProperties: o.values("extendedProperty"),
		Source:             o.source(),
	}
}

func (r *tmdlReader) measure(o *declared) Measure {
	return Measure{
		Name:                   o.name,
		LineageTag:             o.text("lineageTag"),
		Description:            o.description(),
		Expression:             o.value(),
		FormatString:           o.text("formatString"),
		FormatStringDefinition: o.childValue("formatStringDefinition"),
		DisplayFolder:          o.text("displayFolder"),
		DataCategory:           o.text("dataCategory"),
		IsHidden:               r.flag(o, "isHidden", false),
		Annotations:            o.values("annotation"),
		Source:                 o.source(),
	}
}

func (r *tmdlReader) hierarchy(o *declared) Hierarchy {
	h := Hierarchy{Name: o.name, LineageTag: o.text("lineageTag"), Description: o.description(),
		IsHidden: r.flag(o, "isHidden", false), Source: o.source()}
	for _, c := range o.children {
		if c.keyword == "level" {
			h.Levels = append(h.Levels, Level{c.name, r.reference(c, "column"), c.text("lineageTag")})
		}
	}
	return h
}

func (r *tmdlReader) partition(o *declared) Partition {
	return Partition{
		Name:       o.name,
		SourceType: canonical(o.value(), "m", "calculated", "entity", "query", "policyRange", "calculationGroup", "inferred", "none"),
		Mode:       r.enum(o, "mode", "import", "directQuery", "default", "push", "dual", "directLake"),
		Expression: cmp.Or(o.text("source"), o.text("expression"), o.childValue("source")),
	}
}

func (r *tmdlReader) calculationGroup(o *declared) *CalculationGroup {
	g := &CalculationGroup{Precedence: r.number(o, "precedence")}
	for _, c := range o.children {
		if c.keyword == "calculationItem" {
			g.Items = append(g.Items, CalculationItem{
				Name: c.name, Description: c.description(), Expression: c.value(), Ordinal: r.number(c, "ordinal"), Source: c.source(),
			})
		}
	}
	return g
}

func (r *tmdlReader) relationship(o *declared) Relationship {
	rel := Relationship{
		Name:                   o.name,
		FromCardinality:        Cardinality(cmp.Or(r.enum(o, "fromCardinality", "one", "many"), string(Many))),
		ToCardinality:          Cardinality(cmp.Or(r.enum(o, "toCardinality", "one", "many"), string(One))),
		CrossFilteringBehavior: cmp.Or(r.enum(o, "crossFilteringBehavior", "oneDirection", "bothDirections", "automatic"), "oneDirection"),
		IsActive:               r.flag(o, "isActive", true),
		Annotations:            o.values("annotation"),
		Source:                 o.source(),
	}
	rel.FromTable, rel.FromColumn = r.columnReference(o, "fromColumn")
	rel.ToTable, rel.ToColumn = r.columnReference(o, "toColumn")
	return rel
}

func (r *tmdlReader) culture(o *declared) Culture {
	c := Culture{Name: o.name}
	if metadata := o.child("linguisticMetadata"); metadata != nil && metadata.value() != "" {
		content := []byte(metadata.valued.WrittenDefault())
		err := parseLinguistic(metadata.valuedIn, content, &c)
		if at, ok := err.(*jsonpart.Error); ok { //nolint:errorlint // readers return it unwrapped
			line, column := metadata.valued.DefaultAt()
			if at.Line <= 1 {
				at.Column = max(at.Column, 1) + column - 1
			}
			at.Line = max(at.Line, 1) + line - 1
		}
		r.unread.linguistic(metadata.valuedIn, content, err)
	}
	if translations := o.child("translations"); translations != nil {
		for _, t := range translations.children { // the tables stand next to the model
			if t.keyword != "table" {
				continue
			}
			c.caption(t.name, "", t.text("caption"))
			for _, f := range t.children {
				if f.keyword == "column" || f.keyword == "measure" {
					c.caption(t.name, f.name, f.text("caption"))
				}
			}
		}
	}
	return c
}

// caption adds a translated name; a blank one is none.
func (c *Culture) caption(table, name, text string) {
	if strings.TrimSpace(text) != "" {
		c.Captions = append(c.Captions, Caption{table, name, text})
	}
}

// reference returns the name that a property refers to, in the object's own table.
func (r *tmdlReader) reference(o *declared, name string) string {
	names := r.names(o, name)
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1]
}

// columnReference returns the table and the column that a property refers to; "" if
// the property is absent.
func (r *tmdlReader) columnReference(o *declared, name string) (table, column string) {
	names := r.names(o, name)
	if len(names) == 0 {
		return "", ""
	}
	if len(names) != 2 {
		r.fail(o, name, "refers to no column of a table; expected Table.Column, with names in single quotes if they contain a dot, as in "+
			"'Unit Sales'.'Order Date'")
		return "", ""
	}
	return names[0], names[1]
}

func (r *tmdlReader) names(o *declared, name string) []string {
	p, ok := o.property(name)
	if !ok {
		return nil
	}
	names, err := tmdl.SplitReference(p.Value())
	if err != nil {
		r.fail(o, name, "cannot be read: "+err.Error())
	}
	return names
}

func (r *tmdlReader) flag(o *declared, name string, absent bool) bool {
	p, ok := o.property(name)
	switch {
	case !ok:
		return absent
	case strings.EqualFold(p.Value(), "true"):
		return true
	case strings.EqualFold(p.Value(), "false"):
		return false
	}
	r.fail(o, name, "must be true or false")
	return absent
}

func (r *tmdlReader) number(o *declared, name string) int {
	p, ok := o.property(name)
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(p.Value())
	if err != nil {
		r.fail(o, name, "must be an integer")
	}
	return n
}

func (r *tmdlReader) fail(o *declared, name, message string) {
	if r.err == nil {
		p, _ := o.property(name)
		r.err = &tmdl.SyntaxError{File: p.file, Line: p.Line, Column: p.Column,
			Message: "the property " + p.Name + " of the " + o.String() + " " + message}
	}
}

// enum returns the value of a property in the spelling of the known values. An
// unknown one is returned as it is, with a notice.
func (r *tmdlReader) enum(o *declared, name string, known ...string) string {
	value := canonical(o.text(name), known...)
	if p, ok := o.property(name); ok && !slices.Contains(known, value) {
		r.notices = append(r.notices, Notice{Source{p.file, p.Line}, p.Column, fmt.Sprintf(
			"the property %s of the %s is %q, which Power BI does not know; it knows %s", p.Name, o, p.Value(), strings.Join(known, ", "))})
	}
	return value
}

func canonical(value string, known ...string) string {
	if i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, value) }); i >= 0 {
		return known[i]
	}
	return value
}
