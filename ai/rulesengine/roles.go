package rulesengine

import (
	"fmt"
	"slices"
	"strings"

	"readiness/ai/rulesengine/wording"
)

// roles settles the role of each mention, measures first, because the choice of columns may depend on
// them.
func (q *question) roles(d *draft, r *rank) string {
	var columns []*mention
	by := q.rankedBy(r)
	var sold *mention
	for k := range q.mentions {
		m := &q.mentions[k]
		if m.used {
			continue
		}
		isMeasure := q.namesMeasure(m, m == by)
		if !isMeasure {
			if isMeasure = q.aggregatedByDefault(m, d); isMeasure && q.qualified(k) {
				return fmt.Sprintf("I do not know how %q and %q go together", shorten(q.text(q.mentions[k-1].run)), shorten(q.text(m.run)))
			}
		}
		if !isMeasure {
			columns = append(columns, m)
			continue
		}
		if m.to == m.from+1 && wording.Sold[q.words[m.from].lower] && sold == nil {
			sold = m // a verb: what is sold may follow it
			continue
		}
		owned := k > 0 && q.mentions[k-1].to == m.from // each category's sales
		if m.context == group && r.operator == "" && !owned && !q.divided(d, k) {
			return fmt.Sprintf("I cannot divide by %q, and it is nothing to group by", shorten(q.text(m.run)))
		}
		c, why := q.choose(m.measures, m.run, d)
		if why != "" {
			return why
		}
		if q.repeats(d, m, c) {
			continue
		}
		if k > 0 && q.mentions[k-1].to == m.from && q.words[m.from].after == 0 && q.mentions[k-1].isMeasure {
			return fmt.Sprintf("I do not know how %q and %q go together", shorten(q.text(q.mentions[k-1].run)), shorten(q.text(m.run)))
		}
		if why := q.apart(d, m, c); why != "" {
			return why
		}
		if why := q.doubted(m, c); why != "" {
			return why
		}
		m.isMeasure, m.chosen = true, c.field
		d.use(c.field, reason{q.text(m.run), c.source, c.score})
	}
	if why := q.rescue(d, r, columns); why != "" {
		return why
	}
	if sold != nil && !sold.used { // it completed no name
		if why := q.measured(d, sold); why != "" {
			return why
		}
	}
	return q.columnsOf(d, r, columns)
}

// namesMeasure reports whether a mention names a measure rather than a column. If it ranks the answer, only a measure fits.
func (q *question) namesMeasure(m *mention, ranks bool) bool {
	column, measure := m.best()
	is := measure >= column-0.05
	switch m.context {
	case group, which:
		is = column < measure-0.05 || m.context == which && measure >= column && !q.hasVerbAfter(m)
	case condition, place, free, sorting:
	}
	return (is || ranks) && measure > 0
}

// columnsOf settles the roles of the mentions of columns.
func (q *question) columnsOf(d *draft, r *rank, columns []*mention) string {
	for i, m := range columns {
		if i > 0 && columns[i-1].to == m.from && q.words[m.from].after == 0 && !(m.isMeasure && q.isAdverb(columns[i-1])) {
			return fmt.Sprintf("I do not know how %q and %q go together", shorten(q.text(columns[i-1].run)), shorten(q.text(m.run)))
		}
	}
	for _, m := range columns {
		if m.isMeasure {
			continue
		}
		if before := q.measureBefore(m); before != nil && m.columns[0].field.summable() {
			return fmt.Sprintf("I do not know how %q and %q go together", shorten(q.text(before.run)), shorten(q.text(m.run)))
		}
		if why := q.column(d, m, r); why != "" {
			return why
		}
	}
	return ""
}

// apart returns why a mention cannot name another measure: nothing joins it to the nearest measure before or after it.
func (q *question) apart(d *draft, m *mention, c *candidate) string {
	if slices.Contains(d.query.Measures, c.field.named()) {
		return ""
	}
	var before *mention
	for k := range q.mentions {
		other := &q.mentions[k]
		switch {
		case !other.isMeasure:
		case other.to <= m.from:
			before = other
		case !q.joined(m.to, other.from):
			return fmt.Sprintf("I do not know how %q and %q go together", shorten(q.text(m.run)), shorten(q.text(other.run)))
		}
	}
	if before != nil && !q.joined(before.to, m.from) {
		return fmt.Sprintf("I do not know how %q and %q go together", shorten(q.text(before.run)), shorten(q.text(m.run)))
	}
	return ""
}

// joined reports whether words or punctuation between two mentions join them: "orders were returned" are not orders and returns.
func (q *question) joined(from, to int) bool {
	for i := from; i <= to && i < len(q.words); i++ {
		if w := q.words[i]; w.after != 0 || i < to && joints[w.lower] {
			return true
		}
	}
	return false
}

// joints are words that join two measures.
var joints = wording.SetOf("and or vs versus with compare compared against to plus as well also by per each for in then than")

// hasVerbAfter reports whether "which X" continues with what X has or is.
func (q *question) hasVerbAfter(m *mention) bool {
	return q.is(m.to, "has|have|had|with|is|are|was|were|did|by|made|of")
}

// column settles the role of a column: to group by, unless a comparison or value took it.
func (q *question) column(d *draft, m *mention, r *rank) string {
	c, why := q.choose(m.columns, m.run, d)
	if why != "" {
		return why
	}
	if why, done := q.aggregated(d, m, c, r); done {
		return why
	}
	grouping := m.context == group || m.context == which
	switch {
	case q.isWho(c):
		q.subjects = append(q.subjects, *c)
		d.use(c.field, reason{q.text(m.run), c.source, c.score})
		return ""
	case c.field.summable() && !grouping && !q.isLevel(c, r) && m.context != sorting && !q.isOfFilter(m, c.field.ref.Table):
		return fmt.Sprintf("I do not know what %q is for: numbers are added up, and no group", shorten(q.text(m.run)))
	case m.context == sorting && !slices.Contains(d.query.Groupings, c.field.named()):
		return fmt.Sprintf("I do not know how to order by %q, which nothing is grouped by", shorten(q.text(m.run)))
	case !grouping && m.context != sorting && q.isOwnValue(m, c):
		return ""
	case !grouping && m.context != sorting && q.isOfFilter(m, c.field.ref.Table) && (r.operator == "" || q.engine.second == nil):
		q.subjects = append(q.subjects, *c)
		return ""
	case m.context == sorting:
		return ""
	}
	if !q.groups(d, m, r) {
		return fmt.Sprintf("I do not know what %q is for: to group by it, or one of its values", shorten(q.text(m.run)))
	}
	if r.operator != "" && r.count == 0 && (m.context == which || m.context == free || m.context == place) && !q.words[m.to-1].plural() {
		r.count = 1
	}
	d.use(c.field, reason{q.text(m.run), c.source, c.score})
	return ""
}

// measureBefore returns the mention of a measure that ends where m starts.
func (q *question) measureBefore(m *mention) *mention {
	for k := range q.mentions {
		if before := &q.mentions[k]; before.isMeasure && before.to == m.from && q.words[m.from].after == 0 {
			return before
		}
	}
	return nil
}

// groups reports whether the question groups by a column.
func (q *question) groups(d *draft, m *mention, r *rank) bool {
	switch {
	case m.context == group, m.context == which:
		return true
	case r.operator != "", q.isLimited(m), q.isDivided(m), m.context == free && slices.Contains(q.contexts, sorting):
		return true // the column that is ranked or limited
	case len(d.query.Measures) == 0 && q.isList():
		return true
	}
	return m.context == place && q.is(m.from-1, "for") && q.words[m.to-1].plural()
}

// rescue uses the measure that a mention of a column names almost as well, if the column has no role: "how many
// visitors" is [Visitor Count], even if there is a column Visitors. A ranking without a measure uses the last such mention.
func (q *question) rescue(d *draft, r *rank, columns []*mention) string {
	var by *mention
	for k, m := range columns {
		_, measure := m.best()
		if measure < enough || q.counted(m) && measure < wholeName {
			continue
		}
		if r.operator != "" && len(d.query.Measures) == 0 && k > 0 {
			by = m
		}
		if q.groups(d, m, r) || m.context == sorting || m.context == condition || q.isOfFilter(m, m.columns[0].field.ref.Table) {
			continue
		}
		if why := q.measured(d, m); why != "" {
			return why
		}
	}
	if by != nil && len(d.query.Measures) == 0 {
		return q.measured(d, by)
	}
	return ""
}

// wholeName is the minimum score of a name that lacks only vague words, such as Visitor Count for visitors.
const wholeName = 0.75

// counted reports whether the question asks for the number of the things that a mention names. Sales per Customer is not the number of
// customers.
func (q *question) counted(m *mention) bool {
	is := func(at int, words string) bool {
		return at >= 0 && slices.Contains(strings.Fields(words), q.words[at].lower)
	}
	at := m.from - 1
	for q.isFiltered(at) { // how many gold customers
		at--
	}
	return is(at, "many number") || is(at, "of") && is(at-1, "number count") || is(m.from, "number count")
}

// measured uses the measure that a mention names.
func (q *question) measured(d *draft, m *mention) string {
	c, why := q.choose(m.measures, m.run, d)
	if why == "" && !wording.Sold[q.words[m.from].lower] {
		why = q.apart(d, m, c)
	}
	if why == "" {
		why = q.doubted(m, c)
	}
	if why == "" {
		m.isMeasure, m.chosen = true, c.field
		d.use(c.field, reason{q.text(m.run), c.source, c.score})
	}
	return why
}

// isOfFilter reports whether the words only name the subject of a following filter: "for customers in
// the segment Corporate".
func (q *question) isOfFilter(m *mention, table string) bool {
	if q.nextToValue(m, table) {
		return true
	}
	if !q.is(m.to, "in|with|where|from|whose|of|that|which|having") {
		return false
	}
	isNear := func(r run) bool { return r.from > m.to && r.from <= m.to+2 }
	for _, f := range q.filters {
		of := func(c candidate) bool { return c.field.ref.Table == table }
		named := f.source == InValues && f.from > m.to && f.from <= m.to+3 // in the segment gold
		if isNear(f.run) && of(f.column[0]) || named && slices.ContainsFunc(f.column, of) {
			return true
		}
	}
	return slices.ContainsFunc(q.mentions, func(other mention) bool {
		return other.used && isNear(other.run) && len(other.columns) > 0 && other.columns[0].field.ref.Table == table
	})
}

// isOwnValue reports whether a value of the column is right before or after its name: "the garden category".
func (q *question) isOwnValue(m *mention, c *candidate) bool {
	return slices.ContainsFunc(q.filters, func(f columnFilter) bool {
		return f.source == InValues && (f.to == m.from || f.from == m.to) &&
			slices.ContainsFunc(f.column, func(o candidate) bool { return o.field == c.field })
	})
}

// nextToValue reports whether a value of the table is right before or after the words: "kitchen products", "priority high".
func (q *question) nextToValue(m *mention, table string) bool {
	return slices.ContainsFunc(q.filters, func(f columnFilter) bool {
		return f.source == InValues && (f.to == m.from && q.words[m.from].after == 0 || f.from == m.to && q.words[m.to].after == 0) &&
			slices.ContainsFunc(f.column, func(c candidate) bool { return c.field.ref.Table == table })
	})
}

// isLimited reports whether a measure limits the column's values: "categories with sales over 1000".
func (q *question) isLimited(m *mention) bool {
	return (m.from == 0 || q.contexts[m.from] == free) && q.is(m.to, "with|where|whose|having|that|which") && len(q.bounds) > 0
}
