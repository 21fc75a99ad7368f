package model

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/wording"
)

// Snapshot is a model after dropping, in object order, with everything
// that does not depend on the consumer.
type Snapshot struct {
	Src *semanticmodel.Model
	// Written is Src without the bodies of functions in place of calls.
	Written       *semanticmodel.Model
	Tables        []*Table
	Columns       []*Column
	Measures      []*Measure
	Objects       []*Object // tables, columns and measures
	Relationships []*Relationship
	Answers       []*Answer
	Starred       int // count(TR)
	Facts         int
	HasDateTime   bool // a column is dateTime
	AutoDate      bool // the model had an auto-date table

	// What measures, hidden or not, and calculation items call.
	TimeIntelligence bool
	activated        map[[2]*Object]bool // pairs of columns that USERELATIONSHIP names
	valued           map[*Object]bool    // what is named for its values, not only to switch a relationship
	Automatic        []*Column           // dates whose automatic tables are named, in order of appearance

	Configured bool   // whether the AI data schema is configured
	Exposed    []bool // the exposed set X of the model, by Object.Index

	Instructions string // "" when absent or blank
	Names        *names
	ByNorm       map[Ref]*Object
	byName       map[string][]*Object // what a bare name under norm means; see called
	named        map[string]bool      // norms of column and measure names
}

// Ref identifies a field in look-ups, either under norm or in lower case.
type Ref struct{ Table, Field string }

// NewContent returns the tables of a model after dropping, with what is in them.
func NewContent(m *semanticmodel.Model) *Snapshot {
	m = withoutUnseen(m)
	s := &Snapshot{Src: m, ByNorm: map[Ref]*Object{}, named: map[string]bool{}, activated: map[[2]*Object]bool{}, valued: map[*Object]bool{}}
	for i := range m.Tables {
		switch t := &m.Tables[i]; {
		case IsAutoDate(t):
			s.AutoDate = true
		case !t.IsPrivate:
			s.Tables = append(s.Tables, NewTable(t))
		}
	}
	slices.SortStableFunc(s.Tables, func(a, b *Table) int { return a.Compare(&b.Object) })
	for _, t := range s.Tables {
		s.add(&t.Object)
		for _, c := range t.Columns {
			s.add(&c.Object)
			s.Columns = append(s.Columns, c)
			s.HasDateTime = s.HasDateTime || c.Is(semanticmodel.DateTime)
		}
		for _, m := range t.Measures {
			s.add(&m.Object)
			s.Measures = append(s.Measures, m)
		}
	}
	return s
}

// NewSnapshot reads a model as a regime does, with its references, structure and exposure.
func NewSnapshot(m *semanticmodel.Model) *Snapshot {
	s := NewContent(m.Inlined())
	s.Written, m = m, s.Src
	s.Names = newNames(s)
	s.relate()
	s.Expose()
	for _, m := range s.Measures {
		m.Refs, m.Own = s.read(m.Src.Expression, m.Table)
		s.use(m.Refs)
	}
	for _, t := range s.Tables {
		for _, i := range t.Items {
			i.Refs, _ = s.read(i.Src.Expression, nil)
			s.use(i.Refs)
		}
	}
	s.structure()
	for i := range m.Copilot.VerifiedAnswers {
		a := &m.Copilot.VerifiedAnswers[i]
		s.Answers = append(s.Answers, &Answer{Object{Kind: OtherKind, ObjectType: finding.VerifiedAnswerObject, Index: -1, Name: a.Folder},
			a})
	}
	slices.SortStableFunc(s.Answers, func(a, b *Answer) int { return a.Compare(&b.Object) })
	s.synonyms()
	if text := instructions(m); wording.Length(text) > 0 {
		s.Instructions = text
	}
	return s
}

func (s *Snapshot) use(refs []*Object) {
	for _, o := range refs {
		if c := s.Names.Columns[o.Index]; c != nil {
			c.Used = true
		}
	}
}

// add appends an object. When two have the same name under norm, look-ups find the
// first.
func (s *Snapshot) add(o *Object) {
	o.Index = len(s.Objects)
	s.Objects = append(s.Objects, o)
	if o.Kind == TableKind {
		return
	}
	s.named[o.Norm] = true
	if r := (Ref{o.Table.Norm, o.Norm}); s.ByNorm[r] == nil {
		s.ByNorm[r] = o
	}
}

// NewTable returns a table with what is in it, before it is related to others.
func NewTable(src *semanticmodel.Table) *Table {
	t := &Table{Src: src, calculated: slices.ContainsFunc(src.Partitions, IsCalculated)}
	t.Object = newObject(TableKind, finding.TableObject, t, src.Name, src.Description, src.IsHidden)
	t.Name = ""
	typeOf := inferredTypes(src)
	for i := range src.Columns {
		if c := &src.Columns[i]; !c.IsRowNumber {
			t.Columns = append(t.Columns, &Column{
				Object: newObject(ColumnKind, finding.ColumnObject, t, c.Name, c.Description, c.IsHidden || src.IsHidden),
				Src:    c, DataType: typeOf(c), Key: c.IsKey,
			})
		}
	}
	for i := range src.Measures {
		m := &src.Measures[i]
		t.Measures = append(t.Measures, &Measure{
			Object: newObject(MeasureKind, finding.MeasureObject, t, m.Name, m.Description, m.IsHidden || src.IsHidden),
			Src:    m,
		})
	}
	for i := range src.Hierarchies {
		h := &src.Hierarchies[i]
		o := newObject(OtherKind, finding.HierarchyObject, t, h.Name, h.Description, h.IsHidden || src.IsHidden)
		o.Index = -1
		t.Hierarchies = append(t.Hierarchies, &Hierarchy{Object: o, Src: h})
	}
	slices.SortStableFunc(t.Columns, func(a, b *Column) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(t.Measures, func(a, b *Measure) int { return strings.Compare(a.Name, b.Name) })
	t.addItems()
	return t
}

// addItems adds the calculation items, named after the column of the group that lists
// them.
func (t *Table) addItems() {
	if t.Src.CalculationGroup == nil {
		return
	}
	column := ""
	if c := ItemColumn(t); c != nil {
		column = c.Name
	}
	for i := range t.Src.CalculationGroup.Items {
		src := &t.Src.CalculationGroup.Items[i]
		o := newObject(itemKind, finding.CalculationItemObject, t, column+`="`+src.Name+`"`, src.Description, t.Hidden)
		o.Index = -1
		t.Items = append(t.Items, &item{Object: o, Src: src})
	}
	slices.SortStableFunc(t.Items, func(a, b *item) int { return strings.Compare(a.Name, b.Name) })
}

// instructions returns the AI instructions: the Copilot part, else those of the default
// culture, else those of the first culture by name that has any.
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
