package model

import (
	"slices"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/wording"
)

// structure computes TR, the facts and the date tables over all tables, hidden or not.
func (s *Snapshot) structure() {
	exposed := func(c *Column) bool { return s.Exposed[c.Index] }
	for _, t := range s.Tables {
		t.FieldParameter = t.calculated && slices.ContainsFunc(t.Columns, func(c *Column) bool {
			_, ok := c.Src.ExtendedProperties["ParameterMetadata"]
			return ok
		})
		t.HoldsMeasures = len(t.Measures) > 0 && holdsOnlyMeasures(t, exposed) &&
			!slices.ContainsFunc(t.Columns, func(c *Column) bool { return c.End })
		t.Starred = t.Src.CalculationGroup == nil && !t.FieldParameter && !t.HoldsMeasures
		if t.Starred {
			s.Starred++
		}
		if t.Fact() {
			s.Facts++
		}
		t.DateByName = t.Dimension() && DateWords.Meets(t.Words) &&
			slices.ContainsFunc(t.Columns, func(c *Column) bool { return c.Is(semanticmodel.DateTime) })
		t.Date = t.isDate()
	}
	for _, r := range s.Relationships {
		r.From.DateEnd = r.From.DateEnd || r.To.Table.Date
		r.To.DateEnd = r.To.DateEnd || r.From.Table.Date
		if r.Src.IsActive {
			r.From.ActiveDateEnd = r.From.ActiveDateEnd || r.To.Table.Date
			r.To.ActiveDateEnd = r.To.ActiveDateEnd || r.From.Table.Date
			r.From.Table.Dated = r.From.Table.Dated || r.To.Table.Date
			r.To.Table.Dated = r.To.Table.Dated || r.From.Table.Date
		}
	}
}

// DateWords are the words of a name that make a dimension with a dateTime column a date table.
var DateWords = wording.SetOf("date,dates,calendar,calendario,calendário,calendrier,kalender,kalendarz,fecha,fechas," +
	"dcalendario,dcalendário,dcalendar,dimdate,dimcalendar")

// Disconnected reports whether TR has at least two tables and no active relationship
// connects two of them.
func (s *Snapshot) Disconnected() bool {
	return s.Starred >= 2 && !slices.ContainsFunc(s.Relationships, func(r *Relationship) bool {
		return r.Src.IsActive && r.Between() && r.From.Table != r.To.Table
	})
}

// IsCalculated reports whether an expression computes a partition.
func IsCalculated(p semanticmodel.Partition) bool { return p.SourceType == "calculated" }
