package normalform

import (
	"slices"
	"strings"
)

// Likeness says what two queries that were read mean to each other.
type Likeness int

// The likenesses. Unknown is everything that is neither certain.
const (
	Unknown Likeness = iota
	Equal
	Different
)

// Compare compares an answer's query with the reference. Ordered says that the order of rows matters. The reason is a
// sentence; "" for Unknown.
//
// Equal: the same rows, groups and filters, and the answer has each value of the reference. Different: with every value
// a single aggregation, the answer lacks one of the reference; or with equal aggregations, a filter that all values of
// each have on one column shares no value; or the answer refers to nothing in the model.
func Compare(reference, answer *Query, ordered bool) (Likeness, string) {
	if answer.plain {
		if reference.plain {
			return Unknown, ""
		}
		return Different, "The query refers to no column and no measure of the model."
	}
	if reference.plain {
		return Unknown, ""
	}
	if reference.sameRows(answer) && (!ordered || slices.Equal(reference.order, answer.order)) {
		return Equal, "The query means the same as the reference: the same measures, groups and filters."
	}
	if why := reference.aggregates(answer); why != "" {
		return Different, why
	}
	if why := reference.parted(answer); why != "" {
		return Different, why
	}
	return Unknown, ""
}

// sameRows reports whether the answer has the rows of the reference, and all its values. Further values may add rows
// to groups that are there only with a value.
func (q *Query) sameRows(answer *Query) bool {
	if q.of.key() != answer.of.key() || answer.of.rows == nonblank && len(answer.of.values) != len(q.of.values) {
		return false
	}
	has := answer.keys()
	for _, k := range q.keys() {
		i := slices.Index(has, k)
		if i < 0 {
			return false
		}
		has = slices.Delete(has, i, i+1)
	}
	return true
}

func (q *Query) keys() []string {
	var all []string
	for _, e := range q.of.values {
		all = append(all, e.value.key(q.of.groups))
	}
	return all
}

// single returns the values if each is one aggregation.
func (q *Query) single() ([]*value, bool) {
	var all []*value
	for _, e := range q.of.values {
		if e.value.op != "aggregation" {
			return nil, false
		}
		all = append(all, e.value)
	}
	return all, len(all) > 0
}

// aggregates says what the reference aggregates and the answer does not; "" if nothing is certain.
func (q *Query) aggregates(answer *Query) string {
	wanted, ok := q.single()
	given, okToo := answer.single()
	if !ok || !okToo {
		return ""
	}
	for _, w := range wanted {
		if !slices.ContainsFunc(given, func(g *value) bool { return w.mayBe(g) }) {
			return "The query aggregates " + lists(given) + ", and the reference " + w.plainText() + "."
		}
	}
	return ""
}

func lists(all []*value) string {
	var texts []string
	for _, v := range all {
		texts = append(texts, v.plainText())
	}
	return strings.Join(texts, ", ")
}

// plainText names what an aggregation aggregates, for a message.
func (v *value) plainText() string {
	function, of, _ := strings.Cut(v.text, " ")
	if v.column != nil {
		of = v.column.table.name + "[" + v.column.name + "]"
	} else if strings.HasPrefix(v.text, "COUNTROWS") {
		of = v.over.name
	}
	return function + " of " + of
}

// mayBe reports whether two aggregations may give the same, so that they are not certain to differ: counts of a table
// in different words, and iterators, whose expressions may be written in many ways.
func (v *value) mayBe(w *value) bool {
	if v.text == w.text || v.column == nil && !v.countsRows() || w.column == nil && !w.countsRows() {
		return true
	}
	mine, theirs := v.counted(), w.counted()
	return mine != nil && theirs != nil && (mine == theirs || v.over == w.over && v.countsAll() && w.countsAll())
}

func (v *value) countsRows() bool { return strings.HasPrefix(v.text, "COUNTROWS '") }

// countsAll reports whether the aggregation counts rows, or values of a column that has one for each row.
func (v *value) countsAll() bool {
	function, _, _ := strings.Cut(v.text, " ")
	return v.countsRows() || function == "COUNT" || function == "COUNTA" || v.column != nil && v.column.key
}

// counted returns what a count counts: the column, or the other end of its relationship, or the table; nil for another
// aggregation.
func (v *value) counted() any {
	function, _, _ := strings.Cut(v.text, " ")
	switch {
	case v.countsRows():
		return v.over
	case function != "COUNTROWS" && function != "COUNT" && function != "COUNTA" && !strings.HasPrefix(function, "DISTINCTCOUNT"):
		return nil
	case v.column.one != nil && strings.HasPrefix(function, "DISTINCTCOUNT"):
		return v.column.one.table
	case v.column.key:
		return v.column.table
	}
	return v.column
}

// parted says on which column the filters of two queries with equal aggregations share no value; "" for none.
func (q *Query) parted(answer *Query) string {
	wanted, ok := q.single()
	given, okToo := answer.single()
	if !ok || !okToo || !sameTexts(wanted, given) || q.shifts() || answer.shifts() {
		return ""
	}
	for _, mine := range q.shared() {
		for _, theirs := range answer.shared() {
			if mine.name == theirs.name && mine.disjoint(theirs.set) {
				return "The query keeps other values of " + q.asNamed(mine.name) + " than the reference, and none that the reference keeps."
			}
		}
	}
	return ""
}

// Dropped returns the columns by which a query filters all its values, and of whose tables an answer's query neither filters nor groups by
// one: rows that are equal all the same are equal by chance.
func (q *Query) Dropped(answer *Query) (columns []string) {
	used := map[string]bool{}
	tableOf := func(name string) string { return name[:max(strings.LastIndex(name, "["), 0)] }
	for _, n := range answer.shared() {
		used[tableOf(n.name)] = true
	}
	for _, a := range answer.of.aggregations() {
		for _, n := range a.at.normal(answer.of.groups) {
			used[tableOf(n.name)] = true
		}
	}
	for _, c := range answer.of.groups {
		used[tableOf(c.String())] = true
	}
	for _, n := range q.shared() {
		if name := q.asNamed(n.name); !used[tableOf(n.name)] && !slices.Contains(columns, name) {
			columns = append(columns, name)
		}
	}
	return columns
}

// asNamed returns the name of a filter of the query as the model writes it.
func (q *Query) asNamed(filter string) string {
	places := []*place{q.of.at}
	for _, a := range q.of.aggregations() {
		places = append(places, a.at)
	}
	for _, p := range places {
		for c := range p.filters {
			for _, one := range []*column{c, c.table.date} {
				if one != nil && one.String() == filter {
					return one.table.name + "[" + one.name + "]"
				}
			}
		}
	}
	return filter
}

func sameTexts(a, b []*value) bool {
	texts := func(all []*value) []string {
		var out []string
		for _, v := range all {
			out = append(out, v.text)
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(texts(a), texts(b))
}

func (q *Query) shifts() bool {
	return slices.ContainsFunc(q.of.aggregations(), func(a *value) bool { return len(a.at.steps) > 0 })
}

// shared returns the filters that all values of the query have, and those of its rows.
func (q *Query) shared() []named {
	var all []named
	for i, a := range q.of.aggregations() {
		own := a.at.normal(q.of.groups)
		if i == 0 {
			all = own
			continue
		}
		all = slices.DeleteFunc(all, func(n named) bool {
			return !slices.ContainsFunc(own, func(m named) bool { return m.name == n.name && m.String() == n.String() })
		})
	}
	rows := q.of.at.copied()
	for c := range rows.filters { // on another column it may leave out groups that have no value anyway
		if !slices.Contains(q.of.groups, c) {
			delete(rows.filters, c)
		}
	}
	return append(all, rows.normal(q.of.groups)...)
}
