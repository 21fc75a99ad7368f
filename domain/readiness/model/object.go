package model

import (
	"cmp"
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/wording"
)

// Kind is the order of the objects of a table.
type Kind int

// The kinds of objects.
const (
	TableKind Kind = iota
	ColumnKind
	MeasureKind
	itemKind // calculation items
	RelationshipKind
	OtherKind // verified answers, the model, a data agent and its sources
)

// Object is anything a rule judges.
type Object struct {
	Kind        Kind
	ObjectType  finding.ObjectType
	Index       int    // in Snapshot.Objects; -1 for an object without usage
	Table       *Table // the home table, the table itself or the from-table; nil for other objects
	Name        string // the finding's object_name; "" for a table
	Alias       string // another object_name by which it can be ignored, or ""
	Description string // trimmed
	Norm        string // of the name (for a table, its own name)
	Words       []string
	Terms       []string // authored synonyms under norm, without duplicates and without the name
	visibility  string   // in the AI data schema
	Hidden      bool
}

// Base returns the object. With it every type that embeds an Object is Judged.
func (o *Object) Base() *Object { return o }

// Key returns the key that findings use, without a source.
func (o *Object) Key() finding.Key {
	k := finding.Key{ObjectName: o.Name}
	if o.Table != nil {
		k.Table = o.Table.Src.Name
	}
	return k
}

// Compare orders objects as the regime does: by table, kind and name.
func (o *Object) Compare(p *Object) int {
	return cmp.Or(
		strings.Compare(o.Key().Table, p.Key().Table),
		cmp.Compare(o.Kind, p.Kind),
		strings.Compare(o.Name, p.Name),
	)
}

// Table is a table after dropping, with its part in the star schema.
type Table struct {
	Object
	Src         *semanticmodel.Table
	calculated  bool // a partition of it is
	Columns     []*Column
	Measures    []*Measure
	Hierarchies []*Hierarchy
	Items       []*item

	// Structure, independent of exposure.
	Starred        bool // in TR: not a calculation group, field parameter or measure table
	FieldParameter bool
	HoldsMeasures  bool // and no rows to ask for
	Related        bool // in an active relationship
	manyToOne      bool // on the many side of an active many-to-one relationship
	OneSide        bool // on the one side of an active relationship
	Active         int  // how many active relationships it is in
	OneSides       int  // of how many active relationships it is on the one side
	Date           bool
	DateByName     bool
	Dated          bool // in an active relationship with a date table
}

// Fact reports whether the table is a fact: on the many side only.
func (t *Table) Fact() bool { return t.Starred && t.manyToOne && !t.OneSide }

// Dimension reports whether the table is on the one side of an active relationship.
func (t *Table) Dimension() bool { return t.Starred && t.OneSide }

// MarkedAsDate reports whether the definition declares the table a date table: it is marked, or has a calendar.
func (t *Table) MarkedAsDate() bool {
	return strings.EqualFold(t.Src.DataCategory, "Time") || len(t.Src.Calendars) > 0
}

// Column is a column, with its part in relationships.
type Column struct {
	Object
	Src      *semanticmodel.Column
	DataType semanticmodel.DataType
	Key      bool // an end of a relationship, or isKey
	End      bool // of any relationship
	ManySide bool // of any relationship
	OneSide  bool // of any relationship
	Used     bool // by a measure, hidden or not, or a calculation item, directly
	// Sides of active relationships: ManyOfOne and ManyOfMany are the many side where the
	// other is one or many, oneOfMany the one side where the other is many.
	ManyOfOne, ManyOfMany, oneOfMany, OneOfActive bool

	ManyOfInactive bool // on the many side of an inactive relationship

	DateEnd, ActiveDateEnd bool // of a relationship, of an active one, with a date table
}

// Is reports whether the column has one of the data types.
func (c *Column) Is(types ...semanticmodel.DataType) bool {
	return slices.Contains(types, c.DataType)
}

// Numeric reports whether the column holds numbers.
func (c *Column) Numeric() bool {
	return c.Is(semanticmodel.Int64, semanticmodel.Decimal, semanticmodel.Double)
}

// Calculated reports whether the column has an expression.
func (c *Column) Calculated() bool { return wording.Length(c.Src.Expression) > 0 }

// Summed reports whether the column is summarized unless a measure says otherwise.
func (c *Column) Summed() bool { return c.Src.SummarizeBy != "none" }

// Measure is a measure with what it refers to.
type Measure struct {
	Object
	Src  *semanticmodel.Measure
	Refs []*Object // the columns and measures it refers to directly, without duplicates, in object order
	Own  bool      // whether it refers to a column of the same table without naming the table
}

// item is a calculation item.
type item struct {
	Object
	Src  *semanticmodel.CalculationItem
	Refs []*Object // as those of a measure
}

// Hierarchy is a hierarchy of a table. No rule judges it by itself.
type Hierarchy struct {
	Object
	Src     *semanticmodel.Hierarchy
	Exposed bool // by the rule for columns
}

// Relationship is a relationship whose two columns exist. Its Table is that of From.
type Relationship struct {
	Object
	Src      *semanticmodel.Relationship
	From, To *Column
}

// FromMany reports whether the from-column is on a many side.
func (r *Relationship) FromMany() bool { return r.Src.FromCardinality != semanticmodel.One }

// ToMany reports whether the to-column is on a many side.
func (r *Relationship) ToMany() bool { return r.Src.ToCardinality == semanticmodel.Many }

// Between reports whether both ends are in TR.
func (r *Relationship) Between() bool { return r.From.Table.Starred && r.To.Table.Starred }

// Answer is a verified answer.
type Answer struct {
	Object
	Src *semanticmodel.VerifiedAnswer
}

func newObject(k Kind, typ finding.ObjectType, t *Table, name, description string, hidden bool) Object {
	return Object{
		Kind: k, ObjectType: typ, Table: t, Name: name, Description: strings.TrimSpace(description),
		Norm: wording.Norm(name), Words: wording.Words(name), Hidden: hidden,
	}
}

// SubjectOf returns what identifies a table, column or measure among the objects of its model.
func SubjectOf(o *Object) finding.Subject {
	return finding.Subject{Type: o.ObjectType, Table: o.Table.Src.Name, Name: o.Name}
}

// ItemColumn returns the column with the names of a calculation group's items: the one
// with source column Name, else the only text column; nil when there is none.
func ItemColumn(t *Table) *Column {
	var text []*Column
	for _, c := range t.Columns {
		if c.Src.SourceColumn == "Name" {
			return c
		}
		if c.Is(semanticmodel.String) {
			text = append(text, c)
		}
	}
	if len(text) == 1 {
		return text[0]
	}
	return nil
}

// Label returns the object's own name, for a table as well.
func (o *Object) Label() string {
	if o.Kind == TableKind {
		return o.Table.Src.Name
	}
	return o.Name
}

// Judged is an object that a rule judges.
type Judged interface{ Base() *Object }

// Title names an object at the start of a message.
func Title(o *Object) string {
	name := wording.Shown(o.Name, wording.ShownName)
	switch o.ObjectType {
	case finding.TableObject:
		return "Table " + wording.Quoted(o.Table.Src.Name)
	case finding.ColumnObject:
		return "Column " + wording.Quoted(o.Table.Src.Name) + "[" + name + "]"
	case finding.MeasureObject:
		return "Measure [" + name + "]"
	case finding.CalculationItemObject:
		return "Calculation item " + name + " of " + wording.Quoted(o.Table.Src.Name)
	case finding.HierarchyObject:
		return "Hierarchy " + wording.Quoted(o.Table.Src.Name) + "[" + name + "]"
	case finding.RoleObject:
		return "Role " + wording.Quoted(o.Name)
	case finding.PartitionObject:
		return "Partition " + strings.TrimPrefix(name, "partition=") + " of " + wording.Quoted(o.Table.Src.Name)
	case finding.PerspectiveObject:
		return "Perspective " + strings.TrimPrefix(name, "perspective=")
	case finding.RelationshipObject:
		return "Relationship " + wording.Shown(o.Name, 2*wording.ShownName)
	case finding.VerifiedAnswerObject:
		return "Verified answer " + wording.Quoted(o.Name)
	case finding.SourceObject:
		return "Source " + wording.Quoted(o.Name)
	case finding.DataAgentObject:
		return "The data agent"
	case finding.ModelObject:
	}
	return "The model"
}
