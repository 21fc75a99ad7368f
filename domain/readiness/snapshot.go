package readiness

import (
	"cmp"
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
)

// kind is the order of the objects of a table (docs/regime.md C.2).
type kind int

const (
	tableKind kind = iota
	columnKind
	measureKind
	itemKind // calculation items
	relationshipKind
	otherKind // verified answers, the model, a data agent and its sources
)

// object is anything a rule judges.
type object struct {
	kind        kind
	objectType  ObjectType
	index       int    // in snapshot.objects; -1 for an object without usage of its own
	table       *table // the home table, the table itself or the from-table; nil for other objects
	name        string // the finding's object_name; "" for a table
	alias       string // another object_name by which it can be ignored, or ""
	description string // trimmed
	norm        string // of the name (for a table, its own name)
	words       []string
	terms       []string // authored synonyms under norm, without duplicates and without the name
	visibility  string   // in the AI data schema
	hidden      bool
}

func (o *object) base() *object { return o }

func (o *object) key() Key {
	k := Key{ObjectName: o.name}
	if o.table != nil {
		k.Table = o.table.src.Name
	}
	return k
}

// compare orders objects as the regime does: by table, kind and name (docs/regime.md C.2).
func (o *object) compare(p *object) int {
	return cmp.Or(
		strings.Compare(o.key().Table, p.key().Table),
		cmp.Compare(o.kind, p.kind),
		strings.Compare(o.name, p.name),
	)
}

type table struct {
	object
	src         *semanticmodel.Table
	calculated  bool // a partition of it is
	columns     []*column
	measures    []*measure
	hierarchies []*hierarchy
	items       []*item

	// Structure, independent of exposure (docs/regime.md C.9 (7, 8)).
	starred        bool // in TR: not a calculation group, field parameter or measure table
	fieldParameter bool
	related        bool // in an active relationship
	manyToOne      bool // on the many side of an active many-to-one relationship
	oneSide        bool // on the one side of an active relationship
	active         int  // how many active relationships it is in
	oneSides       int  // of how many active relationships it is on the one side
	date           bool
	dateByName     bool
	dated          bool // in an active relationship with a date table
}

func (t *table) fact() bool      { return t.starred && t.manyToOne && !t.oneSide }
func (t *table) dimension() bool { return t.starred && t.oneSide }

func (t *table) markedAsDate() bool { return strings.EqualFold(t.src.DataCategory, "Time") }

type column struct {
	object
	src      *semanticmodel.Column
	dataType semanticmodel.DataType
	key      bool // an end of a relationship, or isKey
	end      bool // of any relationship
	manySide bool // of any relationship
	oneSide  bool // of any relationship
	used     bool // by a measure, hidden or not, directly
	// Sides of active relationships: manyOfOne and manyOfMany are the many side where the
	// other is one or many, oneOfMany the one side where the other is many.
	manyOfOne, manyOfMany, oneOfMany, oneOfActive bool

	manyOfInactive bool // on the many side of an inactive relationship

	dateEnd bool // of a relationship with a date table
}

func (c *column) is(types ...semanticmodel.DataType) bool {
	return slices.Contains(types, c.dataType)
}

func (c *column) numeric() bool {
	return c.is(semanticmodel.Int64, semanticmodel.Decimal, semanticmodel.Double)
}

func (c *column) calculated() bool { return length(c.src.Expression) > 0 }

func (c *column) summed() bool { return c.src.SummarizeBy != "none" }

type measure struct {
	object
	src  *semanticmodel.Measure
	refs []*object // the columns and measures it refers to directly, without duplicates, in object order
	own  bool      // whether it refers to a column of its own table without naming the table
}

// item is a calculation item.
type item struct {
	object
	src *semanticmodel.CalculationItem
}

type hierarchy struct {
	object
	src     *semanticmodel.Hierarchy
	exposed bool // by the rule for columns
}

type relationship struct {
	object
	src      *semanticmodel.Relationship
	from, to *column
}

func (r *relationship) fromMany() bool { return r.src.FromCardinality != semanticmodel.One }
func (r *relationship) toMany() bool   { return r.src.ToCardinality == semanticmodel.Many }

// between reports whether both ends are in TR.
func (r *relationship) between() bool { return r.from.table.starred && r.to.table.starred }

type answer struct {
	object
	src *semanticmodel.VerifiedAnswer
}

// snapshot is a model after dropping (docs/regime.md C.1), in object order, with everything
// that does not depend on the consumer.
type snapshot struct {
	reading
	src           *semanticmodel.Model
	tables        []*table
	columns       []*column
	measures      []*measure
	objects       []*object // tables, columns and measures
	relationships []*relationship
	answers       []*answer
	starred       int // count(TR)
	facts         int
	hasDateTime   bool // a column is dateTime
	autoDate      bool // the model had an auto-date table

	// What measures, hidden or not, and calculation items call.
	timeIntelligence bool
	activated        map[[2]*object]bool // pairs of columns that USERELATIONSHIP names

	configured bool   // whether the AI data schema is configured
	exposed    []bool // the exposed set X of the model, by object.index

	instructions string // "" when absent or blank
	names        *names
	byNorm       map[ref]*object
	byName       map[string][]*object // what a bare name under norm means; see called
	named        map[string]bool      // norms of column and measure names
}

// ref identifies a field in look-ups, either under norm or in lower case.
type ref struct{ table, field string }

func isAutoDate(t *semanticmodel.Table) bool {
	if strings.HasPrefix(t.Name, "LocalDateTable_") || strings.HasPrefix(t.Name, "DateTableTemplate_") {
		return true
	}
	_, local := t.Annotations["__PBI_LocalDateTable"]
	_, template := t.Annotations["__PBI_TemplateDateTable"]
	return local || template
}

// newContent returns the tables of a model after dropping, with what is in them.
func newContent(m *semanticmodel.Model, by reading) *snapshot {
	m = by.seen(m)
	s := &snapshot{reading: by, src: m, byNorm: map[ref]*object{}, named: map[string]bool{}, activated: map[[2]*object]bool{}}
	for i := range m.Tables {
		switch t := &m.Tables[i]; {
		case isAutoDate(t):
			s.autoDate = true
		case !t.IsPrivate:
			s.tables = append(s.tables, newTable(t, by))
		}
	}
	slices.SortStableFunc(s.tables, func(a, b *table) int { return a.compare(&b.object) })
	for _, t := range s.tables {
		s.add(&t.object)
		for _, c := range t.columns {
			s.add(&c.object)
			s.columns = append(s.columns, c)
			s.hasDateTime = s.hasDateTime || c.is(semanticmodel.DateTime)
		}
		for _, m := range t.measures {
			s.add(&m.object)
			s.measures = append(s.measures, m)
		}
	}
	return s
}

func newSnapshot(m *semanticmodel.Model, by reading) *snapshot {
	s := newContent(m, by)
	m = s.src
	s.names = newNames(s)
	s.relate()
	s.expose()
	for _, m := range s.measures {
		m.refs, m.own = s.read(m.src.Expression, m.table)
		for _, o := range m.refs {
			if c := s.names.columns[o.index]; c != nil {
				c.used = true
			}
		}
	}
	s.structure()
	for _, t := range s.tables {
		for _, i := range t.items {
			s.read(i.src.Expression, nil)
		}
	}
	for i := range m.Copilot.VerifiedAnswers {
		a := &m.Copilot.VerifiedAnswers[i]
		s.answers = append(s.answers, &answer{object{kind: otherKind, objectType: VerifiedAnswerObject, index: -1, name: a.Folder}, a})
	}
	slices.SortStableFunc(s.answers, func(a, b *answer) int { return a.compare(&b.object) })
	s.synonyms()
	if text := instructions(m); length(text) > 0 {
		s.instructions = text
	}
	return s
}

// add appends an object. When two have the same name under norm, look-ups find the
// first.
func (s *snapshot) add(o *object) {
	o.index = len(s.objects)
	s.objects = append(s.objects, o)
	if o.kind == tableKind {
		return
	}
	s.named[o.norm] = true
	if r := (ref{o.table.norm, o.norm}); s.byNorm[r] == nil {
		s.byNorm[r] = o
	}
}

func newTable(src *semanticmodel.Table, by reading) *table {
	t := &table{src: src, calculated: slices.ContainsFunc(src.Partitions, isCalculated)}
	t.object = newObject(tableKind, TableObject, t, src.Name, src.Description, src.IsHidden)
	t.name = ""
	for i := range src.Columns {
		if c := &src.Columns[i]; !c.IsRowNumber {
			t.columns = append(t.columns, &column{
				object: newObject(columnKind, ColumnObject, t, c.Name, c.Description, c.IsHidden || src.IsHidden),
				src:    c, dataType: by.dataType(src, c), key: c.IsKey,
			})
		}
	}
	for i := range src.Measures {
		m := &src.Measures[i]
		t.measures = append(t.measures, &measure{
			object: newObject(measureKind, MeasureObject, t, m.Name, m.Description, m.IsHidden || src.IsHidden),
			src:    m,
		})
	}
	for i := range src.Hierarchies {
		h := &src.Hierarchies[i]
		o := newObject(otherKind, "", t, h.Name, h.Description, h.IsHidden || src.IsHidden)
		o.index = -1
		t.hierarchies = append(t.hierarchies, &hierarchy{object: o, src: h})
	}
	slices.SortStableFunc(t.columns, func(a, b *column) int { return strings.Compare(a.name, b.name) })
	slices.SortStableFunc(t.measures, func(a, b *measure) int { return strings.Compare(a.name, b.name) })
	t.addItems()
	return t
}

// addItems adds the calculation items, named after the column of the group that lists
// them.
func (t *table) addItems() {
	if t.src.CalculationGroup == nil {
		return
	}
	column := ""
	if c := itemColumn(t); c != nil {
		column = c.name
	}
	for i := range t.src.CalculationGroup.Items {
		src := &t.src.CalculationGroup.Items[i]
		o := newObject(itemKind, CalculationItemObject, t, column+`="`+src.Name+`"`, src.Description, t.hidden)
		o.index = -1
		t.items = append(t.items, &item{o, src})
	}
	slices.SortStableFunc(t.items, func(a, b *item) int { return strings.Compare(a.name, b.name) })
}

func newObject(k kind, typ ObjectType, t *table, name, description string, hidden bool) object {
	return object{
		kind: k, objectType: typ, table: t, name: name, description: strings.TrimSpace(description),
		norm: norm(name), words: words(name), hidden: hidden,
	}
}

// relate keeps the relationships whose two columns exist (docs/regime.md C.9 (6)).
func (s *snapshot) relate() {
	for i := range s.src.Relationships {
		r := &s.src.Relationships[i]
		from, to := s.names.column(r.FromTable, r.FromColumn), s.names.column(r.ToTable, r.ToColumn)
		if from == nil || to == nil {
			continue
		}
		rel := &relationship{src: r, from: from, to: to}
		label := columnLabel(from) + " -> " + columnLabel(to)
		rel.object = object{kind: relationshipKind, objectType: RelationshipObject, index: -1, table: from.table, name: label}
		s.relationships = append(s.relationships, rel)
		from.join(r.IsActive, rel.fromMany(), rel.toMany())
		to.join(r.IsActive, rel.toMany(), rel.fromMany())
		if r.IsActive {
			join(from.table, rel.fromMany(), rel.toMany())
			join(to.table, rel.toMany(), rel.fromMany())
			from.table.active++
			if to.table != from.table {
				to.table.active++
			}
		}
	}
	slices.SortStableFunc(s.relationships, func(a, b *relationship) int { return a.compare(&b.object) })
}

// join records a relationship of a column. many and otherMany say which sides are many.
func (c *column) join(active, many, otherMany bool) {
	c.key, c.end = true, true
	c.manySide, c.oneSide = c.manySide || many, c.oneSide || !many
	c.manyOfInactive = c.manyOfInactive || !active && many
	c.manyOfOne = c.manyOfOne || active && many && !otherMany
	c.manyOfMany = c.manyOfMany || active && many && otherMany
	c.oneOfActive = c.oneOfActive || active && !many
	c.oneOfMany = c.oneOfMany || active && !many && otherMany
}

// join records an active relationship of a table. many and otherMany say which sides
// are many.
func join(t *table, many, otherMany bool) {
	t.related = true
	t.manyToOne = t.manyToOne || many && !otherMany
	t.oneSide = t.oneSide || !many
	if !many {
		t.oneSides++
	}
}

// columnLabel returns a column as a relationship's label shows it, unquoted.
func columnLabel(c *column) string { return c.table.src.Name + "[" + c.name + "]" }

// instructions returns the AI instructions: the Copilot part, else those of the default
// culture, else those of the first culture by name that has any (docs/regime.md C.9 (5)).
func instructions(m *semanticmodel.Model) string {
	if m.Copilot.Instructions != nil {
		return *m.Copilot.Instructions
	}
	var first *semanticmodel.Culture
	for i := range m.Cultures {
		c := &m.Cultures[i]
		switch {
		case c.CustomInstructions == nil:
		case c.Name == m.Culture:
			return *c.CustomInstructions
		case first == nil || c.Name < first.Name:
			first = c
		}
	}
	if first == nil {
		return ""
	}
	return *first.CustomInstructions
}
