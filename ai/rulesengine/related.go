package rulesengine

import (
	"fmt"
	"slices"
	"strings"

	"readiness/domain/benchmark/modelquery"
)

// unrelated returns why the columns of the query cannot divide one of its measures: no relationship leads from their
// table to a table that the measure reads, so that every group would show the same value.
func (d *draft) unrelated() string {
	columns := slices.Clone(d.query.Groupings)
	for _, f := range d.query.Filters {
		if d.engine.lexicon.find(FieldRef(f.Field), false) != nil && !slices.Contains(d.query.Measures, f.Field) {
			columns = append(columns, f.Field)
		}
	}
	for _, m := range d.query.Measures {
		over := []string{m.Table}
		if !slices.ContainsFunc(d.defined, func(own defined) bool { return own.named == m }) {
			f := d.engine.lexicon.find(FieldRef(m), true)
			if f == nil {
				continue
			}
			over = f.over
		}
		for _, c := range columns {
			if !d.engine.filters(c.Table, over) {
				return fmt.Sprintf("nothing relates %s to %s", shorten(columnText(c)), shorten(defined{named: m}.String()))
			}
		}
	}
	return ""
}

func columnText(c modelquery.Field) string { return "'" + c.Table + "'[" + c.Name + "]" }

// filters reports whether a filter on a table reaches every one of others, or whether that is not known.
func (e *Engine) filters(table string, others []string) bool {
	for _, other := range others {
		by := e.filteredBy[strings.ToLower(other)]
		if len(by) > 0 && !slices.ContainsFunc(by, func(t string) bool { return strings.EqualFold(t, table) }) {
			return false
		}
	}
	return true
}
