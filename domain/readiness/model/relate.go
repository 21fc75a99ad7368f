package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/wording"
)

// Activates reports whether a USERELATIONSHIP names both ends of a relationship.
func (x *Scope) Activates(r *Relationship) bool {
	from, to := &r.From.Object, &r.To.Object
	return x.activated[[2]*Object{from, to}] || x.activated[[2]*Object{to, from}]
}

// QuotedColumn returns a column as DAX names it, cut for display.
func QuotedColumn(c *Column) string {
	return wording.Quoted(c.Table.Src.Name) + "[" + wording.Shown(c.Name, wording.ShownName) + "]"
}

// Broken is a relationship with an end that the model lacks.
type Broken struct {
	Object
	From, To *Table // nil if missing
	Missing  []string
}

// IsAutoDate reports whether the engine made a table for automatic date hierarchies.
func IsAutoDate(t *semanticmodel.Table) bool {
	if strings.HasPrefix(t.Name, "LocalDateTable_") || strings.HasPrefix(t.Name, "DateTableTemplate_") {
		return true
	}
	_, local := t.Annotations["__PBI_LocalDateTable"]
	_, template := t.Annotations["__PBI_TemplateDateTable"]
	return local || template
}

// relate keeps the relationships whose two columns exist.
func (s *Snapshot) relate() {
	for i := range s.Src.Relationships {
		r := &s.Src.Relationships[i]
		from, to := s.Names.Column(r.FromTable, r.FromColumn), s.Names.Column(r.ToTable, r.ToColumn)
		if from == nil || to == nil {
			continue
		}
		rel := &Relationship{Src: r, From: from, To: to}
		label := columnLabel(from) + " -> " + columnLabel(to)
		rel.Object = Object{Kind: RelationshipKind, ObjectType: finding.RelationshipObject, Index: -1, Table: from.Table, Name: label}
		s.Relationships = append(s.Relationships, rel)
		from.join(r.IsActive, rel.FromMany(), rel.ToMany())
		to.join(r.IsActive, rel.ToMany(), rel.FromMany())
		if r.IsActive {
			join(from.Table, rel.FromMany(), rel.ToMany())
			join(to.Table, rel.ToMany(), rel.FromMany())
			from.Table.Active++
			if to.Table != from.Table {
				to.Table.Active++
			}
		}
	}
	slices.SortStableFunc(s.Relationships, func(a, b *Relationship) int {
		return cmp.Or(a.Compare(&b.Object), strings.Compare(a.properties(), b.properties()))
	})
}

// properties returns what rules read of a relationship, as a text that orders those between the same columns.
func (r *Relationship) properties() string {
	return fmt.Sprint(r.Src.IsActive, r.Src.FromCardinality, r.Src.ToCardinality, r.Src.CrossFilteringBehavior)
}

// join records a relationship of a column. many and otherMany say which sides are many.
func (c *Column) join(active, many, otherMany bool) {
	c.Key, c.End = true, true
	c.ManySide, c.OneSide = c.ManySide || many, c.OneSide || !many
	c.ManyOfInactive = c.ManyOfInactive || !active && many
	c.ManyOfOne = c.ManyOfOne || active && many && !otherMany
	c.ManyOfMany = c.ManyOfMany || active && many && otherMany
	c.OneOfActive = c.OneOfActive || active && !many
	c.oneOfMany = c.oneOfMany || active && !many && otherMany
}

// join records an active relationship of a table. many and otherMany say which sides
// are many.
func join(t *Table, many, otherMany bool) {
	t.Related = true
	t.manyToOne = t.manyToOne || many && !otherMany
	t.OneSide = t.OneSide || !many
	if !many {
		t.OneSides++
	}
}

// columnLabel returns a column as a relationship's label shows it, unquoted.
func columnLabel(c *Column) string { return c.Table.Src.Name + "[" + c.Name + "]" }
