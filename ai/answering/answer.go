package answering

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"readiness/domain/benchmark"
	"readiness/domain/comparison"
)

var (
	highWords = setOf("highest most largest biggest greatest best top")
	lowWords  = setOf("lowest least smallest fewest worst bottom")
	denials   = setOf("not no nor without except excluding never neither none exclude excludes")
)

// rank is which end of a ranking is asked for, and how many of it.
type rank struct {
	operator benchmark.Operator // "" for none
	count    int                // 0 where the question says none
	word     string
	at       int
}

// answer makes the answer of what was found, or says what keeps it from one.
func (q *question) answer() Explained {
	d := &draft{engine: q.engine}
	r := q.rank()
	q.passive()
	if why := q.columnsOfTimes(); why != "" {
		return cannotTell(why)
	}
	if why := q.attachBounds(d); why != "" {
		return cannotTell(why)
	}
	if why := q.roles(d, &r); why != "" {
		return cannotTell(why)
	}
	for i := range q.words {
		if q.unknown(i) {
			return cannotTell(fmt.Sprintf("nothing that I am given of the model is called %q", shorten(q.text(q.unknownRun(i)))))
		}
		if !q.taken[i] && denials[q.words[i].lower] {
			return cannotTell(fmt.Sprintf("I do not know what %q leaves out", q.words[i].text))
		}
	}
	if why := q.valuesOf(d); why != "" {
		return cannotTell(why)
	}
	if len(d.query.Measures) == 0 && (len(d.query.Groupings) == 0 || !q.isList()) {
		return cannotTell("the question names no measure that I am given")
	}
	if why := q.timesOf(d); why != "" {
		return cannotTell(why)
	}
	if why := q.ranked(d, r); why != "" {
		return cannotTell(why)
	}
	return d.explain()
}

// unknownRun is the words without a meaning that begin at one.
func (q *question) unknownRun(i int) run {
	j := i + 1
	for j < len(q.words) && q.unknown(j) && q.words[j].after == 0 {
		j++
	}
	return run{i, j}
}

// isList tells whether the question asks for the values of a column, and not for
// something by it.
func (q *question) isList() bool {
	if q.isBrokenDown() {
		return false
	}
	for i, w := range q.words {
		if q.is(i, "how", "many|much") || q.is(i, "number|count", "of") || q.is(i, "sum|total|average|mean", "of") {
			return false
		}
		switch w.lower {
		case "list", "show", "which", "what", "display", "name", "give":
			return true
		}
		if i > 4 {
			break
		}
	}
	return false
}

// rank finds which end of a ranking is asked for and settles the words for it.
func (q *question) rank() rank {
	var r rank
	both := false
	for i, w := range q.words {
		if q.taken[i] || w.kind != plainWord || q.is(i-1, "at") {
			continue
		}
		var operator benchmark.Operator
		switch {
		case highWords[w.lower]:
			operator = benchmark.Top
		case lowWords[w.lower]:
			operator = benchmark.Bottom
		default:
			continue
		}
		q.take(i, i+1)
		if i+1 < len(q.words) && q.is(i+1, "first") { // an order, not a choice
			q.take(i+1, i+2)
			both = true
		}
		both = both || r.operator != "" && r.operator != operator
		if r.operator == "" {
			r = rank{operator: operator, word: w.text, at: i}
		}
	}
	if both {
		return rank{}
	}
	if r.operator == "" {
		return r
	}
	for i := range q.words {
		if n, ok := count(q.words[i]); ok && !q.taken[i] && q.words[i].lower != "one" {
			r.count = n
			q.take(i, i+1)
			break
		} else if ok && q.words[i].lower == "one" && !q.taken[i] {
			r.count = 1
			q.take(i, i+1)
			break
		}
	}
	return r
}

// passive settles words that only say what to do with what is shown.
func (q *question) passive() {
	for i := range q.words {
		switch {
		case q.is(i, "in", "descending|ascending", "order"):
			q.take(i, i+3)
		case q.is(i, "per", "cent"):
			q.take(i, i+2)
		case q.is(i, "change|changed|changes|develop|developed|evolve|evolved") && q.is(0, "how", "do|does|did|has|have") && q.isBrokenDown():
			q.take(i, i+1) // as the groups show
		}
	}
}

func (q *question) isBrokenDown() bool {
	return slices.ContainsFunc(q.mentions, func(m mention) bool { return m.context == group })
}

// columnsOfTimes finds the date columns that the question names right before a time:
// "with an order date in 2024".
func (q *question) columnsOfTimes() string {
	for t := range q.times {
		for k := range q.mentions {
			m := &q.mentions[k]
			if column, measure := m.best(); column <= measure || m.columns[0].field.dataType != "dateTime" || m.columns[0].source == InCalendar || m.context == group || m.context == which || m.to > q.times[t].from {
				continue
			}
			near := true
			for i := m.to; i < q.times[t].from; i++ {
				near = near && structural[q.words[i].lower]
			}
			if !near {
				continue
			}
			best, why := q.choose(m.columns, m.run, nil)
			if why != "" {
				return why
			}
			m.used = true
			q.times[t].column = best
		}
	}
	return ""
}

// choose is the field that a run of words names, or why it cannot be told which. Of
// fields that fit as well, one of the measure's own table or of a verified answer is
// meant.
func (q *question) choose(list []candidate, at run, d *draft) (c *candidate, why string) {
	if len(list) == 0 {
		return nil, fmt.Sprintf("nothing that I am given of the model is called %q", shorten(q.text(at)))
	}
	margin := 0.04
	if list[0].score > 0.93 {
		margin = 0.015
	}
	tied := list[:1]
	for i := 1; i < len(list) && list[i].score > list[0].score-margin; i++ {
		tied = list[:i+1]
	}
	if len(tied) > 1 {
		tied = only(tied, func(c candidate) bool { return c.said })
	}
	if len(tied) > 1 && d != nil {
		tied = only(tied, func(c candidate) bool {
			return slices.ContainsFunc(d.query.Measures, func(m benchmark.Field) bool { return strings.EqualFold(m.Table, c.field.ref.Table) })
		})
	}
	if len(tied) > 1 {
		stems := stemsOf(q.words[at.from:at.to])
		tied = only(tied, func(c candidate) bool { return q.engine.verifies(c.field, stems) })
	}
	if len(tied) > 1 {
		var names []string
		for _, c := range tied[:min(4, len(tied))] {
			names = append(names, shorten(c.field.String()))
		}
		return nil, fmt.Sprintf("%q may be %s, and nothing says which", shorten(q.text(at)), strings.Join(names, " or "))
	}
	return &tied[0], ""
}

// only keeps the candidate that holds, if it is the only one.
func only(list []candidate, holds func(candidate) bool) []candidate {
	var kept []candidate
	for _, c := range list {
		if holds(c) {
			kept = append(kept, c)
		}
	}
	if len(kept) == 1 {
		return kept
	}
	return list
}

func stemsOf(words []word) []string {
	var stems []string
	for _, w := range words {
		if !structural[w.lower] {
			stems = append(stems, w.stem)
		}
	}
	return stems
}

// verifies tells whether a verified answer about these words uses the field.
func (e *Engine) verifies(f *field, stems []string) bool {
	for _, a := range e.answers {
		if !slices.ContainsFunc(a.Fields, func(r FieldRef) bool {
			return strings.EqualFold(r.Name, f.ref.Name) && strings.EqualFold(r.Table, f.ref.Table)
		}) {
			continue
		}
		for _, p := range a.Phrases {
			said := stemsOf(readWords(first(p, maxQuestion), true))
			if !slices.ContainsFunc(stems, func(s string) bool { return !slices.Contains(said, s) }) {
				return true
			}
		}
	}
	return false
}

// attachBounds finds for each comparison with a number the mention that it limits:
// the one before it, else the one behind it.
func (q *question) attachBounds(d *draft) string {
	for _, b := range q.bounds {
		m := q.mentionNear(b.run)
		if m == nil {
			return fmt.Sprintf("I do not know what is to be %q", q.text(b.run))
		}
		column, measure := m.best()
		list := m.columns
		if measure >= column-0.05 {
			list = m.measures
		}
		c, why := q.choose(list, m.run, d)
		if why != "" {
			return why
		}
		f := benchmark.Filter{Field: c.field.named(), Operator: b.operator, Values: b.values, Type: benchmark.NumberValue}
		why2 := reason{q.text(run{min(m.from, b.from), max(m.to, b.to)}), c.source, c.score}
		if c.field.measure {
			d.use(c.field, reason{q.text(m.run), c.source, c.score})
		} else if benchmark.ValueTypeOf(c.field.dataType) != benchmark.NumberValue && !slices.Contains([]benchmark.Operator{benchmark.Equal, benchmark.NotEqual}, b.operator) {
			return fmt.Sprintf("%s is no number", shorten(c.field.String()))
		} else if benchmark.ValueTypeOf(c.field.dataType) != benchmark.NumberValue {
			f.Type = benchmark.TextValue
		}
		m.used = true
		d.filter(f, fmt.Sprintf("%s %s %s", shorten(c.field.String()), spoken(f.Operator), strings.Join(f.Values, " and ")), why2)
	}
	return ""
}

// links are the words that may stand between a field and what it is compared with.
var links = setOf("of is are was were be being a an the that which in")

// mentionNear is the mention right before a comparison, else right behind it.
func (q *question) mentionNear(b run) *mention {
	for _, backwards := range []bool{true, false} {
		for k := range q.mentions {
			m := &q.mentions[k]
			from, to := m.to, b.from
			if !backwards {
				from, to = b.to, m.from
			}
			if from > to {
				continue
			}
			near := true
			for i := from; i < to; i++ {
				near = near && !q.taken[i] && links[q.words[i].lower]
			}
			if near {
				return m
			}
		}
	}
	return nil
}

// roles settles what each mention is for, measures first, as what columns are meant
// may hang on them.
func (q *question) roles(d *draft, r *rank) string {
	var columns []*mention
	by := q.rankedBy(r)
	for k := range q.mentions {
		m := &q.mentions[k]
		if m.used {
			continue
		}
		column, measure := m.best()
		isMeasure := measure >= column-0.05
		switch m.context {
		case group, which:
			isMeasure = column < measure-0.05
			if m.context == which && measure >= column && !q.hasVerbAfter(m) {
				isMeasure = true
			}
		case condition, place, free, sorting:
		}
		if isMeasure = (isMeasure || m == by) && measure > 0; !isMeasure {
			columns = append(columns, m)
			continue
		}
		owned := k > 0 && q.mentions[k-1].to == m.from // each category's sales
		if m.context == group && r.operator == "" && !owned {
			return fmt.Sprintf("I cannot divide by %q, and it is nothing to group by", shorten(q.text(m.run)))
		}
		c, why := q.choose(m.measures, m.run, d)
		if why != "" {
			return why
		}
		if k > 0 && q.mentions[k-1].to == m.from && q.words[m.from].after == 0 && q.mentions[k-1].isMeasure {
			return fmt.Sprintf("I do not know how %q and %q go together", shorten(q.text(q.mentions[k-1].run)), shorten(q.text(m.run)))
		}
		m.isMeasure = true
		d.use(c.field, reason{q.text(m.run), c.source, c.score})
	}
	for i, m := range columns {
		if i > 0 && columns[i-1].to == m.from && q.words[m.from].after == 0 {
			return fmt.Sprintf("I do not know how %q and %q go together", shorten(q.text(columns[i-1].run)), shorten(q.text(m.run)))
		}
	}
	for _, m := range columns {
		if why := q.column(d, m, r); why != "" {
			return why
		}
	}
	return ""
}

// rankedBy is the mention that a ranking goes by where it could be a column too: the
// one after "by", if nothing else is a measure.
func (q *question) rankedBy(r *rank) *mention {
	if r.operator == "" {
		return nil
	}
	var by *mention
	for k := range q.mentions {
		m := &q.mentions[k]
		column, measure := m.best()
		switch {
		case measure < enough || measure < column-0.05:
		case m.context != group:
			return nil
		default:
			by = m
		}
	}
	return by
}

// hasVerbAfter tells whether "which X" goes on with what X has or is.
func (q *question) hasVerbAfter(m *mention) bool {
	return q.is(m.to, "has|have|had|with|is|are|was|were|did|by|made|of")
}

// column settles what a column is for: to group by, unless a comparison or value took it.
func (q *question) column(d *draft, m *mention, r *rank) string {
	c, why := q.choose(m.columns, m.run, d)
	if why != "" {
		return why
	}
	grouping := m.context == group || m.context == which
	if !grouping && q.isOfFilter(m, c.field.ref.Table) {
		return ""
	}
	switch {
	case grouping:
	case m.context == sorting:
		return ""
	case r.operator != "", q.isLimited(m), m.context == free && slices.Contains(q.contexts, sorting):
		grouping = true // what is ranked, or kept
	case len(d.query.Measures) == 0 && q.isList():
		grouping = true
	case m.context == place && q.is(m.from-1, "for") && q.words[m.to-1].plural():
		grouping = true
	}
	if !grouping {
		return fmt.Sprintf("I do not know what %q is for: to group by it, or one of its values", shorten(q.text(m.run)))
	}
	if r.operator != "" && r.count == 0 && (m.context == which || m.context == free || m.context == place) && !q.words[m.to-1].plural() {
		r.count = 1
	}
	d.use(c.field, reason{q.text(m.run), c.source, c.score})
	return ""
}

// isOfFilter tells whether the words only say of what a filter is that follows: for
// customers in the segment Corporate.
func (q *question) isOfFilter(m *mention, table string) bool {
	if !q.is(m.to, "in|with|where|from|whose|of|that|which|having") {
		return false
	}
	isNear := func(r run) bool { return r.from > m.to && r.from <= m.to+2 }
	for _, f := range q.filters {
		if isNear(f.run) && f.column[0].field.ref.Table == table {
			return true
		}
	}
	for _, other := range q.mentions {
		if other.used && isNear(other.run) && len(other.columns) > 0 && other.columns[0].field.ref.Table == table {
			return true
		}
	}
	return false
}

// isLimited tells whether the words say which of the column's values are kept by a
// measure: categories with sales over 1000.
func (q *question) isLimited(m *mention) bool {
	return (m.from == 0 || q.contexts[m.from] == free) && q.is(m.to, "with|where|whose|having|that|which") && len(q.bounds) > 0
}

// ranked adds the choice of one end of the ranking. Without a count nothing is left
// out, as the order is all that is asked for.
func (q *question) ranked(d *draft, r rank) string {
	switch {
	case r.operator == "":
		return ""
	case len(d.query.Measures) == 0:
		return fmt.Sprintf("I do not know by which measure something is %q", r.word)
	case len(d.query.Groupings) == 0:
		return fmt.Sprintf("I do not know of what %q is to be chosen", r.word)
	case r.count == 0:
		return ""
	}
	by := d.query.Measures[0]
	if len(d.query.Measures) > 1 {
		// The measure next after the word is the one that is ranked by.
		for _, m := range q.mentions {
			if m.from >= r.at && len(m.measures) > 0 && slices.Contains(d.query.Measures, m.measures[0].field.named()) {
				by = m.measures[0].field.named()
				break
			}
		}
	}
	f := benchmark.Filter{Field: by, Operator: r.operator, Values: []string{strconv.Itoa(r.count)}, Type: benchmark.NumberValue}
	d.query.Filters = append(d.query.Filters, f)
	d.because(comparison.Field{Role: comparison.FilterField, Table: f.Table, Name: f.Name, Operator: f.Operator, Values: f.Values}, reason{r.word, InName, 1})
	return ""
}

// valuesOf adds the filters by values that the question names.
func (q *question) valuesOf(d *draft) string {
	for _, f := range q.filters {
		c, why := q.choose(f.column, f.columnAt, d)
		if why != "" {
			return why
		}
		kind := benchmark.ValueTypeOf(c.field.dataType)
		values := slices.Clone(f.values)
		for i, v := range values {
			typed, ok := typedValue(kind, v)
			if !ok {
				return fmt.Sprintf("%q is no value of %s", shorten(v), shorten(c.field.String()))
			}
			values[i] = typed
		}
		if f.operator == benchmark.Contains {
			kind = benchmark.TextValue
		}
		operator := f.operator
		one := [][]string{values}
		switch {
		case f.negated && operator == benchmark.Contains:
			return fmt.Sprintf("I cannot leave out what contains %q", shorten(f.values[0]))
		case f.negated:
			operator, one = benchmark.NotEqual, nil
			for _, v := range values {
				one = append(one, []string{v})
			}
		case operator == benchmark.Equal && len(values) > 1:
			operator = benchmark.In
			slices.Sort(values)
		}
		for _, values := range one {
			d.filter(benchmark.Filter{Field: c.field.named(), Operator: operator, Values: values, Type: kind},
				fmt.Sprintf("%s %s %s", shorten(c.field.String()), spoken(operator), shorten(strings.Join(values, ", "))), reason{q.text(f.run), f.source, c.score})
		}
	}
	return ""
}

// typedValue is a value as a filter by a column of its kind writes it.
func typedValue(kind benchmark.ValueType, v string) (string, bool) {
	switch kind {
	case benchmark.NumberValue:
		words := readWords(v, true)
		n, used, ok := amount(words)
		return n, ok && used == len(words)
	case benchmark.BooleanValue:
		switch strings.ToLower(v) {
		case "true", "yes":
			return "true", true
		case "false", "no":
			return "false", true
		}
		return "", false
	case benchmark.DateValue:
		return "", false // a time finds its own column
	case benchmark.TextValue:
	}
	return v, true
}
