package readiness

import (
	"slices"

	"readiness/definition/semanticmodel"
)

// structure computes TR, the facts and the date tables over all tables, hidden or not
// (docs/regime.md C.9 (7, 8)).
func (s *snapshot) structure() {
	exposed := func(c *column) bool { return s.exposed[c.index] }
	for _, t := range s.tables {
		t.fieldParameter = t.calculated && slices.ContainsFunc(t.columns, func(c *column) bool {
			_, ok := c.src.ExtendedProperties["ParameterMetadata"]
			return ok
		})
		measureTable := len(t.measures) > 0 && !slices.ContainsFunc(t.columns, func(c *column) bool { return c.end }) && s.holdsMeasures(t,
			exposed)
		t.starred = t.src.CalculationGroup == nil && !t.fieldParameter && !measureTable
		if t.starred {
			s.starred++
		}
		if t.fact() {
			s.facts++
		}
		t.dateByName = t.dimension() && dateWords.meets(t.words) &&
			slices.ContainsFunc(t.columns, func(c *column) bool { return c.is(semanticmodel.DateTime) })
		t.date = s.isDate(t)
	}
	for _, r := range s.relationships {
		r.from.dateEnd = r.from.dateEnd || r.to.table.date
		r.to.dateEnd = r.to.dateEnd || r.from.table.date
		if r.src.IsActive {
			r.from.table.dated = r.from.table.dated || r.to.table.date
			r.to.table.dated = r.to.table.dated || r.from.table.date
		}
	}
}

var dateWords = setOf("date,dates,calendar")

// disconnected reports whether TR has at least two tables and no active relationship
// connects two of them.
func (s *snapshot) disconnected() bool {
	return s.starred >= 2 && !slices.ContainsFunc(s.relationships, func(r *relationship) bool {
		return r.src.IsActive && r.between() && r.from.table != r.to.table
	})
}

func isCalculated(p semanticmodel.Partition) bool { return p.SourceType == "calculated" }
